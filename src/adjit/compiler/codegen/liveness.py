"""Which variables are alive at the same time, hence need names of their own.

Input: a core function and what is folded. Output: for each variable the set of those it interferes with.
The walk is backwards over structured control flow: what a loop body reads from outside lives through the
whole loop, and so do the values it carries. Invariants: two variables that do not interfere can share one
Python name. Non-goals: memory; array variables are references here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ..ir.nodes import Block, For, Function, If, Operand, Stmt, Var, While
from ..ir.visitor import defined, free_vars, operands
from .folding import Folded


class Interference:
    """`edges[v]`: variables that are alive where `v` gets its value, or the other way round."""

    def __init__(self, fn: Function, folded: Folded) -> None:
        self.folded = folded
        self.edges: dict[Var, set[Var]] = defaultdict(set)
        self.around: list[Var] = []  # variables of the loops that enclose the present place
        live = set(folded.leaves((*fn.body.yields, *fn.results)))
        self.block(fn.body, live)
        for k, v in enumerate(fn.params):
            self.define(v, {*live, *fn.params[:k], *fn.params[k + 1 :]})

    def define(self, v: Var, live: Iterable[Var]) -> None:
        others = set(live)
        others.discard(v)
        self.edges[v] |= others
        for u in others:
            self.edges[u].add(v)

    def block(self, block: Block, live: set[Var]) -> None:
        """Walk backwards; `live` is what is alive after the block, and becomes what is alive before it."""
        for stmt in reversed(self.folded.kept(block)):
            match stmt:
                case For() | While():
                    self.loop(stmt, live)
                case If():
                    self.branch(stmt, live)
                case _:
                    for v in defined(stmt):
                        live.discard(v)
                        self.define(v, live)
            live.update(self.leaves(stmt))

    def leaves(self, stmt: Stmt) -> Iterable[Var]:
        return self.folded.leaves(operands(stmt))

    def loop(self, stmt: For | While, live: set[Var]) -> None:
        for v in defined(stmt):
            live.discard(v)
        for v in defined(stmt):
            self.define(v, {*live, *defined(stmt)})
        inner = [stmt.body] if isinstance(stmt, For) else [stmt.cond, stmt.body]
        outside = {v for b in inner for v in free_vars(b)} - set(stmt.args)
        if isinstance(stmt, For):
            outside.discard(stmt.iv)
        live |= self.named(outside)
        if stmt.trips is not None:
            live.add(stmt.trips)
        around = {*live, *stmt.args}
        body = {*live, *self.read_last(stmt)}
        if stmt.stop is not None:
            for v in stmt.args:
                self.define(v, set(self.folded.leaves([stmt.stop])))
        if isinstance(stmt, For):
            self.define(stmt.iv, self.around)
            self.around.append(stmt.iv)
        self.block(stmt.body, body)
        if isinstance(stmt, For):
            self.around.pop()
        if isinstance(stmt, While):
            before = {*body, *around, *self.folded.leaves(stmt.cond.yields)}
            self.block(stmt.cond, before)
            body = before
        for v in stmt.args:
            self.define(v, {*body, *around})
        if isinstance(stmt, For):
            self.define(stmt.iv, {*body, *around})
            for v in (*stmt.args, *([stmt.trips] if stmt.trips is not None else [])):
                self.define(v, self.folded.leaves([stmt.lo, stmt.hi]))
        if stmt.trips is not None:
            self.define(stmt.trips, {*body, *around})
            live.discard(stmt.trips)

    def named(self, outside: Iterable[Operand]) -> set[Var]:
        return set(self.folded.leaves(outside))

    def read_last(self, stmt: For | While) -> set[Var]:
        last = [*stmt.body.yields, *([stmt.stop] if stmt.stop is not None else [])]
        return set(self.folded.leaves(last))

    def branch(self, stmt: If, live: set[Var]) -> None:
        for v in stmt.outs:
            live.discard(v)
        for v in stmt.outs:
            self.define(v, {*live, *stmt.outs})
        after = set(live)
        for inner in (stmt.then, stmt.orelse):
            alive = {*after, *self.folded.leaves(inner.yields)}
            self.block(inner, alive)
            live |= alive
