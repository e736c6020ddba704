"""Names that stand for one of several constants, such as words: which one is known at run time only.

Input: constants and `Choice`s. Output: their alternatives, the number of one among them, conditions on it.
Invariants: what is said of a choice holds for each of its alternatives, or is a condition. Non-goals:
numbers, which are joined as numbers; what an operation means for one alternative (`conditions`,
`comparisons`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, NoReturn

from ...errors import InferenceError
from ..ir.builder import const
from ..ir.nodes import Const, Operand
from .arrays.promote import operand
from .values import Choice, ScalarValue, Static, Value

if TYPE_CHECKING:
    from .specialise import Specialiser

MOST = 16  # alternatives of a name


def _alternatives(value: Value) -> tuple[object, ...]:
    match value:
        case Choice(among=among):
            return among
        case Static(value=v) if v is None or (
            isinstance(v, str | bool | Enum) and not (isinstance(v, Enum) and isinstance(v, int | float))
        ):
            return (v,)
    return ()


def joined(a: Value, b: Value) -> tuple[object, ...]:
    """The alternatives of two values together; none if they are not constants that are chosen among. Their
    order is that of a value that has them all.
    """
    found = with_more(_alternatives(a), b)
    return _alternatives(b) if len(_alternatives(b)) == len(found) else found


def with_more(among: tuple[object, ...], value: Value) -> tuple[object, ...]:
    """The alternatives with those of one more value; none as in `joined`."""
    more = _alternatives(value)
    found = (*among, *(v for v in more if _number(among, v) < 0))
    words = any(not isinstance(v, bool | None) for v in found)  # True, False and None: as numbers
    return found if among and more and words and len(found) <= MOST else ()


def _number(among: Sequence[object], v: object) -> int:
    """The number of a constant, -1 where it is not among them."""
    return next((k for k, w in enumerate(among) if type(w) is type(v) and w == v), -1)


def made(among: tuple[object, ...], which: Operand) -> Value:
    return Static(among[int(which.value)]) if isinstance(which, Const) else Choice(among, which)


def which(ctx: Specialiser, value: Value, among: tuple[object, ...]) -> Operand:
    """The number of a value among more alternatives."""
    own = _alternatives(value)
    if not isinstance(value, Choice):
        return const(_number(among, own[0]))
    if among[: len(own)] == own:
        return value.which
    numbers = [const(_number(among, v)) for v in own]
    found: Operand = numbers[-1]
    for k in reversed(range(len(own) - 1)):
        found = ctx.b.op("select", is_one(ctx, value, k), numbers[k], found)
    return found


def is_one(ctx: Specialiser, value: Choice, k: int) -> Operand:
    """Whether it is the alternative with the number k."""
    return ctx.b.op("eq", value.which, const(k))


def where(ctx: Specialiser, value: Choice, found: Sequence[Value]) -> Value:
    """The condition that is `found[k]`, known or a boolean, for the alternative k."""
    known = [bool(v.value) if isinstance(v, Static) else None for v in found]
    if all(v is True for v in known) or all(v is False for v in known):
        return Static(known[0])
    rare = known.count(True) <= known.count(False) or None in known
    result: Operand | None = None
    for k, v in enumerate(found):
        if known[k] is (not rare):
            continue
        x = is_one(ctx, value, k)
        if known[k] is None:
            x = ctx.b.op("and", x, operand(ctx, v, "bool"))
        result = x if result is None else ctx.b.op("or", result, x)
    assert result is not None
    return ScalarValue(result if rare else ctx.b.op("not", result))


def refuse(ctx: Specialiser, value: Choice) -> NoReturn:
    ctx.error(
        InferenceError,
        f"a value that is one of {listed(value.among)} is used where one constant is needed",
        "which one it is is known at run time only",
        "compare it with ==, look it up in a dict, or use numbers in place of the strings",
    )


def listed(among: Sequence[object]) -> str:
    """
    >>> listed(("a", "b", None))
    "'a', 'b' or None"
    """
    *first, last = map(repr, among)
    return f"{', '.join(first)} or {last}"


__all__ = ["is_one", "joined", "listed", "made", "refuse", "where", "which", "with_more"]
