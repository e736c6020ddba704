"""Several names for one memory, and operands that overlap.

Each case: the program as a user writes it, its arguments, the expected gradient in closed form or by a
tangent recursion written by hand, and the public report that describes the situation.
"""

import numpy as np

from .case import case


def name_alias_then_branch(x):
    tot = 0.0
    for i in range(x.shape[0]):
        a = x[i]
        b = a
        if b > 0.0:
            b = a * a
        else:
            b = a * a * a
        tot += b + a
    return tot


case(
    name_alias_then_branch,
    "name alias: b = a, then b rebound in a branch",
    "NVIDIA/warp#202",
    lambda r: (np.array([-1.2, 2.0, 0.7, -0.4]),),
    (0,),
    lambda x: (np.where(x > 0, 2 * x, 3 * x * x) + 1.0,),
)


def chained_views(x):
    y = x.copy()
    row = y[0]
    head = row[:2]
    head *= 2.0
    y[1, 0] = head[0] * head[1]
    return np.sum(y * y)


def chained_views_gradient(x):
    g = 2 * x
    g[0, :2] = 8 * x[0, :2]
    g[1, 0] = 0.0
    g[0, 0] += 32 * x[0, 0] * x[0, 1] ** 2
    g[0, 1] += 32 * x[0, 1] * x[0, 0] ** 2
    return (g,)


case(
    chained_views,
    "aliasing: view of a view updated in place",
    "pytorch/pytorch#36608, pytorch/pytorch#49824",
    lambda r: (r.normal(size=(3, 3)),),
    (0,),
    chained_views_gradient,
)


def view_sees_later_base_write(x):
    y = x.copy()
    v = y[:3]
    y[0] = y[0] * y[3]
    y[1] += 2.0
    return v[0] * v[1] + v[2]


case(
    view_sees_later_base_write,
    "aliasing: base changed after the view was taken",
    "pytorch/pytorch#8874",
    lambda r: (r.normal(size=4),),
    (0,),
    lambda x: (np.array([x[3] * (x[1] + 2), x[0] * x[3], 1.0, x[0] * (x[1] + 2)]),),
)


def transposed_view_write(A, W):
    y = A.copy()
    t = y.T
    t[0, 1] = t[1, 1] * 2.0
    t[2] *= 3.0
    return np.sum(y * y * W)


def transposed_view_write_gradient(A, W):
    y = A.copy()
    y[1, 0] = 2 * A[1, 1]
    y[:, 2] *= 3
    b = 2 * y * W
    g = b.copy()
    g[:, 2] *= 3
    g[1, 0] = 0
    g[1, 1] += 2 * b[1, 0]
    return g, y * y


case(
    transposed_view_write,
    "aliasing: writes through a transposed view",
    "rsokl/MyGrad#318",
    lambda r: (r.normal(size=(3, 3)), r.normal(size=(3, 3))),
    (0, 1),
    transposed_view_write_gradient,
)


def reshaped_view_write(x):
    y = x.copy()
    z = y.reshape(2, 3)
    z[1, 0] = z[0, 2] * z[0, 0]
    z[:, 1] = 0.0
    return np.sum(y * y)


def reshaped_view_write_gradient(x):
    g = np.zeros(6)
    g[0] = 2 * x[0] * (1 + x[2] ** 2)
    g[2] = 2 * x[2] * (1 + x[0] ** 2)
    g[5] = 2 * x[5]
    return (g,)


case(
    reshaped_view_write,
    "aliasing: writes through a reshaped view, column set to a constant",
    "pytorch/pytorch#197887",
    lambda r: (r.normal(size=6),),
    (0,),
    reshaped_view_write_gradient,
)


def name_bound_to_one_of_two_arrays(x, w, flag):
    a = x.copy()
    b = w.copy()
    if flag > 0:
        t = a
    else:
        t = b
    t[0] = t[1] * a[2]
    t[1] += b[0]
    return np.sum(a * a * b)


def name_bound_to_one_of_two_arrays_gradient(x, w, flag):
    # flag > 0:  a = [x1 x2, x1 + w0, x2, ...], b = w
    a = x.copy()
    a[0], a[1] = x[1] * x[2], x[1] + w[0]
    ga = 2 * a * w
    gx = ga.copy()
    gx[0] = 0.0
    gx[1] += ga[0] * x[2]
    gx[2] += ga[0] * x[1]
    gw = a * a
    gw[0] += ga[1]
    return gx, gw


case(
    name_bound_to_one_of_two_arrays,
    "aliasing: which array a name means is decided by a branch",
    "EnzymeAD/Enzyme.jl#3124, NVIDIA/warp#202",
    lambda r: (r.normal(size=4), r.normal(size=4), 1),
    (0, 1),
    name_bound_to_one_of_two_arrays_gradient,
    level="hard",
)


def row_views_in_loop(A):
    y = A.copy()
    for i in range(y.shape[0]):
        row = y[i]
        row[0] = row[1] * row[2]
        row += row[0]
    return np.sum(y * y)


def row_views_in_loop_gradient(A):
    g = np.zeros_like(A)
    for i in range(A.shape[0]):
        a = A[i]
        p = a[1] * a[2]
        y = a + p
        y[0] = 2 * p
        b = 2 * y
        dp = 2 * b[0] + b[1:].sum()
        g[i] = b
        g[i, 0] = 0
        g[i, 1] += dp * a[2]
        g[i, 2] += dp * a[1]
    return (g,)


case(
    row_views_in_loop,
    "aliasing: row view taken on each pass, augmented by its own element",
    "numba/numba#5942, numpy/numpy#6673",
    lambda r: (r.normal(size=(3, 4)),),
    (0,),
    row_views_in_loop_gradient,
)


def overlapping_shift_assign(x, w):
    y = x.copy()
    y[1:] = y[:-1]
    y[1:] = y[:-1] * y[1:]
    return np.sum(w * y * y)


def overlapping_shift_assign_gradient(x, w):
    y1 = np.concatenate((x[:1], x[:-1]))
    y2 = y1.copy()
    y2[1:] = y1[:-1] * y1[1:]
    b = 2 * w * y2
    g1 = np.zeros_like(x)
    g1[0] = b[0]
    g1[:-1] += b[1:] * y1[1:]
    g1[1:] += b[1:] * y1[:-1]
    g = np.zeros_like(x)
    g[0] = g1[0]
    g[:-1] += g1[1:]
    return g, y2 * y2


case(
    overlapping_shift_assign,
    "overlap: a[1:] = a[:-1]",
    "numba/numba#230",
    lambda r: (r.normal(size=5), r.normal(size=5)),
    (0, 1),
    overlapping_shift_assign_gradient,
)


def overlapping_shift_augmented(x, w):
    y = x.copy()
    y[1:] += y[:-1]
    y *= 0.5
    return np.sum(w * y * y)


def overlapping_shift_augmented_gradient(x, w):
    y = x.copy()
    y[1:] += x[:-1]
    b = 0.25 * 2 * w * y
    g = b.copy()
    g[:-1] += b[1:]
    return g, 0.25 * y * y


case(
    overlapping_shift_augmented,
    "overlap: a[1:] += a[:-1] (Numba and NumPy disagree)",
    "nv-legate/cupynumeric#1110, numpy/numpy#1683",
    lambda r: (r.normal(size=5), r.normal(size=5)),
    (0, 1),
    overlapping_shift_augmented_gradient,
    expect="grad_or_error",
    njit_differs=True,
    level="hard",
    error_words=("overlap", "alias", "view", "support"),
    note="compiled code that follows NumPy must copy the right-hand side first",
)


def add_own_transpose(x):
    y = x.copy()
    y += y.T
    return np.sum(y * y * y)


case(
    add_own_transpose,
    "overlap: y += y.T (Numba and NumPy disagree)",
    "numba/numba#5739, numba/numba#6949",
    lambda r: (r.normal(size=(3, 3)),),
    (0,),
    lambda x: (6 * (x + x.T) ** 2,),
    expect="grad_or_error",
    njit_differs=True,
    level="hard",
    error_words=("overlap", "alias", "view", "transpose", "support"),
)


def same_array_twice_written_args(r):
    x = r.normal(size=4)
    return (x, x)


def same_array_twice_written(a, b):
    a[0] = a[0] * b[1]
    a[2] += b[0]
    return np.sum(a * b)


def same_array_twice_written_gradient(a, b):
    x = a
    y0 = x[0] * x[1]
    y = x.copy()
    y[0] = y0
    y[2] = x[2] + y0
    gy = 2 * y
    d0 = gy[0] + gy[2]
    t = gy.copy()
    t[0] = d0 * x[1]
    t[1] += d0 * x[0]
    return 0.5 * t, 0.5 * t


def same_array_twice_written_accept(grads, args):
    total = 2 * same_array_twice_written_gradient(*args)[0]
    return bool(np.allclose(np.asarray(grads[0]) + np.asarray(grads[1]), total, rtol=1e-9, atol=1e-11))


case(
    same_array_twice_written,
    "same array passed twice: written through one name",
    "EnzymeAD/Enzyme.jl#3124, numpy/numpy#8440",
    same_array_twice_written_args,
    (0, 1),
    same_array_twice_written_gradient,
    expect="grad_or_error",
    accept=same_array_twice_written_accept,
    mutates=(0, 1),
    fd="alias",
    level="hard",
    error_words=("alias", "same", "share", "overlap"),
    note="accepted: a clear error, or gradients whose SUM is the derivative of x -> f(x, x)",
)


def overlapping_views_of_one_base(base):
    x = base.copy()
    a = x[1:]
    b = x[:-1]
    for i in range(a.shape[0]):
        a[i] = a[i] * b[i]
    return np.sum(a) + b[0]


def overlapping_views_of_one_base_gradient(x):
    n = x.size
    return (np.array([sum(np.prod(np.delete(x[: k + 1], m)) for k in range(m, n)) for m in range(n)]),)


case(
    overlapping_views_of_one_base,
    "aliasing: two overlapping views, one written while the other is read",
    "NVIDIA/warp#1294, pytorch/pytorch#8874",
    lambda r: (r.uniform(0.5, 1.5, size=5),),
    (0,),
    overlapping_views_of_one_base_gradient,
)
