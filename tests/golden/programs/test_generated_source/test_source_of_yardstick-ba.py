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

from adjit.runtime.support import empty, maximum, outside, uint, zeros
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
    n_w = w.shape[0]
    ct_w = empty(n_w, np.float64)
    for i in range(maximum(n_ci, 0), n_w):
        ct_w[uint(i)] = 0.0

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
        r0 = C[uint(t), 0]
        r1 = C[uint(t), 1]
        r2 = C[uint(t), 2]
        # d0, d1, d2 = X[0] - c[3], X[1] - c[4], X[2] - c[5]
        d0 = X[uint(t_1), 0] - C[uint(t), 3]
        d1 = X[uint(t_1), 1] - C[uint(t), 4]
        d2 = X[uint(t_1), 2] - C[uint(t), 5]
        # th = math.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
        th = np.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
        # cs, sn = math.cos(th), math.sin(th)
        cs = cos(th)
        sn = sin(th)
        # k0, k1, k2 = r0 / th, r1 / th, r2 / th
        k0 = r0 / th
        k1 = r1 / th
        k2 = r2 / th
        # m0, m1, m2 = k1 * d2 - k2 * d1, k2 * d0 - k0 * d2, k0 * d1 - k1 * d0
        m0 = k1 * d2 - k2 * d1
        m1 = k2 * d0 - k0 * d2
        m2 = k0 * d1 - k1 * d0
        # t = (k0 * d0 + k1 * d1 + k2 * d2) * (1.0 - cs)
        t_2 = k0 * d0 + k1 * d1 + k2 * d2
        t_3 = 1.0 - cs
        t_4 = t_2 * t_3
        # x = d0 * cs + m0 * sn + k0 * t
        x = d0 * cs + m0 * sn + k0 * t_4
        # y = d1 * cs + m1 * sn + k1 * t
        y = d1 * cs + m1 * sn + k1 * t_4
        # z = d2 * cs + m2 * sn + k2 * t
        z = d2 * cs + m2 * sn + k2 * t_4
        # u, v = x / z, y / z
        u = x / z
        v = y / z
        # q = u * u + v * v
        q = u * u + v * v
        # radial = 1.0 + c[9] * q + c[10] * q * q
        C_1 = C[uint(t), 9]
        C_2 = C[uint(t), 10]
        t_5 = C_2 * q
        radial = 1.0 + C_1 * q + t_5 * q
        # return u * radial * c[6] + c[7] - f[0], v * radial * c[6] + c[8] - f[1]
        t_6 = u * radial
        C_3 = C[uint(t), 6]
        e0 = t_6 * C_3 + C[uint(t), 7] - F[o, 0]
        t_7 = v * radial
        e1 = t_7 * C_3 + C[uint(t), 8] - F[o, 1]
        # s += (w[o] * e0) ** 2 + (w[o] * e1) ** 2
        w_1 = w[o]
        t_8 = w_1 * e0
        t_9 = w_1 * e1
        # s += (1.0 - w[o] * w[o]) ** 2
        t_10 = 1.0 - w_1 * w_1
        ct_t = 0.5 * t_10
        ct_w_1 = -(ct_t + ct_t) * w_1
        ct_w_1 += ct_w_1
        # s += (w[o] * e0) ** 2 + (w[o] * e1) ** 2
        ct_t = 0.5 * t_9
        ct_t += ct_t
        ct_e1 = ct_t * w_1
        ct_t_1 = 0.5 * t_8
        ct_t_1 += ct_t_1
        ct_e0 = ct_t_1 * w_1
        ct_w[o] = ct_w_1 + ct_t * e1 + ct_t_1 * e0
        # return u * radial * c[6] + c[7] - f[0], v * radial * c[6] + c[8] - f[1]
        ct_C[uint(t), 8] += ct_e1
        ct_t = ct_e1 * C_3
        ct_v = ct_t * radial
        ct_C[uint(t), 7] += ct_e0
        ct_t_1 = ct_e0 * C_3
        ct_C[uint(t), 6] += ct_e1 * t_7 + ct_e0 * t_6
        ct_u = ct_t_1 * radial
        ct_radial = ct_t * v + ct_t_1 * u
        # radial = 1.0 + c[9] * q + c[10] * q * q
        ct_t = ct_radial * q
        ct_C[uint(t), 10] += ct_t * q
        ct_q = ct_radial * t_5 + ct_t * C_2 + ct_radial * C_1
        ct_C[uint(t), 9] += ct_t
        # q = u * u + v * v
        ct_v_1 = ct_q * v
        ct_v = ct_v + ct_v_1 + ct_v_1
        ct_u_1 = ct_q * u
        ct_u = ct_u + ct_u_1 + ct_u_1
        # u, v = x / z, y / z
        t_5 = 1.0 / z
        ct_y = ct_v * t_5
        ct_x = ct_u * t_5
        ct_z = ct_v * -(v * t_5) + ct_u * -(u * t_5)
        # z = d2 * cs + m2 * sn + k2 * t
        ct_k2 = ct_z * t_4
        ct_m2 = ct_z * sn
        ct_sn = ct_z * m2
        ct_d2 = ct_z * cs
        ct_cs = ct_z * d2
        # y = d1 * cs + m1 * sn + k1 * t
        ct_k1 = ct_y * t_4
        ct_m1 = ct_y * sn
        ct_sn += ct_y * m1
        ct_d1 = ct_y * cs
        ct_cs += ct_y * d1
        # x = d0 * cs + m0 * sn + k0 * t
        ct_k0 = ct_x * t_4
        ct_t = ct_z * k2 + ct_y * k1 + ct_x * k0
        ct_m0 = ct_x * sn
        ct_sn += ct_x * m0
        ct_d0 = ct_x * cs
        ct_cs += ct_x * d0
        # t = (k0 * d0 + k1 * d1 + k2 * d2) * (1.0 - cs)
        ct_t_1 = ct_t * t_3
        ct_cs -= ct_t * t_2
        ct_k2 += ct_t_1 * d2
        ct_d2 += ct_t_1 * k2
        ct_k1 += ct_t_1 * d1
        ct_d1 += ct_t_1 * k1
        ct_k0 += ct_t_1 * d0
        ct_d0 += ct_t_1 * k0
        # m0, m1, m2 = k1 * d2 - k2 * d1, k2 * d0 - k0 * d2, k0 * d1 - k1 * d0
        ct_t = -ct_m2
        ct_t_1 = -ct_m1
        ct_k0 = ct_k0 + ct_m2 * d1 + ct_t_1 * d2
        ct_d0 = ct_d0 + ct_t * k1 + ct_m1 * k2
        ct_t_2 = -ct_m0
        ct_k2 = ct_k2 + ct_m1 * d0 + ct_t_2 * d1
        ct_d1 = ct_d1 + ct_m2 * k0 + ct_t_2 * k2
        ct_k1 = ct_k1 + ct_t * d0 + ct_m0 * d2
        ct_d2 = ct_d2 + ct_t_1 * k0 + ct_m0 * k1
        # k0, k1, k2 = r0 / th, r1 / th, r2 / th
        t_2 = 1.0 / th
        ct_r2 = ct_k2 * t_2
        ct_r1 = ct_k1 * t_2
        ct_r0 = ct_k0 * t_2
        ct_th = ct_k2 * -(k2 * t_2) + ct_k1 * -(k1 * t_2) + ct_k0 * -(k0 * t_2)
        # cs, sn = math.cos(th), math.sin(th)
        ct_th = ct_th + ct_sn * cs + ct_cs * -sn
        # th = math.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
        ct_t = ct_th * (0.5 * t_2)
        ct_r2_1 = ct_t * r2
        ct_r2 = ct_r2 + ct_r2_1 + ct_r2_1
        ct_r1_1 = ct_t * r1
        ct_r1 = ct_r1 + ct_r1_1 + ct_r1_1
        ct_r0_1 = ct_t * r0
        ct_r0 = ct_r0 + ct_r0_1 + ct_r0_1
        # d0, d1, d2 = X[0] - c[3], X[1] - c[4], X[2] - c[5]
        ct_C[uint(t), 5] -= ct_d2
        ct_X[uint(t_1), 2] += ct_d2
        ct_C[uint(t), 4] -= ct_d1
        ct_X[uint(t_1), 1] += ct_d1
        ct_C[uint(t), 3] -= ct_d0
        ct_X[uint(t_1), 0] += ct_d0
        # r0, r1, r2 = c[0], c[1], c[2]
        ct_C[uint(t), 2] += ct_r2
        ct_C[uint(t), 1] += ct_r1
        ct_C[uint(t), 0] += ct_r0
        s = s + (t_8 * t_8 + t_9 * t_9) + t_10 * t_10
    return 0.5 * s, ct_C, ct_X, ct_w
