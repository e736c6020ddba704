"""Loops over samples in strips keep their meaning, and their gradients are right."""

from __future__ import annotations

import sys
from random import Random

import numpy as np
import pytest

from adjit.compiler import passes
from adjit.compiler.adjoint import joint
from adjit.compiler.ir.nodes import For, Function
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.batch import batch
from tests.support.interpret import run
from tests.support.little import read

HEAD = 'def f(x: "f8[:,:]", w: "f8[:,:]", out: "f8[:]", q: "f8[:]", n: "i8", d: "i8", s: "f8"):\n'
TRIANGLE = """
    z = alloc(d)
    for i in range(n):
        for a in range(d):
            z[a] = x[a, i] - w[a, 0]
        r = 0.0
        for a in range(d):
            y = exp(w[a, a]) * z[a]
            for b in range(a):
                y = y + w[a, b] * z[b]
            r = r + y * y
        out[i] = r
        s = s + r
    return s
"""
SCRATCH_LEAKS = TRIANGLE.replace(
    "for a in range(d):\n            z[a] =", "for a in range(1, d):\n            z[a] ="
)
SCRATCH_READ_LATER = TRIANGLE.replace("    return s", "    s = s + z[0]\n    return s")
ROWS_OF_X = TRIANGLE.replace("w[a, b] * z[b]", "x[i, b] * z[b]")
BOUND_VARIES = TRIANGLE.replace("for b in range(a)", "for b in range(minimum(i, d))")
CHECKED = TRIANGLE.replace(
    "            for b in range(a):",
    "            if lt(0, a):\n                bounds(w, 1, a)\n            for b in range(a):",
)
CHECKED_PER_PASS = CHECKED.replace("lt(0, a)", "lt(out[i], 0.5)")
PASSES_MEET = TRIANGLE.replace("        out[i] = r\n", "        out[i] = r + out[i + 1]\n")


@pytest.fixture(autouse=True)
def small_strips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[batch.__module__], "STRIP", 3)


def arguments() -> list[object]:
    rng = np.random.default_rng(0)
    return [
        rng.normal(size=(11, 11)),
        0.3 * rng.normal(size=(11, 11)),
        rng.normal(size=11),
        rng.normal(size=11),
        10,
        4,
        0.7,
    ]


def outcome(fn: Function) -> list[np.ndarray]:
    args = arguments()
    with np.errstate(all="ignore"):
        (s,) = run(fn, *args)
    return [np.array(s), *(a for a in args if isinstance(a, np.ndarray))]


def check(source: str) -> bool:
    """Whether the pass did anything; raises if it changed the meaning."""
    fn = read(HEAD + source.lstrip("\n"))
    made = batch(fn)
    verify(made)
    for u, v in zip(outcome(fn), outcome(made), strict=True):
        np.testing.assert_allclose(u, v, rtol=1e-12, atol=1e-12, err_msg=source)
    return made is not fn


@pytest.mark.parametrize("source", [TRIANGLE, CHECKED])
def test_deepest_loops_run_over_the_samples(source: str) -> None:
    assert check(source)
    loops = [s for s in walk(batch(read(HEAD + source[1:])).body) if isinstance(s, For)]
    deepest = [s for s in loops if not any(isinstance(x, For) for x in walk(s.body))]
    assert {s.iv.name for s in deepest} == {"i"}


@pytest.mark.parametrize(
    "source", [SCRATCH_LEAKS, SCRATCH_READ_LATER, ROWS_OF_X, BOUND_VARIES, CHECKED_PER_PASS, PASSES_MEET]
)
def test_left_as_it_is(source: str) -> None:
    assert not check(source)


def program(seed: int) -> str:
    """A loop over samples with small loops inside, scratch memory, sums and values handed on."""
    rng = Random(seed)
    lines = ["    z = alloc(d)", f"    for i in range({rng.choice(['n', '1, n', '0, n - 1', '2, 2'])}):"]
    source = rng.choice(["x[a, i]", "x[i, a]", "x[a + 1, i] * w[a, 1]", "float(a) * out[i]"])
    lines += ["        for a in range(d):", f"            z[a] = {source}"]
    lines += [
        f"        t = {rng.choice(['0.5', 'out[i]', 'x[2, i] * 0.5', 'q[i + 1]'])}",
        "        r = t",
        "        m = 0.25",
    ]
    inner = rng.choice(["a", "d", "1, d", "d - 1, -1, -1", "0, a + 1"])
    lines += [f"        for a in range({rng.choice(['d', 'd - 1, -1, -1', '1, d'])}):"]
    lines += [
        f"            y = {rng.choice(['0.0', 't * z[a]', 'w[a, a] * z[a]', 'r'])}",
        "            v = 1.0",
    ]
    lines += [f"            for b in range({inner}):"]
    body = [
        "y = y + w[a, b] * z[b]",
        "y = y * 0.5 + w[b, 2]",
        "v = v - z[b] * t",
        "y, v = v * 0.5, y",
        "q[b] += y * 0.1",
        "z[a] += w[a, b] * 0.1",
        "m = m * w[b, 1]",
        "out[i] += v * w[a, b]",
        "y = y + x[b, i]",
    ]
    lines += [f"                {s}" for s in rng.sample(body, rng.randint(1, 3))]
    lines += [f"            r = r + {rng.choice(['y * y', 'sin(y)', 'y * v', 'm'])}"]
    if rng.random() < 0.3:  # an integer made of a float
        lines.insert(2, "        c = select(gt(out[i], 0.0), 1, 2)")
        lines += ["            v = v * float(c + a)", "            r = r + float(c) * y"]
    lines += ["            z[a] = y * 0.5"] if rng.random() < 0.3 else []
    lines += [
        rng.choice(
            [
                "        out[i] = r",
                "        out[i] += r",
                "        q[i] = r * t",
                "        w[0, 3] += r * 0.1",
            ]
        )
    ]
    lines += [rng.choice(["        s = s + r", "        s = s - r * t", "        s = s + 1.0"])]
    return "\n".join([*lines, "    return s"]) + "\n"


def test_random_loops() -> None:
    assert sum(check(program(seed)) for seed in range(300)) > 100


def slope(fn: Function, directions: list[np.ndarray]) -> float:
    """Central difference of the scalar result along directions of the four arrays."""

    def value(h: float) -> float:
        args = arguments()
        moved = [a + h * d for a, d in zip(args[:4], directions, strict=True)]  # type: ignore[operator]
        return float(run(fn, *moved, *args[4:])[0])

    return (value(1e-6) - value(-1e-6)) / 2e-6


@pytest.mark.parametrize("seed", range(0, 300, 5))
def test_gradients(seed: int) -> None:
    fn = read(HEAD + program(seed))
    made = passes.finish(joint(passes.in_strips(passes.simplify(fn)), [0, 1, 2, 3], seeded=[0]))
    verify(made)
    rng = np.random.default_rng(seed)
    directions = [rng.normal(size=np.shape(a)) for a in arguments()[:4]]
    gradients = run(made, *arguments())[1:]
    total = sum(float(np.sum(g * d)) for g, d in zip(gradients, directions, strict=True))
    with np.errstate(all="ignore"):
        expected = slope(fn, directions)
    if not np.isfinite(expected):
        pytest.skip("the program overflows")
    assert total == pytest.approx(expected, rel=1e-5, abs=1e-5), program(seed)
