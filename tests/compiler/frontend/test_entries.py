"""Transforms of what is not a plain function: partials, objects, cached functions; and of such as
arguments.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import adjit
from adjit.errors import UnsupportedSyntaxError

X = np.array([1.0, 2.0, 0.5])


def polynomial(a, b, x):
    return np.sum(a * x) + np.sum(b * x * x)


class Scaled:
    def __init__(self, k: Any) -> None:
        self.k = k

    def __call__(self, x):
        return np.sum(self.k * x * x)

    def method(self, x):
        return np.sum(self.k * x)


@functools.lru_cache
def cached(x):
    return x**3


def square(x):
    return x * x


def root(f, x):
    """A step of Newton's method, with a wrong slope so that the result depends on the start."""
    for _ in range(3):
        x = x - (f(x) - 2.0) / 3.0
    return x


def root_gradient(x: float) -> float:
    slope = 1.0
    for _ in range(3):
        slope *= 1.0 - 2.0 * x / 3.0
        x = x - (x * x - 2.0) / 3.0
    return slope


def test_partials() -> None:
    bound = functools.partial(polynomial, np.ones(3), np.arange(3.0))
    np.testing.assert_allclose(adjit.grad(bound)(X), 1.0 + 2.0 * np.arange(3.0) * X)
    np.testing.assert_allclose(adjit.grad(lambda x: bound(x) * 2.0)(X), 2.0 + 4.0 * np.arange(3.0) * X)
    named = functools.partial(polynomial, b=np.zeros(3), x=X)
    np.testing.assert_allclose(adjit.grad(named)(np.ones(3)), X)
    nested = functools.partial(functools.partial(polynomial, np.ones(3)), np.zeros(3))
    np.testing.assert_allclose(adjit.grad(nested)(X), np.ones(3))


def test_objects() -> None:
    owner = Scaled(np.arange(3.0))
    gradient = adjit.grad(owner)
    np.testing.assert_allclose(gradient(X), 2.0 * np.arange(3.0) * X)
    owner.k = np.ones(3)
    np.testing.assert_allclose(gradient(X), 2.0 * X)
    assert adjit.grad(Scaled(3.0))(2.0) == 12.0
    assert adjit.grad(Scaled(3.0).method)(2.0) == 3.0


def test_cached_functions() -> None:
    assert adjit.grad(cached)(2.0) == 12.0
    assert adjit.grad(lambda x: cached(x) + cached(2.0 * x))(2.0) == 108.0


@pytest.mark.parametrize(
    "f",
    [
        square,
        numba.njit(square),
        lambda t: t * t,
        Scaled(1.0),
        functools.partial(lambda k, t: k * t * t, 1.0),
        adjit.jit(square),
    ],
)
def test_functions_as_arguments(f: Callable[..., Any]) -> None:
    assert adjit.grad(root, 1)(f, 1.0) == pytest.approx(root_gradient(1.0), rel=1e-14)


def test_what_has_no_source() -> None:
    with pytest.raises(UnsupportedSyntaxError, match="not a Python function"):
        adjit.grad(functools.partial(len))(X)


@pytest.mark.compiled
def test_compiled(compiled: None) -> None:
    bound = functools.partial(polynomial, np.ones(3), np.arange(3.0))
    np.testing.assert_allclose(adjit.grad(bound)(X), 1.0 + 2.0 * np.arange(3.0) * X)
    assert adjit.grad(root, 1)(Scaled(1.0), 1.0) == pytest.approx(root_gradient(1.0), rel=1e-14)
