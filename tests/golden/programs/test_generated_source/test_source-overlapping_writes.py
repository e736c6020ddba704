"""Value and gradient of `overlapping_writes` (programs_arrays.py:N)

x: float64[:]
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:]
"""

import numba
import numpy as np

from adjit.runtime.support import empty, maximum, minimum, take, uint
from adjit.runtime.vector import cos, sin


@numba.njit(error_model="numpy", nogil=True, cache=True)
def overlapping_writes_gradient(x, ws):
    ws[0] = 8
    n_x = x.shape[0]

    # y[1:] = y[:-1] * 2.0
    t = n_x - 1

    # y[2:] *= y[:-2]
    t_1 = n_x - 2
    y = take(ws, (n_x,), np.float64)

    # y = x.copy()
    for i in range(n_x):
        y[i] = x[i]

    # y[1:] = y[:-1] * 2.0
    t_2 = maximum(t, 0)
    y_1 = take(ws, (t_2,), np.float64)
    for i in range(t):
        y_1[i] = y[i] * 2.0
    for i in range(1, n_x):
        t_3 = i - 1
        y_2 = y_1[uint(t_3)]
        y[i] = y_2
        # y[:-1] += y[1:]
        y[uint(t_3)] += y_2
    y_3 = take(ws, (n_x,), np.float64)

    # y[:] = y[::-1]
    for i in range(n_x):
        y_3[i] = y[uint(t - i)]
    for i in range(n_x):
        y[i] = y_3[i]

    # y[2:] *= y[:-2]
    t_3 = maximum(t_1, 0)
    a = take(ws, (t_3,), np.float64)
    for i in range(t_1):
        a[i] = y[i]
    saved_y = take(ws, (maximum(t_1, 0),), np.float64)
    for i in range(t_1):
        t_4 = i + 2
        a_1 = a[i]
        y_2 = y[t_4]
        saved_y[i] = y_2
        y[t_4] = y_2 * a_1
    ct_x = empty(n_x, np.float64)
    ct_a = take(ws, (t_3,), np.float64)
    ct_y = y_3
    row_t = take(ws, (512,), np.float64)

    # return np.sum(y * np.sin(y))
    total = 0.0
    for i in range(0, n_x, 512):
        end = minimum(i + 512, n_x)
        for i_1 in range(i, end):
            y_2 = y[uint(i_1)]
            t_5 = sin(y_2)
            ct_y[uint(i_1)] = t_5 + y_2 * cos(y_2)
            row_t[uint(i_1 - i)] = y_2 * t_5
        for i_1 in range(i, end):
            total += row_t[uint(i_1 - i)]

    # y[2:] *= y[:-2]
    for i in range(t_1):
        t_3 = i + 2
        y_2 = saved_y[i]
        ct_t = ct_y[t_3]
        ct_y[t_3] = ct_t * a[i]
        ct_a[i] = ct_t * y_2
        ct_y[i] += ct_a[i]
    ct_y_1 = y

    # y[:] = y[::-1]
    for i in range(n_x):
        ct_y_1[i] = ct_y[i]
    for i in range(n_x):
        ct_y[i] = ct_y_1[uint(t - i)]
    ct_y_1 = y_1
    for z in range(t_2):
        ct_y_1[z] = 0.0

    # y[1:] = y[:-1] * 2.0
    for i in range(t_1, -1, -1):
        t_1 = i + 1
        # y[:-1] += y[1:]
        ct_y_2 = ct_y[uint(i)]
        # y[1:] = y[:-1] * 2.0
        ct_y_3 = ct_y[uint(t_1)]
        ct_y[uint(t_1)] = 0.0
        ct_y_1[uint(i)] += ct_y_2 + ct_y_3
    for i in range(t):
        ct_y[i] += ct_y_1[i] * 2.0

    # y = x.copy()
    for i in range(n_x):
        ct_x[i] = ct_y[i]
    return total, ct_x
