"""What a loop adds from the other end of its range is added in order.

    for i in range(n):                                for i in range(n):
        t = ct_z[i]                                       t = ct_z[i]
        ct_y[i] += t                          =>          ct_y[i] += t
        ct_y[n - 1 - i] += a * t                          ct_y[i] += a * ct_z[n - 1 - i]

Input and output: core IR. To read backwards is cheaper than to add backwards, and an array that is added to
in both orders keeps a loop from being vectorised; so a pass computes what its mirrored one adds, where that
is cheap arithmetic with arrays that the loop does not write. Non-goals: several axes at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..analyses.dependence import Dependence
from ..ir.nodes import Accumulate, Dim, For, Function, Load, Op, Operand, Stmt, Var
from ..ir.types import is_float
from ..ir.visitor import makers, operands, walk
from ..ops.core import dear
from .clone import clone, mapped
from .rewrite import Rewriter


def mirror(fn: Function) -> Function:
    """Add in order what is added in both orders."""
    return _Mirroring(fn).run()


@dataclass(frozen=True, eq=False)
class _Turned:
    """An addition of a loop that walks backwards along `axis`, and what its value is made of."""

    loop: For
    axis: int
    made: list[Stmt]


class _Mirroring(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence.about(fn)
        self.turned: dict[Stmt, _Turned] = {}
        for s in self.facts.definitions.stmts:
            if isinstance(s, For) and s.step == 1 and s.stop is None:
                self.find(s)

    def find(self, loop: For) -> None:
        sums = [s for s in loop.body.stmts if isinstance(s, Accumulate)]
        for s in sums:
            axis = self.mirrored(loop, s)
            if axis is None or not self.alone(loop, s):
                continue
            made = self.needed(loop, s)
            loads = sum(isinstance(x, Load) for x in made or ())
            if made is not None and (loads <= 1 or sum(x.array is s.array for x in sums) > 1):
                self.turned[s] = _Turned(loop, axis, made)

    def mirrored(self, loop: For, s: Accumulate) -> int | None:
        """The axis along which an addition walks from the end of the loop's range to its start."""
        forms = self.facts.forms
        depth = len(self.facts.definitions.place[loop].loops)
        ends = (forms.of(loop.lo) + forms.of(loop.hi)).shifted(-1) - forms.of(loop.iv)
        index = [forms.of(x) for x in s.index]
        moving = [k for k, x in enumerate(index) if any(symbol.depth > depth for symbol in x.terms)]
        return moving[0] if len(moving) == 1 and index[moving[0]].same(ends) else None

    def alone(self, loop: For, s: Accumulate) -> bool:
        """Whether the loop does nothing but add to the array, so that the order does not matter."""
        shared = len(self.facts.definitions.place[loop].loops)
        return is_float(s.value.type) and all(
            isinstance(other, Accumulate) and other.array is s.array
            for other in walk(loop.body)
            for a in self.facts.accesses(other)
            if self.facts.may_alias(a.array, s.array, shared)
        )

    def needed(self, loop: For, s: Accumulate) -> list[Stmt] | None:
        """What the pass computes the value from; None if another pass cannot, or not cheaply."""
        found = makers(loop.body.stmts, (s.value,))
        reads = {s.value, *(x for one in found for x in operands(one))}
        again = all(self.repeatable(loop, x) for x in found)
        return found if again and reads.isdisjoint(loop.args) else None

    def repeatable(self, loop: For, x: Stmt) -> bool:
        match x:
            case Op():
                return not dear(x.op, x.out.type)
            case Load():
                return not self.facts.written_within(loop, x.array)
            case _:
                return isinstance(x, Dim)

    # -- the walk
    def visit(self, stmt: Stmt) -> None:
        found = self.turned.get(self.original) if self.original is not None else None
        if found is None:
            super().visit(stmt)
            return
        assert isinstance(stmt, Accumulate) and isinstance(self.original, Accumulate)
        iv = found.loop.iv
        ends = self.op("add", self.get(found.loop.lo), self.get(found.loop.hi), hint="ends", loc=stmt.loc)
        last = self.plus(ends, -1, hint="last", loc=stmt.loc)
        other = self.op("sub", last, self.get(iv), hint=iv.name, loc=stmt.loc)
        mapping: dict[Var, Operand] = {**self.map, iv: other}
        self.out += clone(found.made, mapping, self.names)
        index = tuple(self.get(iv) if k == found.axis else x for k, x in enumerate(stmt.index))
        value = mapped(self.original.value, mapping)
        self.out.append(Accumulate(stmt.array, index, value, loc=stmt.loc))
