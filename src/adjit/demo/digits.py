"""A two-layer network on the handwritten digits of scikit-learn, written as plain NumPy and trained with
Adam."""

from __future__ import annotations

from typing import Any

import numpy as np

import adjit

from . import show

Parameters = dict[str, Any]
GOAL = 0.95


def logits(p: Parameters, x: Any) -> Any:
    hidden = np.tanh(x @ p["w1"] + p["b1"])
    return hidden @ p["w2"] + p["b2"]


def loss(p: Parameters, x: Any, y: Any) -> Any:
    """Mean cross entropy; `y` holds a one in the column of the right digit."""
    z = logits(p, x)
    top = np.max(z, axis=1, keepdims=True)
    log_sum = np.log(np.sum(np.exp(z - top), axis=1)) + top[:, 0]
    return np.mean(log_sum - np.sum(y * z, axis=1))


def data() -> tuple[Any, Any, Any, Any]:
    """Training images and digits, test images and digits: a fixed split of the 1797 images."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    images, digits = bunch.data / 16.0, bunch.target
    order = np.random.default_rng(0).permutation(len(images))
    train, test = order[:1400], order[1400:]
    return images[train], digits[train], images[test], digits[test]


def start() -> Parameters:
    rng = np.random.default_rng(0)
    return {
        "w1": rng.normal(size=(64, 48)) / 8.0,
        "b1": np.zeros(48),
        "w2": rng.normal(size=(48, 10)) / 7.0,
        "b2": np.zeros(10),
    }


def train(gradient: Any, p: Parameters, x: Any, y: Any, epochs: int = 40, batch: int = 100) -> list[float]:
    """Adam, in place on the parameters; returns the loss after each epoch."""
    rng = np.random.default_rng(1)
    first = {k: np.zeros_like(v) for k, v in p.items()}
    second = {k: np.zeros_like(v) for k, v in p.items()}
    losses: list[float] = []
    step = 0
    for _ in show.progress(range(epochs), epochs, lambda: f"loss {losses[-1]:.4f}"):
        total = 0.0
        order = rng.permutation(len(x))
        for at in range(0, len(x), batch):
            rows = order[at : at + batch]
            value, grads = gradient(p, x[rows], y[rows])
            total += float(value) * len(rows)
            step += 1
            for k, g in grads.items():
                first[k] += 0.1 * (g - first[k])
                second[k] += 0.001 * (g * g - second[k])
                mean, square = first[k] / (1 - 0.9**step), second[k] / (1 - 0.999**step)
                p[k] -= 0.005 * mean / (np.sqrt(square) + 1e-8)
        losses.append(total / len(x))
    return losses


def run() -> bool:
    show.heading("2. A two-layer network on handwritten digits")
    x, digits, test_x, test_digits = data()
    y = np.eye(10)[digits]
    p = start()
    gradient = adjit.value_and_grad(loss)
    train(gradient, p, x, y)
    guessed = np.argmax(logits(p, test_x), axis=1)
    accuracy = float(np.mean(guessed == test_digits))
    print(f"  {100 * accuracy:.1f} % of {len(test_x)} test digits are right (goal: {100 * GOAL:.0f} %)")

    fresh, rows = start(), slice(0, 100)
    _, grads = gradient(fresh, x[rows], y[rows])
    deviation = show.differences(
        lambda w: float(loss({**fresh, "w1": w}, x[rows], y[rows])), fresh["w1"], grads["w1"]
    )
    show.facts(adjit.jit(loss), gradient, (fresh, x[rows], y[rows]), deviation)
    return accuracy >= GOAL
