"""One row per function of a matrix that takes a stack of them."""

from __future__ import annotations

import numpy as np
import scipy
import scipy.linalg

from .rows import Generator, dominant, normal, row


def stacked(*single: Generator) -> Generator:
    return lambda rng: np.stack([one(rng) for one in single])


STACK = stacked(dominant(3), dominant(3))

row(
    np.linalg.solve,
    "np.linalg.solve(a, b)",
    "np.linalg.solve(a, b[0])",
    "np.linalg.solve(a[0], b)",
    "np.linalg.solve(a, b[0, :, 0])",
    "np.linalg.solve(a[None], b)",
    "np.linalg.solve(a, b[:, :, :1])[..., 0]",
    a=STACK,
    b=normal(2, 3, 2),
)
row(np.linalg.inv, "np.linalg.inv(a)", "np.linalg.inv(a[:, None])", a=STACK)
if np.lib.NumpyVersion(scipy.__version__) >= "1.16.0":  # takes stacks from then on
    row(scipy.linalg.inv, "scipy.linalg.inv(a)", a=STACK)
row(np.linalg.pinv, "np.linalg.pinv(a)", "np.linalg.pinv(a[:, :, :2])", a=STACK)
row(np.linalg.det, "np.linalg.det(a)", "np.linalg.det(a[None]) ** 2", a=STACK)
row(scipy.linalg.det, "scipy.linalg.det(a)", a=STACK)
row(np.linalg.slogdet, "np.linalg.slogdet(a)[1]", "np.linalg.slogdet(a).logabsdet ** 2", a=STACK)
row(np.linalg.matrix_power, "np.linalg.matrix_power(a, 3)", "np.linalg.matrix_power(a, -2)", a=STACK)
row(
    np.linalg.cholesky,
    "np.linalg.cholesky(a @ a.swapaxes(1, 2))",
    "np.linalg.cholesky(a @ a.swapaxes(1, 2), upper=True)",
    a=STACK,
)
row(
    np.linalg.eigh,
    "np.linalg.eigh(a + a.swapaxes(1, 2))[1] ** 2",
    "np.linalg.eigh(a + a.swapaxes(1, 2), UPLO='U').eigenvalues",
    a=STACK,
)
row(np.linalg.eigvalsh, "np.linalg.eigvalsh(a)", "np.linalg.eigvalsh(a, 'U')", a=STACK)
row(np.linalg.qr, "np.linalg.qr(a)[0] * np.linalg.qr(a).R", "np.linalg.qr(a[:, :, :2], mode='r')", a=STACK)
row(np.linalg.svdvals, "np.linalg.svdvals(a)", "np.linalg.svdvals(a[:, :, :2])", a=STACK)
row(
    np.linalg.svd,
    "np.linalg.svd(a)[1]",
    "np.linalg.svd(a[:, :, :2], full_matrices=False)[0] ** 2",
    "np.linalg.svd(a, compute_uv=False)",
    a=STACK,
)
