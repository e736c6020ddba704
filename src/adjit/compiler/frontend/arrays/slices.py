"""Integers and slices on one axis: Python's clamping and wrapping, with as little arithmetic as can be
proved enough.

Input: an axis length and what the user wrote. Output: an index in range, or start, length and step of a
slice. Invariant: with constant bounds a slice's start stays a plain sum, and its length is `max(sum, 0)` at
worst, so that loops over it are affine.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....errors import InferenceError, OutOfBoundsError, UnsupportedSyntaxError
from ...ir.builder import Builder
from ...ir.nodes import Const, Operand
from ...ir.types import Scalar, is_float
from ..values import ArrayValue, ScalarValue, SliceValue, Static, Value, VirtualArray
from . import linear, view
from .context import Context
from .promote import AnyArray, cast, describe


@dataclass(frozen=True, slots=True)
class Part:
    """`length` elements from `start` on, `step` apart."""

    start: Operand
    length: Operand
    step: Operand


def as_index(ctx: Context, value: Value) -> Operand:
    """An integer, as int64."""
    if isinstance(value, Static):
        v = value.value
        if hasattr(v, "__index__") and not isinstance(v, bool):
            return ctx.b.const(int(v.__index__()))
    elif isinstance(value, ScalarValue):
        type_ = value.operand.type
        if isinstance(type_, Scalar) and type_.dtype != "bool" and not is_float(type_):
            return cast(ctx.b, value.operand, "int64")
    elif isinstance(value, ArrayValue | VirtualArray) and not value.shape:
        return as_index(ctx, ScalarValue(view.element(ctx, value, ())))
    return ctx.error(
        InferenceError,
        f"{describe(value)} is used as an index",
        "indices are integers, slices, integer or boolean arrays",
    )


def in_range(ctx: Context, a: AnyArray, axis: int, index: Operand) -> Operand:
    """The index counted from the start, with a check where it is not certain that it lies in the axis."""
    b, n = ctx.b, a.shape[axis]
    if isinstance(index, Const) and isinstance(n, Const) and not -n.value <= index.value < n.value:
        what = f"index {index.value} is out of bounds for axis {axis} with size {n.value}"
        if len(b.scopes) == 1 or not n.value:
            ctx.error(OutOfBoundsError, what)
        b.check(b.const(False), "OutOfBoundsError", what)  # this path may not be taken
        return b.const(0)
    index = wrapped(b, index, n)
    check_bounds(ctx, a, axis, index)
    return index


def wrapped(b: Builder, index: Operand, n: Operand) -> Operand:
    """`index`, plus `n` where it is negative."""
    if isinstance(index, Const):
        return index if index.value >= 0 else linear.plus(b, n, index)
    return index if linear.is_nonnegative(b, index) else b.op("wrap", index, n)


def _base_axis(b: Builder, a: AnyArray, axis: int) -> int | None:
    """The axis of the array's memory that this axis is, from end to end."""
    if not isinstance(a, ArrayValue):
        return None
    s = a.axes[axis]
    plain = s.axis is not None and view.is_zero(s.start) and view.is_one(s.step)
    return s.axis if plain and linear.equal(b, s.length, b.dim(a.base, s.axis or 0)) else None


def check_bounds(ctx: Context, a: AnyArray, axis: int, index: Operand) -> None:
    """Check an index. With `boundscheck=False` only what a constant index says of a length is noted, which
    `passes.required` uses and takes out again.
    """
    b, n = ctx.b, a.shape[axis]
    if not ctx.options.boundscheck and not isinstance(index, Const):
        return
    safe_below, safe_above = linear.is_nonnegative(b, index), linear.below(b, index, n)
    if safe_below and safe_above:
        return
    whole = _base_axis(b, a, axis)
    if whole is not None:
        b.bounds(a.base, whole, index)  # type: ignore[union-attr]
        return
    if not ctx.options.boundscheck:
        return
    inside = b.op("lt", index, n)
    if not safe_below:
        inside = b.op("and", b.op("le", b.const(0), index), inside)
    b.check(
        inside, "OutOfBoundsError", f"index {{}} is out of bounds for axis {axis} with size {{}}", index, n
    )


# -- slices


def part(ctx: Context, n: Operand, value: Value) -> Part:
    """A slice of an axis of length `n`."""
    lo, hi, step = _triple(ctx, value)
    by = _step(ctx, step)
    if isinstance(by, int):
        return _ascending(ctx, n, lo, hi, by) if by > 0 else _descending(ctx, n, lo, hi, by)
    return ctx.error(
        UnsupportedSyntaxError,
        "the step of a slice is known only at run time",
        "its sign decides what the slice means",
        "use a constant step, or a loop",
    )


def _triple(ctx: Context, value: Value) -> tuple[Value, Value, Value]:
    if isinstance(value, SliceValue):
        return value.lo, value.hi, value.step
    assert isinstance(value, Static) and isinstance(value.value, slice)
    return Static(value.value.start), Static(value.value.stop), Static(value.value.step)


def _absent(value: Value) -> bool:
    return isinstance(value, Static) and value.value is None


def _step(ctx: Context, step: Value) -> int | None:
    if _absent(step):
        return 1
    x = as_index(ctx, step)
    if not isinstance(x, Const):
        return None
    if x.value == 0:
        ctx.error(InferenceError, "slice step cannot be zero")
    return int(x.value)


def _ascending(ctx: Context, n: Operand, lo: Value, hi: Value, by: int) -> Part:
    b = ctx.b
    start: Operand = view.ZERO if _absent(lo) else _lower(b, n, as_index(ctx, lo))
    stop = n if _absent(hi) else _upper(b, n, as_index(ctx, hi))
    gap = linear.combine(linear.linear(b, stop), linear.linear(b, start), -1)
    length = linear.positive_part(b, gap)
    if isinstance(length, Const) and length.value == 0:
        start = view.ZERO
    return Part(start, _every(b, length, by), b.const(by))


def _lower(b: Builder, n: Operand, x: Operand) -> Operand:
    """Where a slice starts; beyond the end it need not be clamped, since the length is then none."""
    if isinstance(x, Const):
        if x.value >= 0:
            return x
        return linear.positive_part(b, linear.combine(linear.linear(b, n), linear.linear(b, x)))
    if linear.is_nonnegative(b, x):
        return x
    return b.op("maximum", b.op("wrap", x, n), b.const(0))


def _upper(b: Builder, n: Operand, x: Operand) -> Operand:
    """Where a slice ends; before the beginning it need not be clamped, since the length is then none."""
    if isinstance(x, Const) and x.value < 0:
        return linear.plus(b, n, x)
    if not linear.is_nonnegative(b, x):
        x = b.op("wrap", x, n)
    if linear.nonnegative(b, linear.combine(linear.linear(b, n), linear.linear(b, x), -1)):
        return x
    return b.op("minimum", x, n)


def _every(b: Builder, length: Operand, by: int) -> Operand:
    """How many of `length` elements are taken, one in `by`."""
    if by == 1:
        return length
    if isinstance(length, Const):
        return b.const(-(-int(length.value) // by))
    return b.op("floordiv", linear.plus(b, length, b.const(by - 1)), b.const(by))


def _descending(ctx: Context, n: Operand, lo: Value, hi: Value, by: int) -> Part:
    """From `lo` down to just after `hi`: the last element and before the first one by default."""
    b = ctx.b
    last = linear.plus(b, n, b.const(-1))
    start = last if _absent(lo) else _clamped(b, n, as_index(ctx, lo), last)
    if _absent(hi):
        count = linear.plus(b, start, b.const(1))
    else:
        stop = _clamped(b, n, as_index(ctx, hi), last)
        count = linear.minus(b, start, stop)
    length = linear.positive_part(b, linear.linear(b, count))
    return Part(start, _every(b, length, -by), b.const(by))


def _clamped(b: Builder, n: Operand, x: Operand, last: Operand) -> Operand:
    """An end of a descending slice, between -1 and the last element."""
    if isinstance(x, Const) and x.value < 0:
        below = linear.combine(linear.linear(b, n), linear.linear(b, x))
        up = linear.combine(below, linear.linear(b, b.const(1)))
        return linear.plus(b, linear.positive_part(b, up), b.const(-1))
    if not linear.is_nonnegative(b, x):
        x = b.op("maximum", b.op("wrap", x, n), b.const(-1))
    if linear.below(b, x, n):
        return x
    return b.op("minimum", x, last)
