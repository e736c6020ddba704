"""A likelihood that is a loop: an autoregression."""

from __future__ import annotations

import numpy as np


def autoregression(slope, spread, x):
    """Log-likelihood of x[t] = slope x[t-1] + spread e[t]."""
    total = 0.0
    for t in range(1, x.shape[0]):
        e = (x[t] - slope * x[t - 1]) / spread
        total -= 0.5 * e * e + np.log(spread)
    return total


def data():
    rng = np.random.default_rng(3)
    x = np.zeros(200)
    for t in range(1, 200):
        x[t] = 0.6 * x[t - 1] + 0.5 * rng.normal()
    return x
