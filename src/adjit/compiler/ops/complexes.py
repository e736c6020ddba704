"""The types of scalar ops on complex numbers, which exist only while the frontend walks a function.

Input: the name of an op and its operands, of which one is complex. Output: the type of its result.
Invariants: an op that has no meaning on complex numbers is refused here, so none is taken for a real one.
Non-goals: what the ops become (`frontend.formulas`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from ...errors import InferenceError, MissingRuleError
from ..ir.nodes import Location, Operand
from ..ir.types import BOOL, PARTS, WHOLES, Scalar, Type

MAKING = frozenset(("complex",))
ARITHMETIC = frozenset(("add", "sub", "mul", "div", "pow"))
FUNCTIONS = frozenset(
    (
        *("neg", "conj", "square", "reciprocal", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
        *("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
        *("asinh", "acosh", "atanh", "stop_gradient"),
    )
)
TO_REAL = frozenset(("abs", "real", "imag", "angle"))
TESTS = frozenset(("eq", "ne", "isnan", "isinf", "isfinite"))
ORDER = frozenset(("lt", "le", "gt", "ge", "maximum", "minimum", "larger", "smaller"))


def result_type(name: str, args: Sequence[Operand], loc: Location) -> Type:
    """The type of `name` on these operands."""
    types = [a.type for a in args]
    dtype = next((t.dtype for t in types if t.dtype in PARTS), "")
    if name == "complex":
        return Scalar(WHOLES[types[0].dtype])
    if name == "select" and types[0] == BOOL and types[1] == types[2]:
        return types[1]
    if all(t.dtype == dtype for t in types):
        if (name in ARITHMETIC and len(args) == 2) or (name in FUNCTIONS and len(args) == 1):
            return Scalar(dtype)
        if name in TO_REAL:
            return Scalar(PARTS[dtype])
        if name in TESTS:
            return BOOL
    return refuse(name, loc)


def refuse(name: str, loc: Location) -> NoReturn:
    if name in ORDER:
        raise InferenceError(
            "complex numbers have no order",
            loc,
            hint="compare real parts, imaginary parts or absolute values",
        )
    raise MissingRuleError(
        f"{name!r} of complex numbers is not supported",
        loc,
        hint="write it with real and imaginary parts: z.real, z.imag",
    )


def refuse_cast(dtype: str, wanted: str, loc: Location) -> NoReturn:
    raise InferenceError(
        f"a {dtype} number cannot be converted to {wanted}",
        loc,
        "its imaginary part would be lost",
        "take .real, .imag or abs() of it, or make the array complex",
    )
