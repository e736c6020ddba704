"""What the host's program of a function on the GPU calls: allocations, launches, reads, matrix products.

Invariants: kernels run in the order of their launches, on the stream of the call (`streams`); nothing but
`read` and `checked` waits for the device. Non-goals: choosing what is a kernel (`compiler.kernels`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..failure import Failure
from . import arrays
from .arrays import empty as empty
from .arrays import view as view
from .device import TOTALS
from .launching import BLOCKS, MOST, SUMS, configured, geometry
from .products import gemm as gemm
from .simulated import SIMULATED


def launch(kernel: Any, extents: tuple[int, ...], *arguments: Any) -> None:
    """Start a kernel; without extents it has one thread."""
    if not extents:
        configured(kernel, 1, 1)(*arguments)
    elif min(extents) > 0:
        configured(kernel, *geometry(extents, MOST))(*arguments)


def summed(kernel: Any, extents: tuple[int, ...], cells: tuple[Any, ...], *arguments: Any) -> None:
    """Start a kernel whose blocks leave sums, and add those up into `cells`, in the same order each time."""
    if min(extents) <= 0:
        for cell in cells:
            clear(cell)
        return
    blocks, threads = geometry(extents, SUMS, together=True)
    parts = tuple(arrays.empty((int(np.prod(blocks)),), cell.dtype) for cell in cells)
    configured(kernel, blocks, threads)(*parts, *arguments)
    for cell, part in zip(cells, parts, strict=True):
        configured(TOTALS[cell.dtype.name], 1, BLOCKS[1][0])(part, cell)


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

        device_memset(a, 0, a.size * a.dtype.itemsize, a.stream)


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
    return arrays.fetched(cell)[0]


def checked(status: Any) -> None:
    """Raise what a kernel has noted: waits until all have run."""
    found = arrays.fetched(status)
    if found[0]:
        site = int(found[0]) - 1
        raise Failure(site, int(found[1]), int(found[2])) if found[3] else Failure(site)
