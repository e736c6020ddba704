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

from adjit.runtime.support import empty, failed, minimum, outside, smul, take, take_zeros, uint, zeros
from adjit.runtime.vector import exp, log


@numba.njit(error_model="numpy", nogil=True, cache=True)
def gmm_loops_gradient(alphas, means, icf, x, gamma_1, m, ws):
    ws[0] = 8

    # prior += 0.5 * gamma * gamma * frob - m * log_diag
    t = 0.5 * gamma_1 * gamma_1
    n_alphas = alphas.shape[0]

    # mx = alphas.max()
    if n_alphas == 0:
        failed(0)
    if 0 >= alphas.shape[0]:
        outside(1, 0, alphas.shape[0])
    n_icf = icf.shape[1]
    n_x = x.shape[0]

    # return s - n * (np.log(t) + mx) + prior
    t_1 = np.float64(n_x)
    n_x_1 = x.shape[1]

    # y += icf[k, d + b * (2 * d - b - 1) // 2 + a - b - 1] * xc[b]
    t_2 = 2 * n_x_1
    inner = take(ws, (n_alphas, n_x), np.float64)

    # log_diag += icf[k, a]
    any_1 = 0 < n_x_1
    any_2 = 0 < n_alphas
    if any_1 and any_2:
        if 0 >= icf.shape[0]:
            outside(2, 0, icf.shape[0])
        t_3 = n_alphas - 1
        if not 0 <= t_3 < icf.shape[0]:
            outside(3, t_3, icf.shape[0])
        if 0 >= icf.shape[1]:
            outside(4, 0, icf.shape[1])
        t_3 = n_x_1 - 1
        if not 0 <= t_3 < icf.shape[1]:
            outside(5, t_3, icf.shape[1])

    # frob += icf[k, p] ** 2
    if n_x_1 < n_icf and any_2:
        if 0 >= icf.shape[0]:
            outside(6, 0, icf.shape[0])
        t_3 = n_alphas - 1
        if not 0 <= t_3 < icf.shape[0]:
            outside(7, t_3, icf.shape[0])

    # xc[a] = x[i, a] - means[k, a]
    if (any_1 and 0 < n_x) and any_2:
        if 0 >= means.shape[0]:
            outside(8, 0, means.shape[0])
        t_3 = n_alphas - 1
        if not 0 <= t_3 < means.shape[0]:
            outside(9, t_3, means.shape[0])
        if 0 >= means.shape[1]:
            outside(10, 0, means.shape[1])
        t_4 = n_x_1 - 1
        if not 0 <= t_4 < means.shape[1]:
            outside(11, t_4, means.shape[1])
        # y = np.exp(icf[k, a]) * xc[a]
        if 0 >= icf.shape[0]:
            outside(12, 0, icf.shape[0])
        if not 0 <= t_3 < icf.shape[0]:
            outside(13, t_3, icf.shape[0])
        if 0 >= icf.shape[1]:
            outside(14, 0, icf.shape[1])
        if not 0 <= t_4 < icf.shape[1]:
            outside(15, t_4, icf.shape[1])
    xc = take(ws, (n_x_1, 128), np.float64)
    sq = take(ws, (128,), np.float64)
    y = take(ws, (128,), np.float64)
    saved_t = take(ws, (n_alphas, n_x_1), np.float64)
    row_t = take(ws, (512,), np.float64)

    # for k in range(K):
    prior = 0.0
    for k in range(n_alphas):
        # for a in range(d):
        log_diag = 0.0
        frob = 0.0
        for a in range(0, n_x_1, 512):
            end = minimum(a + 512, n_x_1)
            for a_1 in range(a, end):
                at = a_1 - a
                # frob += np.exp(icf[k, a]) ** 2
                t_5 = exp(icf[k, uint(a_1)])
                saved_t[k, uint(a_1)] = t_5
                row_t[uint(at)] = t_5 * t_5
            for a_1 in range(a, end):
                at = a_1 - a
                log_diag += icf[k, uint(a_1)]
                frob += row_t[uint(at)]
        # for p in range(d, icf.shape[1]):
        for p in range(n_x_1, n_icf):
            # frob += icf[k, p] ** 2
            icf_1 = icf[k, uint(p)]
            frob += icf_1 * icf_1
        # inner[k, i] = alphas[k] + log_diag - 0.5 * sq
        t_5 = alphas[k] + log_diag
        # for i in range(n):
        for i in range(0, n_x, 128):
            end = minimum(i + 128, n_x)
            # for a in range(d):
            for a in range(n_x_1):
                # xc[a] = x[i, a] - means[k, a]
                means_1 = means[k, a]
                # for i in range(n):
                for i_1 in range(i, end):
                    at = i_1 - i
                    # xc[a] = x[i, a] - means[k, a]
                    xc[a, uint(at)] = x[uint(i_1), a] - means_1
            # for i in range(n):
            for i_1 in range(i, end):
                sq[uint(i_1 - i)] = 0.0
            # for a in range(d):
            for a in range(n_x_1):
                # y = np.exp(icf[k, a]) * xc[a]
                t_6 = exp(icf[k, a])
                # for i in range(n):
                for i_1 in range(i, end):
                    at = i_1 - i
                    # y = np.exp(icf[k, a]) * xc[a]
                    y_1 = t_6 * xc[a, uint(at)]
                    # for i in range(n):
                    y[uint(at)] = y_1
                # for b in range(a):
                for b in range(a):
                    # y += icf[k, d + b * (2 * d - b - 1) // 2 + a - b - 1] * xc[b]
                    t_3 = n_x_1 + b * (t_2 - b - 1) // 2 + a - b - 1
                    if not 0 <= t_3 < icf.shape[1]:
                        outside(16, t_3, icf.shape[1])
                    icf_1 = icf[k, uint(t_3)]
                    # for i in range(n):
                    for i_1 in range(i, end):
                        at = i_1 - i
                        # y += icf[k, d + b * (2 * d - b - 1) // 2 + a - b - 1] * xc[b]
                        y[uint(at)] += icf_1 * xc[b, uint(at)]
                # for i in range(n):
                for i_1 in range(i, end):
                    at = i_1 - i
                    y_1 = y[uint(at)]
                    # sq += y * y
                    sq[uint(at)] += y_1 * y_1
            # for i in range(n):
            for i_1 in range(i, end):
                # inner[k, i] = alphas[k] + log_diag - 0.5 * sq
                inner[k, uint(i_1)] = t_5 - 0.5 * sq[uint(i_1 - i)]
        prior += t * frob - m * log_diag
    mx = take(ws, (128,), np.float64)
    t_7 = take(ws, (128,), np.float64)
    saved_which = take(ws, (len(range(1, n_alphas, 1)), n_x), np.int8)
    saved_t_1 = take(ws, (n_alphas, n_x), np.float64)
    saved_t_2 = take(ws, (n_x,), np.float64)

    # for k in range(1, K):
    t_3 = n_alphas - 1
    row_t = take(ws, (512,), np.float64)

    # for i in range(n):
    s = 0.0
    for i in range(0, n_x, 128):
        end = minimum(i + 128, n_x)
        for i_1 in range(i, end):
            # mx = inner[0, i]
            mx_1 = inner[0, uint(i_1)]
            # for i in range(n):
            mx[uint(i_1 - i)] = mx_1
        # for k in range(1, K):
        for k in range(t_3):
            t_4 = k + 1
            # for i in range(n):
            for i_1 in range(i, end):
                at = i_1 - i
                # mx = max(mx, inner[k, i])
                inner_1 = inner[t_4, uint(i_1)]
                # for i in range(n):
                mx_1 = mx[uint(at)]
                # mx = max(mx, inner[k, i])
                saved_which[k, uint(i_1)] = np.int8((mx_1 >= inner_1) + 2 * (inner_1 >= mx_1))
                mx_1 = inner_1 if inner_1 > mx_1 else mx_1
                # for i in range(n):
                mx[uint(at)] = mx_1
        # for i in range(n):
        for i_1 in range(i, end):
            t_7[uint(i_1 - i)] = 0.0
        # for k in range(K):
        for k in range(n_alphas):
            # for i in range(n):
            for i_1 in range(i, end):
                at = i_1 - i
                # t += np.exp(inner[k, i] - mx)
                t_5 = exp(inner[k, uint(i_1)] - mx[uint(at)])
                saved_t_1[k, uint(i_1)] = t_5
                t_7[uint(at)] += t_5
        # for i in range(n):
        for i_1 in range(i, end, 512):
            end_1 = minimum(i_1 + 512, end)
            for i_2 in range(i_1, end_1):
                at = i_2 - i_1
                at_1 = i_2 - i
                t_5 = t_7[uint(at_1)]
                saved_t_2[uint(i_2)] = t_5
                # s += np.log(t) + mx
                row_t[uint(at)] = log(t_5) + mx[uint(at_1)]
            for i_2 in range(i_1, end_1):
                at = i_2 - i_1
                s += row_t[uint(at)]

    # mx = alphas.max()
    value = alphas[0]
    best = 0
    ties = 0
    for i in range(n_alphas):
        alphas_1 = alphas[i]
        t_8 = alphas_1 > value or alphas_1 != alphas_1 and value == value
        best = i if t_8 else best
        ties = 1 if t_8 else ties + 1 if alphas_1 == value else ties
        value = alphas_1 if t_8 else value
    t_4 = best + n_alphas if best < 0 else best
    if not 0 <= t_4 < alphas.shape[0]:
        outside(17, t_4, alphas.shape[0])
    chosen = alphas[uint(t_4)]
    t_8 = ties > 1
    if t_8:
        t_5 = 1.0 / np.float64(ties)
        for i in range(n_alphas):
            alphas_1 = alphas[i]
            if alphas_1 == value:
                pass
    saved_t_3 = take(ws, (n_alphas,), np.float64)
    row_t = take(ws, (512,), np.float64)

    # for k in range(K):
    t_5 = 0.0
    for k in range(0, n_alphas, 512):
        end = minimum(k + 512, n_alphas)
        for k_1 in range(k, end):
            at = k_1 - k
            # t += np.exp(alphas[k] - mx)
            t_6 = exp(alphas[uint(k_1)] - chosen)
            saved_t_3[uint(k_1)] = t_6
            row_t[uint(at)] = t_6
        for k_1 in range(k, end):
            at = k_1 - k
            t_5 += row_t[uint(at)]
    ct_alphas = empty(n_alphas, np.float64)
    ct_means = zeros((means.shape[0], means.shape[1]), np.float64)
    ct_icf = zeros((icf.shape[0], n_icf), np.float64)
    ct_sq = take_zeros(ws, (128,), np.float64)
    ct_mx = take_zeros(ws, (128,), np.float64)
    ct_t = take_zeros(ws, (128,), np.float64)

    # return s - n * (np.log(t) + mx) + prior
    ct_alphas_1 = -t_1
    ct_t_1 = ct_alphas_1 * (1.0 / t_5)

    # for k in range(K):
    for k in range(n_alphas):
        # t += np.exp(alphas[k] - mx)
        ct_t_2 = ct_t_1 * saved_t_3[k]
        ct_alphas[k] = ct_t_2
        ct_alphas_1 -= ct_t_2

    # mx = alphas.max()
    if t_8:
        ct_alphas_1 *= 1.0 / np.float64(ties)
        for i in range(n_alphas):
            if alphas[i] == value:
                ct_alphas_2 = ct_alphas_1
            else:
                ct_alphas_2 = 0.0
            ct_alphas[i] += ct_alphas_2
        ct_alphas_1 = 0.0
    ct_alphas[uint(t_4)] += ct_alphas_1

    # for i in range(n):
    t_4 = (len(range(0, n_x, 128)) - 1) * 128
    ct_inner = inner
    for z in range(n_alphas):
        for z_1 in range(n_x):
            ct_inner[z, z_1] = 0.0
    for i in range(t_4, -1, -128):
        end = minimum(i + 128, n_x)
        for i_1 in range(i, end):
            at = i_1 - i
            t_6 = saved_t_2[uint(i_1)]
            ct_mx[uint(at)] += 1.0
            ct_t[uint(at)] += 1.0 / t_6
        # for k in range(K):
        for k in range(n_alphas):
            # for i in range(n):
            for i_1 in range(i, end):
                at = i_1 - i
                # t += np.exp(inner[k, i] - mx)
                ct_t_1 = smul(ct_t[uint(at)], saved_t_1[k, uint(i_1)])
                ct_mx_1 = -ct_t_1
                # for i in range(n):
                ct_mx[uint(at)] += ct_mx_1
                # t += np.exp(inner[k, i] - mx)
                ct_inner[k, uint(i_1)] += ct_t_1
        # for i in range(n):
        for i_1 in range(i, end):
            ct_t[uint(i_1 - i)] = 0.0
        # for k in range(1, K):
        for k in range(t_3, 0, -1):
            # mx = max(mx, inner[k, i])
            k_2 = k - 1
            # for i in range(n):
            for i_1 in range(i, end):
                at = i_1 - i
                # mx = max(mx, inner[k, i])
                which = saved_which[uint(k_2), uint(i_1)]
                # for i in range(n):
                ct_mx_1 = ct_mx[uint(at)]
                # mx = max(mx, inner[k, i])
                t_8 = which == 2
                t_9 = which == 3
                ct_mx_2 = ct_mx_1 * (0.5 if t_9 else 0.0 if t_8 else 1.0)
                # for i in range(n):
                ct_mx[uint(at)] = ct_mx_2
                # mx = max(mx, inner[k, i])
                ct_inner[uint(k), uint(i_1)] += ct_mx_1 * (0.5 if t_9 else 1.0 if t_8 else 0.0)
        # for i in range(n):
        for i_1 in range(i, end):
            at = i_1 - i
            ct_mx_1 = ct_mx[uint(at)]
            ct_mx[uint(at)] = 0.0
            # mx = inner[0, i]
            ct_inner[0, uint(i_1)] += ct_mx_1

    # for a in range(d):
    t_10 = n_x_1 - 1
    y = take(ws, (128,), np.float64)
    saved_t_2 = take(ws, (n_x_1,), np.float64)
    saved_y = take(ws, (n_x_1, 128), np.float64)
    ct_xc = take(ws, (n_x_1, 128), np.float64)
    ct_sq_1 = take(ws, (128,), np.float64)
    ct_y = take(ws, (128,), np.float64)
    row_t = empty(32, np.float64)

    # for k in range(K):
    for k in range(t_3, -1, -1):
        # for i in range(n):
        ct_t_1 = 0.0
        for i in range(t_4, -1, -128):
            end = minimum(i + 128, n_x)
            for i_1 in range(i, end):
                # inner[k, i] = alphas[k] + log_diag - 0.5 * sq
                ct_t_2 = ct_inner[uint(k), uint(i_1)]
                ct_sq_2 = -ct_t_2 * 0.5
                # for i in range(n):
                ct_sq[uint(i_1 - i)] += ct_sq_2
                ct_t_1 += ct_t_2
            # for a in range(d):
            for a in range(0, n_x_1, 32):
                end_1 = minimum(a + 32, n_x_1)
                for a_1 in range(a, end_1):
                    at = a_1 - a
                    # y = np.exp(icf[k, a]) * xc[a]
                    t_6 = exp(icf[uint(k), uint(a_1)])
                    saved_t_2[uint(a_1)] = t_6
                    row_t[uint(at)] = t_6
                for a_1 in range(a, end_1):
                    at = a_1 - a
                    # y = np.exp(icf[k, a]) * xc[a]
                    t_6 = row_t[uint(at)]
                    # xc[a] = x[i, a] - means[k, a]
                    means_1 = means[uint(k), uint(a_1)]
                    # for i in range(n):
                    for i_1 in range(i, end):
                        at = i_1 - i
                        # xc[a] = x[i, a] - means[k, a]
                        t_11 = x[uint(i_1), uint(a_1)] - means_1
                        xc[uint(a_1), uint(at)] = t_11
                        # y = np.exp(icf[k, a]) * xc[a]
                        y_1 = t_6 * t_11
                        # for i in range(n):
                        y[uint(at)] = y_1
                    # for b in range(a):
                    for b in range(a_1):
                        # y += icf[k, d + b * (2 * d - b - 1) // 2 + a - b - 1] * xc[b]
                        icf_1 = icf[uint(k), uint(n_x_1 + b * (t_2 - b - 1) // 2 + a_1 - b - 1)]
                        # for i in range(n):
                        for i_1 in range(i, end):
                            at = i_1 - i
                            # y += icf[k, d + b * (2 * d - b - 1) // 2 + a - b - 1] * xc[b]
                            y[uint(at)] += icf_1 * xc[b, uint(at)]
                    # for i in range(n):
                    for i_1 in range(i, end):
                        at = i_1 - i
                        saved_y[uint(a_1), uint(at)] = y[uint(at)]
            # for i in range(n):
            for z in range(n_x_1):
                for z_1 in range(128):
                    ct_xc[z, z_1] = 0.0
            for z in range(128):
                ct_y[z] = 0.0
            for i_1 in range(128):
                ct_sq_1[i_1] = ct_sq[i_1]
            # for a in range(d):
            for a in range(t_10, -1, -1):
                # y = np.exp(icf[k, a]) * xc[a]
                t_6 = saved_t_2[uint(a)]
                # for i in range(n):
                for i_1 in range(i, end):
                    at = i_1 - i
                    y_1 = saved_y[uint(a), uint(at)]
                    # sq += y * y
                    ct_y_1 = ct_sq_1[uint(at)] * y_1
                    ct_y_1 += ct_y_1
                    # for i in range(n):
                    ct_y[uint(at)] += ct_y_1
                # for b in range(a):
                for b in range(a):
                    # y += icf[k, d + b * (2 * d - b - 1) // 2 + a - b - 1] * xc[b]
                    t_3 = n_x_1 + b * (t_2 - b - 1) // 2 + a - b - 1
                    icf_1 = icf[uint(k), uint(t_3)]
                    # for i in range(n):
                    ct_icf_1 = 0.0
                    for i_1 in range(i, end):
                        at = i_1 - i
                        # y += icf[k, d + b * (2 * d - b - 1) // 2 + a - b - 1] * xc[b]
                        xc_1 = xc[b, uint(at)]
                        ct_t_2 = ct_y[uint(at)]
                        ct_xc[b, uint(at)] += ct_t_2 * icf_1
                        ct_icf_1 += ct_t_2 * xc_1
                    # y += icf[k, d + b * (2 * d - b - 1) // 2 + a - b - 1] * xc[b]
                    ct_icf[uint(k), uint(t_3)] += ct_icf_1
                # for i in range(n):
                ct_t_2 = 0.0
                ct_means_1 = 0.0
                for i_1 in range(i, end):
                    at = i_1 - i
                    # y = np.exp(icf[k, a]) * xc[a]
                    xc_1 = xc[uint(a), uint(at)]
                    # for i in range(n):
                    ct_y_1 = ct_y[uint(at)]
                    ct_y[uint(at)] = 0.0
                    # y = np.exp(icf[k, a]) * xc[a]
                    ct_xc[uint(a), uint(at)] += ct_y_1 * t_6
                    ct_t_2 += ct_y_1 * xc_1
                    ct_means_1 -= ct_xc[uint(a), uint(at)]
                # y = np.exp(icf[k, a]) * xc[a]
                ct_icf[uint(k), uint(a)] += smul(ct_t_2, t_6)
                # xc[a] = x[i, a] - means[k, a]
                ct_means[uint(k), uint(a)] += ct_means_1
            # for i in range(n):
            for i_1 in range(128):
                ct_sq[i_1] = 0.0
        # inner[k, i] = alphas[k] + log_diag - 0.5 * sq
        ct_alphas[uint(k)] += ct_t_1
        # prior += 0.5 * gamma * gamma * frob - m * log_diag
        ct_log_diag = ct_t_1 - m
        # for p in range(d, icf.shape[1]):
        for p in range(n_x_1, n_icf):
            # frob += icf[k, p] ** 2
            ct_icf_1 = t * icf[uint(k), uint(p)]
            ct_icf[uint(k), uint(p)] += ct_icf_1 + ct_icf_1
        # for a in range(d):
        for a in range(n_x_1):
            # frob += np.exp(icf[k, a]) ** 2
            t_6 = saved_t[uint(k), a]
            ct_t_1 = t * t_6
            ct_icf_1 = (ct_t_1 + ct_t_1) * t_6
            # log_diag += icf[k, a]
            ct_icf[uint(k), a] += ct_icf_1 + ct_log_diag
    return s - t_1 * (log(t_5) + chosen) + prior, ct_alphas, ct_means, ct_icf
