"""Take the marks of named values out of a function: they have done their work when kernels are made.

Input and output: core IR. A mark's scalar result is its operand again.
"""

from __future__ import annotations

from ..ir.nodes import Function, Mark, Stmt
from ..passes.rewrite import Rewriter


def without_marks(fn: Function) -> Function:
    """The function without `Mark` statements."""
    return _Unmarking(fn).run()


class _Unmarking(Rewriter):
    def visit(self, stmt: Stmt) -> None:
        if not isinstance(stmt, Mark):
            super().visit(stmt)
        elif stmt.out is not None:
            self.equate(stmt.out, stmt.value)
