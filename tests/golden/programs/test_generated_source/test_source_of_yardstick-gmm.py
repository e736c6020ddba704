"""Value and gradient of `gmm_loops` (plain_dense.py:N)

alphas: float64[:]
means: float64[:,:]
icf: float64[:,:]
x: float64[:,:]
gamma_1: float64
m: float64
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:], float64[:,:], float64[:,:]
"""

import numba
import numpy as np

from adjit.runtime.support import failed, maximum, outside, smul, take, take_zeros, u
from adjit.runtime.vector import exp, log


@numba.njit(error_model="numpy", nogil=True, cache=True)
def gmm_loops_gradient(alphas, means, icf, x, gamma_1, m, ws):
    ws[0] = 8

    # prior += 0.5 * gamma * gamma * frob - m * log_diag
    t = 0.5 * gamma_1 * gamma_1
    n_alphas = alphas.shape[0]
    n_icf = icf.shape[1]
    n_x = x.shape[0]

    # return s - n * (np.log(t) + mx) + prior
    t_1 = np.float64(n_x)
    n_x_1 = x.shape[1]

    # y += icf[k, d + b * (2 * d - b - 1) // 2 + a - b - 1] * xc[b]
    t_2 = 2 * n_x_1
    inner = take(ws, (n_alphas, n_x), np.float64)
    xc = take(ws, (n_x_1,), np.float64)

    # log_diag += icf[k, a]
    any_1 = 0 < n_x_1
    any_2 = 0 < n_alphas
    if any_1 and any_2:
        if 0 >= icf.shape[0]:
            outside(0, 0, icf.shape[0])
        t_3 = n_alphas - 1
        if not 0 <= t_3 < icf.shape[0]:
            outside(1, t_3, icf.shape[0])
        if 0 >= icf.shape[1]:
            outside(2, 0, icf.shape[1])
        t_3 = n_x_1 - 1
        if not 0 <= t_3 < icf.shape[1]:
            outside(3, t_3, icf.shape[1])

    # frob += icf[k, p] ** 2
    if n_x_1 < n_icf and any_2:
        if 0 >= icf.shape[0]:
            outside(4, 0, icf.shape[0])
        t_3 = n_alphas - 1
        if not 0 <= t_3 < icf.shape[0]:
            outside(5, t_3, icf.shape[0])

    # xc[a] = x[i, a] - means[k, a]
    any_3 = 0 < n_x
    if (any_1 and any_3) and any_2:
        if 0 >= means.shape[0]:
            outside(6, 0, means.shape[0])
        t_3 = n_alphas - 1
        if not 0 <= t_3 < means.shape[0]:
            outside(7, t_3, means.shape[0])
        if 0 >= means.shape[1]:
            outside(8, 0, means.shape[1])
        t_4 = n_x_1 - 1
        if not 0 <= t_4 < means.shape[1]:
            outside(9, t_4, means.shape[1])
        # y = np.exp(icf[k, a]) * xc[a]
        if 0 >= icf.shape[0]:
            outside(10, 0, icf.shape[0])
        if not 0 <= t_3 < icf.shape[0]:
            outside(11, t_3, icf.shape[0])
        if 0 >= icf.shape[1]:
            outside(12, 0, icf.shape[1])
        if not 0 <= t_4 < icf.shape[1]:
            outside(13, t_4, icf.shape[1])
    trips = max(n_alphas, 0)
    trips_1 = max(n_x_1, 0)
    saved_t = take(ws, (trips, trips_1), np.float64)
    trips_2 = max(n_x, 0)
    saved_t_1 = take(ws, (trips, trips_2, trips_1), np.float64)
    saved_y = take(ws, (trips, trips_2, trips_1), np.float64)
    saved_xc = take(ws, (trips, trips_2, n_x_1), np.float64)

    # for k in range(K):
    prior = 0.0
    for k in range(n_alphas):
        # for a in range(d):
        log_diag = 0.0
        frob = 0.0
        for a in range(n_x_1):
            # log_diag += icf[k, a]
            icf_1 = icf[k, a]
            # frob += np.exp(icf[k, a]) ** 2
            t_5 = exp(icf_1)
            saved_t[k, a] = t_5
            log_diag += icf_1
            frob += t_5 * t_5
        # for p in range(d, icf.shape[1]):
        for p in range(n_x_1, n_icf):
            # frob += icf[k, p] ** 2
            icf_1 = icf[k, u(p)]
            frob += icf_1 * icf_1
        # inner[k, i] = alphas[k] + log_diag - 0.5 * sq
        t_5 = alphas[k] + log_diag
        # for i in range(n):
        for i in range(n_x):
            # for a in range(d):
            for a in range(n_x_1):
                # xc[a] = x[i, a] - means[k, a]
                t_6 = x[i, a] - means[k, a]
                xc[a] = t_6
                # for a in range(d):
                saved_xc[k, i, a] = t_6
            # for a in range(d):
            sq = 0.0
            for a in range(n_x_1):
                # y = np.exp(icf[k, a]) * xc[a]
                t_6 = exp(icf[k, a])
                saved_t_1[k, i, a] = t_6
                # for b in range(a):
                y = t_6 * xc[a]
                for b in range(a):
                    # y += icf[k, d + b * (2 * d - b - 1) // 2 + a - b - 1] * xc[b]
                    t_3 = n_x_1 + b * (t_2 - b - 1) // 2 + a - b - 1
                    if not 0 <= t_3 < icf.shape[1]:
                        outside(14, t_3, icf.shape[1])
                    y += icf[k, u(t_3)] * xc[b]
                saved_y[k, i, a] = y
                sq += y * y
            # inner[k, i] = alphas[k] + log_diag - 0.5 * sq
            inner[k, i] = t_5 - 0.5 * sq
        prior += t * frob - m * log_diag

    # mx = inner[0, i]
    if any_3:
        if 0 >= inner.shape[0]:
            outside(15, 0, inner.shape[0])
    saved_t_2 = take(ws, (trips_2,), np.float64)
    saved_mx = take(ws, (trips_2, len(range(1, n_alphas, 1))), np.float64)
    saved_t_3 = take(ws, (trips_2, trips), np.float64)

    # for i in range(n):
    s = 0.0
    for i in range(n_x):
        # for k in range(1, K):
        mx = inner[0, i]
        for k in range(1, n_alphas):
            saved_mx[i, u(k - 1)] = mx
            mx = maximum(mx, inner[k, i])
        # for k in range(K):
        t_5 = 0.0
        for k in range(n_alphas):
            # t += np.exp(inner[k, i] - mx)
            t_6 = exp(inner[k, i] - mx)
            saved_t_3[i, k] = t_6
            t_5 += t_6
        saved_t_2[i] = t_5
        s += log(t_5) + mx

    # mx = alphas.max()
    if n_alphas == 0:
        failed(16)
    if 0 >= alphas.shape[0]:
        outside(17, 0, alphas.shape[0])
    value = alphas[0]
    best = 0
    ties = 0
    for i in range(n_alphas):
        alphas_1 = alphas[i]
        t_7 = alphas_1 > value or alphas_1 != alphas_1 and value == value
        best = i if t_7 else best
        ties = 1 if t_7 else ties + 1 if alphas_1 == value else ties
        value = alphas_1 if t_7 else value
    t_3 = best + n_alphas if best < 0 else best
    if not 0 <= t_3 < alphas.shape[0]:
        outside(18, t_3, alphas.shape[0])
    chosen = alphas[u(t_3)]
    t_7 = ties > 1
    if t_7:
        t_5 = 1.0 / np.float64(ties)
        for i in range(n_alphas):
            alphas_1 = alphas[i]
            if alphas_1 == value:
                pass
    saved_t_4 = take(ws, (trips,), np.float64)

    # for k in range(K):
    t_5 = 0.0
    for k in range(n_alphas):
        # t += np.exp(alphas[k] - mx)
        t_6 = exp(alphas[k] - chosen)
        saved_t_4[k] = t_6
        t_5 += t_6
    ct_alphas = np.zeros(n_alphas, np.float64)
    ct_means = np.zeros((means.shape[0], means.shape[1]), np.float64)
    ct_icf = np.zeros((icf.shape[0], n_icf), np.float64)
    ct_inner = take_zeros(ws, (n_alphas, n_x), np.float64)
    ct_xc = take_zeros(ws, (n_x_1,), np.float64)

    # return s - n * (np.log(t) + mx) + prior
    ct_alphas_1 = -t_1
    ct_t = smul(ct_alphas_1, 1.0 / t_5)

    # for k in range(K):
    t_4 = n_alphas - 1
    for k in range(n_alphas):
        # t += np.exp(alphas[k] - mx)
        ct_t_1 = smul(ct_t, saved_t_4[k])
        ct_alphas[k] += ct_t_1
        ct_alphas_1 -= ct_t_1

    # mx = alphas.max()
    if t_7:
        ct_alphas_1 *= 1.0 / np.float64(ties)
        for i in range(n_alphas):
            if alphas[i] == value:
                ct_alphas_2 = ct_alphas_1
            else:
                ct_alphas_2 = 0.0
            ct_alphas[i] += ct_alphas_2
        ct_alphas_1 = 0.0
    ct_alphas[u(t_3)] += ct_alphas_1

    # for i in range(n):
    t_3 = n_x - 1
    for i in range(n_x):
        # s += np.log(t) + mx
        t_6 = 1.0 / saved_t_2[i]
        # for k in range(K):
        ct_mx = 1.0
        for k in range(n_alphas):
            # t += np.exp(inner[k, i] - mx)
            ct_t = smul(t_6, saved_t_3[i, k])
            ct_inner[k, i] += ct_t
            ct_mx -= ct_t
        # for k in range(1, K):
        for k in range(t_4, 0, -1):
            mx = saved_mx[i, u(k - 1)]
            # mx = max(mx, inner[k, i])
            inner_1 = inner[u(k), i]
            t_7 = mx == inner_1
            ct_inner[u(k), i] += ct_mx * (0.5 if t_7 else 1.0 if inner_1 > mx else 0.0)
            ct_mx *= 0.5 if t_7 else 1.0 if mx > inner_1 else 0.0
        # mx = inner[0, i]
        ct_inner[0, i] += ct_mx

    # for a in range(d):
    t_8 = n_x_1 - 1

    # for k in range(K):
    for k in range(t_4, -1, -1):
        # for i in range(n):
        ct_t = 0.0
        for i in range(t_3, -1, -1):
            # inner[k, i] = alphas[k] + log_diag - 0.5 * sq
            ct_t_1 = ct_inner[u(k), u(i)]
            ct_sq = -ct_t_1 * 0.5
            # for a in range(d):
            for a in range(t_8, -1, -1):
                # y = np.exp(icf[k, a]) * xc[a]
                t_6 = saved_t_1[u(k), u(i), u(a)]
                xc_1 = saved_xc[u(k), u(i), u(a)]
                # for b in range(a):
                y = saved_y[u(k), u(i), u(a)]
                # sq += y * y
                ct_y = ct_sq * y
                ct_y += ct_y
                # for b in range(a):
                for b in range(a):
                    # y += icf[k, d + b * (2 * d - b - 1) // 2 + a - b - 1] * xc[b]
                    t_4 = n_x_1 + b * (t_2 - b - 1) // 2 + a - b - 1
                    xc_2 = saved_xc[u(k), u(i), b]
                    ct_xc[b] += ct_y * icf[u(k), u(t_4)]
                    ct_icf[u(k), u(t_4)] += ct_y * xc_2
                # y = np.exp(icf[k, a]) * xc[a]
                ct_xc[u(a)] += ct_y * t_6
                ct_icf[u(k), u(a)] += smul(ct_y * xc_1, t_6)
                # xc[a] = x[i, a] - means[k, a]
                ct_t_2 = ct_xc[u(a)]
                ct_xc[u(a)] = 0.0
                ct_means[u(k), u(a)] -= ct_t_2
            ct_t += ct_t_1
        # inner[k, i] = alphas[k] + log_diag - 0.5 * sq
        ct_alphas[u(k)] += ct_t
        # prior += 0.5 * gamma * gamma * frob - m * log_diag
        ct_log_diag = ct_t - m
        # for p in range(d, icf.shape[1]):
        for p in range(n_x_1, n_icf):
            # frob += icf[k, p] ** 2
            ct_icf_1 = t * icf[u(k), u(p)]
            ct_icf[u(k), u(p)] += ct_icf_1 + ct_icf_1
        # for a in range(d):
        for a in range(n_x_1):
            # frob += np.exp(icf[k, a]) ** 2
            t_6 = saved_t[u(k), a]
            ct_t = t * t_6
            ct_icf_1 = smul(ct_t + ct_t, t_6)
            # log_diag += icf[k, a]
            ct_icf[u(k), a] += ct_icf_1 + ct_log_diag
    return s - t_1 * (log(t_5) + chosen) + prior, ct_alphas, ct_means, ct_icf
