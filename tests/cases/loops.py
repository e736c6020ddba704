"""Loops of every kind, and leaving them early.

Each case: the program as a user writes it, its arguments, the expected gradient in closed form or by a
tangent recursion written by hand, and the public report that describes the situation.
"""

import numpy as np

from .case import case


def continue_running_max(x, c):
    tot = 0.0
    for t in range(x.shape[0]):
        best = -1e20
        for p in range(c.shape[0]):
            for q in range(c.shape[1]):
                if c[p, q] == 0.0:
                    continue
                v = x[t] * c[p, q] * (p + q + 2.0)
                if v > best:
                    best = v
        tot += best * best
    return tot


def continue_running_max_gradient(x, c):
    p, q = np.indices(c.shape)
    k = (c * (p + q + 2.0))[c != 0]
    b = np.array([(xi * k).max() for xi in x])
    kk = np.array([k[np.argmax(xi * k)] for xi in x])
    return (2 * b * kk,)


case(
    continue_running_max,
    "continue: running maximum kept from different iterations",
    "NVIDIA/warp#1552",
    lambda r: (np.array([0.8, -1.3, 2.1]), np.array([[0.0, 1.5, -0.7], [2.0, 0.0, -1.1], [0.3, -2.2, 0.0]])),
    (0,),
    continue_running_max_gradient,
)


def loop_bound_computed(a, w, c, p):
    s = 0.0
    for j in range(p + 1):
        s = s + w[j] * a[j]
    s = s * c
    return s


def loop_bound_computed_gradient(a, w, c, p):
    m = np.arange(a.size) <= p
    return np.where(m, w * c, 0), np.where(m, a * c, 0), float((a * w)[m].sum())


case(
    loop_bound_computed,
    "loop: trip count computed from an argument",
    "NVIDIA/warp#140",
    lambda r: (r.normal(size=6), r.normal(size=6), 1.3, 3),
    (0, 1, 2),
    loop_bound_computed_gradient,
)


def two_inner_loops(x):
    y = 1.0
    for j in range(3):
        for i in range(2):
            y += x * (i + 1)
        for i in range(4):
            y = y * np.cos(x) + j
    return y


def two_inner_loops_gradient(x):
    y, d = 1.0, 0.0
    for j in range(3):
        for i in range(2):
            y, d = y + x * (i + 1), d + (i + 1)
        for i in range(4):
            y, d = y * np.cos(x) + j, d * np.cos(x) - y * np.sin(x)
    return (d,)


case(
    two_inner_loops,
    "loop nest: two inner loops one after the other",
    "taichi-dev/taichi#3003",
    lambda r: (0.6,),
    (0,),
    two_inner_loops_gradient,
)


def divisor_expression_in_loop(t, a):
    s = 0.0
    for i in range(t.shape[0]):
        s += 1.0 / (t[i] + a * a)
    return s


case(
    divisor_expression_in_loop,
    "loop: un-named divisor expression inside a loop",
    "vgvassilev/clad#1865",
    lambda r: (np.array([1.0, 2.0, 3.5]), 0.9),
    (0, 1),
    lambda t, a: (-1 / (t + a * a) ** 2, float((-2 * a / (t + a * a) ** 2).sum())),
)


def loop_index_after_break(x, level):
    i = 0
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        if s > level:
            break
    return s * s + (i + 1) * x[i]


def loop_index_after_break_gradient(x, level):
    c = np.cumsum(x)
    i = int(np.argmax(c > level)) if (c > level).any() else x.size - 1
    g = np.zeros_like(x)
    g[: i + 1] = 2 * c[i]
    g[i] += i + 1
    return (g,)


case(
    loop_index_after_break,
    "break: loop variable used after the loop",
    "vgvassilev/clad#851, taichi-dev/taichi#8200",
    lambda r: (np.array([0.4, 0.9, 0.8, 0.5]), 1.8),
    (0,),
    loop_index_after_break_gradient,
)


def float_loop_variable(lo, hi, n):
    h = (hi - lo) / n
    x = lo
    s = 0.0
    while x < hi - 0.5 * h:
        s += x * x * h
        x += h
    return s


def float_loop_variable_gradient(lo, hi, n):
    h = (hi - lo) / n
    k = np.arange(n)
    x = lo + k * h
    out = []
    for dlo, dh in ((1.0, -1.0 / n), (0.0, 1.0 / n)):
        out.append(float(dh * (x * x).sum() + h * (2 * x * (dlo + k * dh)).sum()))
    return tuple(out)


case(
    float_loop_variable,
    "while: loop variable is itself differentiable and starts at an argument",
    "vgvassilev/clad#474",
    lambda r: (0.3, 1.7, 9),
    (0, 1),
    float_loop_variable_gradient,
)


def inactive_initial_value(x, n):
    r = 1
    for _ in range(n):
        r = r * x
    return r


case(
    inactive_initial_value,
    "loop: accumulator starts as an integer constant",
    "swiftlang/swift#27796",
    lambda r: (1.7, 3),
    (0,),
    lambda x, n: (n * x ** (n - 1),),
)


def while_inside_for(x, count):
    outer = x
    for _ in range(1, count):
        outer = outer * x
        inner = outer
        i = 1
        while i < count:
            inner = inner + x * inner
            i += 1
        outer = inner
    return outer


def while_inside_for_gradient(x, c):
    f = x * (x * (1 + x) ** (c - 1)) ** (c - 1)
    return (f * (1 / x + (c - 1) * (1 / x + (c - 1) / (1 + x))),)


case(
    while_inside_for,
    "loop nest: while inside for, inner temporary flows back out",
    "swiftlang/swift#25558, swiftlang/swift#28223",
    lambda r: (0.8, 4),
    (0,),
    while_inside_for_gradient,
)


def early_return_inside_loop(x, limit):
    s = 0.0
    for i in range(x.shape[0]):
        s += (i + 1) * x[i] * x[i]
        if s > limit:
            return s * s
    return np.sin(s)


def early_return_inside_loop_gradient(x, limit):
    s = np.cumsum((np.arange(x.size) + 1) * x * x)
    if (s > limit).any():
        k = int(np.argmax(s > limit))
        g = 2 * s[k] * 2 * (np.arange(x.size) + 1) * x
        g[k + 1 :] = 0
        return (g,)
    return (np.cos(s[-1]) * 2 * (np.arange(x.size) + 1) * x,)


case(
    early_return_inside_loop,
    "early return: from inside a loop (taken)",
    "shader-slang/slang#6394",
    lambda r: (np.array([0.6, 1.0, -0.8, 1.5]), 3.0),
    (0,),
    early_return_inside_loop_gradient,
)


def early_return_before_loop(c, n):
    if n == 3:
        return c[2] * c[1] + c[0]
    t = 1.0
    res = c[0]
    for i in range(1, n):
        res = res + t * c[i]
        t = t * c[0]
    if res > 100.0:
        return 100.0
    return res * res


def early_return_before_loop_gradient(c, n):
    g = np.zeros_like(c)
    if n == 3:
        g[:3] = [1.0, c[2], c[1]]
        return (g,)
    res = c[0] + sum(c[0] ** (i - 1) * c[i] for i in range(1, n))
    g[0] = 1 + sum((i - 1) * c[0] ** (i - 2) * c[i] for i in range(2, n))
    for i in range(1, n):
        g[i] = c[0] ** (i - 1)
    return (2 * res * g,)


case(
    early_return_before_loop,
    "early return: several returns, the loop is reached (not the first return)",
    "vgvassilev/clad#1958",
    lambda r: (np.array([0.7, 1.1, -0.6, 0.9]), 4),
    (0,),
    early_return_before_loop_gradient,
)


def dense_layers_by_loops(W1, b1, W2, x):
    h = np.zeros(W1.shape[0])
    for i in range(W1.shape[0]):
        s = b1[i]
        for j in range(W1.shape[1]):
            s += W1[i, j] * x[j]
        h[i] = np.tanh(s)
    y = np.zeros(W2.shape[0])
    for i in range(W2.shape[0]):
        for j in range(W2.shape[1]):
            y[i] += W2[i, j] * h[j]
    return np.sum(y * y)


def dense_layers_by_loops_gradient(W1, b1, W2, x):
    h = np.tanh(W1 @ x + b1)
    y = W2 @ h
    gh = W2.T @ (2 * y)
    gs = gh * (1 - h * h)
    return np.outer(gs, x), gs, np.outer(2 * y, h), W1.T @ gs


case(
    dense_layers_by_loops,
    "loop nest: dense layers as nested loops, gradient of the layer input",
    "shader-slang/slang#13000",
    lambda r: (r.normal(size=(5, 3)), r.normal(size=5), r.normal(size=(2, 5)), r.normal(size=3)),
    (0, 1, 2, 3),
    dense_layers_by_loops_gradient,
)


def horner_descending(c, x):
    s = 0.0
    for i in range(c.shape[0] - 1, -1, -1):
        s = s * x + c[i]
    return s


case(
    horner_descending,
    "loop: descending range",
    "swiftlang/swift#25558",
    lambda r: (r.normal(size=5), 0.8),
    (0, 1),
    lambda c, x: (x ** np.arange(c.size), float(sum(i * c[i] * x ** (i - 1) for i in range(1, c.size)))),
)


def enumerate_and_zip(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s += a * b * b
    for i, v in enumerate(x):
        s += (i + 1) * v * s
    return s


def enumerate_and_zip_gradient(x, y):
    n = x.size
    s = (x * y * y).sum()
    d = np.concatenate((y * y, 2 * x * y))
    for i in range(n):
        nd = d * (1 + (i + 1) * x[i])
        nd[i] += (i + 1) * s
        s, d = s * (1 + (i + 1) * x[i]), nd
    return d[:n], d[n:]


case(
    enumerate_and_zip,
    "loop: zip and enumerate over arrays",
    "EnzymeAD/Enzyme.jl#2868, numba/numba#8184",
    lambda r: (r.normal(size=4), r.normal(size=4)),
    (0, 1),
    enumerate_and_zip_gradient,
)


def counter_index(x):
    out = np.zeros((3, 2))
    count = 0
    for n in range(4):
        if n == 1:
            continue
        out[count, :] = x[n] * (n + 1.0)
        count += 1
    return np.sum(out * out)


def counter_index_gradient(x):
    g = 4.0 * x * (np.arange(x.size) + 1.0) ** 2
    g[1] = 0.0
    return (g,)


case(
    counter_index,
    "loop: hand-kept counter indexes a row assignment",
    "numba/numba#7843",
    lambda r: (r.normal(size=4),),
    (0,),
    counter_index_gradient,
)
