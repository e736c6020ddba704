"""How a kernel is launched: how many blocks of how many threads, on which stream.

Input: the numbers of passes of the loops that are spread. Output: a geometry; a kernel to be called with its
arguments. Threads go on to further passes where there are fewer of them, so any geometry is right. Non-goals:
choosing what is spread (`compiler.kernels`).
"""

from __future__ import annotations

import functools
import threading
from typing import Any

from . import streams
from .simulated import SIMULATED

# Threads of a block by the number of spread loops, and how many blocks there are at most; x is the innermost.
if SIMULATED:
    BLOCKS = {1: (2,), 2: (2, 2), 3: (2, 1, 1)}
    MOST, SUMS = 2, 2
else:
    BLOCKS = {1: (256,), 2: (32, 8), 3: (32, 4, 2)}
    MOST, SUMS = 65535, 1024

_advising = threading.Lock()


def geometry(
    extents: tuple[int, ...], most: int, together: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Blocks and threads for loops of these numbers of passes, outermost first; `most` blocks along each
    axis, or in all axes `together`.
    """
    threads = BLOCKS[len(extents)]
    blocks: list[int] = []
    for n, t in zip(reversed(extents), threads, strict=True):
        blocks.append(max(1, min(-(-int(n) // t), most)))
        if together:
            most //= blocks[-1]
    return tuple(blocks), threads


def configured(kernel: Any, blocks: Any, threads: Any) -> Any:
    """The kernel, to be called on the stream of this call."""
    if SIMULATED:  # its kernels keep the latest configuration in themselves
        return kernel[blocks, threads, streams.current()]
    return configuration(kernel, blocks, threads, streams.current())


@functools.lru_cache(maxsize=1024)
def configuration(kernel: Any, blocks: Any, threads: Any, stream: Any) -> Any:
    """Numba's object for that, without its advice on grids of few blocks: lengths decide the number."""
    from numba.cuda import dispatcher

    with _advising:
        wanted = dispatcher.config.CUDA_LOW_OCCUPANCY_WARNINGS
        dispatcher.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
        try:
            return kernel[blocks, threads, stream]
        finally:
            dispatcher.config.CUDA_LOW_OCCUPANCY_WARNINGS = wanted
