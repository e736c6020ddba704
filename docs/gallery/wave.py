"""What lies below: an inverse problem of the wave equation

A pulse runs through layers of unknown speed, and its echo is recorded at one end. The speeds are found from
that recording by the gradient of a time loop: some ten parameters, or ten thousand, at the cost of one
reverse sweep.
"""

import numpy as np
from scipy.optimize import minimize

import adjit


def recording(speed, steps, dt, dx):
    """The displacement next to the left end at each step."""
    n = speed.shape[0]
    old, now, new = np.zeros(n), np.zeros(n), np.zeros(n)
    seen = np.zeros(steps)
    for t in range(steps):
        for i in range(1, n - 1):
            bend = now[i - 1] - 2.0 * now[i] + now[i + 1]
            new[i] = 2.0 * now[i] - old[i] + (speed[i] * dt / dx) ** 2 * bend
        new[0] = np.exp(-((t - 12.0) ** 2) / 18.0)  # the hammer
        old, now, new = now, new, old
        seen[t] = now[2]
    return seen


def layered(layers, width):
    """The speed at each point."""
    speed = np.zeros(layers.shape[0] * width)
    for k in range(layers.shape[0]):
        for i in range(width):
            speed[k * width + i] = layers[k]
    return speed


def misfit(layers, observed, width, dt, dx):
    seen = recording(layered(layers, width), observed.shape[0], dt, dx)
    return 0.5 * np.sum((seen - observed) ** 2)


def main(width=8, steps=110):
    truth = np.array([1.0, 1.3, 0.8, 1.1])
    observed = recording(layered(truth, width), steps, 0.5, 1.0)
    found = minimize(
        adjit.value_and_grad(misfit),
        np.ones(4),
        args=(observed, width, 0.5, 1.0),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.5, 1.8)] * 4,
    )
    print("found", found.x, "truth", truth, "misfit", found.fun)
    return found.x, truth


if __name__ == "__main__":
    main()
