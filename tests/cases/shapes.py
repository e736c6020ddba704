"""Broadcasting, reductions, odd shapes and arguments without influence.

Each case: the program as a user writes it, its arguments, the expected gradient in closed form or by a
tangent recursion written by hand, and the public report that describes the situation.
"""

import numpy as np

from .case import case


def size_one_operands(a, b, c):
    return np.sum(a * b * c) + np.sum(a)


case(
    size_one_operands,
    "broadcast: size-one arrays of ranks 1 and 2",
    "pytorch/pytorch#1787, tenstorrent/tt-metal#40008",
    lambda r: (r.normal(size=1), r.normal(size=(5, 4)), r.normal(size=(1, 1))),
    (0, 1, 2),
    lambda a, b, c: (b.sum() * c[0] + 1.0, a * np.ones_like(b) * c, np.reshape(a * b.sum(), (1, 1))),
)


def size_one_contraction(x, y):
    return np.sum(x * y)


case(
    size_one_contraction,
    "broadcast: contraction with a length-one vector",
    "HIPS/autograd#376",
    lambda r: (r.normal(size=3), r.normal(size=1)),
    (0, 1),
    lambda x, y: (np.full(3, y[0]), np.array([x.sum()])),
)


def broadcast_to_rows(x, w):
    y = np.broadcast_to(x, (4, 3))
    return np.sum(w * y * y)


case(
    broadcast_to_rows,
    "broadcast: np.broadcast_to",
    "HIPS/autograd#384",
    lambda r: (r.normal(size=3), r.normal(size=(4, 3))),
    (0, 1),
    lambda x, w: (2 * x * w.sum(axis=0), np.tile(x * x, (4, 1))),
)


def mean_is_one_over_n(x):
    return np.mean(x * x)


case(
    mean_is_one_over_n,
    "reduction: mean of everything divides by the count",
    "pytorch/pytorch#28993",
    lambda r: (r.normal(size=(2, 3)),),
    (0,),
    lambda x: (2 * x / x.size,),
)


def max_plus_self(x):
    y = np.max(x) + x
    return np.sum(y * y)


def max_plus_self_gradient(x):
    y = x.max() + x
    g = 2 * y
    g[np.argmax(x)] += 2 * y.sum()
    return (g,)


case(
    max_plus_self,
    "reduction: reduced value and the array itself both used",
    "NervanaSystems/neon#170, spcl/dace#2164",
    lambda r: (r.normal(size=5),),
    (0,),
    max_plus_self_gradient,
)


def scaled_by_maximum(x, w):
    m = np.max(x)
    y = x / m
    return np.sum(y * w)


def scaled_by_maximum_gradient(x, w):
    m = x.max()
    g = w / m
    g[np.argmax(x)] -= (x * w).sum() / m**2
    return g, x / m


case(
    scaled_by_maximum,
    "reduction: gradient buffer of a reduced array accumulates, not overwrites",
    "spcl/dace#2164",
    lambda r: (r.uniform(0.5, 2.0, size=5), r.normal(size=5)),
    (0, 1),
    scaled_by_maximum_gradient,
)


def zero_d_array_input(s, x):
    return np.sum(s * x * x)


case(
    zero_d_array_input,
    "scalar shapes: 0-d array argument gives a 0-d gradient",
    "raskr/rust-autograd#38, rsokl/MyGrad#373",
    lambda r: (np.array(1.7), r.normal(size=4)),
    (0, 1),
    lambda s, x: (np.array((x * x).sum()), 2 * s * x),
)


def empty_cumsum(x, s):
    y = np.cumsum(x * s)
    t = s
    for i in range(y.shape[0]):
        t += y[i]
    return t * s


case(
    empty_cumsum,
    "zero-size: cumulative sum and loop over an empty array",
    "pytorch/pytorch#31515, pytorch/pytorch#31782",
    lambda r: (np.zeros(0), 1.3),
    (0, 1),
    lambda x, s: (np.zeros(0), 2 * s),
)


def leading_axis_of_one_assign(x):
    b = np.zeros((1, 3))
    b[:] = x
    return np.sum(b * b)


case(
    leading_axis_of_one_assign,
    "broadcast: assignment adds a leading axis of length one",
    "pymc-devs/pytensor#266",
    lambda r: (r.normal(size=3),),
    (0,),
    lambda x: (2 * x,),
)


def scalar_fills_slice(s, w):
    y = np.ones(5)
    y[1:4] = s
    y[2] = s * s
    return np.sum(w * y)


case(
    scalar_fills_slice,
    "broadcast: scalar assigned to a slice, one element overwritten",
    "EnzymeAD/Enzyme.jl#3378",
    lambda r: (0.8, r.normal(size=5)),
    (0, 1),
    lambda s, w: (float(w[1] + w[3] + 2 * s * w[2]), np.array([1, s, s * s, s, 1.0])),
)


def row_result_from_broadcast(x, m):
    out = np.empty((x.shape[0], x.shape[1], m.shape[0]))
    for i in range(x.shape[0]):
        out[i] = x[i].copy().reshape(x.shape[1], 1) * m.reshape(1, m.shape[0])
    return np.sum(out * out)


case(
    row_result_from_broadcast,
    "broadcast: column times row assigned to one slab per pass",
    "numba/numba#8683",
    lambda r: (r.normal(size=(3, 4)), r.normal(size=5)),
    (0, 1),
    lambda x, m: (2 * x * (m * m).sum(), 2 * m * (x * x).sum()),
)


def unused_argument(a, x, unused, k):
    return a * x * x


case(
    unused_argument,
    "unused argument: zero gradient of the right shape",
    "pytorch/pytorch#44189, pytorch/functorch#5",
    lambda r: (1.2, 0.7, r.normal(size=(2, 3)), 3),
    (0, 1, 2),
    lambda a, x, u, k: (x * x, 2 * a * x, np.zeros_like(u)),
)


def variance_of_one_number(x):
    return np.var(x) + x[0]


case(
    variance_of_one_number,
    "single element: variance of one number",
    "FluxML/Flux.jl#2096, pytorch/pytorch#4320",
    lambda r: (np.array([1.7]),),
    (0,),
    lambda x: (np.ones(1),),
)
