"""Elementwise functions: which ufunc decides their dtypes, and what one element needs.

A row serves operators, `np.*`, `math.*` and `scipy.special`. Most rows are one core op; the rest are
compositions of ops, written so that their derivative is right to all orders at ties, zeros and infinities.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from ...ir.builder import Builder, const
from ...ir.nodes import Operand
from ...ir.types import FLOATS
from ...ops import TABLE, bessel

Emit = Callable[..., Operand]


@dataclass(frozen=True)
class Elementwise:
    """`ufunc` decides the dtypes; `emit(b, *operands)` computes one element on operands of those dtypes.

    `cost` is about the number of additions it is worth: a costly operand is stored rather than evaluated
    repeatedly.
    """

    name: str
    ufunc: np.ufunc
    emit: Emit
    cost: int = 1

    @property
    def arity(self) -> int:
        return self.ufunc.nin


ROWS: dict[str, Elementwise] = {}
BY_FUNCTION: dict[object, Elementwise] = {}


def _row(row: Elementwise, *functions: object) -> None:
    ROWS[row.name] = row
    for f in functions:
        BY_FUNCTION[f] = row


def _core(op: str) -> Emit:
    def emit(b: Builder, *args: Operand) -> Operand:
        return b.op(op, *args)

    return emit


def _core_row(op: str, ufunc: np.ufunc, *functions: object) -> None:
    cost = 10 if TABLE[op].expensive else 4 if op == "div" else 1
    _row(Elementwise(op, ufunc, _core(op), cost), ufunc, *functions)


def _is_bool(x: Operand) -> bool:
    return x.type.dtype == "bool"


def like(x: Operand, value: float) -> Operand:
    """A constant of the dtype of `x`."""
    return const(value, x.type.dtype)


# -- operators


def _add(b: Builder, x: Operand, y: Operand) -> Operand:
    return b.op("or" if _is_bool(x) else "add", x, y)


def _mul(b: Builder, x: Operand, y: Operand) -> Operand:
    return b.op("and" if _is_bool(x) else "mul", x, y)


def _invert(b: Builder, x: Operand) -> Operand:
    return b.op("not" if _is_bool(x) else "invert", x)


def _boolean(op: str, on_booleans: str) -> Emit:
    """A bit operation, which on booleans is the logical one."""

    def emit(b: Builder, x: Operand, y: Operand) -> Operand:
        return b.op(on_booleans if _is_bool(x) else op, x, y)

    return emit


def _rounding(op: str) -> Emit:
    """Rounding of an integer is the integer itself."""

    def emit(b: Builder, x: Operand) -> Operand:
        return b.op(op, x) if x.type.dtype in FLOATS else x

    return emit


def _test(op: str, on_integers: bool) -> Emit:
    def emit(b: Builder, x: Operand) -> Operand:
        return b.op(op, x) if x.type.dtype in FLOATS else const(on_integers)

    return emit


def _extremum(op: str, on_booleans: str) -> Emit:
    return _boolean(op, on_booleans)


def _of_python(op: str, extremum: Emit) -> Emit:
    """Python's `max` or `min`, which differs for NaN."""

    def emit(b: Builder, x: Operand, y: Operand) -> Operand:
        return b.op(op, x, y) if x.type.dtype in FLOATS else extremum(b, x, y)

    return emit


def _logical(op: str) -> Emit:
    def emit(b: Builder, *args: Operand) -> Operand:
        return b.op(op, *args)

    return emit


def _logical_xor(b: Builder, x: Operand, y: Operand) -> Operand:
    return b.op("ne", x, y)


_row(Elementwise("add", np.add, _add), np.add)
_row(Elementwise("mul", np.multiply, _mul), np.multiply)
_row(Elementwise("invert", np.invert, _invert), np.invert)
_row(Elementwise("bitand", np.bitwise_and, _boolean("bitand", "and")), np.bitwise_and)
_row(Elementwise("bitor", np.bitwise_or, _boolean("bitor", "or")), np.bitwise_or)
_row(Elementwise("bitxor", np.bitwise_xor, _boolean("bitxor", "ne")), np.bitwise_xor)
_row(Elementwise("maximum", np.maximum, _extremum("maximum", "or")), np.maximum)
_row(Elementwise("minimum", np.minimum, _extremum("minimum", "and")), np.minimum)
_row(Elementwise("larger", np.maximum, _of_python("larger", _extremum("maximum", "or"))))
_row(Elementwise("smaller", np.minimum, _of_python("smaller", _extremum("minimum", "and"))))
_row(Elementwise("and", np.logical_and, _logical("and")), np.logical_and)
_row(Elementwise("or", np.logical_or, _logical("or")), np.logical_or)
_row(Elementwise("not", np.logical_not, _logical("not")), np.logical_not)
_row(Elementwise("logical_xor", np.logical_xor, _logical_xor), np.logical_xor)
UFUNCS: dict[str, np.ufunc] = {
    "sub": np.subtract,
    "div": np.true_divide,
    "pow": np.power,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "neg": np.negative,
    "lshift": np.left_shift,
    "rshift": np.right_shift,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "sign": np.sign,
    "rint": np.rint,
}
for _op, _ufunc in UFUNCS.items():
    _core_row(_op, _ufunc)
_core_row("fmod", np.fmod, math.fmod)
_core_row("abs", np.absolute)
_core_row("copysign", np.copysign, math.copysign)
_row(Elementwise("fabs", np.fabs, _core("abs")), np.fabs, math.fabs)
_row(Elementwise("floor", np.floor, _rounding("floor")), np.floor, math.floor)
_row(Elementwise("ceil", np.ceil, _rounding("ceil")), np.ceil, math.ceil)
_row(Elementwise("trunc", np.trunc, _rounding("trunc")), np.trunc, np.fix, math.trunc)
_row(Elementwise("isnan", np.isnan, _test("isnan", False)), np.isnan, math.isnan)
_row(Elementwise("isinf", np.isinf, _test("isinf", False)), np.isinf, math.isinf)
_row(Elementwise("isfinite", np.isfinite, _test("isfinite", True)), np.isfinite, math.isfinite)

# -- transcendental functions

TRANSCENDENTAL: dict[str, np.ufunc] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "cbrt": np.cbrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "hypot": np.hypot,
}
for _op, _ufunc in TRANSCENDENTAL.items():
    _core_row(_op, _ufunc)
    if hasattr(math, _op):
        BY_FUNCTION[getattr(math, _op)] = ROWS[_op]


# -- compositions


def _square(b: Builder, x: Operand) -> Operand:
    return b.op("and", x, x) if _is_bool(x) else b.op("mul", x, x)


def _reciprocal(b: Builder, x: Operand) -> Operand:
    return b.op("div", like(x, 1.0), x)


def _positive(_b: Builder, x: Operand) -> Operand:
    return x


def _scaled(factor: float) -> Emit:
    def emit(b: Builder, x: Operand) -> Operand:
        return b.op("mul", x, like(x, factor))

    return emit


def _log_of_sum(inner: str, outer: str) -> Emit:
    """`log(exp(x) + exp(y))`: the larger one plus a function of the difference, routed by one comparison,
    so that the derivative at a tie is one half to each; equal infinities have no difference.
    """

    def emit(b: Builder, x: Operand, y: Operand) -> Operand:
        first = b.op("ge", x, y)
        high, low = b.op("select", first, x, y), b.op("select", first, y, x)
        no_gap = b.op("and", b.op("isinf", high), b.op("eq", high, low))
        gap = b.op("select", no_gap, like(x, 0.0), b.op("sub", low, high))
        if outer == "log1p":
            return b.op("add", high, b.op("log1p", b.op(inner, gap)))
        more = b.op("div", b.op("log1p", b.op(inner, gap)), like(x, math.log(2.0)))
        return b.op("add", high, more)

    return emit


def _ignore_nan(op: str) -> Emit:
    def emit(b: Builder, x: Operand, y: Operand) -> Operand:
        best = b.op(op, x, y)
        if x.type.dtype not in FLOATS:
            return best
        return b.op("select", b.op("isnan", x), y, b.op("select", b.op("isnan", y), x, best))

    return emit


def _heaviside(b: Builder, x: Operand, at_zero: Operand) -> Operand:
    above = b.op("select", b.op("gt", x, like(x, 0.0)), like(x, 1.0), at_zero)
    below = b.op("select", b.op("lt", x, like(x, 0.0)), like(x, 0.0), above)
    return b.op("select", b.op("isnan", x), x, below)


def _xlogy(b: Builder, x: Operand, y: Operand) -> Operand:
    """Zero for x = 0 even if the logarithm is infinite or NaN; where it is finite, d/dx is the logarithm
    there too.
    """
    bad = b.op("or", b.op("le", y, like(y, 0.0)), b.op("eq", y, like(y, math.inf)))
    zero = b.op("and", b.op("eq", x, like(x, 0.0)), bad)
    safe = b.op("select", zero, like(y, 1.0), y)
    return b.op("mul", x, b.op("log", safe))


def _signbit(b: Builder, x: Operand) -> Operand:
    if x.type.dtype not in FLOATS:
        return b.op("lt", x, like(x, 0))
    return b.op("lt", b.op("copysign", like(x, 1.0), x), like(x, 0.0))


_row(Elementwise("square", np.square, _square), np.square)
_row(Elementwise("reciprocal", np.reciprocal, _reciprocal, 4), np.reciprocal)
_row(Elementwise("positive", np.positive, _positive), np.positive)
_row(Elementwise("radians", np.radians, _scaled(math.pi / 180.0)), np.radians, np.deg2rad, math.radians)
_row(Elementwise("degrees", np.degrees, _scaled(180.0 / math.pi)), np.degrees, np.rad2deg, math.degrees)
_row(Elementwise("logaddexp", np.logaddexp, _log_of_sum("exp", "log1p"), 20), np.logaddexp)
_row(Elementwise("logaddexp2", np.logaddexp2, _log_of_sum("exp2", "log2"), 20), np.logaddexp2)
_row(Elementwise("fmax", np.fmax, _ignore_nan("maximum"), 3), np.fmax)
_row(Elementwise("fmin", np.fmin, _ignore_nan("minimum"), 3), np.fmin)
_row(Elementwise("heaviside", np.heaviside, _heaviside, 3), np.heaviside)
_row(Elementwise("signbit", np.signbit, _signbit), np.signbit)
_row(Elementwise("float_power", np.float_power, _core("pow"), 10), np.float_power, math.pow)


_row(Elementwise("xlogy", special.xlogy, _xlogy, 12), special.xlogy)
for _op in [
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "gamma",
    "gammaln",
    "digamma",
    "ndtr",
    "log_ndtr",
    "ndtri",
    "logit",
    "log_expit",
    "expit",
]:
    _core_row(_op, getattr(special, _op))
for _op in ("cbrt", "exp2", "expm1", "log1p"):
    BY_FUNCTION[getattr(special, _op)] = ROWS[_op]
BY_FUNCTION[special.psi] = ROWS["digamma"]
for _name, _op in (("erf", "erf"), ("erfc", "erfc"), ("lgamma", "gammaln"), ("gamma", "gamma")):
    BY_FUNCTION[getattr(math, _name)] = ROWS[_op]


# -- functions whose order or shape may have no derivative


def _held(op: str, guards: dict[int, str]) -> Emit:
    """The op, of whose arguments some pass through ops that refuse to be differentiated."""

    def emit(b: Builder, *args: Operand) -> Operand:
        return b.op(op, *(b.op(guards[k], x) if k in guards else x for k, x in enumerate(args)))

    return emit


for _op in (*bessel.PLAIN, "gammainc", "gammaincc", "gammaincinv", "owens_t"):
    _core_row(_op, getattr(special, _op))
GUARDED: dict[str, dict[int, str]] = {
    **{_op: {0: f"order_of_{_op}"} for _op in bessel.ORDERED},
    "betainc": {0: "shape_of_betainc", 1: "shape_of_betainc"},
    "stdtr": {0: "freedom_of_stdtr"},
    "stdtrit": {0: "freedom_of_stdtrit"},
}
for _op, _guards in GUARDED.items():
    _row(Elementwise(_op, getattr(special, _op), _held(_op, _guards), 20), getattr(special, _op))
