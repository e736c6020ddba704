"""Value and gradient of `burgers_2d_loops` (plain_stencils.py:N)

u0: float64[:,:]
v0: float64[:,:]
T: int64
a: float64
nu: float64
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:,:], float64[:,:]
"""

import numba
import numpy as np

from adjit.runtime.support import empty, maximum, minimum, outside, take, u


@numba.njit(error_model="numpy", nogil=True, cache=True)
def burgers_2d_loops_gradient(u0, v0, T, a, nu, ws):
    ws[0] = 8
    n_u0 = u0.shape[0]

    # for i in range(1, n - 1):
    t = n_u0 - 1

    # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
    t_1 = n_u0 - 3

    # un[i, j] = (
    t_2 = n_u0 - 2
    n_u0_1 = u0.shape[1]
    n_v0 = v0.shape[0]
    n_v0_1 = v0.shape[1]
    u_1 = take(ws, (n_u0, n_u0_1), np.float64)
    ct_t = take(ws, (n_u0, n_u0_1), np.float64)

    # u, v = u0.copy(), v0.copy()
    for i in range(n_u0):
        for j in range(n_u0_1):
            u_1[i, j] = u0[i, j]
    v = take(ws, (n_v0, n_v0_1), np.float64)
    ct_t_1 = take(ws, (n_v0, n_v0_1), np.float64)
    for i in range(n_v0):
        for j in range(n_v0_1):
            v[i, j] = v0[i, j]
    un = take(ws, (n_u0, n_u0_1), np.float64)
    ct_t_2 = take(ws, (n_u0, n_u0_1), np.float64)

    # un, vn = u0.copy(), v0.copy()
    for i in range(n_u0):
        for j in range(n_u0_1):
            un[i, j] = u0[i, j]
    vn = take(ws, (n_v0, n_v0_1), np.float64)
    ct_t_3 = take(ws, (n_v0, n_v0_1), np.float64)
    for i in range(n_v0):
        for j in range(n_v0_1):
            vn[i, j] = v0[i, j]

    # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
    any_1 = 1 < t
    trips = maximum(T, 0)
    saved_v = take(ws, (trips, n_v0, n_v0_1), np.float64)
    saved_u = take(ws, (trips, n_u0, n_u0_1), np.float64)

    # for t in range(T):
    ct_un = ct_t_2
    ct_vn = ct_t_3
    ct_u = ct_t
    ct_v = ct_t_1
    for t_3 in range(T):
        # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
        if any_1:
            if 0 >= u_1.shape[1]:
                outside(0, 0, u_1.shape[1])
            # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
            if 2 >= u_1.shape[1]:
                outside(1, 2, u_1.shape[1])
            # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
            if not 0 <= t_1 < u_1.shape[1]:
                outside(2, t_1, u_1.shape[1])
            # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
            if not 0 <= t < u_1.shape[1]:
                outside(3, t, u_1.shape[1])
            # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
            if 0 >= v.shape[0]:
                outside(4, 0, v.shape[0])
            # + nu * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * vc)
            if 2 >= v.shape[0]:
                outside(5, 2, v.shape[0])
            # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
            if not 0 <= t_1 < v.shape[0]:
                outside(6, t_1, v.shape[0])
            # + nu * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * vc)
            if not 0 <= t < v.shape[0]:
                outside(7, t, v.shape[0])
            # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
            if 0 >= v.shape[1]:
                outside(8, 0, v.shape[1])
            # + nu * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * vc)
            if 2 >= v.shape[1]:
                outside(9, 2, v.shape[1])
            # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
            if not 0 <= t_1 < v.shape[1]:
                outside(10, t_1, v.shape[1])
            # + nu * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * vc)
            if not 0 <= t < v.shape[1]:
                outside(11, t, v.shape[1])
            # un[i, j] = (
            if 1 >= un.shape[1]:
                outside(12, 1, un.shape[1])
            if not 0 <= t_2 < un.shape[1]:
                outside(13, t_2, un.shape[1])
            # vn[i, j] = (
            if 1 >= vn.shape[0]:
                outside(14, 1, vn.shape[0])
            if not 0 <= t_2 < vn.shape[0]:
                outside(15, t_2, vn.shape[0])
            if 1 >= vn.shape[1]:
                outside(16, 1, vn.shape[1])
            if not 0 <= t_2 < vn.shape[1]:
                outside(17, t_2, vn.shape[1])
        n_v = v.shape[1]
        # for i in range(1, n - 1):
        for i in range(v.shape[0]):
            for j in range(n_v):
                saved_v[t_3, i, j] = v[i, j]
        n_u = u_1.shape[1]
        for i in range(u_1.shape[0]):
            for j in range(n_u):
                saved_u[t_3, i, j] = u_1[i, j]
        for i in range(1, t):
            # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
            t_4 = i - 1
            # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
            t_5 = i + 1
            # for j in range(1, n - 1):
            for j in range(1, t):
                # uc = u[i, j]
                uc = u_1[i, j]
                # vc = v[i, j]
                vc = v[i, j]
                # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
                u_2 = u_1[u(t_4), j]
                t_6 = j - 1
                u_3 = u_1[i, u(t_6)]
                t_7 = uc * (uc - u_2) + vc * (uc - u_3)
                # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
                t_8 = j + 1
                # un[i, j] = (
                un[i, j] = uc - a * t_7 + nu * (u_1[t_5, j] + u_2 + u_1[i, t_8] + u_3 - 4.0 * uc)
                # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
                v_1 = v[u(t_4), j]
                v_2 = v[i, u(t_6)]
                t_7 = uc * (vc - v_1) + vc * (vc - v_2)
                # vn[i, j] = (
                vn[i, j] = vc - a * t_7 + nu * (v[t_5, j] + v_1 + v[i, t_8] + v_2 - 4.0 * vc)
        un, vn, u_1, v, ct_un, ct_vn, ct_u, ct_v = u_1, v, un, vn, ct_u, ct_v, ct_un, ct_vn
    ct_u0 = empty((n_u0, n_u0_1), np.float64)
    ct_v0 = empty((n_v0, n_v0_1), np.float64)
    for i in range(n_u0):
        for j in range(n_u0_1):
            ct_t[i, j] = 0.0
    for i in range(n_v0):
        for j in range(n_v0_1):
            ct_t_1[i, j] = 0.0
    for i in range(n_u0):
        for j in range(n_u0_1):
            ct_t_2[i, j] = 0.0
    for i in range(n_v0):
        for j in range(n_v0_1):
            ct_t_3[i, j] = 0.0

    # return 0.5 * (np.sum(u * u) + np.sum(v * v))
    total = 0.0
    for i in range(n_u0):
        for j in range(n_u0_1):
            u_2 = u_1[i, j]
            ct_u_1 = 0.5 * u_2
            ct_u[i, j] += ct_u_1 + ct_u_1
            total += u_2 * u_2
    total_1 = 0.0
    for i in range(n_v0):
        for j in range(n_v0_1):
            v_1 = v[i, j]
            ct_v_1 = 0.5 * v_1
            ct_v[i, j] += ct_v_1 + ct_v_1
            total_1 += v_1 * v_1
    row = take(ws, (512,), np.float64)
    row_1 = take(ws, (512,), np.float64)

    # for t in range(T):
    for t_3 in range(T - 1, -1, -1):
        # for i in range(1, n - 1):
        for i in range(1, t):
            # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
            t_1 = i - 1
            # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
            t_2 = i + 1
            # for j in range(1, n - 1):
            for j in range(1, t, 512):
                end = minimum(j + 512, t)
                # + nu * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * vc)
                for j_1 in range(j, end):
                    ct_vn[i, u(j_1 + 1)] += ct_v[i, u(j_1)] * nu
                # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
                for j_1 in range(j, end):
                    ct_un[i, u(j_1 + 1)] += ct_u[i, u(j_1)] * nu
                # for j in range(1, n - 1):
                for j_1 in range(j, end):
                    # uc = u[i, j]
                    uc = saved_u[u(t_3), i, u(j_1)]
                    # vc = v[i, j]
                    vc = saved_v[u(t_3), i, u(j_1)]
                    # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
                    u_2 = saved_u[u(t_3), u(t_1), u(j_1)]
                    t_4 = j_1 - 1
                    u_3 = saved_u[u(t_3), i, u(t_4)]
                    # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
                    v_1 = saved_v[u(t_3), u(t_1), u(j_1)]
                    v_2 = saved_v[u(t_3), i, u(t_4)]
                    # vn[i, j] = (
                    ct_t_4 = ct_v[i, u(j_1)]
                    ct_v[i, u(j_1)] = 0.0
                    # + nu * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * vc)
                    ct_t_5 = ct_t_4 * nu
                    ct_vc = -ct_t_5 * 4.0
                    ct_vn[t_2, u(j_1)] += ct_t_5
                    # vc
                    ct_vc += ct_t_4
                    # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
                    ct_t_4 = -ct_t_4 * a
                    ct_t_6 = ct_t_4 * vc
                    ct_vn[i, u(t_4)] += ct_t_5 - ct_t_6
                    ct_uc = ct_t_4 * (vc - v_1)
                    ct_t_7 = ct_t_4 * uc
                    ct_vc = ct_vc + ct_t_4 * (vc - v_2) + ct_t_6 + ct_t_7
                    ct_vn[u(t_1), u(j_1)] += ct_t_5 - ct_t_7
                    # un[i, j] = (
                    ct_t_4 = ct_u[i, u(j_1)]
                    ct_u[i, u(j_1)] = 0.0
                    # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
                    ct_t_5 = ct_t_4 * nu
                    ct_uc += -ct_t_5 * 4.0
                    ct_un[t_2, u(j_1)] += ct_t_5
                    # uc
                    ct_uc += ct_t_4
                    # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
                    ct_t_4 = -ct_t_4 * a
                    ct_vc += ct_t_4 * (uc - u_3)
                    ct_t_6 = ct_t_4 * vc
                    ct_un[i, u(t_4)] += ct_t_5 - ct_t_6
                    ct_t_7 = ct_t_4 * uc
                    ct_uc = ct_uc + ct_t_6 + ct_t_4 * (uc - u_2) + ct_t_7
                    ct_un[u(t_1), u(j_1)] += ct_t_5 - ct_t_7
                    # for j in range(1, n - 1):
                    at = j_1 - j
                    row[u(at)] = ct_vc
                    row_1[u(at)] = ct_uc
                for j_1 in range(j, end):
                    at = j_1 - j
                    # vc = v[i, j]
                    ct_vn[i, u(j_1)] += row[u(at)]
                    # uc = u[i, j]
                    ct_un[i, u(j_1)] += row_1[u(at)]
        ct_un, ct_vn, ct_u, ct_v = ct_u, ct_v, ct_un, ct_vn

    # un, vn = u0.copy(), v0.copy()
    for i in range(n_v0):
        for j in range(n_v0_1):
            ct_v0[i, j] = ct_t_3[i, j]
    for i in range(n_u0):
        for j in range(n_u0_1):
            ct_u0[i, j] = ct_t_2[i, j]

    # u, v = u0.copy(), v0.copy()
    for i in range(n_v0):
        for j in range(n_v0_1):
            ct_v0[i, j] += ct_t_1[i, j]
    for i in range(n_u0):
        for j in range(n_u0_1):
            ct_u0[i, j] += ct_t[i, j]
    return 0.5 * (total + total_1), ct_u0, ct_v0
