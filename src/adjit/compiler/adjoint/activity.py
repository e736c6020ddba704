"""Which values lie between the differentiated inputs and the results.

Input: a core function, its roots (`analyses.alias`), the differentiated parameters, the results that get a
seed. Output: `Activity`. A scalar or the memory of an array root is *varied* if it depends on a
differentiated parameter, *useful* if a seeded result depends on it, *active* if both. Memory is judged as a
whole, independent of the place in the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..ir.nodes import (
    Accumulate,
    Block,
    Call,
    For,
    Function,
    If,
    Load,
    Mark,
    Op,
    Operand,
    Stmt,
    Store,
    Var,
    While,
)
from ..ir.types import Array, is_float
from ..ir.visitor import blocks, walk
from ..library import ROUTINES
from ..ops import TABLE

Roots = Mapping[Var, frozenset[Var]]


def differentiable_args(stmt: Op) -> tuple[Operand, ...]:
    """The operands of an op through which a derivative can flow."""
    if stmt.op == "select":
        return stmt.args[1:]
    if TABLE[stmt.op].partials is None or not is_float(stmt.out.type):
        return ()
    return tuple(a for a in stmt.args if is_float(a.type))


@dataclass(frozen=True)
class Activity:
    scalars: frozenset[Var]
    memory: frozenset[Var]  # active roots
    roots: Roots

    def __contains__(self, x: object) -> bool:
        """Whether an operand (scalar or array reference) is active."""
        if not isinstance(x, Var):
            return False
        if isinstance(x.type, Array):
            return not self.memory.isdisjoint(self.roots[x])
        return x in self.scalars


def _carried(stmt: For | While | If) -> Iterable[tuple[Var, tuple[Operand, ...]]]:
    """Variables that a compound statement sets, with all that they may be set from."""
    match stmt:
        case If(then=then, orelse=orelse, outs=outs):
            yield from ((o, (t, e)) for o, t, e in zip(outs, then.yields, orelse.yields, strict=True))
        case (
            For(args=args, inits=inits, body=body, outs=outs)
            | While(args=args, inits=inits, body=body, outs=outs)
        ):
            for a, i, y, o in zip(args, inits, body.yields, outs, strict=True):
                yield a, (i, y)
                # The argument too: its cotangent is carried even where no pass reads it.
                yield o, (a, i, y)


class Marks:
    """A growing set of scalars and roots; where `within` is given, of these only."""

    def __init__(self, roots: Roots) -> None:
        self.roots = roots
        self.found: set[Var] = set()
        self.within: frozenset[Var] | None = None
        self.changed = False

    def __contains__(self, x: object) -> bool:
        if not isinstance(x, Var):
            return False
        if isinstance(x.type, Array):
            return not self.found.isdisjoint(self.roots[x])
        return x in self.found

    def add(self, x: Operand) -> None:
        if not isinstance(x, Var) or not is_float(x.type):
            return
        new = set(self.roots[x]) if isinstance(x.type, Array) else {x}
        if self.within is not None:
            new &= self.within
        if not new <= self.found:
            self.found |= new
            self.changed = True


def _spread_forward(stmt: Stmt, varied: Marks) -> None:
    match stmt:
        case Op(out=out):
            if any(a in varied for a in differentiable_args(stmt)):
                varied.add(out)
        case Load(out=out, array=array):
            if array in varied:
                varied.add(out)
        case Store(array=array, value=value) | Accumulate(array=array, value=value):
            if value in varied:
                varied.add(array)
        case Call(name=name, args=args):
            routine = ROUTINES[name]
            if any(args[k] in varied for k in routine.through):
                for k in routine.writes:
                    varied.add(args[k])
        case For() | While() | If():
            for target, sources in _carried(stmt):
                if any(s in varied for s in sources):
                    varied.add(target)


def spread_backward(stmt: Stmt, useful: Marks) -> None:
    match stmt:
        case Op(out=out):
            if out in useful:
                for a in differentiable_args(stmt):
                    useful.add(a)
        case Load(out=out, array=array):
            if out in useful:
                useful.add(array)
        case Store(array=array, value=value) | Accumulate(array=array, value=value):
            if array in useful:
                useful.add(value)
        case Call(name=name, args=args):
            routine = ROUTINES[name]
            if any(args[k] in useful for k in routine.writes):
                for k in routine.through:
                    useful.add(args[k])
        case Mark(value=value, out=out):
            if out in useful:
                useful.add(value)
        case For() | While() | If():
            for target, sources in _carried(stmt):
                if target in useful:
                    for s in sources:
                        useful.add(s)


def activity(fn: Function, roots: Roots, wrt: Iterable[Var], results: Iterable[Operand]) -> Activity:
    """Iterated to a fixed point; marked intermediates count as inputs."""
    statements = list(walk(fn.body))
    varied, useful = Marks(roots), Marks(roots)
    for v in wrt:
        varied.add(v)
    for stmt in statements:
        if isinstance(stmt, Mark):
            varied.add(stmt.value if stmt.out is None else stmt.out)
    for r in results:
        useful.add(r)
    to_fixed_point(statements, varied, _spread_forward)
    to_fixed_point(statements[::-1], useful, spread_backward)
    both = varied.found & useful.found
    scalars = frozenset(v for v in both if not isinstance(v.type, Array))
    return Activity(scalars, frozenset(both - scalars), roots)


def to_fixed_point(statements: list[Stmt], marks: Marks, spread) -> None:  # type: ignore[no-untyped-def]
    marks.changed = True
    while marks.changed:
        marks.changed = False
        for stmt in statements:
            spread(stmt, marks)


def has_active(block: Block, active: Activity) -> bool:
    """Whether reversing a block emits anything."""
    return any(is_active(stmt, active) for stmt in block.stmts)


def is_active(stmt: Stmt, active: Activity) -> bool:
    """Whether a statement has a reverse."""
    match stmt:
        case Op(out=out):
            return out in active and any(a in active for a in differentiable_args(stmt))
        case Load(out=out, array=array):
            return out in active and array in active
        case Store(array=array):
            return array in active
        case Accumulate(array=array, value=value):
            return array in active and value in active
        case Call(name=name, args=args):
            return any(args[k] in active for k in ROUTINES[name].writes)
        case For(outs=outs) | While(outs=outs) | If(outs=outs):
            return any(o in active for o in outs) or any(has_active(b, active) for b in blocks(stmt))
        case Mark(value=value, out=out):
            return (value if out is None else out) in active
        case _:
            return False
