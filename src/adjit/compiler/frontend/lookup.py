"""Names that are read: what they stand for where they are bound, on all paths or on some.

Input: a name, the current frame. Output: its value; a check where it is bound on some paths only; errors,
with remedies, where it has no meaning. Non-goals: names outside the function (`resolve`), binding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InferenceError, NameResolutionError
from ..ir.builder import const
from ..ir.nodes import Operand
from . import containers, optionals, resolve
from .normalise import RESULT
from .slots import GUESS, NOT_ONE_KIND
from .texts import LATE_TEXT
from .values import DIFFERENT_RESULTS, NO_NONE, Maybe, ScalarValue, Undefined, Value

if TYPE_CHECKING:
    from .specialise import Frame, Specialiser

NO_MEANING = {  # what to do by the reason
    NOT_ONE_KIND: "collect numbers, tuples or arrays of one shape",
    LATE_TEXT: containers.SHOWN,
}


def load(ctx: Specialiser, name: str) -> Value:
    frame: Frame | None = ctx.frame
    while frame is not None:
        if name in frame.names:
            return usable(ctx, frame, name, frame.names[name])
        if name in frame.locals:
            ctx.error(
                NameResolutionError,
                f"the local variable {name!r} is read before it has a value",
                "no assignment to it comes before this place",
                "give it a value first",
            )
        if frame.outer is None:
            return resolve.outer_name(ctx, frame, name)
        frame = frame.outer
    raise AssertionError(name)


def usable(ctx: Specialiser, frame: Frame, name: str, value: Value) -> Value:
    """The value of a name that is read; a name that is bound on some paths only is checked."""
    if isinstance(value, Undefined) and value.reason == GUESS:
        return ScalarValue(const(0.0))
    if isinstance(value, Undefined) and name == RESULT:
        otherwise = "return the same kind of value on every path"
        ctx.error(InferenceError, DIFFERENT_RESULTS, value.reason, remedy(value.reason, otherwise))
    if isinstance(value, Undefined):
        cls = InferenceError if value.reason else NameResolutionError
        instead = remedy(value.reason, "use different names")
        ctx.error(cls, f"the variable {name!r} has no single meaning here", value.reason, instead)
    if isinstance(value, Maybe):
        if not name.startswith("@"):
            _require(ctx, name, value.bound)
        return usable(ctx, frame, name, value.value)
    return optionals.narrowed(ctx, value)


def remedy(reason: str, otherwise: str) -> str:
    """What to do where a value is of different kinds on different paths."""
    if reason in NO_MEANING:
        return NO_MEANING[reason]
    if "None" in reason and "array" in reason:
        return "use an array of zeros in place of None, and a boolean that says whether there is one"
    if "None" in reason:
        return NO_NONE
    if "'" in reason:
        return "use numbers or booleans in place of the strings"
    return otherwise


def _require(ctx: Specialiser, name: str, bound: Operand) -> None:
    """A check that the name is bound here, once per block."""
    key = ("bound", name, bound)
    if not any(key in scope.facts for scope in ctx.b.scopes):
        ctx.b.scopes[-1].facts[key] = True
        message = f"cannot access local variable {name!r} where it is not associated with a value"
        ctx.b.check(bound, "NameResolutionError", message)


__all__ = ["load", "remedy", "usable"]
