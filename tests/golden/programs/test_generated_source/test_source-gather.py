"""Value and gradient of `gather` (programs_arrays.py:N)

x: float64[:]
idx: int64[:]
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:]
"""

import numba
import numpy as np

from adjit.runtime.support import outside, take, uint, zeros


@numba.njit(error_model="numpy", nogil=True, cache=True)
def gather_gradient(x, idx, ws):
    ws[0] = 8
    n_x = x.shape[0]
    n_idx = idx.shape[0]
    y = take(ws, (n_idx,), np.float64)

    # y = x[idx]
    for i in range(n_idx):
        idx_1 = idx[i]
        t = idx_1 + n_x if idx_1 < 0 else idx_1
        if not 0 <= t < x.shape[0]:
            outside(0, t, x.shape[0])
        y[i] = x[uint(t)]

    # s += x[idx[k]] * k
    if 0 >= idx.shape[0]:
        outside(1, 0, idx.shape[0])
    if 4 >= idx.shape[0]:
        outside(2, 4, idx.shape[0])
    ct_x = zeros(n_x, np.float64)
    ct_y = take(ws, (n_idx,), np.float64)

    # for k in range(5):
    s = 0.0
    for k in range(5):
        # s += x[idx[k]] * k
        idx_1 = idx[k]
        t = idx_1 + n_x if idx_1 < 0 else idx_1
        if not 0 <= t < x.shape[0]:
            outside(3, t, x.shape[0])
        x_1 = x[uint(t)]
        t_1 = np.float64(k)
        ct_x[uint(t)] += t_1
        s += x_1 * t_1

    # return np.sum(y * y) + s
    total = 0.0
    for i in range(n_idx):
        y_1 = y[i]
        ct_y[i] = y_1 + y_1
        # y = x[idx]
        idx_1 = idx[i]
        ct_x[uint(idx_1 + n_x if idx_1 < 0 else idx_1)] += ct_y[i]
        total += y_1 * y_1
    return total + s, ct_x
