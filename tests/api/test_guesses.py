"""Lengths that are known at run time only: programs that take them to be equal, and what happens if they
are not.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import adjit
from adjit.errors import ShapeError


def centred(x: Any, w: Any) -> Any:
    c = x[:, 1:3] - w[:, 2:6]
    return np.sum(c * c)


def difference(f: Any, x: Any, h: float = 1e-6) -> Any:
    out = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        d = np.zeros_like(x)
        d[k] = h
        out[k] = (f(x + d) - f(x - d)) / (2 * h)
    return out


@pytest.mark.parametrize("columns", [4, 3, 3, 4])
def test_a_wrong_guess_is_made_good(columns: int) -> None:
    """With three columns, the second operand has length one at run time."""
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(5, 4)), rng.normal(size=(5, columns))
    got = adjit.value_and_grad(centred, argnums=(0, 1))(x, w)
    assert got[0] == pytest.approx(centred(x, w), rel=1e-12)
    np.testing.assert_allclose(got[1][0], difference(lambda v: centred(v, w), x), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(got[1][1], difference(lambda v: centred(x, v), w), rtol=1e-6, atol=1e-7)


def test_the_same_transform_takes_both() -> None:
    rng = np.random.default_rng(0)
    gradient = adjit.grad(centred, argnums=1)
    x = rng.normal(size=(5, 4))
    for columns in (4, 4, 3, 3, 4):
        w = rng.normal(size=(5, columns))
        np.testing.assert_allclose(
            gradient(x, w), difference(lambda v: centred(x, v), w), rtol=1e-6, atol=1e-7
        )


def test_a_guess_leaves_one_branch() -> None:
    x = np.ones((5, 4))
    source = adjit.grad(centred).source(x, x)
    assert "else" not in source


def test_lengths_that_do_not_fit_are_an_error() -> None:
    x = np.ones((5, 4))
    for _ in range(2):
        with pytest.raises(ShapeError):
            adjit.grad(centred)(x, np.ones((5, 5)))


def test_what_is_written_is_not_run_twice() -> None:
    def store(a: Any, x: Any, w: Any) -> Any:
        a[0] += 1.0
        return np.sum(x[:, 1:3] * w[:, 2:6]) * a[0]

    a = np.zeros(1)
    w = np.ones((5, 3))
    adjit.jit(store)(a, np.ones((5, 4)), w)
    assert a[0] == 1.0


def test_draws_are_not_repeated() -> None:
    def drawn(x: Any, w: Any) -> Any:
        np.random.seed(3)
        z = np.random.normal()
        return z * np.sum(x[:, 1:3] * w[:, 2:6])

    x, w = np.ones((5, 4)), np.ones((5, 3))
    assert "UnequalLengths" not in adjit.jit(drawn).source(x, w)
    assert adjit.jit(drawn)(x, w) == adjit.jit(drawn)(x, w)


def test_second_order_and_nested() -> None:
    def squared(x: Any, w: Any) -> Any:
        g = adjit.grad(centred)(x, w)
        return np.sum(g * g)

    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(5, 4)), rng.normal(size=(5, 3))
    got = adjit.grad(squared, argnums=1)(x, w)

    def by_hand(v: Any) -> Any:
        c = 2 * (x[:, 1:3] - v[:, 2:6])
        return np.sum(c * c)

    np.testing.assert_allclose(got, difference(by_hand, w), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("k", "m"), [(4, 4), (1, 3), (3, 1), (0, 1)])
def test_inside_functions_with_rules(k: int, m: int) -> None:
    """Parameters of functions that are compiled by themselves may have length one at run time."""

    def inner(u: Any, v: Any) -> Any:
        return np.sum(np.sin(u * v))

    recomputed = adjit.checkpoint(inner)

    def outer(x: Any, y: Any, k: int, m: int) -> Any:
        return recomputed(x[:k], y[:m])

    x = np.arange(1.0, 6.0)
    got = adjit.value_and_grad(outer)(x, x + 1.0, k, m)
    assert got[0] == pytest.approx(inner(x[:k], x[:m] + 1.0))
    np.testing.assert_allclose(
        got[1], difference(lambda v: inner(v[:k], x[:m] + 1.0), x), rtol=1e-6, atol=1e-7
    )


def test_threads_that_find_a_wrong_guess_together(compiled: None) -> None:
    def product(x: Any, y: Any, k: int, m: int) -> Any:
        return np.sum(np.sin(x[:k]) * y[:m])

    x = np.ones(5)
    gradient = adjit.grad(product)
    gradient(x, x, 4, 4)
    barrier = threading.Barrier(6)

    def work(q: Any) -> Any:
        barrier.wait()
        return gradient(x, x, 4, 1), adjit.grad(product)(q, q, 4, 1)

    kinds = [x, x.astype(np.float32), np.ones(9)[::2]] * 2
    with ThreadPoolExecutor(6) as pool:
        for one, other in pool.map(work, kinds):
            np.testing.assert_allclose(one[:4], np.cos(1.0), rtol=1e-12)
            np.testing.assert_allclose(other[:4], np.cos(1.0), rtol=1e-6)


def test_the_compiled_function_guesses_nothing(compiled: None) -> None:
    gradient = adjit.grad(centred)
    x, w = np.ones((5, 4)), np.ones((5, 3))
    expected = gradient(x, 2.0 * w)
    fresh = adjit.grad(centred)
    fresh(x, np.ones((5, 4)))
    np.testing.assert_allclose(fresh.compiled(x, 2.0 * w), expected)
