"""The module that holds one generated function.

Input: a finished core function and the options it is compiled with. Output: `Text`: source, failure sites,
line map. The text is plain Python: its decorator says how Numba compiles it, and it runs without.
Invariants: the same function gives the same bytes; no path of this machine is in it. Non-goals: writing
files, compiling.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from ...options import Options
from ..ir.nodes import NOWHERE, Function, Location
from ..opaque import PREFIX
from ..ops import TABLE, bessel, incomplete, special
from .linemap import Text
from .naming import RESERVED, identifier
from .sections import divided
from .statements import TAB, WORKSPACE, Piece, Statements
from .workspace import reusable

HELPERS = (
    "uint",
    "smul",
    "maximum",
    "minimum",
    "empty",
    "zeros",
    "grow",
    "outside",
    "failed",
    "failed_at",
    "failed_with",
    "stop_of",
    "take",
    "take_zeros",
    "note",
    "own",
    "share",
    "surface",
    "to_float16",
    "from_float16",
    "to_bfloat16",
    "from_bfloat16",
)
BOUND = (*map(bessel.spelling, bessel.NAMES), *incomplete.NAMES)  # SciPy's own code computes these
VECTOR = tuple(sorted({op.vector for op in TABLE.values()} - {""}))
FASTMATH = ("reassoc", "nsz", "arcp", "contract", "afn")  # never nnan, ninf


def decorator(options: Options) -> str:
    fast = f", fastmath={{{', '.join(repr(f) for f in FASTMATH)}}}" if options.fastmath else ""
    return f'@numba.njit(error_model="numpy", nogil=True, cache=True{fast})'


def header(fn: Function, body: Statements, title: str) -> list[str]:
    """The module's docstring: what it is, where it comes from, its parameters and results."""
    origin = f" ({os.path.basename(fn.loc.file)}:{fn.loc.line})" if fn.loc.line > 0 else ""
    lines = [f'"""{title}{origin}', ""]
    lines.extend(f"{body.names[v]}: {v.type}" for v in fn.params)
    results = [f"{x.type}" for x in fn.results]
    if body.workspace:
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
    taken = reserved(routines)
    name = name_of(fn, taken)
    kept = reusable(fn, lent)
    body = Statements(fn, (name, *taken), kept, options.precise)
    body.run()
    params = [*(body.names[v] for v in fn.params), *([WORKSPACE] if kept else [])]
    pieces = divided(Piece(decorator(options), name, tuple(params), tuple(body.lines)))
    head = header(fn, body, title or name)
    made = assembled(head, pieces, routines, options.precise)
    return replace(made, sites=tuple(body.sites), workspace=bool(kept))


def reserved(routines: tuple[str, ...]) -> tuple[str, ...]:
    """Names that mean something in a module."""
    return (WORKSPACE, "in_threads", "laid_out", *HELPERS, *special.NAMES, *BOUND, *VECTOR, *routines)


def name_of(fn: Function, taken: Collection[str]) -> str:
    name = identifier(fn.name)
    return f"{name}_" if name in taken or name in RESERVED else name


def assembled(head: list[str], pieces: Sequence[Piece], routines: tuple[str, ...], precise: bool) -> Text:
    """The module of some functions, the last of which is its public one."""
    code: list[str] = []
    places: list[Location] = []
    folded: list[tuple[Location, ...]] = []
    for piece in pieces:
        own: list[tuple[str, Location, tuple[Location, ...]]] = [
            ("", NOWHERE, ()),
            ("", NOWHERE, ()),
            (piece.decorator, NOWHERE, ()),
        ]
        own.append((f"def {piece.name}({', '.join(piece.params)}):", NOWHERE, ()))
        own += [((TAB * depth + text) if text else "", loc, inner) for depth, text, loc, inner in piece.lines]
        code += [text for text, *_ in own]
        places += [loc for _, loc, _ in own]
        folded += [inner for *_, inner in own]
    first = [*head, "", *_imports(code, routines, precise)]
    places = [*([NOWHERE] * len(first)), *places]
    folded = [*([()] * len(first)), *folded]
    text = "\n".join([*first, *code]) + "\n"
    return Text(text, pieces[-1].name, (), tuple(places), folded=tuple(folded))


def _imports(code: list[str], routines: tuple[str, ...], precise: bool) -> list[str]:
    called = _called(code)
    lines = ["import numba", "import numpy as np", ""]
    vector = () if precise else VECTOR
    homes: tuple[tuple[str, Iterable[str]], ...] = (
        ("draws", [r for r in routines if r.startswith("draw_")]),
        ("opaque", ["laid_out", *(n for n in called if n.startswith(PREFIX))]),
        ("routines", [r for r in routines if not r.startswith(("draw_", "show"))]),
        ("scipy_special", BOUND),
        ("showing", ["show"]),
        ("special", set(special.NAMES).difference(vector)),
        ("support", HELPERS),
        ("together", ["in_threads"]),
        ("vector", vector),
    )
    for home, known in homes:
        used = sorted(called.intersection(known))
        if used:
            lines.append(f"from adjit.runtime.{home} import {', '.join(used)}")
    return lines if lines[-1] else lines[:-1]


__all__ = ["module_text"]
