"""Positions that reach into `*args`: they count the positional arguments of the call, as in JAX."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import adjit
from adjit.errors import NotDifferentiableError


def squares(*xs):
    s = 0.0
    for v in xs:
        s += v * v
    return s


def scaled(a, *xs, k=2.0):
    return a * squares(*xs) * k


@functools.wraps(scaled)
def wrapper(*args, **kwargs):
    return scaled(*args, **kwargs)


@pytest.mark.parametrize(
    ("argnums", "expected"),
    [(0, 2.0), (1, 4.0), ((0, 2), (2.0, 6.0)), (-1, 6.0), ((-3, -1), (2.0, 6.0)), ("xs", (2.0, 4.0, 6.0))],
)
def test_positions(argnums: Any, expected: Any) -> None:
    assert adjit.grad(squares, argnums)(1.0, 2.0, 3.0) == expected


def test_after_other_parameters() -> None:
    assert adjit.grad(scaled, (0, 2))(1.0, 2.0, 3.0, k=3.0) == (39.0, 18.0)
    assert adjit.grad(scaled, ("a", "k"))(1.0, 2.0, 3.0, k=3.0) == (39.0, 13.0)
    assert adjit.grad(scaled, -3)(1.0, 2.0, 3.0) == 26.0
    assert adjit.grad(wrapper, 1)(1.0, 2.0, 3.0, k=3.0) == 12.0


def test_every_transform() -> None:
    point = (1.0, 2.0, 3.0)
    assert adjit.vjp(squares, *point)[1](1.0) == (2.0, 4.0, 6.0)
    assert adjit.vjp(squares, *point, argnums=(1,))[1](1.0) == (4.0,)
    assert adjit.jvp(squares, point, (1.0, None, 1.0)) == (14.0, 8.0)
    assert adjit.jvp(scaled, point, (1.0, None, None)) == (26.0, 26.0)
    assert adjit.hvp(squares, point, 1.0, argnums=1) == 2.0
    assert adjit.hessian(squares, argnums=2)(*point) == 2.0
    np.testing.assert_array_equal(adjit.jacrev(squares, argnums=1)(np.ones(2), np.ones(2)), 2.0 * np.eye(2))
    adjit.check_grads(squares, point)


def test_a_position_that_is_not_there() -> None:
    with pytest.raises(NotDifferentiableError, match=r"position 9, but `squares` is called with 3"):
        adjit.grad(squares, 9)(1.0, 2.0, 3.0)
    with pytest.raises(NotDifferentiableError, match=r"position -4"):
        adjit.grad(squares, -4)(1.0, 2.0, 3.0)
    with pytest.raises(NotDifferentiableError, match=r"'xs\[1\]' is of type int64"):
        adjit.grad(squares, 1)(1.0, 2)
