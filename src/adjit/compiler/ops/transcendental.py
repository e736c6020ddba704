"""Elementary transcendental functions and their partials."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .core import Partials, define
from .symbolic import Value, call, cos, cosh, equal, sin, sinh, sqrt, where

LN2, LN10 = math.log(2.0), math.log(10.0)


def _op(
    name: str, python: str | None = None, *, arity: int = 1, singular: bool = False
) -> Callable[[Partials], Partials]:
    spelled = f"{python or 'np.' + name}({', '.join(f'{{{k}}}' for k in range(arity))})"
    called = (python or name).split(".")[-1]
    function = getattr(np, called)
    vector = "" if name == "sqrt" else called  # LLVM vectorises the square root itself
    return define(name, arity, spelled, function, expensive=True, singular=singular, vector=vector)


@_op("exp", singular=True)
def exp_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (out,)


@_op("exp2", singular=True)
def exp2_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (LN2 * out,)


@_op("expm1", singular=True)
def expm1_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (out + 1.0,)


@_op("log", singular=True)
def log_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (1.0 / x,)


@_op("log2", singular=True)
def log2_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (1.0 / (LN2 * x),)


@_op("log10", singular=True)
def log10_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (1.0 / (LN10 * x),)


@_op("log1p", singular=True)
def log1p_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (1.0 / (1.0 + x),)


@_op("sqrt", singular=True)
def sqrt_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (0.5 * (1.0 / out),)  # the quotient may be at hand


@_op("cbrt", singular=True)
def cbrt_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (1.0 / (3.0 * out * out),)


@_op("sin")
def sin_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (cos(x),)


@_op("cos")
def cos_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (-sin(x),)


@_op("tan")
def tan_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (1.0 + out * out,)


@_op("asin", "np.arcsin", singular=True)
def asin_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (1.0 / sqrt((1.0 - x) * (1.0 + x)),)


@_op("acos", "np.arccos", singular=True)
def acos_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (-1.0 / sqrt((1.0 - x) * (1.0 + x)),)


@_op("atan", "np.arctan")
def atan_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (1.0 / (1.0 + x * x),)


@_op("atan2", "np.arctan2", arity=2, singular=True)
def atan2_partials(y: Value, x: Value, out: Value) -> tuple[object, ...]:
    return call("over_squares", x, y), -call("over_squares", y, x)


def _over_squares(x: float, y: float) -> object:
    scale = np.maximum(np.abs(x), np.abs(y))
    p, q = np.true_divide(x, scale), np.true_divide(y, scale)
    return np.true_divide(p, scale * (p * p + q * q))


@define("over_squares", 2, "{0} / ({0} * {0} + {1} * {1})", _over_squares, singular=True)
def over_squares_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    """`x / (x * x + y * y)`; the text says how it is kept from overflowing (`spell_out`)."""
    other = call("over_squares", y, x)
    return other * other - out * out, -2.0 * (out * other)


@_op("sinh", singular=True)
def sinh_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (cosh(x),)


@_op("cosh", singular=True)
def cosh_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (sinh(x),)


@_op("tanh")
def tanh_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (1.0 - out * out,)


@_op("asinh", "np.arcsinh")
def asinh_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (1.0 / cosh(out),)


@_op("acosh", "np.arccosh", singular=True)
def acosh_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (1.0 / sinh(out),)


@_op("atanh", "np.arctanh", singular=True)
def atanh_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (1.0 / ((1.0 - x) * (1.0 + x)),)


@_op("hypot", arity=2, singular=True)
def hypot_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    """Gradient zero at the origin."""
    zero = equal(out, 0.0)
    d = 1.0 / where(zero, 1.0, out)
    return where(zero, 0.0, x * d), where(zero, 0.0, y * d)
