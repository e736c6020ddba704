"""A charged particle that two fixed charges push: where one of them must be for it to pass the origin.

The particle's path is followed by Euler's method; its acceleration is the gradient of the potential. What is
minimised by gradient descent is the square of the place where it crosses the axis, as a function of `w`.
`fr` means tangent mode for the search, reverse mode for the acceleration, and so on.
"""

from __future__ import annotations

import numpy as np

import adjit

from ..protocol import Served
from .descent import MODES, lowest

TIME_STEP = 0.1


def potential(x, w):
    total = 0.0
    for height in (10.0 - w, 0.0):
        total += 1.0 / np.sqrt((x[0] - 10.0) ** 2 + (x[1] - height) ** 2)
    return total


def crossing(w, derivative):
    """The square of the place where the particle meets the axis."""
    x = np.array([0.0, 8.0])
    velocity = np.array([0.75, 0.0])
    while True:
        acceleration = -derivative(lambda place: potential(place, w), x)
        moved = x + TIME_STEP * velocity
        if moved[1] <= 0.0:
            break
        x = moved
        velocity = velocity + TIME_STEP * acceleration
    remaining = -x[1] / velocity[1]
    return (x[0] + remaining * velocity[0]) ** 2


def solver(outer, inner):
    def solve(w):
        return lowest(lambda v: crossing(v[0], inner), outer, np.array([w]))[0]

    return adjit.jit(solve)


def prepare(given):
    return (float(given["w"]),)


FUNCTIONS = {a + b: Served(prepare, solver(MODES[a], MODES[b])) for a in "fr" for b in "fr"}
