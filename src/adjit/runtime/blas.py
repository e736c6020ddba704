"""Matrix products straight through BLAS: strided operands without copies, sums without temporaries.

`product(out, a, b, accumulate)` in compiled code. A matrix whose rows or columns are contiguous is passed as
it is, with its leading dimension; only what is strided both ways is copied. Non-goals: uncompiled use
(`routines`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from .support import jitable, put

ROWS, COLUMNS, NEITHER = 0, 1, 2
PLAIN, TURNED = ord("n"), ord("t")


@jitable
def order(a: Any) -> int:
    """Whether the rows of a matrix are contiguous, or its columns."""
    n, m = a.shape
    size = a.itemsize
    if (m <= 1 or a.strides[1] == size) and (
        n <= 1 or (a.strides[0] >= m * size and a.strides[0] % size == 0)
    ):
        return ROWS
    if (n <= 1 or a.strides[0] == size) and (
        m <= 1 or (a.strides[1] >= n * size and a.strides[1] % size == 0)
    ):
        return COLUMNS
    return NEITHER


@jitable
def leading(a: Any, kind: int) -> Any:
    """The distance between rows, or columns, in elements."""
    n, m = a.shape
    if kind == ROWS:
        return a.strides[0] // a.itemsize if n > 1 else max(m, 1)
    return a.strides[1] // a.itemsize if m > 1 else max(n, 1)


def dense(a: Any) -> Any:
    """A matrix that BLAS can read as it is: `a` itself unless it is strided both ways."""
    return a


@overload(dense)
def _dense(a):  # type: ignore[no-untyped-def]  # Numba compares signatures, annotations included
    def checked(a):  # type: ignore[no-untyped-def]
        if order(a) != NEITHER:
            return a
        n, m = a.shape
        copy = np.empty((n, m + 1), a.dtype)[:, :m]  # of the same type as `a`, whose layout is not known
        put(copy, a)
        return copy

    if a.layout != "A":
        return lambda a: a
    return checked if a.mutable else lambda a: np.ascontiguousarray(a)


@jitable
def product(out: Any, a: Any, b: Any, accumulate: bool) -> None:
    """`out = a @ b`, or `out += a @ b`, for non-empty matrices of one dtype."""
    into = dense(out)
    multiply(into, dense(a), dense(b), accumulate)
    if order(out) == NEITHER:
        put(out, into)


def multiply(out: Any, a: Any, b: Any, accumulate: bool) -> None:
    out[...] = a @ b + out if accumulate else a @ b


@overload(multiply)
def _multiply(out, a, b, accumulate):  # type: ignore[no-untyped-def]
    dtype = a.dtype
    kind = {types.float32: ord("s"), types.float64: ord("d")}[dtype]
    char, size, pointer = types.char, types.intp, types.CPointer(dtype)
    gemm = types.ExternalFunction(
        "numba_xxgemm",
        types.intc(
            *(char, char, char, size, size, size),  # kind of float, whether to transpose, lengths
            *(pointer, pointer, size, pointer, size, pointer, pointer, size),  # alpha, a, b, beta, out
        ),
    )

    def compiled(out, a, b, accumulate):  # type: ignore[no-untyped-def]
        left, right, into = order(a), order(b), order(out)
        alpha, beta = np.empty(1, a.dtype), np.empty(1, a.dtype)
        alpha[0], beta[0] = 1.0, 1.0 if accumulate else 0.0
        m, k = a.shape
        n = b.shape[1]
        turn_a = PLAIN if left == into else TURNED
        turn_b = PLAIN if right == into else TURNED
        lda, ldb, ldc = leading(a, left), leading(b, right), leading(out, into)
        one, zero, x, y, z = alpha.ctypes, beta.ctypes, a.ctypes, b.ctypes, out.ctypes
        if into == ROWS:  # BLAS sees the transposes of matrices stored by rows
            gemm(kind, turn_b, turn_a, n, m, k, one, y, ldb, x, lda, zero, z, ldc)
        else:
            gemm(kind, turn_a, turn_b, m, n, k, one, x, lda, y, ldb, zero, z, ldc)

    return compiled
