"""Writes `docs/supported.md` from the tables of the code and of the tests: `python -m tests.docs.supported`.

Input: the fence's list of constructs, the tables of builtins and NumPy functions, the rows that say with
which calls each function is checked against differences, the points at which a convention decides. Output:
the page's text. Invariant: nothing on the page is written by hand but its headings. Non-goals: what depends
on types or values (the refusals say that).
"""

from __future__ import annotations

import ast
import builtins
import cmath
import math
import operator
import random
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import numpy as np
import scipy.linalg
from scipy import special

import adjit.compiler.pipeline  # noqa: F401  (loads what fills the tables)
from adjit.compiler.definitions import DEFINITIONS, ELEMENTWISE, STACKED
from adjit.compiler.frontend import fence, python_builtins
from adjit.compiler.frontend.arrays.attributes import METHODS
from adjit.compiler.frontend.arrays.complex_functions import HANDLERS, KEPT
from adjit.compiler.frontend.arrays.numpy_table import BUILTINS
from adjit.compiler.frontend.arrays.scalars import BY_FUNCTION
from adjit.compiler.library.randomness import WITH_NUMBERS
from adjit.compiler.ops import complexes
from tests.ops.points import POINTS
from tests.ops.test_definitions import CALLS, drawn

PAGE = Path(__file__).parent.parent.parent / "docs" / "supported.md"
HOMES: tuple[tuple[str, ModuleType], ...] = (
    ("np", np),
    ("np.linalg", np.linalg),
    ("np.random", np.random),
    ("math", math),
    ("cmath", cmath),
    ("random", random),
    ("scipy.special", special),
    ("scipy.linalg", scipy.linalg),
    ("operator", operator),
    ("", builtins),
)
HEAD = """# What adjit supports

Made from the code's own tables by `python -m tests.docs.supported`; a test keeps it true. What is not here
is refused, with the place and a remedy. A function of your own gets a derivative by `adjit.custom_vjp` and
`adjit.custom_jvp`; in its code and in its rules, functions that Numba compiles and adjit cannot read are
called as they are.
"""


def named(function: object) -> list[str]:
    """The names under which users know a function, the module's own name first."""
    found: dict[str, None] = {}
    for prefix, module in HOMES:
        for name in sorted(vars(module), key=lambda n: (n != getattr(function, "__name__", ""), len(n), n)):
            if not name.startswith("_") and vars(module)[name] is function:
                found[f"{prefix}.{name}" if prefix else name] = None
    return list(found)


def functions() -> list[object]:
    tables: tuple[Iterable[object], ...] = (BY_FUNCTION, BUILTINS, ELEMENTWISE, DEFINITIONS)
    return list(dict.fromkeys(f for table in tables for f in table))


def calls_of(function: object, names: list[str]) -> list[tuple[str, tuple[str, ...]]]:
    """(call, names of the floats in it) for the rows of a function, or those that mention it."""
    own = [(row, text) for row, text in CALLS if row.function is function]
    short = [n.split(".")[-1] + "(" for n in names]
    others = [(row, text) for row, text in CALLS if getattr(row.function, "__module__", "") != "cmath"]
    rows = own or [(row, text) for row, text in others if any(s in text for s in short)][:1]
    found = []
    for row, text in rows:
        mentioned = {
            n.id for n in ast.walk(ast.parse(text.replace("return ", ""))) if isinstance(n, ast.Name)
        }
        floats = [k for k, v in drawn(row).items() if k in mentioned and np.asarray(v).dtype.kind == "f"]
        shown = text.split("; ")[-1].removeprefix("return ") if "seed(3)" in text else text
        found.append((shown, tuple(floats)))
    return found


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def function_rows(home: str) -> list[str]:
    lines = []
    for f in functions():
        names = named(f)
        if not names or names[0].rpartition(".")[0] != home:
            continue
        calls = calls_of(f, names)
        floats = list(dict.fromkeys(a for _, args in calls for a in args))
        shown = " · ".join([f"`{cell(c)}`" for c in dict.fromkeys(c for c, _ in calls)][:3])
        also = f" (also {', '.join(f'`{n}`' for n in names[1:])})" if names[1:] else ""
        lines.append(f"| `{names[0]}`{also} | {', '.join(floats)} | {shown} |")
    return sorted(lines)


def constructs() -> list[str]:
    def words(text: str) -> str:
        return ", ".join(f"`{w}`" for w in sorted(text.split()))

    lines = ["## Python", "", "By the name of the syntax node in `ast`.", ""]
    lines += [f"Statements: {words(fence.STATEMENTS)}.", "", f"Expressions: {words(fence.EXPRESSIONS)}.", ""]
    lines += [
        f"Operators: {words(fence.OPERATORS)}.",
        "",
        "Refused:",
        "",
        "| node | why | instead |",
        "|---|---|---|",
    ]
    for node, (_, why, instead) in sorted(fence.REFUSED.items()):
        lines.append(f"| `{node}` | {cell(why)} | {cell(instead)} |")
    known = sorted({n for f in python_builtins.TABLE for n in named(f)[:1]})
    lines += [
        "",
        "Builtins and functions of the standard library: " + ", ".join(f"`{n}`" for n in known) + ".",
    ]
    return lines


def conventions() -> list[str]:
    lines = [
        "## At ties, zeros and kinks",
        "",
        "`a` is the argument.",
        "",
        "| function | at | gradient |",
        "|---|---|---|",
    ]
    for p in POINTS:
        at, gradient = (
            np.array2string(np.asarray(v, float), separator=", ", precision=4) for v in (p.at, p.gradient)
        )
        lines.append(f"| `{cell(p.expression)}` | {cell(at)} | {cell(gradient)} |")
    return lines


def complex_functions() -> str:
    """The functions that take complex numbers."""
    ops = complexes.ARITHMETIC | complexes.FUNCTIONS | complexes.TO_REAL | complexes.TESTS
    rows = [f for f, row in BY_FUNCTION.items() if row.name in (*ops, "pow", "positive")]
    known = [*rows, *KEPT, *HANDLERS]
    names = sorted({n[0] for n in map(named, known) if n and not n[0].startswith(("math.", "operator."))})
    return "Functions that take complex numbers: " + ", ".join(f"`{n}`" for n in names) + ", all of `cmath`."


NOTE = """The calls are some of those whose gradients are checked against differences; `gradient in` names the
arguments in them that are differentiated.
"""


def text() -> str:
    lines = [HEAD, *constructs(), "", "## Functions", "", NOTE]
    for home, _ in HOMES:
        rows = function_rows(home)
        if rows:
            head = ["| function | gradient in | checked calls |", "|---|---|---|"]
            lines += [f"### {home or 'builtins'}", "", *head, *rows, ""]
    stacks = ", ".join(sorted(f"`{named(f)[0]}`" for f in STACKED))
    lines += [f"On stacks of matrices too: {stacks}.", "", complex_functions(), ""]
    lines += ["Methods of arrays: " + ", ".join(f"`{m}`" for m in sorted(METHODS)) + ".", ""]
    kinds = ", ".join(sorted(k.removeprefix("draw_") for k in WITH_NUMBERS))
    lines += [f"Draws without a derivative in their parameters (refused on a gradient path): {kinds}.", ""]
    return "\n".join([*lines, *conventions(), ""])


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
