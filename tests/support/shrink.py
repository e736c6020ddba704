"""Failing programs made small: statements are deleted, blocks unwrapped, expressions replaced by their parts.

Input: the source of a module with a function `program`, and a predicate that says whether a candidate still
fails in the same way. Output: source that no single step makes smaller. Invariant: what is returned satisfies
the predicate.
"""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator

Step = Callable[[], None]


def shrink(source: str, fails: Callable[[str], bool], seconds: float = 60.0) -> str:
    """`seconds` bounds the time that is spent."""
    until = time.monotonic() + seconds
    improved = True
    while improved and time.monotonic() < until:
        improved = False
        for candidate in _smaller(source):
            if time.monotonic() > until:
                break
            if fails(candidate):
                source, improved = candidate, True
                break
    return source


def _smaller(source: str) -> Iterator[str]:
    """Candidates, the boldest first."""
    count = sum(1 for _ in _steps(ast.parse(source)))
    for k in range(count):
        tree = ast.parse(source)
        steps = list(_steps(tree))
        steps[k][1]()
        ast.fix_missing_locations(tree)
        try:
            text = ast.unparse(tree) + "\n"
            compile(text, "<candidate>", "exec")
        except (SyntaxError, ValueError):
            continue
        if text != source and len(text) < len(source):
            yield text


def _steps(tree: ast.Module) -> list[tuple[int, Step]]:
    """Each possible change as (rank, action on the tree), large deletions first."""
    found: list[tuple[int, Step]] = []
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if not isinstance(block, list) or isinstance(node, ast.Lambda):
                continue
            for position, statement in enumerate(block):
                if isinstance(statement, (ast.Import, ast.Return)) and isinstance(
                    node, (ast.Module, ast.FunctionDef)
                ):
                    continue
                if isinstance(statement, ast.FunctionDef) and statement.name == "program":
                    continue
                weight = sum(1 for _ in ast.walk(statement))
                found.append((weight, _delete(block, position)))
                if hasattr(statement, "body") and not isinstance(statement, ast.FunctionDef):
                    found.append((weight // 2, _unwrap(block, position)))
        for field, value in ast.iter_fields(node):
            for replacement in _parts(value):
                found.append((0, _replace(node, field, replacement)))
            if isinstance(value, list) and not isinstance(node, (ast.Module, ast.arguments)):
                for k, item in enumerate(value):
                    for replacement in _parts(item):
                        found.append((0, _replace_item(value, k, replacement)))
    found.sort(key=lambda pair: -pair[0])
    return found


def _delete(block: list[ast.stmt], position: int) -> Step:
    def act() -> None:
        block[position : position + 1] = [] if len(block) > 1 else [ast.Pass()]

    return act


def _unwrap(block: list[ast.stmt], position: int) -> Step:
    def act() -> None:
        statement = block[position]
        block[position : position + 1] = copy.deepcopy(statement.body)  # type: ignore[attr-defined]

    return act


def _parts(value: object) -> list[ast.expr]:
    """Subexpressions that may stand for an expression."""
    if isinstance(value, ast.BinOp):
        return [value.left, value.right]
    if isinstance(value, ast.UnaryOp):
        return [value.operand]
    if isinstance(value, ast.Call) and value.args:
        return list(value.args)
    if isinstance(value, ast.BoolOp):
        return list(value.values)
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse]
    if isinstance(value, ast.Subscript) and not isinstance(value.ctx, ast.Load):
        return []
    return []


def _replace(node: ast.AST, field: str, replacement: ast.expr) -> Step:
    return lambda: setattr(node, field, replacement)


def _replace_item(items: list[ast.AST], position: int, replacement: ast.expr) -> Step:
    def act() -> None:
        items[position] = replacement

    return act
