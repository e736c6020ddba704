"""Nests of loops that walk over all elements of a box of an array.

Input: a function. Output: `Boxes`, which says what box the accesses of a nest walk over and what else in a
nest or a block touches an array. A nest is a statement of some block with all that stands in it; its box
has per axis of the array the loop that walks along it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.nodes import Accumulate, Block, For, Function, Load, Stmt, Store, Var
from ..ir.visitor import walk
from .dependence import Dependence
from .memory import Table

Element = Load | Store | Accumulate
Box = list[For]


class Boxes(Table):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence.about(fn)
        self.forms = self.facts.forms
        self.place = self.facts.definitions.place

    def box(self, s: Element, nest: Stmt) -> Box | None:
        """What a nest walks over with one of its accesses, under no condition and once for each element."""
        chain, outside = self.place[s].chain, len(self.place[nest].chain)
        loops = [c for c, _ in chain[outside:] if isinstance(c, For) and c.stop is None and c.step == 1]
        if len(loops) < len(chain) - outside or len(loops) != len(s.index):
            return None
        depth = len(self.place[nest].loops)
        bounds = (x for one in loops for x in (one.lo, one.hi) if isinstance(x, Var))
        if any(self.forms.depth(x) > depth for x in bounds):
            return None
        found = [next((one for one in loops if one.iv is x), None) for x in s.index]
        box = [one for one in found if one is not None]
        return box if len(box) == len(found) == len(set(box)) else None

    def equal(self, a: Box | None, b: Box | None) -> bool:
        """Whether two boxes have the same elements."""
        of = self.forms.of
        return (
            a is not None
            and b is not None
            and len(a) == len(b)
            and all(of(x.lo).same(of(y.lo)) and of(x.hi).same(of(y.hi)) for x, y in zip(a, b, strict=True))
        )

    def within(self, stmt: Stmt, box: Box) -> bool:
        """Whether a statement touches one element, and one of a box whose bounds are known to it."""
        if not isinstance(stmt, Element) or len(stmt.index) != len(box):
            return False
        proves, of = self.facts.ranges.proves, self.forms.of
        return all(
            proves(stmt, of(x) - of(side.lo)) and proves(stmt, (of(side.hi) - of(x)).shifted(-1))
            for x, side in zip(stmt.index, box, strict=True)
        )

    def same(self, a: Element, b: Stmt) -> bool:
        """Whether two accesses of a nest stand side by side and touch the same element."""
        return (
            isinstance(b, Element)
            and a.array is b.array
            and self.place[a].chain == self.place[b].chain
            and all(self.forms.of(x).same(self.forms.of(y)) for x, y in zip(a.index, b.index, strict=True))
        )

    def touching(self, stmts: Iterable[Stmt], array: Var, depth: int) -> list[Stmt]:
        """What may touch an array, in some statements and inside them, in order; `depth` loops are around
        them.
        """
        return [
            s
            for s in walk(Block(tuple(stmts)))
            if any(self.facts.may_alias(a.array, array, depth) for a in self.facts.accesses(s))
        ]
