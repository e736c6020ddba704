"""Value and gradient of `softmax_regression` (programs_numpy.py:N)

x: float64[:,:]
w: float64[:,:]
b: float64[:]
y: float64[:,:]
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:,:], float64[:,:], float64[:]
"""

import numba
import numpy as np

from adjit.runtime.routines import gemm
from adjit.runtime.support import empty, failed, failed_with, minimum, outside, smul, take, uint, zeros
from adjit.runtime.vector import exp, log


@numba.njit(error_model="numpy", nogil=True, cache=True)
def softmax_regression_gradient(x, w, b, y, ws):
    ws[0] = 8
    n_x = x.shape[1]
    n_w = w.shape[0]

    # z = x @ w + b
    if n_x != n_w:
        failed_with(0, n_x, n_w)
    n_x_1 = x.shape[0]

    # return -np.mean(np.sum(y * log_p, axis=1))
    t = np.float64(n_x_1)
    n_w = w.shape[1]
    n_b = b.shape[0]
    n_y = y.shape[0]
    n_y_1 = y.shape[1]
    z = take(ws, (n_x_1, n_w), np.float64)

    # z = x @ w + b
    gemm(z, x, w)
    if n_w != n_b:
        failed_with(1, n_w, n_b)
    z_1 = take(ws, (n_x_1, n_w), np.float64)
    for i in range(n_x_1):
        for j in range(n_w):
            z_1[i, j] = z[i, j] + b[j]

    # z = z - np.max(z, axis=1, keepdims=True)
    if n_w == 0:
        failed(2)
    if 0 < n_x_1:
        if 0 >= z_1.shape[1]:
            outside(3, 0, z_1.shape[1])

    # return -np.mean(np.sum(y * log_p, axis=1))
    if n_y != n_x_1:
        failed_with(4, n_y, n_x_1)
    if n_y_1 != n_w:
        failed_with(5, n_y_1, n_w)
    ct_b = zeros(n_w, np.float64)
    t_1 = -(1.0 / t)
    z_2 = take(ws, (n_w,), np.float64)
    saved_t = take(ws, (n_w,), np.bool_)
    saved_t_1 = take(ws, (n_w,), np.float64)
    ct_z = take(ws, (n_w,), np.float64)
    ct_z_1 = take(ws, (n_w,), np.float64)
    ct_z_2 = z
    row_t = take(ws, (512,), np.float64)

    # z = z - np.max(z, axis=1, keepdims=True)
    total = 0.0
    for i in range(n_x_1):
        value = z_1[i, 0]
        best = 0
        ties = 0
        for i_1 in range(n_w):
            z_3 = z_1[i, i_1]
            t_2 = z_3 > value or z_3 != z_3 and value == value
            best = i_1 if t_2 else best
            ties = 1 if t_2 else ties + 1 if z_3 == value else ties
            value = z_3 if t_2 else value
        t_3 = best + n_w if best < 0 else best
        if not 0 <= t_3 < z_1.shape[1]:
            outside(6, t_3, z_1.shape[1])
        chosen = z_1[i, uint(t_3)]
        t_2 = ties > 1
        if t_2:
            t_4 = 1.0 / np.float64(ties)
            for i_1 in range(n_w):
                z_3 = z_1[i, i_1]
                t_5 = z_3 == value
                saved_t[i_1] = t_5
                if t_5:
                    pass
        total_1 = 0.0
        for j in range(0, n_w, 512):
            end = minimum(j + 512, n_w)
            for j_1 in range(j, end):
                at = j_1 - j
                t_4 = z_1[i, uint(j_1)] - chosen
                z_2[uint(j_1)] = t_4
                # log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
                t_4 = exp(t_4)
                saved_t_1[uint(j_1)] = t_4
                row_t[uint(at)] = t_4
            for j_1 in range(j, end):
                at = j_1 - j
                total_1 += row_t[uint(at)]
        # log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
        t_4 = log(total_1)
        # return -np.mean(np.sum(y * log_p, axis=1))
        total_2 = 0.0
        ct_t = 0.0
        for i_1 in range(n_w):
            y_1 = y[i, i_1]
            z_3 = z_2[i_1]
            ct_t_1 = t_1 * y_1
            ct_z_1[i_1] = ct_t_1
            total_2 += y_1 * (z_3 - t_4)
            ct_t -= ct_t_1
        # log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
        ct_total = smul(ct_t, 1.0 / total_1)
        # z = z - np.max(z, axis=1, keepdims=True)
        ct_z_3 = 0.0
        for j in range(n_w):
            ct_t = smul(ct_total, saved_t_1[j]) + ct_z_1[j]
            ct_z[j] = ct_t
            ct_z_3 -= ct_t
        if t_2:
            ct_z_3 *= 1.0 / np.float64(ties)
            for i_1 in range(n_w):
                if saved_t[i_1]:
                    ct_z_4 = ct_z_3
                else:
                    ct_z_4 = 0.0
                ct_z[i_1] += ct_z_4
            ct_z_3 = 0.0
        ct_z[uint(t_3)] += ct_z_3
        # z = x @ w + b
        for j in range(n_w):
            ct_t = ct_z[j]
            ct_b[j] += ct_t
            ct_z_2[i, j] = ct_t
        total += total_2
    ct_x = empty((n_x_1, n_x), np.float64)
    ct_w = empty((n_x, n_w), np.float64)
    w_1 = w[:n_x, :n_w].T

    # z = x @ w + b
    gemm(ct_x, ct_z_2, w_1)
    x_1 = x[:n_x_1, :n_x].T
    gemm(ct_w, x_1, ct_z_2)
    return -(total / t), ct_x, ct_w, ct_b
