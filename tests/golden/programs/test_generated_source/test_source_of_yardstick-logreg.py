"""Value and gradient of `logreg_loops` (plain_dense.py:N)

w: float64[:]
b: float64
X: float64[:,:]
y: float64[:]
returns float64, float64[:], float64
"""

import numba
import numpy as np

from adjit.runtime.support import empty, minimum, outside, uint, zeros
from adjit.runtime.vector import exp, log1p


@numba.njit(error_model="numpy", nogil=True, cache=True)
def logreg_loops_gradient(w, b, X, y):
    n_X = X.shape[0]

    # return s / n
    t = np.float64(n_X)
    n_X_1 = X.shape[1]

    # z += X[i, j] * w[j]
    any_1 = 0 < n_X
    if 0 < n_X_1 and any_1:
        if 0 >= w.shape[0]:
            outside(0, 0, w.shape[0])
        t_1 = n_X_1 - 1
        if not 0 <= t_1 < w.shape[0]:
            outside(1, t_1, w.shape[0])

    # t = -y[i] * z
    if any_1:
        if 0 >= y.shape[0]:
            outside(2, 0, y.shape[0])
        t_1 = n_X - 1
        if not 0 <= t_1 < y.shape[0]:
            outside(3, t_1, y.shape[0])
    ct_w = zeros(w.shape[0], np.float64)

    # return s / n
    t_2 = 1.0 / t
    row_z = empty(32, np.float64)
    row_t = empty(32, np.float64)
    row_ct_z = empty(32, np.float64)

    # for i in range(n):
    s = 0.0
    ct_b = 0.0
    for i in range(0, n_X, 32):
        end = minimum(i + 32, n_X)
        for i_1 in range(i, end):
            at = i_1 - i
            # for j in range(d):
            z = b
            for j in range(n_X_1):
                z += X[uint(i_1), j] * w[j]
            row_z[uint(at)] = z
        for i_1 in range(i, end):
            at = i_1 - i
            # for j in range(d):
            z = row_z[uint(at)]
            # t = -y[i] * z
            t_3 = -y[uint(i_1)]
            t_4 = t_3 * z
            # s += max(t, 0.0) + np.log1p(np.exp(-abs(t)))
            t_5 = exp(-abs(t_4))
            t_6 = 1.0 + t_5
            row_t[uint(at)] = (0.0 if 0.0 > t_4 else t_4) + log1p(t_5)
            # t = -y[i] * z
            row_ct_z[uint(at)] = (-(t_2 * (1.0 / t_6) * t_5) * np.sign(t_4) + t_2 * (0.5 if t_4 == 0.0 else 0.0 if 0.0 > t_4 else 1.0)) * t_3
        for i_1 in range(i, end):
            at = i_1 - i
            # s += max(t, 0.0) + np.log1p(np.exp(-abs(t)))
            t_3 = row_t[uint(at)]
            # t = -y[i] * z
            ct_z = row_ct_z[uint(at)]
            # for j in range(d):
            for j in range(n_X_1):
                # z += X[i, j] * w[j]
                ct_w[j] += ct_z * X[uint(i_1), j]
            s += t_3
            ct_b += ct_z
    return s / t, ct_w, ct_b
