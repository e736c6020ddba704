"""Sums, products, extrema and tests over axes.

Input: an array, an axis (integer, tuple or None), keepdims. Output: a scalar, or an array of the kept axes.
Where the reduced axes are the last ones each result has a running scalar; otherwise the array is walked in
its own order and the results accumulate, so that memory is read in order either way. A running scalar that
sums is float64 for float32 arrays, which is as exact as NumPy's pairwise sums. Non-goals: `out`, `where`.
"""

from __future__ import annotations

import numpy as np

from .core import (
    Array,
    Axis,
    Dtype,
    Number,
    Once,
    axes_of,
    axis_of,
    count,
    defines,
    float_dtype,
    joined,
    kept_index,
    kept_shape,
    only,
    root,
    spread,
    sum_dtype,
    trailing,
    wide,
    without,
)


def filled(value: Number, ndim: int, keepdims: bool) -> Number:
    """The result of a reduction over all axes."""
    if keepdims:
        return np.full(tuple(1 for k in range(ndim)), value)
    return value


def roots(a: Number) -> Number:
    """`root` of a number, or of each element."""
    if len(np.shape(a)) == 0:
        return root(a)
    out = np.empty(a.shape, a.dtype)
    for index in np.ndindex(a.shape):
        out[index] = root(a[index])
    return out


@defines(np.sum)
def sum_(a: Once, axis: Axis = None, dtype: Dtype = None, *, keepdims: bool = False) -> Number:
    axes = axes_of(axis, a.ndim)
    kind = sum_dtype(a.dtype, dtype)
    if len(axes) == a.ndim:
        total = wide(kind).type(0)
        for index in np.ndindex(a.shape):
            total = total + kind.type(a[index])
        return filled(kind.type(total), a.ndim, keepdims)
    out = np.zeros(kept_shape(a.shape, axes, keepdims), kind)
    if trailing(axes, a.ndim):
        for kept in np.ndindex(without(a.shape, axes)):
            total = wide(kind).type(0)
            for reduced in np.ndindex(only(a.shape, axes)):
                total = total + kind.type(a[kept + reduced])
            out[spread(kept, axes, keepdims)] = kind.type(total)
    else:
        for index in np.ndindex(a.shape):
            out[kept_index(index, axes, keepdims)] += kind.type(a[index])
    return out


@defines(np.prod)
def prod(a: Once, axis: Axis = None, dtype: Dtype = None, *, keepdims: bool = False) -> Number:
    """A running product: its derivative takes the partial products, so zeros are no exception."""
    axes = axes_of(axis, a.ndim)
    kind = sum_dtype(a.dtype, dtype)
    if len(axes) == a.ndim:
        total = kind.type(1)
        for index in np.ndindex(a.shape):
            total = total * kind.type(a[index])
        return filled(total, a.ndim, keepdims)
    out = np.empty(kept_shape(a.shape, axes, keepdims), kind)
    for kept in np.ndindex(without(a.shape, axes)):
        total = kind.type(1)
        for reduced in np.ndindex(only(a.shape, axes)):
            total = total * kind.type(a[joined(kept, reduced, axes)])
        out[spread(kept, axes, keepdims)] = total
    return out


@defines(np.mean)
def mean(a: Once, axis: Axis = None, dtype: Dtype = None, *, keepdims: bool = False) -> Number:
    kind = float_dtype(a.dtype, dtype)
    n = kind.type(count(a.shape, axes_of(axis, a.ndim)))
    return sum_(a, axis, kind, keepdims=keepdims) / n


@defines(np.var)
def var(
    a: Array, axis: Axis = None, dtype: Dtype = None, *, ddof: Number = 0, keepdims: bool = False
) -> Number:
    kind = float_dtype(a.dtype, dtype)
    centre = mean(a, axis, kind, keepdims=True)
    if np.issubdtype(kind, np.complexfloating):
        return mean_square(a - centre, axis, ddof, keepdims)
    n = kind.type(max(count(a.shape, axes_of(axis, a.ndim)) - ddof, 0))
    return sum_(np.square(a - centre), axis, kind, keepdims=keepdims) / n


def mean_square(away: Array, axis: Axis, ddof: Number, keepdims: bool) -> Number:
    """Of the absolute values of complex numbers."""
    squares = np.square(away.real) + np.square(away.imag)
    n = squares.dtype.type(max(count(away.shape, axes_of(axis, away.ndim)) - ddof, 0))
    return sum_(squares, axis, keepdims=keepdims) / n


@defines(np.std)
def std(
    a: Array, axis: Axis = None, dtype: Dtype = None, *, ddof: Number = 0, keepdims: bool = False
) -> Number:
    """Gradient zero where all elements are equal, as that of a norm at zero."""
    return roots(var(a, axis, dtype, ddof=ddof, keepdims=keepdims))


@defines(np.nansum)
def nansum(a: Array, axis: Axis = None, dtype: Dtype = None, *, keepdims: bool = False) -> Number:
    return sum_(np.where(np.isnan(a), a.dtype.type(0), a), axis, dtype, keepdims=keepdims)


@defines(np.nanprod)
def nanprod(a: Array, axis: Axis = None, dtype: Dtype = None, *, keepdims: bool = False) -> Number:
    return prod(np.where(np.isnan(a), a.dtype.type(1), a), axis, dtype, keepdims=keepdims)


@defines(np.nanmean)
def nanmean(a: Array, axis: Axis = None, dtype: Dtype = None, *, keepdims: bool = False) -> Number:
    kind = float_dtype(a.dtype, dtype)
    present = sum_(np.logical_not(np.isnan(a)), axis, kind, keepdims=keepdims)
    return nansum(a, axis, kind, keepdims=keepdims) / present


@defines(np.nanvar)
def nanvar(
    a: Array, axis: Axis = None, dtype: Dtype = None, *, ddof: Number = 0, keepdims: bool = False
) -> Number:
    kind = float_dtype(a.dtype, dtype)
    centre = nanmean(a, axis, kind, keepdims=True)
    present = sum_(np.logical_not(np.isnan(a)), axis, kind, keepdims=keepdims)
    return nansum(np.square(a - centre), axis, kind, keepdims=keepdims) / (present - kind.type(ddof))


@defines(np.nanstd)
def nanstd(
    a: Array, axis: Axis = None, dtype: Dtype = None, *, ddof: Number = 0, keepdims: bool = False
) -> Number:
    return roots(nanvar(a, axis, dtype, ddof=ddof, keepdims=keepdims))


@defines(np.nancumsum)
def nancumsum(a: Array, axis: int | None = None, dtype: Dtype = None) -> Number:
    return cumsum(np.where(np.isnan(a), a.dtype.type(0), a), axis, dtype)


@defines(np.nancumprod)
def nancumprod(a: Array, axis: int | None = None, dtype: Dtype = None) -> Number:
    return cumprod(np.where(np.isnan(a), a.dtype.type(1), a), axis, dtype)


@defines(np.cumsum)
def cumsum(a: Once, axis: int | None = None, dtype: Dtype = None) -> Number:
    kind = sum_dtype(a.dtype, dtype)
    if axis is None:
        out = np.empty(a.size, kind)
        total = kind.type(0)
        position = 0
        for index in np.ndindex(a.shape):
            total = total + kind.type(a[index])
            out[position] = total
            position = position + 1
        return out
    axes = (axis_of(axis, a.ndim),)
    out = np.empty(a.shape, kind)
    for kept in np.ndindex(without(a.shape, axes)):
        total = kind.type(0)
        for along in np.ndindex(only(a.shape, axes)):
            total = total + kind.type(a[joined(kept, along, axes)])
            out[joined(kept, along, axes)] = total
    return out


@defines(np.cumprod)
def cumprod(a: Once, axis: int | None = None, dtype: Dtype = None) -> Number:
    kind = sum_dtype(a.dtype, dtype)
    if axis is None:
        out = np.empty(a.size, kind)
        total = kind.type(1)
        position = 0
        for index in np.ndindex(a.shape):
            total = total * kind.type(a[index])
            out[position] = total
            position = position + 1
        return out
    axes = (axis_of(axis, a.ndim),)
    out = np.empty(a.shape, kind)
    for kept in np.ndindex(without(a.shape, axes)):
        total = kind.type(1)
        for along in np.ndindex(only(a.shape, axes)):
            total = total * kind.type(a[joined(kept, along, axes)])
            out[joined(kept, along, axes)] = total
    return out
