"""A neural ODE, in loops

A small network is the right-hand side of a differential equation, solved by Runge and Kutta's method; it is
trained so that the solution passes through a spiral's points. Nothing but loops and arrays: no solver
library, no tape.
"""

import numpy as np

import adjit


def field(p, state):
    hidden = np.tanh(p["w1"] @ state + p["b1"])
    return p["w2"] @ hidden


def misfit(p, start, target, substeps, dt):
    state = start.copy()
    total = 0.0
    for k in range(target.shape[0]):
        for _ in range(substeps):
            k1 = field(p, state)
            k2 = field(p, state + 0.5 * dt * k1)
            k3 = field(p, state + 0.5 * dt * k2)
            k4 = field(p, state + dt * k3)
            state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        total += np.sum((state - target[k]) ** 2)
    return total / target.shape[0]


def main(points=8, steps=60, rate=0.05):
    t = np.arange(1, points + 1) * 0.25
    target = np.exp(-0.3 * t)[:, None] * np.c_[np.cos(2.0 * t), np.sin(2.0 * t)]
    start = np.array([1.0, 0.0])
    rng = np.random.default_rng(0)
    p = {"w1": rng.normal(size=(8, 2)), "b1": np.zeros(8), "w2": 0.3 * rng.normal(size=(2, 8))}
    mean = {key: np.zeros_like(value) for key, value in p.items()}
    square = {key: np.zeros_like(value) for key, value in p.items()}
    gradient = adjit.value_and_grad(misfit)
    values = []
    for step in range(1, steps + 1):  # Adam
        value, g = gradient(p, start, target, 2, 0.125)
        values.append(value)
        for key in p:
            mean[key] += 0.1 * (g[key] - mean[key])
            square[key] += 0.01 * (g[key] ** 2 - square[key])
            p[key] -= rate * mean[key] / (1 - 0.9**step) / (np.sqrt(square[key] / (1 - 0.99**step)) + 1e-8)
    print(f"misfit {values[0]:.3f} -> {values[-1]:.5f}")
    return values


if __name__ == "__main__":
    main()
