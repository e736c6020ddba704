"""Timing that survives a busy machine: one core, CPU time, systems interleaved.

Input: a mapping from name to a call without arguments. Output: the median time of each in milliseconds. In
each round every system runs one block of calls, so that drifts of the clock rate hit all alike.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def environment() -> dict[str, str]:
    """Settings for a measuring child process: one thread, memory kept by the allocator rather than
    returned."""
    keep = {"MALLOC_TOP_PAD_": str(1 << 28), "JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"}
    return {**os.environ, **keep, **dict.fromkeys(THREADS, "1")}


def pin() -> None:
    """This process stays on one core, so that CPU time means something."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def measure(systems: dict[str, Callable[[], Any]], rounds: int = 9, block: float = 0.04) -> dict[str, float]:
    """Milliseconds per call. A system whose call takes more than a second is timed once."""
    counts, times = {}, {}
    for name, call in systems.items():
        call()
        once = _timed(call, 1)
        once = min(once, _timed(call, 1)) if once < 1.0 else once
        counts[name] = 0 if once > 1.0 else max(1, int(block / max(once, 1e-7)))
        times[name] = [once] if counts[name] == 0 else []
    for _ in range(rounds):
        for name, call in systems.items():
            if counts[name]:
                _timed(call, max(1, counts[name] // 20))  # caches are warm again after the other systems
                times[name].append(_timed(call, counts[name]))
    return {name: statistics.median(t) * 1e3 for name, t in times.items()}


def _timed(call: Callable[[], Any], count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - start) / count


def flat(result: Any) -> list[Any]:
    """(value, gradients) as a list of float64 arrays."""
    value, gradients = result
    gradients = gradients if isinstance(gradients, (tuple, list)) else (gradients,)
    return [np.asarray(g, dtype=np.float64) for g in (value, *gradients)]


def deviation(have: list[Any], want: list[Any]) -> float:
    """Largest difference, relative to each array's largest entry; infinite where they cannot be compared."""
    shapes = [np.shape(a) for a in have] == [np.shape(a) for a in want]
    if not shapes or not all(np.all(np.isfinite(a)) for a in have):
        return float("inf")
    pairs = zip(have, want, strict=True)
    worst = [
        np.max(np.abs(a - b), initial=0.0) / max(float(np.max(np.abs(b), initial=0.0)), 1e-300)
        for a, b in pairs
    ]
    return float(max(worst))
