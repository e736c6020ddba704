"""Second derivatives.

Each case: the program as a user writes it, its arguments, the expected gradient in closed form or by a
tangent recursion written by hand, and the public report that describes the situation.
"""

import numpy as np

from .case import case


def hessian_product_two_zeros(x):
    return np.prod(x)


def hessian_product_two_zeros_gradient(x):
    n = x.size
    H = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                H[i, j] = np.prod(np.delete(x, [i, j]))
    return H


case(
    hessian_product_two_zeros,
    "second derivative: product with two zeros",
    "pytorch/pytorch#106789",
    lambda r: (np.array([2.0, 3.0, 0.0, 0.0]),),
    (0,),
    hessian_product_two_zeros_gradient,
    order=2,
    level="hard",
)


def hessian_cumulative_product(x):
    return np.sum(np.cumprod(x) * np.arange(1.0, x.size + 1.0))


def hessian_cumulative_product_gradient(x):
    n = x.size
    H = np.zeros((n, n))
    for k in range(n):
        for i in range(k + 1):
            for j in range(k + 1):
                if i != j:
                    H[i, j] += (k + 1.0) * np.prod(np.delete(x[: k + 1], [i, j]))
    return H


case(
    hessian_cumulative_product,
    "second derivative: cumulative product through a zero",
    "pytorch/pytorch#196701",
    lambda r: (np.array([1.0, 0.0, 3.0, -2.0]),),
    (0,),
    hessian_cumulative_product_gradient,
    order=2,
    level="hard",
)


def hessian_gaussian_of_norm(x):
    d = np.linalg.norm(x)
    return np.exp(-d * d)


case(
    hessian_gaussian_of_norm,
    "second derivative: smooth function of a norm at 0",
    "pytorch/pytorch#92075",
    lambda r: (np.zeros(3),),
    (0,),
    lambda x: -2.0 * np.eye(3),
    order=2,
    level="hard",
)


def hessian_branch_series(x):
    t = x[0]
    if abs(t) < 1e-1:
        y = 1.0 + t / 2.0 + t * t / 6.0 + t * t * t / 24.0
    else:
        y = (np.exp(t) - 1.0) / t
    return y * x[1]


case(
    hessian_branch_series,
    "second derivative: series in one branch, quotient in the other",
    "chaobrain/saiunit#114",
    lambda r: (np.array([0.0, 1.7]),),
    (0,),
    lambda x: np.array([[x[1] / 3.0, 0.5], [0.5, 0.0]]),
    order=2,
)
