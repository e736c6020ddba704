"""Matrix products on the device: cuBLAS where CuPy is installed, else a kernel that works on tiles.

Input: `out`, `a`, `b`, matrices of one dtype with any strides; `out` overlaps neither. Non-goals: batches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from . import streams
from .launching import configured
from .simulated import SIMULATED

TILE = 2 if SIMULATED else 16


def _tiled(dtype: Any) -> Any:
    """A block computes a tile of the product, of which there are `wide` in a row, from tiles of the operands,
    held in shared memory.
    """

    def product(out: Any, a: Any, b: Any, accumulate: bool, wide: int) -> None:
        left = cuda.shared.array((TILE, TILE), dtype)
        right = cuda.shared.array((TILE, TILE), dtype)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        i = cuda.blockIdx.x // wide * TILE + y
        j = cuda.blockIdx.x % wide * TILE + x
        s = dtype(0)
        for k in range(0, a.shape[1], TILE):
            left[y, x] = a[i, k + x] if i < a.shape[0] and k + x < a.shape[1] else dtype(0)
            right[y, x] = b[k + y, j] if k + y < b.shape[0] and j < b.shape[1] else dtype(0)
            cuda.syncthreads()
            for m in range(TILE):
                s += left[y, m] * right[m, x]
            cuda.syncthreads()
        if i < out.shape[0] and j < out.shape[1]:
            if accumulate:
                out[i, j] += s
            else:
                out[i, j] = s

    return cuda.jit(product)


TILED = {d: _tiled(np.dtype(d).type) for d in ("float32", "float64")}


def _cupy() -> Any:
    if SIMULATED:
        return None
    try:
        import cupy
    except Exception:  # absent, or unfit for this driver
        return None
    return cupy


CUPY = _cupy()


class _Lent:
    """What the library is told of an array: no stream, for it would wait for that; the product runs on it."""

    def __init__(self, a: Any) -> None:
        known = a._ary.__array_interface__ if SIMULATED else a.__cuda_array_interface__
        self.__cuda_array_interface__ = {**known, "stream": None}


def gemm(out: Any, a: Any, b: Any, accumulate: bool = False) -> None:
    """`out = a @ b`, or `out += a @ b`."""
    if 0 in out.shape:
        return
    if CUPY is None:
        high, wide = (-(-n // TILE) for n in out.shape)  # one axis of blocks: others are short
        kernel = configured(TILED[out.dtype.name], high * wide, (TILE, TILE))
        kernel(out, a, b, bool(accumulate), wide)
        return
    with CUPY.cuda.ExternalStream(streams.number(streams.current())):
        to, left, right = (CUPY.asarray(_Lent(m)) for m in (out, a, b))
        if accumulate:
            to += left @ right
        else:
            CUPY.matmul(left, right, out=to)
