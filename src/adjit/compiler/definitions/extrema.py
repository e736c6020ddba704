"""Extrema over axes: values, positions, tests of truth.

All entries equal to an extremum share its derivative equally: the walk that finds the extremum only
compares, so the derivative passes through the elements read afterwards. A single extreme entry, the common
case, is then read by its position. NaN is the extremum wherever it occurs, and its first place is the
position, as in NumPy. Input and output as in `reduction`.
"""

from __future__ import annotations

import numpy as np

from ...errors import ShapeError
from .core import (
    Array,
    Axis,
    Number,
    Shape,
    axes_of,
    compile_time,
    count,
    defines,
    held,
    joined,
    kept_shape,
    only,
    share,
    spread,
    without,
)
from .reduction import filled, sum_


@compile_time
def zeros_index(ndim: int) -> Shape:
    return (0,) * ndim


def beats(new: Number, old: Number, sign: int) -> bool:
    """Whether `new` is greater (sign 1) or less (sign -1) than `old`; the first NaN beats all numbers."""
    if sign > 0:
        return new > old or (new != new and old == old)
    return new < old or (new != new and old == old)


def shared_extreme(a: Array, kept: Shape, axes: Shape, sign: int) -> Number:
    """The extremum of the elements of `a` whose index off `axes` is `kept`."""
    inner = only(a.shape, axes)
    best = zeros_index(len(axes))
    value = a[joined(kept, best, axes)]
    ties = 0
    for reduced in np.ndindex(inner):
        new = a[joined(kept, reduced, axes)]
        if beats(new, value, sign):
            value = new
            best = reduced
            ties = 1
        elif new == value:
            ties = ties + 1
    chosen = a[joined(kept, best, axes)]
    if ties > 1:
        chosen = held(chosen)
        weight = a.dtype.type(1 / ties)
        for reduced in np.ndindex(inner):
            new = a[joined(kept, reduced, axes)]
            if new == value:
                chosen = share(chosen, new, weight)
    return chosen


def extremes(a: Array, axis: Axis, keepdims: bool, sign: int) -> Number:
    axes = axes_of(axis, a.ndim)
    if sign > 0 and count(a.shape, axes) == 0:
        raise ShapeError("zero-size array to reduction operation maximum which has no identity")
    if sign < 0 and count(a.shape, axes) == 0:
        raise ShapeError("zero-size array to reduction operation minimum which has no identity")
    if len(axes) == a.ndim:
        return filled(shared_extreme(a, (), axes, sign), a.ndim, keepdims)
    out = np.empty(kept_shape(a.shape, axes, keepdims), a.dtype)
    for kept in np.ndindex(without(a.shape, axes)):
        out[spread(kept, axes, keepdims)] = shared_extreme(a, kept, axes, sign)
    return out


@defines(np.max, np.amax)
def max_(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Number:
    return extremes(a, axis, keepdims, 1)


@defines(np.min, np.amin)
def min_(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Number:
    return extremes(a, axis, keepdims, -1)


@defines(np.ptp)
def ptp(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Number:
    return max_(a, axis, keepdims=keepdims) - min_(a, axis, keepdims=keepdims)


def first_extreme(a: Array, kept: Shape, axes: Shape, sign: int) -> int:
    """Position, counted in C order over `axes`, of the first extremum."""
    value = a[joined(kept, zeros_index(len(axes)), axes)]
    best = 0
    position = 0
    for reduced in np.ndindex(only(a.shape, axes)):
        new = a[joined(kept, reduced, axes)]
        if beats(new, value, sign):
            value = new
            best = position
        position = position + 1
    return best


def positions(a: Array, axis: int | None, keepdims: bool, sign: int) -> Number:
    axes = axes_of(axis, a.ndim)
    if count(a.shape, axes) == 0:
        raise ShapeError("attempt to get argmax or argmin of an empty sequence")
    if len(axes) == a.ndim:
        return filled(np.int64(first_extreme(a, (), axes, sign)), a.ndim, keepdims)
    out = np.empty(kept_shape(a.shape, axes, keepdims), np.int64)
    for kept in np.ndindex(without(a.shape, axes)):
        out[spread(kept, axes, keepdims)] = first_extreme(a, kept, axes, sign)
    return out


@defines(np.argmax)
def argmax(a: Array, axis: int | None = None, *, keepdims: bool = False) -> Number:
    return positions(a, axis, keepdims, 1)


@defines(np.argmin)
def argmin(a: Array, axis: int | None = None, *, keepdims: bool = False) -> Number:
    return positions(a, axis, keepdims, -1)


def found(a: Array, kept: Shape, axes: Shape, truth: bool) -> bool:
    """Whether some element counts as `truth`; the walk ends there."""
    for reduced in np.ndindex(only(a.shape, axes)):
        if (a[joined(kept, reduced, axes)] != 0) == truth:
            return True
    return False


def tested(a: Array, axis: Axis, keepdims: bool, truth: bool) -> Number:
    """`found`, over axes; its opposite for `truth` False: whether all are true."""
    axes = axes_of(axis, a.ndim)
    if len(axes) == a.ndim:
        return filled(np.bool_(found(a, (), axes, truth) == truth), a.ndim, keepdims)
    out = np.empty(kept_shape(a.shape, axes, keepdims), np.bool_)
    for kept in np.ndindex(without(a.shape, axes)):
        out[spread(kept, axes, keepdims)] = found(a, kept, axes, truth) == truth
    return out


@defines(np.any)
def any_(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Number:
    return tested(a, axis, keepdims, True)


@defines(np.all)
def all_(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Number:
    return tested(a, axis, keepdims, False)


@defines(np.count_nonzero)
def count_nonzero(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Number:
    return sum_(a != 0, axis, keepdims=keepdims)


@defines(np.nanmax)
def nanmax(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Number:
    none = all_(np.isnan(a), axis, keepdims=keepdims)
    best = max_(np.where(np.isnan(a), a.dtype.type(-np.inf), a), axis, keepdims=keepdims)
    return np.where(none, a.dtype.type(np.nan), best)


@defines(np.nanmin)
def nanmin(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Number:
    none = all_(np.isnan(a), axis, keepdims=keepdims)
    best = min_(np.where(np.isnan(a), a.dtype.type(np.inf), a), axis, keepdims=keepdims)
    return np.where(none, a.dtype.type(np.nan), best)
