"""Library routines: NumPy's values, compiled and not, for any strides and both float widths."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from adjit.compiler.library import ROUTINES
from adjit.runtime import routines

RNG = np.random.default_rng(3)
A, B = RNG.normal(size=(4, 4)), RNG.normal(size=(4, 3))
S = A @ A.T + np.eye(4)
WIDE = RNG.normal(size=(8, 8))
STRIDED = WIDE[::2, ::2]


def zeros(*shape: int, dtype: Any = float) -> np.ndarray:
    return np.zeros(shape, dtype)


CALLS = [
    ("gemm", (zeros(4, 3), A, B), (A @ B,)),
    ("gemm", (np.ones((4, 3)), A.T, B, True), (A.T @ B + 1,)),
    ("gemm", (np.ones((8, 8))[::2, ::2], STRIDED, A.T), (STRIDED @ A.T,)),
    ("gemm", (np.ones((4, 3)), zeros(4, 0), zeros(0, 3)), (zeros(4, 3),)),
    ("solve", (zeros(4, 3), A, B), (np.linalg.solve(A, B),)),
    ("solve", (zeros(4), A.T, B[:, 0]), (np.linalg.solve(A.T, B[:, 0]),)),
    ("inv", (zeros(4, 4), STRIDED), (np.linalg.inv(STRIDED),)),
    ("det", (zeros(1), A), (np.array([np.linalg.det(A)]),)),
    ("cofactor", (zeros(4, 4), A), (np.linalg.det(A) * np.linalg.inv(A).T,)),
    ("slogdet", (zeros(1), zeros(1), A), tuple(np.array([x]) for x in np.linalg.slogdet(A))),
    ("cholesky", (zeros(4, 4), S), (np.linalg.cholesky(S),)),
    ("eigh", (zeros(4), zeros(4, 4), S), tuple(np.linalg.eigh(S))),
    ("svd", (zeros(4, 3), zeros(3), zeros(3, 3), B), tuple(np.linalg.svd(B, full_matrices=False))),
    ("qr", (zeros(4, 3), zeros(3, 3), B), tuple(np.linalg.qr(B))),
    ("pinv", (zeros(3, 4), B), (np.linalg.pinv(B),)),
    ("pinv", (zeros(4, 3), B.T, True), (np.linalg.pinv(B.T),)),
    ("argsort", (zeros(4, dtype=np.int64), np.array([2.0, 0.0, 2.0, -1.0])), (np.array([3, 1, 0, 2]),)),
]


def fresh(args: tuple[Any, ...], outs: int, dtype: Any) -> list[Any]:
    """The arguments with outputs copied, floats of another width."""
    narrow = [a.astype(dtype) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else a for a in args]
    return [a.copy() if k < outs else a for k, a in enumerate(narrow)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("name", "args", "wanted"), CALLS)
def test_values(name: str, args: tuple[Any, ...], wanted: tuple[Any, ...], dtype: Any) -> None:
    given = fresh(args, len(wanted), dtype)
    getattr(routines, name)(*given)
    for got, right in zip(given, wanted, strict=False):
        np.testing.assert_allclose(got, right, rtol=1e-10 if dtype == np.float64 else 2e-4, atol=1e-10)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "args", "wanted"), CALLS)
def test_compiled(name: str, args: tuple[Any, ...], wanted: tuple[Any, ...]) -> None:
    space = {"routine": getattr(routines, name)}
    names = ", ".join(f"x{k}" for k in range(len(args)))
    exec(f"def call({names}):\n    routine({names})", space)
    given = [a.copy() if k < len(wanted) and isinstance(a, np.ndarray) else a for k, a in enumerate(args)]
    numba.njit(space["call"])(*given)
    for got, right in zip(given, wanted, strict=False):
        np.testing.assert_allclose(got, right, rtol=1e-9, atol=1e-12)


def test_every_routine_is_implemented() -> None:
    """Draws are in `draws`; rules and checkpoints become copies, `show` becomes `print` and an opaque
    function is called by its own name.
    """
    apart = ("checkpoint_", "checkpointed_passes", "draw_", "opaque_", "rule_", "show")
    assert {r for r in ROUTINES if not r.startswith(apart)} <= set(dir(routines))


@pytest.mark.parametrize("a", [A, np.arange(9.0).reshape(3, 3), np.zeros((3, 3)), np.diag([1.0, 0.0, 0.0])])
def test_cofactors_are_the_derivative_of_the_determinant(a: np.ndarray) -> None:
    n = len(a)
    direction = RNG.normal(size=(n, n))
    found, change = zeros(n, n), zeros(n, n)
    routines.cofactor(found, a)
    minors = np.array(
        [
            [(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(n)]
            for i in range(n)
        ]
    )
    np.testing.assert_allclose(found, minors, atol=1e-12)
    routines.cofactor_derivative(change, a, direction)
    above, below, step = zeros(n, n), zeros(n, n), 1e-5
    routines.cofactor(above, a + step * direction)
    routines.cofactor(below, a - step * direction)
    np.testing.assert_allclose(change, (above - below) / (2 * step), atol=1e-7)


LAYOUTS = {
    "rows": lambda n, m: RNG.normal(size=(n, m)),
    "columns": lambda n, m: RNG.normal(size=(m, n)).T,
    "part of rows": lambda n, m: RNG.normal(size=(n, m + 3))[:, 1 : m + 1],
    "every other row": lambda n, m: RNG.normal(size=(2 * n, m))[::2],
    "backwards": lambda n, m: RNG.normal(size=(n, m))[::-1],
    "neither": lambda n, m: RNG.normal(size=(2 * n, 2 * m))[::2, ::2],
    "part of columns": lambda n, m: RNG.normal(size=(m + 2, n + 1))[1 : m + 1, :n].T,
}


@numba.njit
def product(out, a, b, accumulate):
    routines.gemm(out, a, b, accumulate)


@pytest.mark.compiled
@pytest.mark.parametrize("layout", LAYOUTS)
def test_products_of_any_layout(layout: str) -> None:
    make, rows = LAYOUTS[layout], LAYOUTS["rows"]
    for m, k, n in ((3, 4, 5), (1, 4, 5), (3, 1, 1), (1, 1, 1), (2, 3, 1)):
        for makers in ((make, rows, rows), (rows, make, rows), (rows, rows, make)):
            out, a, b = (f(*size) for f, size in zip(makers, ((m, n), (m, k), (k, n)), strict=True))
            for accumulate in (False, True):
                wanted = a @ b + (out if accumulate else 0)
                product(out, a, b, accumulate)
                np.testing.assert_allclose(out, wanted, rtol=1e-12, atol=1e-13)
