"""Comparisons, logic, bits, rounding and index arithmetic: results that carry no derivative."""

import operator

import numpy as np

from .core import boolean, byte, integer, zero_derivative

# The comparison that holds when its operands change places.
MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}

for _name, _sign, _f in (
    ("lt", "<", operator.lt),
    ("le", "<=", operator.le),
    ("gt", ">", operator.gt),
    ("ge", ">=", operator.ge),
    ("eq", "==", operator.eq),
    ("ne", "!=", operator.ne),
):
    zero_derivative(_name, 2, f"{{0}} {_sign} {{1}}", _f, boolean)

# Which of two numbers is the larger: 1 the first, 2 the second, 3 both (they are equal), 0 if one is NaN.
zero_derivative(
    "ordering",
    2,
    "({0} >= {1}) + 2 * ({1} >= {0})",
    lambda a, b: np.int8((a >= b) + 2 * (b >= a)),
    byte,
)

zero_derivative("not", 1, "not {0}", operator.not_, boolean)
zero_derivative("and", 2, "{0} and {1}", lambda a, b: bool(a) and bool(b), boolean)
zero_derivative("or", 2, "{0} or {1}", lambda a, b: bool(a) or bool(b), boolean)
zero_derivative("bitand", 2, "{0} & {1}", operator.and_)
zero_derivative("bitor", 2, "{0} | {1}", operator.or_)
zero_derivative("bitxor", 2, "{0} ^ {1}", operator.xor)
zero_derivative("lshift", 2, "{0} << {1}", operator.lshift)
zero_derivative("rshift", 2, "{0} >> {1}", operator.rshift)
zero_derivative("invert", 1, "~{0}", operator.invert)

zero_derivative("isnan", 1, "np.isnan({0})", np.isnan, boolean)
zero_derivative("isinf", 1, "np.isinf({0})", np.isinf, boolean)
zero_derivative("isfinite", 1, "np.isfinite({0})", np.isfinite, boolean)

zero_derivative("floor", 1, "np.floor({0})", np.floor)
zero_derivative("ceil", 1, "np.ceil({0})", np.ceil)
zero_derivative("trunc", 1, "np.trunc({0})", np.trunc)
zero_derivative("rint", 1, "np.rint({0})", np.rint)
zero_derivative("sign", 1, "np.sign({0})", np.sign)

# An index counted from the end where it is negative: `wrap(i, n)` is `i + n` if i < 0 else `i`.
zero_derivative("wrap", 2, "({0} + {1} if {0} < 0 else {0})", lambda i, n: i + n if i < 0 else i, integer)
# Number of passes of range(lo, hi, step).
zero_derivative(
    "trips",
    3,
    "len(range({0}, {1}, {2}))",
    lambda lo, hi, step: len(range(int(lo), int(hi), int(step))),
    integer,
)
