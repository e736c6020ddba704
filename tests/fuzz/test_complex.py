"""Random programs with complex numbers against differences of the uncompiled originals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjit
from tests.support.random_complex import program
from tests.support.sources import function_of

RNG = np.random.default_rng(11)
ARGS = (
    0.6 * (RNG.normal(size=4) + 1j * RNG.normal(size=4)),
    0.6 * RNG.normal(size=4),
    0.4 - 0.3j,
    0.35,
)


def made(seed: int) -> Any:
    return function_of(program(seed), "program", f"<random complex {seed}>", {"np": np})


@pytest.mark.parametrize("seed", range(24))
def test_gradients(seed: int) -> None:
    function = made(seed)
    value = function(*ARGS)
    assert np.isfinite(value)
    np.testing.assert_allclose(adjit.jit(function)(*ARGS), value, rtol=1e-10)
    adjit.check_grads(function, ARGS, order=1, tolerance=2e-5)
