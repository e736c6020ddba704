"""Passes of a loop that depend on each other through memory.

Each case: the program as a user writes it, its arguments, the expected gradient in closed form or by a
tangent recursion written by hand, and the public report that describes the situation.
"""

import itertools

import numpy as np

from .case import case


def plastic_return_map(th, n):
    stiff = 800.0
    limit = 1.5
    slip = np.zeros(n + 1)
    acc = 0.0
    for i in range(n):
        trial = stiff * (th * np.sin(2.0 * np.pi * i / n) - slip[i])
        d = 0.0
        if abs(trial) > limit:
            d = (abs(trial) - limit) / stiff
            acc += d
        if trial > 0.0:
            slip[i + 1] = slip[i] + d
        else:
            slip[i + 1] = slip[i] - d
    return acc * 1000.0


def plastic_return_map_gradient(th, n):
    stiff, limit = 800.0, 1.5
    s = ds = acc = dacc = 0.0
    for i in range(n):
        w = np.sin(2 * np.pi * i / n)
        tr, dtr = stiff * (th * w - s), stiff * (w - ds)
        d = dd = 0.0
        if abs(tr) > limit:
            d, dd = (abs(tr) - limit) / stiff, np.sign(tr) * dtr / stiff
            acc, dacc = acc + d, dacc + dd
        if tr > 0:
            s, ds = s + d, ds + dd
        else:
            s, ds = s - d, ds - dd
    return (dacc * 1000.0,)


case(
    plastic_return_map,
    "cross-iteration: reads f[i], writes f[i+1] under a branch",
    "taichi-dev/taichi#8802",
    lambda r: (0.0061, 48),
    (0,),
    plastic_return_map_gradient,
    fd_h=1e-7,
    fd_tol=1e-5,
)


def prefix_chain_in_place(out, x, c):
    for i in range(out.shape[0]):
        if i == 0:
            out[i] = x
        else:
            out[i] = out[i - 1] * x + c[i]
    return np.sum(out)


def prefix_chain_in_place_gradient(out, x, c):
    n = out.size
    o, do, dc, t, tc = x, 1.0, np.zeros(n), 1.0, np.zeros(n)
    for i in range(1, n):
        do = do * x + o
        dc = dc * x
        dc[i] += 1
        o = o * x + c[i]
        t, tc = t + do, tc + dc
    return np.zeros(n), float(t), tc


case(
    prefix_chain_in_place,
    "cross-iteration: element depends on the element written just before",
    "Genesis-Embodied-AI/quadrants#590",
    lambda r: (np.zeros(5), 0.7, r.normal(size=5)),
    (0, 1, 2),
    prefix_chain_in_place_gradient,
    mutates=(0,),
)


def shortest_paths_in_place(D):
    d = D.copy()
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if i == j or i == k or j == k:
                    continue
                t = d[i, k] + d[k, j]
                if t < d[i, j]:
                    d[i, j] = t
    return np.sum(d * d)


def shortest_paths_in_place_gradient(D):
    n = D.shape[0]
    g = np.zeros_like(D)
    for i in range(n):
        for j in range(n):
            if i == j:
                g[i, i] += 2 * D[i, i]
                continue
            best, path = np.inf, None
            rest = [k for k in range(n) if k not in (i, j)]
            for m in range(len(rest) + 1):
                for mid in itertools.permutations(rest, m):
                    p = (i,) + mid + (j,)
                    L = sum(D[u, v] for u, v in zip(p, p[1:]))
                    if L < best:
                        best, path = L, p
            for u, v in zip(path, path[1:]):
                g[u, v] += 2 * best
    return (g,)


def shortest_paths_in_place_args(r):
    D = r.uniform(1.0, 9.0, size=(4, 4))
    np.fill_diagonal(D, 0.0)
    return (D,)


case(
    shortest_paths_in_place,
    "cross-iteration: in-place min over triple loop",
    "NVIDIA/warp#1552",
    shortest_paths_in_place_args,
    (0,),
    shortest_paths_in_place_gradient,
    fd_h=1e-4,
    fd_tol=1e-6,
    note="the diagonal stays out of every path",
)


def chart_algorithm(e, w):
    n = e.shape[0]
    chart = np.zeros((n, n))
    for i in range(n):
        chart[i, i] = e[i]
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            s = 0.0
            for k in range(i, j):
                s += chart[i, k] * chart[k + 1, j] * w
            chart[i, j] = s
    return np.log(chart[0, n - 1])


case(
    chart_algorithm,
    "cross-iteration: dynamic-programming table filled in place",
    "HIPS/autograd#13",
    lambda r: (r.uniform(0.5, 2.0, size=6), 0.7),
    (0, 1),
    lambda e, w: (1.0 / e, (e.size - 1) / w),
)
