"""Weighted means, covariances, quadrature, polynomials, convolution, interpolation, log-sum-exp.

Compositions of other definitions and short loops. Input and output: as NumPy's and SciPy's functions of the
same name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from ...errors import ShapeError
from .core import (
    Array,
    Axis,
    Number,
    Shape,
    axes_of,
    axis_of,
    compile_time,
    defines,
    float_dtype,
    held,
    joined,
    kept_shape,
    only,
    spread,
    unsupported,
    wide,
    without,
)
from .reduction import filled, mean, sum_


@defines(np.average)
def average(a: Array, axis: Any = None, weights: Any = None, *, keepdims: bool = False) -> Number:
    if weights is None:
        return mean(a, axis, keepdims=keepdims)
    w = np.asarray(weights)
    if w.ndim < a.ndim:
        w = along_axis(w, axis_of(axis, a.ndim), a.ndim)
    kind = np.result_type(float_dtype(a.dtype), w.dtype)
    full = np.broadcast_to(w, a.shape)
    scale = sum_(full, axis, kind, keepdims=keepdims)
    return sum_(np.multiply(a, full), axis, kind, keepdims=keepdims) / scale


def along_axis(x: Array, axis: int, ndim: int) -> Array:
    """A vector as an array of `ndim` axes that varies along one."""
    return x.reshape(tuple(x.shape[0] if k == axis else 1 for k in range(ndim)))


@defines(np.cov)
def cov(m: Array, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None) -> Number:
    """Of the rows of `m`; a single row gives a number."""
    if y is not None:
        unsupported("np.cov of two arrays")
    if m.ndim == 1:
        x = m[None, :]
    elif rowvar:
        x = m
    else:
        x = m.T
    less = ddof if ddof is not None else 0 if bias else 1
    wide = x.astype(np.float64)
    centred = wide - mean(wide, 1, keepdims=True)
    out = np.matmul(centred, centred.T) / (x.shape[1] - less)
    if m.ndim == 1:
        return out[0, 0]
    return out


@defines(np.corrcoef)
def corrcoef(x: Array, y: Any = None, rowvar: bool = True) -> Number:
    c = cov(x, y, rowvar)
    if x.ndim == 1:
        return c / c
    spread = np.sqrt(np.diag(c))
    return np.clip(c / spread[:, None] / spread[None, :], -1.0, 1.0)


@defines(np.trapezoid)
def trapezoid(y: Array, x: Any = None, dx: Number = 1.0, axis: int = -1) -> Number:
    along = axis_of(axis, y.ndim)
    after = y[tuple(slice(1, None) if k == along else slice(None) for k in range(y.ndim))]
    before = y[tuple(slice(None, -1) if k == along else slice(None) for k in range(y.ndim))]
    if x is None:
        return sum_(dx * (after + before) / 2.0, along)
    points = np.asarray(x)
    if points.ndim == 1:
        return sum_(along_axis(points[1:] - points[:-1], along, y.ndim) * (after + before) / 2.0, along)
    return sum_(np.diff(points, 1, along) * (after + before) / 2.0, along)


@defines(np.polyval)
def polyval(p: Array, x: Number) -> Number:
    """Horner's rule; highest power first."""
    if np.ndim(x) == 0:
        return horner(p, x, np.result_type(p, x))
    points = np.asarray(x)
    out = np.empty(points.shape, np.result_type(p, points))
    for index in np.ndindex(points.shape):
        out[index] = horner(p, points[index], out.dtype)
    return out


def horner(p: Array, x: Number, kind: Any) -> Number:
    y = kind.type(0)
    for k in range(p.shape[0]):
        y = y * kind.type(x) + kind.type(p[k])
    return y


@defines(np.polymul)
def polymul(a1: Array, a2: Array) -> Array:
    return convolve(a1, a2)


@defines(np.polyder)
def polyder(p: Array, m: int = 1) -> Array:
    if m == 0:
        return p
    n = max(p.shape[0] - 1, 0)
    out = np.empty(n, np.result_type(p.dtype, np.int64))
    for k in range(n):
        out[k] = p[k] * (n - k)
    return polyder(out, m - 1)


@defines(np.bincount)
def bincount(x: Array, weights: Any = None, minlength: int = 0) -> Array:
    """Counts, or sums of weights, per value."""
    n = minlength
    for k in range(x.shape[0]):
        n = max(n, x[k] + 1)
    if weights is None:
        counts = np.zeros(n, np.int64)
        for k in range(x.shape[0]):
            counts[x[k]] += 1
        return counts
    w = np.asarray(weights)
    if w.shape[0] != x.shape[0]:
        raise ShapeError("The weights and list don't have the same length.")
    sums = np.zeros(n, np.float64)
    for k in range(x.shape[0]):
        sums[x[k]] += np.float64(w[k])
    return sums


@defines(np.unwrap)
def unwrap(p: Array, discont: Any = None, axis: int = -1, *, period: Number = 6.283185307179586) -> Array:
    """Steps larger than half a period are changed by whole periods, which carry no derivative."""
    along = axis_of(axis, p.ndim)
    kind = np.result_type(p.dtype, period)
    half = period / 2.0
    limit = half if discont is None else max(discont, half)
    out = np.empty(p.shape, kind)
    for kept in np.ndindex(without(p.shape, (along,))):
        correction = kind.type(0)
        for at in np.ndindex(only(p.shape, (along,))):
            here = joined(kept, at, (along,))
            value = kind.type(p[here])
            if at[0] > 0:
                step = value - kind.type(p[joined(kept, (at[0] - 1,), (along,))])
                turned = np.floor((step + half) / period) * period
                if step - turned == -half and step > 0:
                    turned = turned - period
                if abs(step) >= limit:
                    correction = correction - turned
            out[here] = value + correction
    return out


@compile_time
def known_mode(mode: str) -> None:
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")


@defines(np.convolve)
def convolve(a: Array, v: Array, mode: str = "full") -> Array:
    shorter = min(a.shape[0], v.shape[0])
    return cut(a, v, mode, (shorter - 1) // 2)


@defines(np.correlate)
def correlate(a: Array, v: Array, mode: str = "valid") -> Array:
    shorter = min(a.shape[0], v.shape[0])
    half = (shorter - 1) // 2
    return cut(a, v[::-1], mode, half if a.shape[0] >= v.shape[0] else shorter - 1 - half)


def cut(a: Array, v: Array, mode: str, start: int) -> Array:
    """The convolution, its part of the longer length from `start` on, or that of full overlap."""
    known_mode(mode)
    n = a.shape[0]
    m = v.shape[0]
    if n == 0 or m == 0:
        raise ShapeError("convolution of an empty array")
    kind = np.result_type(a.dtype, v.dtype)
    if mode == "full":
        low = 0
        length = n + m - 1
    elif mode == "same":
        low = start
        length = max(n, m)
    else:
        low = min(n, m) - 1
        length = max(n, m) - min(n, m) + 1
    out = np.empty(length, kind)
    for k in range(length):
        total = kind.type(0)
        for i in range(max(0, k + low - m + 1), min(n, k + low + 1)):
            total = total + kind.type(a[i]) * kind.type(v[k + low - i])
        out[k] = total
    return out


@defines(np.interp)
def interp(x: Number, xp: Array, fp: Array, left: Any = None, right: Any = None) -> Number:
    if xp.shape[0] == 0:
        raise ShapeError("array of sample points is empty")
    if xp.shape[0] != fp.shape[0]:
        raise ShapeError("fp and xp are not of the same length.")
    low = fp[0] if left is None else left
    high = fp[xp.shape[0] - 1] if right is None else right
    if np.ndim(x) == 0:
        return interpolated(np.float64(x), xp, fp, np.float64(low), np.float64(high))
    points = np.asarray(x)
    out = np.empty(points.shape, np.float64)
    for index in np.ndindex(points.shape):
        out[index] = interpolated(np.float64(points[index]), xp, fp, np.float64(low), np.float64(high))
    return out


def interpolated(x: Number, xp: Array, fp: Array, low: Number, high: Number) -> Number:
    """At a sample point the piece to its right, at the last one that to its left."""
    n = xp.shape[0]
    if x != x:
        return x
    if x < xp[0]:
        return low
    if x > xp[n - 1]:
        return high
    if n == 1:
        return np.float64(fp[0])
    k = min(int(np.searchsorted(xp, x, "right")) - 1, n - 2)
    slope = (np.float64(fp[k + 1]) - np.float64(fp[k])) / (np.float64(xp[k + 1]) - np.float64(xp[k]))
    return slope * (x - np.float64(xp[k])) + np.float64(fp[k])


@defines(np.gradient)
def gradient(f: Array, *varargs: Any, axis: Any = None) -> Any:
    """Central differences, one-sided at both ends."""
    axes = axes_of(axis, f.ndim)
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError("invalid number of arguments")
    if len(axes) == 1:
        return slope_along(f, axes[0], varargs[0] if len(varargs) > 0 else 1.0)
    if len(varargs) == len(axes):
        return tuple(slope_along(f, k, h) for k, h in zip(axes, varargs))
    return tuple(slope_along(f, k, varargs[0] if len(varargs) > 0 else 1.0) for k in axes)


def slope_along(f: Array, axis: int, spacing: Number) -> Array:
    n = f.shape[axis]
    if n < 2:
        raise ShapeError("Shape of array too small to calculate a numerical gradient")
    kind = float_dtype(f.dtype)
    out = np.empty(f.shape, kind)
    for index in np.ndindex(f.shape):
        at = index[axis]
        low = max(at - 1, 0)
        high = min(at + 1, n - 1)
        before = kind.type(f[tuple(low if k == axis else i for k, i in enumerate(index))])
        after = kind.type(f[tuple(high if k == axis else i for k, i in enumerate(index))])
        if np.ndim(spacing) == 0:
            out[index] = (after - before) / kind.type((high - low) * spacing)
        elif at == 0 or at == n - 1:
            out[index] = (after - before) / kind.type(spacing[high] - spacing[low])
        else:
            here = kind.type(f[index])
            h = kind.type(spacing[at] - spacing[low])
            g = kind.type(spacing[high] - spacing[at])
            out[index] = ((after - here) * h / g + (here - before) * g / h) / (h + g)
    return out


# -- sums of exponentials


def peak(x: Array, kept: Shape, axes: Shape) -> Number:
    """The maximum, zero if it is infinite; subtracting it changes nothing, so it carries no derivative."""
    top = x.dtype.type(-np.inf)
    for reduced in np.ndindex(only(x.shape, axes)):
        value = x[joined(kept, reduced, axes)]
        if value > top or value != value:
            top = value
    return held(top) if np.isfinite(top) else x.dtype.type(0)


def log_of_sum(x: Array, kept: Shape, axes: Shape) -> Number:
    top = peak(x, kept, axes)
    total = wide(x.dtype).type(0)
    for reduced in np.ndindex(only(x.shape, axes)):
        total = total + np.exp(x[joined(kept, reduced, axes)] - top)
    return np.log(x.dtype.type(total)) + top


@defines(special.logsumexp)
def logsumexp(a: Array, axis: Axis = None, b: Any = None, keepdims: bool = False) -> Number:
    if b is not None:
        unsupported("scipy.special.logsumexp with weights")
    if not np.issubdtype(a.dtype, np.inexact):
        return logsumexp(a.astype(np.float64), axis, None, keepdims)
    axes = axes_of(axis, a.ndim)
    if len(axes) == a.ndim:
        return filled(log_of_sum(a, (), axes), a.ndim, keepdims)
    out = np.empty(kept_shape(a.shape, axes, keepdims), a.dtype)
    for kept in np.ndindex(without(a.shape, axes)):
        out[spread(kept, axes, keepdims)] = log_of_sum(a, kept, axes)
    return out


@defines(special.softmax)
def softmax(x: Array, axis: Axis = None) -> Array:
    axes = axes_of(axis, x.ndim)
    powers = np.empty(x.shape, x.dtype)
    out = np.empty(x.shape, x.dtype)
    for kept in np.ndindex(without(x.shape, axes)):
        top = peak(x, kept, axes)
        total = x.dtype.type(0)
        for reduced in np.ndindex(only(x.shape, axes)):
            power = np.exp(x[joined(kept, reduced, axes)] - top)
            powers[joined(kept, reduced, axes)] = power
            total = total + power
        for reduced in np.ndindex(only(x.shape, axes)):
            out[joined(kept, reduced, axes)] = powers[joined(kept, reduced, axes)] / total
    return out


@defines(special.log_softmax)
def log_softmax(x: Array, axis: Axis = None) -> Array:
    axes = axes_of(axis, x.ndim)
    out = np.empty(x.shape, x.dtype)
    for kept in np.ndindex(without(x.shape, axes)):
        total = log_of_sum(x, kept, axes)
        for reduced in np.ndindex(only(x.shape, axes)):
            out[joined(kept, reduced, axes)] = x[joined(kept, reduced, axes)] - total
    return out
