"""Whether evaluating an expression may write memory: a quick look at the text, before anything is walked.

Input: an expression and the frame it stands in. Output: True unless every call in it is of a function that
only computes. Invariant: never False for what writes. Non-goals: which memory (`Specialiser.before_write`
knows, when it happens).
"""

from __future__ import annotations

import ast
import builtins
import functools
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from . import arrays, python_builtins
from .source import plain_function, source_of
from .values import Closure, Static

if TYPE_CHECKING:
    from .specialise import Frame, Specialiser

PURE_METHODS = frozenset(
    (
        "all", "any", "argmax", "argmin", "argsort", "astype", "clip", "conj", "copy", "cumprod", "cumsum",
        "diagonal", "dot", "flatten", "get", "item", "items", "keys", "max", "mean", "min", "prod", "ravel",
        "repeat", "reshape", "round", "searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace",
        "transpose", "values", "var",
    )
)  # fmt: skip
WRITERS = frozenset(("at", "copyto", "put", "fill_diagonal", "place", "putmask"))
NEW = frozenset(
    ("arange", "array", "copy", "empty", "empty_like", "eye", "full", "full_like", "linspace", "ones",
     "ones_like", "zeros", "zeros_like")
)  # fmt: skip
DEPTH = 8


def may_write(ctx: Specialiser, node: ast.expr) -> bool:
    frame = ctx.frame
    return not frame.quiet and any(_writes(ctx, n, frame) for n in ast.walk(node))


def _writes(ctx: Specialiser, node: ast.AST, frame: Frame) -> bool:
    if isinstance(node, ast.NamedExpr):
        return True
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    if isinstance(function, ast.Name):
        return not pure_value(ctx, function.id, frame)
    if isinstance(function, ast.Attribute):
        found = _module_attribute(function, frame)
        if found is not None:
            return not pure(found)
        return function.attr not in PURE_METHODS
    return True


def pure_value(ctx: Specialiser, name: str, frame: Frame) -> bool:
    """Whether a name stands for a function that only computes."""
    at: Frame | None = frame
    while at is not None:
        value = at.names.get(name)
        if isinstance(value, Static):
            return pure(value.value)
        if isinstance(value, Closure):
            outer: Frame = value.scope  # type: ignore[assignment]
            return not _text_writes(value.node, outer.source.function, DEPTH, frozenset(outer.locals))
        if value is not None or name in at.locals:
            return False
        if at.outer is None:
            return pure(_outer(at.source.function, name))
        at = at.outer
    return False


def _outer(function: types.FunctionType, name: str) -> object:
    """What a free name of a function stands for now; None where that is not known."""
    if name in function.__code__.co_freevars:
        cell = (function.__closure__ or ())[function.__code__.co_freevars.index(name)]
        try:
            return cell.cell_contents
        except ValueError:
            return None
    return function.__globals__.get(name, getattr(builtins, name, None))


def _module_attribute(node: ast.Attribute, frame: Frame) -> object:
    """The object behind `module.sub.name`."""
    path = [node.attr]
    root = node.value
    while isinstance(root, ast.Attribute):
        path.append(root.attr)
        root = root.value
    if not isinstance(root, ast.Name) or root.id in frame.locals:
        return None
    found = _outer(frame.source.function, root.id)
    for name in reversed(path):
        if not isinstance(found, types.ModuleType):
            return None
        found = getattr(found, name, None)
    return found


def pure(function: object, depth: int = DEPTH) -> bool:
    """Whether a call of the object only computes."""
    if python_builtins.handler(function) is not None:
        return True
    if arrays.knows(function):
        return getattr(function, "__name__", "") not in (
            "at",
            "copyto",
            "put",
            "fill_diagonal",
            "place",
            "putmask",
        )
    plain = plain_function(function)
    return isinstance(plain, types.FunctionType) and depth > 0 and not _function_writes(plain, depth)


@functools.lru_cache(maxsize=1024)
def _function_writes(function: types.FunctionType, depth: int) -> bool:
    try:
        node = source_of(function).node
    except Exception:
        return True
    return _text_writes(node, function, depth, frozenset())


def _text_writes(node: ast.AST, function: types.FunctionType, depth: int, outer: frozenset[str]) -> bool:
    """Stores to elements, updates of what may be an array, calls of what may do so."""
    numbers = _named(node, lambda value: isinstance(value, ast.Constant), any)
    arrays_made = _named(node, functools.partial(_is_new, function), all)
    own = arrays_made | _named(node, lambda value: isinstance(value, ast.Dict | ast.List | ast.ListComp), all)
    bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)} | set(outer)
    for n in ast.walk(node):
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store):
            return True
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) and _root(n) not in own:
            return True
        if isinstance(n, ast.AugAssign) and _root(n.target) not in numbers | arrays_made:
            return True
        if isinstance(n, ast.keyword) and n.arg == "out":
            return True
        if isinstance(n, ast.Call) and _call_writes(n, function, depth, bound):
            return True
    return False


def _named(
    node: ast.AST, test: Callable[[ast.expr], bool], many: Callable[[Iterable[bool]], bool]
) -> set[str]:
    """Names that the function itself assigns values to that pass a test, all of them or any."""
    verdicts: dict[str, list[bool]] = {}
    for n in ast.walk(node):
        if isinstance(n, ast.arg):
            verdicts.setdefault(n.arg, []).append(False)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            verdicts.setdefault(n.id, [])
    stored = dict.fromkeys(verdicts, 0)
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            stored[n.id] += 1
        if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name):
            stored[n.target.id] -= 1  # goes on with what the name stands for
        if isinstance(n, ast.Assign):
            for t in n.targets:
                if isinstance(t, ast.Name):
                    verdicts[t.id].append(test(n.value))
    return {
        name
        for name, found in verdicts.items()
        if found and many([*found, *[False] * (stored[name] - len(found))])
    }


def _root(target: ast.expr) -> str:
    inner = target.value if isinstance(target, ast.Subscript) else target
    return inner.id if isinstance(inner, ast.Name) else ""


def _is_new(function: types.FunctionType, value: ast.expr) -> bool:
    """Whether the value of an expression is an array that nothing else refers to, or a number."""
    if isinstance(value, ast.Constant):
        return True
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    owner = value.func.value
    module = _outer(function, owner.id) if isinstance(owner, ast.Name) else None
    return module is np and value.func.attr in NEW


def call_writes(node: ast.Call, function: types.FunctionType, bound: set[str]) -> bool:
    """Whether a call in the text of a function may write; `bound` are the function's own names."""
    return _call_writes(node, function, DEPTH, bound)


def _call_writes(node: ast.Call, function: types.FunctionType, depth: int, bound: set[str]) -> bool:
    called, path = node.func, []
    while isinstance(called, ast.Attribute):
        path.append(called.attr)
        called = called.value
    if isinstance(called, ast.Name) and called.id not in bound:
        found = _outer(function, called.id)
        for name in reversed(path):
            found = getattr(found, name, None) if isinstance(found, types.ModuleType) else None
        if found is not None:
            return not pure(found, depth - 1)
    return not (path and path[0] in PURE_METHODS)


def body_writes(node: ast.AST, function: types.FunctionType, bound: set[str]) -> bool:
    """Whether a function within the text of a function may write; `bound` are names of the latter's."""
    return _text_writes(node, function, DEPTH, frozenset(bound))


__all__ = ["body_writes", "call_writes", "may_write", "pure", "pure_value"]
