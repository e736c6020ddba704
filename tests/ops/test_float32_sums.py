"""Sums of float32 numbers are as exact as NumPy's pairwise ones, in values and in gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit

N = 50_000
X = np.full(N, 0.1, np.float32)  # a running sum in float32 is off by a part in ten thousand and more

SUMS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: np.sum(x),
    "method": lambda x: x.sum(),
    "of_rows": lambda x: np.sum(x.reshape(2, -1), axis=1)[1],
    "mean": lambda x: np.mean(x),
    "nanmean": lambda x: np.nanmean(x),
    "var": lambda x: np.var(x * x[0] + np.arange(N) % 2),
    "std": lambda x: np.std(x * x[0] + np.arange(N) % 2),
    "dot": lambda x: np.dot(x, x),
    "matmul": lambda x: x @ x,
    "einsum": lambda x: np.einsum("i,i->", x, x),
    "norm": lambda x: np.linalg.norm(x),
    "norm of order 1": lambda x: np.linalg.norm(x, 1),
    "trapezoid": lambda x: np.trapezoid(x),
    "average": lambda x: np.average(x, weights=x),
}


@pytest.mark.parametrize("name", SUMS)
def test_values(name: str) -> None:
    exact = SUMS[name](X.astype(np.float64))
    assert adjit.jit(SUMS[name])(X) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("name", ["sum", "mean", "dot", "norm", "of_rows"])
def test_dtypes_stay(name: str) -> None:
    value, gradient = adjit.value_and_grad(SUMS[name])(X[:10])
    assert value.dtype == np.float32 and gradient.dtype == np.float32


def shifted(x, b):
    return np.mean((x * b + b) ** 2)


def looped(x, b):
    s = np.float32(0.0)
    for i in range(x.shape[0]):
        y = np.float32(0.0)
        for k in range(2):
            if x[i] > 0.0:
                y += b * x[i] * (k + 1)
            else:
                y -= b
        s += y * b
    return s


def one_element(x, b):
    return np.sum(x * b[0] + b)


@pytest.mark.parametrize(
    ("function", "b", "exact"),
    [
        (shifted, np.float32(2.0), 2.0 * 2.0 * 1.1**2),
        (looped, np.float32(0.5), N * 3.0 * 0.1 * 2 * 0.5),
        (one_element, np.ones(1, np.float32), N * 1.1),
    ],
)
def test_the_gradient_of_one_number_that_many_terms_read(function, b, exact: float) -> None:
    gradient = adjit.grad(function, argnums=1)(X, b)
    assert gradient.dtype == np.float32
    assert float(np.sum(gradient)) == pytest.approx(exact, rel=1e-6)


def test_the_users_own_loop_keeps_its_arithmetic() -> None:
    def added(x):
        s = np.float32(0.0)
        for i in range(x.shape[0]):
            s += x[i]
        return s

    assert adjit.jit(added)(X) == added(X)


def test_the_text_converts_no_number_there_and_back() -> None:
    source = adjit.value_and_grad(lambda x: np.mean(x * x)).source(X)
    assert "total = 0.0" in source and "np.float32(np.float64(" not in source
