"""Floats in two bytes: against NumPy's float16 and against float32 rounded by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

from adjit.compiler.ops import TABLE
from adjit.runtime import halves

PATTERNS = np.arange(1 << 16, dtype=np.uint16)


def samples() -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(7)
    spread = rng.normal(size=3000) * 10.0 ** rng.integers(-44, 38, 3000)
    edges = [0.0, -0.0, 65504.0, 65519.0, 65520.0, 1e38, np.inf, -np.inf, np.nan, 2.0**-24, 2.0**-14, 6e-5]
    ties = 1.0 + np.arange(1, 40) * 2.0**-12
    wide = np.concatenate([spread, rng.normal(size=1000), edges, ties, 1.0 + np.arange(1, 40) * 2.0**-9])
    return wide.astype(np.float32)


def upper_half(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The nearest number whose last 16 bits are zero; of two, the one whose 17th last bit is zero."""
    below = (x.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32).astype(np.longdouble)
    above = (x.view(np.uint32) // np.uint32(1 << 16) + np.uint32(1) << np.uint32(16)).view(np.float32)
    down, up = np.abs(x - below), np.abs(above.astype(np.longdouble) - x)
    even = (x.view(np.uint32) >> np.uint32(16)) % np.uint32(2) == 0
    return np.where((down < up) | ((down == up) & even), below, above).astype(np.float32)


def each(function: Callable[[Any], Any], values: np.ndarray[Any, Any], kind: Any) -> np.ndarray[Any, Any]:
    return np.array([function(v) for v in values], kind)


def judge(to16: Any, from16: Any, to_b16: Any, from_b16: Any) -> None:
    x = samples()
    exact = np.isfinite(x)
    np.testing.assert_array_equal(each(from16, PATTERNS, np.float32), PATTERNS.view(np.float16))
    got = each(from16, each(to16, x, np.uint16), np.float32)
    want = x.astype(np.float16).astype(np.float32)
    vanish = (want == 0) & (x != 0)
    assert vanish.any()
    np.testing.assert_array_equal(got[~vanish], want[~vanish])
    np.testing.assert_array_equal(got[vanish], np.sign(x[vanish]) * np.float32(2.0**-24))
    got = each(from_b16, each(to_b16, x, np.uint16), np.float32)
    want = np.where(exact, upper_half(x), x)
    vanish = (want == 0) & (x != 0)
    np.testing.assert_array_equal(got[~vanish], want[~vanish])
    assert np.all(got[vanish] * np.sign(x[vanish]) > 0)


def test_conversions() -> None:
    judge(halves.to_float16, halves.from_float16, halves.to_bfloat16, halves.from_bfloat16)


def test_the_ops_agree() -> None:
    names = ("to_float16", "from_float16", "to_bfloat16", "from_bfloat16")
    judge(*(TABLE[name].evaluate for name in names))


@pytest.mark.compiled
def test_conversions_compiled(compiled: None) -> None:
    functions = (halves.to_float16, halves.from_float16, halves.to_bfloat16, halves.from_bfloat16)
    judge(*(numba.njit(lambda x, f=f: f(x)) for f in map(numba.njit, functions)))
