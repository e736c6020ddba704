"""`adjit.jvp` inside a differentiated function: values against closed forms, gradients against
differences.
"""

from __future__ import annotations

import numpy as np
import pytest

import adjit
from adjit.errors import (
    InferenceError,
    NotDifferentiableError,
    OverwriteError,
    SeedError,
    ShapeError,
    UnsupportedSyntaxError,
)

X = np.array([0.9, -0.4, 1.1])
V = np.array([0.5, 2.0, -1.0])


def energy(x, w):
    return np.sum(np.sin(x) * w)


def slope(x, w, v):
    value, tangent = adjit.jvp(energy, (x, w), (v, None))
    return value * tangent


def slope_by_hand(x, w, v):
    return np.sum(np.sin(x) * w) * np.sum(np.cos(x) * w * v)


def differences(function, x, step=1e-6):
    unit = np.eye(x.size) * step
    return np.array([(function(x + e) - function(x - e)) / (2.0 * step) for e in unit])


def test_value_and_gradient():
    assert adjit.jit(slope)(X, 1.5, V) == pytest.approx(slope_by_hand(X, 1.5, V), rel=1e-14)
    of_x, of_w, of_v = adjit.grad(slope, argnums=(0, 1, 2))(X, 1.5, V)
    np.testing.assert_allclose(of_x, differences(lambda x: slope_by_hand(x, 1.5, V), X), rtol=1e-7)
    np.testing.assert_allclose(of_w, 2.0 * slope_by_hand(X, 1.5, V) / 1.5, rtol=1e-13)
    np.testing.assert_allclose(of_v, differences(lambda v: slope_by_hand(X, 1.5, v), V), rtol=1e-7)


def test_tangent_of_a_tangent():
    def second(x):
        return adjit.jvp(lambda y: adjit.jvp(lambda z: z**4, (y,), (1,))[1], (x,), (1.0,))[1]

    assert adjit.jit(second)(2.0) == pytest.approx(48.0)
    assert adjit.grad(second)(2.0) == pytest.approx(48.0)
    assert adjit.jvp(second, (2.0,), (1.0,)) == pytest.approx((48.0, 48.0))


def test_directions_are_not_confused():
    def product(x):
        return x * adjit.jvp(lambda y: x + y, (1.0,), (1.0,))[1]

    assert adjit.grad(product)(3.0) == 1.0
    assert adjit.jvp(product, (3.0,), (1.0,)) == (3.0, 1.0)


def test_captured_variables_are_constants_inside_only():
    def captures(x):
        scale = x * x
        value, tangent = adjit.jvp(lambda t: np.sum(np.exp(t) * scale), (x,), (V,))
        return value + tangent

    def by_hand(x):
        return np.sum(np.exp(x) * x * x) + np.sum(np.exp(x) * x * x * V)

    assert adjit.jit(captures)(X) == pytest.approx(by_hand(X), rel=1e-14)
    np.testing.assert_allclose(adjit.grad(captures)(X), differences(by_hand, X), rtol=1e-7, atol=1e-8)


def test_a_loop_over_directions_and_a_gradient_below():
    def trace(x):
        total = 0.0
        for k in range(x.shape[0]):
            unit = np.zeros_like(x)
            unit[k] = 1.0
            total += adjit.jvp(adjit.grad(lambda y: np.sum(y**3)), (x,), (unit,))[1][k]
        return total

    assert adjit.jit(trace)(X) == pytest.approx(6.0 * np.sum(X))
    np.testing.assert_allclose(adjit.grad(trace)(X), np.full(3, 6.0), rtol=1e-14)


def test_structures_arrays_and_defaults():
    def model(p, k=2.0):
        return p["w"] * p["w"] * k, p["b"] * k

    def used(x, b):
        _, (of_w, of_b) = adjit.jvp(model, ({"w": x, "b": b},), ({"w": V, "b": 3.0},))
        return np.sum(of_w) + of_b

    assert adjit.jit(used)(X, 1.0) == pytest.approx(np.sum(4.0 * X * V) + 6.0)
    np.testing.assert_allclose(adjit.grad(used)(X, 1.0), 4.0 * V)


def test_a_tangent_is_a_copy():
    def f(x, v):
        tangent = adjit.jvp(lambda t: t, (x,), (v,))[1]
        tangent[0] = 10.0
        return np.sum(tangent) + np.sum(v)

    expected = 10.0 + V[1] + V[2] + np.sum(V)
    assert adjit.jit(f)(X, V.copy()) == pytest.approx(expected)
    np.testing.assert_allclose(adjit.grad(f, argnums=1)(X, V.copy()), [1.0, 2.0, 2.0])


def test_single_precision_and_views():
    def f(x, v):
        return np.sum(adjit.jvp(lambda t: t * t, (x,), (v[::2],))[1])

    x, v = X.astype(np.float32), np.arange(6, dtype=np.float32)
    assert adjit.jit(f)(x, v) == pytest.approx(np.sum(2.0 * x * v[::2]), rel=1e-6)
    np.testing.assert_allclose(adjit.grad(f, argnums=1)(x, v)[::2], 2.0 * x, rtol=1e-6)


def writes(x):
    x[0] = 1.0
    return np.sum(x)


def starred(*x):
    return x[0]


@pytest.mark.parametrize(
    ("body", "error", "text"),
    [
        (lambda x: adjit.jvp(energy, (x, 1.0), (V,))[1], SeedError, "as many tangents"),
        (lambda x: adjit.jvp(energy, (x, 1.0), (1.0, None))[1], SeedError, "not structured"),
        (lambda x: adjit.jvp(energy, (x, 1), (None, 1.0))[1], NotDifferentiableError, "without floats"),
        (lambda x: adjit.jvp(energy, (x, 1.0), (V.astype(np.float32), None))[1], SeedError, "dtype float32"),
        (lambda x: adjit.jvp(energy, (x, 1.0), (np.eye(3), None))[1], SeedError, "dimensions"),
        (lambda x: adjit.jvp(energy, x, V)[1], SeedError, "are tuples"),
        (lambda x: adjit.jvp(writes, (x,), (V,))[1], OverwriteError, "writes an argument"),
        (lambda x: adjit.jvp(starred, (x,), (V,))[1][0], UnsupportedSyntaxError, r"\*args"),
        (lambda x: adjit.jvp(energy, (x, 1.0), (V, None), outputs=("x",))[1], UnsupportedSyntaxError, "outp"),
        (lambda x: adjit.jvp(energy, (x, 1.0))[1], InferenceError, "primals and tangents"),
    ],
)
def test_refused_with_the_place(body, error, text):
    with pytest.raises(error, match=text) as caught:
        adjit.grad(body)(X.copy())
    assert "test_directional.py" in str(caught.value)


def test_lengths_are_checked():
    def f(x, v):
        return adjit.jvp(energy, (x, 1.0), (v, None))[1]

    assert adjit.grad(f)(X, V).shape == (3,)
    with pytest.raises(ShapeError, match="a tangent's length of axis 0"):
        adjit.grad(f)(X, np.ones(2))
    with pytest.raises(ShapeError, match="a tangent's length of axis 0"):
        adjit.grad(f)(X, np.ones(1))


def curvature(x, w, unit):
    return adjit.jvp(lambda y: adjit.jvp(energy, (y, w), (unit, None))[1], (x,), (unit,))[1]


@pytest.mark.compiled
def test_compiled(compiled):
    def laplacian(x):
        total = 0.0
        for k in range(x.shape[0]):
            unit = np.zeros_like(x)
            unit[k] = 1.0
            total += curvature(x, x[0], unit)
        return total

    assert adjit.jit(laplacian)(X) == pytest.approx(-np.sum(np.sin(X)) * X[0])
    of_w = -np.sum(np.sin(X)) * np.array([1.0, 0.0, 0.0])
    np.testing.assert_allclose(adjit.grad(laplacian)(X), -np.cos(X) * X[0] + of_w)
