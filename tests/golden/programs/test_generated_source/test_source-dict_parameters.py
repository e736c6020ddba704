"""Value and gradient of `dict_parameters` (programs_structures.py:N)

p_w: float64[:,:]
p_b: float64[:]
x: float64[:,:]
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:,:], float64[:], float64[:,:]
"""

import numba
import numpy as np

from adjit.runtime.routines import gemm
from adjit.runtime.support import empty, failed_with, minimum, take, uint, zeros
from adjit.runtime.vector import tanh


@numba.njit(error_model="numpy", nogil=True, cache=True)
def dict_parameters_gradient(p_w, p_b, x, ws):
    ws[0] = 8
    n_x = x.shape[1]
    n_p_w = p_w.shape[0]

    # return np.sum(np.tanh(x @ p["w"] + p["b"]) ** 2)
    if n_x != n_p_w:
        failed_with(0, n_x, n_p_w)
    n_p_w_1 = p_w.shape[1]
    n_p_b = p_b.shape[0]
    n_x = x.shape[0]
    _result = take(ws, (n_x, n_p_w_1), np.float64)
    gemm(_result, x, p_w)
    if n_p_w_1 != n_p_b:
        failed_with(1, n_p_w_1, n_p_b)
    ct_p_w = empty((n_p_w, n_p_w_1), np.float64)
    ct_p_b = zeros(n_p_w_1, np.float64)
    ct_x = empty((n_x, n_p_w), np.float64)
    ct__result = take(ws, (n_x, n_p_w_1), np.float64)
    row_t = take(ws, (512,), np.float64)
    total = 0.0
    for i in range(n_x):
        for j in range(0, n_p_w_1, 512):
            end = minimum(j + 512, n_p_w_1)
            for j_1 in range(j, end):
                t = tanh(_result[i, uint(j_1)] + p_b[uint(j_1)])
                t_1 = t * t
                ct_t = (t + t) * (1.0 - t_1)
                ct_p_b[uint(j_1)] += ct_t
                ct__result[i, uint(j_1)] = ct_t
                row_t[uint(j_1 - j)] = t_1
            for j_1 in range(j, end):
                total += row_t[uint(j_1 - j)]
    p_w_1 = p_w[:n_p_w, :n_p_w_1].T
    gemm(ct_x, ct__result, p_w_1)
    x_1 = x[:n_x, :n_p_w].T
    gemm(ct_p_w, x_1, ct__result)
    return total, ct_p_w, ct_p_b, ct_x
