"""Special functions and their partials.

The spellings in generated code are names of `runtime.special`. `SPELLINGS` gives the ufunc of SciPy that
decides dtypes and the other Python functions that mean the same.
"""

from __future__ import annotations

import math

from scipy import special

from .core import define
from .symbolic import Value, call, exp

TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)
HALF_ROOT_PI = math.sqrt(math.pi) / 2.0
ROOT_TWO_PI = math.sqrt(2.0 * math.pi)

SPELLINGS: dict[str, tuple[object, ...]] = {
    "erf": (special.erf, math.erf),
    "erfc": (special.erfc, math.erfc),
    "erfcx": (special.erfcx,),
    "erfinv": (special.erfinv,),
    "gamma": (special.gamma, math.gamma),
    "gammaln": (special.gammaln, math.lgamma, special.loggamma),
    "digamma": (special.digamma,),
    "ndtr": (special.ndtr,),
    "log_ndtr": (special.log_ndtr,),
    "ndtri": (special.ndtri,),
    "logit": (special.logit,),
    "log_expit": (special.log_expit,),
}


@define("erf", 1, "erf({0})", special.erf, expensive=True, vector="erf")
def erf_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (TWO_OVER_ROOT_PI * exp(-(x * x)),)


@define("erfc", 1, "erfc({0})", special.erfc, expensive=True, vector="erfc")
def erfc_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (-TWO_OVER_ROOT_PI * exp(-(x * x)),)


@define("erfcx", 1, "erfcx({0})", special.erfcx, expensive=True)
def erfcx_partials(x: Value, out: Value) -> tuple[object, ...]:
    """`exp(x * x) * erfc(x)`."""
    return (2.0 * x * out - TWO_OVER_ROOT_PI,)


@define("erfinv", 1, "erfinv({0})", special.erfinv, expensive=True, singular=True)
def erfinv_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (HALF_ROOT_PI * exp(out * out),)


@define("gamma", 1, "gamma({0})", special.gamma, expensive=True, singular=True)
def gamma_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (out * call("digamma", x),)


@define("gammaln", 1, "gammaln({0})", special.gammaln, expensive=True, singular=True)
def gammaln_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (call("digamma", x),)


@define("digamma", 1, "digamma({0})", special.digamma, expensive=True, singular=True)
def digamma_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (call("polygamma", 1.0, x),)


@define("polygamma", 2, "polygamma({0}, {1})", special.polygamma, expensive=True, singular=True)
def polygamma_partials(n: Value, x: Value, out: Value) -> tuple[object, ...]:
    """The derivative of order `n` of digamma, n = 1, 2, ..."""
    return None, call("polygamma", n + 1.0, x)


@define("ndtr", 1, "ndtr({0})", special.ndtr, expensive=True, vector="ndtr")
def ndtr_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (exp(-0.5 * (x * x)) / ROOT_TWO_PI,)


@define("log_ndtr", 1, "log_ndtr({0})", special.log_ndtr, expensive=True)
def log_ndtr_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (call("mills", x),)


def mills(x: float) -> float:
    """Density over distribution function of the normal law."""
    return math.sqrt(2.0 / math.pi) / float(special.erfcx(-x / math.sqrt(2.0)))


@define("mills", 1, "mills({0})", mills, expensive=True)
def mills_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (-(out * (x + out)),)


@define("ndtri", 1, "ndtri({0})", special.ndtri, expensive=True, singular=True)
def ndtri_partials(p: Value, out: Value) -> tuple[object, ...]:
    return (ROOT_TWO_PI * exp(0.5 * (out * out)),)


@define("logit", 1, "logit({0})", special.logit, expensive=True, singular=True, vector="logit")
def logit_partials(p: Value, out: Value) -> tuple[object, ...]:
    return (1.0 / (p * (1.0 - p)),)


@define("log_expit", 1, "log_expit({0})", special.log_expit, expensive=True, vector="log_expit")
def log_expit_partials(x: Value, out: Value) -> tuple[object, ...]:
    """`expit(-x)`; `-expm1(out)` would be rounded off in the tail to the right."""
    return (call("expit", -x),)


@define("expit", 1, "expit({0})", special.expit, expensive=True, vector="expit")
def expit_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (out * call("expit", -x),)


NAMES = (*SPELLINGS, "polygamma", "mills", "expit")  # what generated code imports
