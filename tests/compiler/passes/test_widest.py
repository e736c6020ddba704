"""Arrays whose length follows a loop are made once before it, and programs mean what they meant."""

from __future__ import annotations

import numpy as np
import pytest

from adjit.compiler.ir.nodes import Alloc, For, Function
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.widest import widest
from tests.compiler.passes.meaning import check_meaning
from tests.support.interpret import run
from tests.support.little import read

HEAD = 'def f(x: "f8[:]", a: "f8[:,:]", n: "i8", m: "i8", s: "f8"):\n'
UP = """
    for k in range(1, n):
        c = alloc(k)
        for i in range(k):
            c[i] = x[k - i] * s
        for i in range(dim(c, 0)):
            x[i] = x[i] + c[i]
"""
DOWN = UP.replace("range(1, n)", "range(n - 1, 0, -1)")
LONGER = UP.replace("alloc(k)", "alloc(k + 2)").replace(
    "        for i in range(dim(c, 0))",
    "        c[k] = s\n        c[k + 1] = s\n        for i in range(dim(c, 0))",
)
PLANE = """
    for k in range(n - 1):
        c = alloc(m, k + 1)
        for i in range(m):
            for j in range(k + 1):
                c[i, j] = a[i, j] * s
        for i in range(m):
            for j in range(k + 1):
                a[i, j] = c[i, k - j] + float(dim(c, 1))
"""
CHANGED = [UP, DOWN, LONGER, PLANE]

ZEROED = UP.replace("alloc(k)", "zeros(k)")
TWICE = UP.replace("alloc(k)", "alloc(k * 2)")
SAME = UP.replace("alloc(k)", "alloc(n)").replace("dim(c, 0)", "k")
VIEWED = """
    for k in range(1, n):
        c = alloc(k, m)
        for i in range(k):
            r = row(c, i)
            for j in range(m):
                r[j] = a[i, j]
        s = s + c[0, 0]
"""
KEPT = [ZEROED, TWICE, SAME, VIEWED]


def outcome(fn: Function, n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    x, a = rng.normal(size=8), rng.normal(size=(8, 8))
    (s,) = run(fn, x, a, n, 3, 0.7)
    return [np.array(s), x, a]


def inside(fn: Function) -> int:
    """Allocations in loops."""
    return sum(
        isinstance(s, Alloc) for loop in walk(fn.body) if isinstance(loop, For) for s in walk(loop.body)
    )


def check(source: str) -> bool:
    """Whether an array is made before its loop; raises if the meaning changed."""
    fn = read(HEAD + source.lstrip("\n") + "    return s\n")
    made = widest(fn)
    verify(made)
    for n in (0, 1, 2, 5):
        for u, v in zip(outcome(fn, n), outcome(made, n), strict=True):
            np.testing.assert_array_equal(u, v, err_msg=source)
    return inside(made) < inside(fn)


@pytest.mark.parametrize("source", CHANGED)
def test_made_before_the_loop(source: str) -> None:
    assert check(source)


@pytest.mark.parametrize("source", KEPT)
def test_made_in_each_pass(source: str) -> None:
    assert not check(source)


@pytest.mark.parametrize("first", range(0, 100, 50))
def test_random_programs(first: int) -> None:
    for seed in range(first, first + 50):
        check_meaning(widest, seed)
