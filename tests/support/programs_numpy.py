"""Sample programs: NumPy's functions as users combine them."""

from __future__ import annotations

import numpy as np

from .programs import arrays, program, vector, vectors


@program(vectors(6, 6), wrt=(0, 1))
def elementwise(x, y):
    z = np.sin(x) * np.exp(-y * y) + np.tanh(x / (2.0 + y**2)) - np.sqrt(1.0 + x * x)
    z = z + np.log1p(y * y) * np.arctan2(x, 2.0 + y) + np.hypot(x, 1.0) + np.logaddexp(x, y)
    return np.sum(z * np.square(x)) + np.sum(np.expm1(x) - np.cosh(y) + np.arctan(x) + np.reciprocal(3.0 + y))


@program(arrays((3, 4), (4,), (3, 1)), wrt=(0, 1, 2))
def broadcasting(a, v, c):
    return np.sum((a * v + c) ** 2) + np.sum(v[:, None] * v) + np.sum(c * c.T)


@program(vector(6))
def where_and_clip(x):
    y = np.where(x > 0.05, x * x, np.sin(x))
    z = np.where(np.abs(x) < 0.5, 1.0, x)
    return np.sum(y * z) + np.sum(np.clip(x, -0.6, 0.55)) + np.sum(np.maximum(x, 0.03) * np.minimum(x, 0.4))


@program(arrays((3, 4)))
def reductions_with_axis(a):
    s = np.sum(a, axis=0) * np.mean(a, axis=0)
    t = a.sum(axis=1, keepdims=True) * a
    return np.sum(s) + np.sum(t**2) + np.sum(a.mean(axis=(0, 1)) * a) + np.sum(np.prod(a, axis=1))


@program(arrays((4, 3)))
def spread(a):
    return np.var(a) + np.sum(np.std(a, axis=0)) + np.sum(a.var(axis=1, ddof=1)) + np.std(a[0])


@program(arrays((3, 5)))
def extrema(a):
    s = np.max(a) * np.min(a, axis=0)[1] + np.sum(a.max(axis=1) ** 2) + a.min()
    return s + a[0, np.argmax(a[0])] * a[1, np.argmin(a[1])]


@program(vector(6))
def running(x):
    return (
        np.sum(np.cumsum(x) ** 2)
        + np.sum(np.cumprod(x + 1.5))
        + np.sum(np.diff(x) ** 3)
        + np.sum(np.diff(x, n=2))
    )


@program(arrays((3, 4), (4, 2), (4,), (3,)), wrt=(0, 1, 2, 3))
def products(a, b, v, w):
    s = np.sum((a @ b) ** 2) + np.dot(v, v) + np.sum(a @ v * w) + np.sum(w @ a)
    s += np.vdot(v, a[0]) + np.sum(np.outer(v, w) * a.T) + np.inner(v, a[1]) + np.trace(a[:, :3])
    return s + np.sum(np.dot(a.T, a)) + np.linalg.norm(v) + np.linalg.norm(a) ** 2


@program(
    lambda r: (r.normal(size=(4, 4)) + 4.0 * np.eye(4), r.normal(size=4), r.normal(size=(4, 2))),
    wrt=(0, 1, 2),
)
def linear_algebra(a, b, c):
    x = np.linalg.solve(a, b)
    y = np.linalg.solve(a.T, c)
    sign, logdet = np.linalg.slogdet(a)
    return np.sum(x * x) + np.sum(y) + sign * logdet + np.sum(np.linalg.inv(a) ** 2) + 0.01 * np.linalg.det(a)


@program(lambda r: (r.normal(size=(4, 4)),))
def cholesky_factor(a):
    s = a @ a.T + 4.0 * np.eye(4)
    f = np.linalg.cholesky(s)
    return np.sum(np.log(np.diag(f))) + f[3, 0]


@program(arrays((2, 3), (2, 3)), wrt=(0, 1))
def joining(a, b):
    c = np.concatenate((a, b)) * np.concatenate((b, a), axis=0)
    d = np.stack((a, b), axis=1)
    e = np.hstack((a, b[:, :1])) ** 2
    f = np.vstack((a[0], b[1]))
    return np.sum(c) + np.sum(d * d) + np.sum(e) + np.sum(f * a)


@program(arrays((3, 4)))
def rearranging(a):
    s = np.sum(np.repeat(a[0], 2) ** 2) + np.sum(np.tile(a[1], 3) ** 3) + np.sum(np.roll(a[0], 1) * a[0])
    s += np.sum(np.flip(a[2]) * a[1]) + np.sum(np.transpose(a) ** 2 * np.swapaxes(a, 0, 1))
    s += (
        np.sum(np.expand_dims(a, 0) ** 2)
        + np.sum(np.squeeze(a[:1], axis=0) ** 2)
        + np.sum(np.atleast_2d(a[0]))
    )
    return (
        s + np.sum(np.triu(a) * np.tril(a)) + np.sum(np.diag(a[:3, :3]) ** 2) + np.sum(np.diag(a[0]) @ a[1])
    )


@program(vector(5))
def sorting(x):
    y = np.sort(x)
    order = np.argsort(x)
    return (
        np.sum(y * np.arange(5)) + x[order[0]] * x[order[-1]] + np.median(x) + y[np.searchsorted(y, 0.2) - 1]
    )


@program(lambda r: (0.3, 5), wrt=(0,))
def creation(c, n):
    grid = np.linspace(0.0, 1.0, n)
    x, y = np.meshgrid(grid, np.arange(3.0))
    full = np.full(n, c) + np.full_like(grid, 2.0) * np.eye(n)[1] + np.ones_like(grid) - np.zeros(n)
    return np.sum(np.sin(c * x) * np.cos(c * y)) + np.sum(full**2) + np.sum(np.array([c, c * c, 1.0]))


@program(vector(4))
def broadcast_and_append(x):
    b = np.broadcast_to(x, (3, 4))
    return np.sum(b * b * np.arange(12.0).reshape(3, 4)) + np.sum(np.append(x, 2.0) ** 2) + np.sum(np.sinc(x))


@program(vector(5))
def logic(x):
    m = (x > 0) & (x < 0.7) | (x < -0.9)
    n = np.logical_not(m)
    s = x[0] * np.sum(m) if np.any(m) else x[1]
    return (
        s
        + np.sum(np.where(m ^ n, x**2, 0.0))
        + (x[2] if np.all(n) else x[3] ** 2)
        + np.sum(np.isfinite(x) * x)
    )


@program(
    lambda r: (r.normal(size=(5, 3)), r.normal(size=(3, 4)), r.normal(size=4), np.eye(4)[[0, 2, 1, 3, 0]]),
    wrt=(0, 1, 2),
)
def softmax_regression(x, w, b, y):
    z = x @ w + b
    z = z - np.max(z, axis=1, keepdims=True)
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.mean(np.sum(y * log_p, axis=1))


@program(arrays((4, 3), (4, 3), (4, 3)), wrt=(0, 1, 2))
def attention(q, k, v):
    s = q @ k.T / np.sqrt(3)
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    o = (p / p.sum(axis=-1, keepdims=True)) @ v
    return 0.5 * np.sum(o**2)


@program(lambda r: (r.normal(size=(4, 6)), r.normal(size=6), r.normal(size=6)), wrt=(0, 1, 2))
def layer_norm(x, gain, bias):
    c = x - np.mean(x, axis=1, keepdims=True)
    return np.sum(np.sin((c / np.sqrt(np.var(x, axis=1, keepdims=True) + 1e-5)) * gain + bias))


@program(lambda r: (r.uniform(0.1, 1, (6, 6)), 3))
def stencil_in_slices(u0, n):
    u = u0.copy()
    for _ in range(n):
        u[1:-1, 1:-1] += (
            0.1
            * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
            * u[1:-1, 1:-1]
        )
    return np.sum(u**2)


@program(lambda r: (r.normal(size=(3, 3)), r.normal(size=3), 4), wrt=(0, 1))
def rebound_vectors(a, b, n):
    x = np.zeros(3)
    r = b - a @ x
    p = r
    for _ in range(n):
        q = a @ p
        x = x + 0.1 * p
        r = r - 0.1 * q
        p = r + 0.3 * p
    return np.sum(x * x) + np.sum(r)


@program(lambda r: (r.normal(size=(6, 2)), r.normal(size=(6,))), wrt=(0, 1))
def pairwise_distances(p, q):
    d = p[:, None, :] - p[None, :, :]
    r2 = np.sum(d * d, axis=-1) + np.eye(6)
    return np.sum(q[:, None] * q[None, :] / np.sqrt(r2))


@program(vector(8))
def polynomial_and_powers(x):
    return (
        np.sum(x**3 - 2 * x**2 + x * 4.0)
        + np.sum((x * x + 0.5) ** 1.5)
        + np.sum(2.0**x)
        + np.sum((1.5 + x) ** x)
    )


@program(arrays((2, 3, 4)))
def transposes_and_axes(a):
    b = np.transpose(a, (1, 2, 0))
    c = np.moveaxis(a, 0, -1) * b
    return np.sum(c.sum(axis=(0, 2)) ** 2) + np.sum(np.max(a, axis=-1)) + np.sum(a.T[0] * a.T[1])


@program(vectors(4, 4), wrt=(0, 1))
def in_place_ufuncs(x, y):
    z = x.copy()
    z += y
    z *= x
    z -= 0.5
    z /= 2.0 + y * y
    z **= 2
    np.multiply(z, x, out=z)
    return np.sum(z)


@program(lambda r: (r.normal(size=5), r.normal(size=3)), wrt=(0, 1))
def convolution_by_hand(x, k):
    out = np.zeros(7)
    for i in range(5):
        for j in range(3):
            out[i + j] += x[i] * k[j]
    return np.sum(out * out * out)
