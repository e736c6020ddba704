"""CPU time and memory of calls.

Input: calls without arguments. Output: seconds per call, bytes. Method: the contenders take turns in short
blocks, so that a disturbance falls on all of them, and each one's median counts. Memory is the growth of the
process's peak resident size over one call (Linux; elsewhere None). Invariants: results are let go between
calls.
Non-goals: wall time; CPU time of all threads counts, so a tool that computes in two threads gains nothing
here.
"""

from __future__ import annotations

import ctypes
import gc
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

Call = Callable[[], object]
BLOCK = 0.01  # seconds: far above the clock's resolution
LEAST_ROUNDS, MOST_ROUNDS = 3, 25
STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def clocked(call: Call, count: int) -> float:
    """CPU seconds of `count` calls."""
    start = time.process_time()
    for _ in range(count):
        call()
    return time.process_time() - start


def block_size(call: Call) -> tuple[int, float]:
    """How many calls make a block, and the seconds that a call took."""
    count = 1
    while True:
        spent = clocked(call, count)
        if spent >= BLOCK or count >= 1 << 20:
            return count, spent / count
        count = count * 2 if spent < BLOCK / 4 else max(count + 1, int(count * 1.2 * BLOCK / spent))


def medians(
    calls: Sequence[Call], seconds: float, tick: Callable[[int], None] = lambda _: None
) -> list[float]:
    """CPU seconds per call of each, measured in turns for about `seconds` each; `tick` hears of each
    round.
    """
    sizes = [block_size(call) for call in calls]
    longest = max(count * spent for count, spent in sizes)
    rounds = min(MOST_ROUNDS, max(LEAST_ROUNDS, int(seconds / max(longest, BLOCK))))
    samples: list[list[float]] = [[] for _ in calls]
    for k in range(rounds):
        tick(k)
        order = range(len(calls)) if k % 2 == 0 else reversed(range(len(calls)))
        for c in order:
            count = sizes[c][0]
            samples[c].append(clocked(calls[c], count) / count)
    return [statistics.median(s) for s in samples]


def _resident(word: str) -> int | None:
    try:
        for line in STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith(word):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return None
    return None


def _trim() -> None:
    """Memory that was freed goes back to the system, so that using it again shows."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        return


def peak_growth(call: Call) -> int | None:
    """Bytes by which one call makes the process grow at most; None where the system does not say."""
    _trim()
    try:
        RESET.write_text("5", encoding="ascii")  # the peak starts again at the present size
    except OSError:
        return None
    before = _resident("VmRSS:")
    call()
    after = _resident("VmHWM:")
    return None if before is None or after is None else max(0, after - before)
