"""Integers of 64 bits beside Python's: powers that meet floats, constants, what the README says of the
rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit
from adjit.errors import InferenceError


def scaled(x, n):
    return x * 2**n


def divided(x, n):
    return x / 10**n


def kept_in_a_name(x, n):
    scale = 3**n
    return x * scale + scale


def cubed(x, n):
    return x + n**3


def negative(x, n):
    return (-2) ** n / x


def summed(x, n):
    s = 0.0
    for k in range(n):
        s += x / 2**k
    return s


@pytest.mark.parametrize("function", [scaled, divided, kept_in_a_name, cubed, negative, summed])
@pytest.mark.parametrize("n", [0, 1, 3, 18, 19, 62, 63, 64, 71, 200])
def test_powers_that_meet_floats(function: Callable[..., Any], n: int) -> None:
    value, gradient = adjit.value_and_grad(function)(1.5, n)
    assert value == pytest.approx(function(1.5, n), rel=4e-15)
    h = 1e-3
    slope = (function(1.5 + h, n) - function(1.5 - h, n)) / (2 * h)
    assert gradient == pytest.approx(slope, rel=1e-6, abs=abs(function(1.5, n)) * 1e-11)


def test_powers_that_fit_are_exact() -> None:
    assert all(adjit.jit(divided)(1.5, n) == 1.5 / 10**n for n in range(19))
    assert all(adjit.jit(scaled)(0.3, n) == 0.3 * 2**n for n in range(62))


def test_powers_take_the_dtype_of_what_they_meet() -> None:
    found = adjit.jit(scaled)(np.ones(2, np.float32), 70)
    assert found.dtype == np.float32 and np.all(found == np.float32(2.0**70))


def test_a_power_of_numpy_integers_wraps_as_numpys() -> None:
    assert adjit.jit(lambda x, n: x * n**7)(1.5, np.int64(2**10)) == 0.0


def by_bits(x, k):
    return x * (k << 64)


def down_by_bits(x, k):
    return x * (k >> 70)


def beyond(x, k):
    return x * int(1e30)


@pytest.mark.parametrize("function", [by_bits, down_by_bits, beyond])
def test_constants_beyond_64_bits_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(InferenceError, match=r"bits|out of range for int64"):
        adjit.jit(function)(1.5, 3)


def test_constants_are_pythons() -> None:
    many = 70
    assert adjit.jit(lambda x: x * 2**many + (1 << many) + 2**40 * 2**40)(1.5) == 2.5 * 2.0**70 + 2.0**80


def test_what_the_readme_says() -> None:
    assert adjit.jit(lambda k: k * k)(2**40) == 0
    assert adjit.jit(lambda k, n: k // n)(3, 0) == 0 and adjit.jit(lambda k, n: k % n)(3, 0) == 0
    assert adjit.jit(lambda k, n: k / n)(3, 0) == math.inf
    assert math.isnan(adjit.jit(lambda x: math.sqrt(x))(-1.0))
    assert math.isnan(adjit.jit(lambda x: math.log(x))(-1.0))


def test_a_loop_that_starts_from_a_python_float_is_float64() -> None:
    def wide(x):
        s = 0.0
        for v in x:
            s += v
        return s

    def narrow(x):
        s = np.float32(0.0)
        for v in x:
            s += v
        return s

    x = np.full(1000, 0.1, np.float32)
    assert adjit.jit(wide)(x) == pytest.approx(1000 * float(np.float32(0.1)), rel=1e-13)
    assert adjit.jit(narrow)(x) == narrow(x)
