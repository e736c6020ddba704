"""The module that holds one generated function.

Input: a finished core function and the options it is compiled with. Output: `Text`: source, failure sites,
line map. The text is plain Python: its decorator says how Numba compiles it, and it runs without.
Invariants: the same function gives the same bytes; no path of this machine is in it. Non-goals: writing
files, compiling.
"""

from __future__ import annotations

import ast
import builtins
import os
from functools import cache

from ...options import Options
from ..ir.nodes import NOWHERE, Function
from ..ops import TABLE
from ..ops.special import NAMES as SPECIAL
from .linemap import Text
from .naming import identifier
from .statements import TAB, Statements

HELPERS = (
    "u",
    "smul",
    "maximum",
    "minimum",
    "grow",
    "outside",
    "failed",
    "stop_of",
)
FASTMATH = ("reassoc", "nsz", "arcp", "contract", "afn")  # never nnan, ninf


def _decorator(options: Options) -> str:
    fast = f", fastmath={{{', '.join(repr(f) for f in FASTMATH)}}}" if options.fastmath else ""
    return f'@numba.njit(error_model="numpy", nogil=True, cache=True{fast})'


def _header(fn: Function, body: Statements, title: str) -> list[str]:
    """The module's docstring: what it is, where it comes from, its parameters and results."""
    origin = f" ({os.path.basename(fn.loc.file)}:{fn.loc.line})" if fn.loc.line > 0 else ""
    lines = [f'"""{title}{origin}', ""]
    lines.extend(f"{body.names[v]}: {v.type}" for v in fn.params)
    results = [f"{x.type}" for x in fn.results]
    lines.append(f"returns {', '.join(results) if results else 'nothing'}")
    lines.extend(fn.notes)
    lines.append('"""')
    return [line.replace("\\", "\\\\") for line in lines]


@cache
def special_functions() -> tuple[str, ...]:
    """Functions of `adjit.runtime.special` that spellings of ops call."""
    found: set[str] = set()
    for row in TABLE.values():
        found |= _called([row.python.format(*(f"x{k}" for k in range(row.arity)))])
    return tuple(sorted(found - set(HELPERS) - set(dir(builtins))))


def _called(lines: list[str]) -> set[str]:
    tree = ast.parse("\n".join(lines))
    return {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}


def module_text(fn: Function, options: Options, routines: tuple[str, ...] = (), title: str = "") -> Text:
    """The text of the module; its function has the name of `fn`. `routines` are library calls it may make."""
    name = identifier(fn.name)
    if (
        name in ("np", "math", "numba")
        or name in HELPERS
        or name in special_functions()
        or name in routines
        or name in SPECIAL
    ):
        name += "_"
    body = Statements(fn, (name, *HELPERS, *SPECIAL, *routines))
    body.run()
    params = ", ".join(body.names[v] for v in fn.params)
    code = [
        f"def {name}({params}):",
        *((TAB * depth + text) if text else "" for depth, text, _ in body.lines),
    ]
    called = _called(code)
    imports = ["import numba", "import numpy as np", ""]
    helpers = sorted(h for h in HELPERS if h in called)
    if helpers:
        imports.append(f"from adjit.runtime.support import {', '.join(helpers)}")
    special = sorted(f for f in SPECIAL if f in called)
    if special:
        imports.append(f"from adjit.runtime.special import {', '.join(special)}")
    used = sorted(r for r in routines if r in called)
    if used:
        imports.append(f"from adjit.runtime.routines import {', '.join(used)}")
    if "math." in "\n".join(code):
        imports.insert(0, "import math")
    head = [*_header(fn, body, title or name), "", *imports, "", "", _decorator(options)]
    places = [*([NOWHERE] * (len(head) + 1)), *(loc for _, _, loc in body.lines)]
    return Text("\n".join([*head, *code]) + "\n", name, tuple(body.sites), tuple(places))


__all__ = ["module_text"]
