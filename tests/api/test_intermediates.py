"""Gradients at named local variables."""

from __future__ import annotations

import numpy as np
import pytest

import adjit


def worked(w, x):  # type: ignore[no-untyped-def]
    u = w * x
    a = u * u
    b = 3 * u
    return a + b


def reused(x):  # type: ignore[no-untyped-def]
    h = x
    h2 = np.sin(h)
    return np.sum(h2 * h2) + 3.0 * x[0]


def read_by_elements_and_by_a_loop(x):  # type: ignore[no-untyped-def]
    h = np.sin(x)
    k = h[0] * h[1]
    return np.sum(h * h) * k


def last_binding(x):  # type: ignore[no-untyped-def]
    h = 2.0 * x
    h = h * h
    return 5.0 * h


def without_influence(x):  # type: ignore[no-untyped-def]
    h = x * 7.0
    return x * x + 0.0 * np.floor(h)


def in_a_loop(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for _ in range(3):
        h = s + x
        s = h * x
    return s


def test_worked_example() -> None:
    value, (gradients, inner) = adjit.value_and_grad(worked, argnums=(0, 1), intermediates=("u", "a", "b"))(
        2.0, 4.0
    )
    assert value == 88.0
    assert gradients == (76.0, 38.0)
    assert inner == {"u": 19.0, "a": 1.0, "b": 1.0}


def test_only_later_uses_of_an_array_count() -> None:
    x = np.array([0.3, -1.2])
    _, inner = adjit.grad(reused, intermediates="h2")(x)
    np.testing.assert_allclose(inner["h2"], 2.0 * np.sin(x), rtol=1e-14)


def test_every_later_use_of_an_array_counts() -> None:
    x = np.array([0.3, -1.2, 0.8])
    _, inner = adjit.grad(read_by_elements_and_by_a_loop, intermediates=("h", "k"))(x)
    h = np.sin(x)
    expected = 2.0 * h * h[0] * h[1] + np.sum(h * h) * np.array([h[1], h[0], 0.0])
    np.testing.assert_allclose(inner["h"], expected, rtol=1e-14)
    np.testing.assert_allclose(inner["k"], np.sum(h * h), rtol=1e-14)


def test_last_binding_counts() -> None:
    _, inner = adjit.grad(last_binding, intermediates=("h",))(1.5)
    assert inner == {"h": 5.0}


def test_no_influence_is_zero() -> None:
    gradient, inner = adjit.grad(without_influence, intermediates=("h",))(1.5)
    assert gradient == 3.0
    assert inner == {"h": 0.0}


def test_refusals() -> None:
    with pytest.raises(adjit.UnsupportedSyntaxError, match="inside a loop or branch"):
        adjit.grad(in_a_loop, intermediates=("h",))(1.5)
    with pytest.raises(adjit.NameResolutionError, match="`nothing` is not assigned"):
        adjit.grad(worked, intermediates=("nothing",))(1.0, 2.0)
