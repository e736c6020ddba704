"""Divided loops against whole ones: `python -m benchmarks.threads [--only a,b] [--threads 2] [--rounds 31]`.

Gradients of the programs in their form with loops. The two are called in turn; per program: the median and
the least wall time of both and their ratios, CPU time of the divided program with its threads one after the
other against the whole one (what dividing costs), seconds of the first calls, and the loops that were
divided. On a machine with other work to do the wall times mean little; the CPU times hold.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numba

import adjit

from . import measure
from .baselines import WORKLOADS

SOME = "arc_distance,gmm,hdiff,logreg,jacobi_2d,ba"


def timed(call: Callable[[], Any], clock: Callable[[], float]) -> float:
    start = clock()
    call()
    return clock() - start


def spent(whole: Callable[[], Any], divided: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """CPU seconds of both with one worker."""
    count = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        pairs = [(timed(whole, time.process_time), timed(divided, time.process_time)) for _ in range(rounds)]
    finally:
        numba.set_num_threads(count)
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def row(name: str, threads: int, rounds: int, quick: bool) -> str:
    workload = WORKLOADS[name]
    args = workload.arguments(quick)
    calls: list[Callable[[], Any]] = []
    first: list[float] = []
    results: list[list[Any]] = []
    parts = 0
    for chosen in (False, threads):
        g = adjit.value_and_grad(
            workload.loops, argnums=workload.argnums, parallel=chosen, fastmath=True, cache=False
        )
        calls.append(lambda g=g: g(*args))  # type: ignore[misc]
        start = time.perf_counter()
        results.append(measure.flat(calls[-1]()))
        first.append(time.perf_counter() - start)
        parts = g.source(*args).count("in_threads(")
    wrong = measure.deviation(results[1], results[0])
    wall = [tuple(timed(call, time.perf_counter) for call in calls) for _ in range(rounds)]
    median = [1e3 * statistics.median(w[k] for w in wall) for k in (0, 1)]
    least = [1e3 * min(w[k] for w in wall) for k in (0, 1)]
    cpu = spent(*calls, rounds)
    return (
        f"{name:14} {median[0]:8.2f} {median[1]:8.2f} {median[0] / median[1]:6.2f}x"
        f" {least[0]:8.2f} {least[1]:8.2f} {least[0] / least[1]:6.2f}x {cpu[1] / cpu[0]:8.2f}"
        f" {first[0]:6.1f} {first[1]:6.1f} {parts:5} {wrong:9.1e}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.threads")
    parser.add_argument("--only", default=SOME)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    print(
        f"{'':14} {'median ms':>17} {'ratio':>7} {'least ms':>17} {'ratio':>7} {'cpu':>8} {'first s':>13}"
        f" {'calls':>5} {'deviation':>9}   (whole, divided)"
    )
    for name in options.only.split(","):
        print(row(name, options.threads, options.rounds, options.quick), flush=True)


if __name__ == "__main__":
    main()
