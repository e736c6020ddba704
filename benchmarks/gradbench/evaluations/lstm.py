"""A recurrent network with gates and diagonal weights; the mean logarithm of what it predicts of a sequence.

`main_params` has two rows per layer, weights and biases of the gates (forget, in, out, change) side by side.
`extra_params` has three rows: weights of the input, weights and biases of the output. `state` has two rows
per layer, hidden and cell.
"""

from __future__ import annotations

import numpy as np

import adjit

from ..protocol import Served


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def layer(x, weight, bias, hidden, cell, b):
    """One layer's next hidden values and cell."""
    forget = sigmoid(x * weight[:b] + bias[:b])
    ingate = sigmoid(hidden * weight[b : 2 * b] + bias[b : 2 * b])
    outgate = sigmoid(x * weight[2 * b : 3 * b] + bias[2 * b : 3 * b])
    change = np.tanh(hidden * weight[3 * b :] + bias[3 * b :])
    cell = cell * forget + ingate * change
    return outgate * np.tanh(cell), cell


def loss(main_params, extra_params, state, sequence):
    steps, b = sequence.shape
    state = state.copy()
    total = 0.0
    for t in range(steps - 1):
        x = sequence[t] * extra_params[0]
        for k in range(main_params.shape[0] // 2):
            weight, bias = main_params[2 * k], main_params[2 * k + 1]
            hidden, cell = layer(x, weight, bias, state[2 * k], state[2 * k + 1], b)
            state[2 * k] = hidden
            state[2 * k + 1] = cell
            x = hidden
        prediction = x * extra_params[1] + extra_params[2]
        normalised = prediction - np.log(np.sum(np.exp(prediction)) + 2.0)
        total += np.sum(sequence[t + 1] * normalised)
    return -total / ((steps - 1) * b)


def prepare(given):
    names = ("main_params", "extra_params", "state", "sequence")
    return tuple(np.array(given[name], dtype=np.float64) for name in names)


def report(gradients):
    return np.concatenate([g.ravel() for g in gradients]).tolist()


FUNCTIONS = {
    "objective": Served(prepare, adjit.jit(loss)),
    "jacobian": Served(prepare, adjit.grad(loss, argnums=(0, 1)), report),
}
