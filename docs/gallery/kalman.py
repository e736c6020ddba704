"""The likelihood of a Kalman filter

A hidden level moves at random and is seen with noise. How large are the two noises? The filter's likelihood
says so; its gradient runs backwards through the filter, and its Hessian gives standard errors.
"""

import math

import numpy as np
from scipy.optimize import minimize

import adjit


def negative_log_likelihood(log_spread, seen):
    """`log_spread`: logarithms of the standard deviations of the level's steps and of the observations."""
    q, r = math.exp(2.0 * log_spread[0]), math.exp(2.0 * log_spread[1])
    level, variance = seen[0], r
    total = 0.0
    for t in range(1, seen.shape[0]):
        variance += q
        innovation = seen[t] - level
        spread = variance + r
        total += 0.5 * (math.log(2.0 * math.pi * spread) + innovation**2 / spread)
        gain = variance / spread
        level += gain * innovation
        variance *= 1.0 - gain
    return total


def main(steps=400, seed=0):
    truth = np.array([0.3, 0.8])
    rng = np.random.default_rng(seed)
    seen = np.cumsum(truth[0] * rng.normal(size=steps)) + truth[1] * rng.normal(size=steps)
    objective = adjit.value_and_grad(negative_log_likelihood)
    found = minimize(objective, np.zeros(2), args=(seen,), jac=True, method="BFGS")
    curvature = adjit.hessian(negative_log_likelihood)(found.x, seen)
    errors = np.sqrt(np.diag(np.linalg.inv(curvature)))  # of the logarithms
    print("found", np.exp(found.x), "truth", truth, "relative standard errors", errors)
    return np.exp(found.x), truth, errors


if __name__ == "__main__":
    main()
