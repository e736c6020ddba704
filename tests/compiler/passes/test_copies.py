"""Copies that are only read are not made, and programs mean what they meant."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from adjit.compiler.ir.nodes import Alloc, Function
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.copies import copies
from adjit.compiler.passes.dce import dce
from tests.compiler.passes.meaning import check_meaning
from tests.support.interpret import run
from tests.support.little import read

HEAD = 'def f(x: "f8[:]", a: "f8[:,:]", p: "i8[:]", n: "i8", m: "i8", s: "f8"):\n'
LINE = """
    c = alloc(n)
    for i in range(n):
        c[i] = x[i + 1]
    for i in range(n):
        s = s + c[i] * c[n - 1 - i] + x[i]
    for i in range(n):
        x[i] = s
"""
PLANE = """
    c = alloc(n, m)
    for i in range(n):
        for j in range(m):
            c[i, j] = a[n - i, j + 1]
    for i in range(n):
        for j in range(m):
            s = s + c[i, j] * c[n - 1 - i, m - 1 - j] + float(dim(c, 1))
"""
ROW = """
    for k in range(n):
        c = alloc(m)
        for j in range(m):
            c[j] = a[k, j]
        for j in range(m):
            s = s + c[j] * c[m - 1 - j]
        for j in range(m):
            a[k, j] = s
"""
TWICE = LINE.replace(
    "    for i in range(n):\n        s",
    "    d = alloc(n)\n    for i in range(n):\n        d[i] = c[i]\n    for i in range(n):\n        s",
).replace("c[n - 1", "d[n - 1")
CHECKED_ROWS = """
    c = alloc(n, m)
    for i in range(n):
        for j in range(m):
            k = p[i]
            bounds(a, 0, k)
            c[i, j] = a[k, j]
    for i in range(n):
        s = s + c[i, 0] * c[i, 2]
"""
GONE = [LINE, PLANE, ROW, TWICE, CHECKED_ROWS]

WRITTEN = LINE.replace("+ x[i]\n", "+ x[i]\n        x[i] = 0.5\n")
WRITTEN_BETWEEN = LINE.replace(
    "    for i in range(n):\n        s", "    x[1] = 2.0\n    for i in range(n):\n        s"
)
WRITTEN_BEFORE_THE_SECOND = TWICE.replace(
    "    for i in range(n):\n        s", "    x[1] = 2.0\n    for i in range(n):\n        s"
)
CHANGED = LINE.replace("        c[i] = x[i + 1]\n", "        c[i] = x[i + 1]\n    c[1] = s\n")
ZEROED = LINE.replace("alloc(n)", "zeros(n)")
READ_IN_NEXT_PASS = """
    c = alloc(n)
    for i in range(n):
        c[i] = x[i]
    for k in range(2):
        for i in range(n):
            s = s + c[i]
        for i in range(n):
            x[i] = s
"""
TURNED = """
    c = alloc(n, n)
    for i in range(n):
        for j in range(n):
            c[i, j] = a[j, i]
    for i in range(n):
        for j in range(n):
            s = s + c[i, j] * float(i)
"""
VIEWED = PLANE.replace(
    "            s = s + c[i, j] *", "            r = row(c, i)\n            s = s + r[j] *"
)
ELEMENTS_BY_DATA = """
    c = alloc(n)
    for i in range(n):
        c[i] = x[p[i]]
    for i in range(n):
        s = s + c[i] * c[0]
"""
CHOICE_CHANGED = CHECKED_ROWS.replace(
    "    for i in range(n):\n        s", "    p[0] = 1\n    for i in range(n):\n        s"
)
KEPT = [
    ELEMENTS_BY_DATA,
    CHOICE_CHANGED,
    WRITTEN,
    WRITTEN_BETWEEN,
    CHANGED,
    ZEROED,
    READ_IN_NEXT_PASS,
    TURNED,
    VIEWED,
]


def outcome(fn: Function) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    x, a = rng.normal(size=6), rng.normal(size=(5, 5))
    p = np.array([3, 0, 3, 1])
    (s,) = run(fn, x, a, p, 4, 3, 0.7)
    return [np.array(s), x, a, p]


def check(source: str) -> int:
    """How many copies are gone; raises if the meaning changed."""
    fn = read(HEAD + source.lstrip("\n") + "    return s\n")
    made = copies(fn)
    verify(made)
    for u, v in zip(outcome(fn), outcome(made), strict=True):
        np.testing.assert_array_equal(u, v, err_msg=source)
    return arrays(fn) - arrays(made)


def arrays(fn: Function) -> int:
    return sum(isinstance(s, Alloc) for s in walk(dce(fn).body))


@pytest.mark.parametrize("source", GONE)
def test_gone(source: str) -> None:
    assert check(source) == 1


@pytest.mark.parametrize("source", KEPT)
def test_kept(source: str) -> None:
    assert check(source) == 0


def test_checks_of_chosen_rows_stay() -> None:
    made = copies(read(HEAD + CHECKED_ROWS.lstrip("\n") + "    return s\n"))
    x, a = np.zeros(6), np.zeros((5, 5))
    with pytest.raises(IndexError):
        run(made, x, a, np.array([0, 1, 5, 0]), 4, 3, 0.7)


def test_a_copy_of_a_copy() -> None:
    assert check(WRITTEN_BEFORE_THE_SECOND) in (0, 1)


def random_program(rng: Random) -> str:
    lines = ["    c = alloc(n)", "    d = alloc(n)"]
    for _ in range(rng.randint(3, 7)):
        u, v = rng.choice("cdx"), rng.choice("cdx")
        lines.append("    for i in range(n):")
        lines.append(
            "        "
            + rng.choice(
                [
                    f"c[i] = {v}[i]",
                    f"d[i] = {v}[n - 1 - i]",
                    f"d[i] = {v}[i]",
                    f"s = s + {u}[i] * {v}[0]",
                    "x[i] = s",
                ]
            )
        )
    return "\n".join(["    for i in range(n):", "        c[i] = x[i]", *lines[2:]]) + "\n"


def test_random_programs_of_copies() -> None:
    gone = 0
    for seed in range(160):
        body = random_program(Random(seed))
        start = "    c = alloc(n)\n    d = alloc(n)\n    for i in range(n):\n        d[i] = x[i] * 2.0\n"
        gone += check(start + body)
    assert gone > 8


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_programs(first: int) -> None:
    for seed in range(first, first + 50):
        check_meaning(copies, seed)
