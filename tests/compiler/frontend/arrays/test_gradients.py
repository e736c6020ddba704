"""Gradients of array statements, against central differences of the same function run by NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit

RNG = np.random.default_rng(5)
A, B, V = RNG.normal(size=(4, 5)), RNG.normal(size=(3, 4)), RNG.normal(size=6)
I, J = np.array([2, 0, 2, -1]), np.array([1, 3, 1, 0])


def gather(x):
    return np.sum(x[I, J] ** 3) + np.sum(x[I] ** 2) + np.sum(x[:, J] * x[1:3, :1].sum())


def scatter(x):
    y = np.zeros((4, 5))
    y[I, J] = x[0, :4]
    y[I] += x[:, 1:2] * x
    np.add.at(y, (slice(None), J), x[:, :4] ** 2)
    return np.sum(y * y)


def masks(x):
    m = x > 0.1
    y = x.copy()
    y[m] *= 2.0
    y[~m] = x[~m] ** 2
    y[x[:, 0] > 0] += 1.0
    return np.sum(y * y) + np.sum(x[m] ** 3)


def masked_rows(x):
    rows = np.array([True, False, True, False])
    y = np.ones((4, 5))
    y[rows] = x[:2] * x[2:]
    y[:, np.array([0, 2])] *= x[:, 3:]
    return np.sum(y**2)


def overlaps(x):
    y = x.copy()
    y[1:] += y[:-1] * y[1:]
    y[:, ::2] = y[:, ::-2]
    y[:, 1:] -= y[:, :-1]
    y[:4, :4] += y[:4, :4].T
    y[::-1] = y * 1.5
    return np.sum(y**3)


def row_updates(x):
    y = x.copy()
    for i in range(1, y.shape[0]):
        y[i] -= y[i - 1] * y[i, 0]
        y[i, 1:] /= 1.0 + y[i, 0] ** 2
    return np.sum(y**2)


def views(x):
    y = x.copy()
    t = y.T[1:4]
    t[0] = t[1] * t[2]
    r = y.reshape(2, 10)
    r[1, ::3] *= r[0, ::3]
    y.ravel()[3:7] += 0.5
    return np.sum(np.sin(y))


def broadcasts(x):
    centred = x - x.mean(axis=0)
    scaled = centred / np.sqrt(np.sum(centred**2, axis=1))[:, None]
    return np.sum(np.exp(scaled) * np.arange(5)) + np.sum(x[:, :3] * x[:, 4:])


def lengths_of_one(x):
    left, right = x[:, :2], x[:, 4:]
    y = left * 1.0
    y[:] = right
    y += left / right
    return np.sum(left * right**2) + np.sum(y**2)


def choices(x):
    y = np.where(x > 0, np.sqrt(np.abs(x)), x**2)
    z = np.clip(x, -0.5, x[0, 0])
    return np.sum(y * z) + np.sum(np.maximum(x, x[::-1])) + np.sum(np.hypot(x, 1.0))


def reshapes(x):
    y = x.T.reshape(4, 5) * x
    z = np.moveaxis(x.reshape(2, 2, 5), 0, -1)
    column = x[:, 1].reshape(-1, 1)
    return np.sum(y**2) + np.sum(z[:, ::2] ** 3) + np.sum(x.flatten()[::3]) + np.sum(column * x[0])


def pairs(x):
    d = np.subtract.outer(x[0], x[1])
    _, r = np.divmod(x[2], 0.7)
    return np.sum(d * d * d) + np.add.reduce(x[3]) ** 2 + np.sum(r * r) + np.sum(np.cumsum(x, axis=1) ** 2)


def stacks(x):
    y = np.array([[x[0, 0], 2.0], [x[1, 1] * x[2, 2], x[0, 1]]])
    z = np.stack((x[0], x[1] * x[2]))
    return np.linalg.norm(y @ y) + np.sum(np.concatenate((z, x[:1])) ** 2)


def integer_casts(x):
    k = (x * 3.0).astype(np.int64)
    narrow = x.astype(np.float32)[0].astype(np.float64)
    return np.sum(x * k) + np.sum(narrow * 0.0) + x[int(np.abs(k[0, 0])) % 2, 1]


CASES = [
    gather,
    scatter,
    masks,
    masked_rows,
    overlaps,
    row_updates,
    views,
    broadcasts,
    lengths_of_one,
    choices,
    reshapes,
    pairs,
    stacks,
    integer_casts,
]


def differences(f: Callable[[np.ndarray], Any], x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    found = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        moved = np.zeros_like(x)
        moved[i] = step
        found[i] = (f(x + moved) - f(x - moved)) / (2 * step)
    return found


@pytest.mark.parametrize("f", CASES)
def test_gradients(f: Callable[[np.ndarray], Any]) -> None:
    kept = A.copy()
    value, gradient = adjit.value_and_grad(f)(A)
    np.testing.assert_array_equal(A, kept)
    np.testing.assert_allclose(value, f(A), rtol=1e-13)
    wanted = differences(f, A)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-5, atol=1e-6 * np.abs(wanted).max())
    direction = RNG.normal(size=A.shape)
    np.testing.assert_allclose(adjit.jvp(f, (A,), (direction,))[1], np.sum(gradient * direction), rtol=1e-10)


@pytest.mark.parametrize("f", [c for c in CASES if c is not integer_casts])
def test_second_order(f: Callable[[np.ndarray], Any]) -> None:
    direction = RNG.normal(size=A.shape)
    gradient = adjit.grad(f)
    wanted = (gradient(A + 1e-6 * direction) - gradient(A - 1e-6 * direction)) / 2e-6
    got = adjit.hvp(f, (A,), direction)
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5 * np.abs(wanted).max() + 1e-12)
