"""Special functions that SciPy computes, as generated code calls them.

In plain Python each is SciPy's function; compiled code calls the C entry of the same function in
`scipy.special.cython_special`, by a name that LLVM knows from the import on, so that machine code read from a
cache finds it. Input: float32 or float64. Output: the same dtype; float32 is computed in float64.
Non-goals: arrays, complex numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding
import numpy as np
from numba import njit, types
from numba.extending import overload
from scipy import special

from ..compiler.frontend.bindings import special_addresses
from ..compiler.ops import bessel, incomplete
from ..compiler.ops.incomplete import shape_derivative
from . import evaluations

_shape_derivative = njit(error_model="numpy")(shape_derivative)


@njit(error_model="numpy")  # type: ignore[untyped-decorator]
def _gammainc_by_a(a: float, x: float) -> Any:
    return _shape_derivative(a, x, evaluations.digamma(a), evaluations.gammaln(a))


def _entry(name: str, arity: int) -> Any:
    symbol = f"adjit_scipy_{name}"
    llvmlite.binding.add_symbol(symbol, special_addresses()[name])
    return types.ExternalFunction(symbol, types.float64(*[types.float64] * arity))


def _typed(entry: Any, arity: int) -> Callable[..., Any]:
    """The choice of an implementation by the types of the arguments."""
    if arity == 1:

        def unary(x: Any) -> Any:
            if x == types.float32:
                return lambda x: np.float32(entry(np.float64(x)))
            return lambda x: entry(np.float64(x))

        return unary
    if arity == 2:

        def binary(x: Any, y: Any) -> Any:
            if y == types.float32:
                return lambda x, y: np.float32(entry(np.float64(x), np.float64(y)))
            return lambda x, y: entry(np.float64(x), np.float64(y))

        return binary

    def ternary(x: Any, y: Any, z: Any) -> Any:
        if z == types.float32:
            return lambda x, y, z: np.float32(entry(np.float64(x), np.float64(y), np.float64(z)))
        return lambda x, y, z: entry(np.float64(x), np.float64(y), np.float64(z))

    return ternary


def _function(name: str, plain: Callable[..., Any], arity: int, entry: Any) -> Callable[..., Any]:
    """A function called `name` that is `plain` in Python and `entry` in compiled code."""
    made: Any
    if arity == 1:
        made = lambda x: plain(x)  # noqa: E731
    elif arity == 2:
        made = lambda x, y: plain(x, y)  # noqa: E731
    else:
        made = lambda x, y, z: plain(x, y, z)  # noqa: E731
    made.__name__ = made.__qualname__ = name
    typed = _typed(entry, arity)
    typed.__annotations__ = {}
    overload(made)(typed)
    known: Callable[..., Any] = made
    return known


def _plain_gammainc_by_a(a: Any, x: Any) -> Any:
    slope = shape_derivative(float(a), float(x), float(special.digamma(a)), float(special.gammaln(a)))
    return np.asarray(x).dtype.type(slope)


def _all() -> dict[str, Callable[..., Any]]:
    made = {}
    for name in (*bessel.NAMES, *incomplete.NAMES):
        if name == "gammainc_by_a":
            made[name] = _function(name, _plain_gammainc_by_a, 2, _gammainc_by_a)
        else:
            plain = getattr(special, name)
            spelled = bessel.spelling(name)
            made[spelled] = _function(spelled, plain, plain.nin, _entry(name, plain.nin))
    return made


globals().update(_all())
