"""Stencil programs as a user writes them.

Two forms of each: `loops` (explicit loops, scalar calls) and `numpy` (array expressions and slices). A
program that nobody would write in array form has one form only. This is what adjit is given to differentiate.
"""

import numpy as np


def jacobi_2d_loops(A0, T):
    A = A0.copy()
    B = A0.copy()
    n = A.shape[0]
    for t in range(T):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
    s = 0.0
    for i in range(n):
        for j in range(n):
            s += A[i, j] * A[i, j]
    return 0.5 * s


def jacobi_2d_numpy(A0, T):
    A = A0.copy()
    B = A0.copy()
    for t in range(T):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return 0.5 * np.sum(A * A)


def seidel_2d_loops(A0, T):
    A = A0.copy()
    n = A.shape[0]
    for t in range(T):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (
                    A[i - 1, j - 1]
                    + A[i - 1, j]
                    + A[i - 1, j + 1]
                    + A[i, j - 1]
                    + A[i, j]
                    + A[i, j + 1]
                    + A[i + 1, j - 1]
                    + A[i + 1, j]
                    + A[i + 1, j + 1]
                ) / 9.0
    return 0.5 * np.sum(A * A)


def seidel_2d_numpy(A0, T):
    A = A0.copy()
    n = A.shape[0]
    for t in range(T):
        for i in range(1, n - 1):
            A[i, 1:-1] += (
                A[i - 1, :-2]
                + A[i - 1, 1:-1]
                + A[i - 1, 2:]
                + A[i, 2:]
                + A[i + 1, :-2]
                + A[i + 1, 1:-1]
                + A[i + 1, 2:]
            )
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0
    return 0.5 * np.sum(A * A)


def hdiff_loops(x, coeff):
    I, J, K = coeff.shape
    lap = np.empty((I + 2, J + 2, K))
    for i in range(I + 2):
        for j in range(J + 2):
            for k in range(K):
                lap[i, j, k] = 4.0 * x[i + 1, j + 1, k] - (
                    x[i + 2, j + 1, k] + x[i, j + 1, k] + x[i + 1, j + 2, k] + x[i + 1, j, k]
                )
    fx = np.empty((I + 1, J, K))
    for i in range(I + 1):
        for j in range(J):
            for k in range(K):
                r = lap[i + 1, j + 1, k] - lap[i, j + 1, k]
                if r * (x[i + 2, j + 2, k] - x[i + 1, j + 2, k]) > 0:
                    r = 0.0
                fx[i, j, k] = r
    fy = np.empty((I, J + 1, K))
    for i in range(I):
        for j in range(J + 1):
            for k in range(K):
                r = lap[i + 1, j + 1, k] - lap[i + 1, j, k]
                if r * (x[i + 2, j + 2, k] - x[i + 2, j + 1, k]) > 0:
                    r = 0.0
                fy[i, j, k] = r
    s = 0.0
    for i in range(I):
        for j in range(J):
            for k in range(K):
                o = x[i + 2, j + 2, k] - coeff[i, j, k] * (
                    fx[i + 1, j, k] - fx[i, j, k] + fy[i, j + 1, k] - fy[i, j, k]
                )
                s += o * o
    return 0.5 * s


def hdiff_numpy(x, coeff):
    lap = 4.0 * x[1:-1, 1:-1] - (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2])
    fx = lap[1:, 1:-1] - lap[:-1, 1:-1]
    fx = np.where(fx * (x[2:-1, 2:-2] - x[1:-2, 2:-2]) > 0, 0.0, fx)
    fy = lap[1:-1, 1:] - lap[1:-1, :-1]
    fy = np.where(fy * (x[2:-2, 2:-1] - x[2:-2, 1:-2]) > 0, 0.0, fy)
    out = x[2:-2, 2:-2] - coeff * (fx[1:] - fx[:-1] + fy[:, 1:] - fy[:, :-1])
    return 0.5 * np.sum(out * out)


def burgers_2d_loops(u0, v0, T, a, nu):
    u, v = u0.copy(), v0.copy()
    un, vn = u0.copy(), v0.copy()
    n = u.shape[0]
    for t in range(T):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                uc = u[i, j]
                vc = v[i, j]
                un[i, j] = (
                    uc
                    - a * (uc * (uc - u[i - 1, j]) + vc * (uc - u[i, j - 1]))
                    + nu * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * uc)
                )
                vn[i, j] = (
                    vc
                    - a * (uc * (vc - v[i - 1, j]) + vc * (vc - v[i, j - 1]))
                    + nu * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * vc)
                )
        u, un = un, u
        v, vn = vn, v
    return 0.5 * (np.sum(u * u) + np.sum(v * v))


def burgers_2d_numpy(u0, v0, T, a, nu):
    u = u0.copy()
    v = v0.copy()
    for t in range(T):
        uc = u[1:-1, 1:-1].copy()
        vc = v[1:-1, 1:-1].copy()
        du = -a * (uc * (uc - u[:-2, 1:-1]) + vc * (uc - u[1:-1, :-2])) + nu * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * uc
        )
        dv = -a * (uc * (vc - v[:-2, 1:-1]) + vc * (vc - v[1:-1, :-2])) + nu * (
            v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2] - 4.0 * vc
        )
        u[1:-1, 1:-1] += du
        v[1:-1, 1:-1] += dv
    return 0.5 * (np.sum(u**2) + np.sum(v**2))
