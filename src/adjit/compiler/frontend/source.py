"""From a function object to the syntax tree of its definition, with true positions in its file.

Input: a Python function (plain, nested, lambda, from a notebook cell). Output: `Source`: the node, its file,
its globals and closure cells. The whole file is parsed, so that lines and columns are the user's own.
Invariants: user code is never run; the file's text is the one that `linecache` knows (so notebook cells and
doctests have text). Non-goals: deciding which constructs are accepted (`fence`), names (`resolve`).
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import os
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...errors import AdjitError, UnsupportedSyntaxError
from ..ir.nodes import Location

FunctionNode = ast.FunctionDef | ast.Lambda
PROMPT = "<stdin>"  # what is typed there, and what `python < file` reads
STARTED = time.time()


@dataclass(frozen=True, eq=False)
class Source:
    """A function's definition. `cells` are the closure cells by variable name."""

    function: types.FunctionType
    node: FunctionNode
    file: str
    name: str

    @property
    def globals(self) -> dict[str, object]:
        return self.function.__globals__

    @property
    def cells(self) -> dict[str, types.CellType]:
        return dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))

    def location(self, node: ast.AST, call: Location | None = None) -> Location:
        return location_of(self.file, self.name, node, call)


def location_of(file: str, name: str, node: ast.AST, call: Location | None = None) -> Location:
    """The place of a node; of its first line only where it goes on over several. `call` is that of the
    function.
    """
    line = getattr(node, "lineno", 0)
    end = getattr(node, "end_lineno", None) or line
    start, stop = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None) or 0
    return Location(file, line, start, end, stop, name, call=call)


def plain_function(function: object) -> object:
    """The Python function behind a Numba dispatcher, an `adjit.jit` function or a bound method."""
    seen = 0
    while seen < 10:
        inner = getattr(function, "py_func", None)
        if inner is None:
            break
        function = inner
        seen += 1
    if isinstance(function, types.MethodType):
        return function.__func__
    return function


def source_of(function: types.FunctionType) -> Source:
    """The definition of a function; an error that says why where there is none."""
    code = function.__code__
    try:
        node = _find(code, _text(code, function.__globals__))
    except AdjitError:
        raise
    except (OSError, SyntaxError) as error:
        raise no_source(function, str(error)) from None
    if node is None or _is_stale(code, node) or _was_edited(code, function.__globals__):
        raise no_source(function, "its file has changed since the function was made")
    name = function.__name__ if isinstance(node, ast.FunctionDef) else "<lambda>"
    return Source(function, node, code.co_filename, name)


def no_source(function: Callable[..., object], detail: str) -> AdjitError:
    name = getattr(function, "__name__", repr(function))
    code = getattr(function, "__code__", None)
    place = Location(code.co_filename, code.co_firstlineno, function=name) if code is not None else None
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return UnsupportedSyntaxError(
            f"the function {name!r} is asynchronous",
            place,
            "adjit makes one native function that runs from beginning to end",
            "define it with 'def', and await what it needs before the call",
        )
    why = f"adjit transforms source text, and there is none for it ({detail})"
    remedy = "define it in a file or a notebook cell, not by exec, eval or python -c"
    if code is not None and code.co_filename == PROMPT:
        why = "adjit transforms source text: Python's plain prompt keeps it since 3.13, `python < file` never"
        remedy = "define it at the prompt of IPython, in a notebook cell or in a file that is imported"
    return UnsupportedSyntaxError(f"the source of the function {name!r} cannot be read", place, why, remedy)


def _text(code: types.CodeType, module_globals: dict[str, object]) -> str:
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, module_globals)
    if not lines:
        raise OSError("no source text is available")
    return "".join(lines)


@functools.lru_cache(maxsize=256)
def _functions(text: str) -> dict[int, list[FunctionNode]]:
    """The function nodes of a file by the line that a code object calls its first."""
    found: dict[int, list[FunctionNode]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found.setdefault(first, []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
    return found


def _find(code: types.CodeType, text: str) -> FunctionNode | None:
    candidates = _functions(text).get(code.co_firstlineno, [])
    if code.co_name == "<lambda>":
        return _find_lambda(code, [n for n in candidates if isinstance(n, ast.Lambda)])
    named = [n for n in candidates if isinstance(n, ast.FunctionDef) and n.name == code.co_name]
    return named[0] if named else None


def _find_lambda(code: types.CodeType, candidates: list[ast.Lambda]) -> ast.Lambda | None:
    """The one among several lambdas on a line: by its parameters, then by positions or names in its code."""
    fitting = [n for n in candidates if _parameters(n) == code.co_varnames[: len(_parameters(n))]]
    fitting = [n for n in fitting if len(_parameters(n)) == _parameter_count(code)]
    if len(fitting) > 1 and hasattr(code, "co_positions"):
        spans = set(_positions(code))
        inside = [n for n in fitting if all(_within(s, n.body) for s in spans)]
        # of nested candidates the smallest one that holds all positions is the lambda itself
        fitting = sorted(inside, key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0))[:1] or fitting
    if len(fitting) > 1:
        names = set(code.co_names) | set(code.co_freevars) | set(code.co_varnames)
        fitting = [n for n in fitting if _names(n) <= names and _names(n)] or fitting
    if not fitting:
        return None
    if len({ast.dump(n) for n in fitting}) > 1:
        raise UnsupportedSyntaxError(
            "several lambdas on one line cannot be told apart",
            Location(code.co_filename, code.co_firstlineno),
            "this version of Python does not record columns",
            "put each lambda on a line of its own",
        )
    return fitting[0]


def _is_stale(code: types.CodeType, node: FunctionNode) -> bool:
    """Whether the text mentions less than the code does, or has nothing on one of its lines."""
    nodes = list(ast.walk(node))
    words = {
        getattr(n, field)
        for n in nodes
        for field in ("id", "attr", "arg", "name", "asname")
        if hasattr(n, field)
    }
    words |= {part for n in nodes if isinstance(n, ast.alias) for part in n.name.split(".")}
    words |= {n.module for n in nodes if isinstance(n, ast.ImportFrom)}
    used = {w for w in (*code.co_names, *code.co_varnames) if w.isidentifier() and not w.startswith("_")}
    used -= {"AssertionError", "locals"}  # pytest puts these, and names with underscores, into tests
    lines = {n.lineno for n in nodes if hasattr(n, "lineno")} | {
        n.end_lineno for n in nodes if hasattr(n, "end_lineno")
    }
    lines |= {code.co_firstlineno}
    return not used <= words or not {line for _, _, line in code.co_lines() if line} <= lines


def _was_edited(code: types.CodeType, module_globals: dict[str, object]) -> bool:
    """Whether a file that was saved since this process began no longer has this code."""
    try:
        if os.stat(code.co_filename).st_mtime < STARTED:
            return False
        text = _text(code, module_globals)
        return not any(_same_code(code, c) for c in _codes(text, code.co_filename))
    except (OSError, SyntaxError):
        return False


@functools.lru_cache(maxsize=256)
def _codes(text: str, file: str) -> tuple[types.CodeType, ...]:
    """All code objects of a file."""
    found = [compile(text, file, "exec", dont_inherit=True)]
    for code in found:  # grows
        found += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return tuple(found)


def _same_code(a: types.CodeType, b: types.CodeType) -> bool:
    same_place = (a.co_name, a.co_firstlineno) == (b.co_name, b.co_firstlineno)
    constants = ([repr(k) for k in c.co_consts if not isinstance(k, types.CodeType)] for c in (a, b))
    return same_place and a.co_code == b.co_code and next(constants) == next(constants)


def _parameters(node: ast.Lambda) -> tuple[str, ...]:
    a = node.args
    rest = [x.arg for x in (a.vararg, a.kwarg) if x is not None]
    return (*(x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)), *rest)


def _parameter_count(code: types.CodeType) -> int:
    star = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + star


def _positions(code: types.CodeType) -> Iterator[tuple[int, int, int, int]]:
    """Spans of the instructions that come from expressions of the body."""
    for line, end_line, column, end_column in code.co_positions():  # type: ignore[attr-defined]
        if line is None or end_line is None or column is None or end_column is None:
            continue
        if (column, end_column) != (0, 0):
            yield line, end_line, column, end_column


def _within(span: tuple[int, int, int, int], node: ast.expr) -> bool:
    line, end_line, column, end_column = span
    start = (node.lineno, node.col_offset) <= (line, column)
    return start and (end_line, end_column) <= (node.end_lineno or 0, node.end_col_offset or 0)


def _names(node: ast.Lambda) -> set[str]:
    return {n.id for n in ast.walk(node.body) if isinstance(n, ast.Name)}
