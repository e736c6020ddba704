"""Lengths that constant indices and slices ask for: NumPy's results, its errors, and gradients by
differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit
from tests.support.judge import check

Case = tuple[Callable[..., Any], tuple[np.ndarray, ...]]


def rows_by_data(c: np.ndarray, chosen: np.ndarray, w: np.ndarray) -> float:
    rows = c[chosen]
    first = rows[:, :2] * w[:, None]
    return np.sum(first * first) + np.sum(rows[:, 4] * rows[:, 2])


def one_slice_too_long(x: np.ndarray) -> float:
    return np.sum(x[:4] ** 2) * x[1]


def two_parts(x: np.ndarray, y: np.ndarray) -> float:
    a, b = x[:3], y[2:5]
    return np.sum(a * b) + x[2] * y[4]


def matrix_of_angles(angles: np.ndarray, points: np.ndarray) -> float:
    turned = np.empty_like(points)
    turned[:, 0] = np.cos(angles[0]) * points[:, 0] - np.sin(angles[1]) * points[:, 1]
    turned[:, 1] = np.sin(angles[0]) * points[:, 0] + np.cos(angles[1]) * points[:, 1]
    return np.sum(turned[:, :2] ** 3)


def by_a_raise(x: np.ndarray) -> float:
    if x.shape[0] < 3:
        raise ValueError("three are needed")
    return x[2] * np.sum(x[:3])


def rows_changed_afterwards(c: np.ndarray, chosen: np.ndarray) -> float:
    rows = c[chosen]
    c[0, 0] = 7.0
    return np.sum(rows[:, 0] * rows[:, 1])


def index_changed_afterwards(c: np.ndarray, chosen: np.ndarray) -> float:
    rows = c[chosen]
    chosen[0] = 1
    return np.sum(rows[:, 0] * rows[:, 1])


def chosen_twice(x: np.ndarray, chosen: np.ndarray) -> float:
    rows = x[chosen]
    kept = chosen.copy()
    rows = x[kept]
    total = 0.0
    for i in range(4):
        total += rows[i, 0] * x[kept[i], 1] * x[kept[i - 1], 2]
    return total


def refilled_between_passes(x: np.ndarray, chosen: np.ndarray) -> float:
    x = x.copy()
    total = 0.0
    k = -1
    while k + 1 < 3:
        k += 1
        x[chosen] = 0.5 * x[chosen] * x[chosen]
        total += np.sum(x)
    return total


RNG = np.random.default_rng(3)
CHOSEN = np.array([2, 0, -1, 2])
CASES: list[Case] = [
    (rows_by_data, (RNG.normal(size=(3, 5)), CHOSEN, RNG.normal(size=4))),
    (one_slice_too_long, (RNG.normal(size=3),)),
    (one_slice_too_long, (RNG.normal(size=6),)),
    (two_parts, (RNG.normal(size=3), RNG.normal(size=5))),
    (two_parts, (RNG.normal(size=7), RNG.normal(size=8))),
    (matrix_of_angles, (RNG.normal(size=2), RNG.normal(size=(4, 2)))),
    (matrix_of_angles, (RNG.normal(size=3), RNG.normal(size=(4, 3)))),
    (by_a_raise, (RNG.normal(size=4),)),
    (chosen_twice, (RNG.normal(size=(3, 3)), CHOSEN)),
    (refilled_between_passes, (RNG.normal(size=(4, 3)), np.array([3, 0, 2]))),
    (refilled_between_passes, (RNG.normal(size=(4, 3)), np.array([3, 0, 1], np.uint8))),
    (rows_by_data, (RNG.normal(size=(3, 5)), CHOSEN.astype(np.int16), RNG.normal(size=4))),
    (rows_by_data, (RNG.normal(size=(3, 5)), np.array([2, 0, 1, 2], np.uint16), RNG.normal(size=4))),
    (rows_changed_afterwards, (RNG.normal(size=(3, 2)), CHOSEN)),
    (index_changed_afterwards, (RNG.normal(size=(3, 2)), CHOSEN)),
]


def copied(args: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    return tuple(a.copy() for a in args)


@pytest.mark.parametrize("k", range(len(CASES)))
def test_value_and_gradient(k: int) -> None:
    fun, args = CASES[k]
    floats = tuple(n for n, a in enumerate(args) if a.dtype == float)
    verdict = check(fun, args, floats, second=True)
    assert verdict.kind == "right", verdict


RAISING: list[Case] = [
    (rows_by_data, (np.ones((3, 4)), CHOSEN, np.ones(4))),
    (rows_by_data, (np.ones((2, 5)), CHOSEN, np.ones(4))),
    (rows_by_data, (np.ones((3, 5)), CHOSEN, np.ones(3))),
    (one_slice_too_long, (np.ones(1),)),
    (two_parts, (np.ones(3), np.ones(4))),
    (matrix_of_angles, (np.ones(1), np.ones((4, 2)))),
    (by_a_raise, (np.ones(2),)),
]


@pytest.mark.parametrize("k", range(len(RAISING)))
def test_raises_where_numpy_does(k: int) -> None:
    fun, args = RAISING[k]
    with pytest.raises((IndexError, ValueError)) as theirs:
        fun(*copied(args))
    with pytest.raises((IndexError, ValueError)) as ours:
        adjit.grad(fun)(*copied(args))
    if fun is by_a_raise:
        assert isinstance(ours.value, ValueError) and "three" in str(ours.value) and theirs.type is ValueError


def test_a_promise_takes_the_checks_away_and_not_what_follows_from_them() -> None:
    args = CASES[0][1]
    checked = adjit.value_and_grad(rows_by_data)
    promised = adjit.value_and_grad(rows_by_data, boundscheck=False)
    assert "outside(" in checked.source(*args) and "outside(" not in promised.source(*args)
    assert promised.source(*args).count("for ") <= checked.source(*args).count("for ")
    for a, b in zip(checked(*args), promised(*args), strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_index_that_is_too_low_is_named_as_it_is() -> None:
    with pytest.raises(IndexError, match=r"index -4 is out of bounds for axis 0 .* with size 3"):
        adjit.grad(rows_by_data)(np.ones((3, 5)), np.array([0, -4, 1, 1]), np.ones(4))


def moved_on(x: np.ndarray) -> float:
    z = x.copy()
    for _ in range(x.shape[0]):
        z[1:] = 0.5 * z[:-1]
    return np.sum(z * z)


def scratch_of_passes(x: np.ndarray, m: int) -> float:
    total = x[0]
    for t in range(3, m):
        b = np.zeros(m - 3)
        for i in range(m - 3):
            b[i] = x[i] * t
        total += np.sum(b * b)
    return total


@pytest.mark.parametrize("n", [0, 1, 4])
def test_a_length_that_is_known_in_a_loop_that_does_not_run(n: int) -> None:
    verdict = check(moved_on, (np.linspace(1.0, 2.0, n),), (0,))
    assert verdict.kind == "right", verdict


@pytest.mark.parametrize("m", [6, 3, 2, -1, -100])
def test_memory_of_passes_that_are_not_made(m: int) -> None:
    x = np.linspace(1.0, 2.0, 5)
    verdict = check(scratch_of_passes, (x, m), (0,))
    assert verdict.kind == "right", verdict


def test_negative_dimensions_are_the_users_error() -> None:
    with pytest.raises(ValueError, match="negative dimensions are not allowed"):
        adjit.grad(lambda x, m: np.sum(np.zeros(m)) + x[0])(np.ones(2), -1)
