"""Syntax nodes for functions that are rewritten.

Input: names, expressions. Output: nodes; `located` gives them the place of a statement of the user's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
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


def has_stars(node: ast.Call) -> bool:
    """Whether a call has an argument `*a` or `**k`."""
    return any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)


def own_parts(node: ast.AST) -> Iterator[ast.AST]:
    """What a node consists of, itself left out; of functions that are defined in it only that they are."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield from own_parts(child)


def returns(s: ast.stmt) -> bool:
    """Whether a statement may leave the function that it stands in."""
    inside = () if isinstance(s, ast.FunctionDef) else own_parts(s)
    return isinstance(s, ast.Return) or any(isinstance(n, ast.Return) for n in inside)


__all__ = ["append", "has_stars", "located", "named", "own_parts", "returns", "tupled"]
