"""Workloads whose text is the same in every array library: `xp` is the library's namespace."""

from __future__ import annotations


def hdiff(xp, x, c):
    I, J, _ = c.shape
    lap = 4.0 * x[1 : I + 3, 1 : J + 3] - (
        x[2 : I + 4, 1 : J + 3] + x[0 : I + 2, 1 : J + 3] + x[1 : I + 3, 2 : J + 4] + x[1 : I + 3, 0 : J + 2]
    )
    r = lap[1:, 1 : J + 1] - lap[:-1, 1 : J + 1]
    fx = xp.where(r * (x[2 : I + 3, 2 : J + 2] - x[1 : I + 2, 2 : J + 2]) > 0, 0.0, r)
    r = lap[1 : I + 1, 1:] - lap[1 : I + 1, :-1]
    fy = xp.where(r * (x[2 : I + 2, 2 : J + 3] - x[2 : I + 2, 1 : J + 2]) > 0, 0.0, r)
    o = x[2 : I + 2, 2 : J + 2] - c * (fx[1:] - fx[:-1] + fy[:, 1:] - fy[:, :-1])
    return 0.5 * (o * o).sum()


def ba(xp, C, X, w, F, ci, xi):
    c = C[ci].T
    P = X[xi].T
    d0, d1, d2 = P[0] - c[3], P[1] - c[4], P[2] - c[5]
    th = xp.sqrt(c[0] ** 2 + c[1] ** 2 + c[2] ** 2)
    cs, sn = xp.cos(th), xp.sin(th)
    k0, k1, k2 = c[0] / th, c[1] / th, c[2] / th
    t = (k0 * d0 + k1 * d1 + k2 * d2) * (1.0 - cs)
    x = d0 * cs + (k1 * d2 - k2 * d1) * sn + k0 * t
    y = d1 * cs + (k2 * d0 - k0 * d2) * sn + k1 * t
    z = d2 * cs + (k0 * d1 - k1 * d0) * sn + k2 * t
    u, v = x / z, y / z
    q = u * u + v * v
    radial = 1.0 + c[9] * q + c[10] * q * q
    e0 = w * (u * radial * c[6] + c[7] - F[:, 0])
    e1 = w * (v * radial * c[6] + c[8] - F[:, 1])
    return 0.5 * xp.sum(e0 * e0 + e1 * e1 + (1 - w * w) ** 2)


def arc_distance(xp, t1, p1, t2, p2):
    h = xp.sin((t2 - t1) / 2) ** 2 + xp.cos(t1) * xp.cos(t2) * xp.sin((p2 - p1) / 2) ** 2
    return xp.sum(2 * xp.arctan2(xp.sqrt(h), xp.sqrt(1 - h)))


def layernorm(xp, x, gain, bias, W):
    c = x - xp.mean(x, axis=1, keepdims=True)
    v = xp.mean(c * c, axis=1, keepdims=True)
    return xp.sum(W * (c / xp.sqrt(v + 1e-5) * gain + bias))


def k2mm(A, B, C, D):
    return 0.5 * ((1.5 * ((A @ B) @ C) + 1.2 * D) ** 2).sum()


def rosenbrock(xp, x):
    return xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
