"""Order: sorting, ranks, medians and quantiles, search.

Only the permutation of one row comes from a library routine; what is sorted is gathered through it, so the
derivative goes back the same way. Input: arrays; NaN sorts last. Output: as NumPy. Non-goals: partial
sorts, sorting by several keys.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ShapeError
from .core import Array, Number, Shape, axis_of, calls, compile_time, defines, float_dtype, joined, without


@calls("argsort")
def argsort_into(out: Array, a: Array) -> None:
    """The permutation that sorts the vector `a`; equal entries keep their order."""
    out[...] = np.argsort(a, kind="stable")


def row(kept: Shape, axis: int) -> Any:
    """The index of a whole row along `axis`."""
    return joined(kept, (slice(None),), (axis,))


def along(index: Shape, axis: int, position: int) -> Shape:
    return tuple(position if k == axis else i for k, i in enumerate(index))


@defines(np.argsort)
def argsort(a: Array, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Array:
    if axis is None:
        return argsort(a.ravel(), 0)
    axis = axis_of(axis, a.ndim)
    order = np.empty(a.shape, np.int64)
    if a.ndim == 1:
        argsort_into(order, a)
    else:
        for kept in np.ndindex(without(a.shape, (axis,))):
            argsort_into(order[row(kept, axis)], a[row(kept, axis)])
    return order


@defines(np.sort)
def sort(a: Array, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Array:
    if axis is None:
        return sort(a.ravel(), 0)
    axis = axis_of(axis, a.ndim)
    order = argsort(a, axis)
    out = np.empty(a.shape, a.dtype)
    for index in np.ndindex(a.shape):
        out[index] = a[along(index, axis, order[index])]
    return out


@defines(np.searchsorted)
def searchsorted(a: Array, v: Number, side: str = "left") -> Number:
    """Places in the sorted vector `a`."""
    if np.ndim(v) == 0:
        return np.int64(place(a, v, side == "right"))
    values = np.asarray(v)
    out = np.empty(values.shape, np.int64)
    for index in np.ndindex(values.shape):
        out[index] = place(a, values[index], side == "right")
    return out


def place(a: Array, value: Number, after: bool) -> int:
    """How many entries of the sorted `a` are less than `value`, or not greater if `after`."""
    low = 0
    high = a.shape[0]
    while low < high:
        middle = (low + high) // 2
        if a[middle] < value or (after and a[middle] == value):
            low = middle + 1
        else:
            high = middle
    return low


@defines(np.digitize)
def digitize(x: Array, bins: Array, right: bool = False) -> Array:
    """Of increasing bins."""
    return searchsorted(bins, x, "left" if right else "right")


@compile_time
def plain_axis(axis: Any, what: str) -> int | None:
    if axis is None or isinstance(axis, int):
        return axis
    raise NotImplementedError(f"{what} over several axes")


def middle_of(a: Array) -> Number:
    """The median of a sorted vector."""
    n = a.shape[0]
    kind = float_dtype(a.dtype)
    last = kind.type(a[n - 1])
    if last != last:
        return last
    if n % 2 == 1:
        return kind.type(a[n // 2])
    return (kind.type(a[n // 2 - 1]) + kind.type(a[n // 2])) / kind.type(2)


@defines(np.median)
def median(a: Array, axis: Any = None, *, keepdims: bool = False) -> Number:
    return quantiles(a, plain_axis(axis, "np.median"), keepdims, None)


def quantile_of(a: Array, q: Number) -> Number:
    """Of a sorted vector, linear between neighbours."""
    n = a.shape[0]
    kind = q.dtype
    last = kind.type(a[n - 1])
    if last != last:
        return last
    position = q * kind.type(n - 1)
    low = min(int(np.floor(position)), n - 1)
    high = min(low + 1, n - 1)
    weight = position - kind.type(low)
    first = kind.type(a[low])
    return first + (kind.type(a[high]) - first) * weight


def pick(a: Array, q: Any) -> Number:
    """One quantile of a sorted vector; its median for None."""
    if q is None:
        return middle_of(a)
    return quantile_of(a, q)


def quantiles(a: Array, axis: int | None, keepdims: bool, q: Any) -> Number:
    if a.size == 0:
        raise ShapeError("median or quantile of an empty array")
    if axis is None:
        ordered = sort(a.ravel(), 0)
        if keepdims:
            return np.full(tuple(1 for k in range(a.ndim)), pick(ordered, q))
        return pick(ordered, q)
    place_of = axis_of(axis, a.ndim)
    ordered = sort(a, place_of)
    kept_lengths = without(a.shape, (place_of,))
    out = np.empty(kept_lengths, float_dtype(a.dtype) if q is None else q.dtype)
    for kept in np.ndindex(kept_lengths):
        out[kept] = pick(ordered[row(kept, place_of)], q)
    if keepdims:
        return np.expand_dims(out, place_of)
    if a.ndim == 1:
        return out[()]
    return out


@defines(np.quantile)
def quantile(a: Array, q: Number, axis: Any = None, *, keepdims: bool = False) -> Number:
    chosen = plain_axis(axis, "np.quantile")
    if np.ndim(q) == 0:
        kind = np.result_type(float_dtype(a.dtype), q)
        return quantiles(a, chosen, keepdims, kind.type(q))
    first = quantiles(a, chosen, keepdims, np.float64(q[0]))
    out = np.empty((len(q),) + np.shape(first), np.float64)
    for k in range(len(q)):
        out[k] = quantiles(a, chosen, keepdims, np.float64(q[k]))
    return out


@defines(np.percentile)
def percentile(a: Array, q: Number, axis: Any = None, *, keepdims: bool = False) -> Number:
    if np.ndim(q) == 0:
        return quantile(a, q / 100, axis, keepdims=keepdims)
    return quantile(a, np.asarray(q) / 100, axis, keepdims=keepdims)


def starts_a_run(values: Array, order: Array, i: int) -> bool:
    """Whether entry `i` in sorted order differs from the one before; NaNs are equal."""
    if i == 0:
        return True
    here, before = values[order[i]], values[order[i - 1]]
    return not (here == before or (here != here and before != before))


@defines(np.unique)
def unique(
    ar: Array, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False
) -> Any:
    """Of equal entries the first one carries the derivative."""
    values = ar.ravel()
    order = argsort(values, 0)
    count = 0
    for i in range(values.shape[0]):
        if starts_a_run(values, order, i):
            count += 1
    out = np.empty(count, ar.dtype)
    first = np.empty(count, np.int64)
    counts = np.zeros(count, np.int64)
    inverse = np.empty(values.shape[0], np.int64)
    run = -1
    for i in range(values.shape[0]):
        if starts_a_run(values, order, i):
            run += 1
            out[run] = values[order[i]]
            first[run] = order[i]
        counts[run] += 1
        inverse[order[i]] = run
    found: tuple[Any, ...] = (out,)
    if return_index:
        found = found + (first,)
    if return_inverse:
        found = found + (np.reshape(inverse, ar.shape),)
    if return_counts:
        found = found + (counts,)
    return found if len(found) > 1 else out
