"""An array of which each pass of a loop uses its own part becomes an array of each pass, of less rank.

    c = empty((n, m))                           for i in range(n):
    for i in range(n):                              c = empty(m)
        for j in range(m): c[i, j] = x[i, j]    =>      for j in range(m): c[j] = x[i, j]
        for j in range(m): y[i] += c[i, j]              for j in range(m): y[i] += c[j]

Input and output: core IR. All accesses lie in the loop and have one and the same index, the loop's number
and a constant apart, along an axis. What then leaves the loop again is a row instead of a matrix (`hoist`),
which stays in the cache. Non-goals: results, views, arrays with other names, rank 1 (`forward_stores`).
"""

from __future__ import annotations

from dataclasses import replace

from ..analyses.dependence import Dependence
from ..ir.nodes import Accumulate, Alloc, Dim, For, Function, Load, Stmt, Store, Var
from ..ir.types import Array, grows
from ..ir.visitor import operands, walk
from .rewrite import Rewriter

Choice = tuple[Alloc, For, int]  # the array, the loop, the axis that goes


def contract(fn: Function) -> Function:
    """Give each pass what it uses alone."""
    several = (
        s for s in walk(fn.body) if isinstance(s, Alloc) and len(s.shape) > 1 and not grows(s.out.type)
    )
    allocs = list(several)
    if not allocs:
        return fn
    facts = Dependence(fn)
    chosen = [c for c in (_choice(facts, a) for a in allocs) if c is not None]
    return _Contracting(fn, chosen).run() if chosen else fn


def _choice(facts: Dependence, alloc: Alloc) -> Choice | None:
    array, place = alloc.out, facts.definitions.place
    if not facts.has_one_name(array) or array in facts.fn.results:
        return None
    uses = [s for s in facts.definitions.stmts if array in operands(s) and not isinstance(s, Dim)]
    if not uses or not all(isinstance(s, Load | Store | Accumulate) for s in uses):
        return None
    outside = len(place[alloc].loops)
    common = place[uses[0]].loops
    for s in uses:
        common = common[: len(facts.definitions.common(uses[0], s))]
    loop = common[outside] if len(common) > outside else None
    if not isinstance(loop, For):  # the outermost one: a loop inside would forget what its own passes left
        return None
    axis = next((k for k in range(len(alloc.shape)) if _along(facts, loop, uses, k)), None)
    return None if axis is None else (alloc, loop, axis)


def _along(facts: Dependence, loop: For, uses: list[Stmt], axis: int) -> bool:
    """Whether the index of all uses along an axis is the loop's number, a constant apart."""
    found = {
        facts.forms.offset(s.index[axis], loop) for s in uses if isinstance(s, Load | Store | Accumulate)
    }
    return len(found) == 1 and None not in found


class _Contracting(Rewriter):
    def __init__(self, fn: Function, chosen: list[Choice]) -> None:
        super().__init__(fn)
        self.axis = {alloc.out: axis for alloc, _, axis in chosen}
        self.moved = {alloc for alloc, _, _ in chosen}
        self.chosen = chosen
        self.array = {alloc.out: self.lower(alloc.out) for alloc, _, _ in chosen}
        self.shape = {alloc.out: alloc.shape for alloc, _, _ in chosen}

    def lower(self, array: Var) -> Var:
        assert isinstance(array.type, Array)
        return self.names.fresh(array.name, Array(array.type.dtype, array.type.ndim - 1))

    def visit(self, stmt: Stmt) -> None:
        original = self.original
        if original in self.moved:
            return
        match stmt:
            case Dim(out=out, array=array, axis=axis) if array in self.axis:
                self.equate(out, self.get(self.shape[array][axis]))
            case Load() | Store() | Accumulate() if stmt.array in self.axis:
                k = self.axis[stmt.array]
                index = stmt.index[:k] + stmt.index[k + 1 :]
                self.out.append(replace(stmt, array=self.array[stmt.array], index=index))
            case For() if mine := [c for c in self.chosen if c[1] is original]:
                made = self.inner(stmt)
                assert isinstance(made, For)
                starts = [self.start(alloc, axis) for alloc, _, axis in mine]
                self.out.append(replace(made, body=replace(made.body, stmts=(*starts, *made.body.stmts))))
            case _:
                super().visit(stmt)

    def start(self, alloc: Alloc, axis: int) -> Alloc:
        shape = tuple(self.get(n) for k, n in enumerate(alloc.shape) if k != axis)
        return Alloc(self.array[alloc.out], shape, alloc.zeroed, loc=alloc.loc)
