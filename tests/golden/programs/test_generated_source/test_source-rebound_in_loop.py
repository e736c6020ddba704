"""Value and gradient of `rebound_in_loop` (programs_arrays.py:N)

x: float64[:]
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:]
"""

import numba
import numpy as np

from adjit.runtime.support import empty, minimum, outside, take, uint
from adjit.runtime.vector import tanh


@numba.njit(error_model="numpy", nogil=True, cache=True)
def rebound_in_loop_gradient(x, ws):
    ws[0] = 8
    n_x = x.shape[0]
    u = take(ws, (n_x,), np.float64)

    # for t in range(4):
    for i in range(n_x):
        u[i] = x[i]

    # u = np.tanh(u + 0.1 * t) * u[0]
    if 0 >= u.shape[0]:
        outside(0, 0, u.shape[0])
    saved_t = take(ws, (4, n_x), np.float64)
    u_1 = u[0]
    for i in range(n_x):
        t = tanh(u[i])
        saved_t[0, i] = t
        # for t in range(4):
        u[i] = t * u_1
    u_2 = u[0]
    for i in range(n_x):
        t = tanh(u[i] + 0.1)
        saved_t[1, i] = t
        # for t in range(4):
        u[i] = t * u_2
    u_3 = u[0]
    for i in range(n_x):
        t = tanh(u[i] + 0.2)
        saved_t[2, i] = t
        # for t in range(4):
        u[i] = t * u_3
    u_4 = u[0]
    ct_x = empty(n_x, np.float64)
    ct_u = take(ws, (n_x,), np.float64)
    row_t = take(ws, (512,), np.float64)
    row_ct_u = take(ws, (512,), np.float64)
    total = 0.0
    ct_u_1 = 0.0
    for i in range(0, n_x, 512):
        end = minimum(i + 512, n_x)
        for i_1 in range(i, end):
            at = i_1 - i
            t = tanh(u[uint(i_1)] + 0.30000000000000004)
            t_1 = t * u_4
            # return np.sum(u * x)
            x_1 = x[uint(i_1)]
            ct_x[uint(i_1)] = t_1
            ct_u[uint(i_1)] = x_1
            # for t in range(4):
            ct_t = ct_u[uint(i_1)]
            # u = np.tanh(u + 0.1 * t) * u[0]
            ct_u[uint(i_1)] = ct_t * u_4 * (1.0 - t * t)
            # return np.sum(u * x)
            row_t[uint(at)] = t_1 * x_1
            # u = np.tanh(u + 0.1 * t) * u[0]
            row_ct_u[uint(at)] = ct_t * t
        for i_1 in range(i, end):
            at = i_1 - i
            total += row_t[uint(at)]
            ct_u_1 += row_ct_u[uint(at)]
    ct_u[0] += ct_u_1
    ct_u_1 = 0.0
    for i in range(n_x):
        t = saved_t[2, i]
        # for t in range(4):
        ct_t = ct_u[i]
        # u = np.tanh(u + 0.1 * t) * u[0]
        ct_u[i] = ct_t * u_3 * (1.0 - t * t)
        ct_u_1 += ct_t * t
    ct_u[0] += ct_u_1
    ct_u_1 = 0.0
    for i in range(n_x):
        t = saved_t[1, i]
        # for t in range(4):
        ct_t = ct_u[i]
        # u = np.tanh(u + 0.1 * t) * u[0]
        ct_u[i] = ct_t * u_2 * (1.0 - t * t)
        ct_u_1 += ct_t * t
    ct_u[0] += ct_u_1
    ct_u_1 = 0.0
    for i in range(n_x):
        t = saved_t[0, i]
        # for t in range(4):
        ct_t = ct_u[i]
        # u = np.tanh(u + 0.1 * t) * u[0]
        ct_u[i] = ct_t * u_1 * (1.0 - t * t)
        ct_u_1 += ct_t * t
    ct_u[0] += ct_u_1

    # for t in range(4):
    for i in range(n_x):
        ct_x[i] += ct_u[i]
    return total, ct_x
