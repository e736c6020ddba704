"""Writes into arguments and work arrays.

Each case: the program as a user writes it, its arguments, the expected gradient in closed form or by a
tangent recursion written by hand, and the public report that describes the situation.
"""

import numpy as np

from .case import by_id, case


def inner_loop_accumulates_element(x, y):
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            x[i] += y[j] * y[j]
    return np.sum(x * x)


def inner_loop_accumulates_element_gradient(x, y):
    t = x + (y * y).sum()
    return 2 * t, 4 * y * t.sum()


case(
    inner_loop_accumulates_element,
    "in-place on argument: element accumulated in an inner loop",
    "taichi-dev/taichi#8356",
    lambda r: (r.normal(size=5), r.normal(size=3)),
    (0, 1),
    inner_loop_accumulates_element_gradient,
    mutates=(0,),
)


def self_read_write_element(x, theta):
    x[0] = np.cos(theta) * x[0]
    x[1] = x[0] * x[1]
    return x[0] + x[1]


case(
    self_read_write_element,
    "in-place on argument: element read and overwritten in one statement",
    "taichi-dev/taichi#2505, NVIDIA/warp#1294",
    lambda r: (r.normal(size=2), 0.7),
    (0, 1),
    lambda x, t: (
        np.array([np.cos(t) * (1 + x[1]), np.cos(t) * x[0]]),
        float(-np.sin(t) * x[0] * (1 + x[1])),
    ),
    mutates=(0,),
)


def mutated_argument_returned(x):
    x *= 2.0
    x[0] = x[1] * x[2]
    return x


def mutated_argument_returned_gradient(x):
    s = by_id("mutated_argument_returned").make_seed()
    g = 2 * s
    g[0] = 0.0
    g[1] += s[0] * 4 * x[2]
    g[2] += s[0] * 4 * x[1]
    return (g,)


case(
    mutated_argument_returned,
    "in-place on argument: the overwritten argument itself is returned",
    "pytorch/xla#1718",
    lambda r: (r.normal(size=4),),
    (0,),
    mutated_argument_returned_gradient,
    seed=lambda r: r.normal(size=4),
    mutates=(0,),
)


def scratch_buffer_argument(beta, X, y, buf):
    buf[:] = np.dot(X, beta)
    buf[:] = y - buf
    return 0.5 * np.sum(buf * buf)


case(
    scratch_buffer_argument,
    "buffer: work array passed in, not differentiated, carries the chain",
    "EnzymeAD/Enzyme.jl#1340",
    lambda r: (r.normal(size=3), r.normal(size=(6, 3)), r.normal(size=6), np.zeros(6)),
    (0,),
    lambda b, X, y, buf: (-X.T @ (y - X @ b),),
    mutates=(3,),
)


def buffer_reused_each_pass(x):
    v = np.empty(3)
    tot = 0.0
    for i in range(x.shape[0]):
        v[0] = x[i]
        v[1] = x[i] * x[i]
        v[2] = np.sin(x[i])
        tot += np.sqrt(np.sum(v * v))
    return tot


case(
    buffer_reused_each_pass,
    "buffer: one work array refilled on every pass",
    "numba/numba#8184",
    lambda r: (r.uniform(0.3, 2.0, size=4),),
    (0,),
    lambda x: ((x + 2 * x**3 + np.sin(x) * np.cos(x)) / np.sqrt(x**2 + x**4 + np.sin(x) ** 2),),
)


def block_assignment(A, s, W):
    B = np.zeros((4, 4))
    B[:2, :2] = A
    B[2:, 2:] = A.T
    B[3, 3] = s * s
    return np.sum(B * B * W)


def block_assignment_gradient(A, s, W):
    B = np.zeros((4, 4))
    B[:2, :2] = A
    B[2:, 2:] = A.T
    B[3, 3] = s * s
    b = 2 * B * W
    bb = b[2:, 2:].copy()
    bb[1, 1] = 0
    return b[:2, :2] + bb.T, float(b[3, 3] * 2 * s), B * B


case(
    block_assignment,
    "in-place: matrix blocks assigned, one entry overwritten",
    "HIPS/autograd#58, HIPS/autograd#515",
    lambda r: (r.normal(size=(2, 2)), 0.8, r.normal(size=(4, 4))),
    (0, 1, 2),
    block_assignment_gradient,
)
