"""Gradients called from compiled loops: `python -m benchmarks.within [--rounds 31] [--steps 100000]`.

Gradient descent in a function that Numba compiles, once with adjit's gradient and once with the adjoint
that one would write by hand, called in turn. Per function and length: nanoseconds per step of both, least
of all rounds, and the median of the ratios. `polynomial` needs no memory beyond its result, `recurrence`
keeps its states.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

import adjit


def polynomial(x: Any) -> Any:
    s = 0.0
    for i in range(x.shape[0] - 1):
        s += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return s


@numba.njit  # type: ignore[untyped-decorator]
def polynomial_by_hand(x: Any) -> Any:
    s, d = 0.0, np.zeros_like(x)
    for i in range(x.shape[0] - 1):
        a, b = x[i + 1] - x[i] ** 2, 1.0 - x[i]
        s += 100.0 * a**2 + b**2
        d[i] -= 400.0 * a * x[i] + 2.0 * b
        d[i + 1] += 200.0 * a
    return s, d


def recurrence(x: Any) -> Any:
    s = h = 0.0
    for i in range(x.shape[0]):
        h = np.tanh(0.5 * h + x[i])
        s += h * h
    return s


@numba.njit  # type: ignore[untyped-decorator]
def recurrence_by_hand(x: Any) -> Any:
    n = x.shape[0]
    states, d = np.empty(n), np.empty(n)
    s = h = 0.0
    for i in range(n):
        h = np.tanh(0.5 * h + x[i])
        states[i] = h
        s += h * h
    ct = 0.0
    for i in range(n - 1, -1, -1):
        ct = (ct + 2.0 * states[i]) * (1.0 - states[i] * states[i])
        d[i] = ct
        ct *= 0.5
    return s, d


def descent(gradient: Any) -> Callable[[Any, int], Any]:
    @numba.njit  # type: ignore[untyped-decorator]
    def descend(x: Any, steps: int) -> Any:
        for _ in range(steps):
            _, d = gradient(x)
            x = x - 1e-7 * d
        return x

    return descend  # type: ignore[no-any-return]


def row(fun: Callable[..., Any], by_hand: Callable[..., Any], n: int, steps: int, rounds: int) -> str:
    x = np.linspace(-0.5, 0.5, n)
    steps = max(steps * 3 // n, 1)
    loops = descent(adjit.value_and_grad(fun, precise=True)), descent(by_hand)
    ends = [loop(x, steps) for loop in loops]
    spent: list[list[float]] = []
    for _ in range(rounds):
        spent.append([])
        for loop in loops:
            start = time.perf_counter()
            loop(x, steps)
            spent[-1].append(1e9 * (time.perf_counter() - start) / steps)
    least = [min(both[k] for both in spent) for k in (0, 1)]
    ratio = statistics.median(a / b for a, b in spent)
    apart = np.abs(ends[0] - ends[1]).max()
    return f"{fun.__name__:12} {n:9} {least[0]:12.0f} {least[1]:12.0f} {ratio:7.2f} {apart:10.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.within")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--steps", type=int, default=100_000, help="for three elements; fewer for more")
    options = parser.parse_args()
    print(f"{'':12} {'elements':>9} {'adjit ns':>12} {'by hand ns':>12} {'ratio':>7} {'deviation':>10}")
    for fun, by_hand in ((polynomial, polynomial_by_hand), (recurrence, recurrence_by_hand)):
        for n in (3, 30, 1000, 100_000):
            print(row(fun, by_hand, n, options.steps, options.rounds), flush=True)


if __name__ == "__main__":
    main()
