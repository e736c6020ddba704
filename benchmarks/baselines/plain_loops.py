"""Recurrences, in-place algorithms, gathers and scatters as a user writes them.

Two forms of each: `loops` (explicit loops, scalar calls) and `numpy` (array expressions and slices). A
program that nobody would write in array form has one form only. This is what adjit is given to differentiate.
"""

import math

import numpy as np


def cholesky_loops(A0, W):
    A = A0.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = np.sqrt(A[i, i])
    s = 0.0
    for i in range(n):
        for j in range(i + 1):
            s += W[i, j] * A[i, j]
    return s


def cholesky_numpy(A0, W):
    A = A0.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - np.dot(A[i, :j], A[j, :j])) / A[j, j]
        A[i, i] = np.sqrt(A[i, i] - np.dot(A[i, :i], A[i, :i]))
    return np.sum(np.tril(W * A))


def durbin_loops(r, w):
    n = r.shape[0]
    y = np.zeros(n)
    z = np.zeros(n)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        s = r[k]
        for i in range(k):
            s += r[k - 1 - i] * y[i]
        alpha = -s / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - 1 - i]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    total = 0.0
    for i in range(n):
        total += w[i] * y[i]
    return total


def durbin_numpy(r, w):
    n = r.shape[0]
    y = np.zeros(n)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return np.dot(w, y)


def garch_loops(th, x):
    omega, alpha, beta = th[0], th[1], th[2]
    h = omega / (1.0 - alpha - beta)
    s = 0.0
    for t in range(x.shape[0]):
        s += math.log(h) + x[t] * x[t] / h
        h = omega + alpha * x[t] * x[t] + beta * h
    return 0.5 * s


def lotka_rhs(p, x, y):
    return p[0] * x - p[1] * x * y, p[2] * x * y - p[3] * y


def lotka_rk4_loops(p, z0, D, dt):
    x, y = z0[0], z0[1]
    s = 0.0
    for t in range(D.shape[0]):
        a1, b1 = lotka_rhs(p, x, y)
        a2, b2 = lotka_rhs(p, x + 0.5 * dt * a1, y + 0.5 * dt * b1)
        a3, b3 = lotka_rhs(p, x + 0.5 * dt * a2, y + 0.5 * dt * b2)
        a4, b4 = lotka_rhs(p, x + dt * a3, y + dt * b3)
        x += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        y += dt / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
        s += (x - D[t, 0]) ** 2 + (y - D[t, 1]) ** 2
    return s


def lotka_rk4_numpy(p, z0, D, dt):
    def rhs(z):
        return np.array([p[0] * z[0] - p[1] * z[0] * z[1], p[2] * z[0] * z[1] - p[3] * z[1]])

    z = z0.copy()
    s = 0.0
    for t in range(len(D)):
        k1 = rhs(z)
        k2 = rhs(z + 0.5 * dt * k1)
        k3 = rhs(z + 0.5 * dt * k2)
        k4 = rhs(z + dt * k3)
        z = z + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        s += np.sum((z - D[t]) ** 2)
    return s


def project(c, X, f):
    r0, r1, r2 = c[0], c[1], c[2]
    d0, d1, d2 = X[0] - c[3], X[1] - c[4], X[2] - c[5]
    th = math.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
    cs, sn = math.cos(th), math.sin(th)
    k0, k1, k2 = r0 / th, r1 / th, r2 / th
    m0, m1, m2 = k1 * d2 - k2 * d1, k2 * d0 - k0 * d2, k0 * d1 - k1 * d0
    t = (k0 * d0 + k1 * d1 + k2 * d2) * (1.0 - cs)
    x = d0 * cs + m0 * sn + k0 * t
    y = d1 * cs + m1 * sn + k1 * t
    z = d2 * cs + m2 * sn + k2 * t
    u, v = x / z, y / z
    q = u * u + v * v
    radial = 1.0 + c[9] * q + c[10] * q * q
    return u * radial * c[6] + c[7] - f[0], v * radial * c[6] + c[8] - f[1]


def ba_loops(C, X, w, F, ci, xi):
    s = 0.0
    for o in range(ci.shape[0]):
        e0, e1 = project(C[ci[o]], X[xi[o]], F[o])
        s += (w[o] * e0) ** 2 + (w[o] * e1) ** 2
        s += (1.0 - w[o] * w[o]) ** 2
    return 0.5 * s


def ba_numpy(C, X, w, F, ci, xi):
    c = C[ci]
    r = c[:, :3]
    d = X[xi] - c[:, 3:6]
    th = np.sqrt(np.sum(r * r, axis=1))[:, None]
    cs, sn = np.cos(th), np.sin(th)
    k = r / th
    m = np.empty_like(d)
    m[:, 0] = k[:, 1] * d[:, 2] - k[:, 2] * d[:, 1]
    m[:, 1] = k[:, 2] * d[:, 0] - k[:, 0] * d[:, 2]
    m[:, 2] = k[:, 0] * d[:, 1] - k[:, 1] * d[:, 0]
    p = d * cs + m * sn + k * (np.sum(k * d, axis=1, keepdims=True) * (1.0 - cs))
    uv = p[:, :2] / p[:, 2:]
    q = np.sum(uv * uv, axis=1)
    radial = 1.0 + c[:, 9] * q + c[:, 10] * q * q
    e = w[:, None] * (uv * (radial * c[:, 6])[:, None] + c[:, 7:9] - F)
    return 0.5 * (np.sum(e * e) + np.sum((1.0 - w * w) ** 2))


def rosenbrock_loops(x):
    s = 0.0
    for i in range(x.shape[0] - 1):
        s += 100.0 * (x[i + 1] - x[i] * x[i]) ** 2 + (1.0 - x[i]) ** 2
    return s


def rosenbrock_numpy(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
