"""One row per NumPy function that makes or views memory, asks about types, or is a library routine.

A text with `return` is a function's body.
"""

from __future__ import annotations

import numpy as np

from .rows import apart, integers, nonzero, normal, row

# -- memory

row(np.zeros, "b = np.zeros((2, 3)); b[0] = a[1]; return b + a", a=normal(2, 3), single=False)
row(np.empty, "b = np.empty(3); b[:] = a[1]; return b * a", a=normal(2, 3), single=False)
row(np.ones, "a * np.ones(3)", "np.ones((2, 3), dtype=a.dtype) + a", a=normal(2, 3), single=False)
row(np.full, "np.full((2, 3), a[0, 1]) * a", "np.full(2, 1.5) + a[:, 0]", a=normal(2, 3), single=False)
row(np.zeros_like, "np.zeros_like(a) + a * a", a=normal(2, 3))
row(np.empty_like, "b = np.empty_like(a); b[...] = a * a; return b", a=normal(2, 3))
row(np.ones_like, "np.ones_like(a) * a", a=normal(2, 3))
row(np.full_like, "np.full_like(a, a[0, 0]) * a", a=normal(2, 3))
row(
    np.arange,
    "a * np.arange(3)",
    "np.arange(1.0, 4.0) + a",
    "a[:, 0] * np.arange(4, 0, -2)",
    a=normal(2, 3),
    single=False,
)
row(
    np.array,
    "np.array([a[0], a[1] * a[2], 1.0])",
    "np.array([[a[0], a[1]], [a[1], a[0]]])",
    "np.array(a) * a",
    a=normal(3),
)
row(np.asarray, "np.asarray(a) * a", "np.asarray([a[0], a[1]])", a=normal(3))
row(np.asanyarray, "np.asanyarray(a) * a", a=normal(3))
row(np.ascontiguousarray, "np.ascontiguousarray(a.T) * 2.0", a=normal(2, 3))
row(np.copy, "b = np.copy(a); b[0] = b[1] * 2.0; return b * a", "a.copy() * a", a=normal(3))
row(np.copyto, "b = np.zeros_like(a); np.copyto(b, a * a); return b * a", a=normal(3))
row(np.put, "b = a.copy(); np.put(b, [0, 2], a[1]); return b * a", a=normal(3))
row(np.fill_diagonal, "b = a.copy(); np.fill_diagonal(b, a[0, 1]); return b * a", a=normal(3, 3))
row(
    np.add.at, "b = a.copy(); np.add.at(b, n, c); return b * b", a=normal(3), c=normal(4), n=integers(0, 3, 4)
)
row(
    np.subtract.at,
    "b = a.copy(); np.subtract.at(b, n, c); return b * b",
    a=normal(3),
    c=normal(4),
    n=integers(0, 3, 4),
)

# -- views

row(
    np.transpose,
    "np.transpose(a) * 2.0",
    "np.transpose(a, (2, 0, 1)) ** 2",
    "a.T * a.transpose()",
    a=normal(2, 3, 4),
)
row(np.matrix_transpose, "np.matrix_transpose(a) ** 2", a=normal(2, 3, 4))
row(np.linalg.matrix_transpose, "np.linalg.matrix_transpose(a) ** 2", a=normal(2, 3, 4))
row(np.swapaxes, "np.swapaxes(a, 0, 2) ** 2", "a.swapaxes(0, 1) ** 2", a=normal(2, 3, 4))
row(np.moveaxis, "np.moveaxis(a, 0, -1) ** 2", a=normal(2, 3, 4))
row(np.rollaxis, "np.rollaxis(a, 2) ** 2", a=normal(2, 3, 4))
row(np.expand_dims, "np.expand_dims(a, 1) * a", a=normal(3, 3))
row(np.squeeze, "np.squeeze(a) ** 2", "np.squeeze(a, axis=0) ** 2", a=normal(1, 3, 1))
row(
    np.reshape,
    "np.reshape(a, (3, 4)) ** 2",
    "a.reshape(-1, 2) ** 2",
    "a.T.reshape(6, 2) ** 2",
    a=normal(4, 3),
)
row(np.ravel, "np.ravel(a) ** 2", "a.ravel() ** 2", "a.T.ravel() ** 2", "a.flatten() ** 2", a=normal(4, 3))
row(np.broadcast_to, "np.broadcast_to(a, (2, 3)) * 2.0", a=normal(3))
row(
    np.broadcast_arrays,
    "np.broadcast_arrays(a, b)[0] * np.broadcast_arrays(a, b)[1]",
    a=normal(3),
    b=normal(2, 1),
)
row(np.broadcast_shapes, "a * np.broadcast_shapes(a.shape, (2, 3))[0]", a=normal(3))
row(np.atleast_1d, "np.atleast_1d(a) * 2.0", a=normal(3))
row(np.atleast_2d, "np.atleast_2d(a) ** 2", a=normal(3))
row(np.atleast_3d, "np.atleast_3d(a) ** 2", a=normal(3))
row(np.real, "np.real(a) * a", a=normal(3))
row(np.conjugate, "np.conjugate(a) * a", "np.conj(a) * a", a=normal(3))

# -- questions

row(np.shape, "a * np.shape(a)[0]", a=normal(3))
row(np.size, "a * np.size(a)", "a / a.size", a=normal(3))
row(np.ndim, "a * np.ndim(a)", a=normal(3))
row(np.isscalar, "a * 2.0 if np.isscalar(a) else a * a", a=normal(3))
row(np.issubdtype, "a * 2.0 if np.issubdtype(a.dtype, np.floating) else a * a", a=normal(3))
row(np.dtype, "a * np.ones(3, np.dtype('float64'))", a=normal(3), single=False)
row(np.result_type, "a * np.ones(3, np.result_type(a, np.int64))", a=normal(3), single=False)
row(np.finfo, "a / (a * a + np.finfo(a.dtype).eps)", a=nonzero(3))
row(np.iinfo, "a * (np.iinfo(np.int8).max)", a=normal(3))
row(np.nonzero, "a[np.nonzero(a > 0)] ** 2", a=nonzero(5))
row(np.argwhere, "a[np.argwhere(a > 0)[:, 0]] ** 2", a=nonzero(5))
row(np.extract, "np.extract(a > 0, a) ** 2", a=nonzero(5))
row(np.astype, "np.astype(a, np.float64) ** 2", a=normal(3))
row(np.imag, "np.imag(a) + a", a=normal(3))
row(np.flatnonzero, "a[np.flatnonzero(a > 0)] ** 2", a=nonzero(5))

# -- several results, reductions of ufuncs

row(np.divmod, "np.divmod(a, 0.5)[1] * a", a=apart(4))
row(np.modf, "np.modf(a)[0] * a", a=apart(4))
row(np.add.reduce, "np.add.reduce(a)", "np.add.reduce(a, axis=1)", a=normal(3, 2))
row(np.multiply.reduce, "np.multiply.reduce(a)", a=normal(3, 2))
row(np.maximum.reduce, "np.maximum.reduce(a)", a=apart(3, 2))
row(np.minimum.reduce, "np.minimum.reduce(a)", a=apart(3, 2))
row(np.logical_and.reduce, "np.where(np.logical_and.reduce(a > 0), a, a * a)", a=nonzero(3, 2))
row(np.logical_or.reduce, "np.where(np.logical_or.reduce(a > 0), a, a * a)", a=nonzero(3, 2))
row(np.add.accumulate, "np.add.accumulate(a)", a=normal(4))
row(np.multiply.accumulate, "np.multiply.accumulate(a)", a=normal(4))
