"""Value and gradient of `stencil_in_slices` (programs_numpy.py:N)

u0: float64[:,:]
n: int64
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:,:]
"""

import numba
import numpy as np

from adjit.runtime.support import empty, maximum, minimum, take, uint


@numba.njit(error_model="numpy", nogil=True, cache=True)
def stencil_in_slices_gradient(u0, n, ws):
    ws[0] = 8
    n_u0 = u0.shape[0]

    # * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
    t = n_u0 - 2
    n_u0_1 = u0.shape[1]
    t_1 = n_u0_1 - 2
    t_2 = maximum(t, 0)
    t_3 = maximum(t_1, 0)
    trips = maximum(n, 0)
    saved_u = take(ws, (trips + 1, n_u0, n_u0_1), np.float64)

    # u = u0.copy()
    for i in range(n_u0):
        for j in range(n_u0_1):
            # for _ in range(n):
            saved_u[0, i, j] = u0[i, j]

    # u[1:-1, 1:-1] += (
    t_4 = n_u0 - 1
    t_5 = n_u0_1 - 1
    t_6 = minimum(1, n_u0)
    t_7 = maximum(t_4, t_6)
    t_8 = minimum(1, n_u0_1)
    t_9 = maximum(t_5, t_8)

    # for _ in range(n):
    for k in range(n):
        u = saved_u[k]
        next_1 = k + 1
        u_1 = saved_u[next_1]
        # u[1:-1, 1:-1] += (
        for i in range(n_u0):
            inside = i < t_6 or i >= t_7
            for j in range(n_u0_1 if inside else t_8):
                u_1[i, j] = u[i, j]
            for j in range(n_u0_1 if inside else t_9, n_u0_1):
                u_1[i, uint(j)] = u[i, uint(j)]
        for i in range(1, t_4):
            t_10 = i - 1
            t_11 = i + 1
            for j in range(1, t_5):
                t_12 = j - 1
                u_2 = u[t_11, j]
                u_3 = u[uint(t_10), j]
                u_4 = u[i, j]
                u_1[i, j] = u_4 + 0.1 * (u_2 + u_3 + u[i, j + 1] + u[i, uint(t_12)] - 4.0 * u_4) * u_4
    u = saved_u[uint(trips)]
    ct_u0 = empty((n_u0, n_u0_1), np.float64)
    ct_u = take(ws, (n_u0, n_u0_1), np.float64)

    # return np.sum(u**2)
    total = 0.0
    for i in range(n_u0):
        for j in range(n_u0_1):
            u_2 = u[i, j]
            ct_u[i, j] = u_2 + u_2
            total += u_2 * u_2
    ct_a = take(ws, (t_2, t_3), np.float64)

    # u[1:-1, 1:-1] += (
    t_4 = minimum(2, t)
    t_5 = maximum(n_u0 - 4, t_4)
    t_6 = minimum(2, t_1)
    t_7 = maximum(n_u0_1 - 4, t_6)

    # for _ in range(n):
    for k in range(n - 1, -1, -1):
        for z in range(t_2):
            for z_1 in range(t_3):
                ct_a[z, z_1] = 0.0
        # u[1:-1, 1:-1] += (
        for i in range(t):
            t_8 = i + 1
            for j in range(t_1):
                ct_a[i, j] += ct_u[t_8, j + 1]
        for i in range(2, t):
            t_8 = i + 1
            t_9 = i - 1
            t_10 = i - 2
            for j in range(2, t_1):
                u_2 = saved_u[uint(k), uint(t_8), uint(j)]
                u_3 = saved_u[uint(k), uint(t_9), uint(j)]
                t_11 = j + 1
                u_4 = saved_u[uint(k), uint(i), uint(t_11)]
                t_12 = j - 1
                u_5 = saved_u[uint(k), uint(i), uint(j)]
                ct_t = ct_a[uint(t_9), uint(t_12)]
                ct_u_1 = ct_t * (0.1 * (u_2 + u_3 + u_4 + saved_u[uint(k), uint(i), uint(t_12)] - 4.0 * u_5)) + -(ct_t * u_5 * 0.1) * 4.0
                u_2 = saved_u[uint(k), uint(i), uint(t_11)]
                t_13 = ct_u_1 + ct_a[uint(t_9), uint(j)] * u_2 * 0.1 + ct_a[uint(t_9), uint(j - 2)] * saved_u[uint(k), uint(i), uint(t_12)] * 0.1
                u_2 = saved_u[uint(k), uint(t_8), uint(j)]
                ct_u[uint(i), uint(j)] += t_13 + ct_a[uint(i), uint(t_12)] * u_2 * 0.1 + ct_a[uint(t_10), uint(t_12)] * saved_u[uint(k), uint(t_9), uint(j)] * 0.1
        for i in range(t):
            inside = i < t_4 or i >= t_5
            t_8 = t_1 if inside else t_6
            t_9 = t_1 if inside else t_7
            t_10 = i + 2
            t_11 = i + 1
            inside = 2 <= t_11 and t_11 < t
            inside_1 = 2 <= i and i < t
            inside_2 = 2 <= t_10 and t_10 < t
            for side in range(2):
                inside_3 = side == 0
                for j in range(0 if inside_3 else t_9, t_8 if inside_3 else t_1):
                    t_12 = j + 1
                    t_13 = saved_u[uint(k), t_10, uint(t_12)] + saved_u[uint(k), i, uint(t_12)]
                    t_14 = j + 2
                    u_2 = saved_u[uint(k), t_11, uint(t_12)]
                    ct_t = ct_a[i, uint(j)]
                    ct_t_1 = ct_t * u_2 * 0.1
                    ct_u_1 = ct_t * (0.1 * (t_13 + saved_u[uint(k), t_11, uint(t_14)] + saved_u[uint(k), t_11, uint(j)] - 4.0 * u_2)) + -ct_t_1 * 4.0
                    inside_3 = 2 <= t_12
                    inside_4 = t_12 < t_1
                    if not ((inside and inside_3) and inside_4):
                        ct_u[t_11, uint(t_12)] += ct_u_1
                    if not ((inside and 2 <= j) and j < t_1):
                        ct_u[t_11, uint(j)] += ct_t_1
                    if not ((inside and 2 <= t_14) and t_14 < t_1):
                        ct_u[t_11, uint(t_14)] += ct_t_1
                    if not ((inside_1 and inside_3) and inside_4):
                        ct_u[i, uint(t_12)] += ct_t_1
                    if not ((inside_2 and inside_3) and inside_4):
                        ct_u[t_10, uint(t_12)] += ct_t_1

    # u = u0.copy()
    for i in range(n_u0):
        for j in range(n_u0_1):
            ct_u0[i, j] = ct_u[i, j]
    return total, ct_u0
