"""Gradients at ties, zeros, kinks and saturated points, where differences say nothing.

An expression gives a scalar of the one argument `a`; `gradient` is what its derivative must be, `hessian`
the second one where it is fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

INF, NAN = np.inf, np.nan


@dataclass(frozen=True)
class Point:
    expression: str
    at: Any
    gradient: Any
    hessian: Any = None


def _centred(n: int) -> Any:
    return 2.0 / n * (np.eye(n) - np.ones((n, n)) / n)


def _products(x: Any) -> Any:
    """Second derivatives of the product."""
    n = len(x)
    return np.array([[0.0 if i == j else np.prod(np.delete(x, [i, j])) for j in range(n)] for i in range(n)])


POINTS = [
    # absolute values of complex numbers
    Point("abs(a[0] + 1j * a[1])", [0.0, 0.0], [0, 0]),
    Point("np.abs(a[0] + 1j * a[1]) ** 2", [0.0, 0.0], [0, 0], [[2, 0], [0, 2]]),
    # ties share
    Point("np.max(a)", [1.0, 3.0, 3.0, 2.0], [0, 0.5, 0.5, 0]),
    Point("np.max(a)", [2.0, 2.0, 2.0], [1 / 3, 1 / 3, 1 / 3]),
    Point("np.min(a)", [1.0, 1.0, 3.0, 1.0], [1 / 3, 1 / 3, 0, 1 / 3]),
    Point("np.max(a)", [INF, 1.0, INF], [0.5, 0, 0.5]),
    Point("np.max(a)", [-0.0, 0.0], [0.5, 0.5]),
    Point("np.max(a) ** 2", [-3.0, -3.0], [-3.0, -3.0], np.full((2, 2), 0.5)),
    Point("np.sum(np.max(a, axis=0))", [[1.0, 2.0], [1.0, 0.0]], [[0.5, 1], [0.5, 0]]),
    Point("np.ptp(a)", [1.0, 1.0, 1.0], [0, 0, 0]),
    Point("np.maximum(a[0], a[1])", [1.5, 1.5], [0.5, 0.5]),
    Point("np.sum(np.maximum(a, 0.0))", [0.0, 1.0, -1.0], [0.5, 1, 0]),
    Point("np.sum(np.minimum(a, a))", [0.0, 1.0], [1, 1]),
    Point("np.sum(np.clip(a, 0.0, 1.0))", [0.0, 0.5, 1.0, 2.0, -1.0], [1, 1, 1, 0, 0]),
    Point("max(a[0], a[1])", [1.5, 1.5], [0.5, 0.5]),
    Point("np.linalg.norm(a, np.inf)", [2.0, -2.0, 1.0], [0.5, -0.5, 0]),
    Point("np.sum(np.sort(a) ** 3)", [1.0, -0.5, 1.0, 2.0], [3, 0.75, 3, 12]),
    Point("np.median(a)", [3.0, 1.0, 2.0, 9.0], [0.5, 0, 0.5, 0]),
    # zeros
    Point("np.sum(np.abs(a))", [0.0, -0.0, 2.0, -3.0], [0, 0, 1, -1]),
    Point("np.linalg.norm(a)", [0.0, 0.0, 0.0], [0, 0, 0]),
    Point("np.linalg.norm(a, 1)", [0.0, 2.0], [0, 1]),
    Point("np.linalg.norm(a, 3)", [0.0, 0.0], [0, 0]),
    Point("np.exp(-np.linalg.norm(a) ** 2)", [0.0, 0.0], [0, 0], -2.0 * np.eye(2)),
    Point("1.0 / (1.0 + np.linalg.norm(a) ** 2)", [0.0, 0.0], [0, 0], -2.0 * np.eye(2)),
    Point("np.sqrt(a[0] * a[0] + 1.0)", [0.0], [0], [[1.0]]),
    Point("np.hypot(a[0], a[1])", [0.0, 0.0], [0, 0]),
    Point("np.std(a)", [2.0, 2.0, 2.0], [0, 0, 0]),
    Point("np.var(a)", [2.0, 2.0, 2.0], [0, 0, 0], _centred(3)),
    Point("np.var(a)", [2.0], [0], [[0.0]]),
    Point("np.prod(a)", [2.0, 0.0, 3.0, -1.5], [0, -9, 0, 0], _products([2.0, 0.0, 3.0, -1.5])),
    Point("np.prod(a)", [2.0, 0.0, 0.0, 3.0], [0, 0, 0, 0], _products([2.0, 0.0, 0.0, 3.0])),
    Point("np.cumprod(a)[-1]", [2.0, 0.0, 0.0], [0, 0, 0], _products([2.0, 0.0, 0.0])),
    Point("np.sum(a ** 2)", [0.0, -3.0], [0, -6], np.diag([2.0, 2.0])),
    Point("np.sum(a ** 3)", [0.0, -3.0], [0, 27], np.diag([0.0, -18.0])),
    Point("np.sum(a ** 1)", [0.0, -3.0], [1, 1]),
    Point("np.sum(a ** 0)", [0.0, -3.0], [0, 0]),
    Point("np.sum(a ** 2.0)", [0.0, -3.0], [0, -6], np.diag([2.0, 2.0])),
    Point("np.sum(np.sinc(a))", [0.0], [0], [[-(np.pi**2) / 3]]),
    Point("np.sum(special.exprel(a))", [0.0], [0.5], [[1 / 3]]),
    Point("special.xlogy(a[0], a[1])", [0.0, 2.0], [np.log(2.0), 0]),
    Point("special.xlog1py(a[0], a[1])", [0.0, 2.0], [np.log(3.0), 0]),
    Point("np.sum(np.where(a > 0, np.sqrt(a), 0.0))", [0.0, 4.0, -1.0], [0, 0.25, 0]),
    Point("np.sum(np.where(a != 0, np.sin(a) / a, 1.0))", [0.0], [0]),
    Point(
        "np.sum(np.where(a > 0.5, 0.0, np.arctan2(a, 3.0 * a * a * a)) * np.where(a == 0, 0.0, 1.0))",
        [0.0, 1.0],
        [0, 0],
    ),
    Point("np.sum(np.sign(a) * a)", [0.0, -2.0], [0, -1]),
    Point("np.sum(np.floor(a))", [1.0, 2.5], [0, 0]),
    # exponentials
    Point("np.logaddexp(a[0], a[1])", [1.0, 1.0], [0.5, 0.5], [[0.25, -0.25], [-0.25, 0.25]]),
    Point("np.logaddexp(a[0], a[1])", [-INF, 2.0], [0, 1]),
    Point("np.logaddexp(a[0], a[1])", [-1000.0, 1000.0], [0, 1]),
    Point("special.logsumexp(a)", [0.0, 0.0], [0.5, 0.5], [[0.25, -0.25], [-0.25, 0.25]]),
    Point("special.logsumexp(a)", [-INF, 3.0], [0, 1]),
    Point("special.logsumexp(a)", [1000.0, 0.0, 1000.0], [0.5, 0, 0.5]),
    Point("special.softmax(a)[0]", [800.0, 800.0], [0.25, -0.25]),
    Point("special.expit(a[0]) + special.expit(a[1])", [-1000.0, 1000.0], [0, 0]),
    Point("special.log_expit(a[0]) + special.log_expit(a[1])", [-1000.0, 1000.0], [1, 0]),
    Point("np.sum(np.tanh(a))", [30.0, 0.0], [0, 1], np.zeros((2, 2))),
    Point("np.sum(special.log_ndtr(a))", [-40.0], [40.02496884726], [[-0.99937773]]),
    # NaN and empty
    Point("np.nansum(a)", [NAN, 2.0], [0, 1]),
    Point("np.nanmean(a)", [NAN, 2.0, 4.0], [0, 0.5, 0.5]),
    Point("np.nanmax(a)", [NAN, 2.0, 4.0], [0, 0, 1]),
    Point("np.sum(np.nan_to_num(a))", [NAN, 2.0, INF], [0, 1, 0]),
    Point("np.fmax(a[0], a[1])", [NAN, 2.0], [0, 1]),
    Point("np.sum(a)", np.zeros(0), np.zeros(0)),
    Point("np.prod(a)", np.zeros(0), np.zeros(0)),
    # elements read several times, and pieces
    Point("np.sum(np.take(a, np.array([0, 0, 1])) * np.array([1.0, 2.0, 3.0]))", [5.0, 6.0, 7.0], [3, 3, 0]),
    Point("np.sum(np.tile(a, 3)) + np.sum(np.repeat(a, 2))", [5.0, 6.0], [5, 5]),
    Point("np.interp(1.0, np.array([0.0, 1.0, 3.0]), a)", [5.0, 6.0, 8.0], [0, 1, 0]),
    Point("np.interp(a[0], np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 9.0]))", [1.0], [4]),
    Point("np.interp(a[0], np.array([0.0, 1.0]), np.array([0.0, 1.0]))", [7.0], [0]),
]
