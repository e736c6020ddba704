"""Arithmetic and functions of complex numbers in terms of their real and imaginary parts.

Input: a builder and pairs of real operands. Output: the pair, or the real number or boolean, that the op of
the same name gives. Invariants: products of real and complex numbers are those of two complex numbers, as
in NumPy; branch cuts and their sides, told by signs of zero, are those of C99 and NumPy; each formula's
derivative is the function's own wherever that exists, and the absolute value's at zero is zero. Non-goals:
C99's special values at infinities.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..ir.builder import Builder, const
from ..ir.nodes import Const, Operand

Pair = tuple[Operand, Operand]
MOST_PRODUCTS = 100  # exponents up to this are products, as in Python and NumPy


def like(x: Operand, value: float) -> Const:
    return const(value, x.type.dtype)


def is_const(x: Operand, value: float) -> bool:
    return isinstance(x, Const) and x.value == value


def vanishes(b: Builder, x: Operand) -> bool:
    """Whether a number is zero wherever it is finite: a constant zero, or made of products with one."""
    if isinstance(x, Const):
        return x.value == 0
    made = b.definitions.get(x)
    match getattr(made, "op", None):
        case "mul":
            return any(vanishes(b, a) for a in made.args)  # type: ignore[union-attr]
        case "add" | "sub" | "neg" | "cast" | "add_zero":
            return all(vanishes(b, a) for a in made.args)  # type: ignore[union-attr]
    return False


# -- arithmetic


def is_zero(x: Operand, sign: float) -> bool:
    return is_const(x, 0.0) and math.copysign(1.0, float(x.value)) == sign  # type: ignore[union-attr]


def plus(b: Builder, x: Operand, y: Operand) -> Operand:
    """The sum of two parts, down to the sign of zero."""
    for part, other in ((x, y), (y, x)):
        if is_zero(other, 1.0) and not isinstance(part, Const):
            return b.op("add_zero", part, other)
    return b.op("add", x, y)


def minus(b: Builder, x: Operand, y: Operand) -> Operand:
    if is_zero(y, -1.0) and not isinstance(x, Const):
        return b.op("add_zero", x, like(x, 0.0))
    return b.op("sub", x, y)


def add(b: Builder, x: Pair, y: Pair) -> Pair:
    return plus(b, x[0], y[0]), plus(b, x[1], y[1])


def sub(b: Builder, x: Pair, y: Pair) -> Pair:
    return minus(b, x[0], y[0]), minus(b, x[1], y[1])


def neg(b: Builder, x: Pair) -> Pair:
    return b.op("neg", x[0]), b.op("neg", x[1])


def conj(b: Builder, x: Pair) -> Pair:
    return x[0], b.op("neg", x[1])


def mul(b: Builder, x: Pair, y: Pair) -> Pair:
    real = minus(b, b.op("mul", x[0], y[0]), b.op("mul", x[1], y[1]))
    return real, plus(b, b.op("mul", x[0], y[1]), b.op("mul", x[1], y[0]))


def square(b: Builder, x: Pair) -> Pair:
    return mul(b, x, x)


def scaled(b: Builder, x: Pair, factor: float) -> Pair:
    k = like(x[0], factor)
    return b.op("mul", x[0], k), b.op("mul", x[1], k)


def div(b: Builder, x: Pair, y: Pair) -> Pair:
    """Smith's way: by the quotient of the divisor's smaller and larger part, so that nothing overflows."""
    (xr, xi), (yr, yi) = x, y
    if is_const(yi, 0.0):
        ratio = b.op("copysign", like(yr, 0.0), yr)  # a zero, whose sign counts in zeros of the result
        if is_zero(yi, -1.0):
            ratio = b.op("neg", ratio)
        real = b.op("div", plus(b, xr, b.op("mul", xi, ratio)), yr)
        return real, b.op("div", minus(b, xi, b.op("mul", xr, ratio)), yr)
    wide = b.op("ge", b.op("abs", yr), b.op("abs", yi))
    large, small = b.op("select", wide, yr, yi), b.op("select", wide, yi, yr)
    first, second = b.op("select", wide, xr, xi), b.op("select", wide, xi, xr)
    ratio = b.op("div", small, large)
    below = b.op("add", large, b.op("mul", small, ratio))
    real = b.op("div", plus(b, first, b.op("mul", second, ratio)), below)
    rest = b.op("div", minus(b, second, b.op("mul", first, ratio)), below)
    return real, b.op("select", wide, rest, b.op("neg", rest))


def one(x: Pair) -> Pair:
    return like(x[0], 1.0), like(x[0], 0.0)


def reciprocal(b: Builder, x: Pair) -> Pair:
    return div(b, one(x), x)


def power(b: Builder, x: Pair, y: Pair) -> Pair:
    """Constant integers by products, so that derivatives hold at zero; else exp(y log x).

    At zero the derivative of other powers is that of `x ** 1` for the exponent 1 and else taken to be zero.
    """
    if isinstance(y[0], Const) and is_const(y[1], 0.0):
        exponent = float(y[0].value)
        if exponent == 0.5:
            return sqrt(b, x)
        if exponent.is_integer() and abs(exponent) <= MOST_PRODUCTS:
            found = by_products(b, x, abs(int(exponent)))
            return found if exponent >= 0 else reciprocal(b, found)
    zero = b.op("and", b.op("eq", x[0], like(x[0], 0.0)), b.op("eq", x[1], like(x[0], 0.0)))
    safe = (b.op("select", zero, like(x[0], 1.0), x[0]), b.op("select", zero, like(x[0], 0.0), x[1]))
    found = exp(b, mul(b, y, log(b, safe)))
    first = b.op("and", b.op("eq", y[0], like(x[0], 1.0)), b.op("eq", y[1], like(x[0], 0.0)))
    none = b.op("and", b.op("eq", y[0], like(x[0], 0.0)), b.op("eq", y[1], like(x[0], 0.0)))
    rises = b.op("gt", y[0], like(x[0], 0.0))
    bad, nought = like(x[0], math.nan), like(x[0], 0.0)
    real = b.op("select", rises, nought, b.op("select", none, like(x[0], 1.0), bad))
    imag = b.op("select", b.op("or", rises, none), nought, bad)
    at_zero = b.op("select", first, x[0], real), b.op("select", first, x[1], imag)
    return b.op("select", zero, at_zero[0], found[0]), b.op("select", zero, at_zero[1], found[1])


def by_products(b: Builder, x: Pair, n: int) -> Pair:
    """`x ** n` for a natural number, by squaring."""
    found: Pair | None = None
    step = x
    while n:
        if n & 1:
            found = step if found is None else mul(b, found, step)
        n >>= 1
        if n:
            step = mul(b, step, step)
    return found if found is not None else one(x)


# -- exponentials, logarithms, roots


def exp(b: Builder, x: Pair) -> Pair:
    if is_const(x[1], 0.0):
        return b.op("exp", x[0]), x[1]
    turned = b.op("cos", x[1]), b.op("sin", x[1])
    if vanishes(b, x[0]):  # `exp(1j * t)`: where 0 * t is no zero, sine and cosine of t are no numbers either
        return turned
    size = b.op("exp", x[0])
    return b.op("mul", size, turned[0]), b.op("mul", size, turned[1])


def exp2(b: Builder, x: Pair) -> Pair:
    return exp(b, scaled(b, x, math.log(2.0)))


def expm1(b: Builder, x: Pair) -> Pair:
    half = b.op("sin", b.op("mul", x[1], like(x[1], 0.5)))
    rest = b.op("mul", like(x[1], 2.0), b.op("mul", half, half))
    real = b.op("sub", b.op("mul", b.op("expm1", x[0]), b.op("cos", x[1])), rest)
    return real, b.op("mul", b.op("exp", x[0]), b.op("sin", x[1]))


def absolute(b: Builder, x: Pair) -> Operand:
    return b.op("hypot", x[0], x[1])


def square_of_size(b: Builder, x: Pair) -> Operand:
    """The square of the absolute value, without its root."""
    return b.op("add", b.op("mul", x[0], x[0]), b.op("mul", x[1], x[1]))


def angle(b: Builder, x: Pair) -> Operand:
    return b.op("atan2", x[1], x[0])


def log(b: Builder, x: Pair) -> Pair:
    return b.op("log", absolute(b, x)), angle(b, x)


def log2(b: Builder, x: Pair) -> Pair:
    return scaled(b, log(b, x), 1.0 / math.log(2.0))


def log10(b: Builder, x: Pair) -> Pair:
    return scaled(b, log(b, x), 1.0 / math.log(10.0))


def log1p(b: Builder, x: Pair) -> Pair:
    return log(b, (b.op("add", x[0], like(x[0], 1.0)), x[1]))


def sqrt(b: Builder, x: Pair) -> Pair:
    """The root with a real part that is not negative; the sign of a zero imaginary part chooses the side."""
    right = b.op("ge", x[0], like(x[0], 0.0))
    width = b.op("select", right, x[0], b.op("neg", x[0]))
    large = b.op("sqrt", b.op("mul", b.op("add", width, absolute(b, x)), like(x[0], 0.5)))
    twice = b.op("add", large, large)
    small = b.op("div", x[1], b.op("select", b.op("eq", large, like(x[0], 0.0)), like(x[0], 1.0), twice))
    sign = b.op("copysign", like(x[0], 1.0), x[1])
    real = b.op("select", right, large, b.op("mul", small, sign))
    return real, b.op("select", right, small, b.op("mul", large, sign))


# -- trigonometric and hyperbolic functions


def turn(b: Builder, x: Pair) -> Pair:
    """`1j * x`, exactly."""
    return b.op("neg", x[1]), x[0]


def turn_back(b: Builder, x: Pair) -> Pair:
    """`-1j * x`, exactly."""
    return x[1], b.op("neg", x[0])


def sin(b: Builder, x: Pair) -> Pair:
    real = b.op("mul", b.op("sin", x[0]), b.op("cosh", x[1]))
    return real, b.op("mul", b.op("cos", x[0]), b.op("sinh", x[1]))


def cos(b: Builder, x: Pair) -> Pair:
    real = b.op("mul", b.op("cos", x[0]), b.op("cosh", x[1]))
    return real, b.op("neg", b.op("mul", b.op("sin", x[0]), b.op("sinh", x[1])))


def sinh(b: Builder, x: Pair) -> Pair:
    return turn_back(b, sin(b, turn(b, x)))


def cosh(b: Builder, x: Pair) -> Pair:
    real = b.op("mul", b.op("cosh", x[0]), b.op("cos", x[1]))
    return real, b.op("mul", b.op("sinh", x[0]), b.op("sin", x[1]))


def tanh(b: Builder, x: Pair) -> Pair:
    """With t = tanh(re), c and s cosine and sine of im: (t + i s c (1 - t t)) / (c c + t t s s).

    `1 - t t` is computed from exp(-2 |re|), so that it keeps its digits where t is almost one.
    """
    t, c, s = b.op("tanh", x[0]), b.op("cos", x[1]), b.op("sin", x[1])
    right = b.op("ge", x[0], like(x[0], 0.0))
    width = b.op("select", right, x[0], b.op("neg", x[0]))
    e = b.op("exp", b.op("mul", width, like(x[0], -2.0)))
    above = b.op("add", e, like(x[0], 1.0))
    left = b.op("div", b.op("mul", e, like(x[0], 4.0)), b.op("mul", above, above))
    ts = b.op("mul", t, s)
    below = b.op("add", b.op("mul", c, c), b.op("mul", ts, ts))
    return b.op("div", t, below), b.op("div", b.op("mul", b.op("mul", s, c), left), below)


def tan(b: Builder, x: Pair) -> Pair:
    return turn_back(b, tanh(b, turn(b, x)))


def around_one(b: Builder, x: Pair) -> tuple[Pair, Pair]:
    """The roots of 1 - x and 1 + x."""
    unit = like(x[0], 1.0)
    less = sqrt(b, (b.op("sub", unit, x[0]), b.op("neg", x[1])))
    return less, sqrt(b, (b.op("add", unit, x[0]), x[1]))


def crossed(b: Builder, x: Pair, y: Pair) -> Operand:
    """The imaginary part of conj(x) y."""
    return b.op("sub", b.op("mul", x[0], y[1]), b.op("mul", x[1], y[0]))


def acos(b: Builder, x: Pair) -> Pair:
    less, more = around_one(b, x)
    real = b.op("mul", like(x[0], 2.0), b.op("atan2", less[0], more[0]))
    return real, b.op("asinh", crossed(b, more, less))


def asin(b: Builder, x: Pair) -> Pair:
    less, more = around_one(b, x)
    below = b.op("sub", b.op("mul", less[0], more[0]), b.op("mul", less[1], more[1]))
    return b.op("atan2", x[0], below), b.op("asinh", crossed(b, less, more))


def acosh(b: Builder, x: Pair) -> Pair:
    unit = like(x[0], 1.0)
    less = sqrt(b, (b.op("sub", x[0], unit), x[1]))
    more = sqrt(b, (b.op("add", x[0], unit), x[1]))
    inner = b.op("add", b.op("mul", less[0], more[0]), b.op("mul", less[1], more[1]))
    return b.op("asinh", inner), b.op("mul", like(x[0], 2.0), b.op("atan2", less[1], more[0]))


def asinh(b: Builder, x: Pair) -> Pair:
    return turn_back(b, asin(b, turn(b, x)))


def atanh(b: Builder, x: Pair) -> Pair:
    unit = like(x[0], 1.0)
    away, along, height = b.op("sub", unit, x[0]), b.op("add", unit, x[0]), b.op("mul", x[1], x[1])
    distance = b.op("add", b.op("mul", away, away), height)
    wide = b.op("div", b.op("mul", like(x[0], 4.0), x[0]), distance)
    turned = b.op("atan2", b.op("add", x[1], x[1]), b.op("sub", b.op("mul", away, along), height))
    return (
        b.op("mul", b.op("log1p", wide), like(x[0], 0.25)),
        b.op("mul", turned, like(x[0], 0.5)),
    )


def atan(b: Builder, x: Pair) -> Pair:
    return turn_back(b, atanh(b, turn(b, x)))


# -- tests


def equal(b: Builder, x: Pair, y: Pair) -> Operand:
    return b.op("and", b.op("eq", x[0], y[0]), b.op("eq", x[1], y[1]))


def unequal(b: Builder, x: Pair, y: Pair) -> Operand:
    return b.op("or", b.op("ne", x[0], y[0]), b.op("ne", x[1], y[1]))


def either(op: str, join: str) -> Callable[[Builder, Pair], Operand]:
    return lambda b, x: b.op(join, b.op(op, x[0]), b.op(op, x[1]))


def each(op: str) -> Callable[[Builder, Pair], Pair]:
    return lambda b, x: (b.op(op, x[0]), b.op(op, x[1]))


FORMULAS: dict[str, Callable[..., Pair | Operand]] = {
    "add": add, "sub": sub, "neg": neg, "conj": conj, "mul": mul, "div": div, "square": square,
    "reciprocal": reciprocal, "pow": power, "exp": exp, "exp2": exp2, "expm1": expm1, "log": log,
    "log2": log2, "log10": log10, "log1p": log1p, "sqrt": sqrt, "sin": sin, "cos": cos, "tan": tan,
    "sinh": sinh, "cosh": cosh, "tanh": tanh, "asin": asin, "acos": acos, "atan": atan, "asinh": asinh,
    "acosh": acosh, "atanh": atanh, "abs": absolute, "angle": angle, "eq": equal, "ne": unequal,
    "isnan": either("isnan", "or"), "isinf": either("isinf", "or"), "isfinite": either("isfinite", "and"),
    "stop_gradient": each("stop_gradient"),
    "real": lambda b, x: x[0], "imag": lambda b, x: x[1],
}  # fmt: skip
