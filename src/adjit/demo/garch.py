"""Maximum likelihood of a GARCH(1,1) model over daily returns: a scalar recurrence in a loop.

The returns are drawn with a fixed seed from the model itself, with Student-t shocks as markets have them, at
parameters that are usual for a stock index; so the estimates can be held against the truth.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import minimize

import adjit

from . import show

TRUTH = {"mean": 0.05, "omega": 0.02, "alpha": 0.09, "beta": 0.89}  # per cent per day
DAYS = 5000


def negative_log_likelihood(theta: Any, returns: Any) -> Any:
    """Per day, of normal shocks with variance h[t] = omega + alpha e[t-1]^2 + beta h[t-1]."""
    mean, omega, alpha, beta = theta
    h = 0.0
    for t in range(returns.shape[0]):
        h += (returns[t] - mean) ** 2
    h /= returns.shape[0]
    total = 0.0
    for t in range(returns.shape[0]):
        e = returns[t] - mean
        total += math.log(2.0 * math.pi * h) + e * e / h
        h = omega + alpha * e * e + beta * h
    return 0.5 * total / returns.shape[0]


def simulate() -> Any:
    rng = np.random.default_rng(7)
    shocks = rng.standard_t(8, DAYS) / math.sqrt(8 / 6)  # variance one
    h = TRUTH["omega"] / (1 - TRUTH["alpha"] - TRUTH["beta"])
    returns = np.empty(DAYS)
    for t in range(DAYS):
        e = math.sqrt(h) * shocks[t]
        returns[t] = TRUTH["mean"] + e
        h = TRUTH["omega"] + TRUTH["alpha"] * e * e + TRUTH["beta"] * h
    return returns


def run() -> bool:
    show.heading(f"3. Maximum likelihood of a GARCH(1,1) model over {DAYS} daily returns")
    returns = simulate()
    gradient = adjit.value_and_grad(negative_log_likelihood)
    guess = np.array([0.0, 0.1, 0.05, 0.8])
    calls = 0

    def objective(theta: Any) -> tuple[float, Any]:
        nonlocal calls
        calls += 1
        value, grad = gradient(theta, returns)
        return float(value), grad

    found = minimize(
        objective,
        guess,
        jac=True,
        method="L-BFGS-B",
        bounds=[(-1, 1), (1e-4, 1), (1e-4, 0.5), (0.3, 0.999)],
        options={"ftol": 1e-13, "gtol": 1e-8},
    )
    print(f"  L-BFGS-B: {found.nit} iterations, {calls} gradients, {found.fun:.6f} per day")
    for name, value, start in zip(TRUTH, found.x, guess, strict=True):
        print(f"    {name:6} {value:8.4f}   (drawn with {TRUTH[name]:.4f}, started at {start:.2f})")
    value, grad = gradient(guess, returns)
    deviation = show.differences(lambda theta: float(negative_log_likelihood(theta, returns)), guess, grad)
    show.facts(adjit.jit(negative_log_likelihood), gradient, (guess, returns), deviation)
    close = abs(found.x[2] - TRUTH["alpha"]) < 0.03 and abs(found.x[3] - TRUTH["beta"]) < 0.04
    return bool(found.fun < value and close)
