"""Small programs for the graph of the report."""

from __future__ import annotations

import numpy as np


def worked(w, x):
    u = w * x
    a = u * u
    b = 3.0 * u
    return a + b


def fit(w, x, y):
    r = np.tanh(x @ w["a"]) * w["b"] - y
    return np.mean(r * r)


def in_place(x):
    y = x.copy()
    for _ in range(2):
        for i in range(1, y.shape[0]):
            y[i] += np.sin(y[i - 1]) * x[i]
        y[0] *= y[-1]
    return np.sum(y[::-1] * x)


def searching(x):
    s = 1.0
    k = 0
    while s < 3.0 and k < 50:
        s = s * (1.2 + 0.1 * np.cos(x[k % x.shape[0]]))
        if s > 2.5:
            s += x[0]
            break
        k += 1
    return s / (1.0 + np.exp(-x[1]))


def products(a, b):
    c = a @ b
    return np.sum(np.maximum(c, 0.1) ** 2) + np.max(c)


def helper(p, q):
    return p * np.sqrt(q)


def inlined(x, k):
    return helper(x, 2.0) + helper(k, x)


def two(x):
    return x, x * x


def factorised(a, b):
    return np.sum(np.linalg.solve(a, b))


def escaping(x):
    text = x * 2.0  # </script><b>&
    return text


def keyword(x, *, k):
    return x * k
