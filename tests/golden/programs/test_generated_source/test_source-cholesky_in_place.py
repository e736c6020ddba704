"""Value and gradient of `cholesky_in_place` (programs_arrays.py:N)

m: float64[:,:]
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:,:]
"""

import numba
import numpy as np

from adjit.runtime.routines import gemm
from adjit.runtime.support import empty, failed_with, smul, take, uint, zeros
from adjit.runtime.vector import log


@numba.njit(error_model="numpy", nogil=True, cache=True)
def cholesky_in_place_gradient(m, ws):
    ws[0] = 8
    n_m = m.shape[0]
    n_m_1 = m.shape[1]
    a = take(ws, (n_m, n_m), np.float64)
    m_1 = m[:n_m, :n_m_1].T

    # a = m @ m.T + 4.0 * np.eye(4)
    gemm(a, m, m_1)
    a_1 = zeros((4, 4), np.float64)
    a_1[0, 0] = 1.0
    a_1[1, 1] = 1.0
    a_1[2, 2] = 1.0
    a_1[3, 3] = 1.0
    if 4 != n_m:
        failed_with(0, 4, n_m)
    a_2 = empty((4, 4), np.float64)
    for i in range(4):
        a_2[i, 0] = a[i, 0] + 4.0 * a_1[i, 0]
        a_2[i, 1] = a[i, 1] + 4.0 * a_1[i, 1]
        a_2[i, 2] = a[i, 2] + 4.0 * a_1[i, 2]
        a_2[i, 3] = a[i, 3] + 4.0 * a_1[i, 3]
        # for j in range(i):
        a_3 = a_2[i, i]
        for j in range(i):
            # for k in range(j):
            a_4 = a_2[i, j]
            for k in range(j):
                a_4 -= a_2[i, k] * a_2[j, k]
            # a[i, j] /= a[j, j]
            t = a_4 / a_2[j, j]
            a_2[i, j] = t
            a_3 -= t * t
        # a[i, i] = np.sqrt(a[i, i])
        a_2[i, i] = np.sqrt(a_3)

    # s += np.log(a[i, i]) + a[3, i]
    a_3 = a_2[0, 0]
    a_4 = a_2[3, 0]
    a_5 = a_2[1, 1]
    a_6 = a_2[3, 1]
    a_7 = a_2[2, 2]
    a_8 = a_2[3, 2]
    a_9 = a_2[3, 3]
    ct_m = empty((4, n_m_1), np.float64)
    ct_a = zeros((4, 4), np.float64)
    ct_a_1 = zeros((4, 4), np.float64)
    ct_a_1[3, 3] += 1.0 + 1.0 / a_9
    ct_a_1[3, 2] += 1.0
    ct_a_1[2, 2] += 1.0 / a_7
    ct_a_1[3, 1] += 1.0
    ct_a_1[1, 1] += 1.0 / a_5
    ct_a_1[3, 0] += 1.0
    ct_a_1[0, 0] += 1.0 / a_3

    # a = m @ m.T + 4.0 * np.eye(4)
    for i in range(3, -1, -1):
        # a[i, i] = np.sqrt(a[i, i])
        t = a_2[uint(i), uint(i)]
        ct_t = ct_a_1[uint(i), uint(i)]
        ct_a_1[uint(i), uint(i)] = 0.0
        ct_a_2 = smul(ct_t, 0.5 * (1.0 / t))
        # a[i, i] -= a[i, k] * a[i, k]
        ct_t = -ct_a_2
        # for j in range(i):
        for j in range(i - 1, -1, -1):
            # a[i, j] /= a[j, j]
            a_10 = a_2[uint(j), uint(j)]
            t = a_2[uint(i), uint(j)]
            # a[i, i] -= a[i, k] * a[i, k]
            ct_t_1 = ct_t * t
            # a[i, j] /= a[j, j]
            ct_t_1 = ct_t_1 + ct_t_1 + ct_a_1[uint(i), uint(j)]
            ct_a_1[uint(i), uint(j)] = 0.0
            t_1 = 1.0 / a_10
            ct_a_3 = smul(ct_t_1, t_1)
            ct_a_1[uint(j), uint(j)] += smul(ct_t_1, -(t * t_1))
            # a[i, j] -= a[i, k] * a[j, k]
            ct_t_1 = -ct_a_3
            # for k in range(j):
            for k in range(j):
                # a[i, j] -= a[i, k] * a[j, k]
                a_10 = a_2[uint(j), k]
                ct_a_1[uint(j), k] += ct_t_1 * a_2[uint(i), k]
                ct_a_1[uint(i), k] += ct_t_1 * a_10
            ct_a_1[uint(i), uint(j)] += ct_a_3
        ct_a_1[uint(i), uint(i)] += ct_a_2
        # a = m @ m.T + 4.0 * np.eye(4)
        ct_a[uint(i), 3] += ct_a_1[uint(i), 3]
        ct_a[uint(i), 2] += ct_a_1[uint(i), 2]
        ct_a[uint(i), 1] += ct_a_1[uint(i), 1]
        ct_a[uint(i), 0] += ct_a_1[uint(i), 0]
    ct_m_1 = ct_m[:4, :n_m_1].T
    m_1 = m_1[:n_m_1, :4].T
    gemm(ct_m, ct_a, m_1)
    m_1 = m[:4, :n_m_1].T
    gemm(ct_m_1, m_1, ct_a, True)
    return log(a_3) + a_4 + (log(a_5) + a_6) + (log(a_7) + a_8) + (log(a_9) + a_9), ct_m
