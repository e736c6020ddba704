"""Value and gradient of `break_and_continue` (programs_language.py:N)

x: float64[:]
returns float64, float64[:]
"""

import numba
import numpy as np

from adjit.runtime.support import grow, smul, uint, zeros
from adjit.runtime.vector import exp


@numba.njit(error_model="numpy", nogil=True, cache=True)
def break_and_continue_gradient(x):
    n_x = x.shape[0]
    saved_t = zeros(0, np.float64)

    # for i in range(x.shape[0]):
    s = 0.0
    broke2 = False
    trips = 0
    for i in range(n_x):
        # if i == 1:
        if i == 1:
            t = False
        else:
            # s += x[i] * np.exp(s * 0.1)
            x_1 = x[i]
            t_1 = exp(s * 0.1)
            if i >= saved_t.shape[0]:
                saved_t = grow(saved_t, i)
            saved_t[i] = t_1
            s += x_1 * t_1
            # if s > 5.0 or i == 4:
            t = s > 5.0 or i == 4
            broke2 = True if t else broke2
        trips += 1
        if t:
            break
    t = not broke2
    if t:
        s *= 100.0
    ct_x = zeros(n_x, np.float64)
    if t:
        ct_s = 100.0
    else:
        ct_s = 1.0
    for i in range(trips - 1, -1, -1):
        # if i == 1:
        if i != 1:
            # s += x[i] * np.exp(s * 0.1)
            x_1 = x[uint(i)]
            t_1 = saved_t[uint(i)] if i < saved_t.shape[0] else 0.0
            ct_x[uint(i)] += ct_s * t_1
            ct_s += smul(ct_s * x_1, t_1) * 0.1
    return s, ct_x
