"""A cheap summary of an array's contents, to notice that it was written in between.

Invariants: equal contents have equal summaries; a change goes unnoticed only if sums of interleaved 64-bit
words agree. Non-goals: security.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

WORDS = 61  # words this far apart are summed together; a prime, so that rows rarely line up
SMALL = 1 << 14


def fingerprint(a: np.ndarray[Any, Any]) -> int:
    if not a.flags.c_contiguous:
        a = np.ascontiguousarray(a)
    data = a.reshape(-1).view(np.uint8)
    if data.size <= SMALL:
        return zlib.crc32(data.tobytes())
    block = 8 * WORDS
    whole = data.size - data.size % block
    try:
        words = data[:whole].view(np.uint64).reshape(-1, WORDS)
    except ValueError:
        return zlib.crc32(data.tobytes())
    return zlib.crc32(words.sum(axis=0, dtype=np.uint64).tobytes() + data[whole:].tobytes())
