"""Products of vectors and matrices, norms, traces.

A matrix-vector product is a loop here; only the product of two matrices is a library routine, reached
through the spelling `gemm`. Input: arrays of the ranks that each function names; two operands take the
wider dtype. Products of complex numbers are loops here. Non-goals: decompositions and solves, which are
library routines.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ShapeError
from .core import (
    Array,
    Axis,
    Dtype,
    Number,
    Once,
    Shape,
    calls,
    compile_time,
    defines,
    float_dtype,
    newer,
    sum_dtype,
    wide,
)
from .extrema import max_, min_
from .reduction import roots, sum_


@calls("gemm")
def gemm(out: Array, a: Array, b: Array) -> None:
    """`out = a @ b` for matrices."""
    out[...] = a @ b


@compile_time
def floats(kind: Dtype) -> bool:
    return bool(np.issubdtype(kind, np.floating))


def inner_product(a: Once, b: Once) -> Number:
    kind = np.result_type(a.dtype, b.dtype)
    if a.shape[0] != b.shape[0]:
        raise ShapeError("shapes not aligned")
    total = wide(kind).type(0)
    for i in range(a.shape[0]):
        total = total + kind.type(a[i]) * kind.type(b[i])
    return kind.type(total)


def matrix_vector(a: Once, x: Array) -> Array:
    kind = np.result_type(a.dtype, x.dtype)
    if a.shape[1] != x.shape[0]:
        raise ShapeError("shapes not aligned")
    out = np.empty(a.shape[0], kind)
    for i in range(a.shape[0]):
        total = kind.type(0)
        for j in range(a.shape[1]):
            total = total + kind.type(a[i, j]) * kind.type(x[j])
        out[i] = total
    return out


def vector_matrix(x: Array, a: Once) -> Array:
    kind = np.result_type(x.dtype, a.dtype)
    if x.shape[0] != a.shape[0]:
        raise ShapeError("shapes not aligned")
    out = np.zeros(a.shape[1], kind)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[j] += kind.type(x[i]) * kind.type(a[i, j])
    return out


def of_kind(a: Once, kind: Any) -> Array:
    """The array itself where it has the dtype."""
    if a.dtype == kind:
        return a
    return a.astype(kind)


def matrix_matrix(a: Array, b: Array) -> Array:
    kind = np.result_type(a.dtype, b.dtype)
    if a.shape[1] != b.shape[0]:
        raise ShapeError("shapes not aligned")
    out = np.empty((a.shape[0], b.shape[1]), kind)
    if floats(kind):
        gemm(out, of_kind(a, kind), of_kind(b, kind))
    else:
        out[...] = kind.type(0)
        for i in range(a.shape[0]):
            for k in range(a.shape[1]):
                for j in range(b.shape[1]):
                    out[i, j] += kind.type(a[i, k]) * kind.type(b[k, j])
    return out


def batched(a: Array, b: Array) -> Array:
    """Products of the matrices in the last two axes, over broadcast leading axes."""
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    kind = np.result_type(a.dtype, b.dtype)
    out = np.empty(lead + (a.shape[-2], b.shape[-1]), kind)
    left = np.broadcast_to(a, lead + a.shape[-2:])
    right = np.broadcast_to(b, lead + b.shape[-2:])
    for index in np.ndindex(lead):
        out[index] = matrix_matrix(left[index], right[index])
    return out


@defines(np.matmul)
def matmul(a: Array, b: Array) -> Number:
    if a.ndim == 0 or b.ndim == 0:
        raise ShapeError("matmul: an operand has no dimensions")
    if a.ndim == 1 and b.ndim == 1:
        return inner_product(a, b)
    if a.ndim == 2 and b.ndim == 1:
        return matrix_vector(a, b)
    if a.ndim == 1 and b.ndim == 2:
        return vector_matrix(a, b)
    if a.ndim == 2 and b.ndim == 2:
        return matrix_matrix(a, b)
    if b.ndim == 1:
        return batched(a, b[:, None])[..., 0]
    if a.ndim == 1:
        return batched(a[None, :], b)[..., 0, :]
    return batched(a, b)


@defines(*newer("matvec"))
def matvec(x1: Array, x2: Array) -> Array:
    if x1.ndim < 2 or x2.ndim == 0:
        raise ShapeError("matvec: an operand does not have enough dimensions")
    if x2.ndim == 1:
        return matmul(x1, x2)
    return matmul(x1, x2[..., None])[..., 0]


@defines(*newer("vecmat"))
def vecmat(x1: Array, x2: Array) -> Array:
    if x1.ndim == 0 or x2.ndim < 2:
        raise ShapeError("vecmat: an operand does not have enough dimensions")
    if x1.ndim == 1:
        return matmul(x1, x2)
    return matmul(x1[..., None, :], x2)[..., 0, :]


@defines(np.dot)
def dot(a: Array, b: Array) -> Number:
    if a.ndim == 0 or b.ndim == 0:
        return np.multiply(a, b)
    if a.ndim <= 2 and b.ndim <= 2:
        return matmul(a, b)
    if b.ndim == 1:
        return matmul(a, b)
    return np.tensordot(a, b, ((a.ndim - 1,), (b.ndim - 2,)))


@defines(np.vdot)
def vdot(a: Array, b: Array) -> Number:
    return inner_product(a.ravel(), b.ravel())


@defines(np.inner)
def inner(a: Array, b: Array) -> Number:
    if a.ndim == 0 or b.ndim == 0:
        return np.multiply(a, b)
    if a.ndim == 1 and b.ndim == 1:
        return inner_product(a, b)
    return np.tensordot(a, b, ((a.ndim - 1,), (b.ndim - 1,)))


@defines(np.vecdot)
def vecdot(x1: Array, x2: Array, *, axis: int = -1) -> Number:
    return sum_(np.multiply(x1, x2), axis)


@defines(np.outer)
def outer(a: Array, b: Array) -> Array:
    x = a.ravel()
    y = b.ravel()
    kind = np.result_type(a.dtype, b.dtype)
    out = np.empty((x.shape[0], y.shape[0]), kind)
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            out[i, j] = kind.type(x[i]) * kind.type(y[j])
    return out


@compile_time
def contraction(axes: Any, left: int, right: int) -> tuple[Shape, Shape, Shape, Shape]:
    """Contracted and free axes of both operands of `tensordot`."""
    if isinstance(axes, int):
        ours, theirs = tuple(range(left - axes, left)), tuple(range(axes))
    else:
        first, second = axes
        ours = tuple(a % left for a in ((first,) if isinstance(first, int) else first))
        theirs = tuple(a % right for a in ((second,) if isinstance(second, int) else second))
    if len(ours) != len(theirs):
        raise ValueError("shape-mismatch for sum")
    free_left = tuple(k for k in range(left) if k not in ours)
    return ours, theirs, free_left, tuple(k for k in range(right) if k not in theirs)


@defines(np.tensordot)
def tensordot(a: Array, b: Array, axes: Any = 2) -> Number:
    ours, theirs, free_left, free_right = contraction(axes, a.ndim, b.ndim)
    for k, p in zip(ours, theirs):
        if a.shape[k] != b.shape[p]:
            raise ShapeError("shape-mismatch for sum")
    rows = tuple(a.shape[k] for k in free_left)
    columns = tuple(b.shape[k] for k in free_right)
    summed = tuple(a.shape[k] for k in ours)
    left = np.transpose(a, free_left + ours).reshape(size_of(rows), size_of(summed))
    right = np.transpose(b, theirs + free_right).reshape(size_of(summed), size_of(columns))
    return matrix_matrix(left, right).reshape(rows + columns)


def size_of(shape: Shape) -> int:
    n = 1
    for length in shape:
        n = n * length
    return n


@defines(np.trace)
def trace(a: Array, offset: int = 0) -> Number:
    kind = sum_dtype(a.dtype)
    down = max(-offset, 0)
    right = max(offset, 0)
    length = max(min(a.shape[0] - down, a.shape[1] - right), 0)
    if a.ndim == 2:
        total = wide(kind).type(0)
        for i in range(length):
            total = total + kind.type(a[i + down, i + right])
        return kind.type(total)
    out = np.zeros(a.shape[2:], kind)
    for i in range(length):
        for index in np.ndindex(a.shape[2:]):
            out[index] += kind.type(a[(i + down, i + right) + index])
    return out


@defines(np.kron)
def kron(a: Array, b: Array) -> Array:
    if a.ndim < b.ndim:
        return kron(a.reshape(tuple(1 for k in range(b.ndim - a.ndim)) + a.shape), b)
    if b.ndim < a.ndim:
        return kron(a, b.reshape(tuple(1 for k in range(a.ndim - b.ndim)) + b.shape))
    kind = np.result_type(a.dtype, b.dtype)
    out = np.empty(tuple(n * m for n, m in zip(a.shape, b.shape)), kind)
    for i in np.ndindex(a.shape):
        for j in np.ndindex(b.shape):
            out[tuple(p * m + q for p, m, q in zip(i, b.shape, j))] = kind.type(a[i]) * kind.type(b[j])
    return out


@defines(np.cross)
def cross(a: Array, b: Array) -> Number:
    """Of vectors of three components in the last axis."""
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ShapeError("incompatible dimensions for cross product")
    x = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    y = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    z = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    out = np.empty(np.shape(x) + (3,), np.result_type(a.dtype, b.dtype))
    out[..., 0] = x
    out[..., 1] = y
    out[..., 2] = z
    return out


@compile_time
def norm_kind(order: Any, axis: Axis, ndim: int) -> tuple[str, Shape]:
    """Which norm, and over which axes, in the order given."""
    if axis is None:
        axes = tuple(range(ndim))
        if order is None:
            return "two", axes
    else:
        axes = tuple(k % ndim for k in ((axis,) if isinstance(axis, int) else axis))
    if len(axes) == 1:
        names = {None: "two", 2: "two", 1: "one", 0: "count", np.inf: "max", -np.inf: "min"}
        return names.get(order, "power"), axes
    others: dict[Any, str] = {
        None: "two",
        "fro": "two",
        1: "columns",
        -1: "columns",
        np.inf: "rows",
        -np.inf: "rows",
        2: "spectral",
        -2: "spectral",
        "nuc": "spectral",
    }
    if others.get(order) == "spectral" and (ndim != 2 or axes != (0, 1)):
        raise NotImplementedError(f"np.linalg.norm of order {order} of a stack of matrices")
    if len(axes) != 2 or order not in others:
        raise NotImplementedError(f"np.linalg.norm of order {order} over {len(axes)} axes")
    return others[order], axes


@defines(np.linalg.norm)
def norm(x: Once, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Number:
    """Gradient zero at zero; ties of the maximum norm share."""
    kind, axes = norm_kind(ord, axis, x.ndim)
    if kind == "two":
        return roots(sum_(np.square(floating(x)), axes, keepdims=keepdims))
    if kind == "one":
        return sum_(np.abs(floating(x)), axes, keepdims=keepdims)
    if kind == "count":
        return sum_(x != 0, axes, float_dtype(x.dtype), keepdims=keepdims)
    if kind == "max":
        return max_(np.abs(floating(x)), axes, keepdims=keepdims)
    if kind == "min":
        return min_(np.abs(floating(x)), axes, keepdims=keepdims)
    if kind == "power":
        return powers(sum_(np.abs(floating(x)) ** ord, axes, keepdims=keepdims), 1.0 / ord)
    if kind == "spectral":
        values = of_singular_values(np.linalg.svd(floating(x), compute_uv=False), ord)
        return np.reshape(values, (1, 1)) if keepdims else values
    summed = axes[0] if kind == "columns" else axes[1]
    other = axes[1] if kind == "columns" else axes[0]
    sums = sum_(np.abs(floating(x)), summed, keepdims=True)
    if ord > 0:
        best = max_(sums, other, keepdims=True)
    else:
        best = min_(sums, other, keepdims=True)
    return sum_(best, axes, keepdims=keepdims)


def of_singular_values(s: Array, order: Any) -> Number:
    if order == "nuc":
        return sum_(s)
    return max_(s) if order == 2 else min_(s)


@defines(np.linalg.matrix_norm)
def matrix_norm(x: Array, *, keepdims: bool = False, ord: Any = "fro") -> Number:
    return norm(x, ord, (x.ndim - 2, x.ndim - 1), keepdims)


@defines(np.linalg.cond)
def cond(x: Array, p: Any = None) -> Number:
    """Of one matrix."""
    if p is None or p == 2 or p == -2:
        s = np.linalg.svd(floating(x), compute_uv=False)
        return s[-1] / s[0] if p == -2 else s[0] / s[-1]
    return norm(x, p) * norm(np.linalg.inv(x), p)


@defines(np.linalg.matrix_rank)
def matrix_rank(A: Array) -> Number:
    """Of one matrix, by NumPy's own tolerance."""
    s = np.linalg.svd(floating(A), compute_uv=False)
    tolerance = s[0] * max(A.shape[0], A.shape[1]) * np.finfo(s.dtype).eps
    return sum_(s > tolerance)


def floating(x: Once) -> Array:
    return of_kind(x, float_dtype(x.dtype))


def powers(a: Number, exponent: Number) -> Number:
    """`a ** exponent` for a >= 0, zero with derivative zero at zero."""
    if np.ndim(a) == 0:
        return positive_power(a, exponent)
    out = np.empty(a.shape, a.dtype)
    for index in np.ndindex(a.shape):
        out[index] = positive_power(a[index], exponent)
    return out


def positive_power(x: Number, exponent: Number) -> Number:
    if x > 0:
        return x**exponent
    return 0.0 * x
