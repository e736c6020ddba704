"""Linear algebra on stacks: the function of a matrix for each matrix in the last two axes.

`STACKED` has, per function, what it is where an argument has more axes than a matrix. Leading axes of two
operands are broadcast. Non-goals: the functions of one matrix, which are library routines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from ...errors import ShapeError
from .core import Array, Function, Number, float_dtype

STACKED: dict[object, Callable[..., Any]] = {}
Slogdet: Any = type(np.linalg.slogdet(np.eye(1)))
Eigh: Any = type(np.linalg.eigh(np.eye(1)))
Qr: Any = type(np.linalg.qr(np.eye(1)))
Svd: Any = type(np.linalg.svd(np.eye(1)))


def of_stacks(*spellings: object) -> Callable[[Function], Function]:
    """Decorator: the function stands for each of `spellings` on stacks."""

    def decorate(function: Function) -> Function:
        STACKED.update(dict.fromkeys(spellings, function))
        return function

    return decorate


@of_stacks(np.linalg.solve, scipy.linalg.solve)
def solve(a: Array, b: Array) -> Array:
    """A right-hand side with one axis is a vector, with more a stack of matrices."""
    kind = float_dtype(np.result_type(a.dtype, b.dtype))
    if b.ndim == 1:
        x = np.empty(a.shape[:-2] + b.shape, kind)
        for index in np.ndindex(a.shape[:-2]):
            x[index] = np.linalg.solve(a[index], b)
        return x
    if a.ndim < 2:
        raise ShapeError("Array must be at least two-dimensional")
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    left = np.broadcast_to(a, lead + a.shape[-2:])
    right = np.broadcast_to(b, lead + b.shape[-2:])
    out = np.empty(right.shape, kind)
    for index in np.ndindex(lead):
        out[index] = np.linalg.solve(left[index], right[index])
    return out


@of_stacks(np.linalg.inv, scipy.linalg.inv)
def inv(a: Array) -> Array:
    out = np.empty(a.shape, float_dtype(a.dtype))
    for index in np.ndindex(a.shape[:-2]):
        out[index] = np.linalg.inv(a[index])
    return out


@of_stacks(np.linalg.pinv, scipy.linalg.pinv)
def pinv(a: Array) -> Array:
    out = np.empty(a.shape[:-2] + (a.shape[-1], a.shape[-2]), float_dtype(a.dtype))
    for index in np.ndindex(a.shape[:-2]):
        out[index] = np.linalg.pinv(a[index])
    return out


@of_stacks(np.linalg.matrix_power)
def matrix_power(a: Array, n: int) -> Array:
    kind = float_dtype(a.dtype) if n < 0 else a.dtype
    out = np.empty(a.shape, kind)
    for index in np.ndindex(a.shape[:-2]):
        out[index] = np.linalg.matrix_power(a[index], n)
    return out


@of_stacks(np.linalg.det, scipy.linalg.det)
def det(a: Array) -> Array:
    out = np.empty(a.shape[:-2], float_dtype(a.dtype))
    for index in np.ndindex(a.shape[:-2]):
        out[index] = np.linalg.det(a[index])
    return out


@of_stacks(np.linalg.slogdet)
def slogdet(a: Array) -> Number:
    sign = np.empty(a.shape[:-2], float_dtype(a.dtype))
    logabs = np.empty(a.shape[:-2], float_dtype(a.dtype))
    for index in np.ndindex(a.shape[:-2]):
        sign[index], logabs[index] = np.linalg.slogdet(a[index])
    return Slogdet(sign, logabs)


@of_stacks(np.linalg.cholesky)
def cholesky(a: Array, *, upper: bool = False) -> Array:
    out = np.empty(a.shape, float_dtype(a.dtype))
    for index in np.ndindex(a.shape[:-2]):
        out[index] = np.linalg.cholesky(a[index], upper=upper)
    return out


@of_stacks(np.linalg.eigh)
def eigh(a: Array, UPLO: Any = "L") -> Number:
    w = np.empty(a.shape[:-1], float_dtype(a.dtype))
    v = np.empty(a.shape, float_dtype(a.dtype))
    for index in np.ndindex(a.shape[:-2]):
        w[index], v[index] = np.linalg.eigh(a[index], UPLO)
    return Eigh(w, v)


@of_stacks(np.linalg.eigvalsh)
def eigvalsh(a: Array, UPLO: Any = "L") -> Array:
    w = np.empty(a.shape[:-1], float_dtype(a.dtype))
    for index in np.ndindex(a.shape[:-2]):
        w[index] = np.linalg.eigvalsh(a[index], UPLO)
    return w


@of_stacks(np.linalg.qr)
def qr(a: Array, mode: Any = "reduced") -> Number:
    r = np.empty(a.shape[:-2] + (a.shape[-1], a.shape[-1]), float_dtype(a.dtype))
    if mode == "r":
        for index in np.ndindex(a.shape[:-2]):
            r[index] = np.linalg.qr(a[index], mode)
        return r
    q = np.empty(a.shape, float_dtype(a.dtype))
    for index in np.ndindex(a.shape[:-2]):
        q[index], r[index] = np.linalg.qr(a[index], mode)
    return Qr(q, r)


@of_stacks(np.linalg.svdvals, scipy.linalg.svdvals)
def svdvals(x: Array) -> Array:
    s = np.empty(x.shape[:-2] + (min(x.shape[-2], x.shape[-1]),), float_dtype(x.dtype))
    for index in np.ndindex(x.shape[:-2]):
        s[index] = np.linalg.svdvals(x[index])
    return s


@of_stacks(np.linalg.svd)
def svd(a: Array, full_matrices: bool = True, compute_uv: bool = True) -> Number:
    if not compute_uv:
        return svdvals(a)
    lead, n, m = a.shape[:-2], a.shape[-2], a.shape[-1]
    k = min(n, m)
    u = np.empty(lead + (n, k), float_dtype(a.dtype))
    s = np.empty(lead + (k,), float_dtype(a.dtype))
    v = np.empty(lead + (k, m), float_dtype(a.dtype))
    for index in np.ndindex(lead):
        u[index], s[index], v[index] = np.linalg.svd(a[index], full_matrices)
    return Svd(u, s, v)


__all__ = ["STACKED"]
