"""Which loops become one, and that programs mean what they meant."""

from __future__ import annotations

import numpy as np
import pytest

from adjit.compiler.ir.nodes import For, Function
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.fuse import fuse
from tests.support.interpret import run
from tests.support.little import read

HEAD = 'def f(x: "f8[:]", y: "f8[:]", a: "f8[:,:]", n: "i8", m: "i8", s: "f8"):\n'
PRODUCER = """
    for i in range(n):
        x[i] = y[i] * s
    for i in range(n):
        y[i] = x[i] + 1.0
"""
SAME_READS = """
    t = 0.0
    for i in range(n):
        t = t + x[i] * y[i]
    u = 0.0
    for i in range(n):
        u = u + x[i] * y[i] * s
    s = t + u
"""
HALF = SAME_READS.replace("x[i] * y[i] * s", "x[i] * s")
NEST = """
    t = 0.0
    for i in range(n):
        for j in range(m):
            t = t + a[i, j] * x[j]
    for i in range(n):
        for j in range(m):
            y[i] += a[i, j] * x[j]
    s = t
"""
ENDS = """
    k = maximum(m, 0)
    for i in range(k):
        x[i] = y[i] * s
    for i in range(m):
        y[i] = x[i] + 1.0
"""
CHECKS = """
    for i in range(m):
        bounds(x, 0, i)
    k = m + 1
    for i in range(m):
        bounds(y, 0, i)
"""
FUSED = [PRODUCER, SAME_READS, HALF, NEST, ENDS, CHECKS]

OTHER_READS = SAME_READS.replace("u + x[i] * y[i] * s", "u + a[i, 0] * s")
OTHER_ELEMENTS = SAME_READS.replace("u + x[i] * y[i] * s", "u + x[n - 1 - i] * y[n - 1 - i]")
AHEAD = PRODUCER.replace("x[i] + 1.0", "x[n - 1 - i] + 1.0")
OVERWRITTEN = HALF.replace(
    "        u = u + x[i] * s\n", "        u = u + x[i] * s\n        x[n - 1 - i] = s\n"
)
OTHER_ENDS = ENDS.replace("maximum(m, 0)", "maximum(m, 1)")
CHECKED_FIRST = CHECKS.replace("        bounds(y, 0, i)\n", "        bounds(y, 0, i)\n        y[i] = s\n")
CHECKED_LATER = CHECKS.replace("        bounds(x, 0, i)\n", "        bounds(x, 0, i)\n        x[i] = s\n")
CHECKED_OTHERWISE = CHECKS + "        check(y[i] < 99.0)\n"  # what the user raises is in order
CHECKED_WITH_A_SUM = CHECKS + "        s = s + y[i]\n"
APART = [
    *(OTHER_READS, OTHER_ELEMENTS, AHEAD, OVERWRITTEN, OTHER_ENDS),
    *(CHECKED_FIRST, CHECKED_LATER, CHECKED_OTHERWISE, CHECKED_WITH_A_SUM),
]


def outcome(fn: Function, m: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    x, y, a = rng.normal(size=6), rng.normal(size=6), rng.normal(size=(6, 6))
    (s,) = run(fn, x, y, a, 6, m, 0.7)
    return [np.array(s), x, y, a]


def fused(source: str) -> bool:
    """Whether loops became one; raises if the meaning changed."""
    fn = read(HEAD + source.lstrip("\n") + "    return s\n")
    made = fuse(fn)
    verify(made)
    for m in (-1, 0, 1, 4):
        for u, v in zip(outcome(fn, m), outcome(made, m), strict=True):
            np.testing.assert_allclose(u, v, rtol=1e-14, err_msg=source)
    return loops(made) < loops(fn)


def loops(fn: Function) -> int:
    return sum(isinstance(s, For) for s in walk(fn.body))


@pytest.mark.parametrize("source", FUSED)
def test_fused(source: str) -> None:
    assert fused(source)


@pytest.mark.parametrize("source", APART)
def test_apart(source: str) -> None:
    assert not fused(source)
