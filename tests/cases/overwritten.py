"""Values that are overwritten after something has read them; swaps.

Each case: the program as a user writes it, its arguments, the expected gradient in closed form or by a
tangent recursion written by hand, and the public report that describes the situation.
"""

import numpy as np

from .case import by_id, case


def rotate_step(px, py, q):
    c = np.cos(q)
    s = np.sin(q)
    return c * px - s * py, s * px + c * py


def nested_dynamic_rotation(q, starts):
    px = 1.0
    py = 0.0
    tot = 0.0
    for s in range(starts.shape[0] - 1):
        for j in range(starts[s], starts[s + 1]):
            px, py = rotate_step(px, py, q[j])
        tot += px + 2.0 * py * (s + 1)
    return tot


def nested_dynamic_rotation_gradient(q, starts):
    g = np.zeros_like(q)
    for s in range(starts.size - 1):
        th = q[: starts[s + 1]].sum()
        g[: starts[s + 1]] += -np.sin(th) + 2.0 * (s + 1) * np.cos(th)
    return (g,)


case(
    nested_dynamic_rotation,
    "loop overwrite: two dynamic loops, state carried across both, helper returns a tuple",
    "NVIDIA/warp#1293",
    lambda r: (r.normal(size=7), np.array([0, 2, 3, 3, 7])),
    (0,),
    nested_dynamic_rotation_gradient,
    helpers=(rotate_step,),
)


def dead_write_no_phantom(a, b):
    y = np.empty(a.shape[0])
    y[:] = 2.0 * a
    y[:] = 3.0 * b * b
    return np.sum(y)


case(
    dead_write_no_phantom,
    "dead write: an overwritten value must get no gradient",
    "NVIDIA/warp#1062",
    lambda r: (r.normal(size=4), r.normal(size=4)),
    (0, 1),
    lambda a, b: (np.zeros_like(a), 6.0 * b),
)


def loop_index_in_adjoint(x):
    out = 0.0
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(500):
            s += x[i] / (1.0 + i + j)
        out += s * s
    return out


case(
    loop_index_in_adjoint,
    "large loop: loop indices are needed again in the reverse sweep",
    "taichi-dev/taichi#8027, taichi-dev/taichi#8200",
    lambda r: (r.normal(size=4),),
    (0,),
    lambda x: (2 * x * np.array([(1.0 / (1.0 + i + np.arange(500))).sum() for i in range(x.size)]) ** 2,),
)


def ping_pong_buffers(x, n):
    u = x.copy()
    v = np.empty_like(x)
    m = x.shape[0]
    for t in range(n):
        v[0] = u[0]
        v[m - 1] = u[m - 1]
        for i in range(1, m - 1):
            v[i] = 0.25 * u[i - 1] + 0.5 * u[i] * u[i] + 0.25 * u[i + 1]
        u, v = v, u
    return np.sum(u * u) + v[1]


def ping_pong_buffers_gradient(x, n):
    m = x.size
    u, J, old, Jold = x.copy(), np.eye(m), None, None
    for _ in range(n):
        D = np.zeros((m, m))
        D[0, 0] = D[-1, -1] = 1.0
        w = u.copy()
        for i in range(1, m - 1):
            D[i, i - 1] = D[i, i + 1] = 0.25
            D[i, i] = u[i]
            w[i] = 0.25 * u[i - 1] + 0.5 * u[i] ** 2 + 0.25 * u[i + 1]
        old, Jold = u, J
        u, J = w, D @ J
    return (2 * u @ J + Jold[1],)


case(
    ping_pong_buffers,
    "swap: two array names exchanged on every step (double buffering)",
    "NVIDIA/warp#1294",
    lambda r: (r.uniform(0.2, 0.9, size=6), 3),
    (0,),
    ping_pong_buffers_gradient,
)


def mutable_state_recurrence(p, a, n):
    x = np.zeros((p.shape[0], n))
    s = np.zeros(p.shape[0])
    for i in range(p.shape[0]):
        x[i, 0] = p[i, 4]
    for t in range(1, n):
        for i in range(p.shape[0]):
            x[i, t] = p[i, 0] * x[i, t - 1] + p[i, 1] * s[i]
            s[i] = p[i, 2] * s[i] + p[i, 3] * x[i, t - 1] + a
    return np.sum(x * x)


def mutable_state_recurrence_gradient(p, a, n):
    G = np.zeros_like(p)
    ga = 0.0
    for i in range(p.shape[0]):
        q = p[i]
        x, dx, s, ds = q[4], np.zeros(6), 0.0, np.zeros(6)
        dx[4] = 1.0
        tot = 2 * x * dx
        for t in range(1, n):
            nx, dnx = q[0] * x + q[1] * s, q[0] * dx + q[1] * ds
            dnx[0] += x
            dnx[1] += s
            ns, dns = q[2] * s + q[3] * x + a, q[2] * ds + q[3] * dx
            dns[2] += s
            dns[3] += x
            dns[5] += 1.0
            x, dx, s, ds = nx, dnx, ns, dns
            tot = tot + 2 * x * dx
        G[i] = tot[:5]
        ga += tot[5]
    return G, ga


case(
    mutable_state_recurrence,
    "loop overwrite: state read, then replaced, while another array records it",
    "EnzymeAD/Enzyme.jl#362",
    lambda r: (r.uniform(-0.6, 0.8, size=(2, 5)), 0.3, 9),
    (0, 1),
    mutable_state_recurrence_gradient,
)


def large_loop_overwrite(x, b, n):
    for i in range(n):
        x = x - 1e-4 * (x * x * x - b)
    return x


def large_loop_overwrite_gradient(x, b, n):
    dx, db = 1.0, 0.0
    for _ in range(n):
        k = 1 - 3e-4 * x * x
        dx, db = dx * k, db * k + 1e-4
        x = x - 1e-4 * (x * x * x - b)
    return dx, db


case(
    large_loop_overwrite,
    "large loop: 30000 overwrites of one scalar (memory and time)",
    "taichi-dev/taichi#8027",
    lambda r: (1.8, 0.4, 30000),
    (0, 1),
    large_loop_overwrite_gradient,
    rtol=1e-8,
)


def advection_slices_in_place(u, dt, n):
    v = u.copy()
    for _ in range(n):
        v[1:-1] -= dt * v[1:-1] * (v[2:] - v[:-2])
    return np.sum(v * v)


def advection_slices_in_place_gradient(u, dt, n):
    m = u.size
    v, J, d = u.copy(), np.eye(m), np.zeros(m)
    for _ in range(n):
        w, D, e = v.copy(), np.eye(m), np.zeros(m)
        for i in range(1, m - 1):
            w[i] = v[i] - dt * v[i] * (v[i + 1] - v[i - 1])
            D[i, i] = 1 - dt * (v[i + 1] - v[i - 1])
            D[i, i + 1] = -dt * v[i]
            D[i, i - 1] = dt * v[i]
            e[i] = -v[i] * (v[i + 1] - v[i - 1])
        v, J, d = w, D @ J, D @ d + e
    return 2 * v @ J, float(2 * v @ d)


case(
    advection_slices_in_place,
    "value used after overwrite: time steps on slices of one array",
    "NVIDIA/warp#1472",
    lambda r: (r.uniform(0.2, 1.0, size=7), 0.2, 4),
    (0, 1),
    advection_slices_in_place_gradient,
)


def lu_in_place_logdet(A):
    M = A.copy()
    n = M.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            M[i, k] /= M[k, k]
            for j in range(k + 1, n):
                M[i, j] -= M[i, k] * M[k, j]
    s = 0.0
    for k in range(n):
        s += np.log(abs(M[k, k]))
    return s


case(
    lu_in_place_logdet,
    "value used after overwrite: in-place factorisation by triple loop",
    "EnzymeAD/Enzyme.jl#362",
    lambda r: (r.normal(size=(4, 4)) + 4 * np.eye(4),),
    (0,),
    lambda A: (np.linalg.inv(A).T,),
)


def pivoted_elimination_solve(A, b):
    M = A.copy()
    x = b.copy()
    n = x.shape[0]
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(M[i, k]) > abs(M[p, k]):
                p = i
        if p != k:
            for j in range(n):
                M[k, j], M[p, j] = M[p, j], M[k, j]
            x[k], x[p] = x[p], x[k]
        for i in range(k + 1, n):
            f = M[i, k] / M[k, k]
            for j in range(k, n):
                M[i, j] -= f * M[k, j]
            x[i] -= f * x[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= M[i, j] * x[j]
        x[i] /= M[i, i]
    return np.sum(x * x)


def pivoted_elimination_solve_gradient(A, b):
    x = np.linalg.solve(A, b)
    lam = np.linalg.solve(A.T, 2 * x)
    return -np.outer(lam, x), lam


case(
    pivoted_elimination_solve,
    "swap: pivot rows exchanged in place inside a solver",
    "numba/numba#5279",
    lambda r: (
        np.array(
            [[0.2, 1.5, -0.4, 1.0], [2.0, 0.3, 0.7, -0.6], [-1.1, 0.8, 0.1, 2.2], [0.5, -2.4, 1.9, 0.3]]
        ),
        r.normal(size=4),
    ),
    (0, 1),
    pivoted_elimination_solve_gradient,
    rtol=1e-8,
)


def last_slice_wins(x):
    r = np.zeros((x.shape[0], x.shape[1]))
    for f in range(x.shape[2]):
        r = x[:, :, f] * (f + 1.0)
    return r


def last_slice_wins_gradient(x):
    g = np.zeros_like(x)
    g[:, :, -1] = x.shape[2] * by_id("last_slice_wins").make_seed()
    return (g,)


case(
    last_slice_wins,
    "loop overwrite: array variable rebound on each pass, last one returned",
    "google/tangent#56",
    lambda r: (r.normal(size=(2, 3, 4)),),
    (0,),
    last_slice_wins_gradient,
    seed=lambda r: r.normal(size=(2, 3)),
)


def conjugate_gradient_solve(A, b, n):
    x = np.zeros_like(b)
    r = b - np.dot(A, x)
    p = r.copy()
    for _ in range(n):
        Ap = np.dot(A, p)
        rr = np.dot(r, r)
        alpha = rr / np.dot(p, Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        beta = np.dot(r, r) / rr
        p = r + beta * p
    return np.sum(x * x)


case(
    conjugate_gradient_solve,
    "loop overwrite: conjugate gradients, four vectors rebound on each pass",
    "HIPS/autograd#556",
    lambda r: (np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]]), r.normal(size=3), 3),
    (1,),
    lambda A, b, n: (np.linalg.solve(A, 2 * np.linalg.solve(A, b)),),
    rtol=1e-6,
    fd_tol=1e-6,
)


def trip_count_overwritten(x, cnt):
    s = 1.0
    for i in range(cnt[0]):
        s = s * x + i
        cnt[0] = 1
    k = cnt[1]
    for i in range(k):
        k = 7
        s = s + x * x * s
    cnt[1] = 0
    return s


def trip_count_overwritten_gradient(x, cnt):
    s, d = 1.0, 0.0
    for i in range(int(cnt[0])):
        s, d = s * x + i, d * x + s
    for i in range(int(cnt[1])):
        s, d = s + x * x * s, d + 2 * x * s + x * x * d
    return (d,)


case(
    trip_count_overwritten,
    "value used after overwrite: the loop bounds are changed during and after the loop",
    "Genesis-Embodied-AI/quadrants#543",
    lambda r: (0.7, np.array([4, 3])),
    (0,),
    trip_count_overwritten_gradient,
    mutates=(1,),
)


def index_and_condition_overwritten(x):
    y = x.copy()
    j = 0
    go = True
    for step in range(3):
        if go:
            y[j] = y[j] * y[j + 1]
        else:
            y[j] = y[j] + y[j + 1] * y[j + 1]
        go = not go
        j = j + 1
        y[j - 1] *= y[j]
    j = 99
    return np.sum(y * y)


def index_and_condition_overwritten_gradient(x):
    y, J = x.copy(), np.eye(x.size)
    for j in range(3):
        if j % 2 == 0:
            J[j] = J[j] * y[j + 1] + y[j] * J[j + 1]
            y[j] = y[j] * y[j + 1]
        else:
            J[j] = J[j] + 2 * y[j + 1] * J[j + 1]
            y[j] = y[j] + y[j + 1] ** 2
        J[j] = J[j] * y[j + 1] + y[j] * J[j + 1]
        y[j] = y[j] * y[j + 1]
    return (2 * y @ J,)


case(
    index_and_condition_overwritten,
    "value used after overwrite: index and branch flag change after they were used",
    "Genesis-Embodied-AI/quadrants#543, taichi-dev/taichi#8200",
    lambda r: (r.uniform(0.5, 1.5, size=5),),
    (0,),
    index_and_condition_overwritten_gradient,
)
