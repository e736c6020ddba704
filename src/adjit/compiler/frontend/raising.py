"""What `raise` and `assert` say: the exception's class and its text.

Input: the nodes of an exception and of its arguments. Output: the name that a check carries, and a text with
places for numbers that are known at run time only. Invariants: nothing is computed for a text where the check
holds, so only numbers that have a name, lengths among them, have places; anything else stands as its source
in braces. A class of the user's has the name `module:qualified name:exception that adjit knows`, and is found
again when it is raised. Non-goals: when a check is made (`statements`).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ... import errors
from ...errors import AdjitError, UnsupportedSyntaxError
from ..ir.nodes import Operand
from . import containers
from .arrays.promote import dtype_of, is_number, operand
from .texts import Piece, form_of, formatted, text
from .values import Static, Value

if TYPE_CHECKING:
    from .specialise import Specialiser

Text = tuple[str, tuple[Operand, ...]]  # with values, the places are those of `str.format`


def exception(ctx: Specialiser, s: ast.Raise) -> tuple[str, Text]:
    """The name of the class to raise, and its text."""
    if s.exc is None:
        ctx.error(UnsupportedSyntaxError, "'raise' alone is not supported", instead="name the exception")
    node, args = (s.exc.func, s.exc.args) if isinstance(s.exc, ast.Call) else (s.exc, [])
    value = ctx.eval(node)
    cls = value.value if isinstance(value, Static) else None
    if not isinstance(cls, type) or not issubclass(cls, BaseException):
        what = "only exception classes can be raised"
        ctx.error(UnsupportedSyntaxError, what, instead="raise ValueError(...)")
    return _name(cls), message(ctx, args)


def _name(cls: type[BaseException]) -> str:
    for base in cls.__mro__:
        if getattr(builtins, base.__name__, None) is base or getattr(errors, base.__name__, None) is base:
            own = "" if base is cls else f"{cls.__module__}:{cls.__qualname__}:"
            return f"{own}{base.__name__}"
    return "RuntimeError"


def message(ctx: Specialiser, nodes: Sequence[ast.expr]) -> Text:
    """The text of an exception with these arguments."""
    found = _Text(ctx)
    for k, node in enumerate(nodes):
        found.pieces += [", "] if k else []
        found.add(node)
    return found.text()


class _Text:
    def __init__(self, ctx: Specialiser) -> None:
        self.ctx = ctx
        self.pieces: list[Piece] = []

    def add(self, node: ast.expr) -> None:
        if isinstance(node, ast.JoinedStr):
            for part in node.values:
                self.add(part)
            return
        inner = node.value if isinstance(node, ast.FormattedValue) else node
        source = f"{{{ast.unparse(inner)}}}"
        try:
            value = self.ctx.eval(inner) if _is_at_hand(inner) else self._thrown_away(inner)
            plain = containers.plain_object(value)
            if plain is not None:
                self.pieces.append(formatted(self.ctx, node, plain[0]))
            elif _is_at_hand(inner) and is_number(value):
                form = formatted_as(self.ctx, node)
                self.pieces.append((operand(self.ctx, value, dtype_of(self.ctx, value)), form))
            else:
                self.pieces.append(source)
        except AdjitError:
            self.pieces.append(source)

    def _thrown_away(self, node: ast.expr) -> Value:
        kept = self.ctx.snapshot()
        try:
            with self.ctx.b.block():
                return self.ctx.eval(node)
        finally:
            self.ctx.restore(kept)

    def text(self) -> Text:
        if any(not isinstance(p, str) for p in self.pieces):
            return form_of(self.pieces)
        return "".join(p for p in self.pieces if isinstance(p, str)), ()


def formatted_as(ctx: Specialiser, node: ast.expr) -> str:
    """The format of a number in a text, as `str.format` takes it."""
    spec = node.format_spec if isinstance(node, ast.FormattedValue) else None
    return ":" + text(ctx, spec) if spec is not None else ""


def _is_at_hand(node: ast.expr) -> bool:
    """Whether evaluating the node computes nothing: a name, a length."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=ast.Name(), attr="size" | "ndim" | "shape"):
            return True
        case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape"), slice=ast.Constant()):
            return True
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name()], keywords=[]):
            return True
    return False


__all__ = ["Text", "exception", "message"]
