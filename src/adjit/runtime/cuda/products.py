"""Matrix products on the device: cuBLAS where CuPy is installed, else a kernel that works on tiles.

Input: `out`, `a`, `b`, matrices of one dtype with any strides; `out` overlaps neither. Non-goals: batches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from .simulated import SIMULATED

TILE = 2 if SIMULATED else 16


def _tiled(dtype: Any) -> Any:
    """A block computes a tile of the product from tiles of the operands, held in shared memory."""

    def product(out: Any, a: Any, b: Any, accumulate: bool) -> None:
        left = cuda.shared.array((TILE, TILE), dtype)
        right = cuda.shared.array((TILE, TILE), dtype)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        i = cuda.blockIdx.y * TILE + y
        j = cuda.blockIdx.x * TILE + x
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


def gemm(out: Any, a: Any, b: Any, accumulate: bool = False) -> None:
    """`out = a @ b`, or `out += a @ b`."""
    if 0 in out.shape:
        return
    if CUPY is not None:
        to, left, right = (CUPY.asarray(m) for m in (out, a, b))
        with CUPY.cuda.ExternalStream(cuda.default_stream().handle.value or 0):
            if accumulate:
                to += left @ right
            else:
                to[...] = left @ right
        return
    blocks = (-(-out.shape[1] // TILE), -(-out.shape[0] // TILE))
    TILED[out.dtype.name][blocks, (TILE, TILE)](out, a, b, bool(accumulate))
