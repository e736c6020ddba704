"""Library routines that generated programs call.

Each runs as plain Python. Called from a compiled function it is a function of its own, compiled once per
kind of arguments and kept in Numba's cache on disk, since LAPACK calls take Numba seconds. Results go to the
first argument (or two), which overlap none of the others. Operands may have any strides. Invariants: the
dtype of the operands is kept; failures are NumPy's own. Non-goals: derivatives (`compiler.library`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba.extending import overload

from .blas import product
from .forwarding import compiled_apart, of_any_layout
from .support import jitable, put

F = TypeVar("F", bound=Callable[..., Any])


def routine(function: F) -> F:
    """Decorator: the plain function, which compiled code reaches as a function compiled apart."""
    compiled_apart(function)
    return function


def dense(a: Any) -> Any:
    """An array that BLAS can read as it is: `a` itself unless it is strided."""
    return a


@overload(dense)
def _dense(a):  # type: ignore[no-untyped-def]  # Numba compares signatures, annotations included
    if a.layout == "A":
        return lambda a: np.ascontiguousarray(a)
    return lambda a: a


def gemm(out: Any, a: Any, b: Any, accumulate: bool = False) -> None:
    """`out = a @ b`, or `out += a @ b`."""
    if out.size == 0:
        return
    if a.shape[1] > 0:
        product(out, a, b, accumulate)
    elif not accumulate:
        out[:, :] = 0


compiled_apart(gemm, of_any_layout)


@routine
def solve(out: Any, a: Any, right: Any) -> None:
    """`a @ out = right` for a vector or a matrix."""
    if a.shape[0] > 0:
        put(out, np.linalg.solve(dense(a), dense(right)))


@routine
def inv(out: Any, a: Any) -> None:
    if a.shape[0] > 0:
        put(out, np.linalg.inv(dense(a)))


@routine
def det(out: Any, a: Any) -> None:
    """`out[0] = det(a)`."""
    out[0] = np.linalg.det(dense(a)) if a.shape[0] > 0 else 1.0


@jitable
def _but(s: Any, i: int, j: int) -> Any:
    """The product of all entries of `s` but numbers i and j."""
    product = s.dtype.type(1)
    for k in range(s.shape[0]):
        if k != i and k != j:
            product *= s[k]
    return product


@jitable
def _turns(u: Any, v: Any) -> Any:
    """Whether two orthogonal matrices together reverse orientation: 1 or -1."""
    return np.rint(np.linalg.det(u) * np.linalg.det(v))


@routine
def cofactor(out: Any, a: Any) -> None:
    """The derivative of the determinant, by singular values, so that a singular matrix is no exception."""
    n = a.shape[0]
    if n == 0:
        return
    u, s, v = np.linalg.svd(dense(a))
    sign = _turns(u, v)
    for i in range(n):
        for j in range(n):
            out[i, j] = 0
    for k in range(n):
        scale = sign * _but(s, k, k)
        for i in range(n):
            for j in range(n):
                out[i, j] += scale * u[i, k] * v[k, j]


@routine
def cofactor_derivative(out: Any, a: Any, direction: Any) -> None:
    """The derivative of `cofactor` at `a` in a direction: linear in it, and symmetric."""
    n = a.shape[0]
    if n == 0:
        return
    u, s, v = np.linalg.svd(dense(a))
    sign = _turns(u, v)
    inner = np.dot(np.ascontiguousarray(u.T), np.dot(dense(direction), np.ascontiguousarray(v.T)))
    middle = np.zeros_like(inner)
    for i in range(n):
        for k in range(n):
            if i != k:
                product = sign * _but(s, i, k)
                middle[k, k] += inner[i, i] * product
                middle[k, i] -= inner[i, k] * product
    put(out, np.dot(u, np.dot(middle, v)))


@routine
def slogdet(sign: Any, logabs: Any, a: Any) -> None:
    """`sign[0], logabs[0] = slogdet(a)`."""
    if a.shape[0] > 0:
        found = np.linalg.slogdet(dense(a))
        sign[0] = found[0]
        logabs[0] = found[1]
    else:
        sign[0] = 1
        logabs[0] = 0


@routine
def cholesky(out: Any, a: Any) -> None:
    if a.shape[0] > 0:
        put(out, np.linalg.cholesky(dense(a)))


@routine
def eigh(w: Any, v: Any, a: Any) -> None:
    """Eigenvalues ascending, eigenvectors in columns; the lower triangle is read."""
    if a.shape[0] > 0:
        found = np.linalg.eigh(dense(a))
        put(w, found[0])
        put(v, found[1])


@routine
def svd(u: Any, s: Any, v: Any, a: Any) -> None:
    """The reduced form: `a = u @ diag(s) @ v`."""
    if u.size > 0 and v.size > 0:
        found = np.linalg.svd(dense(a), False)
        put(u, found[0])
        put(s, found[1])
        put(v, found[2])


@routine
def qr(q: Any, r: Any, a: Any) -> None:
    """The reduced form."""
    if a.size > 0:
        found = np.linalg.qr(dense(a))
        put(q, found[0])
        put(r, found[1])


@routine
def pinv(out: Any, a: Any, by_size: bool = False) -> None:
    """Singular values below a fraction of the largest count as zero; `by_size`: that fraction grows with the
    matrix.
    """
    n, m = a.shape
    for i in range(m):
        for j in range(n):
            out[i, j] = 0
    if n == 0 or m == 0:
        return
    u, s, v = np.linalg.svd(dense(a), False)
    least = s[0] * (np.finfo(s.dtype).eps * max(n, m) if by_size else 1e-15)
    for k in range(s.shape[0]):
        if s[k] > least:
            for i in range(m):
                for j in range(n):
                    out[i, j] += v[k, i] * u[j, k] / s[k]


@routine
def argsort(out: Any, a: Any) -> None:
    """The stable permutation that sorts a vector."""
    put(out, np.argsort(a, kind="mergesort"))
