"""A linear chain of differential equations, integrated by Runge and Kutta's method of fourth order.

y_0' = x_0 and y_i' = x_i y_(i-1), from y = 0 at time 0 to time 2 in s steps. The gradient is that of the last
component of the result.
"""

from __future__ import annotations

import numpy as np

import adjit

from ..protocol import Served


def slope(x, y):
    z = np.empty_like(x)
    z[0] = x[0]
    z[1:] = x[1:] * y[:-1]
    return z


def solution(x, steps):
    h = 2.0 / steps
    y = np.zeros_like(x)
    for _ in range(steps):
        k1 = slope(x, y)
        k2 = slope(x, y + 0.5 * h * k1)
        k3 = slope(x, y + 0.5 * h * k2)
        k4 = slope(x, y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def last(x, steps):
    return solution(x, steps)[-1]


def prepare(given):
    return np.array(given["x"], dtype=np.float64), int(given["s"])


FUNCTIONS = {
    "primal": Served(prepare, adjit.jit(solution)),
    "gradient": Served(prepare, adjit.grad(last)),
}
