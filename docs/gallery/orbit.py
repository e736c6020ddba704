"""Fitting an orbit to observations

A planet's position and velocity at the start are found from noisy positions along its orbit. The model is an
integrator that overwrites its state; `jacfwd` gives `least_squares` the Jacobian of all observations at once.
"""

import numpy as np
from scipy.optimize import least_squares

import adjit


def positions(start, steps, every, dt):
    """Leapfrog around a sun of unit mass; a row for each observation."""
    x, y, u, v = start
    seen = np.zeros((steps // every, 2))
    for k in range(steps):
        u -= 0.5 * dt * x / (x * x + y * y) ** 1.5
        v -= 0.5 * dt * y / (x * x + y * y) ** 1.5
        x += dt * u
        y += dt * v
        u -= 0.5 * dt * x / (x * x + y * y) ** 1.5
        v -= 0.5 * dt * y / (x * x + y * y) ** 1.5
        if (k + 1) % every == 0:
            seen[k // every, 0] = x
            seen[k // every, 1] = y
    return seen


def residual(start, observed, steps, every, dt):
    return (positions(start, steps, every, dt) - observed).ravel()


def main(steps=400, every=20, dt=0.02, noise=1e-3):
    truth = np.array([1.0, 0.0, 0.1, 0.9])
    rng = np.random.default_rng(0)
    observed = positions(truth, steps, every, dt)
    observed = observed + noise * rng.normal(size=observed.shape)
    guess = np.array([0.95, 0.05, 0.0, 1.0])
    found = least_squares(residual, guess, jac=adjit.jacfwd(residual), args=(observed, steps, every, dt))
    print("found", found.x, "truth", truth, "in", found.nfev, "evaluations")
    return found.x, truth


if __name__ == "__main__":
    main()
