"""Ops that stand for a formula become the formula.

    over_squares(x, y)      =>      m = maximum(abs(x), abs(y)); p = x / m; q = y / m
                                    p * (1.0 / (m * (p * p + q * q)))

Input and output: core IR. `scaled` writes the form that neither overflows nor loses what is small, `unscaled`
the short one, `x * (1.0 / (x * x + y * y))`, for programs whose rounding is free anyway. What
`over_squares(x, y)` and `over_squares(y, x)` have in common is left to `cse`. They run when nothing more is
differentiated.
"""

from __future__ import annotations

from ..ir.builder import const
from ..ir.nodes import Function, Op, Operand, Stmt
from .rewrite import Rewriter


def scaled(fn: Function) -> Function:
    """The function without `over_squares`, robust over the whole range of floats."""
    return _Spelling(fn, True).run()


def unscaled(fn: Function) -> Function:
    """The same in the short form, for numbers whose squares are neither infinite nor zero."""
    return _Spelling(fn, False).run()


class _Spelling(Rewriter):
    def __init__(self, fn: Function, careful: bool) -> None:
        super().__init__(fn)
        self.careful = careful

    def visit(self, stmt: Stmt) -> None:
        if not (isinstance(stmt, Op) and stmt.op == "over_squares"):
            super().visit(stmt)
            return
        x = stmt.args[0]

        def op(name: str, *args: Operand) -> Operand:
            return self.op(name, *args, hint="t", loc=stmt.loc)

        first, second = sorted(stmt.args, key=repr)  # the same for both orders
        scale: Operand = const(1.0, stmt.out.type.dtype)
        if self.careful:
            scale = op("maximum", op("abs", first), op("abs", second))
            first, second = op("div", first, scale), op("div", second, scale)
        squares = op("add", op("mul", first, first), op("mul", second, second))
        inverse = op("div", const(1.0, stmt.out.type.dtype), op("mul", scale, squares))
        over = op("div", x, scale)
        self.equate(stmt.out, op("mul", over, inverse))
