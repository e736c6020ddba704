"""Memory of the device, kept from one call to the next.

Asking the driver for memory takes longer than most kernels, and giving it back waits for the device. So the
blocks of arrays that nobody holds any more (temporaries, saved values, results) are given out again. Sizes
are rounded up by an eighth at most, so that arrays of like size share blocks. Where the driver has none left,
the free blocks are released and it is asked once more. Invariants: a block is given out again on the stream
only that it was used on, whose order keeps its old use before the new one. Non-goals: memory that others
allocate.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda

from . import simulated, streams
from .simulated import SIMULATED

LEAST = 512  # bytes; what the driver aligns to

Place = tuple[int, int]  # device, stream


def rounded(size: int) -> int:
    """The size of the block for an array of `size` bytes."""
    step = max(LEAST, 1 << max(size.bit_length() - 4, 0))
    return -(-size // step) * step


class Pool:
    """Blocks by place and size. No lock: arrays may die in the middle of anything, and each step is one that
    Python does not interrupt.
    """

    def __init__(self, allocate: Callable[[int], Any]) -> None:
        self.allocate = allocate
        self.free: defaultdict[tuple[Place, int], list[Any]] = defaultdict(list)

    def take(self, place: Place, size: int) -> tuple[Any, Callable[[], None]]:
        """A block of at least `size` bytes, and what gives it back."""
        wanted = rounded(size)
        free = self.free[place, wanted]
        try:
            block = free.pop()
        except IndexError:
            block = self.allocated(wanted)
        return block, lambda: free.append(block)

    def allocated(self, size: int) -> Any:
        try:
            return self.allocate(size)
        except Exception:  # whatever the memory manager in use raises
            if not any(self.free.values()):
                raise
            self.release()
            return self.allocate(size)

    def release(self) -> None:
        """Let go of the free blocks."""
        for blocks in list(self.free.values()):
            blocks.clear()


def _allocated(size: int) -> Any:
    return np.empty(size, np.uint8) if SIMULATED else cuda.current_context().memalloc(size)


POOL = Pool(_allocated)


def array(shape: tuple[int, ...], dtype: Any, order: str = "C") -> Any:
    """An array of any contents, for the current stream."""
    kind, stream = np.dtype(dtype), streams.current()
    size = kind.itemsize * int(np.prod(shape, dtype=np.int64))
    if size == 0:
        return cuda.device_array(shape, kind, order=order, stream=stream)
    device = 0 if SIMULATED else cuda.current_context().device.id
    block, back = POOL.take((device, streams.number(stream)), size)
    strides = _strides(shape, kind.itemsize, order)
    if SIMULATED:
        return simulated.array(block, shape, strides, kind, stream, back)
    from numba.cuda.cudadrv.devicearray import DeviceNDArray
    from numba.cuda.cudadrv.driver import MemoryPointer

    pointer = MemoryPointer(block.context, block.device_pointer, size, finalizer=back)
    return DeviceNDArray(shape, strides, kind, stream, pointer)


def _strides(shape: tuple[int, ...], itemsize: int, order: str) -> tuple[int, ...]:
    """Of a contiguous array."""
    found, step = [], itemsize
    for n in shape if order == "F" else reversed(shape):
        found.append(step)
        step *= n
    return tuple(found if order == "F" else reversed(found))
