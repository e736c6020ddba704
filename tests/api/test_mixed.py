"""Saved values in half precision: formats, bounds, what they cannot hold; the scale of the loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjit
from adjit.api import mixed
from tests.support import oracles


def f(x):  # type: ignore[no-untyped-def]
    return np.sum(np.exp(np.sin(x)))


def test_bfloat16_is_float32_rounded(rng: np.random.Generator) -> None:
    a = np.concatenate(
        [rng.normal(size=500) * 10.0 ** rng.integers(-30, 30, 500), [0.0, -0.0, np.inf, -np.inf]]
    )
    a = a.astype(np.float32)
    back = mixed.Half(mixed._bfloat16(a), a.dtype).restored()
    finite = np.isfinite(a)
    assert np.all(np.abs(back - a)[finite] <= 2.0**-8 * np.abs(a)[finite] * (1.0 + 1e-6))
    np.testing.assert_array_equal(back[~finite], a[~finite])
    assert np.isnan(mixed.Half(mixed._bfloat16(np.array([np.nan], np.float32)), a.dtype).restored()[0])
    ties = np.array([1.0 + 2.0**-8, 1.0 + 3.0 * 2.0**-8], np.float32)  # half way: to the even neighbour
    np.testing.assert_array_equal(mixed.Half(mixed._bfloat16(ties), a.dtype).restored(), [1.0, 1.0 + 2.0**-6])


@pytest.mark.parametrize(("name", "bound"), [("float16", 2.0**-11), ("bfloat16", 2.0**-8)])
def test_gradients_are_within_the_bounds(name: str, bound: float, rng: np.random.Generator) -> None:
    x = rng.normal(size=200).astype(np.float32)
    with adjit.saved_as(name):
        _, pullback = adjit.vjp(f, x)
    (found,) = pullback()
    exact = np.exp(np.sin(x.astype(float))) * np.cos(x.astype(float))
    error = np.abs(found - exact)
    assert found.dtype == np.float32
    assert np.all(error <= 3.0 * bound * np.exp(1.0)) and error.max() > 1e-5


def test_what_the_format_cannot_hold_stays(rng: np.random.Generator) -> None:
    def g(x):  # type: ignore[no-untyped-def]
        return np.sum(np.exp(x))

    for x in (np.array([1.0, 15.0]), np.array([1.0, -25.0])):  # beyond float16, and below
        with adjit.saved_as("float16"):
            _, pullback = adjit.vjp(g, x)
        np.testing.assert_allclose(pullback()[0], np.exp(x), rtol=1e-12)


def branches(w, c):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(w.shape[0]):
        h = np.exp(w[i])
        s += h * h if h > c else 3.0 * h
    return s


def chosen(w, c):  # type: ignore[no-untyped-def]
    h = np.exp(w)
    return np.sum(np.where(h > c, h * h, 3.0 * h))


def largest(w, c):  # type: ignore[no-untyped-def]
    return np.sum(np.maximum(np.exp(w), c) * w)


def located(w, c):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(w.shape[0]):
        h = np.exp(w[i])
        s += h * c[int(h * 25000.0) % c.shape[0]]
    return s


SIDES = [(branches, 1.00005, 0), (chosen, 1.00005, 0), (largest, 1.00005, 0), (located, np.ones(5), 1)]


@pytest.mark.parametrize(("function", "c", "argnum"), SIDES)
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_both_sweeps_take_the_same_way(function: Any, c: Any, argnum: int, name: str) -> None:
    """`exp(w)` rounded lies on the other side of `c`, and in another element of an array `c`."""
    w = np.full(5, 1e-4)
    with adjit.saved_as(name):
        _, pullback = adjit.vjp(function, w, c, argnums=argnum)
    wanted = [e.value for _, _, e in oracles.entries(function, (w, c), argnum)]
    np.testing.assert_allclose(pullback()[0], wanted, rtol=0.02, atol=1e-6)


def test_what_does_not_decide_is_rounded() -> None:
    def smooth(w):  # type: ignore[no-untyped-def]
        h = np.exp(w)
        return np.sum(np.where(w > 0.0, h * h, h))

    with adjit.saved_as("bfloat16"):
        _, pullback = adjit.vjp(smooth, np.full(5, 1e-4))
    assert 1e-5 < np.max(np.abs(pullback()[0] - 2.0 * np.exp(2e-4))) < 2.0**-6


def test_the_scaler() -> None:
    scaler = adjit.LossScaler(scale=8.0, growth=2.0, backoff=0.5, interval=3)
    g: dict[str, Any] = {"a": np.array([8.0, 16.0]), "b": [np.array(4.0), None]}
    assert scaler.unscale(g)
    np.testing.assert_array_equal(g["a"], [1.0, 2.0])
    assert g["b"][0] == 0.5
    g["a"][0] = np.nan
    before = g["a"][1]
    assert not scaler.unscale(g) and scaler.scale == 4.0 and g["a"][1] == before
    g["a"][0] = 1.0
    assert [scaler.unscale(g) for _ in range(3)] == [True] * 3 and scaler.scale == 8.0


def test_refusals() -> None:
    with pytest.raises(TypeError, match="float16 or bfloat16"), adjit.saved_as("float8"):
        pass
    with pytest.raises(ValueError, match="backoff"):
        adjit.LossScaler(backoff=2.0)
    with pytest.raises(adjit.SeedError, match="cannot be changed in place"):
        adjit.LossScaler().unscale({"a": 1.0})
