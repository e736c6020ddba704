"""Value and gradient of `scalar_recurrence` (programs_language.py:N)

x: float64
n: int64
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64
"""

import numba
import numpy as np

from adjit.runtime.support import maximum, take, uint
from adjit.runtime.vector import cos, sin


@numba.njit(error_model="numpy", nogil=True, cache=True)
def scalar_recurrence_gradient(x, n, ws):
    ws[0] = 8
    trips = maximum(n, 0)
    saved_b = take(ws, (trips,), np.float64)
    saved_t = take(ws, (trips,), np.float64)

    # for i in range(n):
    a = x
    b = 1.0
    for i in range(n):
        saved_b[i] = b
        # a, b = b + 0.1 * a, 0.9 * a - np.sin(b) * x
        t = sin(b)
        saved_t[i] = t
        a, b = b + 0.1 * a, 0.9 * a - t * x
    row_t = take(ws, (512,), np.float64)
    ct_a = b
    ct_b = a
    ct_x = 0.0
    for i in range(n - 1, -1, -512):
        end = maximum(i - 512, -1)
        for i_1 in range(end + 1, i + 1):
            at = i - i_1
            b_1 = saved_b[uint(i_1)]
            # a, b = b + 0.1 * a, 0.9 * a - np.sin(b) * x
            row_t[uint(at)] = cos(b_1)
        for i_1 in range(i, end, -1):
            at = i - i_1
            # a, b = b + 0.1 * a, 0.9 * a - np.sin(b) * x
            ct_t = -ct_b
            ct_x += ct_t * saved_t[uint(i_1)]
            ct_a, ct_b = ct_b * 0.9 + ct_a * 0.1, ct_t * x * row_t[uint(at)] + ct_a
    return a * b, ct_x + ct_a
