"""Value and gradient of `ba_loops` (plain_loops.py:N)

C: float64[:,:]
X: float64[:,:]
w: float64[:]
F: float64[:,:]
ci: int64[:]
xi: int64[:]
returns float64, float64[:,:], float64[:,:], float64[:]
"""

import numba
import numpy as np

from adjit.runtime.support import outside, smul, u, zeros
from adjit.runtime.vector import cos, sin


@numba.njit(error_model="numpy", nogil=True, cache=True)
def ba_loops_gradient(C, X, w, F, ci, xi):
    n_C = C.shape[0]
    n_X = X.shape[0]
    n_ci = ci.shape[0]

    # e0, e1 = project(C[ci[o]], X[xi[o]], F[o])
    if 0 < n_ci:
        if 0 >= xi.shape[0]:
            outside(0, 0, xi.shape[0])
        t = n_ci - 1
        if not 0 <= t < xi.shape[0]:
            outside(1, t, xi.shape[0])
        if 0 >= F.shape[0]:
            outside(2, 0, F.shape[0])
        if not 0 <= t < F.shape[0]:
            outside(3, t, F.shape[0])
        # r0, r1, r2 = c[0], c[1], c[2]
        if 0 >= C.shape[1]:
            outside(4, 0, C.shape[1])
        # radial = 1.0 + c[9] * q + c[10] * q * q
        if 10 >= C.shape[1]:
            outside(5, 10, C.shape[1])
        # d0, d1, d2 = X[0] - c[3], X[1] - c[4], X[2] - c[5]
        if 0 >= X.shape[1]:
            outside(6, 0, X.shape[1])
        if 2 >= X.shape[1]:
            outside(7, 2, X.shape[1])
        # return u * radial * c[6] + c[7] - f[0], v * radial * c[6] + c[8] - f[1]
        if 0 >= F.shape[1]:
            outside(8, 0, F.shape[1])
        if 1 >= F.shape[1]:
            outside(9, 1, F.shape[1])
        # s += (w[o] * e0) ** 2 + (w[o] * e1) ** 2
        if 0 >= w.shape[0]:
            outside(10, 0, w.shape[0])
        if not 0 <= t < w.shape[0]:
            outside(11, t, w.shape[0])
    ct_C = zeros((n_C, C.shape[1]), np.float64)
    ct_X = zeros((n_X, X.shape[1]), np.float64)
    ct_w = zeros(w.shape[0], np.float64)

    # for o in range(ci.shape[0]):
    s = 0.0
    for o in range(n_ci):
        # e0, e1 = project(C[ci[o]], X[xi[o]], F[o])
        ci_1 = ci[o]
        t = ci_1 + n_C if ci_1 < 0 else ci_1
        if not 0 <= t < C.shape[0]:
            outside(12, t, C.shape[0])
        xi_1 = xi[o]
        t_1 = xi_1 + n_X if xi_1 < 0 else xi_1
        if not 0 <= t_1 < X.shape[0]:
            outside(13, t_1, X.shape[0])
        # r0, r1, r2 = c[0], c[1], c[2]
        C_1 = C[u(t), 0]
        C_2 = C[u(t), 1]
        C_3 = C[u(t), 2]
        # d0, d1, d2 = X[0] - c[3], X[1] - c[4], X[2] - c[5]
        t_2 = X[u(t_1), 0] - C[u(t), 3]
        t_3 = X[u(t_1), 1] - C[u(t), 4]
        t_4 = X[u(t_1), 2] - C[u(t), 5]
        # th = math.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
        t_5 = np.sqrt(C_1 * C_1 + C_2 * C_2 + C_3 * C_3)
        # cs, sn = math.cos(th), math.sin(th)
        t_6 = cos(t_5)
        t_7 = sin(t_5)
        # k0, k1, k2 = r0 / th, r1 / th, r2 / th
        t_8 = C_1 / t_5
        t_9 = C_2 / t_5
        t_10 = C_3 / t_5
        # m0, m1, m2 = k1 * d2 - k2 * d1, k2 * d0 - k0 * d2, k0 * d1 - k1 * d0
        t_11 = t_9 * t_4 - t_10 * t_3
        t_12 = t_10 * t_2 - t_8 * t_4
        t_13 = t_8 * t_3 - t_9 * t_2
        # t = (k0 * d0 + k1 * d1 + k2 * d2) * (1.0 - cs)
        t_14 = t_8 * t_2 + t_9 * t_3 + t_10 * t_4
        t_15 = 1.0 - t_6
        t_16 = t_14 * t_15
        # z = d2 * cs + m2 * sn + k2 * t
        t_17 = t_4 * t_6 + t_13 * t_7 + t_10 * t_16
        # u, v = x / z, y / z
        t_18 = (t_2 * t_6 + t_11 * t_7 + t_8 * t_16) / t_17
        t_19 = (t_3 * t_6 + t_12 * t_7 + t_9 * t_16) / t_17
        # q = u * u + v * v
        t_20 = t_18 * t_18 + t_19 * t_19
        # radial = 1.0 + c[9] * q + c[10] * q * q
        C_4 = C[u(t), 9]
        C_5 = C[u(t), 10]
        t_21 = C_5 * t_20
        t_22 = 1.0 + C_4 * t_20 + t_21 * t_20
        # return u * radial * c[6] + c[7] - f[0], v * radial * c[6] + c[8] - f[1]
        t_23 = t_18 * t_22
        C_6 = C[u(t), 6]
        t_24 = t_23 * C_6 + C[u(t), 7] - F[o, 0]
        t_25 = t_19 * t_22
        t_26 = t_25 * C_6 + C[u(t), 8] - F[o, 1]
        # s += (w[o] * e0) ** 2 + (w[o] * e1) ** 2
        w_1 = w[o]
        t_27 = w_1 * t_24
        t_28 = w_1 * t_26
        # s += (1.0 - w[o] * w[o]) ** 2
        t_29 = 1.0 - w_1 * w_1
        ct_t = 0.5 * t_29
        ct_w_1 = -(ct_t + ct_t) * w_1
        ct_w_1 += ct_w_1
        # s += (w[o] * e0) ** 2 + (w[o] * e1) ** 2
        ct_t = 0.5 * t_28
        ct_t += ct_t
        ct_t_1 = ct_t * w_1
        ct_t_2 = 0.5 * t_27
        ct_t_2 += ct_t_2
        ct_t_3 = ct_t_2 * w_1
        ct_w[o] += ct_w_1 + ct_t * t_26 + ct_t_2 * t_24
        # return u * radial * c[6] + c[7] - f[0], v * radial * c[6] + c[8] - f[1]
        ct_C[u(t), 8] += ct_t_1
        ct_t = ct_t_1 * C_6
        ct_C[u(t), 7] += ct_t_3
        ct_t_2 = ct_t_3 * C_6
        ct_C[u(t), 6] += ct_t_1 * t_25 + ct_t_3 * t_23
        ct_t_1 = ct_t * t_19 + ct_t_2 * t_18
        # radial = 1.0 + c[9] * q + c[10] * q * q
        ct_t_3 = ct_t_1 * t_20
        ct_C[u(t), 10] += ct_t_3 * t_20
        ct_t_1 = ct_t_1 * t_21 + ct_t_3 * C_5 + ct_t_1 * C_4
        ct_C[u(t), 9] += ct_t_3
        # q = u * u + v * v
        ct_t_3 = ct_t_1 * t_19
        ct_t = ct_t * t_22 + ct_t_3 + ct_t_3
        ct_t_1 *= t_18
        ct_t_1 = ct_t_2 * t_22 + ct_t_1 + ct_t_1
        # u, v = x / z, y / z
        t_17 = 1.0 / t_17
        ct_t_2 = smul(ct_t, t_17)
        ct_t_3 = smul(ct_t_1, t_17)
        ct_t = smul(ct_t, -(t_19 * t_17)) + smul(ct_t_1, -(t_18 * t_17))
        # z = d2 * cs + m2 * sn + k2 * t
        ct_t_1 = ct_t * t_7
        # y = d1 * cs + m1 * sn + k1 * t
        ct_t_4 = ct_t_2 * t_7
        # x = d0 * cs + m0 * sn + k0 * t
        ct_t_5 = ct_t * t_10 + ct_t_2 * t_9 + ct_t_3 * t_8
        ct_t_6 = ct_t_3 * t_7
        ct_t_7 = ct_t * t_13 + ct_t_2 * t_12 + ct_t_3 * t_11
        # t = (k0 * d0 + k1 * d1 + k2 * d2) * (1.0 - cs)
        ct_t_8 = ct_t_5 * t_15
        ct_t_5 = ct_t * t_4 + ct_t_2 * t_3 + ct_t_3 * t_2 - ct_t_5 * t_14
        # m0, m1, m2 = k1 * d2 - k2 * d1, k2 * d0 - k0 * d2, k0 * d1 - k1 * d0
        ct_t_9 = -ct_t_1
        ct_t_10 = -ct_t_4
        ct_t_11 = ct_t_3 * t_16 + ct_t_8 * t_2 + ct_t_1 * t_3 + ct_t_10 * t_4
        ct_t_3 = ct_t_3 * t_6 + ct_t_8 * t_8 + ct_t_9 * t_9 + ct_t_4 * t_10
        ct_t_12 = -ct_t_6
        ct_t_4 = ct_t * t_16 + ct_t_8 * t_4 + ct_t_4 * t_2 + ct_t_12 * t_3
        ct_t_1 = ct_t_2 * t_6 + ct_t_8 * t_9 + ct_t_1 * t_8 + ct_t_12 * t_10
        ct_t_2 = ct_t_2 * t_16 + ct_t_8 * t_3 + ct_t_9 * t_2 + ct_t_6 * t_4
        ct_t = ct_t * t_6 + ct_t_8 * t_10 + ct_t_10 * t_8 + ct_t_6 * t_9
        # k0, k1, k2 = r0 / th, r1 / th, r2 / th
        t_2 = 1.0 / t_5
        ct_C_1 = smul(ct_t_4, t_2)
        ct_C_2 = smul(ct_t_2, t_2)
        ct_C_3 = smul(ct_t_11, t_2)
        # th = math.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
        ct_t_2 = smul(smul(ct_t_4, -(t_10 * t_2)) + smul(ct_t_2, -(t_9 * t_2)) + smul(ct_t_11, -(t_8 * t_2)) + ct_t_7 * t_6 + ct_t_5 * -t_7, 0.5 / t_5)
        ct_C_4 = ct_t_2 * C_3
        ct_C_1 = ct_C_1 + ct_C_4 + ct_C_4
        ct_C_4 = ct_t_2 * C_2
        ct_C_2 = ct_C_2 + ct_C_4 + ct_C_4
        ct_C_4 = ct_t_2 * C_1
        ct_C_3 = ct_C_3 + ct_C_4 + ct_C_4
        # d0, d1, d2 = X[0] - c[3], X[1] - c[4], X[2] - c[5]
        ct_C[u(t), 5] -= ct_t
        ct_X[u(t_1), 2] += ct_t
        ct_C[u(t), 4] -= ct_t_1
        ct_X[u(t_1), 1] += ct_t_1
        ct_C[u(t), 3] -= ct_t_3
        ct_X[u(t_1), 0] += ct_t_3
        # r0, r1, r2 = c[0], c[1], c[2]
        ct_C[u(t), 2] += ct_C_1
        ct_C[u(t), 1] += ct_C_2
        ct_C[u(t), 0] += ct_C_3
        s = s + (t_27 * t_27 + t_28 * t_28) + t_29 * t_29
    return 0.5 * s, ct_C, ct_X, ct_w
