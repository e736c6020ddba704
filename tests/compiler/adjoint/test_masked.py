"""Missing data: a NaN entry that does not count has gradient zero and leaves the others as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit

X = np.array([[0.3, np.nan, -1.2, 2.0], [1.5, 0.7, np.nan, -0.4], [0.9, 1.1, -0.6, 0.2]])
MASK = np.isnan(X)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_variance_and_deviation(axis: Any, ddof: int, keepdims: bool) -> None:
    """d var / d x = 2 (x - mean) / (n - ddof); d std / d x = (x - mean) / ((n - ddof) std)."""
    away = np.where(MASK, 0.0, X - np.nanmean(X, axis, keepdims=True))
    n = np.sum(~MASK, axis, keepdims=True) - ddof
    var = adjit.grad(lambda x: np.sum(np.nanvar(x, axis, ddof=ddof, keepdims=keepdims)))
    std = adjit.grad(lambda x: np.sum(np.nanstd(x, axis, ddof=ddof, keepdims=keepdims)))
    np.testing.assert_allclose(var(X), 2.0 * away / n, rtol=1e-12, atol=1e-15)
    deviation = np.nanstd(X, axis, ddof=ddof, keepdims=True)
    np.testing.assert_allclose(std(X), away / (n * deviation), rtol=1e-12, atol=1e-15)


def squares(x):
    return np.nansum((x - np.nanmean(x)) ** 2)


def asked(x):
    return np.sum(np.where(np.isfinite(x), np.sin(x) * x, 0.0))


def compared(x):
    y = x * x
    return np.sum(np.where(y == y, y * np.cos(x), 0.0))


def by_a_mask(x):
    mask = ~np.isnan(x)
    y = np.sin(x) * x
    return np.sum(np.where(mask, y, 0.0)) + np.sum(y[mask] ** 2)


def several(x):
    y = np.exp(x) * x
    return np.nansum(y) + np.nanprod(y) + np.sum(np.nan_to_num(y * y)) + np.nanmax(x * x)


def skipped(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            d = np.sin(x[i, j]) * x[i, j]
            if np.isnan(d):
                continue
            s += d * d
    return s


def stored(x):
    y = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = x[i, j] * x[i, j] * np.sin(x[i, j])
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if not np.isnan(y[i, j]):
                s += y[i, j] * y[i, j]
    return s


@pytest.mark.parametrize("function", [squares, asked, compared, by_a_mask, several, skipped, stored])
def test_programs_over_missing_data(function: Callable[..., Any]) -> None:
    """Against differences of the function itself, at the entries that are there; second order too."""
    gradient = adjit.grad(function)
    g = gradient(X)
    assert np.all(g[MASK] == 0.0)
    again = adjit.grad(lambda x: np.sum(gradient(x)[0] * np.arange(1.0, 5.0)))(X)
    assert np.all(again[MASK] == 0.0)
    h = 1e-5
    for entry in zip(*np.nonzero(~MASK), strict=True):
        up, down = X.copy(), X.copy()
        up[entry] += h
        down[entry] -= h
        assert g[entry] == pytest.approx((function(up) - function(down)) / (2 * h), rel=1e-7, abs=1e-8)
        rows = (gradient(up)[0] - gradient(down)[0]) / (2 * h)
        assert again[entry] == pytest.approx(np.sum(rows * np.arange(1.0, 5.0)), rel=1e-7, abs=1e-8)


def chosen(x):
    return np.sum(np.where(x > 0.0, np.sin(x) * x, 0.0))


def counted(x):
    y = np.sin(x) * x
    return np.sum(y) + np.sum(np.where(np.isnan(y), 0.0, y))


@pytest.mark.parametrize("function", [chosen, counted])
def test_products_of_other_programs_are_not_guarded(function: Callable[..., Any]) -> None:
    """A comparison of floats tells no missing data; and a value that counts anyway is not missing."""
    assert "smul" not in adjit.grad(function).source(X)
    assert "smul" in adjit.grad(asked).source(X)
