"""A nest over the part of a box that lies outside an inner one.

    box [0, n) x [0, m) around [1, n - 1) x [1, m - 1):

    for i in range(n):
        edge = i < 1 or i >= n - 1              whole rows there, two ends of the others
        for side in range(2):
            for j in range(0, m if edge else 1) if side == 0 else range(m if edge else m - 1, m): ...

Input: bounds of both boxes, and what the nest does, given its loop variables. Output: statements of the pass
that asks. The inner box may be empty or reach out of the outer one. Non-goal: the order of the elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.builder import Names, const
from ..ir.nodes import Block, For, Location, Op, Operand, Stmt, Var
from ..ir.types import BOOL, INT
from .rewrite import Rewriter

Box = list[tuple[Operand, Operand]]  # first and last bound per loop
Body = Callable[[tuple[Var, ...]], list[Stmt]]  # what a nest does, given its loop variables


def over(names: Names, loops: Sequence[For], box: Box, body: Body) -> For:
    """A nest with the names and places of `loops`, over a box."""
    ivs = tuple(names.fresh(loop.iv.name, INT) for loop in loops)
    stmts = body(ivs)
    for loop, iv, (lo, hi) in reversed(list(zip(loops, ivs, box, strict=True))):
        stmts = [For(iv, lo, hi, 1, (), (), Block(tuple(stmts)), (), loc=loop.loc)]
    (made,) = stmts
    assert isinstance(made, For)
    return made


class Rim:
    def __init__(self, owner: Rewriter, names: Sequence[str], loc: Location) -> None:
        self.owner, self.names, self.loc = owner, names, loc

    def nest(self, box: Box, inner: Box, body: Body) -> None:
        """Emit it."""
        edges: Box = []
        for (lo, hi), (first, last) in zip(box, inner, strict=True):
            start = self.op("minimum", self.op("maximum", first, lo), hi)
            edges.append((start, self.op("maximum", last, start)))  # beyond `hi`: no pass
        self._level(box, edges, body, None, ())

    def _level(self, box: Box, edges: Box, body: Body, edge: Operand | None, ivs: tuple[Var, ...]) -> None:
        """The loop below the loops of `ivs`: all of a row at the edge of the box, the two ends of others."""
        k = len(ivs)
        iv = self.owner.names.fresh(self.names[k], INT)
        (lo, hi), (first, last) = box[k], edges[k]
        kept, self.owner.out = self.owner.out, []
        if k < len(box) - 1:
            here = self.compare("or", self.compare("lt", iv, first), self.compare("ge", iv, last))
            edge = here if edge is None else self.compare("or", edge, here)
            self._level(box, edges, body, edge, (*ivs, iv))
            inner, self.owner.out = self.owner.out, kept
            self._close(iv, lo, hi, inner)
            return
        side = self.owner.names.fresh("side", INT)
        left = self.compare("eq", side, const(0))
        if edge is not None:
            first, last = self.op("select", edge, hi, first), self.op("select", edge, hi, last)
        start, stop = self.op("select", left, lo, last), self.op("select", left, first, hi)
        self._close(iv, start, stop, body((*ivs, iv)))
        inner, self.owner.out = self.owner.out, kept
        self._close(side, const(0), const(2), inner)

    def _close(self, iv: Var, lo: Operand, hi: Operand, body: list[Stmt]) -> None:
        self.owner.out.append(For(iv, lo, hi, 1, (), (), Block(tuple(body)), (), loc=self.loc))

    def op(self, name: str, *args: Operand) -> Operand:
        return self.owner.op(name, *args, hint="t", loc=self.loc)

    def plus(self, x: Operand, c: int) -> Operand:
        return self.owner.plus(x, c, hint="t", loc=self.loc)

    def compare(self, name: str, a: Operand, b: Operand) -> Operand:
        out = self.owner.names.fresh("inside", BOOL)
        self.owner.out.append(Op(out, name, (a, b), loc=self.loc))
        return out
