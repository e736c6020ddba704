"""Arrays that an addition fills are not zeroed first, and hold the same in the end."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from adjit.compiler.ir.nodes import Alloc, Function
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.first_stores import first_stores
from tests.support.interpret import run
from tests.support.little import read

HEAD = 'def f(x: "f8[:]", a: "f8[:,:]", n: "i8", m: "i8", s: "f8"):\n'
FILLED = """
    z = zeros(n)
    for i in range(n):
        z[i] += x[i] * 2.0
    for i in range(n):
        z[i] += s
    for i in range(n):
        x[i] = z[i]
"""
DOWNWARDS = FILLED.replace("range(n):\n        z[i] += x", "range(n - 1, -1, -1):\n        z[i] += x")
ROW_BY_ROW = """
    z = zeros(n, m)
    for i in range(n):
        for j in range(m):
            z[i, j] += a[i, j]
        for j in range(m):
            z[i, j] += s
            a[i, j] = z[i, j]
"""
SHIFTED = FILLED.replace("range(n):\n        z[i] += x[i]", "range(1, n + 1):\n        z[i - 1] += x[i]")
LONGER = FILLED.replace("range(n):\n        z[i] += x", "range(m):\n        z[i] += x")
LONGER_EACH_PASS = """
    for k in range(3):
        e = m - k
        z = zeros(n)
        for i in range(e):
            z[i] += x[i]
        for i in range(n):
            x[i] = x[i] + z[i]
"""
END_UNKNOWN = """
    z = zeros(n)
    e = m - 1
    for i in range(e):
        z[i] += x[i]
    for i in range(n):
        x[i] = x[i] + z[i]
"""
IN_EACH_PASS = """
    for k in range(3):
        z = zeros(m)
        for i in range(m):
            z[i] += x[i] * float(k)
        s = s * z[1]
"""
NOT_ALL = FILLED.replace("range(n):\n        z[i] += x", "range(1, n):\n        z[i] += x")
TWICE = """
    z = zeros(n)
    for k in range(2):
        for i in range(n):
            z[i] += x[i]
    for i in range(n):
        x[i] = z[i]
"""
NEIGHBOUR = """
    z = zeros(n)
    for i in range(n):
        z[i] += x[i]
        z[minimum(i + 1, n - 1)] += s
    for i in range(n):
        x[i] = z[i]
"""
READ_BEFORE = """
    z = zeros(n)
    s = s + z[0]
    for i in range(n):
        z[i] += x[i]
    for i in range(n):
        x[i] = z[i]
"""
GUARDED = FILLED.replace(
    "        z[i] += x[i] * 2.0", "        if x[i] > 0.0:\n            z[i] += x[i] * 2.0"
)
PRODUCT = """
    c = dim(a, 0)
    z = zeros(c, c)
    gemm(z, a, a, added=True)
    for i in range(n):
        x[i] = z[i, 0] + z[0, i]
"""
PRODUCT_IN_EACH_PASS = """
    for k in range(3):
        c = dim(a, 0)
        z = zeros(c, c)
        gemm(z, a, a, added=True)
        gemm(z, a, a, added=True)
        s = s + z[k, k]
"""
PRODUCTS = [PRODUCT, PRODUCT_IN_EACH_PASS]
PRODUCT_BY_PASSES = """
    c = dim(a, 0)
    z = zeros(c, c)
    for k in range(3):
        gemm(z, a, a, added=True)
    s = s + z[1, 2]
"""
PRODUCT_AFTER = PRODUCT.replace("    gemm", "    z[0, 1] += s\n    gemm")
OTHER_PRODUCTS = [PRODUCT_BY_PASSES, PRODUCT_AFTER]


def outcome(fn: Function) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    x, a = rng.normal(size=13), rng.normal(size=(13, 13))
    (s,) = run(fn, x, a, 12, 5, 0.7)
    return [np.array(s), x, a]


def check(source: str) -> bool:
    """Whether an array is no longer zeroed; raises if the meaning changed."""
    fn = read(HEAD + source.lstrip("\n") + "    return s\n")
    made = first_stores(fn)
    verify(made)
    for u, v in zip(outcome(fn), outcome(made), strict=True):
        np.testing.assert_allclose(u, v, rtol=1e-12, atol=1e-12, err_msg=source)
    return not all(s.zeroed for s in walk(made.body) if isinstance(s, Alloc))


@pytest.mark.parametrize(
    "source",
    [FILLED, DOWNWARDS, ROW_BY_ROW, SHIFTED, IN_EACH_PASS, LONGER, LONGER_EACH_PASS, *PRODUCTS],
)
def test_filled(source: str) -> None:
    assert check(source)


@pytest.mark.parametrize(
    "source", [NOT_ALL, TWICE, NEIGHBOUR, READ_BEFORE, GUARDED, END_UNKNOWN, *OTHER_PRODUCTS]
)
def test_zeroed_as_before(source: str) -> None:
    assert not check(source)


def program(seed: int) -> str:
    """Additions to a zeroed array by several loops, some of which fill it."""
    rng = Random(seed)
    lines = ["    z = zeros(n)"]
    pad = "    "
    if rng.random() < 0.4:
        lines.append("    for k in range(2):")
        pad = "        "
        if rng.random() < 0.6:
            lines = ["    for k in range(2):", "        z = zeros(n)"]
    for _ in range(rng.randint(1, 3)):
        bounds = rng.choice(["n", "n", "n - 1, -1, -1", "1, n", "m"])
        lines.append(f"{pad}for i in range({bounds}):")
        for _ in range(rng.randint(1, 3)):
            at = rng.choice(["i", "i", "i", "n - 1 - i", "minimum(i + 1, n - 1)", "0"])
            lines.append(
                rng.choice(
                    [f"{pad}    z[{at}] += x[i] * 0.5", f"{pad}    z[{at}] += s", f"{pad}    x[i] = z[{at}]"]
                )
            )
    lines += [f"{pad}for i in range(n):", f"{pad}    x[i] = x[i] + z[i]"]
    return "\n".join(lines) + "\n"


def test_random_loops() -> None:
    assert sum(check(program(seed)) for seed in range(400)) > 30
