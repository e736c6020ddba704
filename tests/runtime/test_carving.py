"""Arrays in a workspace: compiled and plain alike, inside the words or fresh where these do not suffice."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from adjit.runtime.carving import take, take_zeros


def both(ws: Any, n: int, m: int) -> Any:
    a = take_zeros(ws, (n, m), np.float64)
    a[0, m - 1] = 7.0
    b = take(ws, (n,), np.float32)
    b[:] = 2.0
    c = take_zeros(ws, (m,), np.bool_)
    d = take_zeros(ws, (), np.int64)
    return a, b, c, d


@pytest.fixture(params=["plain", "compiled"])
def function(request: pytest.FixtureRequest) -> Any:
    return both if request.param == "plain" else numba.njit(both)


def workspace(words: int) -> np.ndarray[Any, Any]:
    made = np.full(words, -1, np.int64)
    made[0] = 8
    return made


def expected(n: int, m: int) -> list[np.ndarray[Any, Any]]:
    a = np.zeros((n, m))
    a[0, m - 1] = 7.0
    return [a, np.full(n, 2.0, np.float32), np.zeros(m, np.bool_), np.zeros((), np.int64)]


@pytest.mark.parametrize("words", [200, 24, 8])
def test_arrays(function: Any, words: int) -> None:
    ws = workspace(words)
    found = function(ws, 3, 4)
    for got, want in zip(found, expected(3, 4), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)
    assert np.shares_memory(found[0], ws) == (words >= 20)
    assert ws[0] == 8 + 16 + 8 + 8 + 8


def test_arrays_do_not_overlap(function: Any) -> None:
    found = function(workspace(200), 5, 3)
    for k, a in enumerate(found):
        for b in found[:k]:
            assert not np.shares_memory(a, b)


def test_negative_lengths_are_empty(function: Any) -> None:
    ws = workspace(50)
    a = function(ws, 3, 2)[0]
    assert a.shape == (3, 2)

    def empty(ws: Any, n: int) -> Any:
        return take_zeros(ws, (max(n, 0),), np.float64)

    assert empty(ws, -2).shape == (0,)


def test_memory_outlives_the_workspace(function: Any) -> None:
    ws = workspace(200)
    a = function(ws, 3, 4)[0]
    del ws
    assert a.sum() == 7.0
