"""Helper functions, inner functions, globals, names, and what must not be left over between calls.

Each case: the program as a user writes it, its arguments, the expected gradient in closed form or by a
tangent recursion written by hand, and the public report that describes the situation.
"""

import numpy as np

from .case import by_id, case

HEAT_RATIO, TORQUE_UNIT = 1.37, 52.5


def fill_product(y, x, th):
    for i in range(x.shape[0]):
        y[i] = x[i] * th


def callee_fills_argument(y, x, th):
    fill_product(y, x, th)
    return np.sum(y * y)


case(
    callee_fills_argument,
    "helper call: callee overwrites its argument (entry value is dead)",
    "EnzymeAD/Enzyme.jl#2354",
    lambda r: (r.normal(size=3), r.normal(size=3), 0.5),
    (0, 1, 2),
    lambda y, x, th: (np.zeros_like(y), 2 * x * th * th, float(2 * th * (x * x).sum())),
    mutates=(0,),
    helpers=(fill_product,),
)


def scale_first(v, k):
    v[0] = v[0] * v[1] * k


def callee_updates_view(x, k):
    y = x.copy()
    scale_first(y[1:4], k)
    scale_first(y[2:], y[0])
    return np.sum(y * y)


def callee_updates_view_gradient(x, k):
    # y1 = x1 x2 k ; y2 = x2 x3 x0 ; the rest unchanged
    y = x.copy()
    y[1], y[2] = x[1] * x[2] * k, x[2] * x[3] * x[0]
    g = 2 * x
    g[1] = g[2] = 0.0
    g[0] += 2 * y[2] * x[2] * x[3]
    g[1] += 2 * y[1] * x[2] * k
    g[2] += 2 * y[1] * x[1] * k + 2 * y[2] * x[3] * x[0]
    g[3] += 2 * y[2] * x[2] * x[0]
    return g, float(2 * y[1] * x[1] * x[2])


case(
    callee_updates_view,
    "helper call: callee writes through a view of the caller's array",
    "numba/numba#7120, EnzymeAD/Enzyme.jl#3124",
    lambda r: (r.normal(size=5), 1.3),
    (0, 1),
    callee_updates_view_gradient,
    helpers=(scale_first,),
)


def tail_of(a):
    return a[1:]


def callee_returns_view(x):
    y = x.copy()
    t = tail_of(y)
    t[0] = t[1] * y[0]
    return y[1] * y[1] + y[2]


case(
    callee_returns_view,
    "helper call: callee returns a view, written by the caller",
    "pytorch/pytorch#26546, pytorch/pytorch#14707",
    lambda r: (r.normal(size=4),),
    (0,),
    lambda x: (np.array([2 * x[0] * x[2] ** 2, 0.0, 2 * x[2] * x[0] ** 2 + 1, 0.0]),),
    helpers=(tail_of,),
    level="hard",
)


def inner_function_captures(x, a):
    b = a * a

    def shifted(t):
        return t * b + a

    s = 0.0
    for i in range(x.shape[0]):
        s += shifted(x[i]) * shifted(x[i])
    return s


case(
    inner_function_captures,
    "inner function: captures active variables of the outer one",
    "EnzymeAD/Enzyme.jl#3124, numba/numba#938",
    lambda r: (r.normal(size=3), 0.8),
    (0, 1),
    lambda x, a: (2 * (x * a * a + a) * a * a, float((2 * (x * a * a + a) * (2 * a * x + 1)).sum())),
    expect="grad_or_error",
    error_words=("inner", "nested", "closure", "function", "support"),
)


def seed_left_alone(A, B):
    return np.dot(A, B)


case(
    seed_left_alone,
    "side effect: cotangent must not be overwritten (square product)",
    "EnzymeAD/Enzyme.jl#382",
    lambda r: (r.normal(size=(3, 3)), r.normal(size=(3, 3))),
    (0, 1),
    lambda A, B: (by_id("seed_left_alone").make_seed() @ B.T, A.T @ by_id("seed_left_alone").make_seed()),
    seed=lambda r: r.normal(size=(3, 3)),
)


def quad_term(m, a):
    d = m - a
    return np.sum(d * d)


def helper_called_twice(m, a):
    return quad_term(m, a) + quad_term(m, m * a) + np.sum(m)


case(
    helper_called_twice,
    "accumulation: one value used by two calls and directly",
    "TuringLang/SSMProblems.jl#188",
    lambda r: (r.normal(size=3), r.normal(size=3)),
    (0, 1),
    lambda m, a: (2 * (m - a) + 2 * m * (1 - a) ** 2 + 1.0, -2 * (m - a) - 2 * m * m * (1 - a)),
    helpers=(quad_term,),
)


def cube_called_again(x):
    y = x * x
    return np.sum(y * x)


case(
    cube_called_again,
    "accumulation: nothing may be left over for the next call",
    "sony/nnabla#532",
    lambda r: (r.normal(size=(2, 3)),),
    (0,),
    lambda x: (3 * x * x,),
)


def augmented_scalars_with_globals(m_in, m_out, h_in, h_id, eff, speed, m_b, h_b):
    h_out = m_in / m_out * (h_in * (1.0 - eff) + h_id * eff)
    power = m_in * eff * (h_in - h_id) * HEAT_RATIO
    h_out += m_b / m_out * (h_b * (1.0 - eff) + h_id * eff)
    power += m_b * eff * (h_b - h_id) * HEAT_RATIO
    torque = power / speed * TORQUE_UNIT
    return torque + h_out * power


def augmented_scalars_with_globals_gradient(m, o, h, d, e, s, b, k):
    H = HEAT_RATIO
    ho = m / o * (h * (1 - e) + d * e) + b / o * (k * (1 - e) + d * e)
    p = (m * e * (h - d) + b * e * (k - d)) * H
    dp = dict(
        m=e * (h - d) * H,
        h=m * e * H,
        d=-(m + b) * e * H,
        e=p / e,
        b=e * (k - d) * H,
        k=b * e * H,
        o=0.0,
        s=0.0,
    )
    do = dict(
        m=(h * (1 - e) + d * e) / o,
        o=-ho / o,
        h=m / o * (1 - e),
        d=(m + b) * e / o,
        e=(m * (d - h) + b * (d - k)) / o,
        b=(k * (1 - e) + d * e) / o,
        k=b / o * (1 - e),
        s=0.0,
    )
    c = TORQUE_UNIT / s
    out = []
    for n in "mohdesbk":
        v = dp[n] * (c + ho) + do[n] * p
        if n == "s":
            v -= p * TORQUE_UNIT / s**2
        out.append(float(v))
    return tuple(out)


case(
    augmented_scalars_with_globals,
    "global: scalar constants, augmented assignment, continued lines",
    "google/tangent#64",
    lambda r: tuple(r.uniform(0.5, 2.0, size=8).tolist()),
    tuple(range(8)),
    augmented_scalars_with_globals_gradient,
)


def names_like_generated_code(bx, d_x, _t1, stack):
    x = bx * d_x
    grad = x + _t1
    tape = grad * x
    adj_x = np.sin(tape) + stack
    x_bar = adj_x * bx
    out = x_bar + grad
    _x = out * d_x
    bx = _x * bx
    return bx


def names_like_generated_code_gradient(bx, dx, t1, st):
    x = bx * dx
    g = x + t1
    tp = g * x
    a = np.sin(tp) + st
    o = a * bx + g
    # y = o * dx * bx
    da = np.cos(tp)
    res = []
    for vb, vd, vt, vs in ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)):
        tx = vb * dx + bx * vd
        tg = tx + vt
        ta = da * (tg * x + g * tx) + vs
        to = ta * bx + a * vb + tg
        res.append(float(to * dx * bx + o * vd * bx + o * dx * vb))
    return tuple(res)


case(
    names_like_generated_code,
    "names: locals that look like generated adjoint names",
    "google/tangent#69",
    lambda r: (0.7, 1.1, 0.4, 0.9),
    (0, 1, 2, 3),
    names_like_generated_code_gradient,
)


def shadowed_builtin(x):
    sum = 0
    rows, cols = x.shape
    for i in np.arange(rows):
        for j in np.arange(i, cols):
            sum = sum + x[i, j] * x[i, j]
    return sum


case(
    shadowed_builtin,
    "names: a local called sum; np.arange as loop range; integer start value",
    "google/tangent#31",
    lambda r: (r.normal(size=(3, 3)),),
    (0,),
    lambda x: (2 * np.triu(x),),
)
