"""Arrays of which each pass uses its own part lose an axis, and programs mean what they meant."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from adjit.compiler.ir.nodes import Alloc, Function
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.contract import contract
from tests.compiler.passes.meaning import check_meaning
from tests.support.interpret import run
from tests.support.little import read

HEAD = 'def f(x: "f8[:]", a: "f8[:,:]", n: "i8", m: "i8", s: "f8"):\n'
ROWS = """
    c = alloc(n, m)
    for i in range(n):
        for j in range(m):
            c[i, j] = a[i, j] * s
        for j in range(m):
            x[i] += c[i, j] + float(dim(c, 1))
"""
COLUMNS = """
    c = zeros(m, n + 1)
    for i in range(n):
        for j in range(m):
            c[j, i + 1] += a[i, j] * s
            c[0, i + 1] += 1.0
        for j in range(m):
            x[i] += c[j, i + 1]
"""
INNER = """
    c = zeros(n, m, n)
    for k in range(2):
        for i in range(n):
            for j in range(m):
                c[k, j, i] += a[i, j] * s
            x[i] += c[k, 0, i] + c[k, m - 1, i]
"""
CUBE = INNER.replace("range(2)", "range(n)")
DOWN = ROWS.replace("range(n)", "range(n - 1, -1, -1)")
CHANGED = [ROWS, COLUMNS, INNER, CUBE, DOWN]

AFTER = ROWS + "    s = s + c[0, 0]\n"
SHIFTED = COLUMNS.replace("x[i] += c[j, i + 1]", "x[i] += c[j, i]")
TWO_LOOPS = """
    c = alloc(n, m)
    for i in range(n):
        for j in range(m):
            c[i, j] = a[i, j] * s
    for i in range(n):
        for j in range(m):
            x[i] += c[i, j]
"""
VIEWED = ROWS.replace("x[i] += c[i, j]", "r = row(c, i)\n            x[i] += r[j]")
LINE = """
    c = zeros(n)
    for i in range(n):
        c[i] += x[i]
        x[i] += c[i]
"""
CARRIED = """
    c = zeros(n, n)
    for k in range(3):
        for i in range(n):
            for j in range(n):
                s = s + c[i, j] * x[j]
                c[i, j] = x[i] * x[j] * float(k)
"""
NEXT_ROW = """
    c = alloc(n, n)
    for k in range(n):
        for i in range(n):
            c[k, i] = x[i] * float(k + 1)
        if k > 0:
            for i in range(n):
                s = s + c[k, i] * c[k - 1, i]
"""
KEPT = [CARRIED, NEXT_ROW, AFTER, SHIFTED, TWO_LOOPS, VIEWED, LINE]


def outcome(fn: Function) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    x, a = rng.normal(size=4), rng.normal(size=(4, 4))
    (s,) = run(fn, x, a, 4, 3, 0.7)
    return [np.array(s), x, a]


def check(source: str) -> bool:
    """Whether an array lost an axis; raises if the meaning changed."""
    fn = read(HEAD + source.lstrip("\n") + "    return s\n")
    made = contract(fn)
    verify(made)
    for u, v in zip(outcome(fn), outcome(made), strict=True):
        np.testing.assert_array_equal(u, v, err_msg=source)
    return ranks(made) != ranks(fn)


def ranks(fn: Function) -> list[int]:
    return [len(s.shape) for s in walk(fn.body) if isinstance(s, Alloc)]


@pytest.mark.parametrize("source", CHANGED)
def test_changed(source: str) -> None:
    assert check(source)


@pytest.mark.parametrize("source", KEPT)
def test_kept(source: str) -> None:
    assert not check(source)


def random_loop(rng: Random) -> str:
    """Two matrices that the passes of a nest fill and read at indices of which most are their own."""
    lines = [f"    {v} = zeros(n + 1, n + 1)" for v in "cd"]
    lines.append("    for i in range(n):")
    pad = "        "
    if rng.random() < 0.4:
        lines[-1] = "    for k in range(2):"
        lines.append("        for i in range(n):")
        pad = "            "
    for _ in range(rng.randint(2, 5)):
        v, p = rng.choice("cd"), rng.choice(["i", "i", "i", "i", "i + 1", "j"])
        q = rng.choice(["j", "j", "0", "i"])
        at = f"{p}, {q}" if rng.random() < 0.7 else f"{q}, {p}"
        lines.append(pad + "for j in range(n):")
        one = rng.choice(
            [f"{v}[{at}] = a[i, j]", f"{v}[{at}] += s", f"x[i] += {v}[{at}]", f"x[j] += {v}[{at}]"]
        )
        lines.append(pad + "    " + one)
    return "\n".join(lines) + "\n"


def test_random_loops() -> None:
    assert sum(check(random_loop(Random(seed))) for seed in range(160)) > 24


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_programs(first: int) -> None:
    for seed in range(first, first + 50):
        check_meaning(contract, seed)
