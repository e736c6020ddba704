"""Value and gradient of `swap_in_loop` (programs_arrays.py:N)

x: float64[:]
y: float64[:]
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:], float64[:]
"""

import numba
import numpy as np

from adjit.runtime.support import empty, outside, take, uint


@numba.njit(error_model="numpy", nogil=True, cache=True)
def swap_in_loop_gradient(x, y, ws):
    ws[0] = 8
    n_x = x.shape[0]
    n_y = y.shape[0]
    u = take(ws, (n_x,), np.float64)
    ct_u = take(ws, (n_x,), np.float64)

    # u = x.copy()
    for i in range(n_x):
        u[i] = x[i]
    v = take(ws, (n_y,), np.float64)
    ct_v = take(ws, (n_y,), np.float64)

    # v = y.copy()
    for i in range(n_y):
        v[i] = y[i]
    saved_u = empty(3, np.float64)
    saved_u_1 = empty(3, np.float64)
    saved_u_2 = empty(3, np.float64)

    # for t in range(3):
    ct_v_1 = ct_v
    ct_u_1 = ct_u
    for t in range(3):
        # v[i] = u[i] + 0.1 * (u[i - 1] - u[i]) * u[i + 1]
        if 1 >= u.shape[0]:
            outside(0, 1, u.shape[0])
        u_1 = u[1]
        saved_u[t] = u_1
        if 0 >= u.shape[0]:
            outside(1, 0, u.shape[0])
        u_2 = u[0]
        if 2 >= u.shape[0]:
            outside(2, 2, u.shape[0])
        u_3 = u[2]
        saved_u_1[t] = u_3
        if 1 >= v.shape[0]:
            outside(3, 1, v.shape[0])
        v[1] = u_1 + 0.1 * (u_2 - u_1) * u_3
        if 3 >= u.shape[0]:
            outside(4, 3, u.shape[0])
        u_2 = u[3]
        saved_u_2[t] = u_2
        if 2 >= v.shape[0]:
            outside(5, 2, v.shape[0])
        v[2] = u_3 + 0.1 * (u_1 - u_3) * u_2
        if 4 >= u.shape[0]:
            outside(6, 4, u.shape[0])
        if 3 >= v.shape[0]:
            outside(7, 3, v.shape[0])
        v[3] = u_2 + 0.1 * (u_3 - u_2) * u[4]
        v, u, ct_v_1, ct_u_1 = u, v, ct_u_1, ct_v_1

    # return np.sum(u * u) + v[2]
    if 2 >= v.shape[0]:
        outside(8, 2, v.shape[0])
    for i in range(n_x):
        ct_u[i] = 0.0
    for i in range(n_y):
        ct_v[i] = 0.0
    total = 0.0
    for i in range(u.shape[0]):
        u_1 = u[i]
        ct_u_1[i] += u_1 + u_1
        total += u_1 * u_1
    v_1 = v[2]
    ct_x = empty(n_x, np.float64)
    ct_y = empty(n_y, np.float64)
    ct_v_1[2] += 1.0

    # for t in range(3):
    for t in range(2, -1, -1):
        # v[i] = u[i] + 0.1 * (u[i - 1] - u[i]) * u[i + 1]
        u_1 = saved_u[uint(t)]
        u_2 = v[0]
        u_3 = saved_u_1[uint(t)]
        u_4 = saved_u_2[uint(t)]
        u_5 = v[4]
        ct_t = ct_u_1[3]
        ct_u_1[3] = 0.0
        ct_v_1[4] += ct_t * (0.1 * (u_3 - u_4))
        ct_t_1 = ct_t * u_5 * 0.1
        ct_t_2 = ct_u_1[2]
        ct_u_1[2] = 0.0
        ct_v_1[3] += ct_t - ct_t_1 + ct_t_2 * (0.1 * (u_1 - u_3))
        ct_t = ct_t_2 * u_4 * 0.1
        ct_t_3 = ct_u_1[1]
        ct_u_1[1] = 0.0
        ct_v_1[2] += ct_t_1 + ct_t_2 - ct_t + ct_t_3 * (0.1 * (u_2 - u_1))
        ct_t_1 = ct_t_3 * u_3 * 0.1
        ct_v_1[0] += ct_t_1
        ct_v_1[1] += ct_t + ct_t_3 - ct_t_1
        v, u, ct_v_1, ct_u_1 = u, v, ct_u_1, ct_v_1

    # v = y.copy()
    for i in range(n_y):
        ct_y[i] = ct_v[i]

    # u = x.copy()
    for i in range(n_x):
        ct_x[i] = ct_u[i]
    return total + v_1, ct_x, ct_y
