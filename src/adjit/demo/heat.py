"""A heat equation stepped in place, and the initial state recovered from the final one by gradient descent.

Purpose: the adjoint of a time loop that overwrites one array. The step is linear, so the reverse sweep keeps
nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import adjit

from . import show

SIZE, STEPS, RATE = 48, 30, 0.2
DESCENTS = 400


def diffuse(u: Any, steps: int, rate: float) -> None:
    """Explicit steps of the heat equation, in place; the border keeps its temperature."""
    n, m = u.shape
    old = np.empty(m)
    row = np.empty(m)
    for _ in range(steps):
        for j in range(m):
            old[j] = u[0, j]
        for i in range(1, n - 1):
            for j in range(m):
                row[j] = u[i, j]
            for j in range(1, m - 1):
                u[i, j] = row[j] + rate * (old[j] + u[i + 1, j] + row[j - 1] + row[j + 1] - 4.0 * row[j])
            for j in range(m):
                old[j] = row[j]


def misfit(start: Any, seen: Any, steps: int, rate: float) -> Any:
    """Half the squared distance of the final state from what was seen."""
    u = start.copy()
    diffuse(u, steps, rate)
    return 0.5 * np.sum((u - seen) ** 2)


def hidden_state() -> Any:
    """Two warm spots and a cold one, on a plate whose border is at zero."""
    y, x = np.mgrid[0:SIZE, 0:SIZE] / (SIZE - 1)
    state = np.exp(-((x - 0.3) ** 2 + (y - 0.35) ** 2) / 0.012)
    state += 0.8 * np.exp(-((x - 0.7) ** 2 + (y - 0.6) ** 2) / 0.02)
    state -= 0.6 * np.exp(-((x - 0.45) ** 2 + (y - 0.75) ** 2) / 0.01)
    return state * np.sin(np.pi * x) * np.sin(np.pi * y)


def run() -> bool:
    show.heading(
        f"4. A heat equation on {SIZE} x {SIZE} points, {STEPS} steps in place; what was there at the start?"
    )
    truth = hidden_state()
    seen = truth.copy()
    diffuse(seen, STEPS, RATE)
    gradient = adjit.value_and_grad(misfit)
    guess = last = seen
    value = first = 0.0
    for k in show.progress(range(DESCENTS), DESCENTS, lambda: f"misfit {value:.2e}"):  # noqa: B023
        value, grad = gradient(guess, seen, STEPS, RATE)
        first = first or float(value)
        grad[0] = grad[-1] = grad[:, 0] = grad[:, -1] = 0.0  # the border is known
        moved = guess - grad  # the largest curvature inside is one, hence this step
        guess, last = moved + k / (k + 3.0) * (moved - last), moved  # Nesterov's momentum
    error = float(np.sqrt(np.sum((guess - truth) ** 2) / np.sum(truth**2)))
    before = float(np.sqrt(np.sum((seen - truth) ** 2) / np.sum(truth**2)))
    print(f"  misfit {first:.2e} -> {float(value):.2e}; distance from the truth {before:.3f} -> {error:.3f}")
    _, grad = gradient(seen, seen * 0.9, STEPS, RATE)
    deviation = show.differences(lambda u: float(misfit(u, seen * 0.9, STEPS, RATE)), seen, grad, trials=2)
    show.facts(adjit.jit(misfit), gradient, (seen, seen * 0.9, STEPS, RATE), deviation)
    return float(value) < 1e-4 * first and error < 0.2 * before
