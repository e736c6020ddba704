"""The module that holds one generated function.

Input: a finished core function and the options it is compiled with. Output: `Text`: source, failure sites,
line map. The text is plain Python: its decorator says how Numba compiles it, and it runs without.
Invariants: the same function gives the same bytes; no path of this machine is in it. Non-goals: writing
files, compiling.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterable

from ...options import Options
from ..ir.nodes import NOWHERE, Function
from ..ops import TABLE, bessel, incomplete, special
from .linemap import Text
from .naming import RESERVED, identifier
from .statements import TAB, WORKSPACE, Statements
from .workspace import reusable

HELPERS = (
    "u",
    "smul",
    "maximum",
    "minimum",
    "empty",
    "zeros",
    "grow",
    "outside",
    "failed",
    "failed_at",
    "stop_of",
    "take",
    "take_zeros",
)
BOUND = (*map(bessel.spelling, bessel.NAMES), *incomplete.NAMES)  # SciPy's own code computes these
VECTOR = tuple(sorted({op.vector for op in TABLE.values()} - {""}))
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
    if body.kept:
        lines.append(f"{WORKSPACE}: memory kept from call to call; its first word counts what is in use")
    lines.append(f"returns {', '.join(results) if results else 'nothing'}")
    lines.extend(fn.notes)
    lines.append('"""')
    return [line.replace("\\", "\\\\") for line in lines]


def _called(lines: list[str]) -> set[str]:
    tree = ast.parse("\n".join(lines))
    return {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}


def module_text(
    fn: Function,
    options: Options,
    routines: tuple[str, ...] = (),
    title: str = "",
    lent: Collection[int] = (),
) -> Text:
    """The text of the module; its function has the name of `fn`. `routines` are library calls it may make,
    `lent` results that may lie in the workspace.
    """
    name = identifier(fn.name)
    taken = (WORKSPACE, *HELPERS, *special.NAMES, *BOUND, *VECTOR, *routines)
    if name in taken or name in RESERVED:
        name += "_"
    kept = reusable(fn, lent)
    body = Statements(fn, (name, *taken), kept, options.precise)
    body.run()
    params = [*(body.names[v] for v in fn.params), *([WORKSPACE] if kept else [])]
    code = [
        f"def {name}({', '.join(params)}):",
        *((TAB * depth + text) if text else "" for depth, text, *_ in body.lines),
    ]
    head = [
        *_header(fn, body, title or name),
        "",
        *_imports(code, routines, options.precise),
        "",
        "",
        _decorator(options),
    ]
    places = [*([NOWHERE] * (len(head) + 1)), *(loc for _, _, loc, _ in body.lines)]
    folded = [*([()] * (len(head) + 1)), *(inner for *_, inner in body.lines)]
    text = "\n".join([*head, *code]) + "\n"
    return Text(text, name, tuple(body.sites), tuple(places), bool(kept), tuple(folded))


def _imports(code: list[str], routines: tuple[str, ...], precise: bool) -> list[str]:
    called = _called(code)
    lines = ["import numba", "import numpy as np", ""]
    vector = () if precise else VECTOR
    homes: tuple[tuple[str, Iterable[str]], ...] = (
        ("draws", [r for r in routines if r.startswith("draw_")]),
        ("routines", [r for r in routines if not r.startswith("draw_")]),
        ("scipy_special", BOUND),
        ("special", set(special.NAMES).difference(vector)),
        ("support", HELPERS),
        ("vector", vector),
    )
    for home, known in homes:
        used = sorted(called.intersection(known))
        if used:
            lines.append(f"from adjit.runtime.{home} import {', '.join(used)}")
    return lines if lines[-1] else lines[:-1]


__all__ = ["module_text"]
