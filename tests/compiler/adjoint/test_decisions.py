"""What a reverse sweep must know of a maximum, a minimum or a condition is a byte, and no array is kept for
it alone. Gradients by differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit
from tests.support.judge import check

X = np.random.default_rng(7).normal(size=(6, 5))
C = np.random.default_rng(8).normal(size=(6, 5)) ** 2


def overwritten_maximum(x: Any, c: Any) -> Any:
    """Both operands of each maximum are gone afterwards."""
    u = x.copy()
    for t in range(c.shape[0]):
        for i in range(1, u.shape[0]):
            for j in range(u.shape[1]):
                u[i, j] = max(u[i, j] * 1.1 - 0.3 * u[i - 1, j], 0.1 * u[i - 1, j])
    return np.sum(u * u)


def overwritten_minimum(x: Any, c: Any) -> Any:
    u = x.copy()
    for t in range(c.shape[0]):
        for i in range(1, u.shape[0]):
            for j in range(u.shape[1]):
                u[i, j] = min(u[i, j] - 0.3 * u[i - 1, j], u[i - 1, j] * 0.5 + 0.05 * t)
    return np.sum(u * u)


def running_maximum(x: Any, c: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        most = x[i, 0] * c[i, 0]
        for j in range(1, x.shape[1]):
            most = max(most, x[i, j] * c[i, j])
        total += np.exp(most)
    return total


def rectified(x: Any, c: Any) -> Any:
    h = np.maximum(x @ c.T - 0.5, 0.0)
    return np.sum((h @ h) ** 2)


def limited(x: Any, c: Any) -> Any:
    """The differences of `d` are wanted for a condition only."""
    d = 4.0 * x[1:-1] - x[2:] - x[:-2]
    f = d[:, 1:] - d[:, :-1]
    f = np.where(f * (x[1:-1, 1:] - x[1:-1, :-1]) > 0.0, 0.0, f)
    return np.sum((x[2:-2, 1:-1] * c[2:-2, 1:-1] - f[1:-1, 1:] + f[1:-1, :-1]) ** 2 * c[2:-2, 1:-1])


PROGRAMS = [overwritten_maximum, overwritten_minimum, running_maximum, rectified, limited]


@pytest.mark.parametrize("fun", PROGRAMS)
def test_gradients(fun: Callable[..., Any]) -> None:
    verdict = check(fun, (X, C), (0, 1), second=True)
    assert verdict.kind == "right", verdict


@pytest.mark.parametrize("fun", PROGRAMS)
def test_split_and_checkpointed(fun: Callable[..., Any]) -> None:
    wanted = adjit.grad(fun, argnums=(0, 1))(X, C)
    _, pullback = adjit.vjp(fun, X, C)
    around = adjit.grad(lambda x, c: adjit.checkpoint(fun)(x, c), argnums=(0, 1))(X, C)
    for found in (pullback(1.0), around):
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("fun", [overwritten_maximum, overwritten_minimum])
def test_a_byte_a_decision(fun: Callable[..., Any]) -> None:
    (row,) = (r for r in adjit.grad(fun).saved(X, C).rows if r.nbytes > X.nbytes // 2)
    assert row.dtype == "int8"
    assert row.nbytes == len(C) * (X.shape[0] - 1) * X.shape[1]


def test_no_array_is_kept_for_conditions_alone() -> None:
    rows = adjit.grad(limited, argnums=0).saved(X, C).rows
    assert [r.dtype for r in rows if r.name.startswith("saved")] == ["bool"]
    assert not [r for r in rows if r.dtype == "float64" and r.nbytes >= 8 * 4 * 5]


def ties(x: Any, y: Any) -> Any:
    u = np.zeros(x.shape)
    for k in range(2):
        for i in range(x.shape[0]):
            u[i] = max(x[i] + u[i] * 0.0, y[i]) + 2.0 * min(x[i], y[i] + u[i] * 0.0)
    return np.sum(u)


def test_ties_share() -> None:
    x = np.array([1.0, 2.0, 3.0, 0.0])
    y = np.array([1.0, 3.0, 2.0, -0.0])
    for g, wanted in zip(
        adjit.grad(ties, argnums=(0, 1))(x, y), ([1.5, 2, 1, 1.5], [1.5, 1, 2, 1.5]), strict=True
    ):
        np.testing.assert_array_equal(g, wanted)
