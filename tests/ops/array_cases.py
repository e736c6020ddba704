"""One row per NumPy function that makes, joins, multiplies or orders arrays, and per function of `math`."""

from __future__ import annotations

import functools
import math

import numpy as np
import scipy.linalg

from .rows import apart, constant, dominant, integers, normal, number, positive, rising, row

# -- products

row(np.matmul, "a @ b", "np.matmul(a, b)", a=normal(3, 4), b=normal(4, 2))
row(np.matmul, "a @ b", "b @ a.T", a=normal(3, 4), b=normal(4))
row(np.matmul, "a @ b", a=normal(4), b=normal(4))
row(np.matmul, "a @ b", "a @ b[0]", "a @ b[:, :, 0, None]", a=normal(2, 3, 4), b=normal(2, 4, 2))
row(
    np.dot,
    "np.dot(a, b)",
    "a.dot(b)",
    "np.dot(a, b[:, 0])",
    "np.dot(a[0], b)",
    "np.dot(a[0], b[:, 1])",
    "np.dot(a, 2.0)",
    a=normal(3, 4),
    b=normal(4, 2),
)
row(np.dot, "np.dot(a, b)", a=normal(2, 3, 4), b=normal(4, 2))
row(np.vdot, "np.vdot(a, b)", a=normal(2, 3), b=normal(2, 3))
row(np.inner, "np.inner(a, b)", "np.inner(a[0], b[1])", a=normal(2, 3), b=normal(4, 3))
row(np.outer, "np.outer(a, b)", a=normal(3), b=normal(2))
row(
    np.tensordot,
    "np.tensordot(a, b, 1)",
    "np.tensordot(a, b, axes=((0, 1), (1, 0)))",
    "np.tensordot(a, a, 2)",
    a=normal(2, 3),
    b=normal(3, 2),
)
row(np.trace, "np.trace(a)", "np.trace(a, 1)", "np.trace(a, offset=-1)", a=normal(3, 4))
row(np.kron, "np.kron(a, b)", "np.kron(a, b[0])", a=normal(2, 2), b=normal(3, 2))
row(np.cross, "np.cross(a, b)", "np.cross(a[0], b)", "np.cross(a[0], b[1])", a=normal(2, 3), b=normal(2, 3))
row(
    np.linalg.norm,
    "np.linalg.norm(a)",
    "np.linalg.norm(a, axis=0)",
    "np.linalg.norm(a, 1, axis=1)",
    "np.linalg.norm(a, 'fro')",
    "np.linalg.norm(a, 3, axis=0, keepdims=True)",
    "np.linalg.norm(a, np.inf, 1)",
    "np.linalg.norm(a, 1)",
    "np.linalg.norm(a, np.inf)",
    a=apart(3, 4),
)

row(np.vecdot, "np.vecdot(a, b)", "np.vecdot(a, b, axis=0)", a=normal(2, 3), b=normal(2, 3))
row(
    np.einsum,
    "np.einsum('ij,jk->ik', a, b)",
    "np.einsum('ij,jk', a, b)",
    "np.einsum('ij,jk->ki', a, b)",
    "np.einsum('ij->ji', a)",
    "np.einsum('ij->', a)",
    "np.einsum('ij,ij->i', a, a)",
    "np.einsum('ij,jk,ik->', a, b, a @ b)",
    "np.einsum('ij,k->ijk', a, b[0])",
    a=normal(2, 3),
    b=normal(3, 2),
)
row(
    np.einsum,
    "np.einsum('bij,bjk->bik', a, b)",
    "np.einsum('bij,bjk->ik', a, b)",
    "np.einsum('bii->b', b)",
    a=normal(2, 3, 3),
    b=normal(2, 3, 3),
)

# -- decompositions, on matrices that are well conditioned

row(np.linalg.solve, "np.linalg.solve(a, b)", "np.linalg.solve(a, b[:, 0])", a=dominant(3), b=normal(3, 2))
row(np.linalg.inv, "np.linalg.inv(a)", a=dominant(3))
row(np.linalg.det, "np.linalg.det(a)", a=dominant(3))
row(np.linalg.slogdet, "np.linalg.slogdet(a)[1] * a", a=dominant(3))
row(np.linalg.cholesky, "np.linalg.cholesky(a @ a.T)", a=dominant(3))
row(np.linalg.svd, "np.linalg.svd(a, compute_uv=False)", "np.linalg.svd(a)[1] ** 2", a=dominant(3))
row(np.linalg.svdvals, "np.linalg.svdvals(a)", a=dominant(3))
row(np.linalg.pinv, "np.linalg.pinv(a)", a=dominant(3))
row(np.linalg.lstsq, "np.linalg.lstsq(a, b)[0]", a=dominant(3), b=normal(3))
row(np.linalg.vector_norm, "np.linalg.vector_norm(a)", a=normal(3))
row(np.linalg.eigh, "np.linalg.eigh(a + a.T)[0]", "np.linalg.eigh(a + a.T)[1] ** 2", a=dominant(3))
row(np.linalg.eigvalsh, "np.linalg.eigvalsh(a + a.T)", a=dominant(3))
row(np.linalg.matrix_power, "np.linalg.matrix_power(a, 3)", "np.linalg.matrix_power(a, -1)", a=dominant(3))
row(np.linalg.multi_dot, "np.linalg.multi_dot([a, b, a])", a=normal(2, 3), b=normal(3, 2))
row(
    np.linalg.norm, "np.linalg.norm(a, 2)", "np.linalg.norm(a, -2)", "np.linalg.norm(a, 'nuc')", a=dominant(3)
)
row(np.linalg.matrix_norm, "np.linalg.matrix_norm(a)", "np.linalg.matrix_norm(a, ord=2)", a=dominant(3))
row(np.linalg.cond, "np.linalg.cond(a)", "np.linalg.cond(a, 1)", "np.linalg.cond(a, -2)", a=dominant(3))
row(np.linalg.matrix_rank, "a * np.linalg.matrix_rank(a)", a=dominant(3))
row(np.linalg.qr, "np.linalg.qr(a)[1]", "np.linalg.qr(a)[0] ** 2", a=dominant(3))
row(np.linalg.tensordot, "np.linalg.tensordot(a, b, axes=1)", a=normal(2, 3), b=normal(3, 2))
row(
    np.einsum,
    "np.einsum('...ij,...jk->...ik', a, b)",
    "np.einsum('...i,...i', a[0], a[1])",
    a=normal(2, 3, 4),
    b=normal(2, 4, 2),
)
row(
    scipy.linalg.solve_triangular,
    "scipy.linalg.solve_triangular(a, b, lower=True)",
    "scipy.linalg.solve_triangular(a, b[:, 0])",
    "scipy.linalg.solve_triangular(a, b, trans='T', lower=True, check_finite=False)",
    "scipy.linalg.solve_triangular(a, b, 1, unit_diagonal=True)",
    a=dominant(3),
    b=normal(3, 2),
)
row(
    scipy.linalg.cholesky,
    "scipy.linalg.cholesky(a @ a.T)",
    "scipy.linalg.cholesky(a @ a.T, lower=True)",
    a=dominant(3),
)
row(
    scipy.linalg.cho_solve,
    "scipy.linalg.cho_solve((a, True), b)",
    "scipy.linalg.cho_solve((a, False), b[:, 0])",
    a=dominant(3),
    b=normal(3, 2),
)
row(
    scipy.linalg.cho_factor,
    "scipy.linalg.cho_solve(scipy.linalg.cho_factor(a @ a.T), b)",
    a=dominant(3),
    b=normal(3),
    single=False,
)
row(
    scipy.linalg.expm,
    "scipy.linalg.expm(a)",
    "scipy.linalg.expm(4.0 * a)",
    a=normal(3, 3),
    single=False,
    order=1,
)
row(
    scipy.linalg.eigh,
    "scipy.linalg.eigh(a + a.T)[1] ** 2",
    "scipy.linalg.eigh(a, eigvals_only=True)",
    a=dominant(3),
)
row(scipy.linalg.svd, "scipy.linalg.svd(a)[1] ** 2", a=dominant(3))
for _name in ("norm", "inv", "det", "pinv", "svdvals"):
    row(getattr(scipy.linalg, _name), f"scipy.linalg.{_name}(a)", a=dominant(3))
row(scipy.linalg.solve, "scipy.linalg.solve(a, b)", a=dominant(3), b=normal(3, 2))
row(np.linalg.matmul, "np.linalg.matmul(a, b)", a=normal(2, 3), b=normal(3, 2))
row(
    np.add.outer,
    "np.add.outer(a, b)",
    "np.multiply.outer(a, b)",
    "np.maximum.outer(a, b)",
    a=apart(3),
    b=normal(2),
)

# -- creation

row(np.eye, "a * np.eye(3)", "a * np.eye(3, 3, 1)", a=normal(3, 3))
row(np.identity, "a * np.identity(3)", a=normal(3, 3))
row(np.tri, "a * np.tri(3, 4, 1)", a=normal(3, 4))
row(np.tril, "np.tril(a)", "np.tril(a, -1)", a=normal(3, 4))
row(np.triu, "np.triu(a)", "np.triu(a, k=1)", a=normal(3, 4))
row(np.diag, "np.diag(a)", "np.diag(a[0])", "np.diag(a[0], 1)", "np.diag(a, -1)", a=normal(3, 4))
row(np.diagonal, "np.diagonal(a)", "np.diagonal(a, 1)", a=normal(3, 4))
row(np.diagflat, "np.diagflat(a)", a=normal(2, 2))
row(
    np.linspace,
    "np.linspace(x, y, 5)",
    "np.linspace(x, 1.0, 4, endpoint=False)",
    x=number(-1, 1),
    y=number(1, 2),
)
row(np.logspace, "np.logspace(x, y, 4)", x=number(-1, 1), y=number(1, 2), single=False)
row(np.geomspace, "np.geomspace(x, y, 4)", x=number(0.5, 1), y=number(1, 2), single=False)
row(np.vander, "np.vander(a)", "np.vander(a, 4, increasing=True)", a=normal(3))
row(np.tril_indices, "a[np.tril_indices(3, -1)]", a=normal(3, 3))
row(np.triu_indices, "a[np.triu_indices(3, 1, 4)]", "a[np.triu_indices(4)]", a=normal(4, 4))
row(np.diag_indices, "a[np.diag_indices(3)]", a=normal(3, 3))
row(
    np.meshgrid,
    "np.meshgrid(a, b)[0] * np.meshgrid(a, b)[1]",
    "np.meshgrid(a, b, indexing='ij')[0]",
    a=normal(2),
    b=normal(3),
)
row(np.indices, "a * np.indices((2, 3))[1]", a=normal(2, 3), single=False)

# -- shape

row(
    np.concatenate,
    "np.concatenate((a, b))",
    "np.concatenate([a, b, a], axis=0)",
    "np.concatenate((a, a), 1)",
    "np.concatenate((a, b), axis=None)",
    a=normal(2, 3),
    b=normal(1, 3),
)
row(
    np.stack,
    "np.stack((a, b))",
    "np.stack((a, b), axis=1)",
    "np.stack([a, b], -1)",
    a=normal(2, 3),
    b=normal(2, 3),
)
for _name in ("hstack", "vstack", "dstack", "column_stack"):
    row(
        getattr(np, _name), f"np.{_name}((a, b))", f"np.{_name}((a[0], b[1]))", a=normal(2, 3), b=normal(2, 3)
    )
row(
    np.append,
    "np.append(a, b)",
    "np.append(a, b, axis=0)",
    "np.append(a[0], 1.0)",
    a=normal(2, 3),
    b=normal(2, 3),
)
row(np.tile, "np.tile(a, 2)", "np.tile(a, (2, 1))", "np.tile(a[0], (2, 2))", a=normal(2, 3))
row(np.repeat, "np.repeat(a, 2)", "np.repeat(a, 3, axis=0)", "np.repeat(a, 2, 1)", a=normal(2, 3))
row(
    np.roll,
    "np.roll(a, 1)",
    "np.roll(a, -1, axis=0)",
    "np.roll(a, 2, 1)",
    "np.roll(a, (1, 2), (0, 1))",
    a=normal(3, 4),
)
row(np.flip, "np.flip(a) * a", "np.flip(a, 0) * a", "np.flip(a, axis=(0, 1)) * a", a=normal(2, 3))
row(np.fliplr, "np.fliplr(a) * a", a=normal(2, 3))
row(np.flipud, "np.flipud(a) * a", a=normal(2, 3))
row(np.rot90, "np.rot90(a) * np.rot90(a, 3)[::-1]", "np.rot90(a, 2) * a", a=normal(2, 3))
row(np.diff, "np.diff(a)", "np.diff(a, axis=0)", "np.diff(a, 2)", a=normal(3, 4))
row(np.ediff1d, "np.ediff1d(a)", a=normal(4))
row(np.take, "np.take(a, n)", "np.take(a, n, axis=1)", a=normal(3, 4), n=integers(-3, 3, 4))
row(np.take_along_axis, "np.take_along_axis(a, n, axis=0)", a=normal(3, 4), n=integers(0, 3, 2, 4))

row(np.split, "np.split(a, 2)[0] * np.split(a, 2)[1]", "np.split(a, [1, 3], axis=1)[1]", a=normal(4, 4))
row(np.hsplit, "np.hsplit(a, 2)[1] * a[:, :2]", a=normal(4, 4))
row(np.vsplit, "np.vsplit(a, 2)[1] * a[:2]", a=normal(4, 4))
row(
    np.pad,
    "np.pad(a, 1)",
    "np.pad(a, ((1, 2), (0, 1)))",
    "np.pad(a, 2, mode='edge')",
    "np.pad(a, 1, 'reflect')",
    "np.pad(a, (1, 2), 'wrap')",
    "np.pad(a, 2, 'symmetric')",
    "np.pad(a, 1, constant_values=2.0)",
    a=normal(2, 3),
)
row(
    np.insert, "np.insert(a, 1, x)", "np.insert(a, 1, b, axis=0)", a=normal(2, 3), b=normal(3), x=number(0, 1)
)
row(np.delete, "np.delete(a, 1)", "np.delete(a, -1, axis=1)", a=normal(2, 3))

# -- order

row(np.sort, "np.sort(a)", "np.sort(a, axis=0)", "np.sort(a, axis=None)", a=apart(3, 4))
row(
    np.unique,
    "np.unique(a)",
    "np.unique(a[0], False, False, True)[1] * a[0]",
    "np.unique(a, True, True)[2] * a",
    a=apart(3, 4),
)
row(np.argsort, "a * np.argsort(a)", a=apart(3, 4), single=False)
row(np.median, "np.median(a)", "np.median(a, axis=0)", "np.median(a, axis=1, keepdims=True)", a=apart(3, 4))
row(
    np.quantile,
    "np.quantile(a, 0.3)",
    "np.quantile(a, [0.25, 0.6], axis=0)",
    "np.quantile(a, q)",
    a=apart(3, 4),
    q=number(0.31, 0.33),
)
row(np.percentile, "np.percentile(a, 40)", "np.percentile(a, [25.0, 60.0], axis=1)", a=apart(3, 4))
row(
    np.searchsorted,
    "a * np.searchsorted(b, a)",
    "np.searchsorted(b, a[0]) * a",
    a=normal(4),
    b=rising(5),
    single=False,
)
row(np.digitize, "a * np.digitize(a, b)", a=normal(4), b=rising(5), single=False)

# -- statistics

row(
    np.average,
    "np.average(a)",
    "np.average(a, axis=0)",
    "np.average(a, weights=w)",
    a=normal(3, 4),
    w=positive(3, 4),
)
row(np.average, "np.average(a, axis=1, weights=w)", a=normal(3, 4), w=positive(4))
row(np.cov, "np.cov(a)", "np.cov(a[0])", "np.cov(a, rowvar=False, bias=True)", a=normal(3, 4))
row(np.corrcoef, "np.corrcoef(a)", a=normal(3, 5))
row(
    np.trapezoid,
    "np.trapezoid(a)",
    "np.trapezoid(a, dx=0.1, axis=0)",
    "np.trapezoid(a, x)",
    a=normal(3, 4),
    x=rising(4),
)
row(np.polyval, "np.polyval(a, b)", "np.polyval(a, x)", a=normal(4), b=normal(3), x=number(0.2, 0.7))
row(
    np.convolve,
    "np.convolve(a, b)",
    "np.convolve(a, b, 'same')",
    "np.convolve(a, b, mode='valid')",
    a=normal(5),
    b=normal(3),
)
row(
    np.correlate,
    "np.correlate(a, b)",
    "np.correlate(a, b, 'full')",
    "np.correlate(b, a, 'same')",
    a=normal(5),
    b=normal(2),
)
row(
    np.interp,
    "np.interp(b, x, a)",
    "np.interp(0.3, x, a)",
    "np.interp(b, x, a, left=0.0, right=1.0)",
    a=normal(5),
    b=normal(4),
    x=rising(5),
    single=False,
)
row(np.gradient, "np.gradient(a)", "np.gradient(a, 0.1)", "np.gradient(a, x)", a=normal(5), x=rising(5))
row(np.gradient, "np.gradient(a)[0] * np.gradient(a)[1]", "np.gradient(a, axis=1)", a=normal(3, 4))
row(np.polymul, "np.polymul(a, b)", a=normal(3), b=normal(2))
row(np.polyder, "np.polyder(a)", "np.polyder(a, 2)", a=normal(4))
row(
    np.bincount,
    "np.bincount(n, weights=a)",
    "np.bincount(n, minlength=3)[:3] * a[:3]",
    a=normal(5),
    n=constant(np.array([0, 2, 2, 1, 0])),
    single=False,
)
row(
    np.unwrap,
    "np.unwrap(a)",
    "np.unwrap(a, axis=0)",
    "np.unwrap(a, period=3.0)",
    a=lambda rng: rng.uniform(-6, 6, size=(3, 4)),
)

# -- Python's math

row(math.log, "math.log(x)", "math.log(x, 3.0)", x=number(0.5, 2), single=False)
row(math.pow, "math.pow(x, y)", x=number(0.5, 2), y=number(0.5, 2), single=False)
row(math.hypot, "math.hypot(x, y)", "math.hypot(x, y, 0.5)", x=number(0.5, 2), y=number(0.5, 2), single=False)
row(math.dist, "math.dist(a, b)", a=normal(3), b=normal(3), single=False)
row(math.fsum, "math.fsum(a)", a=normal(4), single=False)
row(math.prod, "math.prod(a)", a=normal(4), single=False)
row(
    math.isclose, "x * 2.0 if math.isclose(x, y) else x * x", x=number(0.5, 2), y=number(0.5, 2), single=False
)

if hasattr(np, "unstack"):  # NumPy 2.1
    row(
        np.unstack,
        "b = np.zeros((2, 3)); b[...] = a; return np.unstack(b)[1] ** 2",
        a=normal(2, 3),
        single=False,
    )
if hasattr(np, "matvec"):  # NumPy 2.2
    row(np.matvec, "np.matvec(a, b)", a=normal(2, 3), b=normal(3))
    row(np.matvec, "np.matvec(a[:, 1:], b)", a=normal(2, 3, 2), b=normal(2, 2))
    row(np.matvec, "np.matvec(a.T, b)", a=normal(2, 3), b=normal(4, 2))
    row(np.vecmat, "np.vecmat(b, a)", a=normal(2, 3), b=normal(2))
    row(np.vecmat, "np.vecmat(b, a[:2])", a=normal(3, 2, 2), b=normal(2, 2))

# -- Python's functions of functions

row(map, "sum(map(np.sin, a)) * a", "sum(map(lambda u, v: u * v, a, a[::-1])) * a", a=normal(4))
row(filter, "sum(filter(lambda v: v > 0, a)) * a", "sum(filter(None, a)) * a", a=apart(4))
row(
    functools.reduce,
    "functools.reduce(lambda u, v: u * v + u, a) * a",
    "functools.reduce(lambda u, v: u * v + 1, a, 2.0) * a",
    a=normal(4),
)
row(sorted, "np.array(sorted(a)) * a", "sorted(a, reverse=True)[0] * a", a=apart(4))
