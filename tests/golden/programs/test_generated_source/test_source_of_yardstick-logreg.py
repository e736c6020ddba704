"""Value and gradient of `logreg_loops` (plain_dense.py:N)

w: float64[:]
b: float64
X: float64[:,:]
y: float64[:]
returns float64, float64[:], float64
"""

import numba
import numpy as np

from adjit.runtime.support import maximum, outside, smul, zeros


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

    # for i in range(n):
    s = 0.0
    ct_b = 0.0
    for i in range(n_X):
        # for j in range(d):
        z = b
        for j in range(n_X_1):
            z += X[i, j] * w[j]
        # t = -y[i] * z
        t_3 = -y[i]
        t_4 = t_3 * z
        # s += max(t, 0.0) + np.log1p(np.exp(-abs(t)))
        t_5 = np.exp(-abs(t_4))
        # t = -y[i] * z
        ct_z = (-smul(smul(t_2, 1.0 / (1.0 + t_5)), t_5) * np.sign(t_4) + t_2 * (0.5 if t_4 == 0.0 else 1.0 if t_4 > 0.0 else 0.0)) * t_3
        # for j in range(d):
        for j in range(n_X_1):
            # z += X[i, j] * w[j]
            ct_w[j] += ct_z * X[i, j]
        s += maximum(t_4, 0.0) + np.log1p(t_5)
        ct_b += ct_z
    return s / t, ct_w, ct_b
