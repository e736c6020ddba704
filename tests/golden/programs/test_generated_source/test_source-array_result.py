"""Function of `array_result` (programs_arrays.py:N)

x: float64[:]
y: float64[:]
returns float64[:]
"""

import numba
import numpy as np

from adjit.runtime.support import empty, outside, uint
from adjit.runtime.vector import sin


@numba.njit(error_model="numpy", nogil=True, cache=True)
def array_result(x, y):
    out = empty(4, np.float64)

    # out[i] = x[i] * y[3 - i] + np.sin(out[i - 1] if i else x[0])
    if 0 >= x.shape[0]:
        outside(0, 0, x.shape[0])
    if 3 >= x.shape[0]:
        outside(1, 3, x.shape[0])
    if 0 >= y.shape[0]:
        outside(2, 0, y.shape[0])
    if 3 >= y.shape[0]:
        outside(3, 3, y.shape[0])

    # for i in range(4):
    for i in range(4):
        # out[i] = x[i] * y[3 - i] + np.sin(out[i - 1] if i else x[0])
        if i != 0:
            t = i - 1
            t = t + 4 if t < 0 else t
            if not 0 <= t < out.shape[0]:
                outside(4, t, out.shape[0])
            out_1 = out[uint(t)]
        else:
            out_1 = x[0]
        out[i] = x[i] * y[uint(3 - i)] + sin(out_1)
    return out
