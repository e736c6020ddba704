"""Loops are counted by the elements that they store, and programs mean what they meant."""

from __future__ import annotations

import numpy as np
import pytest

from adjit.compiler.ir.nodes import For, Function
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.shift import shift
from adjit.compiler.passes.simplify import simplify_ops
from tests.compiler.passes.meaning import check_meaning
from tests.support.interpret import run
from tests.support.little import read

HEAD = 'def f(x: "f8[:]", a: "f8[:,:]", n: "i8", m: "i8", s: "f8"):\n'
LINE = """
    for i in range(n - 2):
        x[i + 1] = x[i] * s + float(i)
"""
PLANE = """
    for i in range(n):
        for j in range(1, m):
            a[i + 1, j - 1] = a[i, j] * s
            x[i] += a[i + 1, j]
"""
SUM = """
    for i in range(2, n):
        s = s + x[i]
        x[i - 2] = s
"""
CHANGED = {LINE: 1, PLANE: 2, SUM: 1}  # programs and their loops
DIFFERENT = LINE + "        x[i + 2] = s\n"
REVERSED = "    for i in range(n):\n        x[n - i] = s\n"
DOWN = "    for i in range(n - 2, 0, -1):\n        x[i + 1] = s\n"
HERE = "    for i in range(n):\n        x[i] = x[i + 1]\n"


def outcome(fn: Function) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    x, a = rng.normal(size=8), rng.normal(size=(8, 8))
    (s,) = run(fn, x, a, 6, 3, 0.7)
    return [np.array(s), x, a]


def changed(source: str) -> Function:
    fn = read(HEAD + source.lstrip("\n") + "    return s\n")
    made = shift(fn)
    verify(made)
    for u, v in zip(outcome(fn), outcome(made), strict=True):
        np.testing.assert_array_equal(u, v, err_msg=source)
    return made


@pytest.mark.parametrize("source", CHANGED)
def test_the_stores_are_at_the_loop_variable(source: str) -> None:
    made = simplify_ops(changed(source))
    loops = [s for s in walk(made.body) if isinstance(s, For)]
    assert len(loops) == CHANGED[source]
    stored = {x for s in walk(made.body) if type(s).__name__ == "Store" for x in s.index}
    assert {loop.iv for loop in loops} <= stored


@pytest.mark.parametrize("source", [DIFFERENT, REVERSED, DOWN, HERE])
def test_other_loops_stay(source: str) -> None:
    fn = read(HEAD + source.lstrip("\n") + "    return s\n")
    assert shift(fn) is fn
    changed(source)


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_programs(first: int) -> None:
    for seed in range(first, first + 50):
        check_meaning(shift, seed)
