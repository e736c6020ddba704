"""Dead code elimination by mark and sweep.

    t = exp(x)                          (nothing reads t)
    for i in range(n): w[i] = x[i]      (w is local, nothing reads it)      =>  (nothing)

Input and output: core IR. Live are results, checks, marks, memory of parameters and results, whatever
these depend on. Removed are ops, loads, writes to local arrays that nothing live reads, carried values
and results of control statements that nobody needs, and control statements without content. Non-goal: a
store that a later store hides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from ..analyses.alias import roots
from ..analyses.definitions import Definitions
from ..analyses.effects import reads, writes
from ..ir.nodes import Block, Bounds, Call, Check, For, Function, If, Mark, Operand, Stmt, Var, While
from ..ir.types import Array
from ..ir.visitor import operands


def dce(fn: Function) -> Function:
    """The function without what does not matter."""
    marks = _Marks(fn)
    body = _sweep(fn.body, marks)
    return fn if body is fn.body else replace(fn, body=body)


class _Marks:
    def __init__(self, fn: Function) -> None:
        self.definitions = Definitions(fn)
        self.roots = roots(fn)
        self.vars: set[Var] = set()
        self.stmts: set[Stmt] = set()
        self.memory: set[Var] = set()
        self.work: list[Var] = []
        self.writers: dict[Var, list[Stmt]] = {}
        for stmt in self.definitions.stmts:
            for array in writes(stmt):
                for r in self.roots[array]:
                    self.writers.setdefault(r, []).append(stmt)
        self.start(fn)
        while self.work:
            self.follow(self.work.pop())

    def start(self, fn: Function) -> None:
        for p in fn.params:
            if isinstance(p.type, Array):
                self.keep_memory(p)
        for r in fn.results:
            self.mark(r)
            if isinstance(r, Var) and isinstance(r.type, Array):
                self.keep_memory(r)
        for stmt in self.definitions.stmts:
            if isinstance(stmt, Check | Bounds | Mark) or (isinstance(stmt, Call) and not writes(stmt)):
                self.keep(stmt)

    def mark(self, x: Operand) -> None:
        if isinstance(x, Var) and x not in self.vars:
            self.vars.add(x)
            self.work.append(x)

    def keep_memory(self, array: Var) -> None:
        """The contents of an array matter: so does what writes to it."""
        for r in self.roots[array]:
            if r not in self.memory:
                self.memory.add(r)
                for stmt in self.writers.get(r, ()):
                    self.keep(stmt)

    def keep(self, stmt: Stmt) -> None:
        """A statement runs for its effect, or for a value that is marked."""
        if stmt in self.stmts:
            return
        self.stmts.add(stmt)
        if isinstance(stmt, For | While):
            self.control(stmt)
        else:
            for x in operands(stmt):
                self.mark(x)
        for array in reads(stmt):
            self.keep_memory(array)
        for outer, _ in self.definitions.place[stmt].chain:
            self.keep(outer)

    def control(self, stmt: For | While) -> None:
        """What decides how often a loop runs."""
        if isinstance(stmt, For):
            self.mark(stmt.lo)
            self.mark(stmt.hi)
        else:
            self.mark(stmt.cond.yields[0])
        if stmt.stop is not None:
            self.mark(stmt.stop)

    def follow(self, v: Var) -> None:
        stmt = self.definitions.maker[v]
        if stmt is None:
            return
        self.keep(stmt)
        match stmt:
            case For(args=args, outs=outs) | While(args=args, outs=outs):
                for k, (a, o) in enumerate(zip(args, outs, strict=True)):
                    if v is a or v is o:
                        for x in (a, stmt.inits[k], stmt.body.yields[k]):
                            self.mark(x)
            case If(outs=outs):
                k = outs.index(v)
                self.mark(stmt.then.yields[k])
                self.mark(stmt.orelse.yields[k])
            case _:
                pass


def _sweep(block: Block, marks: _Marks) -> Block:
    stmts = tuple(_swept(s, marks) for s in block.stmts if s in marks.stmts)
    if len(stmts) == len(block.stmts) and all(a is b for a, b in zip(stmts, block.stmts, strict=True)):
        return block
    return Block(stmts, block.yields)


T = TypeVar("T")


def _picked(items: tuple[T, ...], kept: list[int]) -> tuple[T, ...]:
    return items if len(kept) == len(items) else tuple(items[k] for k in kept)


def _swept(stmt: Stmt, marks: _Marks) -> Stmt:
    match stmt:
        case For(body=body, trips=trips) | While(body=body, trips=trips):
            pairs = zip(stmt.args, stmt.outs, strict=True)
            kept = [k for k, (a, o) in enumerate(pairs) if a in marks.vars or o in marks.vars]
            new = _sweep(body, marks)
            counted = trips if trips in marks.vars else None
            cond = _sweep(stmt.cond, marks) if isinstance(stmt, While) else None
            unchanged = new is body and len(kept) == len(stmt.args) and counted is trips
            if unchanged and (cond is None or (isinstance(stmt, While) and cond is stmt.cond)):
                return stmt
            new = Block(new.stmts, _picked(new.yields, kept))
            made = replace(
                stmt,
                args=_picked(stmt.args, kept),
                inits=_picked(stmt.inits, kept),
                outs=_picked(stmt.outs, kept),
                body=new,
                trips=counted,
            )
            return replace(made, cond=cond) if isinstance(made, While) and cond is not None else made
        case If(then=then, orelse=orelse, outs=outs):
            kept = [k for k, o in enumerate(outs) if o in marks.vars]
            yes, no = _sweep(then, marks), _sweep(orelse, marks)
            if yes is then and no is orelse and len(kept) == len(outs):
                return stmt
            yes, no = Block(yes.stmts, _picked(yes.yields, kept)), Block(no.stmts, _picked(no.yields, kept))
            return replace(stmt, then=yes, orelse=no, outs=_picked(outs, kept))
        case _:
            return stmt
