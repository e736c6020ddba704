"""Arithmetic primitives and their partials."""

from __future__ import annotations

import operator

import numpy as np

from .core import ScalarOp, define, first_two, register, same, second
from .symbolic import Value, equal, floor, log, power, sign, where


@define("add", 2, "{0} + {1}", operator.add)
def add_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    return 1.0, 1.0


@define("sub", 2, "{0} - {1}", operator.sub)
def sub_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    return 1.0, -1.0


@define("mul", 2, "{0} * {1}", operator.mul)
def mul_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    return y, x


@define("pmul", 2, "{0} * {1}", operator.mul, singular=True)
def pmul_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    """The product of factors that may be infinite or NaN, as partials of singular ops contain them
    (`trace`).
    """
    return y, x


@define("neg", 1, "-{0}", operator.neg)
def neg_partials(x: Value, out: Value) -> tuple[object, ...]:
    return (-1.0,)


@define("div", 2, "{0} / {1}", lambda a, b: np.true_divide(a, b), singular=True)
def div_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    r = 1.0 / y
    return r, -(out * r)


def _smul(ct: float, p: float) -> float:
    """The ordinary product, but zero where `ct` is zero and `p` is infinite or NaN."""
    return ct if ct == 0 and not np.isfinite(p) else ct * p


PRODUCTS_WITH_ZERO = ("smul", "umul")  # zero where the first argument is, whatever the second


@define("smul", 2, "smul({0}, {1})", _smul, singular=True)
def smul_partials(ct: Value, p: Value, out: Value) -> tuple[object, ...]:
    return p, ct


@define("umul", 2, "smul({0}, {1})", _smul, singular=True)
def umul_partials(ct: Value, p: Value, out: Value) -> tuple[object, ...]:
    """Like `smul`, where the result of the program is infinite or NaN if the product needs its guard: the
    text leaves the guard out (`unguard`).
    """
    return p, ct


@define("pow", 2, "{0} ** {1}", lambda a, b: np.power(a, b), expensive=True, singular=True, vector="power")
def pow_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    """At 0 ** 0 both are 0, and so is d/dy at x = 0 for any y."""
    dx = y * power(x, y - 1.0)
    dx = where(equal(y, 0.0), where(equal(x, 0.0), 0.0, dx), dx)
    dy = where(equal(x, 0.0), 0.0, out * log(where(equal(x, 0.0), 1.0, x)))
    return dx, dy


@define("floordiv", 2, "{0} // {1}", operator.floordiv)
def floordiv_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    return None, None


@define("mod", 2, "{0} % {1}", operator.mod, singular=True)
def mod_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    """`x % y = x - y * floor(x / y)`, the quotient being constant."""
    return 1.0, -floor((x - out) / y + 0.5)


@define("fmod", 2, "np.fmod({0}, {1})", lambda a, b: np.fmod(a, b), singular=True)
def fmod_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    """`fmod(x, y) = x - y * trunc(x / y)`, the quotient being constant."""
    return 1.0, -floor((x - out) / y + 0.5)


@define("abs", 1, "abs({0})", abs)
def abs_partials(x: Value, out: Value) -> tuple[object, ...]:
    """Gradient zero at zero."""
    return (sign(x),)


def _share(taken: object, tied: object, like: Value) -> Value:
    return where(tied, 0.5, where(taken, 1.0, 0.0, like), like)


@define("maximum", 2, "maximum({0}, {1})", lambda a, b: np.maximum(a, b))
def maximum_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    """Ties share the cotangent equally."""
    return _share(x > y, equal(x, y), x), _share(y > x, equal(x, y), x)


@define("minimum", 2, "minimum({0}, {1})", lambda a, b: np.minimum(a, b))
def minimum_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    """Ties share the cotangent equally."""
    return _share(x < y, equal(x, y), x), _share(y < x, equal(x, y), x)


def _left(taken: object, tied: object, like: Value) -> Value:
    return where(tied, 0.5, where(taken, 0.0, 1.0, like), like)


@define("larger", 2, "({1} if {1} > {0} else {0})", lambda a, b: b if b > a else a)
def larger_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    """Python's `max`: the first one unless the second is larger; ties share the cotangent equally."""
    return _left(y > x, equal(x, y), x), _share(y > x, equal(x, y), x)


@define("smaller", 2, "({1} if {1} < {0} else {0})", lambda a, b: b if b < a else a)
def smaller_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    """Python's `min`."""
    return _left(y < x, equal(x, y), x), _share(y < x, equal(x, y), x)


@define("maximum_by", 3, "maximum({0}, {1})", lambda a, b, which: np.maximum(a, b), result=first_two)
def maximum_by_partials(x: Value, y: Value, which: Value, out: Value) -> tuple[object, ...]:
    """`maximum(x, y)` where `which` is `ordering(x, y)`."""
    tied = equal(which, 3)
    return _share(equal(which, 1), tied, out), _share(equal(which, 2), tied, out), None


@define("minimum_by", 3, "minimum({0}, {1})", lambda a, b, which: np.minimum(a, b), result=first_two)
def minimum_by_partials(x: Value, y: Value, which: Value, out: Value) -> tuple[object, ...]:
    """`minimum(x, y)` where `which` is `ordering(x, y)`."""
    tied = equal(which, 3)
    return _share(equal(which, 2), tied, out), _share(equal(which, 1), tied, out), None


@define(
    "larger_by", 3, "({1} if {1} > {0} else {0})", lambda a, b, which: b if b > a else a, result=first_two
)
def larger_by_partials(x: Value, y: Value, which: Value, out: Value) -> tuple[object, ...]:
    """`larger(x, y)` where `which` is `ordering(x, y)`."""
    taken, tied = equal(which, 2), equal(which, 3)
    return _left(taken, tied, out), _share(taken, tied, out), None


@define(
    "smaller_by", 3, "({1} if {1} < {0} else {0})", lambda a, b, which: b if b < a else a, result=first_two
)
def smaller_by_partials(x: Value, y: Value, which: Value, out: Value) -> tuple[object, ...]:
    """`smaller(x, y)` where `which` is `ordering(x, y)`."""
    taken, tied = equal(which, 1), equal(which, 3)
    return _left(taken, tied, out), _share(taken, tied, out), None


@define("copysign", 2, "np.copysign({0}, {1})", lambda a, b: np.copysign(a, b))
def copysign_partials(x: Value, y: Value, out: Value) -> tuple[object, ...]:
    return sign(x) * sign(out), None


def _select(c: object, a: object, b: object) -> object:
    return a if c else b


@define("select", 3, "({1} if {0} else {2})", _select, result=second)
def select_partials(c: Value, a: Value, b: Value, out: Value) -> tuple[object, ...]:
    """Never read: the reverse pass routes the cotangent with `select` itself (strong zeros)."""
    raise AssertionError("select has a rule of its own in the reverse pass")


register(ScalarOp("cast", 1, "{0}", same, lambda x: x, lambda x, out: (1.0,)))
