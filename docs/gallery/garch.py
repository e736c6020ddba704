"""Maximum likelihood of a GARCH(1,1) model

Today's variance of a return follows from yesterday's variance and shock: a recurrence that a tracing tool
would unroll. Here it is a loop, and the reverse sweep keeps one number per day.
"""

import math

import numpy as np
from scipy.optimize import minimize

import adjit


def negative_log_likelihood(theta, returns):
    omega, alpha, beta = theta
    h = np.var(returns)
    total = 0.0
    for t in range(returns.shape[0]):
        total += math.log(2.0 * math.pi * h) + returns[t] ** 2 / h
        h = omega + alpha * returns[t] ** 2 + beta * h
    return 0.5 * total / returns.shape[0]


def simulated(truth, days, seed=0):
    rng = np.random.default_rng(seed)
    returns = np.empty(days)
    h = truth[0] / (1.0 - truth[1] - truth[2])
    for t in range(days):
        returns[t] = math.sqrt(h) * rng.normal()
        h = truth[0] + truth[1] * returns[t] ** 2 + truth[2] * h
    return returns


def main(days=1500):
    truth = np.array([0.1, 0.12, 0.8])
    returns = simulated(truth, days)
    found = minimize(
        adjit.value_and_grad(negative_log_likelihood),
        np.array([0.2, 0.05, 0.7]),
        args=(returns,),
        jac=True,
        method="L-BFGS-B",
        bounds=[(1e-4, 5.0), (1e-4, 0.5), (0.1, 0.999)],
    )
    print("found", found.x, "drawn with", truth)
    return found.x, returns


if __name__ == "__main__":
    main()
