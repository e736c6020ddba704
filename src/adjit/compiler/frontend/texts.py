"""Strings that are known at compile time, and other computations on Python objects of that time.

Input: nodes, plain objects. Output: Python objects; an error at the user's line where Python would raise.
Non-goals: texts with numbers that are known at run time (`raising`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...errors import InferenceError
from . import containers

if TYPE_CHECKING:
    from .specialise import Specialiser


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
    shown: dict[int, Callable[[object], str]] = {ord("s"): str, ord("r"): repr, ord("a"): ascii}
    value = shown[node.conversion](value) if node.conversion >= 0 else value
    spec = text(ctx, node.format_spec) if node.format_spec else ""
    return str(static(ctx, format, value, spec))


def static(ctx: Specialiser, f: Callable[..., object], *args: object) -> object:
    """A computation on compile-time objects that are no numbers of the program."""
    try:
        return f(*args)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        ctx.error(InferenceError, str(error))


__all__ = ["formatted", "static", "text"]
