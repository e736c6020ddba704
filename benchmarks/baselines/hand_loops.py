"""Adjoints of the loop programs, written by hand in Numba.

Each adjoint gives (value, gradients) in one call: same memory traffic as the primal, no temporaries, BLAS for
matrix products, vectorised transcendental functions. Variants show what the levers are worth. This is the bar
for generated code.
"""

import math

import numpy as np
from numba import njit

from .vecmath import vlog

FM = dict(fastmath=True, error_model="numpy")


@njit(**FM)
def factorise(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            s = 0.0
            for k in range(j):
                s += A[i, k] * A[j, k]
            A[i, j] = (A[i, j] - s) / A[j, j]
        s = 0.0
        for k in range(i):
            s += A[i, k] * A[i, k]
        A[i, i] = math.sqrt(A[i, i] - s)


@njit(**FM)
def cholesky_primal(A0, W):
    A = A0.copy()
    factorise(A)
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(i + 1):
            s += W[i, j] * A[i, j]
    return s, A


@njit(**FM)
def cholesky(A0, W):
    """in-place row form reversed; needs only the final L, no tape"""
    loss, L = cholesky_primal(A0, W)
    n = L.shape[0]
    G = np.zeros_like(L)
    for i in range(n):
        for j in range(i + 1):
            G[i, j] = W[i, j]
    for i in range(n - 1, -1, -1):
        G[i, i] *= 0.5 / L[i, i]
        g = 2.0 * G[i, i]
        for k in range(i):
            G[i, k] -= g * L[i, k]
        for j in range(i - 1, -1, -1):
            g = G[i, j] / L[j, j]
            G[i, j] = g
            G[j, j] -= g * L[i, j]
            for k in range(j):
                G[i, k] -= g * L[j, k]
                G[j, k] -= g * L[i, k]
    return loss, G


# np.uint64 indices: Numba's fix-up of negative indices keeps loops nested in a
# descending loop from vectorising, unless the index is unsigned.
@njit(**FM)
def durbin_primal(r, w):
    n = r.shape[0]
    y = np.empty(n)
    t = np.empty(n)
    a = -r[0]
    b = 1.0
    y[0] = -r[0]
    for k in range(1, n):
        b *= 1.0 - a * a
        s = r[k]
        for i in range(k):
            s += r[k - 1 - i] * y[i]
        a = -s / b
        for i in range(k):
            t[i] = y[i] + a * y[k - 1 - i]
        for i in range(k):
            y[i] = t[i]
        y[k] = a
    s = 0.0
    for i in range(n):
        s += w[i] * y[i]
    return s


@njit(**FM)
def durbin(r, w):
    n = r.shape[0]
    Y = np.empty(n * (n + 1) // 2)  # triangular history of y
    av = np.empty(n)
    bv = np.empty(n)
    a = -r[0]
    b = 1.0
    Y[0] = -r[0]
    av[0] = a
    bv[0] = 1.0
    o = 0
    for k in range(1, n):
        b *= 1.0 - a * a
        s = r[k]
        for i in range(k):
            s += r[np.uint64(k - 1 - i)] * Y[o + i]
        a = -s / b
        p = o + k
        for i in range(k):
            Y[p + i] = Y[o + i] + a * Y[np.uint64(o + k - 1 - i)]
        Y[p + k] = a
        av[k] = a
        bv[k] = b
        o = p
    loss = 0.0
    yb = np.empty(n)
    tb = np.empty(n)
    rb = np.zeros(n)
    for i in range(n):
        loss += w[i] * Y[o + i]
        yb[i] = w[i]
    ab = 0.0
    bb = 0.0
    for k in range(n - 1, 0, -1):
        o -= k
        a = av[k]
        ab += yb[k]
        for i in range(k):
            ab += yb[i] * Y[np.uint64(o + k - 1 - i)]
            tb[i] = yb[i] + a * yb[np.uint64(k - 1 - i)]
        sb = -ab / bv[k]
        bb += -ab * a / bv[k]
        rb[k] += sb
        for i in range(k):
            yb[i] = tb[i] + sb * r[np.uint64(k - 1 - i)]
            rb[i] += sb * Y[np.uint64(o + k - 1 - i)]
        ap = av[k - 1]
        ab = -2.0 * ap * bv[k - 1] * bb
        bb *= 1.0 - ap * ap
    rb[0] -= yb[0] + ab
    return loss, rb


@njit(**FM)
def durbin_inverted(r, w):
    """no history: y of step k-1 is recovered from y of step k (needs |a| < 1)"""
    n = r.shape[0]
    y = np.empty(n)
    t = np.empty(n)
    av = np.empty(n)
    bv = np.empty(n)
    a = -r[0]
    b = 1.0
    y[0] = -r[0]
    av[0] = a
    bv[0] = 1.0
    for k in range(1, n):
        b *= 1.0 - a * a
        s = r[k]
        for i in range(k):
            s += r[np.uint64(k - 1 - i)] * y[i]
        a = -s / b
        for i in range(k):
            t[i] = y[i] + a * y[np.uint64(k - 1 - i)]
        for i in range(k):
            y[i] = t[i]
        y[k] = a
        av[k] = a
        bv[k] = b
    loss = 0.0
    yb = np.empty(n)
    rb = np.zeros(n)
    for i in range(n):
        loss += w[i] * y[i]
        yb[i] = w[i]
    ab = 0.0
    bb = 0.0
    for k in range(n - 1, 0, -1):
        a = av[k]
        ab += yb[k]
        q = 1.0 / (1.0 - a * a)
        for i in range(k):
            t[i] = (y[i] - a * y[np.uint64(k - 1 - i)]) * q
        for i in range(k):
            y[i] = t[i]
        for i in range(k):
            ab += yb[i] * y[np.uint64(k - 1 - i)]
            t[i] = yb[i] + a * yb[np.uint64(k - 1 - i)]
        sb = -ab / bv[k]
        bb += -ab * a / bv[k]
        rb[k] += sb
        for i in range(k):
            yb[i] = t[i] + sb * r[np.uint64(k - 1 - i)]
        for i in range(k):
            rb[i] += sb * y[np.uint64(k - 1 - i)]
        ap = av[k - 1]
        ab = -2.0 * ap * bv[k - 1] * bb
        bb *= 1.0 - ap * ap
    rb[0] -= yb[0] + ab
    return loss, rb


@njit(**FM)
def garch_primal(th, x):
    om, al, be = th[0], th[1], th[2]
    n = x.shape[0]
    h = om / (1.0 - al - be)
    s = 0.0
    for t in range(n):
        s += math.log(h) + x[t] * x[t] / h
        h = om + al * x[t] * x[t] + be * h
    return 0.5 * s


@njit(**FM)
def garch(th, x):
    om, al, be = th[0], th[1], th[2]
    n = x.shape[0]
    H = np.empty(n)
    d = 1.0 - al - be
    h = om / d
    for t in range(n):
        H[t] = h
        h = om + al * x[t] * x[t] + be * h
    s = 0.0
    for t in range(n):  # vectorises
        s += vlog(H[t]) + x[t] * x[t] / H[t]
    hb = 0.0
    ob = 0.0
    ab = 0.0
    bb = 0.0
    for t in range(n - 1, -1, -1):
        x2 = x[t] * x[t]
        ob += hb
        ab += hb * x2
        bb += hb * H[t]
        i = 1.0 / H[t]
        hb = hb * be + 0.5 * (i - x2 * i * i)
    ob += hb / d
    q = hb * om / (d * d)
    g = np.empty(3)
    g[0] = ob
    g[1] = ab + q
    g[2] = bb + q
    return 0.5 * s, g


@njit(**FM)
def lotka(p, x, y):
    return p[0] * x - p[1] * x * y, p[2] * x * y - p[3] * y


@njit(**FM)
def lotka_rk4_primal(p, z0, D, dt):
    x, y = z0[0], z0[1]
    s = 0.0
    for t in range(D.shape[0]):
        a1, b1 = lotka(p, x, y)
        a2, b2 = lotka(p, x + 0.5 * dt * a1, y + 0.5 * dt * b1)
        a3, b3 = lotka(p, x + 0.5 * dt * a2, y + 0.5 * dt * b2)
        a4, b4 = lotka(p, x + dt * a3, y + dt * b3)
        x += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        y += dt / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
        s += (x - D[t, 0]) ** 2 + (y - D[t, 1]) ** 2
    return s


@njit(inline="always", **FM)
def lotka_adjoint(p0, p1, p2, p3, x, y, a, b):
    """adjoint of lotka: (xb, yb, p0b, p1b, p2b, p3b)"""
    return (
        a * (p0 - p1 * y) + b * p2 * y,
        -a * p1 * x + b * (p2 * x - p3),
        a * x,
        -a * x * y,
        b * x * y,
        -b * y,
    )


@njit(**FM)
def lotka_rk4(p, z0, D, dt):
    n = D.shape[0]
    Z = np.empty((n + 1, 2))  # one state per step saved, stages recomputed
    Z[0, 0] = z0[0]
    Z[0, 1] = z0[1]
    x, y = z0[0], z0[1]
    p0, p1, p2, p3 = p[0], p[1], p[2], p[3]
    h = 0.5 * dt
    s = 0.0
    for t in range(n):
        a1, b1 = lotka(p, x, y)
        a2, b2 = lotka(p, x + h * a1, y + h * b1)
        a3, b3 = lotka(p, x + h * a2, y + h * b2)
        a4, b4 = lotka(p, x + dt * a3, y + dt * b3)
        x += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        y += dt / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
        Z[t + 1, 0] = x
        Z[t + 1, 1] = y
        s += (x - D[t, 0]) ** 2 + (y - D[t, 1]) ** 2
    xb = 0.0
    yb = 0.0
    q0 = 0.0
    q1 = 0.0
    q2 = 0.0
    q3 = 0.0
    c = dt / 6.0
    for t in range(n - 1, -1, -1):
        x = Z[t, 0]
        y = Z[t, 1]
        a1, b1 = lotka(p, x, y)
        x2 = x + h * a1
        y2 = y + h * b1
        a2, b2 = lotka(p, x2, y2)
        x3 = x + h * a2
        y3 = y + h * b2
        a3, b3 = lotka(p, x3, y3)
        x4 = x + dt * a3
        y4 = y + dt * b3
        xb += 2.0 * (Z[t + 1, 0] - D[t, 0])
        yb += 2.0 * (Z[t + 1, 1] - D[t, 1])
        u4, v4, r0, r1, r2, r3 = lotka_adjoint(p0, p1, p2, p3, x4, y4, c * xb, c * yb)
        q0 += r0
        q1 += r1
        q2 += r2
        q3 += r3
        u3, v3, r0, r1, r2, r3 = lotka_adjoint(
            p0, p1, p2, p3, x3, y3, 2.0 * c * xb + dt * u4, 2.0 * c * yb + dt * v4
        )
        q0 += r0
        q1 += r1
        q2 += r2
        q3 += r3
        u2, v2, r0, r1, r2, r3 = lotka_adjoint(
            p0, p1, p2, p3, x2, y2, 2.0 * c * xb + h * u3, 2.0 * c * yb + h * v3
        )
        q0 += r0
        q1 += r1
        q2 += r2
        q3 += r3
        u1, v1, r0, r1, r2, r3 = lotka_adjoint(p0, p1, p2, p3, x, y, c * xb + h * u2, c * yb + h * v2)
        q0 += r0
        q1 += r1
        q2 += r2
        q3 += r3
        xb += u1 + u2 + u3 + u4
        yb += v1 + v2 + v3 + v4
    pb = np.array([q0, q1, q2, q3])
    zb = np.array([xb, yb])
    return s, (pb, zb)


@njit(**FM)
def project(c, X, w, f):
    r0, r1, r2 = c[0], c[1], c[2]
    d0, d1, d2 = X[0] - c[3], X[1] - c[4], X[2] - c[5]
    th2 = r0 * r0 + r1 * r1 + r2 * r2
    th = math.sqrt(th2)
    cs, sn = math.cos(th), math.sin(th)
    i = 1.0 / th
    k0, k1, k2 = r0 * i, r1 * i, r2 * i
    m0, m1, m2 = k1 * d2 - k2 * d1, k2 * d0 - k0 * d2, k0 * d1 - k1 * d0
    t = (k0 * d0 + k1 * d1 + k2 * d2) * (1.0 - cs)
    x = d0 * cs + m0 * sn + k0 * t
    y = d1 * cs + m1 * sn + k1 * t
    z = d2 * cs + m2 * sn + k2 * t
    u, v = x / z, y / z
    q = u * u + v * v
    L = 1.0 + c[9] * q + c[10] * q * q
    e0 = w * (u * L * c[6] + c[7] - f[0])
    e1 = w * (v * L * c[6] + c[8] - f[1])
    return e0, e1


@njit(**FM)
def ba_primal(C, X, w, F, ci, xi):
    s = 0.0
    for o in range(ci.shape[0]):
        e0, e1 = project(C[ci[o]], X[xi[o]], w[o], F[o])
        s += e0 * e0 + e1 * e1
        s += (1.0 - w[o] * w[o]) ** 2
    return 0.5 * s


@njit(**FM)
def ba(C, X, w, F, ci, xi):
    Cb = np.zeros_like(C)
    Xb = np.zeros_like(X)
    wb = np.empty_like(w)
    s = 0.0
    for o in range(ci.shape[0]):
        c = C[ci[o]]
        P = X[xi[o]]
        cb = Cb[ci[o]]
        Pb = Xb[xi[o]]
        wo = w[o]
        r0, r1, r2 = c[0], c[1], c[2]
        d0, d1, d2 = P[0] - c[3], P[1] - c[4], P[2] - c[5]
        th = math.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
        cs, sn = math.cos(th), math.sin(th)
        i = 1.0 / th
        k0, k1, k2 = r0 * i, r1 * i, r2 * i
        m0, m1, m2 = k1 * d2 - k2 * d1, k2 * d0 - k0 * d2, k0 * d1 - k1 * d0
        kd = k0 * d0 + k1 * d1 + k2 * d2
        t = kd * (1.0 - cs)
        x = d0 * cs + m0 * sn + k0 * t
        y = d1 * cs + m1 * sn + k1 * t
        z = d2 * cs + m2 * sn + k2 * t
        iz = 1.0 / z
        u, v = x * iz, y * iz
        q = u * u + v * v
        L = 1.0 + c[9] * q + c[10] * q * q
        p0 = u * L * c[6] + c[7] - F[o, 0]
        p1 = v * L * c[6] + c[8] - F[o, 1]
        e0, e1 = wo * p0, wo * p1
        we = 1.0 - wo * wo
        s += e0 * e0 + e1 * e1 + we * we
        wb[o] = e0 * p0 + e1 * p1 - 2.0 * wo * we
        g0, g1 = e0 * wo, e1 * wo
        cb[7] += g0
        cb[8] += g1
        cb[6] += L * (g0 * u + g1 * v)
        Lb = c[6] * (g0 * u + g1 * v)
        cb[9] += Lb * q
        cb[10] += Lb * q * q
        qb = Lb * (c[9] + 2.0 * c[10] * q)
        ub = g0 * L * c[6] + 2.0 * u * qb
        vb = g1 * L * c[6] + 2.0 * v * qb
        xb, yb = ub * iz, vb * iz
        zb = -(ub * u + vb * v) * iz
        # rotation
        tb = xb * k0 + yb * k1 + zb * k2
        csb = xb * d0 + yb * d1 + zb * d2 - tb * kd
        snb = xb * m0 + yb * m1 + zb * m2
        kdb = tb * (1.0 - cs)
        a0, a1, a2 = xb * sn, yb * sn, zb * sn  # adjoint of m
        d0b = xb * cs + kdb * k0 + (a1 * k2 - a2 * k1)
        d1b = yb * cs + kdb * k1 + (a2 * k0 - a0 * k2)
        d2b = zb * cs + kdb * k2 + (a0 * k1 - a1 * k0)
        k0b = xb * t + kdb * d0 + (a2 * d1 - a1 * d2)
        k1b = yb * t + kdb * d1 + (a0 * d2 - a2 * d0)
        k2b = zb * t + kdb * d2 + (a1 * d0 - a0 * d1)
        thb = -csb * sn + snb * cs - (k0b * k0 + k1b * k1 + k2b * k2) * i
        cb[0] += k0b * i + thb * k0
        cb[1] += k1b * i + thb * k1
        cb[2] += k2b * i + thb * k2
        cb[3] -= d0b
        cb[4] -= d1b
        cb[5] -= d2b
        Pb[0] += d0b
        Pb[1] += d1b
        Pb[2] += d2b
    return 0.5 * s, (Cb, Xb, wb)


@njit(**FM)
def rosenbrock_primal(x):
    s = 0.0
    for i in range(x.shape[0] - 1):
        a = x[i + 1] - x[i] * x[i]
        b = 1.0 - x[i]
        s += 100.0 * a * a + b * b
    return s


@njit(**FM)
def rosenbrock(x):
    g = np.zeros_like(x)
    s = 0.0
    for i in range(x.shape[0] - 1):
        a = x[i + 1] - x[i] * x[i]
        b = 1.0 - x[i]
        s += 100.0 * a * a + b * b
        g[i + 1] += 200.0 * a
        g[i] -= 400.0 * a * x[i] + 2.0 * b
    return s, g
