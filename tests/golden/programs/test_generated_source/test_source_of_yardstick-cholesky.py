"""Value and gradient of `cholesky_loops` (plain_loops.py:N)

A0: float64[:,:]
W: float64[:,:]
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:,:]
"""

import numba
import numpy as np

from adjit.runtime.support import empty, outside, smul, take, take_zeros, uint


@numba.njit(error_model="numpy", nogil=True, cache=True)
def cholesky_loops_gradient(A0, W, ws):
    ws[0] = 8
    n_A0 = A0.shape[0]
    n_A0_1 = A0.shape[1]
    A = take(ws, (n_A0, n_A0_1), np.float64)

    # A = A0.copy()
    for i in range(n_A0):
        for j in range(n_A0_1):
            A[i, j] = A0[i, j]

    # A[i, i] = np.sqrt(A[i, i])
    if 0 < n_A0:
        if 0 >= A.shape[1]:
            outside(0, 0, A.shape[1])
        t = n_A0 - 1
        if not 0 <= t < A.shape[1]:
            outside(1, t, A.shape[1])

    # for i in range(n):
    for i in range(n_A0):
        # A[i, j] /= A[j, j]
        any_1 = 0 < i
        if any_1:
            if 0 >= A.shape[1]:
                outside(2, 0, A.shape[1])
            t = i - 1
            if not 0 <= t < A.shape[1]:
                outside(3, t, A.shape[1])
        # for j in range(i):
        for j in range(i):
            # A[i, j] -= A[i, k] * A[j, k]
            if 0 < j:
                if 0 >= A.shape[1]:
                    outside(4, 0, A.shape[1])
                t = j - 1
                if not 0 <= t < A.shape[1]:
                    outside(5, t, A.shape[1])
                if j >= A.shape[1]:
                    outside(6, j, A.shape[1])
            # for k in range(j):
            A_1 = A[i, j]
            for k in range(j):
                A_1 -= A[i, k] * A[j, k]
            # A[i, j] /= A[j, j]
            A[i, j] = A_1 / A[j, j]
        # A[i, i] -= A[i, k] * A[i, k]
        if any_1:
            if 0 >= A.shape[1]:
                outside(7, 0, A.shape[1])
            t = i - 1
            if not 0 <= t < A.shape[1]:
                outside(8, t, A.shape[1])
            if i >= A.shape[1]:
                outside(9, i, A.shape[1])
        # for k in range(i):
        A_1 = A[i, i]
        for k in range(i):
            # A[i, i] -= A[i, k] * A[i, k]
            A_2 = A[i, k]
            A_1 -= A_2 * A_2
        # A[i, i] = np.sqrt(A[i, i])
        A[i, i] = np.sqrt(A_1)
    ct_A0 = empty((n_A0, n_A0_1), np.float64)
    ct_A = take_zeros(ws, (n_A0, n_A0_1), np.float64)

    # for i in range(n):
    s = 0.0
    for i in range(n_A0):
        # for j in range(i + 1):
        t = i + 1
        # s += W[i, j] * A[i, j]
        if 0 < t:
            if i >= W.shape[0]:
                outside(10, i, W.shape[0])
            if 0 >= W.shape[1]:
                outside(11, 0, W.shape[1])
            if i >= W.shape[1]:
                outside(12, i, W.shape[1])
            if 0 >= A.shape[1]:
                outside(13, 0, A.shape[1])
            if i >= A.shape[1]:
                outside(14, i, A.shape[1])
        # for j in range(i + 1):
        for j in range(t):
            # s += W[i, j] * A[i, j]
            W_1 = W[i, j]
            A_1 = A[i, j]
            ct_A[i, j] += W_1
            s += W_1 * A_1

    # for i in range(n):
    for i in range(n_A0 - 1, -1, -1):
        # A[i, i] = np.sqrt(A[i, i])
        t_1 = A[uint(i), uint(i)]
        ct_t = ct_A[uint(i), uint(i)]
        ct_A[uint(i), uint(i)] = 0.0
        ct_A_1 = smul(ct_t, 0.5 * (1.0 / t_1))
        # A[i, i] -= A[i, k] * A[i, k]
        ct_t = -ct_A_1
        # for k in range(i):
        for k in range(i):
            # A[i, i] -= A[i, k] * A[i, k]
            ct_A_2 = ct_t * A[uint(i), k]
            ct_A[uint(i), k] += ct_A_2 + ct_A_2
        ct_A[uint(i), uint(i)] += ct_A_1
        # for j in range(i):
        for j in range(i - 1, -1, -1):
            # A[i, j] /= A[j, j]
            A_1 = A[uint(j), uint(j)]
            t_1 = A[uint(i), uint(j)]
            ct_t = ct_A[uint(i), uint(j)]
            ct_A[uint(i), uint(j)] = 0.0
            t_2 = 1.0 / A_1
            ct_A_1 = smul(ct_t, t_2)
            ct_A[uint(j), uint(j)] += smul(ct_t, -(t_1 * t_2))
            # A[i, j] -= A[i, k] * A[j, k]
            ct_t = -ct_A_1
            # for k in range(j):
            for k in range(j):
                # A[i, j] -= A[i, k] * A[j, k]
                A_1 = A[uint(j), k]
                ct_A[uint(j), k] += ct_t * A[uint(i), k]
                ct_A[uint(i), k] += ct_t * A_1
            ct_A[uint(i), uint(j)] += ct_A_1
        # A = A0.copy()
        for j in range(n_A0_1):
            ct_A0[uint(i), j] = ct_A[uint(i), j]
    return s, ct_A0
