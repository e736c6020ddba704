"""Special functions of one number, as generated code calls them.

In plain Python each is SciPy's function; in compiled code it is the evaluation of the same name in
`evaluations`. Input: float32 or float64. Output: the same dtype; float32 is computed in float64. Non-goals:
arrays, complex numbers, vectorisation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload
from scipy import special

from . import evaluations


def _plain_mills(x: float) -> Any:
    kind = np.asarray(x).dtype.type
    return kind(math.sqrt(2.0 / math.pi) / special.erfcx(np.float64(-x) / math.sqrt(2.0)))


def _plain_polygamma(n: float, x: float) -> Any:
    return np.asarray(x).dtype.type(special.polygamma(n, x))


def _unary(evaluation: Any) -> Callable[[Any], Any]:
    def typed(x: Any) -> Any:
        if x == types.float32:
            return lambda x: np.float32(evaluation(np.float64(x)))
        return lambda x: evaluation(x)

    return typed


def _binary(evaluation: Any) -> Callable[[Any, Any], Any]:
    def typed(x: Any, y: Any) -> Any:
        if y == types.float32:
            return lambda x, y: np.float32(evaluation(np.float64(x), np.float64(y)))
        return lambda x, y: evaluation(x, y)

    return typed


def _unary_function(name: str, plain: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function called `name` that is `plain` in Python and the evaluation of that name in compiled code."""

    def function(x: Any) -> Any:
        return plain(x)

    made: Callable[[Any], Any] = _installed(function, _unary(getattr(evaluations, name)), name)
    return made


def _binary_function(name: str, plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def function(x: Any, y: Any) -> Any:
        return plain(x, y)

    made: Callable[[Any, Any], Any] = _installed(function, _binary(getattr(evaluations, name)), name)
    return made


def _installed(function: Any, typed: Any, name: str) -> Any:
    function.__name__ = function.__qualname__ = name
    # Numba compares the signatures of the two, annotations included.
    typed.__annotations__ = {}
    overload(function)(typed)
    return function


erf = _unary_function("erf", special.erf)
erfc = _unary_function("erfc", special.erfc)
erfcx = _unary_function("erfcx", special.erfcx)
erfinv = _unary_function("erfinv", special.erfinv)
gamma = _unary_function("gamma", special.gamma)
gammaln = _unary_function("gammaln", special.gammaln)
digamma = _unary_function("digamma", special.digamma)
polygamma = _binary_function("polygamma", _plain_polygamma)
ndtr = _unary_function("ndtr", special.ndtr)
log_ndtr = _unary_function("log_ndtr", special.log_ndtr)
ndtri = _unary_function("ndtri", special.ndtri)
mills = _unary_function("mills", _plain_mills)
expit = _unary_function("expit", special.expit)
log_expit = _unary_function("log_expit", special.log_expit)
logit = _unary_function("logit", special.logit)
