"""Value and gradient of `garch_loops` (plain_loops.py:N)

th: float64[:]
x: float64[:]
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:]
"""

import numba
import numpy as np

from adjit.runtime.support import minimum, outside, smul, take, uint, zeros
from adjit.runtime.vector import log


@numba.njit(error_model="numpy", nogil=True, cache=True)
def garch_loops_gradient(th, x, ws):
    ws[0] = 8

    # omega, alpha, beta = th[0], th[1], th[2]
    if 2 >= th.shape[0]:
        outside(0, 2, th.shape[0])
    n_x = x.shape[0]
    omega = th[0]
    alpha = th[1]
    beta = th[2]

    # h = omega / (1.0 - alpha - beta)
    t = 1.0 - alpha - beta
    h = omega / t
    saved_h = take(ws, (n_x,), np.float64)
    row_h = take(ws, (512,), np.float64)
    row_t = take(ws, (512,), np.float64)

    # for t in range(x.shape[0]):
    s = 0.0
    h_1 = h
    for t_1 in range(0, n_x, 512):
        end = minimum(t_1 + 512, n_x)
        for t_2 in range(t_1, end):
            # s += math.log(h) + x[t] * x[t] / h
            x_1 = x[uint(t_2)]
            # for t in range(x.shape[0]):
            row_h[uint(t_2 - t_1)] = h_1
            h_1 = omega + alpha * x_1 * x_1 + beta * h_1
        for t_2 in range(t_1, end):
            at = t_2 - t_1
            h_2 = row_h[uint(at)]
            saved_h[uint(t_2)] = h_2
            # s += math.log(h) + x[t] * x[t] / h
            x_1 = x[uint(t_2)]
            row_t[uint(at)] = log(h_2) + x_1 * x_1 / h_2
        for t_2 in range(t_1, end):
            at = t_2 - t_1
            s += row_t[uint(at)]
    ct_th = zeros(th.shape[0], np.float64)
    ct_h = 0.0
    ct_alpha = 0.0
    ct_omega = 0.0
    ct_beta = 0.0
    for t_1 in range(n_x - 1, -1, -1):
        h_1 = saved_h[uint(t_1)]
        # s += math.log(h) + x[t] * x[t] / h
        x_1 = x[uint(t_1)]
        # h = omega + alpha * x[t] * x[t] + beta * h
        ct_h_1 = ct_h * beta
        # s += math.log(h) + x[t] * x[t] / h
        t_3 = 1.0 / h_1
        ct_alpha += ct_h * x_1 * x_1
        ct_omega += ct_h
        ct_beta += ct_h * h_1
        ct_h = ct_h_1 + 0.5 * -(x_1 * x_1 / h_1 * t_3) + 0.5 * t_3

    # h = omega / (1.0 - alpha - beta)
    t = 1.0 / t
    ct_omega += smul(ct_h, t)
    ct_t = smul(ct_h, -(h * t))
    ct_beta -= ct_t

    # omega, alpha, beta = th[0], th[1], th[2]
    ct_th[2] += ct_beta

    # h = omega / (1.0 - alpha - beta)
    ct_alpha -= ct_t

    # omega, alpha, beta = th[0], th[1], th[2]
    ct_th[1] += ct_alpha
    ct_th[0] += ct_omega
    return 0.5 * s, ct_th
