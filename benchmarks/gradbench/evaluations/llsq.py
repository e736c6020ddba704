"""Least squares: a polynomial against the sign function on equidistant points of [-1, 1]."""

from __future__ import annotations

import numpy as np

import adjit

from ..protocol import Served


def objective(x, n):
    total = 0.0
    for i in range(n):
        t = -1.0 + i * 2.0 / (n - 1)
        residual, power = np.sign(t), 1.0
        for j in range(x.shape[0]):
            residual -= x[j] * power
            power *= t
        total += residual * residual
    return 0.5 * total


def prepare(given):
    return np.array(given["x"], dtype=np.float64), int(given["n"])


FUNCTIONS = {
    "primal": Served(prepare, adjit.jit(objective)),
    "gradient": Served(prepare, adjit.grad(objective)),
}
