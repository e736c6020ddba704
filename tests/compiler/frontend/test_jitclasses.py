"""Objects of Numba's `jitclass` that a function finds: methods and properties as written, fields as they are
now."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba.experimental import jitclass

import adjit


@jitclass([("k", numba.float64), ("weights", numba.float64[:])])  # type: ignore[untyped-decorator]
class Spring:
    def __init__(self, k: float) -> None:
        self.k = k
        self.weights = np.ones(3)

    @property
    def stiffness(self) -> float:
        return 2.0 * self.k

    def energy(self, x: float) -> float:
        return self.stiffness * x * x * np.sum(self.weights)

    def worn(self, x: float) -> float:
        self.k -= 0.1
        return self.energy(x)


@jitclass([("inner", Spring.class_type.instance_type)])  # type: ignore[untyped-decorator]
class Holder:
    def __init__(self, k: float) -> None:
        self.inner = Spring(k)


@pytest.fixture
def spring() -> Any:
    return Spring(2.0)


def test_a_method_is_read_as_written(spring: Any) -> None:
    assert adjit.grad(lambda x: spring.energy(x))(2.0) == 48.0
    assert adjit.grad(spring.energy)(2.0) == 48.0
    bound = spring.energy
    assert adjit.grad(lambda x: bound(x) * x)(2.0) == 3 * 4.0 * 3.0 * 4.0


def test_fields_are_those_of_the_moment(spring: Any) -> None:
    energy, slope = adjit.grad(lambda x: spring.energy(x)), adjit.grad(lambda x: spring.k * x)
    assert (energy(2.0), slope(2.0)) == (48.0, 2.0)
    spring.k = 3.0
    spring.weights[1] = 2.0
    assert (energy(2.0), slope(2.0)) == (96.0, 3.0)
    spring.weights = np.ones(5)
    assert energy(2.0) == 120.0


def test_setting_a_field_is_refused(spring: Any) -> None:
    with pytest.raises(adjit.UnsupportedSyntaxError, match=r"attribute 'k' of .*Spring"):
        adjit.grad(spring.worn)(2.0)


def test_making_one_inside_is_refused() -> None:
    with pytest.raises(adjit.UnsupportedSyntaxError, match="'Spring' cannot be made"):
        adjit.grad(lambda x: Spring(x).energy(x))(2.0)


def test_one_within_another_is_refused() -> None:
    holder = Holder(2.0)
    with pytest.raises(adjit.UnsupportedSyntaxError, match="'inner' holds an object of a jitclass"):
        adjit.grad(lambda x: holder.inner.energy(x))(2.0)
    inner = holder.inner
    assert adjit.grad(lambda x: inner.energy(x))(2.0) == 48.0
