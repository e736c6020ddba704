"""Sample programs: memory. Elements, slices, views, aliases, swaps, index arrays, layouts."""

from __future__ import annotations

import numpy as np

from .programs import arrays, program, vector, vectors


@program(vector(6))
def negative_indices(x):
    y = x.copy()
    y[-1] = y[-2] * y[0]
    y[-6] += 2.0 * y[-1]
    s = 0.0
    for i in range(-3, 0):
        s += y[i] * y[i + 1]
    return s + y[-4]


@program(vector(8))
def slices_with_steps(x):
    y = x.copy()
    y[1:7:2] = y[0:6:2] * 2.0
    y[::-1][:3] += 1.0
    return np.sum(y[::3] ** 2) + np.sum(y[6:2:-2] * y[1:3]) + y[-3:][0] + np.sum(y[10:])


@program(arrays((3, 4), (4,)), wrt=(0, 1))
def newaxis_and_ellipsis(a, v):
    b = a[..., None] * v[None, :, np.newaxis]
    c = b[..., 0] + v[np.newaxis]
    return np.sum(c * c) + np.sum(a[:, 1] * a[..., 2])


@program(arrays((3, 5)))
def strided_views(a):
    b = a.copy()
    inner = b[1:, ::2]
    inner *= 2.0
    inner[0, 1] = inner[1, 2] * b[0, 0]
    t = b.T
    t[4] = t[0] * t[1]
    return np.sum(b * b)


@program(vector(6))
def reshape_and_ravel(x):
    y = x.copy()
    m = y.reshape(2, 3)
    m[0] = m[1] * m[0, 0]
    flat = m.ravel()
    flat[5] = flat[4] * 2.0
    return np.sum(y * y) + np.sum(m[:, 1]) + np.sum(x.reshape(3, -1) ** 3)


@program(vector(6))
def overlapping_writes(x):
    y = x.copy()
    y[1:] = y[:-1] * 2.0
    y[:-1] += y[1:]
    y[:] = y[::-1]
    y[2:] *= y[:-2]
    return np.sum(y * np.sin(y))


@program(arrays((4, 4)))
def own_transpose(a):
    b = a.copy()
    b += b.T
    b *= b[:, ::-1]
    b /= 2.0 + b[0] ** 2
    return np.sum(b)


@program(vectors(5, 5), wrt=(0, 1))
def swap_in_loop(x, y):
    u = x.copy()
    v = y.copy()
    for t in range(3):
        for i in range(1, 4):
            v[i] = u[i] + 0.1 * (u[i - 1] - u[i]) * u[i + 1]
        u, v = v, u
    return np.sum(u * u) + v[2]


@program(lambda r: (*(r.uniform(-1, 1, 4) for _ in range(3)), 5), wrt=(0, 1, 2))
def rotate_three(x, y, z, n):
    a, b, c = x.copy(), y.copy(), z.copy()
    for t in range(n):
        c[0] = a[1] * b[2]
        a, b, c = b, c, a
        a[3] += 0.2 * c[0]
    return np.sum(a * b) + np.sum(c * c)


@program(lambda r: (r.uniform(-1, 1, 4), 5))
def swap_under_branch(x, n):
    a = x.copy()
    b = np.zeros(4)
    for t in range(n):
        b[t % 4] = a[0] * a[1] + 0.1 * t
        if t % 2 == 0:
            a, b = b, a
    return np.sum(a * a) + np.sum(b)


@program(vector(6))
def swap_of_views(x):
    y = x.copy()
    a = y[:3]
    b = y[3:]
    for t in range(3):
        a[0] = b[1] * b[2] + a[1]
        a, b = b, a
        b[2] = a[0] * 0.5
    return np.sum(a * b) + y[0]


@program(lambda r: (r.uniform(-1, 1, 6), 3))
def swap_of_memory_of_one_pass(x, n):
    s = 0.0
    for k in range(n):
        a = x * s
        b = np.ones(6) * x[k]
        for t in range(k):
            b[t] = a[0] * x[t] + b[1]
            a, b = b, a
        s += np.sum(a * a) + b[0]
    return s


@program(vector(5))
def rebound_in_loop(x):
    u = x
    for t in range(4):
        u = np.tanh(u + 0.1 * t) * u[0]
    return np.sum(u * x)


@program(lambda r: (r.uniform(-1, 1, 5), 1))
def rebound_in_branch(x, flag):
    u = x * 2.0
    if flag > 0:
        u = u * u
    else:
        v = u
        u = v + 1.0
    return np.sum(u)


@program(vector(5))
def allocated_in_loop(x):
    s = 0.0
    for t in range(3):
        work = np.zeros(5)
        for i in range(5):
            work[i] = x[i] * (t + 1) + s
        s += np.sum(work * work) * 0.1
    return s


@program(vector(5))
def alias_of_local(x):
    a = x.copy()
    b = a
    b[0] = 3.0 * a[1]
    a[1] = b[0] * b[0]
    c = b[1:3]
    c[0] += a[0]
    return np.sum(a)


@program(lambda r: (r.uniform(-1, 1, 5),) * 2, wrt=(0, 1), order=1)
def same_array_twice_read(x, y):
    return np.sum(x * y * y)


@program(lambda r: (r.uniform(-1, 1, 6), np.array([0, 3, 3, 5, -1])))
def gather(x, idx):
    y = x[idx]
    s = 0.0
    for k in range(5):
        s += x[idx[k]] * k
    return np.sum(y * y) + s


@program(lambda r: (r.uniform(-1, 1, 6), r.uniform(-1, 1, 4), np.array([0, 3, 3, 5])), wrt=(0, 1))
def scatter(x, v, idx):
    y = x.copy()
    y[idx] = v * v
    z = np.zeros(6)
    z[idx] += y[idx] * 2.0
    for k in range(4):
        z[idx[k]] += v[k]
    return np.sum(y * z) + np.sum(z * z)


@program(lambda r: (np.array([0.5, -0.4, 0.9, -0.7, 0.2]),))
def boolean_masks(x):
    y = x.copy()
    y[x > 0.3] = 0.1
    y[y < 0] *= 2.0
    kept = x[x > 0]
    return np.sum(y * y) + np.sum(kept**3) + kept[0] * kept.size


@program(lambda r: (r.uniform(-1, 1, (4, 3)), np.array([2, 0, 2]), np.array([1, 1, 0])))
def gather_rows_and_pairs(a, rows, columns):
    return np.sum(a[rows] ** 2) + np.sum(a[rows, columns] * a[:3, 0]) + np.sum(a[:, columns][0])


@program(
    lambda r: (r.uniform(-1, 1, (6, 8))[::2, 1::3], r.uniform(-1, 1, (4, 3)).T, r.uniform(-1, 1, 3)[::-1]),
    wrt=(0, 1, 2),
)
def layouts(a, b, v):
    s = 0.0
    for i in range(3):
        for j in range(3):
            s += a[i, j] * b[i, j] * v[i]
    return s + np.sum(np.dot(a, b[:, :3]) * v)


@program(lambda r: (np.asfortranarray(r.uniform(-1, 1, (3, 4))), r.uniform(-1, 1, (3, 4))), wrt=(0, 1))
def fortran_order(a, b):
    a[0] = a[1] * b[2]
    return np.sum(a * b)


@program(lambda r: (np.zeros(0), np.zeros((0, 3)), 1.3), wrt=(0, 1, 2))
def empty_arrays(x, a, c):
    s = c * c
    for v in x:
        s += v
    return s + np.sum(x * c) + np.sum(a, axis=0)[1] * c + np.sum(a @ np.ones(3))


@program(lambda r: (np.array(0.8), np.float64(1.2)), wrt=(0, 1))
def zero_dimensional(s, t):
    return s * s * t


@program(
    lambda r: (r.uniform(-1, 1, 5).astype(np.float32), r.uniform(-1, 1, 5)), wrt=(0, 1), rtol=2e-3, order=1
)
def mixed_widths(x, y):
    z = x * 2.0 + 1.0
    return np.sum(z * z) + np.sum(z * y)


@program(lambda r: (r.uniform(-1, 1, 5).astype(np.float32), np.float32(0.7)), wrt=(0, 1), rtol=2e-3, order=1)
def float32_loop(x, c):
    y = np.empty_like(x)
    for i in range(5):
        y[i] = x[i] * c + x[i] ** 2
    return np.sum(y)


@program(lambda r: (r.uniform(-1, 1, 4), r.uniform(-1, 1, 4)), wrt=(0, 1))
def array_result(x, y):
    out = np.empty(4)
    for i in range(4):
        out[i] = x[i] * y[3 - i] + np.sin(out[i - 1] if i else x[0])
    return out


@program(arrays((3, 4)))
def matrix_result(a):
    return np.tanh(a[:, 1:] * a[:, :-1]).T


def relax(u, k):
    for i in range(1, u.shape[0] - 1):
        u[i] = u[i] + k * (u[i - 1] - 2.0 * u[i] + u[i + 1])


@program(lambda r: (r.uniform(-1, 1, 6), 0.3), wrt=(0, 1))
def callee_writes(x, k):
    u = x.copy()
    for t in range(3):
        relax(u, k)
        relax(u[::-1], k * k)
        relax(u[1:], u[0])
    return np.sum(u**2)


def halves(a):
    n = a.shape[0] // 2
    return a[:n], a[n:]


@program(vector(6))
def callee_returns_views(x):
    y = x.copy()
    lo, hi = halves(y)
    lo += hi * hi
    hi[0] = lo[1] * lo[2]
    return np.sum(y * y)


@program(arrays((5, 3)))
def rows_in_place(a):
    b = a.copy()
    for i in range(1, 5):
        row = b[i]
        above = b[i - 1]
        row += 0.5 * above * above
        row[0] = row[1] - above[2]
    for row in b:
        row *= row[0]
    return np.sum(b)


@program(arrays((4, 4)))
def cholesky_in_place(m):
    a = m @ m.T + 4.0 * np.eye(4)
    for i in range(4):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = np.sqrt(a[i, i])
    s = 0.0
    for i in range(4):
        s += np.log(a[i, i]) + a[3, i]
    return s


@program(lambda r: (r.uniform(0.2, 1, (5, 5)), 3))
def gauss_seidel(a, sweeps):
    u = a.copy()
    for t in range(sweeps):
        for i in range(1, 4):
            for j in range(1, 4):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) * u[i, j]
    return np.sum(u * u)


@program(lambda r: (r.uniform(-1, 1, 4), np.array([2, 0, 1, 2])))
def indices_overwritten(x, order):
    y = x.copy()
    for k in range(4):
        j = order[k]
        order[k] = 0
        y[j] = y[j] * y[order[0]] + 0.3
    return np.sum(y)


@program(lambda r: (r.uniform(-1, 1, (2, 3, 4)),))
def three_dimensions(a):
    b = a.copy()
    b[:, 1, :] = b[0][:2] * 2.0
    b[..., 0] += b[:, :, -1]
    return np.sum(b * b[::-1]) + np.sum(b.transpose(2, 0, 1)[1] ** 2)


@program(vector(5))
def prefix_products(x):
    p = np.ones(6)
    for i in range(5):
        p[i + 1] = p[i] * x[i]
    return np.sum(p) + p[5] * p[3]


@program(lambda r: (r.uniform(0.5, 1.5, 5), 3))
def history_kept_in_matrix(x, n):
    h = np.empty((n + 1, 5))
    h[0] = x
    for t in range(n):
        h[t + 1, 1:] = h[t, :-1] * h[t, 1:]
        h[t + 1, 0] = h[t, 0] + t
    return np.sum(h[n]) + np.sum(h * h)
