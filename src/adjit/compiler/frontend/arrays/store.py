"""Writing to arrays: items, slices, arrays of indices, masks, and updates in place.

Every store is announced by `ctx.before_write`, so that pending virtual arrays read the old contents.
NumPy's meaning holds: the right-hand side is evaluated before anything is written; with repeated indices
the last value wins, also in `y[idx] += v`; an assignment casts freely, an update in place only within a
kind. Sums into floats are emitted as accumulations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ....errors import InferenceError, OverwriteError, ShapeError
from ...ir.nodes import Block, If, Operand
from ...ir.types import FLOATS, PARTS
from ..values import ArrayValue, ScalarValue, Value, VirtualArray
from . import elementwise, fill, view
from .broadcast import fit, require_equal, unsure_of, versioned
from .context import Context
from .indexing import Place, items_of, locate, read, require_array
from .promote import AnyArray, cast, is_array, is_number, kind, operand, resolve
from .scalars import ROWS

Emit = Callable[[view.Index], None]


def memory(ctx: Context, a: AnyArray) -> ArrayValue:
    """The array as memory that may be written."""
    if isinstance(a, VirtualArray):
        return fill.materialise(ctx, a)
    if any(s.axis is None and not view.is_one(s.length) for s in a.axes):
        ctx.error(
            OverwriteError,
            "assignment destination is read-only",
            "a broadcast array has several elements in one place",
            "copy it first",
        )
    return a


def setitem(ctx: Context, array: Value, index: Value, value: Value) -> None:
    """`array[index] = value`."""
    target = memory(ctx, require_array(ctx, array))
    value = _right_side(ctx, value)
    mask = _mask_of(ctx, target, index)
    if mask is not None and is_number(value):
        _store_where(ctx, target, mask, value)
        return
    place = locate(ctx, target, index)
    if not place.selectors:
        _assign(ctx, memory(ctx, place.source), value)
    else:
        _scatter(ctx, place, value)


def _right_side(ctx: Context, value: Value) -> Value:
    if is_array(value) or is_number(value):
        return elementwise.number_of(ctx, value)
    return fill.from_items(ctx, value)


def _assign(ctx: Context, target: ArrayValue, value: Value) -> None:
    """Every element of a view from a number or an array that broadcasts to it."""
    if is_number(value):
        x = operand(ctx, value, target.dtype)
        view.announce_write(ctx, target.base)
        fill.nest(ctx, target.shape, lambda i: ctx.b.store(target.base, view.base_index(ctx.b, target, i), x))
        return
    fill.copy_into(ctx, target, _fitted(ctx, require_array(ctx, value), target.shape))


def _fitted(ctx: Context, source: AnyArray, shape: tuple[Operand, ...]) -> AnyArray:
    """`source` seen with the shape of what it is assigned to."""
    for _ in range(fit(ctx, source.shape, shape)):
        source = view.without_axis(ctx, source, 0)
    return elementwise.repeated(ctx, source, shape)


# -- arrays of indices


def _mask_of(ctx: Context, target: ArrayValue, index: Value) -> AnyArray | None:
    """A boolean array that is the whole subscript."""
    items = items_of(ctx, index)
    if len(items) == 1 and isinstance(items[0], ArrayValue | VirtualArray) and items[0].dtype == "bool":
        mask = items[0]
        if 0 < len(mask.shape) <= len(target.shape):
            return mask
    return None


def _where_true(ctx: Context, target: ArrayValue, mask: AnyArray, emit: Emit) -> None:
    """`emit(index)` at the elements of `target` where `mask`, which covers the leading axes, is true."""
    b = ctx.b
    for axis, (n, m) in enumerate(zip(target.shape, mask.shape, strict=False)):
        require_equal(ctx, n, m, f"boolean index did not match indexed array along axis {axis}")
    rank = len(mask.shape)
    if b.origin(target.base) & view.reads(b, mask):
        mask = fill.materialise(ctx, mask, "mask")
    view.announce_write(ctx, target.base)

    def body(index: view.Index) -> None:
        cond = cast(b, view.element(ctx, mask, index), "bool")
        with b.block() as stmts:
            fill.nest(ctx, target.shape[rank:], lambda rest: emit((*index, *rest)))
        b.emit(If(cond, Block(tuple(stmts)), Block(), (), loc=b.loc))

    fill.nest(ctx, mask.shape, body)


def _store_where(ctx: Context, target: ArrayValue, mask: AnyArray, value: Value) -> None:
    x = operand(ctx, value, target.dtype)
    _where_true(ctx, target, mask, lambda i: ctx.b.store(target.base, view.base_index(ctx.b, target, i), x))


def _scatter(ctx: Context, place: Place, value: Value) -> None:
    """Stores one after the other, so that the last of several to one element stands."""
    b, target = ctx.b, place.source
    assert isinstance(target, ArrayValue)
    place = _settled(ctx, place)
    x: Operand | None = None
    source: AnyArray | None = None
    if is_number(value):
        x = operand(ctx, value, target.dtype)
    else:
        source = _fitted(ctx, require_array(ctx, value), place.shape)
        if b.origin(target.base) & view.reads(b, source):
            source = fill.materialise(ctx, source)
    view.announce_write(ctx, target.base)

    def body(index: view.Index) -> None:
        at = view.base_index(b, target, place.index(ctx, index))
        item = x if source is None else cast(b, view.element(ctx, source, index), target.dtype)
        assert item is not None
        b.store(target.base, at, item)

    versioned(
        ctx,
        () if source is None else unsure_of(source),
        lambda: fill.nest(ctx, place.shape, body, independent=False),
    )


def _settled(ctx: Context, place: Place) -> Place:
    """The place with index arrays that do not change while its source is written."""
    origins = ctx.b.origin(place.source.base) if isinstance(place.source, ArrayValue) else frozenset()
    selectors = tuple(
        replace(s, index=fill.materialise(ctx, s.index, "index"))  # type: ignore[arg-type]
        if is_array(s.index) and origins & view.reads(ctx.b, s.index)  # type: ignore[arg-type]
        else s
        for s in place.selectors
    )
    return replace(place, selectors=selectors)


# -- updates in place


def augitem(ctx: Context, array: Value, index: Value, op: str, value: Value) -> None:
    """`array[index] op= value`."""
    target = memory(ctx, require_array(ctx, array))
    value = _right_side(ctx, value)
    mask = _mask_of(ctx, target, index)
    if mask is not None and is_number(value):
        _require_same_kind(ctx, target, op, value)
        emit = _update(ctx, target, op, value)
        _where_true(ctx, target, mask, emit)
        return
    place = locate(ctx, target, index)
    if place.selectors:
        _scatter(ctx, place, _new_values(ctx, place, op, value))
    elif place.shape:
        augassign(ctx, place.source, op, value)
    else:
        _augment_element(ctx, memory(ctx, place.source), op, value)


def _augment_element(ctx: Context, target: ArrayValue, op: str, value: Value) -> None:
    """`y[i] op= v` for one element: Python loads, computes and stores, so the cast is free."""
    b = ctx.b
    at = view.base_index(b, target, ())
    if is_number(value) and op in ("add", "sub") and _keeps_dtype(ctx, target, op, value):
        x = operand(ctx, value, target.dtype)
        view.announce_write(ctx, target.base)
        b.accumulate(target.base, at, x if op == "add" else b.op("neg", x))
        return
    new = elementwise.binary(ctx, op, ScalarValue(b.load(target.base, at)), value)
    if not is_number(new):
        ctx.error(InferenceError, "setting an array element with a sequence")
    x = operand(ctx, new, target.dtype)
    view.announce_write(ctx, target.base)
    b.store(target.base, at, x)


def _keeps_dtype(ctx: Context, target: AnyArray, op: str, value: Value) -> bool:
    if target.dtype not in FLOATS and target.dtype not in PARTS:
        return False
    ins, out = resolve(ctx, ROWS[op].ufunc, (np.dtype(target.dtype), kind(ctx, value)))
    return out == target.dtype and set(ins) == {out}


def _new_values(ctx: Context, place: Place, op: str, value: Value) -> AnyArray:
    """The values of `y[idx] op= v`: all computed from the old elements."""
    old = read(ctx, place)
    _require_same_kind(ctx, place.source, op, value)
    new = elementwise.binary(ctx, op, old, value)
    return fill.materialise(ctx, new)


def _require_same_kind(ctx: Context, target: AnyArray, op: str, value: Value) -> None:
    _, out = resolve(ctx, ROWS[op].ufunc, (np.dtype(target.dtype), kind(ctx, value)))
    if not np.can_cast(out, target.dtype, "same_kind"):
        ctx.error(
            InferenceError,
            f"cannot cast the result of an in-place operation from {out} to {target.dtype}",
            instead=f"write a = a op b, or convert the array to {out} first",
        )


def augassign(ctx: Context, array: Value, op: str, value: Value) -> Value:
    """`array op= value` on all elements; the array itself is the result."""
    target = memory(ctx, require_array(ctx, array))
    value = _right_side(ctx, value)
    _require_same_kind(ctx, target, op, value)
    if is_array(value):
        if len(value.shape) > len(target.shape):  # type: ignore[union-attr]
            ctx.error(ShapeError, "non-broadcastable output operand: the right-hand side has more axes")
        source = _fitted(ctx, value, target.shape)  # type: ignore[arg-type]
        if fill.may_disturb(ctx, target, source):
            source = fill.materialise(ctx, source)
        value = source
    view.announce_write(ctx, target.base)
    update = _update(ctx, target, op, value)
    unsure = unsure_of(value) if is_array(value) else ()  # type: ignore[arg-type]
    versioned(ctx, unsure, lambda: fill.nest(ctx, target.shape, update))
    return target


def _update(ctx: Context, target: ArrayValue, op: str, value: Value) -> Emit:
    """The update of one element by a number, or by the element of an array of the same shape."""
    b = ctx.b
    summing = op in ("add", "sub") and _keeps_dtype(ctx, target, op, value)

    def emit(index: view.Index) -> None:
        at = view.base_index(b, target, index)
        item: Value = ScalarValue(view.element(ctx, value, index)) if is_array(value) else value  # type: ignore[arg-type]
        if summing:
            x = operand(ctx, item, target.dtype)
            b.accumulate(target.base, at, x if op == "add" else b.op("neg", x))
            return
        new = elementwise.binary(ctx, op, ScalarValue(b.load(target.base, at)), item)
        b.store(target.base, at, operand(ctx, new, target.dtype))

    return emit


def add_at(ctx: Context, array: Value, index: Value, value: Value, sign: int = 1) -> None:
    """`np.add.at` and `np.subtract.at`: repeated indices accumulate."""
    b = ctx.b
    target = memory(ctx, require_array(ctx, array))
    value = _right_side(ctx, value)
    place = _settled(ctx, locate(ctx, target, index))
    base = memory(ctx, require_array(ctx, place.source))
    _require_same_kind(ctx, target, "add", value)
    if is_array(value):
        value = _fitted(ctx, require_array(ctx, value), place.shape)
        if b.origin(base.base) & view.reads(b, value):
            value = fill.materialise(ctx, value)
    view.announce_write(ctx, base.base)

    def body(index: view.Index) -> None:
        item = ScalarValue(view.element(ctx, value, index)) if is_array(value) else value  # type: ignore[arg-type]
        x = operand(ctx, item, base.dtype)
        at = view.base_index(b, base, place.index(ctx, index))
        b.accumulate(base.base, at, x if sign > 0 else b.op("neg", x))

    unsure = unsure_of(value) if is_array(value) else ()  # type: ignore[arg-type]
    versioned(ctx, unsure, lambda: fill.nest(ctx, place.shape, body, independent=False))
