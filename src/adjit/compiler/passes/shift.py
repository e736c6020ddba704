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
from ..ir.builder import const
from ..ir.nodes import Block, For, Function, Operand, Stmt, Store
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
        lo, hi = self.moved(stmt.lo, by, stmt), self.moved(stmt.hi, by, stmt)
        kept, self.out = self.out, []
        self.equate(stmt.iv, self.moved(iv, -by, stmt))
        first = self.out
        self.out = kept
        made = self.inner(stmt)
        assert isinstance(made, For)
        body = Block((*first, *made.body.stmts), made.body.yields)
        self.out.append(replace(made, iv=iv, lo=lo, hi=hi, body=body))

    def moved(self, x: Operand, by: int, loop: For) -> Operand:
        if by < 0:
            return self.op("sub", x, const(-by), hint="t", loc=loop.loc)
        return self.op("add", x, const(by), hint="t", loc=loop.loc)

    def distance(self, loop: For) -> int:
        """How far all stores that follow the loop are ahead of it; 0 if they differ."""
        self.forms.of(loop.iv)
        symbol = self.forms.iteration[loop]
        found = set()
        for s in walk(loop.body):
            for x in s.index if isinstance(s, Store) else ():
                form = self.forms.of(x)
                if symbol in form.terms:
                    found.add(form.const if form.terms == {symbol: 1} else 0)
        return found.pop() if len(found) == 1 else 0
