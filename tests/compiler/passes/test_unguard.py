"""Guards of strong products go only where the result would be infinite or NaN as well."""

from __future__ import annotations

import numpy as np
import pytest

import adjit


def fraction(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        total += w[i] / x[i]
    return total


def direction(x, w):
    r = np.sqrt(x[0] * x[0] + x[1] * x[1])
    return w[0] * (x[0] / r) + w[1] * np.log(r)


def chosen(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        u = w[i] / x[i]
        total += u if x[i] != 0.0 else 0.0
    return total


def length(x, w):
    return w[0] * np.sqrt(x[0] * x[0] + x[1] * x[1])


def damped(x, w):
    return np.exp(-w[0] / (x[0] * x[0]))


def stored(x, w):
    u = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        u[i] = w[i] / x[i]
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] != 0.0:
            total += u[i]
    return total


X, ZERO, W = np.array([1.5, -0.5]), np.zeros(2), np.array([0.3, 0.7])


@pytest.mark.parametrize("fun", [fraction, direction])
def test_no_guard_where_the_result_tells(fun):
    assert "smul(" not in adjit.grad(fun, argnums=(0, 1)).source(X, W)


@pytest.mark.parametrize("fun", [chosen, length, damped, stored])
def test_a_guard_where_it_does_not(fun):
    gradient = adjit.value_and_grad(fun)
    assert "smul(" in gradient.source(X, W)
    with np.errstate(all="ignore"):
        value, got = gradient(ZERO, np.zeros(2) if fun is length else W)
    assert np.isfinite(value)
    np.testing.assert_array_equal(got, ZERO)


def test_the_guard_stays_inside_another_derivative():
    """A lane that is not chosen adds nothing, though the inner loss is infinite there."""

    def outer(x, w):
        d = adjit.grad(lambda t: w[0] / t)(x[0])
        return d if x[0] > 0.0 else 0.0 * w[1]

    with np.errstate(all="ignore"):
        value, got = adjit.value_and_grad(outer)(ZERO, W)
    assert value == 0.0
    np.testing.assert_array_equal(got, ZERO)
