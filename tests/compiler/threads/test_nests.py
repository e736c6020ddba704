"""Which loops are divided, and what becomes of what their passes share."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjit.compiler import pipeline
from adjit.compiler.threads import cost
from adjit.compiler.threads.nests import Nest, nests
from tests.support.capturing import captured

X = np.ones((40, 30))
V = np.ones(40)
K = np.zeros(40, np.int64)


def chosen(function: Any, *args: Any) -> list[Nest]:
    return list(nests(pipeline.simplify(captured(function, *args).function)).values())


def elementwise(x):
    y = np.empty(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = np.sin(x[i, j]) * 2.0
    return y


def test_the_outermost_loop_is_divided() -> None:
    (nest,) = chosen(elementwise, X)
    assert nest.loop.iv.name == "i"
    assert (nest.private, nest.seam, nest.again) == ((), 0, False)
    ((trips, operations), *_) = sorted(nest.work.items(), key=lambda t: -len(t[0]))
    assert len(trips) == 1 and operations >= cost.FUNCTION


def neighbours(x, w):
    y = np.zeros(x.shape[0])
    for i in range(1, x.shape[0] - 2):
        y[i - 1] += x[i] * w[i]
        y[i + 2] += x[i] + w[i]
    return y


def test_passes_that_meet_their_neighbours_have_a_seam() -> None:
    (nest,) = chosen(neighbours, V, V)
    assert nest.seam == 3
    assert [v.name for v in nest.seamed] == ["y"] and not nest.private


def far_apart(x, w):
    y = np.zeros(2 * x.shape[0])
    for i in range(x.shape[0]):
        y[i] += x[i] * w[i]
        y[i + 30] += x[i] + w[i]
    return y


def test_passes_that_meet_far_away_have_copies() -> None:
    (nest,) = chosen(far_apart, V, V)
    assert nest.seam == 0 and [v.name for v in nest.private] == ["y"]


def anywhere(x, k):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[k[i]] += np.sin(x[i])
    return y


def test_sums_anywhere_have_copies() -> None:
    (nest,) = chosen(anywhere, V, K)
    assert [v.name for v in nest.private] == ["y"]


def read_as_well(x, k):
    y = np.zeros(x.shape[0])
    s = 0.0
    for i in range(x.shape[0]):
        y[k[i]] += np.sin(x[i])
        s += y[i]
    return s


def test_sums_that_are_read_as_well_are_left_alone() -> None:
    assert chosen(read_as_well, V, K) == []


def few(x):
    y = np.empty(x.shape[0])
    for i in range(6):
        y[i] = np.sin(x[i]) * np.exp(x[i]) + 1.0
    return y


def test_few_passes_are_not_divided() -> None:
    assert chosen(few, V) == []


def fill(x):
    y = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = 2.0
    return y


def test_filling_is_not_divided() -> None:
    assert chosen(fill, V) == []


def within(x, n):
    for _ in range(n):
        for i in range(x.shape[0]):
            x[i] = x[i] * x[i] - np.sin(x[i])
    return x


def test_a_short_loop_within_a_loop_keeps_its_form() -> None:
    (nest,) = chosen(within, V, 3)
    assert nest.again


def draws(x):
    y = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = x[i] * np.random.normal() + np.sin(x[i])
    return y


def test_random_numbers_stay_in_order() -> None:
    assert chosen(draws, V) == []
