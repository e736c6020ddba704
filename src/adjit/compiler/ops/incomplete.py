"""Incomplete gamma and beta integrals, as distribution functions are made of, with their partials.

The derivative of the incomplete gamma function in its shape is a series or a continued fraction
(`shape_derivative`), itself differentiable in the variable. Shapes whose derivative is not known pass through
ops `shape_of_*` that refuse (see `bessel`).
"""

from __future__ import annotations

import math

from scipy import special

from .bessel import define_held
from .core import define
from .symbolic import Value, call, exp, log, power, smul, sqrt


def shape_derivative(a: float, x: float, psi: float, log_gamma: float) -> float:
    """Derivative in `a` of the regularised lower incomplete gamma function at `x`; `psi` and `log_gamma` are
    digamma and the logarithm of gamma at `a`."""
    if not (a > 0.0 and x >= 0.0):
        return math.nan
    if x == 0.0 or x == math.inf:
        return 0.0
    front = math.exp(a * math.log(x) - x - log_gamma)
    if x < 1.1 * a + 5.0:
        term, total, slope, harmonic, k = 1.0 / a, 1.0 / a, 0.0, 0.0, 0
        while term > 1e-17 * total or k < x:
            k += 1
            term *= x / (a + k)
            harmonic += 1.0 / (a + k)
            total += term
            slope -= term * harmonic
        return front * ((math.log(x) - psi - 1.0 / a) * total + slope)
    last = int(60.0 + 600.0 / math.sqrt(x)) + 40
    value, slope = x + 2.0 * last + 1.0 - a, -1.0
    for k in range(last, 0, -1):
        over = k * (k - a)
        slope = -1.0 + k / value + over * slope / (value * value)
        value = x + 2.0 * k - 1.0 - a - over / value
    return -front * ((math.log(x) - psi) / value - slope / (value * value))


def _gammainc_by_a(a: float, x: float) -> float:
    a, x = float(a), float(x)
    return shape_derivative(a, x, float(special.digamma(a)), float(special.gammaln(a)))


def gamma_density(a: Value, x: Value) -> Value:
    return exp(smul(a - 1.0, log(x)) - x - call("gammaln", a))


@define("gammainc", 2, "gammainc({0}, {1})", special.gammainc, expensive=True, singular=True)
def gammainc_partials(a: Value, x: Value, out: Value) -> tuple[object, ...]:
    return call("gammainc_by_a", call("shape_of_gammainc", a), x), gamma_density(a, x)


@define("gammaincc", 2, "gammaincc({0}, {1})", special.gammaincc, expensive=True, singular=True)
def gammaincc_partials(a: Value, x: Value, out: Value) -> tuple[object, ...]:
    return -call("gammainc_by_a", call("shape_of_gammainc", a), x), -gamma_density(a, x)


@define("gammainc_by_a", 2, "gammainc_by_a({0}, {1})", _gammainc_by_a, expensive=True, singular=True)
def gammainc_by_a_partials(a: Value, x: Value, out: Value) -> tuple[object, ...]:
    """The shape has passed through `shape_of_gammainc`."""
    return None, gamma_density(a, x) * (log(x) - call("digamma", a))


@define("gammaincinv", 2, "gammaincinv({0}, {1})", special.gammaincinv, expensive=True, singular=True)
def gammaincinv_partials(a: Value, p: Value, out: Value) -> tuple[object, ...]:
    density = gamma_density(a, out)
    return -call("gammainc_by_a", call("shape_of_gammainc", a), out) / density, 1.0 / density


@define("betainc", 3, "betainc({0}, {1}, {2})", special.betainc, expensive=True, singular=True)
def betainc_partials(a: Value, b: Value, x: Value, out: Value) -> tuple[object, ...]:
    log_beta = call("gammaln", a) + call("gammaln", b) - call("gammaln", a + b)
    return None, None, exp(smul(a - 1.0, log(x)) + smul(b - 1.0, call("log1p", -x)) - log_beta)


def student_density(df: Value, t: Value) -> Value:
    half = 0.5 * (df + 1.0)
    front = exp(call("gammaln", half) - call("gammaln", 0.5 * df)) / sqrt(df * math.pi)
    return front * power(1.0 + t * t / df, -half)


@define("stdtr", 2, "stdtr({0}, {1})", special.stdtr, expensive=True)
def stdtr_partials(df: Value, t: Value, out: Value) -> tuple[object, ...]:
    return None, student_density(df, t)


@define("stdtrit", 2, "stdtrit({0}, {1})", special.stdtrit, expensive=True, singular=True)
def stdtrit_partials(df: Value, p: Value, out: Value) -> tuple[object, ...]:
    return None, 1.0 / student_density(df, out)


@define("owens_t", 2, "owens_t({0}, {1})", special.owens_t, expensive=True)
def owens_t_partials(h: Value, a: Value, out: Value) -> tuple[object, ...]:
    spread = 1.0 + a * a
    by_h = exp(-0.5 * (h * h)) * call("erf", a * h * math.sqrt(0.5)) * (-0.5 / math.sqrt(2.0 * math.pi))
    return by_h, exp(-0.5 * (h * h) * spread) / (2.0 * math.pi * spread)


define_held("shape_of_gammainc", "the shape of an incomplete gamma function, beyond the first order,")
define_held("shape_of_betainc", "a shape of scipy.special.betainc")
define_held("freedom_of_stdtr", "the degrees of freedom of scipy.special.stdtr")
define_held("freedom_of_stdtrit", "the degrees of freedom of scipy.special.stdtrit")

NAMES = ("gammainc", "gammaincc", "gammainc_by_a", "gammaincinv", "betainc", "stdtr", "stdtrit", "owens_t")
