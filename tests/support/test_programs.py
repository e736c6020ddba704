"""The sample programs themselves: they run as plain Python and have no kink near their arguments."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import oracles
from tests.support.programs import Program, load

PROGRAMS = load()


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_program_is_smooth(program: Program) -> None:
    args, rng = program.make_args(), np.random.default_rng(0)
    result = oracles.plain(program.function, args)
    assert np.all(np.isfinite(result))
    cotangent = None if np.ndim(result) == 0 else rng.normal(size=np.shape(result))
    for position in program.wrt:
        direction = oracles.random_direction(args[position], rng)
        estimate = oracles.directional(program.function, args, position, direction, cotangent)
        if program.rtol < 1e-4:
            assert estimate.error < 1e-5 * max(1.0, abs(estimate.value)), estimate
