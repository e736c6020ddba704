"""Parts of strips that are run again instead of saving what they compute. Gradients by differences."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import adjit
from tests.support.judge import check
from tests.support.sources import function_of

N, D, K = 150, 4, 3  # samples in two strips, the second one not full
RNG = np.random.default_rng(11)
X, M, L = RNG.normal(size=(N, D)), RNG.normal(size=(K, D)), 0.4 * RNG.normal(size=(K, D, D))


def mixture(x: Any, m: Any, l: Any) -> Any:
    n, d = x.shape
    inner = np.empty((m.shape[0], n))
    c = np.empty(d)
    for k in range(m.shape[0]):
        for i in range(n):
            for a in range(d):
                c[a] = x[i, a] - m[k, a]
            sq = 0.0
            for a in range(d):
                y = np.exp(l[k, a, a]) * c[a]
                for b in range(a):
                    y += l[k, a, b] * c[b]
                sq += y * y
            inner[k, i] = m[k, 0] - 0.5 * sq
    return np.sum(np.log(np.sum(np.exp(inner), axis=0)))


def two_results(x: Any, m: Any, l: Any) -> Any:
    n, d = x.shape
    s = 0.0
    c = np.empty(d)
    for k in range(m.shape[0]):
        for i in range(n):
            for a in range(d):
                c[a] = x[i, a] * m[k, a]
            p, q = 0.0, 1.0
            for a in range(d):
                y = c[a] * c[a]
                for b in range(a):
                    y += l[k, a, b] * c[b]
                p += y * y
                q += y * c[a]
            s += np.tanh(p) * q
    return s


def changed_afterwards(x: Any, m: Any, l: Any) -> Any:
    """What the part leaves is changed and read once more in the strip."""
    n, d = x.shape
    s = 0.0
    c, z = np.empty(d), np.empty(d)
    for k in range(m.shape[0]):
        for i in range(n):
            for a in range(d):
                c[a] = x[i, a] - m[k, a]
            for a in range(d):
                y = 0.0
                for b in range(d):
                    y += l[k, a, b] * c[b] * c[a]
                z[a] = y
            for a in range(d):
                z[a] = np.sin(z[a]) * c[a]
                s += z[a] * z[a]
    return s


def a_number_of_the_pass_around(x: Any, m: Any, l: Any) -> Any:
    n, d = x.shape
    s, w = 0.0, 1.0
    out = np.zeros(n)
    c = np.empty(d)
    for k in range(m.shape[0]):
        w = w * m[k, 0] + 0.5
        for i in range(n):
            for a in range(d):
                c[a] = w * x[i, a] - m[k, a]
            r = 0.0
            for a in range(d):
                y = w * c[a]
                for b in range(a):
                    y += l[k, a, b] * c[b]
                r += y * y * w
            out[i] += r
    for i in range(n):
        s += np.log(1.0 + out[i] * out[i])
    return s


AGAIN = [mixture, two_results, a_number_of_the_pass_around]


def exponentials(x: Any, m: Any, l: Any) -> Any:
    """They cost more than they save."""
    n, d = x.shape
    s = 0.0
    c = np.empty(d)
    for k in range(m.shape[0]):
        for i in range(n):
            for a in range(d):
                c[a] = np.exp(x[i, a] - m[k, a])
            r = 0.0
            for a in range(d):
                y = c[a]
                for b in range(a):
                    y += l[k, a, b] * c[b]
                r += y * y
            s += np.tanh(r)
    return s


def source_changes(x: Any, m: Any, l: Any) -> Any:
    n, d = x.shape
    x = x.copy()
    s = 0.0
    c = np.empty(d)
    for k in range(m.shape[0]):
        for i in range(n):
            for a in range(d):
                c[a] = x[i, a] - m[k, a]
            r = 0.0
            for a in range(d):
                y = c[a] * c[a]
                for b in range(a):
                    y += l[k, a, b] * c[b]
                r += y * y
            s += np.tanh(r)
        for i in range(n):
            x[i, 0] = 0.9 * x[i, 0]
    return s


def left_for_the_next_pass(x: Any, m: Any, l: Any) -> Any:
    n, d = x.shape
    s = 0.0
    c = np.zeros(d)
    for k in range(m.shape[0]):
        for i in range(n):
            for a in range(1, d):
                c[a] = x[i, a] - m[k, a] + c[0]
            r = 0.0
            for a in range(d):
                y = c[a] * c[a]
                for b in range(a):
                    y += l[k, a, b] * c[b]
                r += y * y
            s += np.tanh(r)
    return s + c[1]


def one_array_under_two_names(x: Any, m: Any, l: Any) -> Any:
    n, d = x.shape
    s = 0.0
    c = np.empty(d)
    w = m.reshape(-1)
    for k in range(m.shape[0]):
        for i in range(n):
            for a in range(d):
                c[a] = x[i, a] - m[k, a] * w[k * d + a]
            r = 0.0
            for a in range(d):
                y = c[a] * c[a]
                for b in range(a):
                    y += l[k, a, b] * c[b]
                r += y * y
            s += np.tanh(r)
    return s


OTHERS = [
    changed_afterwards,
    exponentials,
    source_changes,
    left_for_the_next_pass,
    one_array_under_two_names,
]


@pytest.mark.parametrize("fun", [*AGAIN, *OTHERS])
def test_gradients(fun: Callable[..., Any]) -> None:
    verdict = check(fun, (X, M, L), (0, 1, 2), second=fun in [*AGAIN, changed_afterwards])
    assert verdict.kind == "right", verdict


@pytest.mark.parametrize("fun", [*AGAIN, *OTHERS])
def test_without_a_sample_or_a_pass(fun: Callable[..., Any]) -> None:
    for args in ((X[:5], M[:0], L), (X[:0], M, L), (X[:1], M, L), (X[:128], M[:1], L)):
        verdict = check(fun, args, (0, 1, 2), tangent=False)
        assert verdict.kind in ("right", "unsure"), verdict


def histories(fun: Callable[..., Any], **options: Any) -> int:
    """How many rows of `.saved` have an entry per pass, sample and axis."""
    rows = adjit.grad(fun, argnums=(0, 1, 2), **options).saved(X, M, L).rows
    return sum(r.nbytes >= M.shape[0] * X.nbytes for r in rows)


@pytest.mark.parametrize("fun", AGAIN)
def test_nothing_per_sample_and_axis_is_saved(fun: Callable[..., Any]) -> None:
    assert histories(fun) == 0


@pytest.mark.parametrize("fun", OTHERS)
def test_others_are_saved(fun: Callable[..., Any]) -> None:
    assert histories(fun) >= 1


@pytest.mark.compiled
@pytest.mark.parametrize("fun", [mixture, two_results])
def test_compiled(compiled: None, fun: Callable[..., Any]) -> None:
    verdict = check(fun, (X, M, L), (0, 1, 2))
    assert verdict.kind == "right", verdict


STEPS = [
    "for a in range(d):\n                c[a] = x[i, a] - m[k, a]",
    "for a in range(d):\n                c[a] = z[a] * m[k, a]",
    "for a in range(d):\n                z[a] = x[i, a] * c[a]",
    "for a in range(1, d):\n                z[a] = c[a - 1] * q",
    "for a in range(d):\n                y = c[a] * l[k, a, 0]\n                for b in range(a):\n"
    "                    y += l[k, a, b] * z[b]\n                r += y * y",
    "for a in range(d):\n                y = z[a]\n                for b in range(d):\n"
    "                    y += l[k, a, b] * c[b] * z[b]\n                z[a] = y * 0.3",
    "for a in range(d):\n                r += c[a] * z[a] * 0.3",
    "q = r * 0.2 + x[i, 0]",
    "out[i] += r * r * 0.1",
    "s += r * z[d - 1]",
    "s += np.tanh(r) * q",
]


def random_program(seed: int) -> str:
    rng = Random(seed)
    body = "\n            ".join([*rng.choices(STEPS[:4], k=2), *rng.choices(STEPS, k=rng.randint(4, 6))])
    return (
        "def f(x, m, l):\n    n, d = x.shape\n    s = 0.0\n    out = np.zeros(n)\n"
        "    c = np.ones(d)\n    z = np.ones(d)\n"
        "    for k in range(m.shape[0]):\n        for i in range(n):\n"
        "            r = 0.5\n            q = 0.4\n"
        f"            {body}\n            s += r\n"
        "    for i in range(n):\n        s += out[i] * out[i]\n    return s\n"
    )


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_random_programs(first: int) -> None:
    right = 0
    for seed in range(first, first + 10):
        source = random_program(seed)
        verdict = check(
            function_of(source, "f", f"<parts {seed}>", {"np": np}),
            (0.3 * X[:131, :3], 0.3 * M[:2, :3], 0.3 * L[:2, :3, :3]),
            (0, 1, 2),
            tangent=False,
        )
        assert verdict.kind in ("right", "refused", "unsure"), f"{verdict}\n{source}"
        right += verdict.kind == "right"
    assert right >= 5
