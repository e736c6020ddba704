"""How often the blocks of a function run, as far as that can be told before it runs.

Input: a placement. Output: estimates that compare what a plan saves with what it computes again: constant
trip counts are as they are, others `ASSUMED_TRIPS`, half of that where they vary. Non-goals: sizes in bytes
for given arguments (`analyses.sizes`).
"""

from __future__ import annotations

from ..ir.nodes import Block, For, Operand, Var, While
from ..ir.types import Array, itemsize
from ..ir.visitor import int_const
from .hull import Hull
from .placement import Placement

ASSUMED_TRIPS = 64.0


class Estimates:
    def __init__(self, place: Placement) -> None:
        self.place = place

    def executions(self, block: Block) -> float:
        """Of a block, in one run of the top around it."""
        count = 1.0
        loops = self.place.loops(block)
        for k, loop in enumerate(loops):
            count *= self.trips(loop, loops[:k])
        return count

    def trips(self, loop: For | While, outer: list[For | While]) -> float:
        if isinstance(loop, While):
            return ASSUMED_TRIPS
        lo, hi = int_const(loop.lo), int_const(loop.hi)
        if lo is not None and hi is not None:
            return max(1.0, len(range(lo, hi, loop.step)))
        if abs(loop.step) > 1:  # with the strips inside, as many as without them
            return max(2.0, ASSUMED_TRIPS / abs(loop.step))
        varying = any(
            isinstance(x, Var) and any(self.place.inside(self.place.block_of[x], o) for o in outer)
            for x in (loop.lo, loop.hi)
        )
        return ASSUMED_TRIPS / 2 if varying else ASSUMED_TRIPS

    def saved(self, v: Var) -> float:
        """Bytes for a number of each execution of its block."""
        return itemsize(v.type.dtype) * self.executions(self.place.block_of[v])

    def array(self, array: Var, shape: tuple[Operand, ...]) -> float:
        """Bytes of an array."""
        assert isinstance(array.type, Array)
        size = float(itemsize(array.type.dtype))
        for n in shape:
            size *= int_const(n) or ASSUMED_TRIPS
        return size

    def copies(self, array: Var, part: Hull, block: Block) -> float:
        """Bytes of copies of a part of an array, one for each execution of a block."""
        outer = self.place.loops(block)
        size = itemsize(array.type.dtype) * self.executions(block)
        for interval in part:
            size *= ASSUMED_TRIPS if interval is None else self.trips(interval.loop, outer)
        return size
