"""Products of vectors and matrices, norms, traces.

A matrix-vector product is a loop here; only the product of two matrices is a library routine, reached through the spelling `gemm`.
Input: arrays of the ranks that each function names; two operands take the wider dtype.
Non-goals: decompositions and solves, which are library routines; complex numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .core import (
    Array,
    Axis,
    Dtype,
    Number,
    Once,
    Shape,
    axes_of,
    axis_of,
    calls,
    compile_time,
    defines,
    kept_shape,
)
from .extrema import max_, min_
from .reduction import roots, sum_


@calls("gemm")
def gemm(out: Array, a: Array, b: Array) -> None:
    """`out = a @ b` for matrices."""
    out[...] = a @ b


def shape_error(a: Shape, b: Shape) -> None:
    raise ValueError(f"shapes {a} and {b} not aligned")


def inner_product(a: Once, b: Once) -> Number:
    kind = np.result_type(a.dtype, b.dtype)
    if a.shape[0] != b.shape[0]:
        raise ValueError("shapes not aligned")
    total = kind.type(0)
    for i in range(a.shape[0]):
        total = total + kind.type(a[i]) * kind.type(b[i])
    return total


def matrix_vector(a: Once, x: Array) -> Array:
    kind = np.result_type(a.dtype, x.dtype)
    if a.shape[1] != x.shape[0]:
        raise ValueError("shapes not aligned")
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
        raise ValueError("shapes not aligned")
    out = np.zeros(a.shape[1], kind)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[j] += kind.type(x[i]) * kind.type(a[i, j])
    return out


def matrix_matrix(a: Array, b: Array) -> Array:
    kind = np.result_type(a.dtype, b.dtype)
    if a.shape[1] != b.shape[0]:
        raise ValueError("shapes not aligned")
    out = np.empty((a.shape[0], b.shape[1]), kind)
    if np.issubdtype(kind, np.floating):
        gemm(out, a.astype(kind), b.astype(kind))
    else:
        out[...] = kind.type(0)
        for i in range(a.shape[0]):
            for k in range(a.shape[1]):
                for j in range(b.shape[1]):
                    out[i, j] += kind.type(a[i, k]) * kind.type(b[k, j])
    return out
