"""What may be refused, and parallel loops.

Each case: the program as a user writes it, its arguments, the expected gradient in closed form or by a
tangent recursion written by hand, and the public report that describes the situation.
"""

import numpy as np
from numba import prange

from .case import case

GLOBAL_BUF = np.zeros(3)


def write_to_global(x):
    GLOBAL_BUF[0] = x[0]
    return GLOBAL_BUF[0] * x[1]


case(
    write_to_global,
    "unsupported: writing to a module-level array",
    "numba/numba#6525, numba/numba#7120",
    lambda r: (r.normal(size=2),),
    (0,),
    expect="error",
    njit=False,
    error_words=("global", "readonly", "read-only", "constant"),
    note="Numba freezes globals; a silent zero or half gradient would be the danger",
)


def mismatched_augmented_shapes(a, b):
    c = a.copy()
    c += b
    return np.sum(c)


case(
    mismatched_augmented_shapes,
    "unsupported: shapes that do not broadcast must raise, as in NumPy",
    "numba/numba#4542",
    lambda r: (r.normal(size=(3, 4)), r.normal(size=(3, 5))),
    (0, 1),
    expect="error",
    error_words=("shape", "broadcast", "size", "dimension"),
    note="njit-compiled code may read out of bounds without raising",
)


def parallel_shared_scalar(s, x):
    out = np.empty(x.shape[0])
    for i in prange(x.shape[0]):
        out[i] = s * x[i] * s
    return np.sum(out)


case(
    parallel_shared_scalar,
    "parallel: every pass reads one scalar (adjoint is a reduction)",
    "EnzymeAD/Enzyme.jl#3378, TuringLang/DynamicPPL.jl#1131",
    lambda r: (0.7, r.normal(size=300)),
    (0, 1),
    lambda s, x: (2 * s * x.sum(), np.full_like(x, s * s)),
    parallel=True,
)


def parallel_row_update(g, c):
    out = np.zeros((g.shape[0], g.shape[1]))
    for i in prange(g.shape[0]):
        out[i, :] = g[i, :] * c
        out[i, 0] += g[i, 1] * c[0]
    return np.sum(out * out)


def parallel_row_update_gradient(g, c):
    o = g * c
    o[:, 0] += g[:, 1] * c[0]
    b = 2 * o
    r = b * c
    r[:, 1] += b[:, 0] * c[0]
    gc = (b * g).sum(axis=0)
    gc[0] += (b[:, 0] * g[:, 1]).sum()
    return r, gc


case(
    parallel_row_update,
    "parallel: rows written apart, a shared vector read",
    "numba/numba#5942, numba/numba#3681",
    lambda r: (r.normal(size=(40, 3)), r.normal(size=3)),
    (0, 1),
    parallel_row_update_gradient,
    parallel=True,
)


def masked_reduction(x, m):
    return np.sum(x * x, where=m)


case(
    masked_reduction,
    "unsupported: reduction with where=, a mask must never be ignored silently",
    "HIPS/autograd#810",
    lambda r: (r.normal(size=5), np.array([True, False, True, True, False])),
    (0,),
    lambda x, m: (np.where(m, 2 * x, 0.0),),
    expect="grad_or_error",
    njit=False,
    error_words=("where", "argument", "keyword", "support"),
    note="Numba does not take where=, so an error is the likely answer",
)
