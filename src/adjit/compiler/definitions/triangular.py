"""Solves with triangular matrices by substitution, and the matrix exponential.

SciPy's functions of one matrix; only the triangle that is named is read. Non-goals: stacks of matrices,
what overwrites its arguments.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...errors import ShapeError
from .core import Array, Dtype, compile_time, defines, float_dtype

# Of the diagonal Padé approximant of order 13 to exp, by powers (Higham, 2005).
PADE = (
    *(64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0),
    *(10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0),
    1.0,
)
PADE_RADIUS = 4.25


@compile_time
def kind_of(a: Dtype, b: Dtype) -> Dtype:
    return float_dtype(np.result_type(a, b))


@compile_time
def turned(trans: Any) -> bool:
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ValueError(f"trans={trans!r} is neither of 0, 1, 2, 'N', 'T', 'C'")
    return trans not in (0, "N")


def substituted(a: Array, right: Array, out: Array, lower: bool, unit: bool) -> None:
    """`out` with `a @ out = right`, vectors."""
    n = a.shape[0]
    if lower:
        for i in range(n):
            total = out.dtype.type(right[i])
            for k in range(i):
                total = total - a[i, k] * out[k]
            out[i] = total if unit else total / a[i, i]
    else:
        for i in range(n - 1, -1, -1):
            total = out.dtype.type(right[i])
            for k in range(i + 1, n):
                total = total - a[i, k] * out[k]
            out[i] = total if unit else total / a[i, i]


@defines(scipy.linalg.solve_triangular)
def solve_triangular(
    a: Array,
    b: Array,
    trans: Any = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    check_finite: bool = True,
) -> Array:
    """`check_finite` makes no difference: numbers that are not finite spread."""
    if a.ndim != 2 or b.ndim not in (1, 2):
        raise NotImplementedError("scipy.linalg.solve_triangular of a stack of matrices")
    if a.shape[0] != a.shape[1] or a.shape[0] != b.shape[0]:
        raise ShapeError("expected a square matrix and a right-hand side of as many rows")
    if not unit_diagonal:
        for i in range(a.shape[0]):
            if a[i, i] == 0:
                raise np.linalg.LinAlgError("singular matrix")
    if turned(trans):
        return _by_columns(a.T, b, not lower, unit_diagonal)
    return _by_columns(a, b, lower, unit_diagonal)


def _by_columns(a: Array, b: Array, lower: bool, unit: bool) -> Array:
    out = np.empty(b.shape, kind_of(a.dtype, b.dtype))
    if b.ndim == 1:
        substituted(a, b, out, lower, unit)
    else:
        for j in range(b.shape[1]):
            substituted(a, b[:, j], out[:, j], lower, unit)
    return out


@defines(scipy.linalg.cho_solve)
def cho_solve(c_and_lower: Any, b: Array, check_finite: bool = True) -> Array:
    c, lower = c_and_lower
    if lower:
        return solve_triangular(c, solve_triangular(c, b, 0, True), 1, True)
    return solve_triangular(c, solve_triangular(c, b, 1, False), 0, False)


@defines(scipy.linalg.expm)
def expm(A: Array) -> Array:
    """Scaling and squaring of a Padé approximant; the power of two is a constant to derivatives."""
    if A.ndim != 2:
        raise NotImplementedError("scipy.linalg.expm of a stack of matrices")
    n = A.shape[0]
    squarings = 0
    size = np.max(np.sum(np.abs(A), axis=0))
    while size > PADE_RADIUS:
        size = size / 2.0
        squarings += 1
    a = A * 0.5**squarings
    one = np.eye(n, dtype=a.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    high = a6 @ (PADE[13] * a6 + PADE[11] * a4 + PADE[9] * a2)
    odd = a @ (high + PADE[7] * a6 + PADE[5] * a4 + PADE[3] * a2 + PADE[1] * one)
    high = a6 @ (PADE[12] * a6 + PADE[10] * a4 + PADE[8] * a2)
    even = high + PADE[6] * a6 + PADE[4] * a4 + PADE[2] * a2 + PADE[0] * one
    result = np.linalg.solve(even - odd, even + odd)
    for _ in range(squarings):
        result = result @ result
    return result
