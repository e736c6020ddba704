"""Loops as users write them for several threads, and what is to become of them.

`SITUATIONS` has per program its arguments, the positions that are differentiated, and words that the header
of the divided gradient contains, or none where no loop can be divided. All are smooth at their arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np


@dataclass(frozen=True)
class Situation:
    function: Callable[..., Any]
    args: Callable[[np.random.Generator], tuple[Any, ...]]
    wrt: tuple[int, ...] = (0,)
    says: tuple[str, ...] = ()


SITUATIONS: dict[str, Situation] = {}


def situation(
    args: Callable[[np.random.Generator], tuple[Any, ...]], *says: str, wrt: tuple[int, ...] = (0,)
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        SITUATIONS[function.__name__] = Situation(function, args, wrt, says)
        return function

    return register


@situation(lambda r: (r.normal(size=(9, 4)), r.normal(size=9)), "has a copy of y", wrt=(0, 1))
def matrix_transposed_times_vector(a, x):
    y = np.zeros(a.shape[1])
    for i in numba.prange(a.shape[0]):
        for j in range(a.shape[1]):
            y[j] += a[i, j] * np.sin(x[i])
    return np.sum(y * y)


@situation(lambda r: (r.normal(size=12), r.integers(0, 3, 12)), "has a copy of h")
def histogram(w, bins):
    h = np.zeros(3)
    for i in numba.prange(w.shape[0]):
        h[bins[i]] += w[i] * w[i]
    return np.sum(h * h * h)


@situation(lambda r: (r.normal(size=5), r.integers(0, 5, 14)), "has a copy of ct_x", "a partial sum of s")
def gather_with_repeated_indices(x, idx):
    s = 0.0
    for i in numba.prange(idx.shape[0]):
        s += np.exp(x[idx[i]])
    return s


@situation(lambda r: (r.normal(size=11), r.permutation(11)), "elements of saved_t, y", "has a copy of ct_x")
def scatter_to_a_permutation(x, idx):
    y = np.zeros(x.shape[0])
    for i in numba.prange(x.shape[0]):
        y[idx[i]] = np.sin(x[i]) * x[idx[i]]
    return np.sum(y * y)


@situation(lambda r: (r.normal(size=17),), "passes wait for the others because of ct_x")
def stencil(x):
    y = np.zeros(x.shape[0])
    for i in numba.prange(1, x.shape[0] - 1):
        y[i] = x[i - 1] * x[i + 1]
    return np.sum(y * y)


@situation(lambda r: (r.normal(size=(8, 7)), 3), "each thread writes its own elements of b")
def stencil_in_time(a, steps):
    b = a.copy()
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = np.tanh(a[i - 1, j] + a[i + 1, j] + a[i, j - 1] - a[i, j + 1])
        a, b = b, a
    return np.sum(a * a)


@situation(lambda r: (r.normal(size=(9, 3)), r.normal(size=3)), "has a copy of ct_w", wrt=(0, 1))
def scratch_memory(x, w):
    s = 0.0
    row = np.empty(x.shape[1])
    for i in numba.prange(x.shape[0]):
        for k in range(x.shape[1]):
            row[k] = x[i, k] * w[k]
        for k in range(x.shape[1]):
            s += np.sin(row[k]) * row[x.shape[1] - 1 - k]
    return s


@situation(lambda r: (r.normal(size=8), r.normal(size=3)), "has a copy of acc", wrt=(0, 1))
def sum_of_arrays(x, w):
    acc = np.zeros(w.shape[0])
    for i in numba.prange(x.shape[0]):
        acc += x[i] * w * w
    return np.sum(acc * acc)


@situation(lambda r: (r.normal(size=13),), "a partial sum of s")
def sum_of_some(x):
    s = 1.0
    for i in numba.prange(x.shape[0]):
        if x[i] > 0.1:
            s += x[i] ** 3
        else:
            s -= np.cos(x[i])
    return s * s


@situation(lambda r: (r.uniform(0.5, 1.5, 10),), "each thread writes its own elements of y")
def backwards_by_two(x):
    y = np.ones(x.shape[0])
    for i in range(x.shape[0] - 1, 0, -2):
        y[i] = x[i] * x[i] * x[i - 1]
    return np.prod(y)


@situation(lambda r: (r.uniform(1.0, 2.0, 9),), "a partial sum of s")
def iteration_inside(x):
    s = 0.0
    for i in numba.prange(x.shape[0]):
        y = x[i]
        for _ in range(4):
            y = 0.5 * (y + x[i] / y)
        s += y * x[i]
    return s


@situation(lambda r: (r.uniform(0.5, 1.5, 9),))
def product(x):
    p = 1.0
    for i in numba.prange(x.shape[0]):
        p *= x[i]
    return p


@situation(lambda r: (r.normal(size=9),))
def smallest(x):
    m = np.inf
    for i in numba.prange(x.shape[0]):
        m = min(m, x[i])
    return m


@situation(lambda r: (r.normal(size=9),))
def recurrence_under_prange(x):
    y = x.copy()
    for i in numba.prange(1, x.shape[0]):
        y[i] = y[i - 1] * 0.5 + x[i]
    return y[x.shape[0] - 1]


@situation(lambda r: (r.normal(size=17),), "each thread writes its own elements of ct_x")
def stencil_of_three(x):
    y = np.zeros(x.shape[0])
    for i in numba.prange(1, x.shape[0] - 1):
        y[i] = x[i - 1] * x[i] * x[i + 1]
    return np.sum(y * y)


@situation(lambda r: (r.uniform(0.1, 0.9, 6),))
def saved_without_end(x):
    s = 0.0
    for i in numba.prange(x.shape[0]):
        y = x[i]
        while y < 2.0:
            y = y * y + y + 0.1
        s += y
    return s * s


@situation(lambda r: (r.uniform(0.1, 0.9, 6),), "a partial sum of s")
def early_exit_inside(x):
    s = 0.0
    for i in numba.prange(x.shape[0]):
        y = x[i]
        while y < 2.0:
            y = y * 1.5 + 0.1
        s += y
    return s * s
