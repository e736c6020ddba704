"""Methods of ufuncs, and ufuncs with two results.

`np.subtract.outer(a, b)` is the ufunc on every pair, `np.add.reduce` a reduction over axis 0 by default,
`np.add.accumulate` a running one, `np.add.at` an accumulation without buffering.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..values import Sequence_, Static, Value
from . import create, elementwise, store, view
from .context import Context
from .numpy_table import builtin, numpy_call
from .promote import is_number
from .scalars import BY_FUNCTION, ROWS
from .shapes import as_array

REDUCTIONS: dict[np.ufunc, object] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
ACCUMULATIONS: dict[np.ufunc, object] = {np.add: np.cumsum, np.multiply: np.cumprod}


@builtin(np.divmod)
def divmod_(ctx: Context, x1: Value, x2: Value) -> Value:
    parts = [numpy_call(ctx, f, [x1, x2], {}) for f in (np.floor_divide, np.remainder)]
    return Sequence_(tuple(parts), tuple)


@builtin(np.modf)
def modf(ctx: Context, x: Value) -> Value:
    """The fractional part keeps the sign."""
    value = x if is_number(x) else as_array(ctx, x)
    whole = numpy_call(ctx, np.trunc, [value], {})
    rest = elementwise.apply(ctx, ROWS["sub"], (value, whole))
    return Sequence_((rest, whole), tuple)


def outer(ufunc: np.ufunc, ctx: Context, a: Value, b: Value) -> Value:
    left, right = as_array(ctx, a), as_array(ctx, b)
    for _ in right.shape:
        left = view.with_new_axis(ctx, left, len(left.shape))
    return numpy_call(ctx, ufunc, [left, right], {})


def reduce(
    ufunc: np.ufunc,
    ctx: Context,
    array: Value,
    axis: Value = Static(0),  # noqa: B008
    dtype: Value = create.NONE,
    *,
    keepdims: Value = Static(False),  # noqa: B008
) -> Value:
    named = {"axis": axis, "keepdims": keepdims}
    if not create.is_none(dtype):
        named["dtype"] = dtype
    return numpy_call(ctx, REDUCTIONS[ufunc], [array], named)


def accumulate(ufunc: np.ufunc, ctx: Context, array: Value, axis: Value = Static(0)) -> Value:  # noqa: B008
    return numpy_call(ctx, ACCUMULATIONS[ufunc], [array], {"axis": axis})


def at(ufunc: np.ufunc, ctx: Context, a: Value, indices: Value, b: Value) -> Value:
    store.add_at(ctx, a, indices, b, 1 if ufunc is np.add else -1)
    return create.NONE


for _ufunc in (u for u in BY_FUNCTION if isinstance(u, np.ufunc) and u.nin == 2):
    builtin(_ufunc.outer)(partial(outer, _ufunc))
for _ufunc in REDUCTIONS:
    builtin(_ufunc.reduce)(partial(reduce, _ufunc))
for _ufunc in ACCUMULATIONS:
    builtin(_ufunc.accumulate)(partial(accumulate, _ufunc))
for _ufunc in (np.add, np.subtract):
    builtin(_ufunc.at)(partial(at, _ufunc))
