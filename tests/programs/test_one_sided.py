"""Stencils that reach to one side, and sums into what the same loop reads."""

from __future__ import annotations

import numpy as np
import pytest

import adjit


def one_sided(x):
    n, m = x.shape
    a, b = np.zeros((n, m)), np.sin(x)
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            a[i, j] = b[i + 1, j - 1] + b[i + 1, j] * 0.5 + b[i + 1, j + 1] * 2
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            b[i, j] = a[i + 1, j - 1] + a[i + 1, j] * 0.5 + a[i + 1, j + 1] * 2
    return np.sum(a * x) + np.sum(b * b)


def one_sided_steps(x):
    n, m = x.shape
    u, v = np.sin(x), x.copy()
    for _ in range(4):
        for i in range(n - 2):
            for j in range(m - 2):
                v[i, j] = u[i + 1, j + 1] + u[i + 2, j + 1] * u[i + 1, j + 2] + u[i + 2, j + 2]
        u, v = v, u
    return np.sum(u * x)


def summed_and_read(x):
    n = x.shape[0]
    a, b = x[:, 0].copy(), np.sin(x[:, 1])
    for i in range(1, n - 1):
        a[i] += b[i] + b[i + 1]
    for i in range(1, n - 1):
        a[i] += 0.3 * a[i] * b[i]
    return np.sum(a * x[:, 0])


def rows_of_all_steps(x):
    n = x.shape[0]
    c, s = np.zeros((n, n)), 0.0
    for t in range(n):
        for i in range(n):
            for j in range(n):
                s += c[i, j] * x[j, 0]
                c[i, j] = x[i, 0] * x[j, 1] * t
    return s


def rows_of_the_step_before(x):
    n = T = x.shape[0]
    c, s = np.empty((T, n)), 0.0
    for t in range(T):
        for i in range(n):
            c[t, i] = x[i, 0] * (t + 1)
        for i in range(n):
            s += c[t, i] * c[t - 1, i] if t > 0 else c[t, i]
    return s


@pytest.mark.parametrize("n", [4, 5, 7])
@pytest.mark.parametrize(
    "fun", [one_sided, one_sided_steps, summed_and_read, rows_of_all_steps, rows_of_the_step_before]
)
def test_gradient(fun, n):
    x = np.random.default_rng(n).normal(size=(n, n))
    value, gradient = adjit.value_and_grad(fun)(x)
    assert value == pytest.approx(fun(x), rel=1e-12)
    for k in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[k] = 1e-6
        expected = (fun(x + step) - fun(x - step)) / 2e-6
        assert gradient[k] == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_no_pass_and_a_box_outside_the_array():
    def steps(x, T, k):
        n = x.shape[0]
        a, b = x.copy(), np.zeros(n)
        for _ in range(T):
            for i in range(1, k):
                b[i] = a[i] + 0.3 * (a[i - 1] - 2 * a[i] + a[i + 1])
            a, b = b, a
        return np.sum(a * a)

    x = np.linspace(0.5, 1.0, 6)
    np.testing.assert_allclose(adjit.grad(steps)(x, 0, 20), 2.0 * x)
