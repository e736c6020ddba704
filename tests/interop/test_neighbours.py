"""What needs no adapter: SciPy's solvers with our derivatives, scikit-learn estimators, joblib and Dask."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares, minimize, root

import adjit


def rosenbrock(x):
    s = 0.0
    for i in range(x.shape[0] - 1):
        s += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return s


def decay(p, t, y):
    return p[0] * np.exp(-p[1] * t) + p[2] - y


def circle_and_line(x):
    return np.array([x[0] ** 2 + x[1] ** 2 - 4.0, x[0] - x[1]])


def robertson(y):
    """Stiff kinetics: an implicit solver needs the Jacobian."""
    a, b, c = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return np.array([b - a, a - b - c, c])


def test_minimize() -> None:
    found = minimize(adjit.value_and_grad(rosenbrock), np.full(5, -1.2), jac=True, method="BFGS")
    np.testing.assert_allclose(found.x, np.ones(5), atol=1e-5)


def test_minimize_with_hessian() -> None:
    found = minimize(
        rosenbrock,
        np.full(3, -1.2),
        jac=adjit.grad(rosenbrock),
        hess=adjit.hessian(rosenbrock),
        method="trust-exact",
    )
    np.testing.assert_allclose(found.x, np.ones(3), atol=1e-6)


def test_least_squares(rng: np.random.Generator) -> None:
    t = np.linspace(0.0, 4.0, 50)
    y = 2.0 * np.exp(-1.3 * t) + 0.5
    found = least_squares(decay, np.array([1.0, 1.0, 0.0]), jac=adjit.jacfwd(decay), args=(t, y))
    np.testing.assert_allclose(found.x, [2.0, 1.3, 0.5], atol=1e-7)


def test_root() -> None:
    found = root(circle_and_line, np.array([1.0, 0.5]), jac=adjit.jacrev(circle_and_line))
    np.testing.assert_allclose(found.x, np.sqrt([2.0, 2.0]), atol=1e-9)


def test_solve_ivp() -> None:
    jacobian = adjit.jacfwd(robertson)
    found = solve_ivp(
        lambda t, y: robertson(y),
        (0.0, 40.0),
        np.array([1.0, 0.0, 0.0]),
        method="Radau",
        jac=lambda t, y: jacobian(y),
        rtol=1e-8,
        atol=1e-12,
    )
    # Hairer and Wanner, Solving Ordinary Differential Equations II, at t = 40.
    np.testing.assert_allclose(found.y[:, -1], [0.7158270688, 9.185534765e-6, 0.2841637457], rtol=1e-5)


def test_an_estimator_of_scikit_learn(rng: np.random.Generator) -> None:
    base = pytest.importorskip("sklearn.base")
    selection = pytest.importorskip("sklearn.model_selection")

    class Huber(base.RegressorMixin, base.BaseEstimator):
        """Robust regression, its loss a loop with a branch."""

        def __init__(self, width=1.0):
            self.width = width

        def fit(self, X, y):
            start = np.zeros(X.shape[1])
            self.coef_ = minimize(huber, start, args=(X, y, self.width), jac=True).x
            return self

        def predict(self, X):
            return X @ self.coef_

    X = rng.normal(size=(60, 3))
    y = X @ np.array([1.0, -2.0, 0.5])
    y[::10] += 50.0
    assert np.allclose(Huber(0.1).fit(X, y).coef_, [1.0, -2.0, 0.5], atol=0.1)
    search = selection.GridSearchCV(Huber(), {"width": [0.1, 10.0]}, cv=3).fit(X, y)
    assert set(search.best_params_) == {"width"}


@adjit.value_and_grad
def huber(w, X, y, width):
    total = 0.0
    for i in range(X.shape[0]):
        r = X[i] @ w - y[i]
        total += r * r if abs(r) < width else width * (2.0 * abs(r) - width)
    return total


@pytest.mark.parametrize(
    "make",
    [
        lambda: huber,
        lambda: adjit.grad(rosenbrock),
        lambda: adjit.jit(rosenbrock),
        lambda: adjit.hessian(rosenbrock),
        lambda: adjit.jacfwd(decay, argnums="p"),
        lambda: adjit.grad(huber.fun, argnums=("w", "y")),
    ],
)
def test_pickling(make) -> None:
    transform = make()
    again = pickle.loads(pickle.dumps(transform))
    assert repr(again) == repr(transform)


def test_joblib() -> None:
    joblib = pytest.importorskip("joblib")
    points = [np.full(4, x) for x in (0.5, 1.0, 1.5)]
    gradient = adjit.grad(rosenbrock)
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(gradient)(p) for p in points)
    for p, g in zip(points, found, strict=True):
        np.testing.assert_array_equal(g, gradient(p))


def test_dask() -> None:
    dask = pytest.importorskip("dask")
    gradient = adjit.grad(rosenbrock)
    tasks = [dask.delayed(gradient)(np.full(4, x)) for x in (0.5, 1.5)]
    found = dask.compute(*tasks, scheduler="processes", num_workers=2)
    np.testing.assert_array_equal(found[1], gradient(np.full(4, 1.5)))
