"""`ast` statements as text: by astor, or by `ast.unparse` where astor fails or prints something else.

Invariant: what is printed parses back to the tree that was given.
"""

from __future__ import annotations

import ast
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # astor touches ast classes that later Pythons deprecate
    try:
        import astor
    except Exception:  # a Python that astor does not know yet
        astor = None

WIDTH = 110


def _by_astor(node: ast.AST) -> str | None:
    if astor is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text: str = astor.to_source(node, pretty_source="".join)
    except Exception:
        return None
    return text.rstrip("\n")


def statement(node: ast.stmt) -> str:
    """The text of one statement."""
    text = _by_astor(node)
    if text is not None and len(text) <= WIDTH:
        try:
            if ast.dump(ast.parse(text).body[0]) == ast.dump(node):
                return text
        except (SyntaxError, IndexError):
            pass
    return ast.unparse(ast.fix_missing_locations(node))


def header(node: ast.stmt) -> str:
    """The first line of a compound statement whose body is one `pass`."""
    text = statement(node)
    return text[: text.rindex("\n")]
