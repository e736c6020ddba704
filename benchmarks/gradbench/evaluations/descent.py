"""Gradient descent with a step that doubles after ten successes and halves after a failure.

The derivative of a function is passed in, so that the searches of `particle` and `saddle` nest: the function
may itself contain a search, or a derivative.
"""

from __future__ import annotations

import numpy as np

import adjit


def reverse(function, x):
    """The gradient in reverse mode."""
    return adjit.grad(function)(x)


def forward(function, x):
    """The gradient in tangent mode, one direction at a time."""
    gradient = np.empty_like(x)
    for k in range(x.shape[0]):
        direction = np.zeros_like(x)
        direction[k] = 1.0
        gradient[k] = adjit.jvp(function, (x,), (direction,))[1]
    return gradient


MODES = {"f": forward, "r": reverse}


def norm(v):
    return np.sqrt(np.sum(v * v))


def lowest(function, derivative, start):
    """Where `function` is least, as far as the search comes from `start`."""
    x = start.copy()
    value, slope = function(x), derivative(function, x)
    step, successes = 1e-5, 0
    while norm(slope) > 1e-5:
        if successes == 10:
            step, successes = 2.0 * step, 0
            continue
        moved = x - step * slope
        if norm(x - moved) <= 1e-5:
            break
        value_there = function(moved)
        if value_there < value:
            x, value, successes = moved, value_there, successes + 1
            slope = derivative(function, x)
        else:
            step, successes = step / 2.0, 0
    return x
