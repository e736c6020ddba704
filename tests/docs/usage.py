"""Writes `docs/usage.md`: what real Numba code uses, and what adjit does with it: `python -m
tests.docs.usage`.

Input: `usage_rows`. Output: the page's text; the verdict of each row comes from running its program.
Invariant: "supported" says that the gradient agrees with differences of the uncompiled program. Non-goals:
how often the combinations occur.
"""

from __future__ import annotations

import collections
import math
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np

from tests.support import judge
from tests.support.sources import function_of

from .usage_rows import ROWS

PAGE = Path(__file__).parent.parent.parent / "docs" / "usage.md"
POINT = (0.4, 1.2, 3.0)
HEAD = """# What real Numba code uses

Made by `python -m tests.docs.usage` from programs that a test runs. Counted are 5660 functions that 86
packages of PyPI compile with Numba for the CPU; listed is every construct and function that one in 200 of
them or more use. "Supported" means: a small program that uses it has the gradient that differences of the
uncompiled program give.
"""


@numba.njit
def helper(u: Any, v: Any = 2.0) -> Any:
    return u * v + np.sin(u)


@numba.njit
def pair(u: Any) -> Any:
    return u, u * u


@numba.njit
def writes(out: Any, u: Any) -> None:
    out[0] = u * u


@numba.njit
def many(*args: Any) -> Any:
    return args[0] * args[1]


@numba.njit
def rec(u: Any, n: int) -> Any:
    if n <= 0:
        return u
    return rec(u * 1.1, n - 1)


@numba.njit
def apply(g: Any, u: Any) -> Any:
    return g(u)


@numba.njit
def optional(u: Any, v: Any = None) -> Any:
    if v is None:
        return u * u
    return u * v


@numba.njit
def halved(u: Any) -> Any:
    return 0.5 * u


def plain(u: Any) -> Any:
    return u * u


def making(factor: float) -> Any:
    @numba.njit
    def scaled(u: Any) -> Any:
        return factor * u

    return scaled


SPACE: dict[str, Any] = {
    "np": np,
    "math": math,
    "numba": numba,
    "prange": numba.prange,
    "N": collections.namedtuple("N", "a b"),
    "CALLS": types.SimpleNamespace(helper=helper),
    **{f.__name__: f for f in (helper, pair, writes, many, rec, apply, optional, plain)},
    "made": making(3.0),
    "mean_of": halved,
    "CONSTANT": 3.0,
    "HALF_PI": math.pi / 2,
    "SIX": 2.0 * 3.0,
    "MINUS": -1.0,
    "SAME": 3.0,
    "ARRAY": np.array([1.0, 2.0, 3.0]),
    "ARR": np.array([1.0, 2.0, 3.0]),
}


def program(number: int) -> Callable[..., Any]:
    file = f"<usage {number}>"
    source = "def f(x):\n    " + ROWS[number][3].replace("\n", "\n    ") + "\n"
    return function_of(source, "f", file, {**SPACE, "__name__": __name__})


@cache
def verdict(number: int) -> tuple[str, str]:
    """(supported, refused or irrelevant, why)."""
    body = ROWS[number][3]
    if body.startswith("irrelevant:"):
        return "irrelevant", body.partition(": ")[2]
    found = judge.check(program(number), (np.array(POINT),), (0,), rtol=1e-5)
    if found.kind in ("right", "unsure"):
        return "supported", ""
    if found.kind == "refused":
        return "refused", found.message.splitlines()[0].partition(": ")[2]
    raise AssertionError(f"{ROWS[number]}: {found}")


def text() -> str:
    lines = [HEAD]
    kinds = list(dict.fromkeys(row[0] for row in ROWS))
    for kind in kinds:
        lines += [f"## {kind}", "", "| used | functions | adjit |", "|---|---|---|"]
        for number, (own, name, share, _) in enumerate(ROWS):
            if own == kind:
                word, why = verdict(number)
                lines.append(f"| `{name}` | {share} % | {word}{': ' if why else ''}{why} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        PAGE.write_text(text(), encoding="utf-8")
