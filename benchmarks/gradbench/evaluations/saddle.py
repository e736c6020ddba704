"""A saddle point: the least over x of the greatest over y of |x|^2 - |y|^2, both by gradient descent.

The search over x differentiates a function that contains the search over y, which differentiates the payoff.
`fr` means tangent mode outside, reverse mode inside, and so on.
"""

from __future__ import annotations

import numpy as np

import adjit

from ..protocol import Served
from .descent import MODES, lowest


def payoff(x, y):
    return np.sum(x * x) - np.sum(y * y)


def best_reply(x, derivative, start):
    """Where the payoff against `x` is greatest."""
    return lowest(lambda y: -payoff(x, y), derivative, start)


def solver(outer, inner):
    def solve(start):
        def worst(x):
            return payoff(x, best_reply(x, inner, start))

        x = lowest(worst, outer, start)
        return np.concatenate((x, best_reply(x, outer, start)))

    return adjit.jit(solve)


def prepare(given):
    return (np.array(given["start"], dtype=np.float64),)


FUNCTIONS = {a + b: Served(prepare, solver(MODES[a], MODES[b])) for a in "fr" for b in "fr"}
