"""Hessians of least-squares fits at the solution, where every cotangent of a residual is exactly zero.

There the Hessian is 2 JᵀJ, J being the Jacobian of the residuals, known in closed form.
"""

from __future__ import annotations

import numpy as np
import pytest

import adjit

TIMES = np.linspace(0.1, 1.0, 7)


def by_loops(p, y):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(TIMES.shape[0]):
        r = p[0] * np.exp(-p[1] * TIMES[i]) + np.sqrt(p[2] * TIMES[i]) - y[i]
        s += r * r
    return s


def by_arrays(p, y):  # type: ignore[no-untyped-def]
    r = p[0] * np.exp(-p[1] * TIMES) + np.sqrt(p[2] * TIMES) - y
    return np.sum(r**2)


def by_norm(p, y):  # type: ignore[no-untyped-def]
    r = p[0] * np.exp(-p[1] * TIMES) + np.sqrt(p[2] * TIMES) - y
    return np.linalg.norm(r) ** 2


def in_memory(p, y):  # type: ignore[no-untyped-def]
    r = y.copy()
    for i in range(TIMES.shape[0]):
        r[i] = p[0] * np.exp(-p[1] * TIMES[i]) - r[i]
        r[i] += np.sqrt(p[2] * TIMES[i])
    for i in range(TIMES.shape[0]):
        r[i] = r[i] * r[i]
    return np.sum(r)


@pytest.mark.parametrize("fit", [by_loops, by_arrays, by_norm, in_memory])
def test_hessian_at_zero_residual(fit) -> None:  # type: ignore[no-untyped-def]
    p = np.array([1.3, 0.7, 0.4])
    decay = np.exp(-p[1] * TIMES)
    jacobian = np.stack([decay, -p[0] * TIMES * decay, 0.5 * np.sqrt(TIMES / p[2])], axis=1)
    y = p[0] * decay + np.sqrt(p[2] * TIMES)
    expected = 2.0 * jacobian.T @ jacobian
    np.testing.assert_allclose(adjit.hessian(fit)(p, y), expected, rtol=1e-12)
    vector = np.array([1.0, -2.0, 3.0])
    np.testing.assert_allclose(adjit.hvp(fit, (p, y), vector), expected @ vector, rtol=1e-12)

    def along(p, y):  # type: ignore[no-untyped-def]
        return np.sum(adjit.grad(fit)(p, y) * vector)

    np.testing.assert_allclose(adjit.grad(along)(p, y), expected @ vector, rtol=1e-12)
