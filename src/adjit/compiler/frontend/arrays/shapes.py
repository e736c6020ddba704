"""Shapes changed without arithmetic: transposes, new and dropped axes, reshapes.

Input: arrays and constant axes. Output: views where NumPy gives one. A reshape that NumPy might do by view
or by copy, as the strides happen to be, is a copy here; writing to it, or reading it after its source was
written, is refused (`stale`).
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ....errors import InferenceError, ShapeError
from ...ir.nodes import Const, Operand
from ...ir.types import Array
from ..values import ArrayValue, ScalarValue, Sequence_, Static, Value, VirtualArray
from . import fill, linear, view
from .broadcast import expanded, require_broadcast, require_equal, shape_text
from .context import Context
from .promote import AnyArray, describe, dtype_of, operand
from .slices import as_index

SQUEEZED = "squeeze would drop axis {axis}, whose length is 1 only at run time; say which axes"


def constant(ctx: Context, value: Value, what: str) -> object:
    """The Python object of a compile-time value, tuples included."""
    if isinstance(value, Static):
        return value.value
    if isinstance(value, Sequence_):
        return tuple(constant(ctx, v, what) for v in value.items)
    if isinstance(value, ScalarValue) and isinstance(value.operand, Const):
        return value.operand.value
    return ctx.error(
        InferenceError, f"{what} must be known when the function is compiled, not {describe(value)}"
    )


def lengths(ctx: Context, shape: Value) -> tuple[Operand, ...]:
    """A shape: an integer or a tuple of them, constant or not."""
    if isinstance(shape, Sequence_):
        return tuple(as_index(ctx, v) for v in shape.items)
    if isinstance(shape, Static) and isinstance(shape.value, tuple | list):
        return tuple(as_index(ctx, Static(v)) for v in shape.value)
    return (as_index(ctx, shape),)


def axis(ctx: Context, value: Value, rank: int) -> int:
    try:
        return int(normalize_axis_index(constant(ctx, value, "an axis"), rank))  # type: ignore[arg-type]
    except (ValueError, TypeError) as error:
        ctx.error(ShapeError, str(error))


def axes(ctx: Context, value: Value, rank: int) -> tuple[int, ...]:
    try:
        return normalize_axis_tuple(constant(ctx, value, "axes"), rank)  # type: ignore[arg-type]
    except (ValueError, TypeError) as error:
        ctx.error(ShapeError, str(error))


def transpose(ctx: Context, a: AnyArray, order: Value) -> AnyArray:
    rank = len(a.shape)
    if isinstance(order, Static) and order.value is None:
        return view.transposed(ctx, a)
    found = axes(ctx, order, rank)
    if len(found) != rank:
        ctx.error(ShapeError, "axes don't match array")
    return view.permuted(ctx, a, found)


def swapaxes(ctx: Context, a: AnyArray, first: Value, second: Value) -> AnyArray:
    order = list(range(len(a.shape)))
    i, j = axis(ctx, first, len(order)), axis(ctx, second, len(order))
    order[i], order[j] = order[j], order[i]
    return view.permuted(ctx, a, order)


def moveaxis(ctx: Context, a: AnyArray, source: Value, destination: Value) -> AnyArray:
    rank = len(a.shape)
    old, new = axes(ctx, source, rank), axes(ctx, destination, rank)
    if len(old) != len(new):
        ctx.error(ShapeError, "`source` and `destination` arguments must have the same number of elements")
    order = [k for k in range(rank) if k not in old]
    for to, origin in sorted(zip(new, old, strict=True)):
        order.insert(to, origin)
    return view.permuted(ctx, a, order)


def expand_dims(ctx: Context, a: AnyArray, where: Value) -> AnyArray:
    found = constant(ctx, where, "an axis")
    count = len(found) if isinstance(found, tuple | list) else 1
    for at in sorted(axes(ctx, where, len(a.shape) + count)):
        a = view.with_new_axis(ctx, a, at)
    return a


def squeeze(ctx: Context, a: AnyArray, where: Value) -> AnyArray:
    b = ctx.b
    if isinstance(where, Static) and where.value is None:
        dropped = [k for k, n in enumerate(a.shape) if view.is_one(n)]
        for k, n in enumerate(a.shape):
            if k not in dropped and linear.may_be_one(b, n):
                b.check(b.op("ne", n, b.const(1)), "ShapeError", SQUEEZED.format(axis=k))
    else:
        dropped = list(axes(ctx, where, len(a.shape)))
        for k in dropped:
            message = "cannot select an axis to squeeze out which has size not equal to one"
            require_equal(ctx, a.shape[k], view.ONE, message)
    for k in sorted(dropped, reverse=True):
        a = view.without_axis(ctx, a, k)
    return a


def broadcast_to(ctx: Context, a: AnyArray, shape: tuple[Operand, ...]) -> AnyArray:
    if len(a.shape) > len(shape):
        ctx.error(ShapeError, "input operand has more dimensions than allowed by the axis remapping")
    lead = len(shape) - len(a.shape)
    for k, n in enumerate(a.shape):
        message = f"could not broadcast to the shape given: axis {lead + k} differs"
        require_broadcast(ctx, n, shape[lead + k], message)
    return expanded(ctx, a, shape)


# -- reshapes


def size(ctx: Context, a: AnyArray) -> Operand:
    return linear.product(ctx.b, a.shape)


def ravel(ctx: Context, a: AnyArray) -> AnyArray:
    return a if len(a.shape) == 1 else reshape(ctx, a, (size(ctx, a),))


def resolved_shape(ctx: Context, a: AnyArray, shape: Sequence[Operand]) -> tuple[Operand, ...]:
    """The shape with -1 replaced, checked to have as many elements."""
    b = ctx.b
    free = [k for k, n in enumerate(shape) if isinstance(n, Const) and n.value < 0]
    if len(free) > 1:
        ctx.error(ShapeError, "can only specify one unknown dimension")
    total = size(ctx, a)
    message = f"cannot reshape array into shape {shape_text(shape)}: the number of elements differs"
    if not free:
        out = tuple(shape)
        require_equal(ctx, total, linear.product(b, out), message)
        return out
    known = linear.product(b, tuple(n for k, n in enumerate(shape) if k != free[0]))
    rest = _quotient(ctx, a, total, known, message)
    return tuple(rest if k == free[0] else n for k, n in enumerate(shape))


def _quotient(ctx: Context, a: AnyArray, total: Operand, known: Operand, message: str) -> Operand:
    b = ctx.b
    if view.is_one(known):
        return total
    left = list(a.shape)
    for n in a.shape:
        if linear.equal(b, n, known):
            left.remove(n)
            return linear.product(b, tuple(left))
    if isinstance(total, Const) and isinstance(known, Const) and known.value:
        if total.value % known.value:
            ctx.error(ShapeError, message)
        return b.const(int(total.value // known.value))
    rest = b.op("floordiv", total, b.op("maximum", known, b.const(1)))
    b.check(b.op("eq", b.op("mul", rest, known), total), "ShapeError", message)
    return rest


def reshape(ctx: Context, a: AnyArray, shape: Sequence[Operand]) -> AnyArray:
    new = resolved_shape(ctx, a, shape)
    inserted = _unit_axes(ctx, a, new)
    if inserted is not None:
        return inserted
    if isinstance(a, VirtualArray):
        a = fill.materialise(ctx, a)
    whole = view.is_whole(ctx.b, a) and isinstance(a.base.type, Array) and a.base.type.layout == "C"
    if whole:
        return view.full(ctx, ctx.b.reshape(a.base, new))
    copy = fill.materialise(ctx, a)
    out = view.full(ctx, ctx.b.reshape(copy.base, new, a.base.name))
    if not view.surely_copied(ctx.b, a):
        view.stand_in(ctx, out.base, a.base)
    return out


def _unit_axes(ctx: Context, a: AnyArray, new: tuple[Operand, ...]) -> AnyArray | None:
    """The reshape as a view if it only inserts and drops axes of length one."""
    b = ctx.b
    kept_old = [k for k, n in enumerate(a.shape) if not view.is_one(n)]
    kept_new = [k for k, n in enumerate(new) if not view.is_one(n)]
    if len(kept_old) != len(kept_new):
        return None
    pairs = zip(kept_old, kept_new, strict=True)
    if len(kept_old) != 1 and not all(linear.equal(b, a.shape[i], new[j]) for i, j in pairs):
        return None
    for k in range(len(a.shape) - 1, -1, -1):
        if k not in kept_old:
            a = view.without_axis(ctx, a, k)
    for k in range(len(new)):
        if k not in kept_new:
            a = view.with_new_axis(ctx, a, k)
    return a


def as_array(ctx: Context, value: Value) -> AnyArray:
    """An array from what NumPy takes for one; a number becomes an array of rank 0 without memory."""
    if isinstance(value, ArrayValue | VirtualArray):
        return value
    if isinstance(value, Sequence_) or (isinstance(value, Static) and isinstance(value.value, list | tuple)):
        return fill.from_items(ctx, value)
    dtype = dtype_of(ctx, value)
    x = operand(ctx, value, dtype)
    return VirtualArray((), dtype, lambda index: x)
