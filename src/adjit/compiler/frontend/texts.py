"""Strings that are known at compile time, and other computations on Python objects of that time.

Input: nodes, plain objects. Output: Python objects; an error at the user's line where Python would raise.
Texts with numbers that are known at run time are pieces: text, and numbers with the form of their place.
Non-goals: what may stand in such a text (`raising`, `printing`).
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...errors import InferenceError
from ..ir.nodes import Operand
from . import containers
from .values import Sequence_, Value

if TYPE_CHECKING:
    from .specialise import Specialiser

LATE_TEXT = "it is a string made of numbers that are known at run time only"
Piece = str | tuple[Operand, str]  # a text, or a number and its conversion and format: `!r`, `:.3f`


def text(ctx: Specialiser, node: ast.expr) -> str:
    """A string that is known at compile time."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(text(ctx, v) for v in node.values)
    inner = node.value if isinstance(node, ast.FormattedValue) else node
    return formatted(ctx, node, containers.known(ctx, ctx.eval(inner))[0])


def formatted(ctx: Specialiser, node: ast.expr, value: object) -> str:
    if not isinstance(node, ast.FormattedValue):
        return str(value)
    conversion = f"!{chr(node.conversion)}" if node.conversion >= 0 else ""
    return formatted_by(ctx, value, conversion, text(ctx, node.format_spec) if node.format_spec else "")


def formatted_by(ctx: Specialiser, value: object, conversion: str, spec: str) -> str:
    shown: dict[str, Callable[[object], str]] = {"!s": str, "!r": repr, "!a": ascii}
    value = shown[conversion](value) if conversion else value
    return str(static(ctx, format, value, spec))


def form_of(pieces: Sequence[Piece]) -> tuple[str, tuple[Operand, ...]]:
    """A form as `str.format` takes it, and the numbers for its places."""
    parts = [p.replace("{", "{{").replace("}", "}}") if isinstance(p, str) else f"{{{p[1]}}}" for p in pieces]
    return "".join(parts), tuple(p[0] for p in pieces if not isinstance(p, str))


def by_percent(ctx: Specialiser, form: str, value: Value) -> str:
    """`form % value`."""
    if isinstance(value, Sequence_) and value.kind is tuple:
        return str(static(ctx, operator.mod, form, tuple(containers.known(ctx, v)[0] for v in value.items)))
    return str(static(ctx, operator.mod, form, containers.known(ctx, value)[0]))


def by_format(ctx: Specialiser, form: str, args: Sequence[Value], kwargs: dict[str, Value]) -> str:
    """`form.format(*args, **kwargs)`."""
    given = [containers.known(ctx, v)[0] for v in args]
    named = {k: containers.known(ctx, v)[0] for k, v in kwargs.items()}
    return str(static(ctx, lambda: form.format(*given, **named)))


def static(ctx: Specialiser, f: Callable[..., object], *args: object) -> object:
    """A computation on compile-time objects that are no numbers of the program."""
    try:
        return f(*args)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        ctx.error(InferenceError, str(error))


__all__ = [
    "LATE_TEXT",
    "Piece",
    "by_format",
    "by_percent",
    "form_of",
    "formatted",
    "formatted_by",
    "static",
    "text",
]
