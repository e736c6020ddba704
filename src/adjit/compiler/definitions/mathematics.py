"""Functions of Python's `math` that are no single op: they take numbers and give Python floats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import ShapeError
from .core import Array, Number, defines, root


@defines(math.log)
def log(x: Number, base: Any = None) -> Number:
    if base is None:
        return np.log(np.float64(x))
    return np.log(np.float64(x)) / np.log(np.float64(base))


@defines(math.pow)
def pow_(x: Number, y: Number) -> Number:
    return np.float64(x) ** np.float64(y)


@defines(math.hypot)
def hypot(*coordinates: Number) -> Number:
    if len(coordinates) == 2:
        return np.hypot(np.float64(coordinates[0]), np.float64(coordinates[1]))
    total = np.float64(0)
    for x in coordinates:
        total = total + np.float64(x) * np.float64(x)
    return root(total)


@defines(math.dist)
def dist(p: Array, q: Array) -> Number:
    """Gradient zero at distance zero."""
    if p.shape[0] != q.shape[0]:
        raise ShapeError("both points must have the same number of dimensions")
    total = np.float64(0)
    for k in range(p.shape[0]):
        gap = np.float64(p[k]) - np.float64(q[k])
        total = total + gap * gap
    return root(total)


@defines(math.fsum)
def fsum(seq: Array) -> Number:
    total = np.float64(0)
    for k in range(seq.shape[0]):
        total = total + np.float64(seq[k])
    return total


@defines(math.prod)
def prod(iterable: Array, *, start: Number = 1) -> Number:
    total = start * iterable.dtype.type(1)
    for k in range(iterable.shape[0]):
        total = total * iterable[k]
    return total


@defines(math.isclose)
def isclose(a: Number, b: Number, *, rel_tol: Number = 1e-09, abs_tol: Number = 0.0) -> bool:
    return a == b or (
        abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol) and np.isfinite(a) and np.isfinite(b)
    )
