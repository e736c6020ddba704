"""Arrays made from nothing, from a range, or from other arrays.

Input: shapes, dtypes and values of NumPy's creation functions. Output: memory, or a virtual array where the
elements are a function of the index (`ones`, `full`, `arange`, copies): those take no memory unless
something asks for it.
"""

from __future__ import annotations

from ...ir.nodes import Const, Operand
from ...ir.types import FLOATS
from ..values import ArrayValue, Static, Value, VirtualArray
from . import fill, linear, shapes, view
from .broadcast import unsure_of
from .context import Context
from .promote import AnyArray, cast, dtype_name, dtype_of, is_number, operand, result_type
from .slices import as_index

NONE = Static(None)


def is_none(value: Value) -> bool:
    return isinstance(value, Static) and value.value is None


def wanted_dtype(ctx: Context, value: Value, default: str) -> str:
    if is_none(value):
        return default
    return dtype_name(ctx, shapes.constant(ctx, value, "a dtype"))


def constant_array(ctx: Context, shape: tuple[Operand, ...], x: Operand) -> VirtualArray:
    """All elements equal to `x`."""
    return VirtualArray(shape, x.type.dtype, lambda index: x)


def checked_shape(ctx: Context, shape: Value) -> tuple[Operand, ...]:
    b, found = ctx.b, shapes.lengths(ctx, shape)
    for n in found:
        if not linear.is_nonnegative(b, n):
            b.check(b.op("ge", n, view.ZERO), "ValueError", "negative dimensions are not allowed")
    return found


def full(ctx: Context, shape: Value, fill_value: Value, dtype: Value) -> Value:
    if not is_number(fill_value):
        source = shapes.as_array(ctx, fill_value)
        kind = wanted_dtype(ctx, dtype, source.dtype)
        return converted(ctx, shapes.broadcast_to(ctx, source, checked_shape(ctx, shape)), kind)
    kind = wanted_dtype(ctx, dtype, dtype_of(ctx, fill_value))
    return constant_array(ctx, checked_shape(ctx, shape), operand(ctx, fill_value, kind))


def full_like(ctx: Context, a: Value, fill_value: Value, dtype: Value) -> Value:
    like = shapes.as_array(ctx, a)
    kind = wanted_dtype(ctx, dtype, like.dtype)
    if not is_number(fill_value):
        return converted(ctx, shapes.broadcast_to(ctx, shapes.as_array(ctx, fill_value), like.shape), kind)
    return constant_array(ctx, like.shape, operand(ctx, fill_value, kind))


def converted(ctx: Context, a: AnyArray, dtype: str) -> VirtualArray:
    """A copy with elements of another dtype, made when it is needed."""
    b = ctx.b

    def element(index: view.Index) -> Operand:
        return cast(b, view.element(ctx, a, index), dtype)

    cost = a.cost if isinstance(a, VirtualArray) else 0
    return VirtualArray(a.shape, dtype, element, view.reads(b, a), cost + (a.dtype != dtype), unsure_of(a))


def arange(ctx: Context, start: Value, stop: Value, step: Value, dtype: Value) -> Value:
    """`np.arange`; for floats element i is `start + i * ((start + step) - start)`, as NumPy computes it."""
    if is_none(stop):
        start, stop = Static(0), start
    if is_none(step):
        step = Static(1)
    kind = wanted_dtype(ctx, dtype, result_type(ctx, (start, stop, step)))
    if kind in FLOATS:
        return _float_range(ctx, start, stop, step, kind)
    lo, hi, by = (as_index(ctx, v) for v in (start, stop, step))
    b = ctx.b
    if isinstance(by, Const) and by.value == 1:
        n = linear.positive_part(b, linear.combine(linear.linear(b, hi), linear.linear(b, lo), -1))
    else:
        n = b.op("trips", lo, hi, by)

    def element(index: view.Index) -> Operand:
        return cast(b, linear.plus(b, lo, linear.times(b, index[0], by)), kind)

    return VirtualArray((n,), kind, element, cost=1)


def _float_range(ctx: Context, start: Value, stop: Value, step: Value, kind: str) -> Value:
    b = ctx.b
    lo, hi, by = (operand(ctx, v, "float64") for v in (start, stop, step))
    passes = b.op("ceil", b.op("div", b.op("sub", hi, lo), by))
    n = b.op("maximum", b.cast(passes, "int64"), view.ZERO)
    first = cast(b, lo, kind)
    delta = b.op("sub", cast(b, b.op("add", lo, by), kind), first)

    def element(index: view.Index) -> Operand:
        return b.op("add", first, b.op("mul", b.cast(index[0], kind), delta))

    return VirtualArray((n,), kind, element, cost=3)


def array(ctx: Context, value: Value, dtype: Value, ndmin: Value = NONE) -> Value:
    """`np.array`: always fresh."""
    if isinstance(value, ArrayValue | VirtualArray):
        out: AnyArray = converted(ctx, value, wanted_dtype(ctx, dtype, value.dtype))
    elif is_number(value):
        kind = wanted_dtype(ctx, dtype, dtype_of(ctx, value))
        out = constant_array(ctx, (), operand(ctx, value, kind))
    else:
        kind_or_none = None if is_none(dtype) else wanted_dtype(ctx, dtype, "")
        out = fill.from_items(ctx, value, kind_or_none)
    least = shapes.constant(ctx, ndmin, "ndmin")
    while isinstance(least, int) and len(out.shape) < least:
        out = view.with_new_axis(ctx, out, 0)
    return out


def as_array(ctx: Context, value: Value, dtype: Value) -> Value:
    """`np.asarray`: the array itself where it has the dtype."""
    found = shapes.as_array(ctx, value)
    kind = wanted_dtype(ctx, dtype, found.dtype)
    return found if kind == found.dtype else converted(ctx, found, kind)
