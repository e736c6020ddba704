"""Draws fill their array, in order, from the generator that a program's own seed sets."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

from adjit.compiler.library.randomness import PLAIN, STREAM, WITH_NUMBERS
from adjit.runtime import draws

DRAWN: dict[str, tuple[tuple[float, ...], Callable[..., Any]]] = {
    "draw_uniform": ((), np.random.random),
    "draw_normal": ((), np.random.standard_normal),
    "draw_exponential": ((), np.random.standard_exponential),
    "draw_laplace": ((), np.random.laplace),
    "draw_logistic": ((), np.random.logistic),
    "draw_gumbel": ((), np.random.gumbel),
    "draw_cauchy": ((), np.random.standard_cauchy),
    "draw_python_uniform": ((), random.random),
    "draw_python_normal": ((), lambda: random.gauss(0.0, 1.0)),
    "draw_python_normalvariate": ((), lambda: random.normalvariate(0.0, 1.0)),
    "draw_integers": ((2, 9), np.random.randint),
    "draw_gamma": ((1.5,), np.random.standard_gamma),
    "draw_beta": ((0.5, 2.0), np.random.beta),
    "draw_chisquare": ((3.0,), np.random.chisquare),
    "draw_student": ((3.0,), np.random.standard_t),
    "draw_poisson": ((2.0,), np.random.poisson),
    "draw_binomial": ((7, 0.3), np.random.binomial),
    "draw_geometric": ((0.3,), np.random.geometric),
}


def test_every_draw_has_a_row() -> None:
    assert {*PLAIN, *WITH_NUMBERS} - {"draw_permutation"} == set(DRAWN)


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
def test_draws_are_those_of_the_function(name: str, shape: tuple[int, ...]) -> None:
    numbers, function = DRAWN[name]
    out = np.empty(shape)
    draws.draw_seed(STREAM, 5)
    draws.draw_python_seed(STREAM, 5)
    getattr(draws, name)(out, STREAM, *numbers)
    np.random.seed(5)
    random.seed(5)
    np.testing.assert_array_equal(out.ravel(), [function(*numbers) for _ in range(out.size)])


def test_permutations() -> None:
    out = np.empty(6, np.int64)
    draws.draw_seed(STREAM, 5)
    draws.draw_permutation(out, STREAM)
    np.random.seed(5)
    np.testing.assert_array_equal(out, np.random.permutation(6))


@numba.njit
def compiled_draws(out, stream):
    draws.draw_seed(stream, 5)
    draws.draw_uniform(out, stream)
    draws.draw_normal(out[1:], stream)


@pytest.mark.compiled
def test_compiled(compiled: None) -> None:
    """Numba's generator, seeded alike, gives NumPy's numbers for these."""
    out = np.empty(4)
    compiled_draws(out, STREAM)
    np.random.seed(5)
    expected = np.random.random(4)
    expected[1:] = [np.random.standard_normal() for _ in range(3)]
    np.testing.assert_allclose(out, expected, rtol=1e-14)
