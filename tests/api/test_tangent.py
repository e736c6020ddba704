"""`jvp`."""

from __future__ import annotations

import numpy as np
import pytest

import adjit
from adjit.errors import NotDifferentiableError, SeedError


def f(p, x, k):
    return p["c"] * np.sum(np.sin(x)) * k, x * x


def test_tangents_follow_the_primals() -> None:
    x = np.array([0.0, 1.0])
    value, tangent = adjit.jvp(f, ({"c": 2.0}, x, 3), ({"c": 1.0}, np.ones(2), None))
    assert value[0] == pytest.approx(6 * np.sin(1.0))
    assert tangent[0] == pytest.approx(3 * np.sin(1.0) + 6 * (1 + np.cos(1.0)))
    np.testing.assert_allclose(tangent[1], [0, 2])


def test_none_is_held_constant() -> None:
    x = np.array([0.0, 1.0])
    _, tangent = adjit.jvp(f, ({"c": 2.0}, x, 3), (None, np.ones(2), None))
    assert tangent[0] == pytest.approx(6 * (1 + np.cos(1.0)))
    _, tangent = adjit.jvp(f, ({"c": 2.0}, x, 3), (None, None, None))
    assert tangent[0] == 0.0 and tangent[1].tolist() == [0, 0]


def test_what_does_not_fit() -> None:
    x = np.array([0.0, 1.0])
    with pytest.raises(SeedError, match="has shape"):
        adjit.jvp(f, ({"c": 2.0}, x, 3), (None, np.ones(3), None))
    with pytest.raises(SeedError, match="3 primals"):
        adjit.jvp(f, ({"c": 2.0}, x, 3), (None, np.ones(2)))
    with pytest.raises(NotDifferentiableError):
        adjit.jvp(f, ({"c": 2.0}, x, 3), (None, None, 1))


def carried_over(a, b):
    a[0] = 2.0 * b[0]
    return np.sum(a * b)


def test_an_array_that_is_written_and_passed_twice_moves_in_one_direction() -> None:
    def moved(*tangents):
        x = np.array([1.0, 2.0, 3.0])
        return adjit.jvp(carried_over, (x, x), tangents)[1]

    t = np.array([0.5, -1.0, 2.0])
    wanted = np.sum(np.array([8.0, 4.0, 6.0]) * t)
    assert moved(t, t.copy()) == moved(t, None) == moved(None, t) == pytest.approx(wanted)
    with pytest.raises(SeedError, match="tangent of 'a' and the tangent of 'b' differ"):
        moved(t, np.zeros(3))
    x, y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])
    # da[0] = 2 db[0], of which the product with b[0] is left
    assert adjit.jvp(carried_over, (x, y), (t, np.zeros(3)))[1] == pytest.approx(np.sum(t[1:] * y[1:]))


def test_the_vector_of_an_array_that_is_written_and_passed_twice() -> None:
    def product(*vector):
        x = np.array([1.0, 2.0, 3.0])
        return adjit.hvp(carried_over, (x, x), vector, argnums=(0, 1))

    v = np.array([0.5, -1.0, 2.0])
    first, second = product(v, v)
    np.testing.assert_allclose(first, [8.0 * 0.5, -2.0, 4.0])
    np.testing.assert_array_equal(second, 0.0)
    with pytest.raises(SeedError, match="part 0 of the vector and part 1 of the vector differ"):
        product(v, -v)


def test_the_callers_tangents_stay() -> None:
    def doubled(x):
        for i in range(x.shape[0]):
            x[i] = 2.0 * x[i]
        return np.sum(x)

    t = np.ones(2)
    assert adjit.jvp(doubled, (np.ones(2),), (t,)) == (4.0, 4.0)
    assert t.tolist() == [1, 1]
