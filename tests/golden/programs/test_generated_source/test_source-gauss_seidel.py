"""Value and gradient of `gauss_seidel` (programs_arrays.py:N)

a: float64[:,:]
sweeps: int64
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:,:]
"""

import numba
import numpy as np

from adjit.runtime.support import empty, maximum, outside, take, uint


@numba.njit(error_model="numpy", nogil=True, cache=True)
def gauss_seidel_gradient(a, sweeps, ws):
    ws[0] = 8
    n_a = a.shape[0]
    n_a_1 = a.shape[1]
    u = take(ws, (n_a, n_a_1), np.float64)

    # u = a.copy()
    for i in range(n_a):
        for j in range(n_a_1):
            u[i, j] = a[i, j]

    # u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) * u[i, j]
    any_1 = 0 < sweeps
    if any_1:
        if 0 >= u.shape[0]:
            outside(0, 0, u.shape[0])
        if 4 >= u.shape[0]:
            outside(1, 4, u.shape[0])
        if 0 >= u.shape[1]:
            outside(2, 0, u.shape[1])
        if 4 >= u.shape[1]:
            outside(3, 4, u.shape[1])
    trips = maximum(sweeps, 0)
    saved_t = take(ws, (trips, 3, 3), np.float64)
    saved_u = take(ws, (trips, 3, 3), np.float64)
    if any_1:
        u_1 = u[0, 1]
    else:
        u_1 = 0.0
    if any_1:
        u_2 = u[0, 2]
    else:
        u_2 = 0.0
    if any_1:
        u_3 = u[0, 3]
    else:
        u_3 = 0.0

    # for t in range(sweeps):
    for t in range(sweeps):
        # for i in range(1, 4):
        u_4 = u_1
        u_5 = u_2
        u_6 = u_3
        for i in range(1, 4):
            # u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) * u[i, j]
            t_1 = i - 1
            t_2 = i + 1
            u_7 = u[i, 2]
            t_3 = u_4 + u[t_2, 1] + u[i, 0] + u_7
            saved_t[t, uint(t_1), 0] = t_3
            u_4 = u[i, 1]
            saved_u[t, uint(t_1), 0] = u_4
            u_4 = 0.25 * t_3 * u_4
            u[i, 1] = u_4
            u_8 = u[i, 3]
            t_3 = u_5 + u[t_2, 2] + u_4 + u_8
            saved_t[t, uint(t_1), 1] = t_3
            saved_u[t, uint(t_1), 1] = u_7
            u_5 = 0.25 * t_3 * u_7
            u[i, 2] = u_5
            t_3 = u_6 + u[t_2, 3] + u_5 + u[i, 4]
            saved_t[t, uint(t_1), 2] = t_3
            saved_u[t, uint(t_1), 2] = u_8
            u_6 = 0.25 * t_3 * u_8
            u[i, 3] = u_6
    ct_a = empty((n_a, n_a_1), np.float64)
    ct_u = take(ws, (n_a, n_a_1), np.float64)

    # return np.sum(u * u)
    total = 0.0
    for i in range(n_a):
        for j in range(n_a_1):
            u_1 = u[i, j]
            ct_u[i, j] = u_1 + u_1
            total += u_1 * u_1

    # for t in range(sweeps):
    for t in range(sweeps - 1, -1, -1):
        # for i in range(1, 4):
        ct_u_1 = -0.0
        for i in range(3, 0, -1):
            # u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) * u[i, j]
            t_1 = i - 1
            t_2 = i + 1
            u_1 = saved_u[uint(t), uint(t_1), 2]
            ct_t = ct_u[uint(i), 3] + ct_u_1
            ct_u[uint(i), 3] = ct_t * (0.25 * saved_t[uint(t), uint(t_1), 2])
            ct_u_1 = ct_t * u_1 * 0.25
            ct_u[uint(i), 4] += ct_u_1
            ct_u[uint(i), 2] += ct_u_1
            ct_u[uint(t_2), 3] += ct_u_1
            u_1 = saved_u[uint(t), uint(t_1), 1]
            ct_t = ct_u[uint(i), 2]
            ct_u[uint(i), 2] = ct_t * (0.25 * saved_t[uint(t), uint(t_1), 1])
            ct_t = ct_t * u_1 * 0.25
            ct_u[uint(i), 3] += ct_t
            ct_u[uint(i), 1] += ct_t
            ct_u[uint(t_2), 2] += ct_t
            ct_u[uint(t_1), 2] += ct_t
            u_1 = saved_u[uint(t), uint(t_1), 0]
            ct_t = ct_u[uint(i), 1]
            ct_u[uint(i), 1] = ct_t * (0.25 * saved_t[uint(t), uint(t_1), 0])
            ct_t = ct_t * u_1 * 0.25
            ct_u[uint(i), 2] += ct_t
            ct_u[uint(i), 0] += ct_t
            ct_u[uint(t_2), 1] += ct_t
            ct_u[uint(t_1), 1] += ct_t
        # u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) * u[i, j]
        ct_u[0, 3] += ct_u_1

    # u = a.copy()
    for i in range(n_a):
        for j in range(n_a_1):
            ct_a[i, j] = ct_u[i, j]
    return total, ct_a
