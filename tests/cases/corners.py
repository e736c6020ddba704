"""Ties, kinks, sorting, zeros and infinities.

Each case: the program as a user writes it, its arguments, the expected gradient in closed form or by a
tangent recursion written by hand, and the public report that describes the situation.
"""

import itertools

import numpy as np

from .case import case


def segment_product_with_zero(x, ids, w):
    out = np.ones(w.shape[0])
    for i in range(x.shape[0]):
        out[ids[i]] *= x[i]
    return np.sum(w * out)


def segment_product_with_zero_gradient(x, ids, w):
    g = np.zeros_like(x)
    for i in range(x.size):
        m = (ids == ids[i]) & (np.arange(x.size) != i)
        g[i] = w[ids[i]] * np.prod(x[m])
    gw = np.array([np.prod(x[ids == k]) for k in range(w.size)])
    return g, gw


case(
    segment_product_with_zero,
    "product with zeros: repeated in-place multiply by index",
    "jax-ml/jax#9296",
    lambda r: (
        np.array([1.5, 0.0, -2.0, 0.7, 0.0, 0.0]),
        np.array([0, 0, 0, 1, 2, 2]),
        np.array([1.0, 2.0, 3.0]),
    ),
    (0, 2),
    segment_product_with_zero_gradient,
)


def squared_norm_at_zero(x):
    return np.linalg.norm(x) ** 2


case(
    squared_norm_at_zero,
    "norm at zero: squared norm is smooth, gradient 0 not NaN",
    "HIPS/autograd#586, HIPS/autograd#617, jax-ml/jax#21723, casadi/casadi#3898",
    lambda r: (np.zeros(3),),
    (0,),
    lambda x: (np.zeros(3),),
)


def norm_at_zero(x):
    return np.linalg.norm(x)


case(
    norm_at_zero,
    "norm at zero: any finite subgradient (convention: 0)",
    "HIPS/autograd#151, pytorch/pytorch#2421",
    lambda r: (np.zeros(3),),
    (0,),
    lambda x: (np.zeros(3),),
    expect="accept",
    accept=lambda g, a: bool(np.all(np.isfinite(g[0])) and np.linalg.norm(g[0]) <= 1 + 1e-12),
    convex=True,
)


def power_with_zero_base(a, b):
    return np.sum(a**b)


case(
    power_with_zero_base,
    "0 ** b: derivative by the exponent is 0, not NaN",
    "pytorch/pytorch#27134, seantalts/stanli#150",
    lambda r: (np.array([0.0, 2.0]), np.array([1.5, 3.0])),
    (0, 1),
    lambda a, b: (np.array([0.0, 12.0]), np.array([0.0, 8 * np.log(2.0)])),
    fd={0: "right", 1: "central"},
)


def power_with_zero_exponent(x, p):
    return np.sum(x**p)


case(
    power_with_zero_exponent,
    "0 ** 0: derivative by the base is 0",
    "pytorch/pytorch#8945, RobotLocomotion/drake#23862",
    lambda r: (np.zeros(3), np.array([0.0, 1.0, 2.0])),
    (0,),
    lambda x, p: (np.array([0.0, 1.0, 0.0]),),
    fd={0: "right"},
)


def product_with_one_zero(x):
    return np.prod(x)


case(
    product_with_one_zero,
    "product with zeros: one zero",
    "tinygrad/tinygrad#17404, pytorch/pytorch#82644",
    lambda r: (np.array([2.0, 0.0, 3.0, -1.5]),),
    (0,),
    lambda x: (np.array([0.0, -9.0, 0.0, 0.0]),),
)


def product_with_two_zeros(x):
    return np.prod(x) + np.prod(x[:2])


case(
    product_with_two_zeros,
    "product with zeros: two zeros, zero gradient without NaN",
    "pytorch/pytorch#106789",
    lambda r: (np.array([2.0, 0.0, 0.0, 3.0]),),
    (0,),
    lambda x: (np.array([0.0, 2.0, 0.0, 0.0]),),
)


def maximum_of_doubled_array(x):
    y = np.concatenate((x, x))
    return np.max(y) * 3.0


case(
    maximum_of_doubled_array,
    "ties: the same number twice, total must be exact",
    "HIPS/autograd#141",
    lambda r: (np.array([0.4, 1.9, -0.3]),),
    (0,),
    lambda x: (np.array([0.0, 3.0, 0.0]),),
)


def sorted_squares_with_ties(x):
    y = np.sort(x)
    return np.sum(y * y * y)


case(
    sorted_squares_with_ties,
    "ties: sort, symmetric function, exact gradient",
    "pytorch/pytorch#185543",
    lambda r: (np.array([1.0, -0.5, 1.0, 2.0, -0.5]),),
    (0,),
    lambda x: (3 * x * x,),
)


def weighted_sort(x, w):
    y = np.sort(x)
    return np.dot(w, y) + y[0] * y[-1]


def weighted_sort_gradient(x, w):
    o = np.argsort(x)
    y = x[o]
    b = w.copy()
    b[0] += y[-1]
    b[-1] += y[0]
    g = np.empty_like(x)
    g[o] = b
    return g, y


case(
    weighted_sort,
    "sort: gradient goes back through the permutation",
    "elixir-nx/nx#450",
    lambda r: (r.normal(size=6), r.normal(size=6)),
    (0, 1),
    weighted_sort_gradient,
)


def median_of_even_count(x):
    return np.median(x) ** 2


def median_of_even_count_gradient(x):
    o = np.argsort(x)
    m = (x[o[1]] + x[o[2]]) / 2
    g = np.zeros(4)
    g[o[1]] = g[o[2]] = m
    return (g,)


case(
    median_of_even_count,
    "sort: median of an even count",
    "pytorch/pytorch#185543",
    lambda r: (np.array([3.0, 0.5, 1.25, -2.0]),),
    (0,),
    median_of_even_count_gradient,
)


def clip_on_the_boundary(x):
    return np.sum(np.minimum(np.maximum(x, 0.0), 1.0))


case(
    clip_on_the_boundary,
    "kink: clip exactly at a bound (between 0 and 1), exact elsewhere",
    "pytorch/pytorch#7002, pytorch/pytorch#184574",
    lambda r: (np.array([0.0, 0.5, 1.0, 2.0, -1.0]),),
    (0,),
    lambda x: (np.array([1.0, 1.0, 1.0, 0.0, 0.0]),),
    expect="accept",
    accept=lambda g, a: bool(
        np.all(g[0][[1]] == 1) and np.all(g[0][[3, 4]] == 0) and np.all((g[0] >= 0) & (g[0] <= 1))
    ),
)


def ramp_at_zero(x):
    return np.sum(np.maximum(x, 0.0) * 2.0) + np.sum(np.abs(x))


case(
    ramp_at_zero,
    "kink: max(x, 0) and |x| at 0 (finite subgradient), exact elsewhere",
    "Theano/Theano#3210",
    lambda r: (np.array([0.0, 1.0, -1.0]),),
    (0,),
    lambda x: (np.array([0.0, 3.0, -1.0]),),
    expect="accept",
    convex=True,
    accept=lambda g, a: bool(abs(g[0][1] - 3) < 1e-12 and abs(g[0][2] + 1) < 1e-12 and -1 <= g[0][0] <= 3),
)


def sinc_at_zero(x):
    return np.sum(np.sinc(x) * np.array([1.0, 2.0, 3.0]))


def sinc_derivative(x):
    x = np.asarray(x, dtype=float)
    t = np.pi * x
    s = np.where(np.abs(x) < 0.02, -np.pi * t / 3 * (1 - t * t / 10 * (1 - t * t / 28)), 0.0)
    xs = np.where(np.abs(x) < 0.02, 1.0, x)
    return np.where(np.abs(x) < 0.02, s, (np.cos(np.pi * xs) - np.sin(np.pi * xs) / (np.pi * xs)) / xs)


case(
    sinc_at_zero,
    "removable singularity: np.sinc at 0",
    "jax-ml/jax#1722",
    lambda r: (np.array([0.0, 0.4, -1.3]),),
    (0,),
    lambda x: (sinc_derivative(x) * np.array([1.0, 2.0, 3.0]),),
)


def log_space_forward_pass(logp, logT, n):
    k = logT.shape[0]
    alpha = np.full(k, -np.inf)
    alpha[0] = logp[0, 0]
    for t in range(1, n):
        new = np.full(k, -np.inf)
        for j in range(k):
            acc = -np.inf
            for i in range(k):
                acc = np.logaddexp(acc, alpha[i] + logT[i, j])
            new[j] = acc + logp[t, j]
        alpha = new
    out = -np.inf
    for j in range(k):
        out = np.logaddexp(out, alpha[j])
    return out


def log_space_forward_pass_gradient(logp, logT, n):
    k = logT.shape[0]
    g, h, tot = np.zeros_like(logp), np.zeros_like(logT), 0.0
    for path in itertools.product(range(k), repeat=n - 1):
        p = (0,) + path
        w = sum(logp[t, p[t]] for t in range(n)) + sum(logT[a, b] for a, b in zip(p, p[1:]))
        w = np.exp(w)
        tot += w
        if w > 0:
            for t in range(n):
                g[t, p[t]] += w
            for a, b in zip(p, p[1:]):
                h[a, b] += w
    return g / tot, h / tot


def log_space_forward_pass_args(r, floor=-np.inf):
    T = np.log(r.uniform(0.2, 1.0, size=(3, 3)))
    T[0, 2] = T[1, 0] = T[2, 0] = floor
    return (np.log(r.uniform(0.1, 1.0, size=(5, 3))), T, 4)


case(
    log_space_forward_pass,
    "infinity: log-space recursion starting from -inf with forbidden moves",
    "pytorch/pytorch#31829",
    log_space_forward_pass_args,
    (0, 1),
    log_space_forward_pass_gradient,
    level="hard",
    fd_args=lambda r: log_space_forward_pass_args(r, -80.0),
)
