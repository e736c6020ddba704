"""Value and gradient of `jacobi_2d_loops` (plain_stencils.py:N)

A0: float64[:,:]
T: int64
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:,:]
"""

import numba
import numpy as np

from adjit.runtime.support import minimum, outside, take, take_zeros, u, zeros


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

    # A = A0.copy()
    for i in range(n_A0):
        for j in range(n_A0_1):
            A[i, j] = A0[i, j]
    B = take(ws, (n_A0, n_A0_1), np.float64)

    # B = A0.copy()
    for i in range(n_A0):
        for j in range(n_A0_1):
            B[i, j] = A0[i, j]

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
                A_2 = A[i, u(j - 1)]
                B[i, j] = 0.2 * (A_1 + A_2 + A[i, j + 1] + A[t_3, j] + A[u(t_4), j])
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
                B_2 = B[i, u(j - 1)]
                A[i, j] = 0.2 * (B_1 + B_2 + B[i, j + 1] + B[t_3, j] + B[u(t_4), j])

    # s += A[i, j] * A[i, j]
    if 0 < n_A0:
        if 0 >= A.shape[1]:
            outside(8, 0, A.shape[1])
        if not 0 <= t < A.shape[1]:
            outside(9, t, A.shape[1])
    ct_A0 = zeros((n_A0, n_A0_1), np.float64)
    ct_A = take_zeros(ws, (n_A0, n_A0_1), np.float64)
    ct_B = take_zeros(ws, (n_A0, n_A0_1), np.float64)

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
    for t_2 in range(T - 1, -1, -1):
        # for i in range(1, n - 1):
        for i in range(1, t):
            # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
            t_1 = i + 1
            t_3 = i - 1
            # for j in range(1, n - 1):
            for j in range(1, t, 512):
                end = minimum(j + 512, t)
                # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
                for j_1 in range(j, end):
                    ct_B[i, u(j_1 - 1)] += ct_A[i, u(j_1)] * 0.2
                for j_1 in range(j, end):
                    ct_B[i, u(j_1)] += ct_A[i, u(j_1)] * 0.2
                # for j in range(1, n - 1):
                for j_1 in range(j, end):
                    # A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
                    ct_t = ct_A[i, u(j_1)]
                    ct_A[i, u(j_1)] = 0.0
                    ct_t *= 0.2
                    ct_B[u(t_3), u(j_1)] += ct_t
                    ct_B[t_1, u(j_1)] += ct_t
                    ct_B[i, u(j_1 + 1)] += ct_t
        # for i in range(1, n - 1):
        for i in range(1, t):
            # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
            t_1 = i + 1
            t_3 = i - 1
            # for j in range(1, n - 1):
            for j in range(1, t, 512):
                end = minimum(j + 512, t)
                # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
                for j_1 in range(j, end):
                    ct_A[i, u(j_1 - 1)] += ct_B[i, u(j_1)] * 0.2
                for j_1 in range(j, end):
                    ct_A[i, u(j_1)] += ct_B[i, u(j_1)] * 0.2
                # for j in range(1, n - 1):
                for j_1 in range(j, end):
                    # B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
                    ct_t = ct_B[i, u(j_1)]
                    ct_B[i, u(j_1)] = 0.0
                    ct_t *= 0.2
                    ct_A[u(t_3), u(j_1)] += ct_t
                    ct_A[t_1, u(j_1)] += ct_t
                    ct_A[i, u(j_1 + 1)] += ct_t

    # B = A0.copy()
    for i in range(n_A0):
        for j in range(n_A0_1):
            ct_A0[i, j] += ct_B[i, j]

    # A = A0.copy()
    for i in range(n_A0):
        for j in range(n_A0_1):
            ct_A0[i, j] += ct_A[i, j]
    return 0.5 * s, ct_A0
