"""Arrays that a nest fills from what still stands are filled again; others are saved. Gradients by
differences.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import adjit
from tests.support.judge import check
from tests.support.sources import function_of

RNG = np.random.default_rng(5)
X, M, W, V = RNG.normal(size=(6, 3)), RNG.normal(size=(4, 3)), RNG.normal(size=(3, 3)), RNG.normal(size=4)


def centred(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    for k in range(m.shape[0]):
        c = x - m[k]
        total += np.sum((c @ w) ** 2 * c)
    return total


def by_a_number_of_the_pass(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    scale = 1.0
    for k in range(m.shape[0]):
        scale = scale * m[k, 0] + 0.5
        c = x * scale
        total += np.sum(np.tanh(c @ w) * c)
    return total


def by_counters(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    c = np.empty(x.shape)
    for k in range(m.shape[0]):
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                c[i, j] = x[i, j] * (i + 2 * j + k)
        total += np.sum((c @ w) ** 2) + c[1, 2] * c[0, 0]
    return total


def read_in_an_inner_loop(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    for k in range(m.shape[0]):
        c = x + m[k]
        for i in range(1, x.shape[0]):
            for j in range(x.shape[1]):
                total += c[i, j] * c[i - 1, j] * w[0, j]
    return total


FILLED_AGAIN = [centred, by_a_number_of_the_pass, by_counters, read_in_an_inner_loop]


def changed_below(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    for k in range(m.shape[0]):
        c = x - m[k]
        c[0] = c[0] * c[1]
        total += np.sum((c @ w) ** 2)
    return total


def added_to(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    c = np.zeros(x.shape)
    for k in range(m.shape[0]):
        c += x * m[k]
        total += np.sum((c @ w) ** 2)
    return total


def source_changes(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    x = x.copy()
    for k in range(m.shape[0]):
        c = x - m[k]
        total += np.sum((c @ w) ** 2)
        x[0] = x[0] * 0.5
    return total


def filled_in_a_branch(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    c = x * 2.0
    for k in range(m.shape[0]):
        if k % 2 == 1:
            c = x - m[k]
        total += np.sum((c @ w) ** 2)
    return total


def one_row_less(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    c = np.zeros(x.shape)
    for k in range(m.shape[0]):
        for i in range(1, x.shape[0]):
            for j in range(x.shape[1]):
                c[i, j] = x[i, j] - m[k, j]
        total += np.sum((c @ w) ** 2)
        c[0, 0] = total
    return total


def filled_later(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    c = np.ones(x.shape)
    for k in range(m.shape[0]):
        total += np.sum((c @ w) ** 2 * c)
        c[:, :] = x - m[k]
    return total


def exchanged(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    a, b = x.copy(), x * 0.5
    for k in range(m.shape[0]):
        b[:, :] = x - m[k]
        a, b = b, a
        total += np.sum((b @ w) ** 2)
    return total


def exponential(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    for k in range(m.shape[0]):
        c = np.exp(x * m[k])
        total += np.sum((c @ w) ** 2)
    return total


def in_place_by_a_call(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    for k in range(m.shape[0]):
        c = x - m[k]
        c = c @ w
        c = c * c
        total += np.sum(c @ w)
    return total


def a_while(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    k = 0
    while total < 50.0 and k < m.shape[0]:
        c = x - m[k] * (1.0 + total)
        total += np.sum((c @ w) ** 2)
        k += 1
    return total


def refilled_in_a_while(x: Any, m: Any, w: Any) -> Any:
    total = 0.0
    for k in range(m.shape[0]):
        c = x - m[k]
        n = 0
        while n < 3:
            total += np.sum(np.tanh(c @ w) * c) * 0.1
            c[0, 0] = c[0, 0] * 0.5 + total * 0.01
            n += 1
    return total


SAVED = [added_to, source_changes, filled_in_a_branch, one_row_less, filled_later, exchanged]
OTHERS = [refilled_in_a_while, changed_below, exponential, in_place_by_a_call, a_while]


@pytest.mark.parametrize("fun", [*FILLED_AGAIN, *SAVED, *OTHERS])
def test_gradients(fun: Callable[..., Any]) -> None:
    verdict = check(fun, (X, M, W), (0, 1, 2), second=True)
    assert verdict.kind == "right", verdict


@pytest.mark.parametrize("fun", [*FILLED_AGAIN, *SAVED, *OTHERS])
def test_without_a_pass_or_a_row(fun: Callable[..., Any]) -> None:
    for args in ((X, M[:0], W), (X[:2], M[:1], W)):
        verdict = check(fun, args, (0, 1, 2), tangent=False)
        assert verdict.kind in ("right", "unsure"), verdict


def histories(fun: Callable[..., Any]) -> int:
    """How many arrays of the size of `x` a gradient keeps for each pass. One is the product with `w`."""
    rows = adjit.grad(fun, argnums=(0, 1, 2)).saved(X, M, W).rows
    return sum(r.nbytes >= len(M) * X.nbytes for r in rows)


@pytest.mark.parametrize("fun", FILLED_AGAIN)
def test_nothing_of_the_array_is_saved(fun: Callable[..., Any]) -> None:
    assert histories(fun) <= 1


@pytest.mark.parametrize("fun", SAVED)
def test_others_are_saved(fun: Callable[..., Any]) -> None:
    assert histories(fun) >= 2


STEPS = [
    "c[:, :] = x - m[k]",
    "c[:, :] = d * 0.5 + x",
    "d[:, :] = x * m[k]",
    "d[:, :] = c * c",
    "d[0] = c[1] * s",
    "c += 0.1 * d",
    "s += np.sum((c @ w) * d)",
    "s += np.sum((d @ w) ** 2)",
    "s += c[1, 1] * d[0, 2]",
    "x[1] = 0.9 * x[1]",
    "if k % 2 == 0:\n            c[:, :] = x + m[k]",
    "c, d = d, c",
]


def random_program(seed: int) -> str:
    rng = Random(seed)
    body = "\n        ".join(rng.choice(STEPS) for _ in range(rng.randint(4, 7)))
    return (
        "def f(x, m, w):\n    x = x.copy()\n    c = x * 0.3\n    d = x * 0.7\n    s = 0.0\n"
        f"    for k in range(m.shape[0]):\n        {body}\n        s += np.sum(c * d) * 0.1\n    return s\n"
    )


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_random_programs(first: int) -> None:
    right = 0
    for seed in range(first, first + 10):
        source = random_program(seed)
        verdict = check(
            function_of(source, "f", f"<producers {seed}>", {"np": np}),
            (0.4 * X[:3], 0.4 * M[:3], 0.4 * W),
            (0, 1, 2),
            tangent=False,
        )
        assert verdict.kind in ("right", "refused", "unsure"), f"{verdict}\n{source}"
        right += verdict.kind == "right"
    assert right >= 5
