"""What the host's program of a function on the GPU calls: allocations, launches, reads, matrix products.

Invariants: kernels run in the order of their launches (Numba's current stream); nothing but `read` and
`checked` waits for the device. Non-goals: choosing what is a kernel (`compiler.kernels`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..failure import Failure
from . import arrays
from .arrays import empty as empty
from .arrays import view as view
from .device import TOTALS
from .products import gemm as gemm
from .simulated import SIMULATED

# Threads of a block by the number of spread loops, and how many blocks there are at most; x is the innermost.
if SIMULATED:
    BLOCKS = {1: (2,), 2: (2, 2), 3: (2, 1, 1)}
    MOST, SUMS = 2, 2
else:
    BLOCKS = {1: (256,), 2: (32, 8), 3: (32, 4, 2)}
    MOST, SUMS = 65535, 1024


def geometry(extents: tuple[int, ...], most: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Blocks and threads for loops of these numbers of passes, outermost first; `most` blocks in all axes."""
    threads = BLOCKS[len(extents)]
    blocks = []
    for n, t in zip(reversed(extents), threads, strict=True):
        wanted = max(1, min(-(-int(n) // t), most))
        blocks.append(wanted)
        if most == SUMS:
            most = max(1, most // wanted)
    return tuple(blocks), threads


def launch(kernel: Any, extents: tuple[int, ...], *arguments: Any) -> None:
    """Start a kernel; without extents it has one thread."""
    if not extents:
        kernel[1, 1](*arguments)
    elif min(extents) > 0:
        blocks, threads = geometry(extents, MOST)
        kernel[blocks, threads](*arguments)


def summed(kernel: Any, extents: tuple[int, ...], cells: tuple[Any, ...], *arguments: Any) -> None:
    """Start a kernel whose blocks leave sums, and add those up into `cells`, in the same order each time."""
    if min(extents) <= 0:
        for cell in cells:
            clear(cell)
        return
    blocks, threads = geometry(extents, SUMS)
    parts = tuple(arrays.empty((int(np.prod(blocks)),), cell.dtype) for cell in cells)
    kernel[blocks, threads](*parts, *arguments)
    for cell, part in zip(cells, parts, strict=True):
        TOTALS[cell.dtype.name][1, BLOCKS[1][0]](part, cell)


def zeros(shape: Any, dtype: Any) -> Any:
    """An array of zeros."""
    made = arrays.empty(shape, dtype)
    clear(made)
    return made


def clear(a: Any) -> None:
    """Set every element of a contiguous array to zero."""
    if SIMULATED:
        a._ary[...] = 0
    elif a.size:
        from numba.cuda.cudadrv.driver import device_memset

        device_memset(a, 0, a.size * a.dtype.itemsize)


def grown(a: Any, index: int) -> Any:
    """A vector that has an element `index`: `a`, or a longer copy of it in which what is new is zero."""
    length = a.shape[0]
    if index < length:
        return a
    longer = zeros((max(2 * length, int(index) + 1, 64),), a.dtype)
    if length:
        arrays.copy(view(longer, (0, 0, length, 1)), a)
    return longer


def read(cell: Any) -> Any:
    """The element of a cell: waits until it is there."""
    return cell.copy_to_host()[0]


def checked(status: Any) -> None:
    """Raise what a kernel has noted: waits until all have run."""
    found = status.copy_to_host()
    if found[0]:
        site = int(found[0]) - 1
        raise Failure(site, int(found[1]), int(found[2])) if found[3] else Failure(site)
