"""Branches, sides that are not taken, integers and dtypes.

Each case: the program as a user writes it, its arguments, the expected gradient in closed form or by a
tangent recursion written by hand, and the public report that describes the situation.
"""

import numpy as np

from .case import case


def integer_accumulator(a):
    trace = 0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    b = a + trace
    return np.sum(b * b)


def integer_accumulator_gradient(a):
    t = np.tanh(np.diag(a))
    b = a + t.sum()
    return (2 * b + np.diag(2 * b.sum() * (1 - t * t)),)


case(
    integer_accumulator,
    "dtype: accumulator starts as int, becomes float",
    "numba/numba#5501",
    lambda r: (r.normal(size=(3, 3)),),
    (0,),
    integer_accumulator_gradient,
)


def switch_with_constant_arm(x, code):
    s = 0.0
    for i in range(code.shape[0]):
        if code[i] == 0:
            y = np.sin(x)
        elif code[i] == 1:
            y = 5.0
        else:
            y = np.cos(x) * x
        s += y * (i + 1)
    return s


case(
    switch_with_constant_arm,
    "branch: one arm is a constant",
    "casadi/casadi#1553",
    lambda r: (0.7, np.array([0, 1, 2, 1, 0])),
    (0,),
    lambda x, code: (np.cos(x) * 6 + 3 * (np.cos(x) - x * np.sin(x)),),
)


def conditional_expression(x):
    s = 0.0
    for i in range(x.shape[0]):
        y = x[i] if x[i] > 1.0 else 0.0
        z = x[i] * x[i] if (0.0 < x[i] < 1.0 and i > 0) else -x[i]
        s += y * y + z
    return s


def conditional_expression_gradient(x):
    g = np.where(x > 1.0, 2 * x, 0.0)
    i = np.arange(x.size)
    return (g + np.where((0 < x) & (x < 1) & (i > 0), 2 * x, -1.0),)


case(
    conditional_expression,
    "branch: conditional expression, chained comparison, and",
    "casadi/casadi#1792",
    lambda r: (np.array([0.5, 0.6, 2.0, -0.7]),),
    (0,),
    conditional_expression_gradient,
)


def where_guards_square_root(x):
    n = np.sqrt(np.sum(x**2, axis=1))
    y = np.where(n > 0.5, n, np.ones_like(n))
    return np.sum(y)


def where_guards_square_root_gradient(x):
    n = np.sqrt((x**2).sum(axis=1, keepdims=True))
    return (np.where(n > 0.5, x / np.where(n > 0, n, 1), 0.0),)


case(
    where_guards_square_root,
    "NaN from untaken branch: np.where after sqrt at 0",
    "jax-ml/jax#347",
    lambda r: (np.array([[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]]),),
    (0,),
    where_guards_square_root_gradient,
    level="hard",
)


def where_guards_arctan2(a, m):
    b = np.arctan2(a, 3.0 * a * a)
    c = np.where(m > 0.5, 0.0, b)
    return np.sum(c)


case(
    where_guards_arctan2,
    "NaN from untaken branch: arctan2 at the origin, masked",
    "jax-ml/jax#1052",
    lambda r: (np.array([3.0, 0.0, -0.5]), np.array([0.0, 1.0, 0.0])),
    (0,),
    lambda a, m: (np.where(m > 0.5, 0.0, -3 / (9 * a * a + 1)),),
    level="hard",
)


def masked_pair_distances(p, q):
    n = q.shape[0]
    dx = p[:, 0].copy().reshape(n, 1) - p[:, 0].copy().reshape(1, n)
    dy = p[:, 1].copy().reshape(n, 1) - p[:, 1].copy().reshape(1, n)
    d = np.sqrt(dx * dx + dy * dy)
    qq = q.reshape(n, 1) * q.reshape(1, n)
    e = np.where(np.eye(n) > 0.5, 0.0, qq / d)
    return np.sum(e)


def masked_pair_distances_gradient(p, q):
    g, gq = np.zeros_like(p), np.zeros_like(q)
    for i in range(q.size):
        for j in range(q.size):
            if i != j:
                v = p[i] - p[j]
                d = np.sqrt(v @ v)
                g[i] -= 2 * q[i] * q[j] * v / d**3
                gq[i] += 2 * q[j] / d
    return g, gq


case(
    masked_pair_distances,
    "NaN from untaken branch: diagonal of a distance matrix masked",
    "jax-ml/jax#654",
    lambda r: (r.normal(size=(4, 2)) * 2, r.normal(size=4)),
    (0, 1),
    masked_pair_distances_gradient,
    level="hard",
    rtol=1e-8,
    fd_tol=1e-5,
)


def where_stable_sigmoid(x):
    y = np.where(x >= 0.0, 1.0 / (1.0 + np.exp(-x)), np.exp(x) / (1.0 + np.exp(x)))
    return np.sum(y)


def where_stable_sigmoid_gradient(x):
    e = np.exp(-np.abs(x))
    return (e / (1 + e) ** 2,)


case(
    where_stable_sigmoid,
    "NaN from untaken branch: overflow in the other side of np.where",
    "jeshraghian/snntorch#433",
    lambda r: (np.array([-800.0, -1.0, 0.5, 800.0]),),
    (0,),
    where_stable_sigmoid_gradient,
    level="hard",
)


def branch_stable_sigmoid(x):
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] >= 0.0:
            s += 1.0 / (1.0 + np.exp(-x[i]))
        else:
            t = np.exp(x[i])
            s += t / (1.0 + t)
    return s


case(
    branch_stable_sigmoid,
    "overflow: stable form chosen by a branch",
    "FederatedAI/FATE#65",
    lambda r: (np.array([-800.0, -1.0, 0.5, 800.0]),),
    (0,),
    where_stable_sigmoid_gradient,
)


def count_is_constant(x):
    c = 0
    for i in range(x.shape[0]):
        if x[i] > 3.0:
            c += 1
    return np.sum(x**3) / c


case(
    count_is_constant,
    "integer path: a count is a constant for the gradient",
    "FluxML/Zygote.jl#1597",
    lambda r: (np.arange(1.0, 10.0) + 0.1,),
    (0,),
    lambda x: (3 * x * x / (x > 3).sum(),),
)


def argmax_index(x, w):
    k = np.argmax(x)
    return x[k] * w[k] + x[0]


def argmax_index_gradient(x, w):
    g, h = np.zeros_like(x), np.zeros_like(x)
    k = np.argmax(x)
    g[k] = w[k]
    g[0] += 1
    h[k] = x[k]
    return g, h


case(
    argmax_index,
    "integer path: argmax used as an index",
    "pytorch/pytorch#37680",
    lambda r: (np.array([0.3, 1.9, -0.5]), r.normal(size=3)),
    (0, 1),
    argmax_index_gradient,
)


def integer_result(x):
    return np.argmax(x)


case(
    integer_result,
    "integer result: zeros or a clear error",
    "pytorch/pytorch#37680",
    lambda r: (np.array([0.3, 1.9, -0.5]),),
    (0,),
    expect="zero_or_error",
    error_words=("int", "float", "differentiable", "dtype"),
)


def float32_stays_float32(x, y):
    return np.sum(x * y * 2.0)


case(
    float32_stays_float32,
    "dtype: float32 argument gets a float32 gradient, float64 a float64 one",
    "jax-ml/jax#6638, elixir-nx/nx#253",
    lambda r: (r.normal(size=4).astype(np.float32), r.normal(size=4)),
    (0, 1),
    lambda x, y: (2 * y, 2.0 * x.astype(np.float64)),
    rtol=1e-6,
)
