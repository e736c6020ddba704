"""Scattering loops split into parts keep their meaning, whatever the order of their passes, in several
chunks too.
"""

from __future__ import annotations

import sys
from random import Random

import numpy as np
import pytest

from adjit.compiler.ir.nodes import For, Function
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.distribute import distribute
from tests.support.interpret import run
from tests.support.little import read

SEIDEL = """
def f(x: "f8[:]", a: "f8[:,:]", n: "i8", s: "f8"):
    for i in range(1, 3):
        for j in range(n - 2, 0, -1):
            g = a[i, j] * 0.25
            a[i, j] = 0.0
            a[i + 1, j + 1] += g
            a[i + 1, j] += g
            a[i + 1, j - 1] += g
            a[i, j + 1] += g
            a[i, j] += g
            a[i, j - 1] += g
            a[i - 1, j + 1] += g
            a[i - 1, j - 1] += g
    return s
"""


def program(seed: int) -> str:
    """One loop over a row of `a` and over `x`, with loads, stores, accumulations and a carried value at
    random places.
    """
    rng = Random(seed)
    at = ["i", "i + 1", "i - 1", "i + 2", "i - 2", "n - i"]
    lines = ['def f(x: "f8[:]", a: "f8[:,:]", n: "i8", s: "f8"):']
    lines.append(f"    for i in range({rng.choice(['2, n - 2', 'n - 3, 1, -1'])}):")
    values = ["s", "float(i)"]
    for k in range(rng.randint(4, 9)):
        place = rng.choice([f"x[{rng.choice(at)}]", f"a[{rng.randint(0, 3)}, {rng.choice(at)}]"])
        value = f"{rng.choice(values)} * 0.5"
        kind = rng.random()
        if kind < 0.25:
            lines.append(f"        t{k} = {place} + {value}")
            values.append(f"t{k}")
        elif kind < 0.35:
            lines.append(f"        s = s * 0.5 + {place}")
        elif kind < 0.45:
            lines.append(f"        {place} = {value}")
        else:
            lines.append(f"        {place} += {value}")
    return "\n".join([*lines, "    return s"]) + "\n"


def outcome(fn: Function) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    x, a = rng.normal(size=13), rng.normal(size=(4, 13))
    (s,) = run(fn, x, a, 12, 0.7)
    return [np.array(s), x, a]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[distribute.__module__], "CHUNK", 3)


def check(source: str) -> bool:
    """Whether the pass did anything; raises if it changed the meaning."""
    fn = read(source)
    made = distribute(fn)
    verify(made)
    for u, v in zip(outcome(fn), outcome(made), strict=True):
        np.testing.assert_allclose(u, v, rtol=1e-12, atol=1e-12, err_msg=source)
    return made is not fn


def test_a_recurrence_keeps_its_order_and_its_sums_wait() -> None:
    assert check(SEIDEL)
    loops = [s for s in walk(distribute(read(SEIDEL)).body) if isinstance(s, For) and abs(s.step) == 1]
    assert len(loops) == 5  # the outer one, the rest, and one per place in the fullest row


def test_random_loops() -> None:
    assert sum(check(program(seed)) for seed in range(150)) > 30
