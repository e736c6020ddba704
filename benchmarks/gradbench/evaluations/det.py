"""A determinant by expansion by minors.

The recursion goes down the rows. `after` links the columns that are left: `after[j]` is the next one to the
right of column j, `after[size]` the first. It is inlined, so that each size is a program of its own, with as
many nested loops as there are rows.
"""

from __future__ import annotations

import functools

import numpy as np

import adjit

from ..protocol import Served


def minor(a, size, row, after):
    """The determinant of the rows from `row` on and of the columns that are left."""
    if row == size - 1:
        return a[row * size + after[size]]
    total, sign, before = 0.0, 1.0, size
    for _ in range(size - row):
        column = after[before]
        after[before] = after[column]
        total += sign * a[row * size + column] * minor(a, size, row + 1, after)
        after[before] = column
        before = column
        sign = -sign
    return total


@functools.cache
def determinant(size):
    def of(a):
        after = np.arange(1, size + 2)
        after[size] = 0
        return minor(a, size, 0, after)

    return adjit.jit(of), adjit.grad(of)


def primal(a, size):
    return determinant(size)[0](a)


def gradient(a, size):
    return determinant(size)[1](a)


def prepare(given):
    return np.array(given["A"], dtype=np.float64), int(given["ell"])


FUNCTIONS = {"primal": Served(prepare, primal), "gradient": Served(prepare, gradient)}
