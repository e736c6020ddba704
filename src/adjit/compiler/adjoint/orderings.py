"""Which operand a maximum or a minimum takes, as a value of its own.

    m = maximum(x, y)    =>    w = ordering(x, y)
                               m = maximum_by(x, y, w)

The reverse of the second form reads w, a byte, instead of x and y, so that the plan can save it where they
are gone. Input: a function before planning (`decided`), the statements of a finished sweep (`plain`, which
undoes it). Invariants: numbers that carry no derivative keep the first form.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.nodes import Block, Function, Op, Stmt
from ..ir.types import BYTE, is_float
from ..ir.visitor import with_blocks
from ..passes.rewrite import Rewriter

BY = {op: f"{op}_by" for op in ("maximum", "minimum", "larger", "smaller")}
PLAIN = {by: op for op, by in BY.items()}


def decided(fn: Function) -> Function:
    return _Decided(fn).run()


class _Decided(Rewriter):
    def visit(self, stmt: Stmt) -> None:
        if not (isinstance(stmt, Op) and stmt.op in BY and is_float(stmt.out.type)):
            super().visit(stmt)
            return
        which = self.names.fresh("which", BYTE)
        self.out.append(Op(which, "ordering", stmt.args, loc=stmt.loc))
        self.out.append(Op(stmt.out, BY[stmt.op], (*stmt.args, which), loc=stmt.loc))


def plain(stmts: Iterable[Stmt]) -> list[Stmt]:
    return [_plain(s) for s in stmts]


def _plain(stmt: Stmt) -> Stmt:
    if isinstance(stmt, Op) and stmt.op in PLAIN:
        return Op(stmt.out, PLAIN[stmt.op], stmt.args[:2], loc=stmt.loc)
    return with_blocks(stmt, lambda block: Block(tuple(plain(block.stmts)), block.yields))
