"""Derivatives of library routines, by all modes, against central differences of NumPy's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit

RNG = np.random.default_rng(7)
A, B = RNG.normal(size=(4, 4)), RNG.normal(size=(4, 3))
S = A @ A.T + np.eye(4)
W, V = RNG.normal(size=(4, 4)), RNG.normal(size=4)


def solve(a, b):
    return np.sum(np.sin(np.linalg.solve(a, b)))


def solve_vector(a, b):
    return np.sum(np.sin(np.linalg.solve(a.T, b[:, 0])))


def inverse(a):
    k = np.linalg.inv(a)
    return np.sum(W * k * k)


def determinant(a):
    return np.linalg.det(a) ** 2 + np.sin(np.linalg.det(a @ a))


def logarithm(a):
    sign, log = np.linalg.slogdet(a)
    return sign * log * log


def cholesky(a):
    factor = np.linalg.cholesky(a)
    return np.sum(W * factor * factor)


def cholesky_of_product(a):
    factor = np.linalg.cholesky(a @ a.T + np.eye(4), upper=True)
    return np.sum(W * factor**3)


def eigenvalues(a):
    return np.sum(np.linalg.eigvalsh(a, "U") ** 3)


def eigenvectors(a):
    w, v = np.linalg.eigh(a)
    return np.sum(np.sin(w) * V) + np.sum(W * v * v)


def powers(a):
    return np.sum(W * np.linalg.matrix_power(a, 3)) + np.sum(np.linalg.matrix_power(a, -2))


def products(a, b):
    return np.sum((b.T @ a @ b) ** 2) + np.sum(np.dot(a[1:], a[:, 1:]) ** 2)


def stacked(a, b):
    return (
        np.sum(np.matmul(np.expand_dims(a, 0), np.expand_dims(b, 0)) ** 2)
        + np.sum(a[0] @ b)
        + np.sum(b.T @ a[1])
    )


CASES = [
    (solve, (A, B)),
    (solve_vector, (A, B)),
    (inverse, (A,)),
    (determinant, (A,)),
    (logarithm, (A,)),
    (cholesky, (S,)),
    (cholesky_of_product, (A,)),
    (eigenvalues, (S,)),
    (eigenvectors, (S,)),
    (powers, (A,)),
    (products, (A, B)),
    (stacked, (A, B)),
]


def differences(
    f: Callable[..., Any], args: tuple[np.ndarray, ...], k: int, step: float = 1e-6
) -> np.ndarray:
    found = np.zeros_like(args[k])
    for i in np.ndindex(found.shape):
        sides = []
        for sign in (1, -1):
            moved = [x.copy() for x in args]
            moved[k][i] += sign * step
            sides.append(f(*moved))
        found[i] = (sides[0] - sides[1]) / (2 * step)
    return found


def close(got: Any, wanted: Any, tolerance: float = 1e-5) -> None:
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance * max(1.0, np.max(np.abs(wanted))))


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_gradient_and_tangent(f: Callable[..., Any], args: tuple[np.ndarray, ...]) -> None:
    positions = tuple(range(len(args)))
    gradients = adjit.grad(f, argnums=positions)(*args)
    for k, g in enumerate(gradients):
        close(g, differences(f, args, k))
        close(adjit.grad(f, argnums=k)(*args), g, 1e-12)
    directions = tuple(RNG.normal(size=a.shape) for a in args)
    _, change = adjit.jvp(f, args, directions)
    close(change, sum(np.sum(g * d) for g, d in zip(gradients, directions, strict=True)), 1e-10)


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_second_order(f: Callable[..., Any], args: tuple[np.ndarray, ...]) -> None:
    direction = RNG.normal(size=args[0].shape)
    gradient = adjit.grad(f)
    step = 1e-5
    above, below = (gradient(args[0] + s * step * direction, *args[1:]) for s in (1, -1))
    wanted = (above - below) / (2 * step)
    close(adjit.hvp(f, args, direction), wanted, 1e-4)
    close(np.tensordot(adjit.jacrev(gradient)(*args), direction, 2), wanted, 1e-4)


def test_determinant_of_singular_matrices() -> None:
    for a in (np.arange(9.0).reshape(3, 3), np.zeros((3, 3)), np.diag([2.0, 0.0, 0.0])):

        def f(a: np.ndarray) -> float:
            return np.linalg.det(a)

        close(adjit.grad(f)(a), differences(f, (a,), 0, 1e-3), 1e-9)
        wanted = np.array(
            [differences(lambda x, i=i: adjit.grad(f)(x)[i], (a,), 0, 1e-4) for i in np.ndindex(3, 3)]
        )
        close(adjit.hessian(f)(a), wanted.reshape(3, 3, 3, 3), 1e-6)


def test_single_precision_is_kept() -> None:
    a, b = S.astype(np.float32), B.astype(np.float32)
    for f, args in ((solve, (a, b)), (cholesky, (a,)), (inverse, (a,))):
        found = adjit.grad(f)(*args)
        assert found.dtype == np.float32
        wide = adjit.grad(f)(*(x.astype(float) for x in args))
        np.testing.assert_allclose(found, wide, rtol=1e-2, atol=1e-2 * np.abs(wide).max())
