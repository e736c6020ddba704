"""Local partials of scalar ops, traced into IR, and what they read.

Input: an `Op`. Output: operands for the partials in chosen arguments; the positions of the values that
these read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ...errors import NotDifferentiableError
from ..ir.builder import Builder, Names, const
from ..ir.nodes import Op, Operand, Var
from ..ir.types import Scalar
from ..ir.visitor import all_reads, defined
from ..ops import TABLE
from ..ops.symbolic import Sym

OUT = -1  # position of the op's own result among what partials read


def trace(b: Builder, op: str, inputs: Sequence[Operand], out: Operand) -> list[Operand | None]:
    """The partials in all arguments; constants stand for constant ones, None for none.

    Products inside partials that may be infinite or NaN have strong zeros of their own in the next order.
    """
    rule = TABLE[op].partials
    product = "pmul" if TABLE[op].singular else "mul"
    assert rule is not None
    found: list[Operand | None] = []
    for partial in rule(*(Sym(b, x, product) for x in inputs), Sym(b, out, product)):
        if isinstance(partial, Sym):
            found.append(partial.operand)
        elif partial is None:
            found.append(None)
        else:
            assert isinstance(partial, bool | int | float)
            found.append(const(partial, out.type.dtype))
    return found


@cache
def _reads(op: str, dtypes: tuple[str, ...], out_dtype: str, wanted: tuple[int, ...]) -> frozenset[int]:
    b = Builder(Names())
    inputs = [b.fresh(f"x{k}", Scalar(d)) for k, d in enumerate(dtypes)]
    out = b.fresh("out", Scalar(out_dtype))
    traced = trace(b, op, inputs, out)
    needed: set[Operand] = {p for k in wanted if isinstance(p := traced[k], Var)}
    for stmt in reversed(b.stmts):
        if any(v in needed for v in defined(stmt)):
            needed.update(x for x in all_reads(stmt) if isinstance(x, Var))
    positions = {k for k, x in enumerate(inputs) if x in needed}
    return frozenset(positions | ({OUT} if out in needed else set()))


def reads(stmt: Op, wanted: Sequence[int]) -> list[Operand]:
    """The operands and the result that the partials in the arguments `wanted` read."""
    if stmt.op == "select":
        return [stmt.args[0]]
    if stmt.op == "cast":
        return []
    dtypes = tuple(a.type.dtype for a in stmt.args)
    try:
        positions = _reads(stmt.op, dtypes, stmt.out.type.dtype, tuple(wanted))
    except NotDifferentiableError as error:
        error.location = stmt.loc
        raise
    return [stmt.out if k == OUT else stmt.args[k] for k in sorted(positions)]
