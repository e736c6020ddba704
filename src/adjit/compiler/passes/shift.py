"""Loops run over the elements that they store.

    for i in range(n - 2): b[i + 1] = x[i]      =>      for i in range(1, n - 1): b[i] = x[i - 1]

Input and output: core IR. All stores that follow a loop do so at the same distance. Slices come out as the
loops that one would write, and passes that compare the boxes of nests find them equal. Non-goals: steps
other than 1, accumulations, which have several distances where they matter.
"""

from __future__ import annotations

from dataclasses import replace

from ..analyses.affine import Forms
from ..analyses.definitions import Definitions
from ..ir.nodes import Block, For, Function, Stmt, Store
from ..ir.types import INT
from ..ir.visitor import walk
from .rewrite import Rewriter


def shift(fn: Function) -> Function:
    """Count loops by the elements that they store."""
    return _Shifting(fn).run()


class _Shifting(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.forms = Forms(fn, Definitions(fn))

    def visit(self, stmt: Stmt) -> None:
        loop = self.original
        by = self.distance(loop) if isinstance(loop, For) and loop.step == 1 else 0
        if not by:
            super().visit(stmt)
            return
        assert isinstance(stmt, For)
        iv = self.names.fresh(stmt.iv.name, INT)
        lo, hi = (self.plus(x, by, hint="t", loc=stmt.loc) for x in (stmt.lo, stmt.hi))
        kept, self.out = self.out, []
        self.equate(stmt.iv, self.plus(iv, -by, hint="t", loc=stmt.loc))
        first = self.out
        self.out = kept
        made = self.inner(stmt)
        assert isinstance(made, For)
        body = Block((*first, *made.body.stmts), made.body.yields)
        self.out.append(replace(made, iv=iv, lo=lo, hi=hi, body=body))

    def distance(self, loop: For) -> int:
        """How far all stores that follow the loop are ahead of it; 0 if they differ."""
        stored = (x for s in walk(loop.body) if isinstance(s, Store) for x in s.index)
        counter = self.forms.counter(loop)
        found = {self.forms.offset(x, loop) for x in stored if counter in self.forms.of(x).terms}
        return found.pop() or 0 if len(found) == 1 else 0
