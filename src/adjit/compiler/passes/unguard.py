"""Strong products that need no guard become ordinary ones.

    umul(ct, p)     =>      ct * p

Input and output: core IR. The reverse sweep chose them: where the guard would matter, the result of the
differentiated program is infinite or NaN (`analyses.telling`). It runs when nothing more is differentiated,
since another derivative may select a finite result beside this one. Non-goal: `smul`, whose guard stays.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.nodes import Function, Op, Stmt
from .rewrite import Rewriter


def unguard(fn: Function) -> Function:
    """The function with ordinary products where no guard is needed."""
    return _Unguarding(fn).run()


class _Unguarding(Rewriter):
    def visit(self, stmt: Stmt) -> None:
        plain = isinstance(stmt, Op) and stmt.op == "umul"
        super().visit(replace(stmt, op="mul") if plain else stmt)  # type: ignore[call-arg]
