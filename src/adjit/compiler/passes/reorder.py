"""Descending loops whose passes may run in any order become ascending, which vectorises and walks memory
forwards.

    for i in range(n - 1, -1, -1): a[i] += b[i]       =>      for i in range(0, n): a[i] += b[i]

Input and output: core IR; the loop variable takes the same values. Sums carried by the loop are reassociated.
"""

from __future__ import annotations

from dataclasses import replace

from ..analyses.dependence import Dependence
from ..ir.builder import const
from ..ir.nodes import For, Function, Location, Operand, Stmt
from .rewrite import Rewriter


def reorder(fn: Function) -> Function:
    """Let loops ascend where the order of their passes does not matter."""
    return _Reordering(fn).run()


class _Reordering(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence(fn)

    def visit(self, stmt: Stmt) -> None:
        loop = self.original
        if isinstance(stmt, For) and isinstance(loop, For) and stmt.step < 0 and self.facts.order_free(loop):
            lo, hi = self.ascending(stmt.lo, stmt.hi, -stmt.step, stmt.loc)
            stmt = replace(stmt, lo=lo, hi=hi, step=-stmt.step)
        super().visit(stmt)

    def ascending(self, lo: Operand, hi: Operand, step: int, loc: Location) -> tuple[Operand, Operand]:
        """Bounds of the ascending range with the values of `range(lo, hi, -step)`."""
        above = self.op("add", lo, const(1), hint="t", loc=loc)
        if step == 1:
            return self.op("add", hi, const(1), hint="t", loc=loc), above
        passes = self.op("trips", lo, hi, const(-step), hint="t", loc=loc)
        fewer = self.op("sub", passes, const(1), hint="t", loc=loc)
        span = self.op("mul", fewer, const(step), hint="t", loc=loc)
        return self.op("sub", lo, span, hint="t", loc=loc), above
