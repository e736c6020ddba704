"""Derivatives of decompositions of matrices of any shape, by all modes, against central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit
from tests.compiler.library.test_linalg import close, differences

RNG = np.random.default_rng(11)
TALL, WIDE, SQUARE = (RNG.normal(size=size) for size in ((5, 3), (3, 5), (4, 4)))
LOW_RANK = RNG.normal(size=(5, 2)) @ RNG.normal(size=(2, 3))
B = RNG.normal(size=(5, 2))


def singular_values(a):
    return np.sum(np.linalg.svd(a, compute_uv=False) ** 3) + np.linalg.svdvals(a)[0]


def singular_vectors(a):
    u, s, v = np.linalg.svd(a, full_matrices=False)
    return (
        np.sum((u * s) ** 3 @ v**3)
        + np.sum(np.sin(u**2))
        + np.sum(np.cos(v**2) @ np.arange(1.0, v.shape[1] + 1))
    )


def qr(a):
    q, r = np.linalg.qr(a)
    return np.sum(np.sin(q) * np.arange(q.size).reshape(q.shape)) + np.sum(r**3)


def triangle(a):
    return np.sum(np.linalg.qr(a, mode="r") ** 2 * np.arange(3.0))


def pseudo_inverse(a):
    return np.sum(np.sin(np.linalg.pinv(a)) * np.arange(1.0, 16.0).reshape(a.T.shape))


def least_squares(a):
    x = np.linalg.lstsq(a, B[: a.shape[0]])[0]
    return np.sum(np.sin(x) ** 2)


def names(a):
    left = np.linalg.matmul(a, a.T)
    return (
        np.linalg.trace(left) ** 2
        + np.linalg.vector_norm(a) ** 3
        + np.sum(np.linalg.outer(a[0], a[1]) ** 2)
        + np.sum(np.linalg.diagonal(left) ** 2)
    )


CASES = [
    *((f, a) for f in (singular_values, singular_vectors) for a in (TALL, WIDE, SQUARE)),
    (qr, TALL),
    (qr, SQUARE),
    (triangle, TALL),
    *((f, a) for f in (pseudo_inverse, least_squares) for a in (TALL, WIDE)),
    (names, TALL),
]


@pytest.mark.parametrize(("f", "a"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_derivatives(f: Callable[..., Any], a: np.ndarray) -> None:
    value, gradient = adjit.value_and_grad(f)(a)
    np.testing.assert_allclose(value, f(a), rtol=1e-9)
    close(gradient, differences(f, (a,), 0))
    direction = RNG.normal(size=a.shape)
    close(adjit.jvp(f, (a,), (direction,))[1], np.sum(gradient * direction), 1e-9)
    step = 1e-5
    above, below = (adjit.grad(f)(a + s * step * direction) for s in (1, -1))
    close(adjit.hvp(f, (a,), direction), (above - below) / (2 * step), 1e-4)


def test_a_pseudo_inverse_of_constant_rank() -> None:
    """Within the matrices of rank two, along which it is smooth."""
    left, right = RNG.normal(size=(5, 2)), RNG.normal(size=(2, 3))

    def f(left: np.ndarray) -> Any:
        return np.sum(np.sin(np.linalg.pinv(left @ right)))

    close(adjit.grad(f)(left), differences(f, (left,), 0))


def test_full_matrices_of_a_square_matrix_only() -> None:
    def f(a: np.ndarray) -> Any:
        u, s, v = np.linalg.svd(a)
        return np.sum(u**2 * s) + v[0, 0] ** 2

    close(adjit.grad(f)(SQUARE), differences(f, (SQUARE,), 0))
    with pytest.raises(adjit.ShapeError, match="full_matrices"):
        adjit.grad(f)(TALL)


def test_other_results_of_a_least_squares_solution_are_refused() -> None:
    def f(a: np.ndarray) -> Any:
        x, residuals, _rank, _s = np.linalg.lstsq(a, B)
        return np.sum(x) + np.sum(residuals)

    with pytest.raises(adjit.AdjitError, match=r"residuals|solution"):
        adjit.grad(f)(TALL)
