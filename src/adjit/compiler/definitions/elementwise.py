"""Functions of one element, and comparisons of arrays up to a tolerance.

Those marked `elementwise` are functions of scalars. Each branch is smooth up to its border and beyond, so
all derivatives are right there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from ...errors import ShapeError
from .core import Array, Number, compile_time, defines, elementwise, spells, unsupported
from .extrema import all_


@elementwise(np.sinc)
def sinc(x: Number) -> Number:
    """Near zero the Taylor series, whose derivatives are those of the function."""
    t = np.pi * x
    if abs(t) < 0.5:
        r = t * t
        tail = 1 - r / 72 * (1 - r / 110 * (1 - r / 156 * (1 - r / 210)))
        return 1 - r / 6 * (1 - r / 20 * (1 - r / 42 * tail))
    return np.sin(t) / t


@elementwise(np.ldexp)
def ldexp(x: Number, power: Number) -> Number:
    return x * np.exp2(power)


@elementwise(special.xlog1py)
def xlog1py(x: Number, y: Number) -> Number:
    return np.float64(0) if x == 0 and (y <= -1 or y == np.inf) else x * np.log1p(y)


@elementwise(special.entr)
def entr(x: Number) -> Number:
    if x > 0:
        return -x * np.log(x)
    return 0.0 * x if x == 0 else x - np.inf


@elementwise(special.rel_entr)
def rel_entr(x: Number, y: Number) -> Number:
    if x > 0 and y > 0:
        return x * np.log(x / y)
    return 0.0 * x if x == 0 and y >= 0 else 0.0 * x + np.inf


@elementwise(special.kl_div)
def kl_div(x: Number, y: Number) -> Number:
    if x > 0 and y > 0:
        return x * np.log(x / y) - x + y
    return y - x if x == 0 and y >= 0 else 0.0 * x + np.inf


@elementwise(special.exprel)
def exprel(x: Number) -> Number:
    """`(exp(x) - 1) / x`; near zero the series."""
    if abs(x) < 0.1:
        tail = 1 + x / 6 * (1 + x / 7 * (1 + x / 8 * (1 + x / 9)))
        return 1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5 * tail)))
    return np.expm1(x) / x


@spells("polygamma")
def polygamma_of(n: Number, x: Number) -> Number:
    return special.polygamma(n, x)[()]


@defines(special.polygamma)
def polygamma(n: Number, x: Number) -> Number:
    """Of one order; the result is float64 whatever `x` is, as SciPy's."""
    if np.ndim(n) != 0:
        unsupported("scipy.special.polygamma of several orders")
    if n == 0:
        return special.digamma(x)
    if np.ndim(x) == 0:
        return polygamma_of(np.float64(n), np.float64(x))
    points = np.asarray(x)
    out = np.empty(points.shape, np.float64)
    for index in np.ndindex(points.shape):
        out[index] = polygamma_of(np.float64(n), np.float64(points[index]))
    return out


@elementwise(special.betaln)
def betaln(a: Number, b: Number) -> Number:
    return special.gammaln(a) + special.gammaln(b) - special.gammaln(a + b)


@elementwise(special.beta)
def beta(a: Number, b: Number) -> Number:
    """Of positive arguments."""
    return np.exp(betaln(a, b))


@compile_time
def largest(dtype: Any, value: Any) -> float:
    return float(np.finfo(dtype).max) if value is None else value


@compile_time
def smallest(dtype: Any, value: Any) -> float:
    return float(np.finfo(dtype).min) if value is None else value


@defines(np.nan_to_num)
def nan_to_num(
    x: Array, copy: bool = True, nan: Number = 0.0, posinf: Any = None, neginf: Any = None
) -> Array:
    high = x.dtype.type(largest(x.dtype, posinf))
    low = x.dtype.type(smallest(x.dtype, neginf))
    out = np.empty(x.shape, x.dtype)
    for index in np.ndindex(x.shape):
        value = x[index]
        if value != value:
            out[index] = nan
        elif value == np.inf:
            out[index] = high
        elif value == -np.inf:
            out[index] = low
        else:
            out[index] = value
    return out


@defines(np.round, np.around)
def round_(a: Number, decimals: int = 0) -> Number:
    """A multiple of a power of ten: piecewise constant."""
    if np.issubdtype(np.result_type(a), np.integer):
        if decimals < 0:
            unsupported("np.round of integers to negative decimals")
        return np.positive(a)
    if decimals == 0:
        return np.rint(a)
    if decimals > 0:
        return np.rint(a * 10.0**decimals) / 10.0**decimals
    return np.rint(a / 10.0**-decimals) * 10.0**-decimals


@defines(np.select)
def select(condlist: Any, choicelist: Any, default: Number = 0) -> Number:
    """The choice of the first condition that holds."""
    if len(condlist) != len(choicelist):
        raise ShapeError("list of cases must be same length as list of conditions")
    if len(condlist) == 1:
        return np.where(condlist[0], choicelist[0], default)
    return np.where(condlist[0], choicelist[0], select(condlist[1:], choicelist[1:], default))


@defines(np.isclose)
def isclose(a: Array, b: Array, rtol: Number = 1e-05, atol: Number = 1e-08, equal_nan: bool = False) -> Array:
    near = np.logical_and(np.abs(a - b) <= atol + rtol * np.abs(b), np.isfinite(b))
    same = np.logical_or(near, a == b)
    if equal_nan:
        return np.logical_or(same, np.logical_and(np.isnan(a), np.isnan(b)))
    return same


@defines(np.allclose)
def allclose(a: Array, b: Array, rtol: Number = 1e-05, atol: Number = 1e-08, equal_nan: bool = False) -> bool:
    return bool(all_(np.asarray(isclose(a, b, rtol, atol, equal_nan))))


@defines(np.array_equal)
def array_equal(a1: Array, a2: Array) -> bool:
    if a1.ndim != a2.ndim:
        return False
    for n, m in zip(a1.shape, a2.shape):
        if n != m:
            return False
    return bool(all_(a1 == a2))
