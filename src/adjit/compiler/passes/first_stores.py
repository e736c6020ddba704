"""The first addition to each element of a zeroed array becomes a store, and the array is not zeroed.

    ct_x = zeros(n)                              ct_x = empty(n)
    for i in range(n): ct_x[i] += 2.0 * x[i]  =>  for i in range(n): ct_x[i] = 2.0 * x[i]
    for i in range(n): ct_x[i] += y[i]           for i in range(n): ct_x[i] += y[i]

Input and output: core IR. The loops around the addition, as far as they lie within the array's life, walk
along its axes from end to end, in any order, under no condition; and nothing touches an element before
the addition does. An array of rank 1 may be longer: its rest is set to zero where it is made. A product of
matrices that is added to a whole array of zeros overwrites it. Non-goals: arrays that several loops fill
together.
"""

from __future__ import annotations

from dataclasses import replace

from ..analyses.dependence import Access, Dependence
from ..ir.builder import const
from ..ir.nodes import Accumulate, Alloc, Block, Call, For, Function, Operand, Stmt, Store, Var, View
from ..ir.types import INT, grows
from ..ir.visitor import int_const
from ..library.blocks import accumulates
from .rewrite import Rewriter


def first_stores(fn: Function) -> Function:
    """Store what is added to nothing."""
    return _Storing(fn).run()


class _Storing(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence.about(fn)
        touching: dict[Var, list[Access]] = {}
        for s in self.facts.definitions.stmts:
            for access in self.facts.accesses(s):
                for r in self.facts.roots[access.array]:
                    touching.setdefault(r, []).append(access)
        self.filled: set[Stmt] = set()
        self.ends: dict[Alloc, Operand] = {}  # where the addition ends, if that may be before the array does
        for s in self.facts.definitions.stmts:
            if isinstance(s, Alloc) and s.zeroed and not grows(s.out.type) and s.shape:
                first = self.first(s, touching.get(s.out, []))
                if first is not None:
                    self.filled.update((s, first))

    def first(self, alloc: Alloc, accesses: list[Access]) -> Accumulate | Call | None:
        """The addition that fills the array, if there is one."""
        if not accesses:
            return None
        stmt = min((a.stmt for a in accesses), key=lambda s: self.facts.definitions.place[s].order)
        if isinstance(stmt, Call):
            return stmt if self.fills(alloc, stmt) else None
        if not isinstance(stmt, Accumulate) or stmt.array is not alloc.out:
            return None
        if not (self.covers(alloc, stmt) or self.begins(alloc, stmt)):
            return None
        mine = self.facts.accesses(stmt)[0]
        return stmt if not any(self.precedes(a, mine) for a in accesses) else None

    def fills(self, alloc: Alloc, call: Call) -> bool:
        """Whether a product of matrices is added to all of the array, each time that it is made."""
        place = self.facts.definitions.place
        out, *factors = call.args
        if call.name != "gemm" or not accumulates(call.attrs) or place[call].chain != place[alloc].chain:
            return False
        if any(alloc.out in self.facts.roots[x] for x in factors if isinstance(x, Var)):
            return False
        view = self.facts.definitions.maker[out] if isinstance(out, Var) else None
        return out is alloc.out or (isinstance(view, View) and self.is_all(view, alloc))

    def is_all(self, view: View, alloc: Alloc) -> bool:
        """Whether a view has all of the array, its axes in any order."""
        if view.array is not alloc.out or view.fixed or any(a.axis is None for a in view.axes):
            return False
        same = self.facts.forms.of
        return all(
            int_const(a.start) == 0
            and int_const(a.step) == 1
            and a.axis is not None
            and same(a.length).same(same(alloc.shape[a.axis]))
            for a in view.axes
        )

    def covers(self, alloc: Alloc, stmt: Accumulate) -> bool:
        """Whether the addition reaches each element once for each time that the array is made."""
        own = self.facts.definitions.place[stmt].chain
        outer = self.facts.definitions.place[alloc].chain
        if own[: len(outer)] != outer:
            return False
        loops: list[For] = []
        for control, _ in own[len(outer) :]:
            if not isinstance(control, For) or control.stop is not None or abs(control.step) != 1:
                return False
            loops.append(control)
        for axis, x in enumerate(stmt.index):
            along = next((loop for loop in loops if self.spans(loop, x, alloc.out, axis)), None)
            if along is None:
                return False
            loops.remove(along)
        return not loops

    def begins(self, alloc: Alloc, stmt: Accumulate) -> bool:
        """Whether the addition reaches, once, the elements of an array of rank 1 up to an end that is known
        where the array is made.
        """
        place = self.facts.definitions.place
        own, outer = place[stmt].chain, place[alloc].chain
        if len(alloc.shape) != 1 or len(own) != len(outer) + 1 or own[: len(outer)] != outer:
            return False
        loop, _ = own[-1]
        if not isinstance(loop, For) or loop.stop is not None or loop.step != 1 or stmt.index != (loop.iv,):
            return False
        if not isinstance(loop.hi, Var):
            return False
        end = self.facts.definitions.maker.get(loop.hi)
        if end is None and loop.hi not in self.fn.params:
            return False
        if end is not None and place[end].order > place[alloc].order:
            return False
        self.ends[alloc] = loop.hi
        return self.facts.forms.of(loop.lo).constant == 0

    def spans(self, loop: For, x: Operand, array: Var, axis: int) -> bool:
        """Whether an index walks along an axis from end to end with a loop."""
        offset = self.facts.forms.offset(x, loop)
        if offset is None:
            return False
        lo, hi = self.facts.forms.of(loop.lo), self.facts.forms.of(loop.hi)
        if loop.step < 0:
            lo, hi = hi.shifted(1), lo.shifted(1)
        end = self.facts.forms.dim(array, axis)
        return lo.shifted(offset).constant == 0 and hi.shifted(offset).same(end)

    def precedes(self, other: Access, mine: Access) -> bool:
        """Whether another access may touch an element before the addition does."""
        common = self.facts.definitions.common(other.stmt, mine.stmt)
        return any(self.facts.clash(other, mine, depth, loop) for depth, loop in enumerate(common))

    # -- the walk
    def visit(self, stmt: Stmt) -> None:
        if self.original not in self.filled:
            super().visit(stmt)
        elif isinstance(stmt, Alloc):
            self.out.append(replace(stmt, zeroed=False))
            if self.original in self.ends:
                self.rest(stmt, self.get(self.ends[self.original]))
        elif isinstance(stmt, Accumulate):
            self.out.append(Store(stmt.array, stmt.index, stmt.value, loc=stmt.loc))
        elif isinstance(stmt, Call):
            self.out.append(replace(stmt, attrs=()))

    def rest(self, alloc: Alloc, end: Operand) -> None:
        """Emit a loop that sets to zero what lies behind the addition's end."""
        i = self.names.fresh("i", INT)
        start = self.op("maximum", end, const(0), hint="end", loc=alloc.loc)
        zero = Store(alloc.out, (i,), const(0, alloc.out.type.dtype), loc=alloc.loc)
        self.out.append(For(i, start, alloc.shape[0], 1, (), (), Block((zero,)), (), loc=alloc.loc))
