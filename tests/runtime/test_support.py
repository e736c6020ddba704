"""The helpers of generated programs, plain and compiled."""

from __future__ import annotations

import math

import numpy as np
import pytest

from adjit.runtime import support


@pytest.mark.parametrize("a", [1.0, 2.0, 0.5, math.nan, math.inf])
@pytest.mark.parametrize("b", [1.0, 2.0, 0.0, math.nan, -math.inf])
def test_extrema_are_numpys(a: float, b: float) -> None:
    np.testing.assert_equal(support.maximum(a, b), np.maximum(a, b))
    np.testing.assert_equal(support.minimum(a, b), np.minimum(a, b))


def test_strong_zero() -> None:
    assert support.smul(0.0, math.inf) == 0.0
    assert support.smul(0.0, math.nan) == 0.0
    assert math.isnan(support.smul(1.0, math.nan))
    assert type(support.smul(np.float32(0), np.float32(np.inf))) is np.float32


def test_growing_keeps_what_was_there() -> None:
    a = np.arange(3.0)
    longer = support.grow(a, 100)
    assert longer.shape[0] > 100 and longer[:3].tolist() == [0, 1, 2] and not longer[3:].any()


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("step", [1, 2, -1, -2, -3])
def test_ends_of_slices(n: int, step: int) -> None:
    a = np.arange(n)
    for start in range(n):
        for length in range(n + 1):
            last = start + (length - 1) * step
            if length and not 0 <= last < n:
                continue
            got = a[start : support.stop_of(start, length, step, n) : step]
            assert got.tolist() == [start + k * step for k in range(length)]
