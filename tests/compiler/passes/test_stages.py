"""Loops whose calls are split off keep their meaning, to the last bit."""

from __future__ import annotations

import sys
from random import Random

import numpy as np
import pytest

from adjit.compiler.ir.nodes import For, Function
from adjit.compiler.ir.printer import text
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes import staged
from adjit.compiler.passes.stages import stages
from tests.support.interpret import run
from tests.support.little import read

HEAD = 'def f(x: "f8[:]", y: "f8[:]", out: "f8[:]", n: "i8", s: "f8", h: "f8"):\n'


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[stages.__module__], "CHUNK", 3)
    monkeypatch.setattr(sys.modules[stages.__module__], "ROWS", 2)


def outcome(fn: Function, n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    arrays = [np.abs(rng.normal(size=12)) + 0.1 for _ in range(3)]
    with np.errstate(all="ignore"):
        results = run(fn, *arrays, n, 0.7, 0.4)
    return [np.array(r) for r in (*results, *arrays)]


def check(source: str, *, sums: bool = False) -> bool:
    """Whether the pass did anything; raises if it changed the meaning."""
    fn = read(HEAD + source.lstrip("\n"))
    made = stages(fn, sums)
    verify(made)
    verify(staged(fn))
    for n in (0, 1, 3, 10):
        for u, v in zip(outcome(fn, n), outcome(made, n), strict=True):
            rounding = 1e-12 if sums else 0.0
            np.testing.assert_allclose(u, v, rtol=rounding, atol=rounding, err_msg=f"{source}\n{text(made)}")
    return made is not fn


SUM = """
    for i in range(n):
        s = s + exp(x[i]) * y[i]
    return s
"""
RECURRENCE = """
    for i in range(n):
        s = s + log(h) + x[i] / h
        out[i] = h
        h = 0.1 + 0.2 * x[i] * x[i] + 0.7 * h
    return s, h
"""
DOWN = RECURRENCE.replace("range(n)", "range(n - 1, -1, -1)")


@pytest.mark.parametrize("source", [SUM, RECURRENCE, DOWN])
@pytest.mark.parametrize("sums", [False, True])
def test_calls_leave_what_is_carried(source: str, sums: bool) -> None:
    assert check(source, sums=sums) == (not (sums and source is SUM))  # which vectorises as it is


def test_stages_of_a_recurrence() -> None:
    made = stages(read(HEAD + RECURRENCE.lstrip("\n")))
    (outer,) = made.body.stmts[-1:]
    assert isinstance(outer, For)
    inner = [s for s in outer.body.stmts if isinstance(s, For)]
    assert [len(s.args) for s in inner] == [1, 0, 1]


@pytest.mark.parametrize(
    "body",
    [
        "h = h * sin(h) + x[i]",  # the call is part of the recurrence
        "s = s + exp(x[i])\n        out[i + 1] = s\n        s = s + log(out[i])",  # through memory
        "out[0] = out[0] + s\n        s = s + exp(out[0])",
        "out[i] = exp(x[i])",  # nothing is carried
        "s = s + x[i]",  # nothing is called
        "out[i + 1] = exp(out[i])\n        s = s + x[i]",  # the order of the calls matters
    ],
)
def test_left_as_it_is(body: str) -> None:
    assert not check(f"    for i in range(n):\n        {body}\n    return s, h\n")


def test_few_passes() -> None:
    assert not check("    for i in range(4):\n        s = s + exp(x[i])\n    return s\n")


def random_body(rng: Random) -> str:
    values = ["x[i]", "y[i]", "s", "h", "0.5", "p", "q"]
    lines = ["p = x[i] * 0.5", "q = y[i]"]
    for _ in range(rng.randint(2, 7)):
        a, b = rng.choice(values), rng.choice(values)
        value = rng.choice(
            [
                f"{a} + {b}",
                f"{a} * {b} * 0.3",
                f"exp(-abs({a}))",
                f"sin({a})",
                f"tanh({a}) + {b}",
                f"{a} - {b}",
            ]
        )
        target = rng.choice(["s", "h", "p", "q", "out[i]", "out[i] +", "out[i + 1] +", "y[i]", "s", "h"])
        lines.append(f"{target}= {value}" if target.endswith("+") else f"{target} = {value}")
    return "\n".join(f"        {line}" for line in lines)


def test_random_loops() -> None:
    changed = 0
    for seed in range(120):
        rng = Random(seed)
        bounds = rng.choice(["n", "1, n", "n - 1, -1, -1"])
        head = f"    p = 0.1\n    q = 0.2\n    for i in range({bounds}):\n"
        source = f"{head}{random_body(rng)}\n    return s, h, p, q\n"
        changed += check(source)
        check(source, sums=True)
    assert changed > 20


INNER = (
    "for j in range(3):\n            {t} = {t} + x[j] * {v}",
    "for j in range(i):\n            {t} = {t} * 0.5 + y[j]",
    "for j in range(3):\n            out[j] += {v} * x[j]",
    "for j in range(2):\n            out[i] += {v} * y[j]",
    "for j in range(2):\n            out[j] = {v}",
)


def test_random_loops_with_loops_inside() -> None:
    changed = 0
    for seed in range(120):
        rng = Random(seed)
        lines = random_body(rng).split("\n")
        for _ in range(rng.randint(1, 2)):
            inner = rng.choice(INNER).format(
                t=rng.choice(["s", "h", "p", "q"]), v=rng.choice(["s", "p", "q", "h"])
            )
            lines.insert(rng.randint(2, len(lines)), f"        {inner}")
        bounds = rng.choice(["n", "1, n", "n - 1, -1, -1"])
        head = f"    p = 0.1\n    q = 0.2\n    for i in range({bounds}):\n"
        source = head + "\n".join(lines) + "\n    return s, h, p, q\n"
        changed += check(source)
        check(source, sums=True)
    assert changed > 10


LOGISTIC = """
    for i in range(n):
        z = s
        for j in range(4):
            z = z + x[j] * y[i]
        e = exp(-abs(z))
        h = h + log1p(e)
        for j in range(4):
            out[j] += e * x[j]
    return h
"""


def test_products_with_vectors_come_before_and_after() -> None:
    assert check(LOGISTIC) and check(LOGISTIC, sums=True)
    made = stages(read(HEAD + LOGISTIC.lstrip("\n")))
    (outer,) = made.body.stmts[-1:]
    assert isinstance(outer, For)
    inside = [any(isinstance(x, For) for x in s.body.stmts) for s in outer.body.stmts if isinstance(s, For)]
    assert inside == [True, False, True]


def test_the_loops_made_are_simple() -> None:
    made = staged(read(HEAD + RECURRENCE.lstrip("\n")))
    assert sum(isinstance(s, For) for s in walk(made.body)) == 4
