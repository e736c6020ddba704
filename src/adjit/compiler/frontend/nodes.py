"""Syntax nodes for functions that are rewritten.

Input: names, expressions. Output: nodes; `located` gives them the place of a statement of the user's.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeVar

S = TypeVar("S", bound=ast.stmt)


def named(name: str, ctx: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, ctx or ast.Load())


def tupled(items: Sequence[ast.expr], ctx: ast.expr_context | None = None) -> ast.Tuple:
    return ast.Tuple(list(items), ctx or ast.Load())


def append(name: str, item: ast.expr) -> ast.Expr:
    return ast.Expr(ast.Call(ast.Attribute(named(name), "append", ast.Load()), [item], []))


def located(s: S, at: ast.stmt) -> S:
    """A new statement with the place of an old one, wherever it has none of its own."""
    for n in ast.walk(s):
        if isinstance(n, ast.stmt | ast.expr) and not hasattr(n, "lineno"):
            ast.copy_location(n, at)
    return s


__all__ = ["append", "located", "named", "tupled"]
