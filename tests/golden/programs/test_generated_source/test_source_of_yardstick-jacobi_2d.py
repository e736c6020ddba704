"""Value and gradient of `jacobi_2d_loops` (plain_stencils.py:N)

A0: float64[:,:]
T: int64
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:,:]
"""

import numba
import numpy as np

from adjit.runtime.support import empty, maximum, minimum, outside, take, uint


@numba.njit(error_model="numpy", nogil=True, cache=True)
def jacobi_2d_loops_gradient(A0, T, ws):
    ws[0] = 8
    n_A0 = A0.shape[0]

    # for i in range(1, n - 1):
    t = n_A0 - 1

    # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
    t_1 = n_A0 - 3
    n_A0_1 = A0.shape[1]
    A = take(ws, (n_A0, n_A0_1), np.float64)
    B = take(ws, (n_A0, n_A0_1), np.float64)

    # A = A0.copy()
    for i in range(n_A0):
        for j in range(n_A0_1):
            A0_1 = A0[i, j]
            A[i, j] = A0_1
            # B = A0.copy()
            B[i, j] = A0_1

    # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
    any_1 = 1 < t

    # for t in range(T):
    for t_2 in range(T):
        # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        if any_1:
            if 0 >= A.shape[1]:
                outside(0, 0, A.shape[1])
            if 2 >= A.shape[1]:
                outside(1, 2, A.shape[1])
            if not 0 <= t_1 < A.shape[1]:
                outside(2, t_1, A.shape[1])
            if not 0 <= t < A.shape[1]:
                outside(3, t, A.shape[1])
        # for i in range(1, n - 1):
        for i in range(1, t):
            # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
            t_3 = i + 1
            t_4 = i - 1
            # for j in range(1, n - 1):
            for j in range(1, t):
                # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
                A_1 = A[i, j]
                A_2 = A[i, uint(j - 1)]
                B[i, j] = 0.2 * (A_1 + A_2 + A[i, j + 1] + A[t_3, j] + A[uint(t_4), j])
        # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
        if any_1:
            if 0 >= B.shape[1]:
                outside(4, 0, B.shape[1])
            if 2 >= B.shape[1]:
                outside(5, 2, B.shape[1])
            if not 0 <= t_1 < B.shape[1]:
                outside(6, t_1, B.shape[1])
            if not 0 <= t < B.shape[1]:
                outside(7, t, B.shape[1])
        # for i in range(1, n - 1):
        for i in range(1, t):
            # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
            t_3 = i + 1
            t_4 = i - 1
            # for j in range(1, n - 1):
            for j in range(1, t):
                # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
                B_1 = B[i, j]
                B_2 = B[i, uint(j - 1)]
                A[i, j] = 0.2 * (B_1 + B_2 + B[i, j + 1] + B[t_3, j] + B[uint(t_4), j])

    # s += A[i, j] * A[i, j]
    if 0 < n_A0:
        if 0 >= A.shape[1]:
            outside(8, 0, A.shape[1])
        if not 0 <= t < A.shape[1]:
            outside(9, t, A.shape[1])
    ct_A0 = empty((n_A0, n_A0_1), np.float64)
    ct_A = B
    for z in range(n_A0):
        for z_1 in range(n_A0_1):
            ct_A[z, z_1] = 0.0

    # for i in range(n):
    s = 0.0
    for i in range(n_A0):
        # for j in range(n):
        for j in range(n_A0):
            # s += A[i, j] * A[i, j]
            A_1 = A[i, j]
            ct_A_1 = 0.5 * A_1
            ct_A[i, j] += ct_A_1 + ct_A_1
            s += A_1 * A_1

    # for t in range(T):
    t_3 = T - 1

    # for i in range(1, n - 1):
    t_4 = n_A0 - 2
    t_5 = minimum(3, t)
    t_1 = maximum(t_1, t_5)

    # for i in range(1, n - 1):
    t_6 = minimum(2, t)
    t_7 = maximum(t_4, t_6)
    ct_B = A
    for z in range(n_A0):
        for z_1 in range(n_A0_1):
            ct_B[z, z_1] = 0.0

    # for t in range(T):
    for t_2 in range(t_3, -1, -1):
        # for i in range(1, n - 1):
        for i in range(2, t_4):
            t_8 = i + 1
            t_9 = i - 1
            # for j in range(1, n - 1):
            for j in range(2, t_4):
                # for i in range(1, n - 1):
                t_10 = ct_A[uint(t_8), uint(j)] * 0.2 + ct_A[uint(t_9), uint(j)] * 0.2
                t_11 = j - 1
                # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
                ct_B[uint(i), uint(j)] = t_10 + ct_A[uint(i), uint(t_11)] * 0.2 + ct_A[uint(i), uint(j + 1)] * 0.2 + ct_A[uint(i), uint(j)] * 0.2
        for i in range(1, t):
            inside = i < t_5 or i >= t_1
            t_8 = t if inside else t_5
            t_9 = t if inside else t_1
            # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
            t_11 = i + 1
            t_12 = i - 1
            # for i in range(1, n - 1):
            inside = 2 <= t_12 and t_12 < t_4
            inside_1 = 2 <= t_11 and t_11 < t_4
            inside_2 = 2 <= i and i < t_4
            for side in range(2):
                inside_3 = side == 0
                for j in range(1 if inside_3 else t_9, t_8 if inside_3 else t):
                    # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
                    t_13 = j - 1
                    t_14 = j + 1
                    ct_t = ct_A[i, uint(j)] * 0.2
                    # for i in range(1, n - 1):
                    inside_3 = 2 <= j
                    inside_4 = j < t_4
                    inside_5 = (inside and inside_3) and inside_4
                    # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
                    if not inside_5:
                        ct_B[uint(t_12), uint(j)] += ct_t
                    # for i in range(1, n - 1):
                    inside_5 = (inside_1 and inside_3) and inside_4
                    # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
                    if not inside_5:
                        ct_B[t_11, uint(j)] += ct_t
                    # for i in range(1, n - 1):
                    inside_5 = (inside_2 and 2 <= t_14) and t_14 < t_4
                    # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
                    if not inside_5:
                        ct_B[i, uint(t_14)] += ct_t
                    # for i in range(1, n - 1):
                    inside_5 = (inside_2 and 2 <= t_13) and t_13 < t_4
                    # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
                    if not inside_5:
                        ct_B[i, uint(t_13)] += ct_t
                    # for i in range(1, n - 1):
                    inside_3 = (inside_2 and inside_3) and inside_4
                    # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
                    if not inside_3:
                        ct_B[i, uint(j)] += ct_t
        # for i in range(1, n - 1):
        for i in range(1, t):
            inside = i < t_6 or i >= t_7
            t_8 = t if inside else t_6
            t_9 = t if inside else t_7
            for side in range(2):
                inside = side == 0
                for j in range(1 if inside else t_9, t_8 if inside else t):
                    # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
                    ct_A[i, uint(j)] = 0.0
        for i in range(2, t_4):
            t_8 = i + 1
            t_9 = i - 1
            # for j in range(1, n - 1):
            for j in range(2, t_4):
                # for i in range(1, n - 1):
                t_10 = ct_B[uint(t_8), uint(j)] * 0.2 + ct_B[uint(t_9), uint(j)] * 0.2
                t_11 = j - 1
                # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
                ct_A[uint(i), uint(j)] = t_10 + ct_B[uint(i), uint(t_11)] * 0.2 + ct_B[uint(i), uint(j + 1)] * 0.2 + ct_B[uint(i), uint(j)] * 0.2
        for i in range(1, t):
            inside = i < t_5 or i >= t_1
            t_8 = t if inside else t_5
            t_9 = t if inside else t_1
            # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
            t_11 = i + 1
            t_12 = i - 1
            # for i in range(1, n - 1):
            inside = 2 <= t_12 and t_12 < t_4
            inside_1 = 2 <= t_11 and t_11 < t_4
            inside_2 = 2 <= i and i < t_4
            for side in range(2):
                inside_3 = side == 0
                for j in range(1 if inside_3 else t_9, t_8 if inside_3 else t):
                    # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
                    t_13 = j - 1
                    t_14 = j + 1
                    ct_t = ct_B[i, uint(j)] * 0.2
                    # for i in range(1, n - 1):
                    inside_3 = 2 <= j
                    inside_4 = j < t_4
                    inside_5 = (inside and inside_3) and inside_4
                    # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
                    if not inside_5:
                        ct_A[uint(t_12), uint(j)] += ct_t
                    # for i in range(1, n - 1):
                    inside_5 = (inside_1 and inside_3) and inside_4
                    # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
                    if not inside_5:
                        ct_A[t_11, uint(j)] += ct_t
                    # for i in range(1, n - 1):
                    inside_5 = (inside_2 and 2 <= t_14) and t_14 < t_4
                    # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
                    if not inside_5:
                        ct_A[i, uint(t_14)] += ct_t
                    # for i in range(1, n - 1):
                    inside_5 = (inside_2 and 2 <= t_13) and t_13 < t_4
                    # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
                    if not inside_5:
                        ct_A[i, uint(t_13)] += ct_t
                    # for i in range(1, n - 1):
                    inside_3 = (inside_2 and inside_3) and inside_4
                    # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
                    if not inside_3:
                        ct_A[i, uint(j)] += ct_t
        # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        for i in range(1, t):
            inside = i < t_6 or i >= t_7
            t_8 = t if inside else t_6
            t_9 = t if inside else t_7
            for side in range(2):
                inside = side == 0
                for j in range(1 if inside else t_9, t_8 if inside else t):
                    ct_B[i, uint(j)] = 0.0
    any_1 = -1 < t_3

    # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
    if any_1:
        for i in range(2, t_4):
            for j in range(2, t_4):
                ct_B[uint(i), uint(j)] = 0.0

    # A = A0.copy()
    for i in range(n_A0):
        for j in range(n_A0_1):
            # B = A0.copy()
            ct_A0_1 = ct_B[i, j]
            # A = A0.copy()
            ct_A0[i, j] = ct_A0_1 + ct_A[i, j]
    return 0.5 * s, ct_A0
