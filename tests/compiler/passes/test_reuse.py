"""Arrays take the memory of those that are read no more, and programs mean what they meant."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import adjit
from adjit.compiler.ir.nodes import Alloc, Function
from adjit.compiler.ir.verify import verify
from adjit.compiler.passes.reuse import reuse
from tests.compiler.passes.meaning import check_meaning
from tests.support.interpret import run
from tests.support.judge import check
from tests.support.little import read

HEAD = 'def f(x: "f8[:]", a: "f8[:,:]", n: "i8", m: "i8", s: "f8"):\n'


def filled(name: str, value: str) -> str:
    return f"    for i in range(n):\n        {name}[i] = {value}\n"


CHAIN = (
    "    p = alloc(n)\n    q = alloc(n)\n    r = alloc(n)\n"
    + filled("p", "x[i] * s")
    + filled("q", "p[i] + 1.0")
    + filled("r", "q[i] * q[i]")
    + filled("x", "r[i]")
)
ZEROED = CHAIN.replace("    r = alloc(n)\n", "    r = zeros(n)\n").replace("r[i] = q", "r[i] += q")
SEEN_BY_A_LOOP = CHAIN.replace(
    "        q[i] = p[i] + 1.0\n", "        q[i] = p[i] + 1.0\n        s = s + p[0]\n"
)
TAKEN = [CHAIN, ZEROED, SEEN_BY_A_LOOP]

READ_LATER = CHAIN.replace("x[i] = r[i]", "x[i] = r[i] + p[i]")
OTHER_LENGTH = CHAIN.replace("    r = alloc(n)\n", "    r = alloc(n + m)\n")
VIEWED = (
    "    p = alloc(n, n)\n    q = alloc(n, n)\n"
    "    for i in range(n):\n        for j in range(n):\n            p[i, j] = a[i, j] * s\n"
    "    v = row(p, 1)\n"
    "    for i in range(n):\n        for j in range(n):\n            q[i, j] = a[j, i]\n"
    "    for i in range(n):\n        x[i] = v[i] + q[i, 0]\n"
)
ONE_STATEMENT = CHAIN.replace(
    "        q[i] = p[i] + 1.0\n", "        q[i] = p[i] + 1.0\n        r[i] = 0.0\n"
)
KEPT = [READ_LATER, OTHER_LENGTH, VIEWED, ONE_STATEMENT]


def outcome(fn: Function, n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    x, a = rng.normal(size=8), rng.normal(size=(8, 8))
    (s,) = run(fn, x, a, n, 3, 0.7)
    return [np.array(s), x, a]


def fewer(source: str) -> bool:
    """Whether fewer arrays are made; raises if the meaning changed."""
    fn = read(HEAD + source + "    return s\n")
    made = reuse(fn)
    verify(made)
    for n in (1, 5) if source is not VIEWED else (2, 5):
        for u, v in zip(outcome(fn, n), outcome(made, n), strict=True):
            np.testing.assert_array_equal(u, v, err_msg=source)
    return arrays(made) < arrays(fn)


def arrays(fn: Function) -> int:
    return sum(isinstance(s, Alloc) for s in fn.body.stmts)


@pytest.mark.parametrize("source", TAKEN)
def test_memory_is_taken(source: str) -> None:
    assert fewer(source)


@pytest.mark.parametrize("source", KEPT)
def test_memory_is_kept(source: str) -> None:
    assert not fewer(source)


def test_results_keep_their_memory() -> None:
    fn = read(HEAD + CHAIN + "    return p\n")
    made = reuse(fn)
    (before,), (after,) = (run(f, np.ones(8), np.ones((8, 8)), 5, 3, 0.7) for f in (fn, made))
    np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("first", range(0, 100, 50))
def test_random_functions(first: int) -> None:
    for seed in range(first, first + 50):
        check_meaning(reuse, seed)


def program(seed: int) -> str:
    """Arrays that are filled, added to, read, and handed to views, one after the other."""
    rng = Random(seed)
    names = ["p", "q", "r", "u", "v"]
    lines = "".join(f"    {n} = {rng.choice(['alloc(n)', 'zeros(n)', 'zeros(n)'])}\n" for n in names)
    known = ["x"]
    for _ in range(rng.randint(5, 9)):
        target, source, other = rng.choice(names), rng.choice(known), rng.choice(known)
        value = rng.choice(
            [f"{source}[i] * s", f"{source}[i] - {other}[n - 1 - i]", f"{source}[0] + {other}[i]"]
        )
        lines += filled(target, value)
        known.append(target)
        if rng.random() < 0.3:
            lines += f"    s = s + {rng.choice(known)}[0]\n"
    return lines + filled("x", f"{rng.choice(known)}[i]")


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_programs(first: int) -> None:
    taken = sum(fewer(program(seed).replace("alloc", "zeros")) for seed in range(first, first + 50))
    assert taken >= 10


def layers(x: Any, w: Any) -> Any:
    for k in range(3):
        x = np.tanh(x @ w[k]) * 0.5
    y = x @ w[0]
    z = y * y + x
    return np.sum(np.sin(z) * y)


def unrolled(x: Any, w: Any) -> Any:
    p = x @ w[0]
    q = np.tanh(p + x)
    r = q @ w[1]
    t = np.maximum(r, 0.0) + q
    return np.sum((t @ w[2]) ** 2)


@pytest.mark.parametrize("fun", [layers, unrolled])
def test_gradients(fun: Callable[..., Any]) -> None:
    rng = np.random.default_rng(3)
    verdict = check(fun, (rng.normal(size=(5, 4)), rng.normal(size=(3, 4, 4))), (0, 1), second=True)
    assert verdict.kind == "right", verdict


def test_a_gradient_has_less_at_a_time() -> None:
    x, w = np.ones((50, 40)), np.ones((3, 40, 40))
    saved = adjit.grad(unrolled, argnums=(0, 1)).saved(x, w)
    assert saved.peak is not None
    room = saved.peak - x.nbytes - w.nbytes
    assert room <= 5 * x.nbytes + x.size  # p, q, r, t, a cotangent; the maximum's choices are bytes
