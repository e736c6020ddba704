"""Value and gradient of `durbin_loops` (plain_loops.py:N)

r: float64[:]
w: float64[:]
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:]
"""

import numba
import numpy as np

from adjit.runtime.support import outside, smul, take, take_zeros, uint, zeros


@numba.njit(error_model="numpy", nogil=True, cache=True)
def durbin_loops_gradient(r, w, ws):
    ws[0] = 8

    # alpha = -r[0]
    if 0 >= r.shape[0]:
        outside(0, 0, r.shape[0])
    n_r = r.shape[0]
    y = take_zeros(ws, (n_r,), np.float64)
    alpha = -r[0]

    # y[0] = -r[0]
    y[0] = alpha
    trips = len(range(1, n_r, 1))
    saved_beta = take(ws, (trips,), np.float64)
    saved_alpha = take(ws, (trips,), np.float64)
    saved_s = take(ws, (trips,), np.float64)
    count = 0
    for k in range(1, n_r):
        count += k
    saved_y = take(ws, (count,), np.float64)

    # for k in range(1, n):
    beta = 1.0
    position = 0
    for k in range(1, n_r):
        k_1 = k - 1
        saved_beta[uint(k_1)] = beta
        saved_alpha[uint(k_1)] = alpha
        # beta *= 1.0 - alpha * alpha
        beta *= 1.0 - alpha * alpha
        # s = r[k]
        s = r[k]
        # for i in range(k):
        for i in range(k):
            y_1 = y[i]
            saved_y[uint(position + i)] = y_1
            s += r[uint(k_1 - i)] * y_1
        saved_s[uint(k_1)] = s
        # alpha = -s / beta
        alpha = -s / beta
        # for i in range(k):
        for i in range(k):
            # y[i] = z[i]
            y[i] = saved_y[uint(position + i)] + alpha * saved_y[uint(position + (k_1 - i))]
        # y[k] = alpha
        y[k] = alpha
        position += k

    # total += w[i] * y[i]
    if 0 < n_r:
        if 0 >= w.shape[0]:
            outside(1, 0, w.shape[0])
        t = n_r - 1
        if not 0 <= t < w.shape[0]:
            outside(2, t, w.shape[0])
    ct_r = zeros(n_r, np.float64)
    ct_y = take(ws, (n_r,), np.float64)

    # for i in range(n):
    total = 0.0
    for i in range(n_r):
        # total += w[i] * y[i]
        w_1 = w[i]
        y_1 = y[i]
        ct_y[i] = w_1
        total += w_1 * y_1
    ct_z = y

    # for k in range(1, n):
    ct_beta = 0.0
    ct_alpha = 0.0
    for k in range(n_r - 1, 0, -1):
        k_1 = k - 1
        beta = saved_beta[uint(k_1)]
        alpha = saved_alpha[uint(k_1)]
        # beta *= 1.0 - alpha * alpha
        t_1 = 1.0 - alpha * alpha
        t_2 = beta * t_1
        # for i in range(k):
        s = saved_s[uint(k_1)]
        # alpha = -s / beta
        alpha_1 = -s / t_2
        # for k in range(1, n):
        position -= k
        # y[k] = alpha
        ct_alpha += ct_y[uint(k)]
        # for i in range(k):
        for i in range(k):
            # z[i] = y[i] + alpha * y[k - 1 - i]
            t = k_1 - i
            y_1 = saved_y[uint(position + t)]
            ct_t = ct_y[i]
            ct_z[i] = ct_y[uint(t)] * alpha_1
            ct_z[i] += ct_t
            ct_alpha += ct_t * y_1
        # alpha = -s / beta
        t_2 = 1.0 / t_2
        ct_t = ct_beta + smul(ct_alpha, -(alpha_1 * t_2))
        ct_s = -smul(ct_alpha, t_2)
        # for i in range(k):
        for i in range(k):
            # s += r[k - 1 - i] * y[i]
            t = k_1 - i
            ct_y[i] = ct_z[i] + ct_s * r[uint(t)]
            ct_r[i] += ct_s * saved_y[uint(position + t)]
        # s = r[k]
        ct_r[uint(k)] += ct_s
        # beta *= 1.0 - alpha * alpha
        ct_alpha = -(ct_t * beta) * alpha
        ct_beta = ct_t * t_1
        ct_alpha += ct_alpha

    # y[0] = -r[0]
    ct_alpha += ct_y[0]

    # alpha = -r[0]
    ct_r[0] -= ct_alpha
    return total, ct_r
