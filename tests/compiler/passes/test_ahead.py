"""Sums of recurrences computed ahead, as far as they do not depend on the carried value."""

from __future__ import annotations

import sys
from random import Random

import numpy as np
import pytest

from adjit.compiler.ir.nodes import For, Function
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.ahead import ahead
from tests.support.interpret import run
from tests.support.little import read

HEAD = 'def f(x: "f8[:]", y: "f8[:]", n: "i8", s: "f8"):\n'
FILTER = """
    for i in range(1, n - 1):
        s = x[i] * 0.3 + s * 0.5 + x[i - 1] * 0.2 + x[i + 1]
        y[i] = s
"""
BACKWARDS = FILTER.replace("range(1, n - 1)", "range(n - 2, 0, -1)")
IN_PLACE = FILTER.replace("y[i] = s", "x[i] = s")
READS_WHAT_IT_STORED = FILTER.replace("y[i] = s", "x[i + 1] = s")
FEW_TERMS = """
    for i in range(1, n - 1):
        s = x[i] * 0.3 + s * 0.5
        y[i] = s
"""


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[ahead.__module__], "CHUNK", 3)
    monkeypatch.setattr(sys.modules[ahead.__module__], "FEWEST", 0)


def outcome(fn: Function) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=14), rng.normal(size=14)
    (s,) = run(fn, x, y, 12, 0.7)
    return [np.array(s), x, y]


def check(source: str) -> bool:
    """Whether the pass did anything; raises if it changed the meaning."""
    fn = read(HEAD + source.lstrip("\n") + "    return s\n")
    made = ahead(fn)
    verify(made)
    for u, v in zip(outcome(fn), outcome(made), strict=True):
        np.testing.assert_allclose(u, v, rtol=1e-12, atol=1e-12, err_msg=source)
    return made is not fn


@pytest.mark.parametrize("source", [FILTER, BACKWARDS])
def test_computed_ahead(source: str) -> None:
    assert check(source)
    loops = [
        s for s in walk(ahead(read(HEAD + source.lstrip("\n") + "    return s\n")).body) if isinstance(s, For)
    ]
    assert len(loops) == 3


def test_what_it_stored_before_is_not_read_ahead() -> None:
    assert not check(READS_WHAT_IT_STORED)
    assert not check(IN_PLACE)  # x[i - 1] is what the pass before stored


def test_few_terms_stay() -> None:
    assert not check(FEW_TERMS)


def program(seed: int) -> str:
    """A recurrence with several terms, and stores here and there."""
    rng = Random(seed)
    at = ["i", "i + 1", "i - 1", "i + 2", "i - 2", "n - i"]
    bounds = rng.choice(["2, n - 2", "n - 3, 1, -1", "2, 3", "5, 4"])
    lines = [f"    for i in range({bounds}):"]
    terms = [f"x[{rng.choice(at)}] * 0.2" for _ in range(rng.randint(2, 5))]
    terms += [rng.choice(["s * 0.5", "s", "s * x[i] * 0.1"]), rng.choice(["1.0", "float(i)", "y[i] * 0.1"])]
    rng.shuffle(terms)
    store = rng.choice(
        ["y[i] = s", "x[i] = s", f"x[{rng.choice(at)}] = s * 0.5", f"y[{rng.choice(at)}] += s"]
    )
    body = [f"s = {' + '.join(terms)}", store]
    if rng.random() < 0.3:
        body.insert(rng.randint(0, 2), f"x[{rng.choice(at)}] = y[i]")
    if rng.random() < 0.3:
        body.append("s = s * 0.5 + y[i] * 0.1")
    return "\n".join([*lines, *(f"        {b}" for b in body)]) + "\n"


def test_random_loops() -> None:
    assert sum(check(program(seed)) for seed in range(300)) > 60
