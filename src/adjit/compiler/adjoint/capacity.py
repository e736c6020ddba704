"""How many slots a flat buffer needs, counted before the loops that fill it.

Input: the loops around a box and the size of the box in terms of their indices. Output: the total, computed
by a loop nest that only counts, or None where a trip count is known only afterwards (`while`, `break`,
bounds read from memory).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.builder import Builder, const
from ..ir.nodes import Block, Const, Dim, For, Op, Operand, Var
from ..ir.types import INT
from ..ops import TABLE
from .placement import Loop, Placement
from .storage import Lookup


class Capacity:
    def __init__(self, b: Builder, place: Placement) -> None:
        self.b, self.place = b, place
        self.values: dict[Var, Operand] = {}

    def count(
        self, outer: Sequence[Loop], size: Callable[[Lookup], Operand], reads: Sequence[Operand]
    ) -> Operand | None:
        """The sum of `size` over all passes of `outer`; `reads` are the operands that `size` looks up."""
        indices: set[Var] = set()
        for loop in outer:
            if not isinstance(loop, For) or loop.stop is not None:
                return None
            if not all(self._known(x, indices) for x in (loop.lo, loop.hi)):
                return None
            indices.add(loop.iv)
        if not all(self._known(x, indices) for x in reads):
            return None
        return self._sum([s for s in outer if isinstance(s, For)], size)

    def _known(self, x: Operand, indices: set[Var]) -> bool:
        if isinstance(x, Const) or x in indices or self._top(x):
            return True
        stmt = self.place.definition[x]
        if isinstance(stmt, Op):
            cheap = x.type == INT and not TABLE[stmt.op].expensive
            return cheap and all(self._known(a, indices) for a in stmt.args)
        return isinstance(stmt, Dim) and self.place.is_top(stmt.array)

    def _top(self, x: Var) -> bool:
        """The length of a parameter may have been looked up by the forward sweep, on top."""
        return x not in self.place.block_of or self.place.is_top(x)

    def at(self, x: Operand) -> Operand:
        if isinstance(x, Const) or self._top(x):
            return x
        if x not in self.values:
            stmt = self.place.definition[x]
            if isinstance(stmt, Dim):
                return self.b.dim(stmt.array, stmt.axis)
            assert isinstance(stmt, Op)
            if stmt.op == "cast":
                return self.b.cast(self.at(stmt.args[0]), x.type.dtype)
            return self.b.op(stmt.op, *(self.at(a) for a in stmt.args), hint=x.name)
        return self.values[x]

    def _sum(self, outer: list[For], size: Callable[[Lookup], Operand]) -> Operand:
        if not outer:
            return size(self.at)
        b, loop = self.b, outer[0]
        lo, hi = self.at(loop.lo), self.at(loop.hi)
        iv, total, out = b.fresh(loop.iv.name, INT), b.fresh("count", INT), b.fresh("count", INT)
        self.values[loop.iv] = iv
        with b.block() as inner:
            y = b.op("add", total, self._sum(outer[1:], size), hint="count")
        body = Block(tuple(inner), (y,))
        b.emit(For(iv, lo, hi, loop.step, (total,), (const(0),), body, (out,), loc=b.loc))
        return out
