"""Loops that add to what the pass before has cleared store instead, and hold the same in the end."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from adjit.compiler.ir.nodes import Function, Store
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.clears import clears
from adjit.compiler.passes.hoist import hoist
from tests.compiler.passes.meaning import check_meaning
from tests.support.interpret import run
from tests.support.little import read

HEAD = 'def f(x: "f8[:]", a: "f8[:,:]", n: "i8", m: "i8", s: "f8"):\n'
LINE = """
    z = zeros(n)
    for k in range(m):
        for i in range(2, n - 2):
            z[i] += x[i] * s
        z[1] += x[0]
        z[0] += x[1]
        for i in range(n):
            x[i] = x[i] * 0.5 + z[i]
        for i in range(1, n - 1):
            z[i] = 0.0
    for i in range(n):
        x[i] = x[i] + 2.0 * z[i]
    return s
"""
PLANE = """
    z = zeros(4, 4)
    for k in range(m):
        for j in range(1, 3):
            for i in range(4):
                z[i, j] += a[j, i] * s
        for i in range(4):
            for j in range(4):
                a[i, j] = a[i, j] * 0.5 + z[i, j]
        for i in range(4):
            for j in range(0, 4):
                z[i, j] = 0.0
    for i in range(4):
        for j in range(4):
            a[i, j] = a[i, j] + 2.0 * z[i, j]
    return s
"""
EXCHANGED = """
    y = zeros(n)
    z = zeros(n)
    for i in range(n):
        y[i] += x[i]
    for k in range(m):
        for i in range(1, n - 1):
            z[i] += y[i - 1] * s + y[i + 1]
        z[0] += y[1]
        for i in range(n):
            x[i] = x[i] + y[i]
        for i in range(0, n):
            y[i] = 0.0
        y, z = z, y
    for i in range(n):
        x[i] = x[i] + 2.0 * z[i] + 3.0 * y[i]
    return s
"""
FILLED = LINE.replace("z = zeros(n)", "z = alloc(n)\n    for i in range(n):\n        z[i] = 0.0")
STORED = [LINE, PLANE, EXCHANGED, FILLED]

NOT_ZERO_BEFORE = LINE.replace("z = zeros(n)", "z = zeros(n)\n    z[2] = 1.0")
READ_BEFORE = LINE.replace("    for k in range(m):\n", "    for k in range(m):\n        x[0] = x[0] + z[1]\n")
READ_AFTER = LINE.replace("            z[i] = 0.0\n", "            z[i] = 0.0\n        x[1] = x[1] + z[0]\n")
WRITTEN_AFTER = LINE.replace("            z[i] = 0.0\n", "            z[i] = 0.0\n        z[2] += 1.0\n")
WIDER = LINE.replace("range(2, n - 2)", "range(0, n - 2)")
SHIFTED = LINE.replace("z[i] += x[i] * s", "z[i + 1] += x[i] * s").replace("n - 2", "n - 3")
CHANGING = LINE.replace("range(2, n - 2)", "range(2, n - 2 - minimum(k, 1))")
TWICE = LINE.replace("z[i] += x[i] * s", "z[i] += x[i] * s\n            z[2] += x[1]")
SOMETIMES = LINE.replace("z[i] += x[i] * s", "if x[i] > 0.0:\n                z[i] += x[i] * s")
OTHER = EXCHANGED.replace("y = zeros(n)\n    z = zeros(n)", "y = zeros(n)\n    z = zeros(n)\n    z[1] = 2.0")
NOT_ALL_CLEARED = EXCHANGED.replace("range(0, n):\n            y", "range(2, n):\n            y")
KEPT = [
    NOT_ZERO_BEFORE,
    READ_BEFORE,
    READ_AFTER,
    WRITTEN_AFTER,
    WIDER,
    SHIFTED,
    CHANGING,
    TWICE,
    SOMETIMES,
    OTHER,
    NOT_ALL_CLEARED,
]


def outcome(fn: Function, n: int, m: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n + 10 * m)
    x, a = rng.standard_normal(n), rng.standard_normal((4, 4))
    run(fn, x, a, n, m, 0.7)
    return [x, a]


def agree(source: str, n: int, m: int) -> Function:
    fn = hoist(read(HEAD + source))  # bounds are known before the loop
    changed = clears(fn)
    verify(changed)
    for had, has in zip(outcome(fn, n, m), outcome(changed, n, m), strict=True):
        np.testing.assert_allclose(has, had, rtol=1e-14, atol=1e-14)
    return changed


@pytest.mark.parametrize("m", [0, 1, 2, 5])
@pytest.mark.parametrize("n", [5, 6, 9])
@pytest.mark.parametrize("source", [*STORED, *KEPT])
def test_the_meaning_is_kept(source: str, n: int, m: int) -> None:
    agree(source, n, m)


@pytest.mark.parametrize("source", STORED)
def test_the_addition_stores(source: str) -> None:
    fn = hoist(read(HEAD + source))  # bounds are known before the loop
    stores = [sum(isinstance(s, Store) for s in walk(f.body)) for f in (fn, clears(fn))]
    assert stores[1] > stores[0]


@pytest.mark.parametrize("source", KEPT)
def test_other_loops_are_left(source: str) -> None:
    fn = hoist(read(HEAD + source))  # bounds are known before the loop
    assert clears(fn) is fn


def test_nothing_is_stored_without_a_pass() -> None:
    """A box that only the passes would have found to be outside the array."""
    source = LINE.replace("range(1, n - 1)", "range(1, n + 9)").replace("range(2, n - 2)", "range(2, n + 9)")
    fn = hoist(read(HEAD + source))
    assert clears(fn) is not fn
    agree(source, 5, 0)


def random_loop(rng: Random) -> str:
    """A loop over passes: nests that add, read, clear and store over random boxes of two arrays."""
    lines = ["    y = zeros(n)", "    z = zeros(n)"]
    if rng.random() < 0.3:
        lines.append(f"    {rng.choice('yz')}[{rng.randint(0, 4)}] += x[1]")
    lines.append("    for k in range(m):")
    for _ in range(rng.randint(2, 6)):
        v, lo, hi = rng.choice("yz"), rng.choice("0012"), rng.choice(["n", "n", "n - 1", "n - 2"])
        lines.append(f"        for i in range({lo}, {hi}):")
        other = rng.choice("xyz")
        lines.append(
            rng.choice(
                [
                    f"            {v}[i] += {other}[i] * s",
                    f"            {v}[i] += x[i]",
                    f"            {v}[i] = 0.0",
                    f"            {v}[i] = 0.0",
                    f"            x[i] = x[i] * 0.5 + {v}[i]",
                ]
            )
        )
    if rng.random() < 0.5:
        lines.append("        y, z = z, y")
    lines += ["    for i in range(n):", "        x[i] = x[i] + 2.0 * z[i] + 3.0 * y[i]", "    return s"]
    return "\n".join(lines) + "\n"


def test_random_loops() -> None:
    changed = 0
    for seed in range(160):
        source = random_loop(Random(seed))
        fn = hoist(read(HEAD + source))  # bounds are known before the loop
        for m in (0, 1, 3):
            agree(source, 6, m)
        changed += clears(fn) is not fn
    assert changed >= 5


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_programs(first: int) -> None:
    for seed in range(first, first + 50):
        check_meaning(lambda fn: clears(hoist(fn)), seed)
