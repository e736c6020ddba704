"""Unroll loops of very few passes.

    for i in range(2): y[i] = x[i]        =>      y[0] = x[0]; y[1] = x[1]

Input and output: core IR. With constant indices the elements of small arrays can become scalars
(`forward_stores`, `promote`). Only loops with constant bounds, no exit and little code are unrolled,
inner loops first.
"""

from __future__ import annotations

from ..ir.builder import const
from ..ir.nodes import Block, For, Function, Mark, Operand, Stmt, Var
from ..ir.visitor import int_const, walk
from .clone import clone, mapped
from .rewrite import Rewriter

PASSES = 4
STATEMENTS = 48


def unroll(fn: Function) -> Function:
    """Replace loops of at most four passes by their passes."""
    return _Unrolling(fn).run()


class _Unrolling(Rewriter):
    def visit(self, stmt: Stmt) -> None:
        new = self.inner(stmt)
        if not isinstance(new, For) or new.stop is not None:
            self.out.append(new)
            return
        lo, hi = int_const(new.lo), int_const(new.hi)
        passes = None if lo is None or hi is None else range(lo, hi, new.step)
        size = sum(1 for _ in walk(new.body))
        if any(isinstance(s, Mark) for s in walk(new.body)):  # each pass has a gradient of its own
            self.out.append(new)
            return
        if passes is None or len(passes) > PASSES or len(passes) * size > STATEMENTS:
            self.out.append(new)
            return
        carried: tuple[Operand, ...] = new.inits
        for i in passes:
            carried = self.one(new.body, {new.iv: const(i), **dict(zip(new.args, carried, strict=True))})
        for o, y in zip(new.outs, carried, strict=True):
            self.equate(o, y)
        if new.trips is not None:
            self.map[new.trips] = const(len(passes))

    def one(self, body: Block, mapping: dict[Var, Operand]) -> tuple[Operand, ...]:
        self.out.extend(clone(body.stmts, mapping, self.names))
        return tuple(mapped(y, mapping) for y in body.yields)
