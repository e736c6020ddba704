"""Slices, layouts, index arrays, and arrays built from pieces.

Each case: the program as a user writes it, its arguments, the expected gradient in closed form or by a
tangent recursion written by hand, and the public report that describes the situation.
"""

import numpy as np

from .case import by_id, case


def duplicate_scatter_last_wins(y0, v, idx, w):
    y = y0.copy()
    y[idx] = v
    return np.sum(w * y * y)


def duplicate_scatter_last_wins_gradient(y0, v, idx, w):
    last = {int(k): p for p, k in enumerate(idx)}
    gy, gv = 2 * w * y0, np.zeros_like(v)
    for k, p in last.items():
        gy[k] = 0
        gv[p] = 2 * w[k] * v[p]
    return gy, gv


case(
    duplicate_scatter_last_wins,
    "duplicate indices: y[idx] = v keeps the last value only",
    "HIPS/autograd#263, Theano/Theano#2331",
    lambda r: (r.normal(size=5), r.normal(size=4), np.array([1, 3, 1, 4]), r.normal(size=5)),
    (0, 1),
    duplicate_scatter_last_wins_gradient,
)


def duplicate_augmented_scatter(y0, v, idx, w):
    y = y0.copy()
    y[idx] += v
    return np.sum(w * y * y)


def duplicate_augmented_scatter_gradient(y0, v, idx, w):
    last = {int(k): p for p, k in enumerate(idx)}
    y, gv = y0.copy(), np.zeros_like(v)
    for k, p in last.items():
        y[k] += v[p]
        gv[p] = 2 * w[k] * y[k]
    return 2 * w * y, gv


case(
    duplicate_augmented_scatter,
    "duplicate indices: y[idx] += v does not accumulate in NumPy",
    "HIPS/autograd#136, pytorch/pytorch#3844",
    lambda r: (r.normal(size=5), r.normal(size=4), np.array([1, 3, 1, 4]), r.normal(size=5)),
    (0, 1),
    duplicate_augmented_scatter_gradient,
)


def boolean_mask_set_and_get(x):
    m = x > 0.3
    z = x[m]
    y = x.copy()
    y[m] = 0.5
    return np.sum(y * y) + np.sum(z**3)


case(
    boolean_mask_set_and_get,
    "boolean mask: masked store and masked read",
    "aesara-devs/aesara#105",
    lambda r: (np.array([0.9, -0.4, 0.1, 1.3, -1.0]),),
    (0,),
    lambda x: (np.where(x > 0.3, 3 * x * x, 2 * x),),
)


def slice_of_slice(x):
    return x[1:][-1] ** 2 + np.sum(x[2:][:-1] ** 3)


def slice_of_slice_gradient(x):
    g = np.zeros_like(x)
    g[-1] = 2 * x[-1]
    g[2:-1] += 3 * x[2:-1] ** 2
    return (g,)


case(
    slice_of_slice,
    "slices: slice of a slice, last element",
    "pymc-devs/pytensor#1292",
    lambda r: (r.normal(size=6),),
    (0,),
    slice_of_slice_gradient,
)


def slice_gradient_has_full_size(x):
    return np.sum(x[1:3, 2] ** 2)


def slice_gradient_has_full_size_gradient(x):
    g = np.zeros_like(x)
    g[1:3, 2] = 2 * x[1:3, 2]
    return (g,)


case(
    slice_gradient_has_full_size,
    "slices: gradient has the size of the whole array",
    "joelgrus/autograd#2",
    lambda r: (r.normal(size=(4, 3)),),
    (0,),
    slice_gradient_has_full_size_gradient,
)


def dot_of_columns(A):
    return np.dot(A[:, 0], A[:, 2]) + np.sum(np.dot(A.T, A[:, 1]))


def dot_of_columns_gradient(A):
    g = np.zeros_like(A)
    g[:, 0] += A[:, 2]
    g[:, 2] += A[:, 0]
    g += A[:, 1][:, None]
    g[:, 1] += A.sum(axis=1)
    return (g,)


case(
    dot_of_columns,
    "non-contiguous: np.dot on columns and on a transpose",
    "TRIQS/nda#52, pytorch/pytorch#30303",
    lambda r: (r.normal(size=(4, 3)),),
    (0,),
    dot_of_columns_gradient,
)


def stride_zero_input(x, w):
    y = np.dot(x.copy(), w)
    return np.sum(y * y)


case(
    stride_zero_input,
    "non-contiguous input: read-only array with stride 0",
    "pytorch/pytorch#30303",
    lambda r: (np.broadcast_to(r.normal(size=2), (3, 2)), r.normal(size=2)),
    (0, 1),
    lambda x, w: (2 * np.outer(x @ w, w), 2 * x.T @ (x @ w)),
    note="each entry counts as its own variable",
)


def shape_unpacking(A):
    rows, cols = A.shape
    feats = np.zeros((4, rows))
    for i in range(rows):
        feats[0, i] = A[i, 0] ** 2
        feats[3, i] = A[i, cols - 1] * A[i, 0]
    return feats


def shape_unpacking_gradient(A):
    s = by_id("shape_unpacking").make_seed()
    g = np.zeros_like(A)
    g[:, 0] = 2 * A[:, 0] * s[0] + s[3] * A[:, -1]
    g[:, -1] += s[3] * A[:, 0]
    return (g,)


case(
    shape_unpacking,
    "array result: shape unpacked into names",
    "google/tangent#19",
    lambda r: (r.normal(size=(3, 2)),),
    (0,),
    shape_unpacking_gradient,
    seed=lambda r: r.normal(size=(4, 3)),
)


def array_from_scalars(x):
    v = np.array([x[0] * x[1], x[1] ** 2, 3.0])
    return np.dot(v, v)


case(
    array_from_scalars,
    "construction: np.array of scalar expressions",
    "google/tangent#28",
    lambda r: (r.normal(size=2),),
    (0,),
    lambda x: (np.array([2 * x[0] * x[1] ** 2, 2 * x[1] * x[0] ** 2 + 4 * x[1] ** 3]),),
)


def list_append(x):
    acc = [0.0]
    for i in range(x.shape[0]):
        acc.append(x[i] * acc[i] + x[i])
    return acc[-1] * acc[1]


def list_append_gradient(x):
    a, d = 0.0, np.zeros_like(x)
    first = None
    for i in range(x.size):
        nd = d * x[i]
        nd[i] += a + 1
        a, d = x[i] * a + x[i], nd
        if first is None:
            first = (a, d.copy())
    return (d * first[0] + a * first[1],)


case(
    list_append,
    "construction: values appended to a list in a loop",
    "EnzymeAD/Enzyme.jl#2209",
    lambda r: (r.normal(size=4),),
    (0,),
    list_append_gradient,
    expect="grad_or_error",
    error_words=("list", "append", "support"),
)


def append_scalar(x):
    y = np.append(x, 4.0)
    return np.sum(y * y) + y[-1] * y[0]


def append_scalar_gradient(x):
    g = 2 * x
    g[0] += 4.0
    return (g,)


case(
    append_scalar,
    "construction: np.append of a constant",
    "HIPS/autograd#331",
    lambda r: (r.normal(size=3),),
    (0,),
    append_scalar_gradient,
    expect="grad_or_error",
    error_words=("append", "support"),
)
