"""Attributes and methods of arrays and numbers.

A method is the NumPy function of the same name with the array as first argument, unless it is listed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ....errors import MissingRuleError, UnsupportedSyntaxError
from ..values import ArrayValue, Method, Sequence_, Static, Value, VirtualArray
from . import complexes, create, elementwise, fill, numpy_table, shapes, store, view
from .broadcast import require_equal
from .context import Context
from .promote import dtype_of, is_array, value_of

METHODS = frozenset(
    [
        "all",
        "any",
        "argmax",
        "argmin",
        "argpartition",
        "argsort",
        "astype",
        "choose",
        "clip",
        "compress",
        "conj",
        "conjugate",
        "copy",
        "cumprod",
        "cumsum",
        "diagonal",
        "dot",
        "fill",
        "flatten",
        "item",
        "max",
        "mean",
        "min",
        "nonzero",
        "prod",
        "ptp",
        "put",
        "ravel",
        "repeat",
        "reshape",
        "round",
        "searchsorted",
        "sort",
        "squeeze",
        "std",
        "sum",
        "swapaxes",
        "take",
        "tolist",
        "trace",
        "transpose",
        "var",
        "view",
    ]
)


def length(x: object) -> Value:
    """A length as a Python integer."""
    return value_of(x, weak=True)  # type: ignore[arg-type]


def attribute(ctx: Context, array: Value, name: str) -> Value:
    """`array.name`."""
    if name in METHODS:
        return Method(array, name)
    if name == "dtype":
        return Static(np.dtype(dtype_of(ctx, array)))
    if name in ("real", "imag"):
        return complexes.part(ctx, array, name)
    if name == "itemsize":
        return Static(np.dtype(dtype_of(ctx, array)).itemsize)
    a = shapes.as_array(ctx, array)
    match name:
        case "shape":
            return Sequence_(tuple(length(n) for n in a.shape))
        case "size":
            return length(shapes.size(ctx, a))
        case "ndim":
            return Static(len(a.shape))
        case "T":
            return view.transposed(ctx, a) if is_array(array) else array
        case "mT":
            return shapes.swapaxes(ctx, a, Static(-1), Static(-2))
        case "flat":
            return shapes.ravel(ctx, a)
        case "nbytes":
            size = length(shapes.size(ctx, a))
            return elementwise.binary(ctx, "mul", size, Static(np.dtype(a.dtype).itemsize))
    return ctx.error(UnsupportedSyntaxError, f"the attribute {name!r} of an array is not supported")


Handler = Callable[..., Value]


def method(
    ctx: Context, array: Value, name: str, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """`array.name(*args, **kwargs)`."""
    own = OWN.get(name)
    if own is not None:
        found = numpy_table.bound(ctx, getattr(np.ndarray, name), own, (ctx, array, *args), kwargs)
        return own(*found.args, **found.kwargs)
    function = getattr(np, name, None)
    if name not in METHODS or function is None:
        ctx.error(MissingRuleError, f"the method {name!r} of an array is not supported")
    return numpy_table.numpy_call(ctx, function, [array, *args], kwargs)


def _astype(ctx: Context, a: Value, dtype: Value, copy: Value = Static(True)) -> Value:  # noqa: B008
    kind = create.wanted_dtype(ctx, dtype, "float64")
    if not is_array(a):
        return numpy_table.convert(ctx, a, kind)
    array = shapes.as_array(ctx, a)
    if kind == array.dtype and not shapes.constant(ctx, copy, "copy"):
        return array
    return create.converted(ctx, array, kind)


def _shape_arguments(shape: Sequence[Value]) -> Value:
    return shape[0] if len(shape) == 1 else Sequence_(tuple(shape))


def _reshape(ctx: Context, a: Value, *shape: Value) -> Value:
    return shapes.reshape(ctx, shapes.as_array(ctx, a), shapes.lengths(ctx, _shape_arguments(shape)))


def _transpose(ctx: Context, a: Value, *axes: Value) -> Value:
    order = _shape_arguments(axes) if axes else Static(None)
    return shapes.transpose(ctx, shapes.as_array(ctx, a), order)


def _fill(ctx: Context, a: Value, value: Value) -> Value:
    store.setitem(ctx, a, Static(Ellipsis), value)
    return Static(None)


def _flatten(ctx: Context, a: Value) -> Value:
    """Always a copy: of a virtual array's elements in order, so that no view of the source is left."""
    flat = shapes.ravel(ctx, fill.materialise(ctx, shapes.as_array(ctx, a)))
    assert isinstance(flat, ArrayValue | VirtualArray)
    return flat


def _item(ctx: Context, a: Value, *index: Value) -> Value:
    if index:
        from .indexing import getitem

        found = getitem(ctx, shapes.as_array(ctx, a), _shape_arguments(index))
    else:
        array = shapes.as_array(ctx, a)
        found = value_of(view.element(ctx, array, [view.ZERO] * len(array.shape)))
        for n in array.shape:
            require_equal(ctx, n, view.ONE, "can only convert an array of size 1 to a Python scalar")
    return found


def _conjugate(ctx: Context, a: Value) -> Value:
    return complexes.conjugate(ctx, a)


def _sort(ctx: Context, a: Value, axis: Value = Static(-1)) -> Value:  # noqa: B008
    store.setitem(ctx, a, Static(Ellipsis), numpy_table.numpy_call(ctx, np.sort, [a], {"axis": axis}))
    return Static(None)


OWN: dict[str, Handler] = {
    "astype": _astype,
    "reshape": _reshape,
    "transpose": _transpose,
    "fill": _fill,
    "flatten": _flatten,
    "item": _item,
    "conj": _conjugate,
    "conjugate": _conjugate,
    "sort": _sort,
}
