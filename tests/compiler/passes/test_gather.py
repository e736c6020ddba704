"""Nests turned from scattering to collecting keep their meaning, on boxes of all sizes."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from adjit.compiler.ir.nodes import Accumulate, For, Function, If
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.cse import cse
from adjit.compiler.passes.gather import gather
from adjit.compiler.passes.hoist import hoist
from tests.support.interpret import run
from tests.support.little import read

HEAD = 'def f(a: "f8[:,:]", b: "f8[:,:]", x: "f8[:]", y: "f8[:]", n: "i8", m: "i8", s: "f8"):\n'
JACOBI = """
    for t in range(3):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b[i, j] += a[i, j] * 0.2
                b[i, j - 1] += a[i, j] * 0.2
                b[i, j + 1] += a[i, j] * 0.2
                b[i - 1, j] += a[i, j] * 0.2
                b[i + 1, j] += a[i, j] * 0.2
                a[i, j] = 0.0
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] += b[i, j] * 0.2
                a[i, j - 1] += b[i, j] * x[j]
                a[i, j + 1] += b[i, j] * 0.2
                a[i - 1, j] += b[i, j] * 0.2
                a[i + 1, j] += b[i, j] * 0.2
                b[i, j] = 0.0
    return s
"""
READ_AFTER_CLEARED = """
    for i in range(1, n - 1):
        x[i] = 0.0
        y[i] += x[i] * 0.5 + s
        y[i + 1] += x[i] + 0.25
        y[i - 1] += x[i] - s
    return s
"""
TARGET_READ = """
    for i in range(2, n - 2):
        g = x[i] + y[2]
        y[i] += g * 0.5
        y[i + 1] += g * 0.25
        y[i - 1] += g
    return s
"""
TRANSPOSED = """
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            g = a[i, j] * 0.2
            b[j, i] += g
            b[j - 1, i] += g
            b[j + 1, i - 1] += g * 0.5
    return s
"""


def prepared(source: str) -> Function:
    """As the pipeline hands it to the pass: bounds stand outside, once."""
    return cse(hoist(read(HEAD + source.lstrip("\n"))))


def outcome(fn: Function, n: int, m: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(13, 13)), rng.normal(size=(13, 13)), rng.normal(size=13), rng.normal(size=13)]
    (s,) = run(fn, *arrays, n, m, 0.7)
    return [np.array(s), *arrays]


def check(source: str) -> bool:
    """Whether the pass did anything; raises if it changed the meaning."""
    fn = prepared(source)
    made = gather(fn)
    verify(made)
    if made is not fn:
        for n, m in ((12, 11), (7, 5), (5, 5), (4, 9), (3, 4), (2, 2), (1, 6), (0, 0)):
            for u, v in zip(outcome(fn, n, m), outcome(made, n, m), strict=True):
                np.testing.assert_allclose(u, v, rtol=1e-12, atol=1e-12, err_msg=f"{n} {m}\n{source}")
    return made is not fn


@pytest.mark.parametrize("source", [JACOBI, TRANSPOSED])
def test_collecting(source: str) -> None:
    assert check(source)


def test_what_is_filled_anew_is_not_cleared_first() -> None:
    made = gather(prepared(JACOBI))
    (time,) = (s for s in made.body.stmts if isinstance(s, For))
    outside_rims = [
        s
        for s in walk(time.body)
        if isinstance(s, Accumulate) and not any(s in walk(i.orelse) for i in ifs(time))
    ]
    assert len(outside_rims) == 1  # into b; what is collected for a is stored


def ifs(loop: For) -> list[If]:
    return [s for s in walk(loop.body) if isinstance(s, If)]


@pytest.mark.parametrize("source", [READ_AFTER_CLEARED, TARGET_READ])
def test_left_as_it_is(source: str) -> None:
    assert not check(source)


def program(seed: int) -> str:
    """A nest that scatters to random places, and does other things."""
    rng = Random(seed)
    two = rng.random() < 0.6
    lines = [f"    for i in range({rng.choice(['2, n - 2', '3, n - 4', '2, 9'])}):"]
    if two:
        lines += [f"        for j in range({rng.choice(['2, m - 2', '2, m - 3'])}):"]
    pad = "            " if two else "        "
    at = ["i", "i + 1", "i - 1", "i - 2", "i + 2"]
    across = ["j", "j + 1", "j - 1", "j - 2", "1 + j"]

    def place(array: str) -> str:
        if array in "xy":
            return f"{array}[{rng.choice(at)}]"
        return f"{array}[{rng.choice(at)}, {rng.choice(across) if two else rng.randint(0, 3)}]"

    source, target = ("a", "b") if two or rng.random() < 0.3 else ("x", "y")
    values = ["s", "float(i)"]
    for k in range(rng.randint(4, 9)):
        kind = rng.random()
        value = f"{rng.choice(values)} * 0.5"
        own = f"{source}[i, j]" if two else f"{source}[i]" if source == "x" else f"{source}[i, 1]"
        if kind < 0.25:
            lines.append(f"{pad}t{k} = {place(source)} + {value}")
            values.append(f"t{k}")
        elif kind < 0.35:
            lines.append(f"{pad}{own} = {rng.choice(['0.0', value])}")
        else:
            lines.append(f"{pad}{place(target)} += {value}")
    return "\n".join([*lines, "    return s"]) + "\n"


def test_random_nests() -> None:
    assert sum(check(program(seed)) for seed in range(400)) > 50
