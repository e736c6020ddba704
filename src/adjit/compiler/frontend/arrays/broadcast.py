"""Broadcasting: the common shape of several arrays, and each of them seen with it.

An axis repeats where its length is the constant 1: lengths of arguments that are 1 at the call are compiled in as constants
(`ArraySpec.ones`). Two other lengths must be equal: known to be, or by a check. So an axis whose length happens to be 1
only at run time is refused, never misread, and every index stays affine.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....errors import ShapeError
from ...ir.nodes import Const, Operand
from . import linear, view
from .context import Context

Shape = tuple[Operand, ...]

MISMATCH = "operands could not be broadcast together: lengths of axis {axis} differ"
ASSIGNMENT = "could not broadcast input array into the array assigned to: lengths of axis {axis} differ"


def shape_text(shape: Sequence[Operand]) -> str:
    """A shape as NumPy prints it; a length known only at run time by its name."""
    words = [str(n.value) if isinstance(n, Const) else n.name for n in shape]
    return f"({','.join(words)}{',' if len(words) == 1 else ''})"


def require_equal(ctx: Context, x: Operand, y: Operand, message: str) -> None:
    """Two lengths must agree: now, or by a check when the program runs."""
    b = ctx.b
    known = linear.difference(b, x, y)
    if known == 0:
        return
    if known is not None and isinstance(x, Const) and isinstance(y, Const):
        ctx.error(ShapeError, message)
    b.check(b.op("eq", x, y), "ShapeError", message)
    linear.assume_equal(b, x, y)


def common_shape(ctx: Context, shapes: Sequence[Shape]) -> Shape:
    """The shape that all of `shapes` broadcast to, with checks."""
    rank = max((len(s) for s in shapes), default=0)
    out: list[Operand] = []
    for axis in range(rank):
        lengths = [s[axis - rank + len(s)] for s in shapes if axis - rank + len(s) >= 0]
        longer = [n for n in lengths if not view.is_one(n)]
        if not longer:
            out.append(view.ONE)
            continue
        chosen = next((n for n in longer if isinstance(n, Const)), longer[0])
        for n in longer:
            if n is not chosen:
                if isinstance(n, Const) and isinstance(chosen, Const) and n.value != chosen.value:
                    texts = " ".join(shape_text(s) for s in shapes)
                    ctx.error(ShapeError, f"operands could not be broadcast together with shapes {texts}")
                require_equal(ctx, chosen, n, MISMATCH.format(axis=axis))
        out.append(chosen)
    return tuple(out)


def fit(ctx: Context, shape: Shape, target: Shape) -> int:
    """Check that an array of shape `shape` can be assigned to one of shape `target`.

    The result is the number of leading axes of length one that the source has too many.
    """
    extra = max(len(shape) - len(target), 0)
    if not all(view.is_one(n) for n in shape[:extra]):
        ctx.error(
            ShapeError,
            f"could not broadcast input array from shape {shape_text(shape)} into shape {shape_text(target)}",
        )
    kept = shape[extra:]
    lead = len(target) - len(kept)
    for axis, n in enumerate(kept, start=lead):
        if not view.is_one(n):
            require_equal(ctx, target[axis], n, ASSIGNMENT.format(axis=axis))
    return extra
