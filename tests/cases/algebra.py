"""Linear algebra.

Each case: the program as a user writes it, its arguments, the expected gradient in closed form or by a
tangent recursion written by hand, and the public report that describes the situation.
"""

import numpy as np

from .case import case


def solve_then_dot(A, B):
    X = np.linalg.solve(A, B)
    return np.sum(np.dot(X.T, X))


def solve_then_dot_gradient(A, B):
    X = np.linalg.solve(A, B)
    G = np.linalg.solve(A.T, 2 * X @ np.ones((B.shape[1],) * 2))
    return -G @ X.T, G


case(
    solve_then_dot,
    "linear algebra: solve (result in Fortran order) feeding a product",
    "numba/numba#6998",
    lambda r: (np.asfortranarray(r.normal(size=(3, 3)) + 3 * np.eye(3)), r.normal(size=(3, 2))),
    (0, 1),
    solve_then_dot_gradient,
    rtol=1e-8,
)


def vector_dot_of_rows(x, y):
    return np.dot(x[0, :], y[0, :]) * np.dot(x[1, :], x[1, :])


def vector_dot_of_rows_gradient(x, y):
    d, q = x[0] @ y[0], x[1] @ x[1]
    return np.array([y[0] * q, 2 * x[1] * d]), np.array([x[0] * q, 0 * x[0]])


case(
    vector_dot_of_rows,
    "linear algebra: 1-d dot of matrix rows",
    "google/tangent#59, google/tangent#62",
    lambda r: (r.normal(size=(2, 3)), r.normal(size=(2, 3))),
    (0, 1),
    vector_dot_of_rows_gradient,
)


def determinant_rank_deficient(A):
    return np.linalg.det(A)


def cofactors(A):
    n = A.shape[0]
    C = np.zeros_like(A)
    for i in range(n):
        for j in range(n):
            C[i, j] = (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(A, i, 0), j, 1))
    return (C,)


case(
    determinant_rank_deficient,
    "singular matrix: determinant of a rank n-1 matrix",
    "tensorflow/tensorflow#119477, pytorch/pytorch#104675",
    lambda r: (np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),),
    (0,),
    cofactors,
    level="hard",
    rtol=1e-7,
)


def determinant_of_zero_matrix(A):
    return np.linalg.det(A)


case(
    determinant_of_zero_matrix,
    "singular matrix: determinant of the zero matrix",
    "HIPS/autograd#549",
    lambda r: (np.zeros((4, 4)),),
    (0,),
    lambda A: (np.zeros((4, 4)),),
    level="hard",
)


def sign_times_logdet(A):
    s, ld = np.linalg.slogdet(A)
    return s * ld


case(
    sign_times_logdet,
    "linear algebra: slogdet with the sign used (its gradient is 0)",
    "pytorch/pytorch#15605",
    lambda r: (np.array([[1.0, 2.0, 0.5], [3.0, -1.0, 0.3], [0.2, 0.4, 2.0]]),),
    (0,),
    lambda A: (np.linalg.slogdet(A)[0] * np.linalg.inv(A).T,),
)


def trace_of_inverse_by_cholesky_args(r):
    B = r.normal(size=(3, 3))
    return (B @ B.T + 2 * np.eye(3),)


def trace_of_inverse_by_cholesky(A):
    S = 0.5 * (A + A.T)
    L = np.linalg.cholesky(S)
    K = np.linalg.inv(L)
    return np.sum(K * K)


case(
    trace_of_inverse_by_cholesky,
    "linear algebra: inverse of a Cholesky factor",
    "Theano/Theano#2066",
    trace_of_inverse_by_cholesky_args,
    (0,),
    lambda A: (-np.linalg.inv(A) @ np.linalg.inv(A),),
    rtol=1e-8,
)


def equal_eigenvalues(A):
    w, v = np.linalg.eigh((A + A.T) / 2.0)
    return np.sum(w * w)


case(
    equal_eigenvalues,
    "degenerate spectrum: symmetric function of equal eigenvalues",
    "jax-ml/jax#669",
    lambda r: (np.diag([1.0, 1.0, 3.0]),),
    (0,),
    lambda A: (A + A.T,),
    level="hard",
)


def simple_eigenvector_beside_equal_pair(A, a):
    w, v = np.linalg.eigh((A + A.T) / 2.0)
    top = v[:, 2]
    s = 0.0
    for i in range(a.shape[0]):
        s += top[i] * a[i]
    return s * s


def simple_eigenvector_beside_equal_pair_gradient(A, a):
    w, v = np.linalg.eigh((A + A.T) / 2)
    t = v[:, 2]
    G = 2 * (t @ a) * np.outer(np.linalg.pinv(w[2] * np.eye(3) - (A + A.T) / 2, rcond=1e-10) @ a, t)
    return ((G + G.T) / 2,)


case(
    simple_eigenvector_beside_equal_pair,
    "degenerate spectrum: simple eigenvector, the other two eigenvalues equal",
    "jax-ml/jax#4646",
    lambda r: (np.diag([1.0, 1.0, 4.0]) + 0.0, r.normal(size=3)),
    (0,),
    simple_eigenvector_beside_equal_pair_gradient,
    level="hard",
    rtol=1e-7,
    fd_tol=1e-6,
)
