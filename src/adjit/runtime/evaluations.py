"""Evaluation of special functions of one number, in the subset that Numba compiles, without SciPy.

Input and output: float64. Outside the domain the result is NaN. Accuracy: a few units in the last place,
where the function itself is well conditioned; the tests compare with SciPy. Non-goals: arrays, complex
numbers, float32 (see `special`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

ROOT_2 = math.sqrt(2.0)
ROOT_PI = math.sqrt(math.pi)
LOG_2 = math.log(2.0)


def _compiled(function: Callable[..., float]) -> Any:
    return njit(error_model="numpy")(function)


@_compiled
def square_exponential(x: float) -> float:
    """`exp(x * x)` without the rounding of the square: that of the leading part of x is exact."""
    lead = math.floor(x * 64.0 + 0.5) / 64.0
    rest = (x - lead) * (x + lead)
    return math.exp(lead * lead) * math.exp(rest)


@_compiled
def erfcx_of_positive(x: float) -> float:
    if x < 3.0:
        return square_exponential(x) * math.erfc(x)
    tail = x
    for k in range(90 if x < 6.0 else 30, 0, -1):
        tail = x + 0.5 * k / tail
    return 1.0 / (ROOT_PI * tail)


@_compiled
def erfcx(x: float) -> float:
    if x >= 0.0:
        return erfcx_of_positive(x)
    if x < -26.7:
        return np.inf
    return 2.0 * square_exponential(x) - erfcx_of_positive(-x)


@_compiled
def erf(x: float) -> float:
    return math.erf(x)


@_compiled
def erfc(x: float) -> float:
    return math.erfc(x)


@_compiled
def ndtr(x: float) -> float:
    return 0.5 * math.erfc(-x / ROOT_2)


@_compiled
def log_ndtr(x: float) -> float:
    if x > 0.0:
        return math.log1p(-0.5 * math.erfc(x / ROOT_2))
    if x > -1.0:
        return math.log(0.5 * math.erfc(-x / ROOT_2))
    return math.log(0.5 * erfcx_of_positive(-x / ROOT_2)) - 0.5 * x * x


@_compiled
def mills(x: float) -> float:
    return math.sqrt(2.0 / math.pi) / erfcx(-x / ROOT_2)


@_compiled
def ndtri_start(p: float) -> float:
    """P. J. Acklam's rational approximations, right to nine digits."""
    if p < 0.02425:
        q = math.sqrt(-2.0 * math.log(p))
        top = -7.784894002430293e-03 * q - 3.223964580411365e-01
        top = ((top * q - 2.400758277161838e00) * q - 2.549732539343734e00) * q + 4.374664141464968e00
        low = 7.784695709041462e-03 * q + 3.224671290700398e-01
        return (top * q + 2.938163982698783e00) / (
            ((low * q + 2.445134137142996e00) * q + 3.754408661907416e00) * q + 1.0
        )
    q = p - 0.5
    r = q * q
    top = -3.969683028665376e01 * r + 2.209460984245205e02
    top = ((top * r - 2.759285104469687e02) * r + 1.383577518672690e02) * r - 3.066479806614716e01
    low = -5.447609879822406e01 * r + 1.615858368580409e02
    low = ((low * r - 1.556989798598866e02) * r + 6.680131188771972e01) * r - 1.328068155288572e01
    return q * (top * r + 2.506628277459239e00) / (low * r + 1.0)


@_compiled
def ndtri_of_half(p: float) -> float:
    """Quantile for 0 < p <= 1/2: two Newton steps on the logarithm of the distribution function."""
    x = ndtri_start(p)
    for _ in range(2):
        x = x - (log_ndtr(x) - math.log(p)) / mills(x)
    return x


@_compiled
def ndtri(p: float) -> float:
    if not 0.0 <= p <= 1.0:
        return np.nan
    if p == 0.0:
        return -np.inf
    if p == 1.0:
        return np.inf
    return ndtri_of_half(p) if p <= 0.5 else -ndtri_of_half(1.0 - p)


@_compiled
def erfinv(x: float) -> float:
    size = abs(x)
    if not size < 1.0:
        return x / 0.0 if size == 1.0 else np.nan
    if size < 1e-8:
        return 0.5 * ROOT_PI * x
    y = -ndtri_of_half(0.5 * (1.0 - size)) / ROOT_2
    slope = 2.0 / ROOT_PI * math.exp(-y * y)
    y = y - (math.erf(y) - size) / slope if size < 0.5 else y + (math.erfc(y) - (1.0 - size)) / slope
    return y if x > 0.0 else -y


@_compiled
def gamma(x: float) -> float:
    return math.gamma(x)


@_compiled
def gammaln(x: float) -> float:
    return math.lgamma(x)


@_compiled
def digamma(x: float) -> float:
    """Recurrence up to 10, then Stirling's series; reflection for negative numbers. Poles give NaN."""
    if x == 0.0:
        return -1.0 / x
    if x < 0.0:
        if x == math.floor(x):
            return np.nan
        return digamma_of_positive(1.0 - x) - math.pi / math.tan(math.pi * (x - math.floor(x)))
    return digamma_of_positive(x)


@_compiled
def digamma_of_positive(x: float) -> float:
    shift = 0.0
    while x < 10.0:
        shift += 1.0 / x
        x += 1.0
    r = 1.0 / (x * x)
    series = 1.0 / 12.0 - r * (1.0 / 120.0 - r * (1.0 / 252.0 - r * (1.0 / 240.0 - r * (1.0 / 132.0))))
    series -= r**5 * (691.0 / 32760.0 - r / 12.0)
    return math.log(x) - 0.5 / x - r * series - shift


@_compiled
def polygamma(n: float, x: float) -> float:
    """`(-1) ** (n + 1) * n! * zeta(n + 1, x)` by the formula of Euler and Maclaurin; n >= 1."""
    if x <= 0.0 and x == math.floor(x):
        return np.inf
    s = n + 1.0
    order = int(s)
    total = 0.0
    while x < 12.0 + n:
        total += x**-order
        x += 1.0
    power = x**-order
    total += power * x / n + 0.5 * power
    term = power * s / (12.0 * x)
    for k in range(1, 12):
        total += term
        ratio = BERNOULLI[k] / BERNOULLI[k - 1] / ((2 * k + 1) * (2 * k + 2))
        term *= ratio * (s + 2 * k - 1) * (s + 2 * k) / (x * x)
    sign = 1.0 if order % 2 == 0 else -1.0
    return sign * math.gamma(s) * total


BERNOULLI = (
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
    -174611.0 / 330.0,
    854513.0 / 138.0,
    -236364091.0 / 2730.0,
)


@_compiled
def expit(x: float) -> float:
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    e = math.exp(x)
    return e / (1.0 + e)


@_compiled
def log_expit(x: float) -> float:
    if x >= 0.0:
        return -math.log1p(math.exp(-x))
    return x - math.log1p(math.exp(x))


@_compiled
def logit(p: float) -> float:
    if 0.3 < p < 0.65:
        return math.log1p((2.0 * p - 1.0) / (1.0 - p))
    return math.log(p / (1.0 - p))
