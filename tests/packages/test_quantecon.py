"""Economics: roots, linear programs, Markov chains, quadrature and inequality measures of quantecon.

Where a routine of the package writes into its arguments or takes a function, a few lines around it call it as
its users do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("quantecon", reason="the extra `packages` is not installed")

import numba
from quantecon import quad
from quantecon._inequality import gini_coefficient, lorenz_curve
from quantecon._lss import simulate_linear_model
from quantecon.markov.approximation import _fill_tauchen, std_norm_cdf
from quantecon.markov.gth_solve import _gth_solve_jit
from quantecon.optimize import linprog_simplex, root_finding
from quantecon.optimize.lcp_lemke import lcp_lemke
from quantecon.optimize.scalar_maximization import brent_max

from .judged import Case, check

pytestmark = pytest.mark.slow

P = np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.4, 0.2, 0.4]])
INCOMES = np.array([1.3, 0.4, 2.2, 0.9])


@numba.njit
def cubic(x: float, a: float, b: float) -> float:
    return x**3 - a * x - b


@numba.njit
def cubic_prime(x: float, a: float, b: float) -> float:
    return 3 * x**2 - a


@numba.njit
def cubic_second(x: float, a: float, b: float) -> float:
    return 6 * x


@numba.njit
def hill(x: float, a: float) -> float:
    return -((x - a) ** 2) * (1 + 0.1 * x)


def stationary(P: Any) -> Any:
    out = np.zeros(3)
    reduced = P.copy()
    _gth_solve_jit(reduced, out)
    return out


def tauchen(rho: float, sigma: float) -> Any:
    transitions = np.empty((4, 4))
    _fill_tauchen(np.linspace(-1.0, 1.0, 4), transitions, 4, rho, sigma, 0.33)
    return transitions


def newton(a: float, b: float) -> Any:
    return root_finding.newton(cubic, 2.0, cubic_prime, args=(a, b)).root


def halley(a: float, b: float) -> Any:
    return root_finding.newton_halley(cubic, 2.0, cubic_prime, cubic_second, args=(a, b)).root


def secant(a: float, b: float) -> Any:
    return root_finding.newton_secant(cubic, 2.0, args=(a, b)).root


def brentq(a: float, b: float) -> Any:
    return root_finding.brentq(cubic, 1.0, 3.0, args=(a, b)).root


def highest(a: float) -> Any:
    return brent_max(hill, -3.0, 3.0, args=(a,))[1]


def complementary(M: Any, q: Any) -> Any:
    return lcp_lemke(M, q).z


def cost(c: Any, A: Any, b: Any) -> Any:
    return linprog_simplex(c, A, b).fun


def legendre(a: float, b: float) -> Any:
    nodes, weights = quad._qnwlege1(5, a, b)
    return np.sum(weights * np.exp(nodes))


def gamma_quadrature(a: float, b: float) -> Any:
    nodes, weights = quad._qnwgamma1(5, a, b)
    return np.sum(weights * np.sin(nodes))


def beta_quadrature(a: float, b: float) -> Any:
    nodes, weights = quad._qnwbeta1(5, a, b)
    return np.sum(weights * np.sin(nodes))


CASES = [
    Case(lorenz_curve, (INCOMES,), (0,)),
    Case(gini_coefficient, (INCOMES,), (0,)),
    Case(simulate_linear_model, (0.9 * P, np.array([1.0, 2.0, 3.0]), np.full((3, 5), 0.1), 6), (0, 1, 2)),
    Case(std_norm_cdf, (0.3,), (0,)),
    Case(stationary, (P,), (0,)),
    Case(tauchen, (0.8, 0.3), (0, 1)),
    *(Case(f, (1.0, 3.0), (0, 1), 1e-5) for f in (newton, halley, secant, brentq)),
    Case(highest, (1.0,), (0,)),
    Case(complementary, (np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([-1.0, -2.0])), (0, 1)),
    Case(cost, (np.array([2.0, 3.0]), np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([4.0, 5.0])), (0, 1, 2)),
    Case(legendre, (0.2, 1.4), (0, 1)),
    Case(gamma_quadrature, (1.2, 1.4), (0, 1)),
    Case(beta_quadrature, (1.2, 1.4), (0, 1)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_gradient(case: Case) -> None:
    check(case)
