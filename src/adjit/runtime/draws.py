"""Draws of random numbers that generated programs make: each fills its array, element after element.

The numbers come from the global generator of NumPy (or of the module `random`) where programs run as plain
Python, and from Numba's own generators, one per thread, where they are compiled. `np.random.seed` in a
program seeds the one that the program draws from. `stream` is never touched: it states the order of draws.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .routines import routine


@routine
def draw_uniform(out: Any, stream: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.random()


@routine
def draw_normal(out: Any, stream: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.standard_normal()


@routine
def draw_exponential(out: Any, stream: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.standard_exponential()


@routine
def draw_laplace(out: Any, stream: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.laplace(0.0, 1.0)


@routine
def draw_logistic(out: Any, stream: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.logistic(0.0, 1.0)


@routine
def draw_gumbel(out: Any, stream: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.gumbel(0.0, 1.0)


@routine
def draw_cauchy(out: Any, stream: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.standard_cauchy()


@routine
def draw_gamma(out: Any, stream: Any, shape: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.standard_gamma(shape)


@routine
def draw_beta(out: Any, stream: Any, a: Any, b: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.beta(a, b)


@routine
def draw_chisquare(out: Any, stream: Any, df: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.chisquare(df)


@routine
def draw_student(out: Any, stream: Any, df: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.standard_t(df)


@routine
def draw_poisson(out: Any, stream: Any, lam: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.poisson(lam)


@routine
def draw_binomial(out: Any, stream: Any, n: Any, p: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.binomial(int(n), p)


@routine
def draw_geometric(out: Any, stream: Any, p: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.geometric(p)


@routine
def draw_integers(out: Any, stream: Any, low: Any, high: Any) -> None:
    for i in range(out.size):
        out.flat[i] = np.random.randint(low, high)


@routine
def draw_permutation(out: Any, stream: Any) -> None:
    out[:] = np.random.permutation(out.shape[0])


@routine
def draw_seed(stream: Any, seed: Any) -> None:
    np.random.seed(seed)


@routine
def draw_python_uniform(out: Any, stream: Any) -> None:
    for i in range(out.size):
        out.flat[i] = random.random()


@routine
def draw_python_normal(out: Any, stream: Any) -> None:
    for i in range(out.size):
        out.flat[i] = random.gauss(0.0, 1.0)


@routine
def draw_python_normalvariate(out: Any, stream: Any) -> None:
    for i in range(out.size):
        out.flat[i] = random.normalvariate(0.0, 1.0)


@routine
def draw_python_seed(stream: Any, seed: Any) -> None:
    random.seed(int(seed))
