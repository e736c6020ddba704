"""A long loop with and without checkpoints: `python -m benchmarks.checkpoints [--points N] [--steps N]`.

The gradient of a wave's energy after many steps with respect to the field of its speeds: everything saved,
with `adjit.checkpoint` around the range, and with `max_bytes` of a fiftieth of the memory, so that adjit
chooses. Of each: the bytes that adjit predicts, those by which a call makes the process grow, the median
time of calls in turn, and ratios. The exit status is 1 if the gradients differ. Non-goals: other tools
(`python -m benchmarks`).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import adjit
from adjit.bench import measure


def saved(c, start, steps):  # type: ignore[no-untyped-def]
    u, v = start.copy(), np.zeros(c.shape[0])
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            v[i] += c[i] * c[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        for i in range(1, u.shape[0] - 1):
            u[i] += v[i]
    return np.sum(u * u)


def checkpointed(c, start, steps):  # type: ignore[no-untyped-def]
    u, v = start.copy(), np.zeros(c.shape[0])
    for _ in adjit.checkpoint(range(steps)):
        for i in range(1, u.shape[0] - 1):
            v[i] += c[i] * c[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        for i in range(1, u.shape[0] - 1):
            u[i] += v[i]
    return np.sum(u * u)


@dataclass
class Way:
    name: str
    gradient: Callable[..., Any]
    predicted: int = 0
    grown: int | None = None
    seconds: float = 0.0


def ways(args: tuple[Any, ...]) -> list[Way]:
    whole = adjit.value_and_grad(saved)
    room = (whole.saved(*args).peak or 0) // 50
    return [
        Way("everything saved", whole),
        Way("checkpoint(range(steps))", adjit.value_and_grad(checkpointed)),
        Way("max_bytes of a fiftieth", adjit.value_and_grad(saved, max_bytes=room)),
    ]


def measured(found: list[Way], args: tuple[Any, ...], rounds: int) -> bool:
    """Fill in the figures; whether all gradients agree."""
    agree = True
    want: Any = None
    for way in found:
        way.gradient.compile(*args)
        way.predicted = way.gradient.saved(*args).peak or 0
        adjit.release()
        way.grown = measure.peak_growth(lambda way=way: way.gradient(*args))  # type: ignore[misc]
        _, got = way.gradient(*args)
        want = got if want is None else want
        agree = agree and np.allclose(got, want, rtol=1e-7, atol=1e-9 * np.abs(want).max())
    times: dict[str, list[float]] = {way.name: [] for way in found}
    for _ in range(rounds):
        for way in found:
            start = time.perf_counter()
            way.gradient(*args)
            times[way.name].append(time.perf_counter() - start)
    for way in found:
        way.seconds = statistics.median(times[way.name])
    return agree


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.checkpoints")
    parser.add_argument("--points", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(argv)
    at = np.linspace(-1.0, 1.0, options.points)
    args = (np.full(options.points, 0.4), np.exp(-50.0 * at * at), options.steps)
    found = ways(args)
    agree = measured(found, args, options.rounds)
    first = found[0]
    print(f"{'':26} {'predicted MB':>14} {'resident MB':>14} {'seconds':>9} {'memory':>8} {'time':>6}")
    for way in found:
        grown = "?" if way.grown is None else f"{way.grown / 1e6:.1f}"
        memory, slower = first.predicted / way.predicted, way.seconds / first.seconds
        figures = (
            f"{way.predicted / 1e6:14.1f} {grown:>14} {way.seconds:9.2f} {f'1/{memory:.0f}':>8} {slower:6.2f}"
        )
        print(f"{way.name:26} {figures}")
    print("gradients agree" if agree else "gradients differ")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
