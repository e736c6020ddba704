"""The workloads in HIPS autograd, where that is bearable. Needs autograd; `VERSIONS[name](args)` gives
systems by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import autograd
import autograd.numpy as anp

from .formulas import arc_distance, ba, hdiff, layernorm, rosenbrock

Systems = dict[str, Callable[[], Any]]


def gradient(f: Callable[..., Any], argnums: Any, args: tuple[Any, ...]) -> Systems:
    g = autograd.value_and_grad(f, argnum=argnums)
    return {"autograd": lambda: g(*args)}


def jacobi_2d(args: Any) -> Systems:
    A0, steps = args

    def stencil(A):
        return 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])

    def f(A):
        for _ in range(2 * steps):
            middle = anp.concatenate((A[1:-1, :1], stencil(A), A[1:-1, -1:]), axis=1)
            A = anp.concatenate((A[:1], middle, A[-1:]), axis=0)
        return 0.5 * anp.sum(A * A)

    return gradient(f, 0, (A0,))


def durbin(args: Any) -> Systems:
    n = len(args[0])

    def f(r, w):
        a, b, y = -r[0:1], 1.0, -r[0:1]
        for k in range(1, n):
            b = b * (1.0 - a * a)
            a = -(r[k : k + 1] + anp.dot(r[:k][::-1], y)) / b
            y = anp.concatenate((y + a * y[::-1], a))
        return anp.dot(w, y)

    return gradient(f, 0, args)


def mlp2(args: Any) -> Systems:
    def f(W1, b1, W2, b2, X, Y):
        Z = anp.dot(anp.maximum(anp.dot(X, W1) + b1, 0.0), W2) + b2
        m = anp.max(Z, axis=1, keepdims=True)
        return anp.mean(anp.log(anp.sum(anp.exp(Z - m), 1)) + m[:, 0] - anp.sum(Y * Z, 1))

    return gradient(f, (0, 1, 2, 3), args)


def attention(args: Any) -> Systems:
    scale = 1 / args[0].shape[1] ** 0.5

    def f(Q, K, V):
        Z = anp.dot(Q, K.T) * scale
        E = anp.exp(Z - anp.max(Z, axis=1, keepdims=True))
        return 0.5 * anp.sum(anp.dot(E / anp.sum(E, axis=1, keepdims=True), V) ** 2)

    return gradient(f, (0, 1, 2), args)


def k2mm(args: Any) -> Systems:
    def f(A, B, C, D):
        return 0.5 * anp.sum((1.5 * anp.dot(anp.dot(A, B), C) + 1.2 * D) ** 2)

    return gradient(f, (0, 1, 2, 3), args)


def logreg(args: Any) -> Systems:
    def f(w, b, X, y):
        return anp.mean(anp.logaddexp(0.0, -y * (anp.dot(X, w) + b)))

    return gradient(f, (0, 1), args)


VERSIONS: dict[str, Callable[[Any], Systems]] = {
    "jacobi_2d": jacobi_2d,
    "hdiff": lambda args: gradient(partial(hdiff, anp), (0, 1), args),
    "durbin": durbin,
    "ba": lambda args: gradient(partial(ba, anp), (0, 1, 2), args),
    "arc_distance": lambda args: gradient(partial(arc_distance, anp), (0, 1, 2, 3), args),
    "logreg": logreg,
    "layernorm": lambda args: gradient(partial(layernorm, anp), (0, 1, 2), args),
    "mlp2": mlp2,
    "attention": attention,
    "k2mm": k2mm,
    "rosenbrock_2": lambda args: gradient(partial(rosenbrock, anp), 0, args),
    "rosenbrock_10": lambda args: gradient(partial(rosenbrock, anp), 0, args),
}
