"""Arrays made from numbers: ranges, grids, identity and triangular matrices, diagonals.

Input: numbers, shapes, vectors. Output: a fresh array. Lengths may be known at run time only.
Non-goals: `zeros`, `empty`, `ones`, `full` and their `_like` forms, which are allocations of the core.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ShapeError
from .core import Array, Dtype, Number, Once, compile_time, defines


@compile_time
def floating_or(dtype: Dtype, default: Dtype) -> np.dtype[Any]:
    """`dtype`, or where it is None `default`, integers as float64."""
    if dtype is not None:
        return np.dtype(dtype)
    return np.dtype(default) if np.issubdtype(default, np.inexact) else np.dtype(np.float64)


@defines(np.eye)
def eye(N: int, M: Any = None, k: int = 0, dtype: Dtype = float) -> Array:
    columns = N if M is None else M
    out = np.zeros((N, columns), dtype)
    for i in range(max(-k, 0), min(N, columns - k)):
        out[i, i + k] = 1
    return out


@defines(np.identity)
def identity(n: int, dtype: Dtype = float) -> Array:
    return eye(n, None, 0, dtype)


@defines(np.tri)
def tri(N: int, M: Any = None, k: int = 0, dtype: Dtype = float) -> Array:
    columns = N if M is None else M
    out = np.zeros((N, columns), dtype)
    for i in range(N):
        for j in range(min(max(i + k + 1, 0), columns)):
            out[i, j] = 1
    return out


@defines(np.tril)
def tril(m: Once, k: int = 0) -> Array:
    out = np.zeros(m.shape, m.dtype)
    for lead in np.ndindex(m.shape[:-2]):
        for i in range(m.shape[-2]):
            for j in range(min(max(i + k + 1, 0), m.shape[-1])):
                out[lead + (i, j)] = m[lead + (i, j)]
    return out


@defines(np.triu)
def triu(m: Once, k: int = 0) -> Array:
    out = np.zeros(m.shape, m.dtype)
    for lead in np.ndindex(m.shape[:-2]):
        for i in range(m.shape[-2]):
            for j in range(max(i + k, 0), m.shape[-1]):
                out[lead + (i, j)] = m[lead + (i, j)]
    return out


@defines(np.diag)
def diag(v: Once, k: int = 0) -> Array:
    """The matrix with diagonal `v`, or a copy of the diagonal of a matrix."""
    down = max(-k, 0)
    right = max(k, 0)
    if v.ndim == 1:
        n = v.shape[0] + down + right
        square = np.zeros((n, n), v.dtype)
        for i in range(v.shape[0]):
            square[i + down, i + right] = v[i]
        return square
    length = max(min(v.shape[0] - down, v.shape[1] - right), 0)
    out = np.empty(length, v.dtype)
    for i in range(length):
        out[i] = v[i + down, i + right]
    return out


@defines(np.diagonal)
def diagonal(a: Once, offset: int = 0) -> Array:
    """A copy; NumPy's result is read-only, so nobody can tell."""
    if a.ndim == 2:
        return diag(a, offset)
    down = max(-offset, 0)
    right = max(offset, 0)
    length = max(min(a.shape[0] - down, a.shape[1] - right), 0)
    out = np.empty(a.shape[2:] + (length,), a.dtype)
    for index in np.ndindex(a.shape[2:]):
        for i in range(length):
            out[index + (i,)] = a[(i + down, i + right) + index]
    return out


@defines(np.diagflat)
def diagflat(v: Array, k: int = 0) -> Array:
    return diag(v.ravel(), k)


@defines(np.linspace)
def linspace(
    start: Number,
    stop: Number,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Dtype = None,
) -> Any:
    """The last element is `stop` itself."""
    kind = floating_or(dtype, np.result_type(start, stop, 0.0))
    divisions = num - 1 if endpoint else num
    first = np.float64(start)
    step = (np.float64(stop) - first) / divisions if divisions > 0 else np.float64(np.nan)
    out = np.empty(num, kind)
    for i in range(num):
        out[i] = kind.type(first + i * step if i > 0 else first)
    if endpoint and num > 1:
        out[num - 1] = kind.type(stop)
    if retstep:
        return out, step
    return out


@defines(np.logspace)
def logspace(start: Number, stop: Number, num: int = 50, endpoint: bool = True, base: Number = 10.0) -> Array:
    return np.power(np.float64(base), linspace(start, stop, num, endpoint))


@defines(np.geomspace)
def geomspace(start: Number, stop: Number, num: int = 50, endpoint: bool = True) -> Array:
    """Of two positive numbers; both ends are exact."""
    if not (start > 0 and stop > 0):
        raise ShapeError("geomspace of numbers that are not both positive")
    out = logspace(np.log10(np.float64(start)), np.log10(np.float64(stop)), num, endpoint)
    if num > 0:
        out[0] = start
    if endpoint and num > 1:
        out[num - 1] = stop
    return out


@defines(np.tril_indices)
def tril_indices(n: int, k: int = 0, m: Any = None) -> tuple[Array, Array]:
    columns = n if m is None else m
    count = 0
    for i in range(n):
        count = count + min(max(i + k + 1, 0), columns)
    rows = np.empty(count, np.int64)
    places = np.empty(count, np.int64)
    at = 0
    for i in range(n):
        for j in range(min(max(i + k + 1, 0), columns)):
            rows[at] = i
            places[at] = j
            at = at + 1
    return rows, places


@defines(np.triu_indices)
def triu_indices(n: int, k: int = 0, m: Any = None) -> tuple[Array, Array]:
    columns = n if m is None else m
    count = 0
    for i in range(n):
        count = count + max(columns - max(i + k, 0), 0)
    rows = np.empty(count, np.int64)
    places = np.empty(count, np.int64)
    at = 0
    for i in range(n):
        for j in range(max(i + k, 0), columns):
            rows[at] = i
            places[at] = j
            at = at + 1
    return rows, places


@defines(np.diag_indices)
def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    return tuple(np.arange(n) for k in range(ndim))


@defines(np.vander)
def vander(x: Array, N: Any = None, increasing: bool = False) -> Array:
    n = x.shape[0] if N is None else N
    out = np.empty((x.shape[0], n), np.result_type(x.dtype, np.int64))
    for i in range(x.shape[0]):
        power = out.dtype.type(1)
        for j in range(n):
            out[i, j if increasing else n - 1 - j] = power
            power = power * x[i]
    return out


@defines(np.meshgrid)
def meshgrid(*xi: Array, indexing: str = "xy") -> tuple[Array, ...]:
    """One array per vector; copies."""
    order = grid_order(len(xi), indexing)
    shape = tuple(xi[k].size for k in order)
    return tuple(spread_along(x.ravel(), shape, order.index(k)) for k, x in enumerate(xi))


@compile_time
def grid_order(n: int, indexing: str) -> tuple[int, ...]:
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    return (1, 0, *range(2, n)) if indexing == "xy" and n > 1 else tuple(range(n))


def spread_along(x: Array, shape: tuple[int, ...], axis: int) -> Array:
    out = np.empty(shape, x.dtype)
    for index in np.ndindex(shape):
        out[index] = x[index[axis]]
    return out


@defines(np.indices)
def indices(dimensions: tuple[int, ...], dtype: Dtype = int) -> Array:
    out = np.empty((len(dimensions),) + dimensions, dtype)
    for index in np.ndindex(dimensions):
        for k, i in enumerate(index):
            out[(k,) + index] = i
    return out
