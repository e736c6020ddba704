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

from adjit.runtime.support import empty, maximum, minimum, outside, take, uint


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
    ct_t = take(ws, (n_u0, n_u0_1), np.float64)
    ct_t_1 = take(ws, (n_u0, n_u0_1), np.float64)

    # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
    any_1 = 1 < t
    trips = maximum(T, 0)
    states = trips + 2

    # for t in range(T):
    before = trips + 1
    saved_u = take(ws, (states, n_u0, n_u0_1), np.float64)

    # u, v = u0.copy(), v0.copy()
    for i in range(n_u0):
        for j in range(n_u0_1):
            u0_1 = u0[i, j]
            # for t in range(T):
            saved_u[0, i, j] = u0_1
            saved_u[uint(before), i, j] = u0_1
    ct_t_2 = take(ws, (n_v0, n_v0_1), np.float64)
    ct_t_3 = take(ws, (n_v0, n_v0_1), np.float64)
    saved_v = take(ws, (states, n_v0, n_v0_1), np.float64)
    for i in range(n_v0):
        for j in range(n_v0_1):
            v0_1 = v0[i, j]
            # for t in range(T):
            saved_v[0, i, j] = v0_1
            saved_v[uint(before), i, j] = v0_1

    # for i in range(1, n - 1):
    t_3 = minimum(1, n_v0)
    t_4 = maximum(t, t_3)
    t_5 = minimum(1, n_v0_1)
    t_6 = maximum(t, t_5)
    t_7 = minimum(1, n_u0)
    t_8 = maximum(t, t_7)
    t_9 = minimum(1, n_u0_1)
    t_10 = maximum(t, t_9)

    # for t in range(T):
    ct_un = ct_t_1
    ct_vn = ct_t_3
    ct_u = ct_t
    ct_v = ct_t_2
    for t_11 in range(T):
        v = saved_v[t_11]
        before = t_11 - 1
        before = before if t_11 >= 1 else before + states
        vn = saved_v[uint(before)]
        next_1 = t_11 + 1
        vn_1 = saved_v[next_1]
        # for i in range(1, n - 1):
        for i in range(n_v0):
            inside = i < t_3 or i >= t_4
            for j in range(n_v0_1 if inside else t_5):
                vn_1[i, j] = vn[i, j]
            for j in range(n_v0_1 if inside else t_6, n_v0_1):
                vn_1[i, uint(j)] = vn[i, uint(j)]
        u = saved_u[t_11]
        un = saved_u[uint(before)]
        un_1 = saved_u[next_1]
        for i in range(n_u0):
            inside = i < t_7 or i >= t_8
            for j in range(n_u0_1 if inside else t_9):
                un_1[i, j] = un[i, j]
            for j in range(n_u0_1 if inside else t_10, n_u0_1):
                un_1[i, uint(j)] = un[i, uint(j)]
        # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
        if any_1:
            if 0 >= u.shape[1]:
                outside(0, 0, u.shape[1])
            # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
            if 2 >= u.shape[1]:
                outside(1, 2, u.shape[1])
            # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
            if not 0 <= t_1 < u.shape[1]:
                outside(2, t_1, u.shape[1])
            # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
            if not 0 <= t < u.shape[1]:
                outside(3, t, u.shape[1])
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
            if 1 >= un_1.shape[1]:
                outside(12, 1, un_1.shape[1])
            if not 0 <= t_2 < un_1.shape[1]:
                outside(13, t_2, un_1.shape[1])
            # vn[i, j] = (
            if 1 >= vn_1.shape[0]:
                outside(14, 1, vn_1.shape[0])
            if not 0 <= t_2 < vn_1.shape[0]:
                outside(15, t_2, vn_1.shape[0])
            if 1 >= vn_1.shape[1]:
                outside(16, 1, vn_1.shape[1])
            if not 0 <= t_2 < vn_1.shape[1]:
                outside(17, t_2, vn_1.shape[1])
        # for i in range(1, n - 1):
        for i in range(1, t):
            # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
            t_12 = i - 1
            # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
            t_13 = i + 1
            # for j in range(1, n - 1):
            for j in range(1, t):
                # uc = u[i, j]
                uc = u[i, j]
                # vc = v[i, j]
                vc = v[i, j]
                # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
                u_1 = u[uint(t_12), j]
                t_14 = j - 1
                u_2 = u[i, uint(t_14)]
                t_15 = uc * (uc - u_1) + vc * (uc - u_2)
                # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
                t_16 = j + 1
                # un[i, j] = (
                un_1[i, j] = uc - a * t_15 + nu * (u[t_13, j] + u_1 + u[i, t_16] + u_2 - 4.0 * uc)
                # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
                v_1 = v[uint(t_12), j]
                v_2 = v[i, uint(t_14)]
                t_15 = uc * (vc - v_1) + vc * (vc - v_2)
                # vn[i, j] = (
                vn_1[i, j] = vc - a * t_15 + nu * (v[t_13, j] + v_1 + v[i, t_16] + v_2 - 4.0 * vc)
        ct_un, ct_vn, ct_u, ct_v = ct_u, ct_v, ct_un, ct_vn
    v = saved_v[uint(trips)]
    u = saved_u[uint(trips)]
    ct_u0 = empty((n_u0, n_u0_1), np.float64)
    ct_v0 = empty((n_v0, n_v0_1), np.float64)
    for i in range(n_u0):
        for j in range(n_u0_1):
            ct_t[i, j] = 0.0
    for i in range(n_u0):
        for j in range(n_u0_1):
            ct_t_1[i, j] = 0.0
    for i in range(n_v0):
        for j in range(n_v0_1):
            ct_t_2[i, j] = 0.0
    for i in range(n_v0):
        for j in range(n_v0_1):
            ct_t_3[i, j] = 0.0

    # return 0.5 * (np.sum(u * u) + np.sum(v * v))
    total = 0.0
    for i in range(n_u0):
        for j in range(n_u0_1):
            u_1 = u[i, j]
            ct_u_1 = 0.5 * u_1
            ct_u[i, j] += ct_u_1 + ct_u_1
            total += u_1 * u_1
    total_1 = 0.0
    for i in range(n_v0):
        for j in range(n_v0_1):
            v_1 = v[i, j]
            ct_v_1 = 0.5 * v_1
            ct_v[i, j] += ct_v_1 + ct_v_1
            total_1 += v_1 * v_1

    # for t in range(T):
    t_3 = T - 1

    # for i in range(1, n - 1):
    t_4 = minimum(3, t)
    t_1 = maximum(t_1, t_4)

    # vn[i, j] = (
    t_5 = minimum(2, t)
    t_6 = maximum(t_2, t_5)

    # for t in range(T):
    for t_11 in range(t_3, -1, -1):
        # for i in range(1, n - 1):
        for i in range(2, t_2):
            t_7 = i - 1
            t_8 = i + 1
            # for j in range(1, n - 1):
            for j in range(2, t_2):
                # for i in range(1, n - 1):
                t_9 = j - 1
                t_10 = j + 1
                # vc = v[i, j]
                vc = saved_v[uint(t_11), uint(i), uint(t_10)]
                # vn[i, j] = (
                ct_t_4 = ct_v[uint(i), uint(t_10)]
                # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
                ct_v_1 = ct_t_4 * nu - -ct_t_4 * a * vc
                # uc = u[i, j]
                uc = saved_u[uint(t_11), uint(t_8), uint(j)]
                # vn[i, j] = (
                ct_t_4 = ct_v[uint(t_8), uint(j)]
                # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
                ct_v_2 = ct_t_4 * nu - -ct_t_4 * a * uc
                # uc = u[i, j]
                uc = saved_u[uint(t_11), uint(i), uint(j)]
                # vc = v[i, j]
                vc = saved_v[uint(t_11), uint(i), uint(j)]
                # vn[i, j] = (
                ct_t_4 = ct_v[uint(i), uint(j)]
                # + nu * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * vc)
                ct_vc = -(ct_t_4 * nu) * 4.0
                # vc
                ct_vc += ct_t_4
                # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
                ct_t_4 = -ct_t_4 * a
                ct_vc = ct_vc + ct_t_4 * (vc - saved_v[uint(t_11), uint(i), uint(t_9)]) + ct_t_4 * vc + ct_t_4 * uc
                # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
                ct_vc += -ct_u[uint(i), uint(j)] * a * (uc - saved_u[uint(t_11), uint(i), uint(t_9)])
                # + nu * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * vc)
                ct_vn[uint(i), uint(j)] = ct_v[uint(i), uint(t_9)] * nu + ct_v[uint(t_7), uint(j)] * nu + ct_v_1 + ct_v_2 + ct_vc
                # vc = v[i, j]
                vc = saved_v[uint(t_11), uint(i), uint(t_10)]
                # un[i, j] = (
                ct_t_4 = ct_u[uint(i), uint(t_10)]
                # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
                ct_u_1 = ct_t_4 * nu - -ct_t_4 * a * vc
                # uc = u[i, j]
                uc = saved_u[uint(t_11), uint(t_8), uint(j)]
                # un[i, j] = (
                ct_t_4 = ct_u[uint(t_8), uint(j)]
                # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
                ct_u_2 = ct_t_4 * nu - -ct_t_4 * a * uc
                # uc = u[i, j]
                uc = saved_u[uint(t_11), uint(i), uint(j)]
                # vc = v[i, j]
                vc = saved_v[uint(t_11), uint(i), uint(j)]
                # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
                ct_uc = -ct_v[uint(i), uint(j)] * a * (vc - saved_v[uint(t_11), uint(t_7), uint(j)])
                # un[i, j] = (
                ct_t_4 = ct_u[uint(i), uint(j)]
                # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
                ct_uc += -(ct_t_4 * nu) * 4.0
                # uc
                ct_uc += ct_t_4
                # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
                ct_t_4 = -ct_t_4 * a
                ct_uc = ct_uc + ct_t_4 * vc + ct_t_4 * (uc - saved_u[uint(t_11), uint(t_7), uint(j)]) + ct_t_4 * uc
                # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
                ct_un[uint(i), uint(j)] = ct_u[uint(i), uint(t_9)] * nu + ct_u[uint(t_7), uint(j)] * nu + ct_u_1 + ct_u_2 + ct_uc
        for i in range(1, t):
            inside = i < t_4 or i >= t_1
            t_7 = t if inside else t_4
            t_8 = t if inside else t_1
            # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
            t_9 = i - 1
            # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
            t_10 = i + 1
            # for i in range(1, n - 1):
            inside = 2 <= i and i < t_2
            inside_1 = 2 <= t_10 and t_10 < t_2
            inside_2 = 2 <= t_9 and t_9 < t_2
            for side in range(2):
                inside_3 = side == 0
                for j in range(1 if inside_3 else t_8, t_7 if inside_3 else t):
                    # uc = u[i, j]
                    uc = saved_u[uint(t_11), i, uint(j)]
                    # vc = v[i, j]
                    vc = saved_v[uint(t_11), i, uint(j)]
                    # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
                    t_12 = j - 1
                    # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
                    t_13 = j + 1
                    # vn[i, j] = (
                    ct_t_4 = ct_v[i, uint(j)]
                    # + nu * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * vc)
                    ct_t_5 = ct_t_4 * nu
                    ct_vc = -ct_t_5 * 4.0
                    # vc
                    ct_vc += ct_t_4
                    # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
                    ct_t_4 = -ct_t_4 * a
                    ct_t_6 = ct_t_4 * vc
                    ct_v_1 = ct_t_5 - ct_t_6
                    ct_uc = ct_t_4 * (vc - saved_v[uint(t_11), uint(t_9), uint(j)])
                    ct_t_7 = ct_t_4 * uc
                    ct_vc = ct_vc + ct_t_4 * (vc - saved_v[uint(t_11), i, uint(t_12)]) + ct_t_6 + ct_t_7
                    ct_v_2 = ct_t_5 - ct_t_7
                    # un[i, j] = (
                    ct_t_4 = ct_u[i, uint(j)]
                    # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
                    ct_t_6 = ct_t_4 * nu
                    ct_uc += -ct_t_6 * 4.0
                    # uc
                    ct_uc += ct_t_4
                    # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
                    ct_t_4 = -ct_t_4 * a
                    ct_vc += ct_t_4 * (uc - saved_u[uint(t_11), i, uint(t_12)])
                    ct_t_7 = ct_t_4 * vc
                    ct_u_1 = ct_t_6 - ct_t_7
                    ct_t_8 = ct_t_4 * uc
                    ct_uc = ct_uc + ct_t_7 + ct_t_4 * (uc - saved_u[uint(t_11), uint(t_9), uint(j)]) + ct_t_8
                    ct_u_2 = ct_t_6 - ct_t_8
                    # for i in range(1, n - 1):
                    inside_3 = (inside and 2 <= t_13) and t_13 < t_2
                    # + nu * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * vc)
                    if not inside_3:
                        ct_vn[i, uint(t_13)] += ct_t_5
                    # for i in range(1, n - 1):
                    inside_4 = 2 <= j
                    inside_5 = j < t_2
                    inside_6 = (inside_1 and inside_4) and inside_5
                    # + nu * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * vc)
                    if not inside_6:
                        ct_vn[t_10, uint(j)] += ct_t_5
                    # for i in range(1, n - 1):
                    inside_7 = (inside and 2 <= t_12) and t_12 < t_2
                    # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
                    if not inside_7:
                        ct_vn[i, uint(t_12)] += ct_v_1
                    # for i in range(1, n - 1):
                    inside_8 = (inside_2 and inside_4) and inside_5
                    # - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
                    if not inside_8:
                        ct_vn[uint(t_9), uint(j)] += ct_v_2
                    # for i in range(1, n - 1):
                    inside_4 = (inside and inside_4) and inside_5
                    # vc = v[i, j]
                    if not inside_4:
                        ct_vn[i, uint(j)] += ct_vc
                    # + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
                    if not inside_3:
                        ct_un[i, uint(t_13)] += ct_t_6
                    if not inside_6:
                        ct_un[t_10, uint(j)] += ct_t_6
                    # - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
                    if not inside_7:
                        ct_un[i, uint(t_12)] += ct_u_1
                    if not inside_8:
                        ct_un[uint(t_9), uint(j)] += ct_u_2
                    # uc = u[i, j]
                    if not inside_4:
                        ct_un[i, uint(j)] += ct_uc
        # vn[i, j] = (
        for i in range(1, t):
            inside = i < t_5 or i >= t_6
            t_7 = t if inside else t_5
            t_8 = t if inside else t_6
            for side in range(2):
                inside = side == 0
                for j in range(1 if inside else t_8, t_7 if inside else t):
                    ct_v[i, uint(j)] = 0.0
        # un[i, j] = (
        for i in range(1, t):
            inside = i < t_5 or i >= t_6
            t_7 = t if inside else t_5
            t_8 = t if inside else t_6
            for side in range(2):
                inside = side == 0
                for j in range(1 if inside else t_8, t_7 if inside else t):
                    ct_u[i, uint(j)] = 0.0
        ct_un, ct_vn, ct_u, ct_v = ct_u, ct_v, ct_un, ct_vn
    any_1 = -1 < t_3

    # vn[i, j] = (
    if any_1:
        for i in range(2, t_2):
            for j in range(2, t_2):
                ct_vn[uint(i), uint(j)] = 0.0

    # un[i, j] = (
    if any_1:
        for i in range(2, t_2):
            for j in range(2, t_2):
                ct_un[uint(i), uint(j)] = 0.0

    # u, v = u0.copy(), v0.copy()
    for i in range(n_v0):
        for j in range(n_v0_1):
            # un, vn = u0.copy(), v0.copy()
            ct_v0_1 = ct_t_3[i, j]
            # u, v = u0.copy(), v0.copy()
            ct_v0[i, j] = ct_v0_1 + ct_t_2[i, j]
    for i in range(n_u0):
        for j in range(n_u0_1):
            # un, vn = u0.copy(), v0.copy()
            ct_u0_1 = ct_t_1[i, j]
            # u, v = u0.copy(), v0.copy()
            ct_u0[i, j] = ct_u0_1 + ct_t[i, j]
    return 0.5 * (total + total_1), ct_u0, ct_v0
