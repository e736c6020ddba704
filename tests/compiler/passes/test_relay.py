"""Sums that one pass hands to the next, carried in a scalar, leave all memory as it was."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from adjit.compiler.ir.nodes import Accumulate, For, Function, Load
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.relay import relay
from tests.support.interpret import run
from tests.support.little import read

HANDED_DOWN = """
def f(x: "f8[:]", a: "f8[:,:]", n: "i8", s: "f8"):
    for i in range(n - 2, 0, -1):
        g = a[2, i] * 0.5
        a[2, i] = g
        a[2, i - 1] += g
    return s
"""
KEPT = """
def f(x: "f8[:]", a: "f8[:,:]", n: "i8", s: "f8"):
    for i in range(1, n - 1):
        s = s + x[i]
        x[i + 1] += s * 0.25
    return s
"""
STORED = """
def f(x: "f8[:]", a: "f8[:,:]", n: "i8", s: "f8"):
    for i in range(1, n - 1):
        x[i] = x[i - 1] * 0.5 + a[1, i + 1]
    return s
"""
STORED_OVER = """
def f(x: "f8[:]", a: "f8[:,:]", n: "i8", s: "f8"):
    for i in range(1, n - 1):
        x[i] = x[i - 1] * 0.5
        x[n - i] = s
    return s
"""
READ_BETWEEN = """
def f(x: "f8[:]", a: "f8[:,:]", n: "i8", s: "f8"):
    for i in range(1, n - 1):
        g = x[i]
        x[i + 1] += g * 0.25
        s = s + x[i + 1]
    return s
"""
READ_FIRST = """
def f(x: "f8[:]", a: "f8[:,:]", n: "i8", s: "f8"):
    for i in range(1, n - 1):
        s = s + x[n - i] * x[i]
        g = x[i]
        x[i + 1] += g * 0.25
    return s
"""
NO_PASS = """
def f(x: "f8[:]", a: "f8[:,:]", n: "i8", s: "f8"):
    for i in range(n, n - 3):
        g = x[i] * 0.5
        x[i + 1] += g
    return s
"""


def outcome(fn: Function) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    x, a = rng.normal(size=13), rng.normal(size=(4, 13))
    (s,) = run(fn, x, a, 12, 0.7)
    return [np.array(s), x, a]


def check(source: str) -> bool:
    """Whether the pass did anything; raises if it changed the meaning."""
    fn = read(source)
    made = relay(fn)
    verify(made)
    for u, v in zip(outcome(fn), outcome(made), strict=True):
        np.testing.assert_allclose(u, v, rtol=1e-12, atol=1e-12, err_msg=source)
    return made is not fn


@pytest.mark.parametrize("source", [HANDED_DOWN, KEPT, NO_PASS])
def test_what_the_next_pass_reads_is_carried(source: str) -> None:
    assert check(source)
    (loop,) = (s for s in walk(relay(read(source)).body) if isinstance(s, For))
    assert not any(isinstance(s, Accumulate) for s in walk(loop.body))


def test_what_is_stored_is_not_loaded_again() -> None:
    assert check(STORED)
    (loop,) = (s for s in walk(relay(read(STORED)).body) if isinstance(s, For))
    assert sum(isinstance(s, Load) for s in walk(loop.body)) == 1


@pytest.mark.parametrize("source", [READ_BETWEEN, READ_FIRST, STORED_OVER])
def test_what_is_read_between_stays_in_memory(source: str) -> None:
    assert not check(source)


def test_a_negative_zero_stays() -> None:
    fn = relay(read(NO_PASS.replace("range(n, n - 3)", "range(3, 4)").replace("g = x[i] * 0.5", "g = x[i]")))
    x = np.full(13, -0.0)
    run(fn, x, np.zeros((4, 13)), 12, 0.0)
    assert np.all(np.signbit(x))


def program(seed: int) -> str:
    """A loop with loads, stores and accumulations at places that neighbouring passes share."""
    rng = Random(seed)
    at = ["i", "i + 1", "i - 1", "i", "i + 2", "n - i"]
    lines = ['def f(x: "f8[:]", a: "f8[:,:]", n: "i8", s: "f8"):']
    lines.append(f"    for i in range({rng.choice(['2, n - 2', 'n - 3, 1, -1', '2, 3', '5, 4'])}):")
    values = ["s", "float(i)"]
    for k in range(rng.randint(3, 6)):
        place = rng.choice([f"x[{rng.choice(at)}]", f"a[{rng.randint(0, 1)}, {rng.choice(at)}]"])
        value = f"{rng.choice(values)} * 0.5"
        kind = rng.random()
        if kind < 0.4:
            lines.append(f"        t{k} = {place} + {value}")
            values.append(f"t{k}")
        elif kind < 0.5:
            lines.append(f"        s = s * 0.5 + {place}")
        elif kind < 0.65:
            lines.append(f"        {place} = {value}")
        else:
            lines.append(f"        {place} += {value}")
    return "\n".join([*lines, "    return s"]) + "\n"


def test_random_loops() -> None:
    assert sum(check(program(seed)) for seed in range(400)) > 40
