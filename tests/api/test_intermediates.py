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


def test_one_gradient_per_pass() -> None:
    """s1 = x * x, s2 = (s1 + x) * x, s3 = (s2 + x) * x: dL/dh_k follows from s3 by hand."""
    x = 1.5
    gradient, inner = adjit.grad(in_a_loop, intermediates=("h",))(x)
    np.testing.assert_allclose(inner["h"], [x**3, x**2, x], rtol=1e-14)
    assert np.isclose(gradient, (in_a_loop(x + 1e-6) - in_a_loop(x - 1e-6)) / 2e-6)


def layered(x, ws):  # type: ignore[no-untyped-def]
    a = x
    for k in range(ws.shape[0]):
        h = a @ ws[k]
        a = np.tanh(h)
    return np.sum(a * a)


def test_arrays_in_loops(rng: np.random.Generator) -> None:
    """A stack of layers against the recurrence of its cotangents."""
    x, ws = rng.normal(size=(4, 3)), rng.normal(size=(5, 3, 3))
    _, inner = adjit.grad(layered, argnums=1, intermediates=("h",))(x, ws)
    hs, a = [], x
    for w in ws:
        hs.append(a @ w)
        a = np.tanh(hs[-1])
    ct = 2.0 * a
    for k in range(4, -1, -1):
        ct_h = ct * (1.0 - np.tanh(hs[k]) ** 2)
        np.testing.assert_allclose(inner["h"][k], ct_h, rtol=1e-10)
        ct = ct_h @ ws[k].T


def nested(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(1, x.shape[0]):
        for j in range(2):
            h = x[i] * x[j]
            s += np.sin(h) * (i + 10 * j)
    return s


def branched(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            h = x[i] * 2.0
        else:
            h = x[i] * 3.0
        s += h * h
    return s


def only_sometimes(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            h = x[i] * 2.0
            s += h * h
    return s


def test_nested_loops_and_branches() -> None:
    x = np.array([0.5, -1.0, 2.0, 0.25])
    _, inner = adjit.grad(nested, intermediates=("h",))(x)
    expected = [[np.cos(x[i] * x[j]) * (i + 10 * j) for j in range(2)] for i in range(1, 4)]
    np.testing.assert_allclose(inner["h"], expected, rtol=1e-14)
    _, inner = adjit.grad(branched, intermediates=("h",))(x)
    np.testing.assert_allclose(inner["h"], 2.0 * x * np.where(x > 0.0, 2.0, 3.0), rtol=1e-14)
    _, inner = adjit.grad(only_sometimes, intermediates=("h",))(x)
    np.testing.assert_allclose(inner["h"], np.where(x > 0.0, 4.0 * x, 0.0), rtol=1e-14)


@pytest.mark.compiled
def test_loops_compiled(compiled: None) -> None:
    x = np.array([0.5, -1.0, 2.0, 0.25])
    _, inner = adjit.grad(branched, intermediates=("h",))(x)
    np.testing.assert_allclose(inner["h"], 2.0 * x * np.where(x > 0.0, 2.0, 3.0), rtol=1e-14)


def helper(t):  # type: ignore[no-untyped-def]
    h = np.sin(t)
    return h * h


def calls_a_helper(x):  # type: ignore[no-untyped-def]
    h = x * 2.0
    return np.sum(helper(h) * 3.0)


def calls_in_a_loop(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        s += helper(x[i])
    return s


def test_variables_of_helpers() -> None:
    x = np.array([0.3, -1.2])
    _, inner = adjit.grad(calls_a_helper, intermediates=("helper.h", "h"))(x)
    np.testing.assert_allclose(inner["helper.h"], 6.0 * np.sin(2.0 * x), rtol=1e-14)
    np.testing.assert_allclose(inner["h"], 6.0 * np.sin(2.0 * x) * np.cos(2.0 * x), rtol=1e-14)
    _, inner = adjit.grad(calls_in_a_loop, intermediates="helper.h")(x)
    np.testing.assert_allclose(inner["helper.h"], 2.0 * np.sin(x), rtol=1e-14)


def until(x):  # type: ignore[no-untyped-def]
    s = x
    while s < 10.0:
        h = s * 2.0
        s = h + 1.0
    return s


def before_and_inside(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        h = x[i]
        if x[i] > 0.0:
            h = h * 2.0
        s += h
    return s


def test_refusals() -> None:
    with pytest.raises(adjit.NotDifferentiableError, match="number of passes only a run can tell"):
        adjit.grad(until, intermediates=("h",))(1.5)
    with pytest.raises(adjit.NotDifferentiableError, match="bound before a branch and in it"):
        adjit.grad(before_and_inside, intermediates=("h",))(np.ones(3))

    with pytest.raises(adjit.NameResolutionError, match="`nothing` is not assigned"):
        adjit.grad(worked, intermediates=("nothing",))(1.0, 2.0)
