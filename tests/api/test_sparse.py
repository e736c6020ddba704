"""Sparse derivative matrices against dense ones from finite differences, and how many directions they
take.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit
from adjit.api import sparse
from adjit.runtime import coloring


def chain(x):  # type: ignore[no-untyped-def]
    out = np.zeros(x.shape[0])
    for i in range(1, x.shape[0] - 1):
        out[i] = np.sin(x[i - 1]) * x[i] + x[i + 1] ** 2
    return out


def rosenbrock(x):  # type: ignore[no-untyped-def]
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def gathered(p, index):  # type: ignore[no-untyped-def]
    out = np.zeros(index.shape[0])
    for k in range(index.shape[0]):
        out[k] = p["x"][index[k]] * p["scale"]
    return out


def laplace(u):  # type: ignore[no-untyped-def]
    r = np.zeros(u.shape)
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            r[i, j] = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j] + u[i, j] ** 3
    return r


def branching(x):  # type: ignore[no-untyped-def]
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0] - 1):
        out[i] = x[i] * x[i + 1] if x[i] > 0.0 else x[i]
    return out


def product(x, a):  # type: ignore[no-untyped-def]
    return np.linalg.solve(a, x)


def dense(fun: Callable[..., Any], x: Any) -> Any:
    """Central differences, column by column."""
    columns = []
    for k in range(x.size):
        d = np.zeros(x.size)
        d[k] = 1e-5
        d = d.reshape(x.shape)
        columns.append((np.ravel(fun(x + d)) - np.ravel(fun(x - d))) / 2e-5)
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("fun", [chain, laplace, branching])
def test_jacobians(fun: Callable[..., Any], rng: np.random.Generator) -> None:
    x = rng.normal(size=(6, 5) if fun is laplace else 30)
    found = adjit.sparse_jacobian(fun)(x)
    np.testing.assert_allclose(found.toarray(), dense(fun, x), atol=1e-6)
    assert found.nnz < 0.3 * x.size**2


def gradient_of_rosenbrock(x: Any) -> Any:
    g = np.zeros(x.size)
    g[1:] += 200.0 * (x[1:] - x[:-1] ** 2)
    g[:-1] += -400.0 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2.0 * (1.0 - x[:-1])
    return g


def test_hessians(rng: np.random.Generator) -> None:
    x = rng.normal(size=25)
    found = adjit.sparse_hessian(rosenbrock)(x)
    np.testing.assert_allclose(found.toarray(), dense(gradient_of_rosenbrock, x), rtol=1e-6, atol=1e-4)
    assert found.nnz <= 3 * 25


@pytest.mark.compiled
def test_few_runs_for_many_columns(monkeypatch: pytest.MonkeyPatch, compiled: None) -> None:
    """A tridiagonal matrix of 20,000 columns takes three directions and a handful of runs of masks."""
    n = 20_000
    x = np.linspace(0.1, 1.0, n)
    counts: dict[str, int] = {}
    kept = sparse.Pushed.run

    def run(self: Any, leaves: Any, directions: Any) -> Any:
        kind = str(directions[0].dtype)
        counts[kind] = counts.get(kind, 0) + 1
        return kept(self, leaves, directions)

    monkeypatch.setattr(sparse.Pushed, "run", run)
    found = adjit.sparse_jacobian(chain)(x)
    assert counts["float64"] == 3 and counts["int64"] < 15
    assert found.shape == (n, n) and found.nnz == 3 * (n - 2)
    np.testing.assert_allclose(found.diagonal(-1)[: n - 2], np.cos(x[:-2]) * x[1:-1])
    np.testing.assert_allclose(found.diagonal(1)[1:], 2.0 * x[2:])


def test_structures(rng: np.random.Generator) -> None:
    p, index = {"x": rng.normal(size=12), "scale": 1.5}, np.array([3, 3, 0, 7])
    found = adjit.sparse_jacobian(gathered)(p, index)
    expected = np.zeros((4, 12))
    expected[np.arange(4), index] = 1.5
    np.testing.assert_allclose(found["x"].toarray(), expected)
    np.testing.assert_allclose(found["scale"].toarray()[:, 0], p["x"][index])


def test_a_dense_matrix_says_why(rng: np.random.Generator) -> None:
    a, x = rng.normal(size=(150, 150)) + 20.0 * np.eye(150), rng.normal(size=150)
    with pytest.warns(adjit.AdjitWarning, match="column by column"):
        found = adjit.sparse_jacobian(product)(x, a)
    np.testing.assert_allclose(found.toarray(), np.linalg.inv(a), rtol=1e-8, atol=1e-10)


def test_no_columns_and_no_entries() -> None:
    assert adjit.sparse_jacobian(lambda x: np.zeros(3) + np.floor(x[0]))(np.ones(4)).nnz == 0


def test_colours_differ_in_each_row(rng: np.random.Generator) -> None:
    rows, columns = rng.integers(0, 40, 300), rng.integers(0, 60, 300)
    colour = coloring.colours(rows, columns, (40, 60))
    for r in range(40):
        own = np.unique(columns[rows == r])
        assert len(set(colour[own])) == own.size


def test_sparsity_of_random_matrices(rng: np.random.Generator) -> None:
    for density in (0.0, 0.01, 0.05):
        a = rng.random((50, 200)) < density

        def run(masks: Any, a: Any = a) -> Any:
            return np.bitwise_or.reduce(np.where(a, masks[None, :], 0), axis=1)

        pairs = coloring.sparsity(run, 200, most=2.0)
        assert pairs is not None
        found = np.zeros_like(a)
        found[pairs] = True
        np.testing.assert_array_equal(found, a)


def test_no_columns(recwarn: pytest.WarningsRecorder) -> None:
    found = adjit.sparse_jacobian(lambda x: x * x)(np.zeros(0))
    assert found.shape == (0, 0) and not recwarn.list
