"""Which calls may write: arrays that wait to be computed stay so across calls that only compute."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from adjit.compiler.frontend.effects import pure
from tests.support.capturing import agrees, source


def bell(x, a):
    return np.exp(-((x - a) ** 2))


@numba.njit
def total(x):
    s = 0.0
    for v in x:
        s += v
    return s


def doubled(x):
    x *= 2
    return x


def first_cleared(x):
    y = x
    y[0] = 0.0
    return y[1]


def calls_a_writer(x):
    return bell(x, first_cleared(x))


@pytest.mark.parametrize("function", [bell, total, np.sum, len, np.linalg.norm])
def test_pure(function):
    assert pure(function)


@pytest.mark.parametrize("function", [doubled, first_cleared, calls_a_writer, np.add.at, np.copyto, object()])
def test_may_write(function):
    assert not pure(function)


def test_no_memory_for_operands_of_pure_calls():
    def f(x):
        return np.sum(bell(x, 0.1) - bell(x, x.mean()))

    x = np.linspace(0.0, 1.0, 5)
    assert "alloc" not in source(f, x)
    agrees(f, x)


def test_operands_before_a_writer():
    def f(x):
        return x * 2 + first_cleared(x)

    agrees(f, np.linspace(0.5, 1.0, 5))
