"""Remedies of refused functions and arguments: they are told, and what they say to write is right."""

from __future__ import annotations

import itertools
import logging
import random
import statistics
import time
import warnings

import numba
import numpy as np
import pytest
from scipy import linalg, ndimage, optimize, sparse, special, stats
from scipy.spatial import distance

import adjit
from adjit.compiler.frontend.arrays.names import name_of
from adjit.compiler.frontend.arrays.remedies import ARGUMENTS, FUNCTIONS

X = np.array([0.3, 0.9, 0.1, 0.5, 0.7])
LOC, SCALE = 0.2, 1.5
ONES = np.full(5, 0.2)
MATRIX = sparse.csr_array(np.eye(5))


@numba.stencil
def neighbours(a):
    return a[-1] + a[1]


# the function as it is refused, what its remedy has to mention, and the remedy written out
FORMULAS = {
    "cdf": (
        lambda x: np.sum(stats.norm.cdf(x, LOC, SCALE)),
        "scipy.special.ndtr((x - loc) / scale)",
        lambda x: np.sum(special.ndtr((x - LOC) / SCALE)),
    ),
    "sf": (
        lambda x: np.sum(stats.norm.sf(x, LOC, SCALE)),
        "scipy.special.ndtr((loc - x) / scale)",
        lambda x: np.sum(special.ndtr((LOC - x) / SCALE)),
    ),
    "logcdf": (
        lambda x: np.sum(stats.norm.logcdf(x, LOC, SCALE)),
        "scipy.special.log_ndtr((x - loc) / scale)",
        lambda x: np.sum(special.log_ndtr((x - LOC) / SCALE)),
    ),
    "logsf": (
        lambda x: np.sum(stats.norm.logsf(x, LOC, SCALE)),
        "scipy.special.log_ndtr((loc - x) / scale)",
        lambda x: np.sum(special.log_ndtr((LOC - x) / SCALE)),
    ),
    "ppf": (
        lambda x: np.sum(stats.norm.ppf(x, LOC, SCALE)),
        "loc + scale * scipy.special.ndtri(q)",
        lambda x: np.sum(LOC + SCALE * special.ndtri(x)),
    ),
    "pdf": (
        lambda x: np.sum(stats.norm.pdf(x, LOC, SCALE)),
        "np.exp(-0.5 * ((x - loc) / scale) ** 2) / (scale * np.sqrt(2.0 * np.pi))",
        lambda x: np.sum(np.exp(-0.5 * ((x - LOC) / SCALE) ** 2) / (SCALE * np.sqrt(2.0 * np.pi))),
    ),
    "logpdf": (
        lambda x: np.sum(stats.norm.logpdf(x, LOC, SCALE)),
        "-0.5 * ((x - loc) / scale) ** 2 - np.log(scale * np.sqrt(2.0 * np.pi))",
        lambda x: np.sum(-0.5 * ((x - LOC) / SCALE) ** 2 - np.log(SCALE * np.sqrt(2.0 * np.pi))),
    ),
    "piecewise": (
        lambda x: np.sum(np.piecewise(x, [x < 0.4, x >= 0.4], [lambda t: -t, lambda t: t * t])),
        "np.where(test, a, b)",
        lambda x: np.sum(np.where(x < 0.4, -x, x * x)),
    ),
    "partition": (
        lambda x: np.sum(np.partition(x, 1)[:2] ** 2),
        "np.sort",
        lambda x: np.sum(np.sort(x)[:2] ** 2),
    ),
    "polyfit": (
        lambda x: np.sum(np.polyfit(ONES.cumsum(), x, 1)),
        "np.linalg.lstsq(np.vander(x, degree + 1), y)[0]",
        lambda x: np.sum(np.linalg.lstsq(np.vander(ONES.cumsum(), 2), x)[0]),
    ),
    "combinations": (
        lambda x: sum(x[i] * x[j] for i, j in itertools.combinations(range(5), 2)),
        "for i in range(n): for j in range(i + 1, n)",
        lambda x: sum(x[i] * x[j] for i in range(5) for j in range(i + 1, 5)),
    ),
    "statistics": (
        lambda x: statistics.stdev(x),
        "np.std(x, ddof=1)",
        lambda x: np.std(x, ddof=1),
    ),
    "i0": (
        lambda x: np.sum(np.i0(x)),
        "scipy.special.i0(x)",
        lambda x: np.sum(special.i0(x)),
    ),
    "nanmedian": (
        lambda x: np.nanmedian(x),
        "np.median(x[~np.isnan(x)])",
        lambda x: np.median(x[~np.isnan(x)]),
    ),
    "frexp": (
        lambda x: np.sum(np.frexp(1.1 * x)[0]),
        "e = np.floor(np.log2(np.abs(x))) + 1.0, and x / 2.0**e",
        lambda x: np.sum(1.1 * x / 2.0 ** (np.floor(np.log2(np.abs(1.1 * x))) + 1.0)),
    ),
    "polyval": (
        lambda x: np.polynomial.polynomial.polyval(1.5, x),
        "np.polyval(c[::-1], x)",
        lambda x: np.polyval(x[::-1], 1.5),
    ),
    "unravel_index": (
        lambda x: x[np.unravel_index(7, (3, 4))[1]] ** 2,
        "k // shape[1], k % shape[1]",
        lambda x: x[7 % 4] ** 2,
    ),
    "block": (
        lambda x: np.sum(np.block([x, x]) ** 2),
        "np.vstack and np.hstack",
        lambda x: np.sum(np.hstack((x, x)) ** 2),
    ),
    "fromiter": (
        lambda x: np.sum(np.fromiter([v * v for v in x], float)),
        "np.array([… for …])",
        lambda x: np.sum(np.array([v * v for v in x])),
    ),
    "windows": (
        lambda x: np.sum(np.lib.stride_tricks.sliding_window_view(x, 2) ** 2),
        "x[np.arange(n)[:, None] + np.arange(k)]",
        lambda x: np.sum(x[np.arange(4)[:, None] + np.arange(2)] ** 2),
    ),
    "strides": (
        lambda x: np.sum(np.lib.stride_tricks.as_strided(x, (4, 2), (8, 8)) ** 2),
        "x[np.arange(n)[:, None] + np.arange(k)]",
        lambda x: np.sum(x[np.arange(4)[:, None] + np.arange(2)] ** 2),
    ),
    "toeplitz": (
        lambda x: np.sum(linalg.toeplitz(x) ** 2),
        "c[np.abs(i[:, None] - i)] where i = np.arange(len(c))",
        lambda x: np.sum(x[np.abs(np.arange(5)[:, None] - np.arange(5))] ** 2),
    ),
    "cdist": (
        lambda x: np.sum(distance.cdist(x[:3].reshape(3, 1), x[2:4].reshape(2, 1) + 1.0)),
        "np.sqrt(np.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=2))",
        lambda x: np.sum(
            np.sqrt(
                np.sum(
                    (x[:3].reshape(3, 1)[:, None, :] - (x[2:4].reshape(2, 1) + 1.0)[None, :, :]) ** 2, axis=2
                )
            )
        ),
    ),
    "stencil": (
        lambda x: np.sum(neighbours(x)),
        "x[:-2] + x[2:]",
        lambda x: np.sum(x[:-2] + x[2:]),
    ),
    "sum where": (
        lambda x: np.sum(x * x, where=x > 0.4),
        "np.sum(np.where(where, a, 0.0))",
        lambda x: np.sum(np.where(x > 0.4, x * x, 0.0)),
    ),
    "mean where": (
        lambda x: np.mean(x * x, where=x > 0.4),
        "np.sum(np.where(where, a, 0.0)) / np.sum(where)",
        lambda x: np.sum(np.where(x > 0.4, x * x, 0.0)) / np.sum(x > 0.4),
    ),
    "prod where": (
        lambda x: np.prod(x, where=x > 0.4),
        "np.prod(np.where(where, a, 1.0))",
        lambda x: np.prod(np.where(x > 0.4, x, 1.0)),
    ),
    "max where": (
        lambda x: np.max(x, where=x < 0.6, initial=-np.inf),
        "np.max(np.where(where, a, -np.inf))",
        lambda x: np.max(np.where(x < 0.6, x, -np.inf)),
    ),
    "min where": (
        lambda x: np.min(x, where=x > 0.4, initial=np.inf),
        "np.min(np.where(where, a, np.inf))",
        lambda x: np.min(np.where(x > 0.4, x, np.inf)),
    ),
    "sum initial": (
        lambda x: np.sum(x, initial=2.0),
        "initial + np.sum(a)",
        lambda x: 2.0 + np.sum(x),
    ),
    "max initial": (
        lambda x: np.max(x, initial=0.4),
        "np.maximum(initial, np.max(a))",
        lambda x: np.maximum(0.4, np.max(x)),
    ),
    "min initial": (
        lambda x: np.min(x, initial=0.4),
        "np.minimum(initial, np.min(a))",
        lambda x: np.minimum(0.4, np.min(x)),
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_remedy_gives_what_is_refused(name):
    original, words, remedy = FORMULAS[name]
    with pytest.raises(adjit.AdjitError) as refused:
        adjit.grad(original)(X)
    assert words in refused.value.hint
    assert "custom_vjp" not in str(refused.value)
    value, gradient = adjit.value_and_grad(remedy)(X)
    np.testing.assert_allclose(value, original(X), rtol=1e-12)
    steps = 1e-6 * np.eye(5)
    numeric = [(original(X + h) - original(X - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        (lambda x: np.random.choice(5, p=ONES), "np.searchsorted(np.cumsum(p), np.random.random(size))"),
        (lambda x: np.random.multivariate_normal(x, np.eye(5)), "np.linalg.cholesky(cov)"),
        (lambda x: random.choice([1, 2, 3]), "values[np.random.randint(len(values))]"),
        (lambda x: random.randint(0, 3), "np.random.randint(a, b + 1)"),
        (lambda x: time.time(), "around the call"),
        (lambda x: warnings.warn("no", stacklevel=1), "after the call"),
        (lambda x: logging.info("x"), "after the call"),
        (lambda x: numba.typed.Dict.empty(numba.int64, numba.float64), "a dict whose keys are known"),
        (lambda x: np.vectorize(lambda t: t * t)(x), "call the function in a loop"),
        (lambda x: open("numbers"), "read and write outside"),  # noqa: SIM115
        (lambda x: set((1, 2)), "a tuple or a list"),  # noqa: C405
        (lambda x: MATRIX @ x, ".toarray()"),
        (lambda x: np.concatenate((x, x), casting="no"), "leave it out"),
        (lambda x: np.concatenate((x, x), dtype=np.float32), ".astype(dtype)"),
        (lambda x: np.sqrt(x, where=x > 0.4), "np.where(where, …, otherwise)"),
        (lambda x: np.histogram(x, 3), "counts have no gradient"),
        (lambda x: linalg.block_diag(x, x), "out[:n, :n] = a"),
        (lambda x: linalg.lu(np.outer(x, x)), "np.linalg.slogdet"),
        (lambda x: linalg.lu_factor(np.outer(x, x)), "np.linalg.solve"),
        (lambda x: linalg.solve_banded((0, 0), x.reshape(1, 5), x), "elimination as a loop"),
        (lambda x: ndimage.gaussian_filter(x, 1.0), "np.convolve"),
        (lambda x: optimize.brentq(lambda t: t * t - x[0], 0.0, 1.0), "docs/howto/roots.md"),
        (lambda x: optimize.minimize(lambda t: t * t - x[0], 0.0), "adjit.value_and_grad"),
    ],
)
def test_remedies_are_told_at_the_users_line(calls, words):
    with pytest.raises(adjit.AdjitError) as refused:
        adjit.grad(lambda x: [calls(x), np.sum(x)][1])(X)
    error = refused.value
    assert words in error.hint and "custom_vjp" not in str(error)
    assert error.location.file == __file__ and error.location.function == "<lambda>"


def test_draws_by_cumulative_probabilities():
    """The remedy for `p=` draws each index as often as it should."""
    p = np.array([0.5, 0.1, 0.4])

    def counts(x, n):
        found = np.zeros(3)
        np.random.seed(1)
        for _ in range(n):
            found[np.searchsorted(np.cumsum(p), np.random.random())] += 1.0
        return np.sum(found * x)

    share = adjit.grad(counts)(np.ones(3), 4000) / 4000
    np.testing.assert_allclose(share, p, atol=0.03)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (np.random.multivariate_normal, "np.random.multivariate_normal"),
        (random.choice, "random.choice"),
        (stats.norm.cdf, "scipy.stats.norm.cdf"),
        (special.ndtr, "scipy.special.ndtr"),
        (np.add.reduce, "ufunc.reduce"),
        (logging.getLogger("a").info, "logging.Logger.info"),
        (np.linalg.eig, "np.linalg.eig"),
        (itertools.combinations, "itertools.combinations"),
        (iter, "iter"),
        (neighbours, "numba.stencils.stencil.StencilFunc"),
    ],
)
def test_names(function, name):
    assert name_of(function) == name


def test_tables_are_in_order():
    assert list(ARGUMENTS) == sorted(ARGUMENTS)
    assert list(FUNCTIONS) == sorted(FUNCTIONS)
