"""Numbers that may be None: `found = None`, and a number on some paths.

Input: numbers, None, `OrNone`; conditions of branches. Output: their parts, a boolean and a number; the
number itself where it is known to be there, or behind a check that raises what Python raises. Invariants:
the number is used only where the boolean holds. Non-goals: names that are not bound at all (`Maybe`);
arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import InferenceError
from ..ir.nodes import Const, Op, Operand, Var
from . import choices, sharing
from .arrays.promote import is_number
from .values import ArrayValue, Choice, OrNone, ScalarValue, Static, Value, VirtualArray

if TYPE_CHECKING:
    from .specialise import Specialiser

NO_NUMBER = "must be real number, not NoneType"
TYPES = {"f": "float", "i": "int", "u": "int", "b": "bool", "c": "complex"}


def may_be_none(value: Value | None) -> bool:
    return isinstance(value, OrNone) or is_none(value)


def is_none(value: Value | None) -> bool:
    return isinstance(value, Static) and value.value is None


def number_in(value: Value | None) -> Value | None:
    """The number that a value is, if it is one."""
    if isinstance(value, OrNone):
        return value.value
    scalar = isinstance(value, ArrayValue | VirtualArray) and not value.shape
    return value if value is not None and (is_number(value) or scalar) else None


def parts(value: Value) -> tuple[Value, Value | None]:
    """Whether there is a number, and which."""
    if isinstance(value, OrNone):
        return ScalarValue(value.given), value.value
    return Static(not is_none(value)), number_in(value)


def made(ctx: Specialiser, given: Value, number: Value) -> Value:
    """The value that has these parts."""
    assert isinstance(given, ScalarValue) and isinstance(number, ScalarValue)
    if isinstance(given.operand, Const):
        return number if given.operand.value else Static(None)
    ctx.flags.add(given.operand)
    return OrNone(number, given.operand)


# -- what is known where


def assume(ctx: Specialiser, cond: Operand, holds: bool = True) -> None:
    """In the rest of the block the condition holds, or does not."""
    if cond in ctx.flags:
        ctx.b.scopes[-1].facts["given", cond] = holds
    s = ctx.b.definitions.get(cond) if isinstance(cond, Var) else None
    if not isinstance(s, Op):
        return
    if s.op == "not":
        assume(ctx, s.args[0], not holds)
    elif s.op == ("and" if holds else "or"):
        for x in s.args:
            assume(ctx, x, holds)


def narrowed(ctx: Specialiser, value: Value) -> Value:
    """The number, or None, where it is known which of them a value is."""
    if not isinstance(value, OrNone):
        return value
    known = next(
        (s.facts["given", value.given] for s in ctx.b.scopes if ("given", value.given) in s.facts), None
    )
    return value if known is None else value.value if known else Static(None)


def definite(ctx: Specialiser, value: Value, said: str = NO_NUMBER, error: str = "TypeError") -> Value:
    """A value for what takes neither None nor one of several constants; `said` is the text of Python's
    error.
    """
    value = narrowed(ctx, value)
    if isinstance(value, Choice):
        choices.refuse(ctx, value)
    if is_none(value):
        sharing.too_short(ctx, error, said)
    if isinstance(value, OrNone):
        ctx.b.check(value.given, error, said)
        assume(ctx, value.given)
        return value.value
    return value


def told(ctx: Specialiser, value: Value) -> Value:
    """A value for what takes None too, and does something else then: it must be known which of them it is."""
    value = narrowed(ctx, value)
    if isinstance(value, Choice):
        choices.refuse(ctx, value)
    if isinstance(value, OrNone):
        ctx.error(
            InferenceError,
            "a number that may be None is used where None would mean something else",
            "whether it is None is known at run time only",
            "ask first whether it is None, in an `if`",
        )
    return value


def two_definite(ctx: Specialiser, left: Value, right: Value, form: str) -> tuple[Value, Value]:
    """The operands of an operator; `form` is the text of Python's error, with places for their classes."""
    if isinstance(left, Static) and isinstance(left.value, str):  # "%s" % None
        return left, told(ctx, right)
    classes = ["NoneType" if isinstance(narrowed(ctx, v), OrNone) else class_of(v) for v in (left, right)]
    said = form.format(*classes)
    return definite(ctx, left, said), definite(ctx, right, said)


def class_of(value: Value) -> str:
    if isinstance(value, ScalarValue | ArrayValue | VirtualArray):
        return TYPES[np.dtype(value.dtype).kind]
    return type(value.value).__name__ if isinstance(value, Static) else "object"


__all__ = [
    "assume",
    "definite",
    "is_none",
    "made",
    "may_be_none",
    "narrowed",
    "number_in",
    "parts",
    "told",
    "two_definite",
]
