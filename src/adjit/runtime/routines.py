"""Library routines that generated programs call.

Each runs as plain Python and, called from a compiled function, is compiled by Numba with it. Results go to the first argument, which
overlaps none of the others. Operands may have any strides. Invariant: the dtype of the operands is kept, and a failure is NumPy's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable


@register_jitable
def gemm(out: Any, a: Any, b: Any, accumulate: bool = False) -> None:
    """`out = a @ b`, or `out += a @ b`."""
    if a.shape[1] == 0:
        if not accumulate:
            out[:, :] = 0
        return
    product = np.dot(a, b)
    if accumulate:
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] += product[i, j]
    else:
        out[:, :] = product
