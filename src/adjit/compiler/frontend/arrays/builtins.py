"""NumPy functions that are views, memory, or questions about types: the handlers of `numpy_table`.

Each takes the context and NumPy's own parameters, by the same names; a parameter that is not listed is not
supported.
"""

from __future__ import annotations

import numpy as np

from ....errors import InferenceError, UnsupportedSyntaxError
from ...definitions import newer
from ...ir.nodes import Const, Operand
from ...ir.types import FLOATS
from ..values import Sequence_, Static, Value
from . import attributes, create, elementwise, fill, indexing, linear, shapes, store, view
from .broadcast import common_shape, expanded
from .context import Context
from .create import NONE, checked_shape, is_none, wanted_dtype
from .numpy_table import builtin, numpy_call
from .promote import cast, is_array, is_number, operand, result_type, value_of
from .promote import kind as kind_of
from .shapes import as_array, constant, lengths

TRUE, ZERO = Static(True), Static(0)


def only_c_order(ctx: Context, order: Value) -> None:
    if constant(ctx, order, "order") not in ("C", "K", "A", None):
        ctx.error(UnsupportedSyntaxError, "only arrays in C order are made", instead="leave out order=")


def only_read_in_c_order(ctx: Context, order: Value) -> None:
    """For what takes elements one after the other: "A" and "K" depend on the layout of an argument."""
    if constant(ctx, order, "order") not in ("C", None):
        ctx.error(UnsupportedSyntaxError, "elements are taken in C order only", instead="transpose first")


# -- creation


@builtin(np.zeros)
def zeros(ctx: Context, shape: Value, dtype: Value = NONE, order: Value = Static("C")) -> Value:  # noqa: B008
    only_c_order(ctx, order)
    kind = wanted_dtype(ctx, dtype, "float64")
    return fill.allocate(ctx, checked_shape(ctx, shape), kind, zeroed=True)


@builtin(np.empty)
def empty(ctx: Context, shape: Value, dtype: Value = NONE, order: Value = Static("C")) -> Value:  # noqa: B008
    only_c_order(ctx, order)
    return fill.allocate(ctx, checked_shape(ctx, shape), wanted_dtype(ctx, dtype, "float64"))


@builtin(np.ones)
def ones(ctx: Context, shape: Value, dtype: Value = NONE, order: Value = Static("C")) -> Value:  # noqa: B008
    only_c_order(ctx, order)
    kind = wanted_dtype(ctx, dtype, "float64")
    return create.constant_array(ctx, checked_shape(ctx, shape), ctx.b.const(1, kind))


@builtin(np.full)
def full(ctx: Context, shape: Value, fill_value: Value, dtype: Value = NONE) -> Value:
    return create.full(ctx, shape, fill_value, dtype)


@builtin(np.zeros_like)
def zeros_like(ctx: Context, a: Value, dtype: Value = NONE) -> Value:
    like = as_array(ctx, a)
    return fill.allocate(ctx, like.shape, wanted_dtype(ctx, dtype, like.dtype), zeroed=True)


@builtin(np.empty_like)
def empty_like(ctx: Context, prototype: Value, dtype: Value = NONE) -> Value:
    like = as_array(ctx, prototype)
    return fill.allocate(ctx, like.shape, wanted_dtype(ctx, dtype, like.dtype))


@builtin(np.ones_like)
def ones_like(ctx: Context, a: Value, dtype: Value = NONE) -> Value:
    like = as_array(ctx, a)
    one = ctx.b.const(1, wanted_dtype(ctx, dtype, like.dtype))
    return create.constant_array(ctx, like.shape, one)


@builtin(np.full_like)
def full_like(ctx: Context, a: Value, fill_value: Value, dtype: Value = NONE) -> Value:
    return create.full_like(ctx, a, fill_value, dtype)


@builtin(np.arange)
def arange(ctx: Context, start: Value, stop: Value = NONE, step: Value = NONE, dtype: Value = NONE) -> Value:
    return create.arange(ctx, start, stop, step, dtype)


@builtin(np.array)
def array(
    ctx: Context, object: Value, dtype: Value = NONE, *, copy: Value = TRUE, ndmin: Value = ZERO
) -> Value:
    return create.array(ctx, object, dtype, ndmin)


@builtin(np.asarray, np.asanyarray)
def asarray(ctx: Context, a: Value, dtype: Value = NONE) -> Value:
    return create.as_array(ctx, a, dtype)


@builtin(np.ascontiguousarray)
def ascontiguousarray(ctx: Context, a: Value, dtype: Value = NONE) -> Value:
    """The array itself where it is contiguous, else a copy; which of the two is known for whole arrays
    only.
    """
    found = create.as_array(ctx, a, dtype)
    if not is_array(found):
        return found
    source = as_array(ctx, found)
    if hasattr(source, "base") and not view.is_whole(ctx.b, source):  # type: ignore[arg-type]
        copy = fill.materialise(ctx, source)
        view.stand_in(ctx, copy.base, source.base)
        return copy
    return source


@builtin(np.copy)
def copy(ctx: Context, a: Value) -> Value:
    return create.array(ctx, a, NONE)


@builtin(np.copyto)
def copyto(ctx: Context, dst: Value, src: Value) -> Value:
    store.setitem(ctx, dst, Static(Ellipsis), src)
    return NONE


# -- shapes


@builtin(np.transpose, np.permute_dims)
def transpose(ctx: Context, a: Value, axes: Value = NONE) -> Value:
    return shapes.transpose(ctx, as_array(ctx, a), axes)


@builtin(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(ctx: Context, x: Value) -> Value:
    return shapes.swapaxes(ctx, as_array(ctx, x), Static(-1), Static(-2))


@builtin(np.swapaxes)
def swapaxes(ctx: Context, a: Value, axis1: Value, axis2: Value) -> Value:
    return shapes.swapaxes(ctx, as_array(ctx, a), axis1, axis2)


@builtin(np.moveaxis)
def moveaxis(ctx: Context, a: Value, source: Value, destination: Value) -> Value:
    return shapes.moveaxis(ctx, as_array(ctx, a), source, destination)


@builtin(np.rollaxis)
def rollaxis(ctx: Context, a: Value, axis: Value, start: Value = ZERO) -> Value:
    found = as_array(ctx, a)
    rank = len(found.shape)
    at, before = shapes.axis(ctx, axis, rank), int(str(constant(ctx, start, "start")))
    before = before + rank if before < 0 else before
    order = [k for k in range(rank) if k != at]
    order.insert(before - (at < before), at)
    return view.permuted(ctx, found, order)


@builtin(*newer("unstack"))
def unstack(ctx: Context, x: Value, *, axis: Value = ZERO) -> Value:
    a = as_array(ctx, x)
    at = shapes.axis(ctx, axis, len(a.shape))
    length = constant(ctx, attributes.length(a.shape[at]), "the number of arrays")
    parts = [view.without_axis(ctx, a, at, ctx.b.const(k)) for k in range(int(str(length)))]
    return Sequence_(tuple(parts), tuple)


@builtin(np.ix_)
def ix_(ctx: Context, *args: Value) -> Value:
    """Open mesh: each array along an axis of its own; booleans as the positions where they are true."""
    found: list[Value] = []
    for k, value in enumerate(args):
        a = as_array(ctx, value)
        if a.dtype == "bool":
            a = indexing.true_positions(ctx, a)[0]
        for j in range(len(args)):
            if j != k:
                a = view.with_new_axis(ctx, a, j)
        found.append(a)
    return Sequence_(tuple(found), tuple)


@builtin(np.expand_dims)
def expand_dims(ctx: Context, a: Value, axis: Value) -> Value:
    return shapes.expand_dims(ctx, as_array(ctx, a), axis)


@builtin(np.squeeze)
def squeeze(ctx: Context, a: Value, axis: Value = NONE) -> Value:
    return elementwise_result(ctx, shapes.squeeze(ctx, as_array(ctx, a), axis))


def elementwise_result(ctx: Context, value: Value) -> Value:
    """An array, or the number that one of rank 0 holds."""
    return elementwise.number_of(ctx, value)


@builtin(np.reshape)
def reshape(ctx: Context, a: Value, shape: Value, order: Value = Static("C")) -> Value:  # noqa: B008
    only_read_in_c_order(ctx, order)
    return shapes.reshape(ctx, as_array(ctx, a), lengths(ctx, shape))


@builtin(np.ravel)
def ravel(ctx: Context, a: Value, order: Value = Static("C")) -> Value:  # noqa: B008
    only_read_in_c_order(ctx, order)
    return shapes.ravel(ctx, as_array(ctx, a))


@builtin(np.broadcast_to)
def broadcast_to(ctx: Context, array: Value, shape: Value) -> Value:
    return shapes.broadcast_to(ctx, as_array(ctx, array), checked_shape(ctx, shape))


@builtin(np.broadcast_arrays)
def broadcast_arrays(ctx: Context, *args: Value) -> Value:
    arrays = [as_array(ctx, a) for a in args]
    shape = common_shape(ctx, [a.shape for a in arrays])
    return Sequence_(tuple(expanded(ctx, a, shape) for a in arrays), tuple)


@builtin(np.broadcast_shapes)
def broadcast_shapes(ctx: Context, *args: Value) -> Value:
    found = common_shape(ctx, [lengths(ctx, v) for v in args])
    return Sequence_(tuple(attributes.length(n) for n in found))


def _at_least(rank: int) -> object:
    def handler(ctx: Context, *arys: Value) -> Value:
        found: list[Value] = []
        for value in arys:
            a = as_array(ctx, value)
            while len(a.shape) < rank:
                at = 0 if rank < 3 or len(a.shape) in (0, 1) else len(a.shape)
                a = view.with_new_axis(ctx, a, at)
            found.append(a)
        return found[0] if len(found) == 1 else Sequence_(tuple(found), tuple)

    return handler


builtin(np.atleast_1d)(_at_least(1))  # type: ignore[type-var]
builtin(np.atleast_2d)(_at_least(2))  # type: ignore[type-var]
builtin(np.atleast_3d)(_at_least(3))  # type: ignore[type-var]


@builtin(np.shape)
def shape(ctx: Context, a: Value) -> Value:
    return attributes.attribute(ctx, a, "shape")


@builtin(np.size)
def size(ctx: Context, a: Value, axis: Value = NONE) -> Value:
    found = as_array(ctx, a)
    if is_none(axis):
        return attributes.length(shapes.size(ctx, found))
    return attributes.length(found.shape[shapes.axis(ctx, axis, len(found.shape))])


@builtin(np.ndim)
def ndim(ctx: Context, a: Value) -> Value:
    return attributes.attribute(ctx, a, "ndim")


# -- choices


@builtin(np.where)
def where(ctx: Context, condition: Value, x: Value = NONE, y: Value = NONE) -> Value:
    if is_none(x) and is_none(y):
        return nonzero(ctx, condition)
    if is_none(x) or is_none(y):
        ctx.error(InferenceError, "either both or neither of x and y should be given")
    parts = [v if is_number(v) else as_array(ctx, v) for v in (condition, x, y)]
    return elementwise.where(ctx, *parts)


@builtin(np.nonzero)
def nonzero(ctx: Context, a: Value) -> Value:
    return Sequence_(tuple(indexing.true_positions(ctx, as_array(ctx, a))), tuple)


@builtin(np.flatnonzero)
def flatnonzero(ctx: Context, a: Value) -> Value:
    return indexing.true_positions(ctx, shapes.ravel(ctx, as_array(ctx, a)))[0]


@builtin(np.argwhere)
def argwhere(ctx: Context, a: Value) -> Value:
    found = indexing.true_positions(ctx, as_array(ctx, a))
    return numpy_call(ctx, np.stack, [Sequence_(tuple(found), tuple)], {"axis": Static(1)})


@builtin(np.extract)
def extract(ctx: Context, condition: Value, arr: Value) -> Value:
    mask, source = (shapes.ravel(ctx, as_array(ctx, v)) for v in (condition, arr))
    return indexing.getitem(ctx, source, create.converted(ctx, mask, "bool"))


@builtin(np.clip)
def clip(
    ctx: Context, a: Value, a_min: Value = NONE, a_max: Value = NONE, *, min: Value = NONE, max: Value = NONE
) -> Value:
    """At a bound the derivative passes to the array; where the bounds cross the upper one wins, as in
    NumPy.
    """
    low = min if is_none(a_min) else a_min
    high = max if is_none(a_max) else a_max
    bounds = [(v, op) for v, op in ((low, "lt"), (high, "gt")) if not is_none(v)]
    values = [
        v if is_number(v) else elementwise.number_of(ctx, as_array(ctx, v))
        for v in (a, *(v for v, _ in bounds))
    ]
    kind = result_type(ctx, values)
    b = ctx.b

    def element(x: Operand, *limits: Operand) -> Operand:
        for limit, (_, op) in zip(limits, bounds, strict=True):
            outside = b.op(op, x, limit)
            if kind in FLOATS and not isinstance(limit, Const):
                outside = b.op("or", outside, b.op("isnan", limit))
            x = b.op("select", outside, limit, x)
        return x

    if any(is_array(v) for v in values):
        return elementwise.mapped(ctx, element, values, [kind] * len(values), kind, 2)
    return value_of(element(*(operand(ctx, v, kind) for v in values)))


# -- writing


@builtin(np.put)
def put(ctx: Context, a: Value, ind: Value, v: Value) -> Value:
    store.setitem(ctx, shapes.ravel(ctx, as_array(ctx, a)), ind, v)
    return NONE


@builtin(np.fill_diagonal)
def fill_diagonal(ctx: Context, a: Value, val: Value) -> Value:
    """The main diagonal of a matrix, by a loop."""
    target = store.memory(ctx, as_array(ctx, a))
    if len(target.shape) != 2:
        ctx.error(UnsupportedSyntaxError, "np.fill_diagonal is supported for matrices")
    b = ctx.b
    n, m = target.shape
    shorter = n if linear.equal(b, n, m) else b.op("minimum", n, m)
    source = as_array(ctx, val)
    if source.shape:
        source = shapes.broadcast_to(ctx, source, (shorter,))
    view.announce_write(ctx, target.base)

    def body(index: view.Index) -> None:
        x = cast(b, view.element(ctx, source, index if source.shape else ()), target.dtype)
        b.store(target.base, view.base_index(b, target, (index[0], index[0])), x)

    fill.nest(ctx, (shorter,), body)
    return NONE


# -- questions about types


@builtin(np.issubdtype)
def issubdtype(ctx: Context, arg1: Value, arg2: Value) -> Value:
    return Static(np.issubdtype(*(constant(ctx, v, "a dtype") for v in (arg1, arg2))))  # type: ignore[arg-type]


@builtin(np.dtype)
def dtype(ctx: Context, dtype: Value) -> Value:
    return Static(np.dtype(constant(ctx, dtype, "a dtype")))  # type: ignore[call-overload]


@builtin(np.result_type)
def result_type_(ctx: Context, *arrays_and_dtypes: Value) -> Value:
    found = []
    for v in arrays_and_dtypes:
        if is_array(v) or is_number(v):
            kind = kind_of(ctx, v)
            found.append(kind(0) if isinstance(kind, type) else kind)
        else:
            found.append(constant(ctx, v, "a dtype"))
    return Static(np.result_type(*found))  # type: ignore[arg-type]


@builtin(np.finfo)
def finfo(ctx: Context, dtype: Value) -> Value:
    return Static(np.finfo(np.dtype(constant(ctx, dtype, "a dtype"))))  # type: ignore[call-overload]


@builtin(np.iinfo)
def iinfo(ctx: Context, type: Value) -> Value:
    return Static(np.iinfo(np.dtype(constant(ctx, type, "a dtype"))))  # type: ignore[call-overload]


@builtin(np.isscalar)
def isscalar(ctx: Context, element: Value) -> Value:
    return Static(is_number(element))


@builtin(np.astype)
def astype(ctx: Context, x: Value, dtype: Value) -> Value:
    return create.array(ctx, x, dtype)
