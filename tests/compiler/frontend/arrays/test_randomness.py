"""Draws inside a function: made once, in order, and the same in both sweeps.

Truth: the function itself under NumPy with the same seed, and differences of it. What each distribution gives
stands in the rows of `tests/ops/random_cases.py`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import adjit
from adjit.errors import MissingRuleError, NotDifferentiableError, UnsupportedSyntaxError

from ....support import judge

X = np.array([1.0, 2.0, 0.5])


def in_a_loop(x):
    np.random.seed(3)
    s = 0.0
    for _ in range(20):
        s += np.random.normal(x[0], x[1] * 0.3) ** 2
    return s


def in_branches(x):
    np.random.seed(7)
    s = 0.0
    for i in range(len(x)):
        z = np.random.rand(4)
        if np.random.rand() < 0.5:
            s += np.sum(np.sin(z * x[i]))
        else:
            s += np.random.randn() * x[i]
        s += x[i] * np.random.rand() if i > 1 else 0.0
    return s


def in_a_while(x):
    np.random.seed(1)
    s, n = x[0], 0
    while s < 3.0 and n < 100:
        s = s * 1.1 + x[1] * np.random.rand()
        n += 1
    return s * s


def unused_draws_count(x):
    np.random.seed(1)
    np.random.rand(5)
    _ = np.random.randn()
    held = [np.random.rand() * x[i] for i in range(3)]
    return held[0] * held[2] + np.random.rand() * x[0]


def loops_that_could_be_one(x):
    np.random.seed(7)
    a, b = np.empty(4), np.empty(4)
    for i in range(4):
        a[i] = np.random.rand()
    for i in range(4):
        b[i] = np.random.rand()
    return np.sum(a * b * x[0])


def one_loop_that_could_be_two(x):
    np.random.seed(7)
    a = np.empty((4, 3))
    for i in range(4):
        for j in range(3):
            a[i, j] = np.random.rand()
            a[i, j] *= x[j] * np.random.normal(x[j], 1.0)
    return np.sum(a)


def shuffled(x):
    np.random.seed(2)
    y = x * x
    np.random.shuffle(y)
    return np.sum(y * np.random.permutation(x))


PROGRAMS = (
    in_a_loop,
    in_branches,
    in_a_while,
    unused_draws_count,
    loops_that_could_be_one,
    one_loop_that_could_be_two,
    shuffled,
)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(function: Callable[..., Any]) -> None:
    verdict = judge.check(function, (X,), (0,), second=True)
    assert verdict.kind == "right", verdict
    assert adjit.jit(function)(X) == function(X)


@pytest.mark.compiled
@pytest.mark.parametrize("function", [in_a_loop, in_branches, one_loop_that_could_be_two, shuffled])
def test_compiled(function: Callable[..., Any], compiled: None) -> None:
    """Seeded alike, Numba draws what NumPy does here."""
    verdict = judge.check(function, (X,), (0,), second=True)
    assert verdict.kind == "right", verdict
    assert adjit.jit(function)(X) == pytest.approx(numba.njit(function)(X), rel=1e-14)


def test_the_draw_of_the_value_is_that_of_the_gradient() -> None:
    def f(x):
        return x * np.random.rand()

    seen = set()
    for _ in range(5):
        value, gradient = adjit.value_and_grad(f)(2.0)
        assert value == 2.0 * gradient
        seen.add(value)
    assert len(seen) == 5
    value, pullback = adjit.vjp(f, 2.0, retain=True)
    assert pullback(1.0) == pullback(1.0) == (value / 2.0,)
    value, tangent = adjit.jvp(f, (2.0,), (1.0,))
    assert value == 2.0 * tangent


def test_a_gradient_inside_draws_in_order() -> None:
    def outer(x):
        np.random.seed(1)

        def f(y):
            return y * np.random.rand()

        slope = adjit.grad(f)(x)
        return slope * x * np.random.rand() + adjit.grad(f)(x) * x

    np.random.seed(1)
    a, b, c = np.random.rand(3)
    assert adjit.value_and_grad(outer)(2.0) == pytest.approx((2.0 * (a * b + c), a * b + c), rel=1e-15)


def test_pythons_own_generator() -> None:
    def f(x):
        random.seed(3)
        return random.random() * x + random.gauss(x, 2.0 * x) + random.uniform(x, 3.0 * x) ** 2

    verdict = judge.check(f, (1.3,), (0,))
    assert verdict.kind == "right", verdict


def test_parameters_without_a_derivative() -> None:
    def f(x):
        return np.random.gamma(x, 2.0)

    with pytest.raises(NotDifferentiableError, match="gamma draw have no derivative"):
        adjit.grad(f)(1.5)
    with pytest.raises(NotDifferentiableError, match="gamma draw"):
        adjit.jvp(f, (1.5,), (1.0,))
    held = adjit.grad(lambda x: x * np.random.gamma(adjit.stop_gradient(x), 2.0))
    assert held(1.5) > 0.0


def test_what_is_refused() -> None:
    with pytest.raises(UnsupportedSyntaxError, match="arrays as parameters"):
        adjit.grad(lambda x: np.sum(x * np.random.standard_gamma(X)))(X)
    with pytest.raises(UnsupportedSyntaxError, match="'p'"):
        adjit.grad(lambda x: np.random.choice(x, p=x))(X)
    with pytest.raises(MissingRuleError, match="multinomial"):
        adjit.grad(lambda x: np.sum(x * np.random.multinomial(3, [0.5, 0.5])))(X)
    with pytest.raises(ValueError, match="larger sample"):
        adjit.grad(lambda x: np.sum(np.random.choice(x, 5, replace=False)))(X)
