"""`hvp`, `hessian`, `jacfwd`, `jacrev`."""

from __future__ import annotations

import numpy as np
import pytest

import adjit


def quadratic(x, a):
    return 0.5 * x @ (a @ x)


def outer(x, y):
    return x[:, None] * y[None, :]


A = np.array([[2.0, 1.0], [1.0, 3.0]])
X = np.array([1.0, -2.0])


def test_products_with_the_hessian() -> None:
    np.testing.assert_allclose(adjit.hvp(quadratic, (X, A), np.array([1.0, 0.0])), A[0])
    assert adjit.hvp(lambda x: x**3, (2.0,), 1.0) == pytest.approx(12.0)
    with pytest.raises(adjit.SeedError):
        adjit.hvp(quadratic, (X, A), np.ones(3))


def test_hessians() -> None:
    np.testing.assert_allclose(adjit.hessian(quadratic)(X, A), A)
    (xx, xa), (ax, aa) = adjit.hessian(quadratic, argnums=(0, 1))(X, A)
    assert xx.shape == (2, 2) and xa.shape == (2, 2, 2) and ax.shape == (2, 2, 2) and aa.shape == (2,) * 4
    np.testing.assert_allclose(xa, np.moveaxis(ax, -1, 0))
    assert adjit.hessian(lambda x: x**3)(2.0) == pytest.approx(12.0)


@pytest.mark.parametrize("jacobian", [adjit.jacfwd, adjit.jacrev])
def test_jacobians(jacobian) -> None:
    y = np.array([3.0, 4.0, 5.0])
    of_x, of_y = jacobian(outer, argnums=(0, 1))(X, y)
    np.testing.assert_allclose(of_x, np.einsum("ik,j->ijk", np.eye(2), y))
    np.testing.assert_allclose(of_y, np.einsum("i,jk->ijk", X, np.eye(3)))
    assert jacobian(lambda x: x * x)(3.0) == 6.0
    assert jacobian(lambda x: x * 2.0)(np.zeros(0)).shape == (0, 0)


def test_structures() -> None:
    def f(p):
        return {"s": np.sum(p["x"]) * p["c"], "v": p["x"] * p["c"]}

    p = {"x": np.array([1.0, 2.0]), "c": 3.0}
    for jacobian in (adjit.jacfwd, adjit.jacrev):
        j = jacobian(f)(p)
        np.testing.assert_allclose(j["s"]["x"], [3, 3])
        assert j["s"]["c"] == 3.0
        np.testing.assert_allclose(j["v"]["x"], 3 * np.eye(2))
        np.testing.assert_allclose(j["v"]["c"], [1, 2])


def _diffusion(u, steps):  # type: ignore[no-untyped-def]
    u = u.copy()
    for _ in range(steps):
        left = u[0]
        for i in range(1, u.shape[0] - 1):
            here = u[i]
            u[i] = here + 0.1 * np.sin(left - 2.0 * here + u[i + 1])
            left = here
    return np.sum(u * u)


@pytest.mark.compiled
@pytest.mark.slow
def test_a_product_costs_at_most_four_gradients(compiled: None) -> None:
    import time

    u, v = np.linspace(0.0, 1.0, 2000), np.ones(2000)

    def best(run):  # type: ignore[no-untyped-def]
        run()
        times = []
        for _ in range(15):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        return min(times)

    gradient = adjit.grad(_diffusion)
    assert best(lambda: adjit.hvp(_diffusion, (u, 50), v)) < 4.0 * best(lambda: gradient(u, 50))
