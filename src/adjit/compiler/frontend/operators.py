"""Operators of the user's classes: the special methods of named tuples and dataclasses.

Input: an operator and its operands, one of them a record. Output: the value of the method that the class
defines in Python, or None where there is none. Invariant: a method that gives `NotImplemented` leaves the
operator to the other operand, as in Python. Non-goals: comparisons, operators that change their operand.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import UnsupportedSyntaxError
from .arrays.promote import is_array, is_number, is_weak
from .structure import is_namedtuple
from .values import Record, Static, Value

if TYPE_CHECKING:
    from .specialise import Specialiser

BINARY = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "truediv", "floordiv": "floordiv", "mod": "mod",
    "pow": "pow", "matmul": "matmul",
}  # fmt: skip


def special(ctx: Specialiser, owner: Value, name: str, more: Sequence[Value] = ()) -> Value | None:
    """`owner.__name__(*more)`, where the class of a record defines it."""
    if not isinstance(owner, Record):
        return None
    found = inspect.getattr_static(owner.cls, f"__{name}__", None)
    if not isinstance(found, types.FunctionType):
        return None
    value = ctx.call(found, [owner, *more])
    return None if isinstance(value, Static) and value.value is NotImplemented else value


def binary(ctx: Specialiser, op: str, left: Value, right: Value) -> Value | None:
    name = BINARY.get(op)
    if name is None or not (isinstance(left, Record) or isinstance(right, Record)):
        return None
    found = special(ctx, left, name, [right])
    if found is not None or _is_for_numpy(left, right):
        return found
    return special(ctx, right, f"r{name}", [left])


def _is_for_numpy(left: Value, right: Value) -> bool:
    """Whether NumPy takes the right operand for an array: it does so for tuples, and beside arrays."""
    if is_array(left):
        return True
    return is_number(left) and not is_weak(left) and isinstance(right, Record) and is_namedtuple(right.cls)


def refuse_in_place(ctx: Specialiser, op: str, owner: Value) -> None:
    """Refuse `a += b` where the class of `a` says what that does to `a`."""
    if isinstance(owner, Record) and hasattr(owner.cls, f"__i{BINARY.get(op, op)}__"):
        ctx.error(
            UnsupportedSyntaxError,
            f"{owner.cls.__name__}.__i{BINARY.get(op, op)}__ is not supported",
            "an operator that changes its operand is not read",
            "write a = a + b, or call a method",
        )


__all__ = ["binary", "refuse_in_place", "special"]
