"""Value and gradient of `while_with_counter` (programs_language.py:N)

x: float64
n: int64
returns float64, float64
"""

import numba
import numpy as np

from adjit.runtime.support import grow, uint, zeros


@numba.njit(error_model="numpy", nogil=True, cache=True)
def while_with_counter_gradient(x, n):
    saved_s = zeros(0, np.float64)

    # while k < n and s < 4.0:
    s = x
    k = 0
    position = 0
    trips = 0
    while k < n and s < 4.0:
        if position >= saved_s.shape[0]:
            saved_s = grow(saved_s, position)
        saved_s[uint(position)] = s
        s += x * s
        k += 1
        position += 1
        trips += 1
    t = trips - 1
    ct_s = 1.0
    ct_x = 0.0
    for k_1 in range(t, -1, -1):
        position_1 = position - (t - k_1) - 1
        s_1 = saved_s[uint(position_1)] if position_1 < saved_s.shape[0] else 0.0
        ct_x += ct_s * s_1
        ct_s += ct_s * x
    return s + np.float64(k), ct_x + ct_s
