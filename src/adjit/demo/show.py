"""What the parts of the demo share: headings, a progress bar, the check against differences, timing.

Non-goals: statistics. The times are the best of a few runs, good to some ten per cent.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
WIDTH = 30


def heading(text: str) -> None:
    print(f"\n{text}\n{'=' * len(text)}")


def progress(items: Iterable[T], total: int, note: Callable[[], str] = lambda: "") -> Iterator[T]:
    """The items, with a bar that is drawn over itself on a terminal and at every tenth elsewhere."""
    terminal, start = sys.stdout.isatty(), time.perf_counter()
    for count, item in enumerate(items, start=1):
        yield item
        filled = WIDTH * count // total
        line = f"  [{'#' * filled}{'.' * (WIDTH - filled)}] {count}/{total} {note()}"
        if terminal:
            print(f"\r{line}  ", end="", flush=True)
        elif count == total or count % max(1, total // 10) == 0:
            print(line, flush=True)
    if terminal:
        print()
    print(f"  took {time.perf_counter() - start:.1f} s")


def best_time(call: Callable[[], object], least: float = 0.2) -> float:
    """Seconds of CPU time per call: the best of repeated blocks."""
    call()
    count, best, spent = 1, float("inf"), 0.0
    while spent < least:
        start = time.process_time()
        for _ in range(count):
            call()
        took = time.process_time() - start
        spent += took
        best = min(best, took / count)
        if took < least / 10:
            count *= 2
    return best


def differences(function: Callable[[Any], float], point: Any, gradient: Any, trials: int = 4) -> float:
    """Largest relative deviation of directional derivatives of the plain function from the gradient."""
    rng = np.random.default_rng(1)
    worst = 0.0
    for _ in range(trials):
        direction = rng.normal(size=np.shape(point))
        direction /= np.sqrt(np.sum(direction * direction))
        step = 1e-5 * max(1.0, float(np.max(np.abs(point))))
        ahead, behind = function(point + step * direction), function(point - step * direction)
        wanted = (ahead - behind) / (2 * step)
        have = float(np.sum(gradient * direction))
        worst = max(worst, abs(have - wanted) / max(abs(wanted), 1e-8))
    return worst


def facts(compiled: Any, gradient: Any, args: tuple[Any, ...], deviation: float) -> None:
    """The three lines that every part prints."""
    print(f"  generated program: {gradient.path(*args)}")
    print(f"  against finite differences of the plain function: relative deviation {deviation:.1e}")
    function_time = best_time(lambda: compiled(*args))
    gradient_time = best_time(lambda: gradient(*args))
    print(
        f"  one call: function {1e3 * function_time:.3f} ms, value and gradient "
        f"{1e3 * gradient_time:.3f} ms, ratio {gradient_time / function_time:.1f}"
    )
