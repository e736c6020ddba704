"""Every sample program: value, side effects, gradient, tangent and second order against the uncompiled
original."""

from __future__ import annotations

import numpy as np
import pytest

import adjit
from tests.support import trees
from tests.support.judge import check
from tests.support.programs import Program, load

PROGRAMS = load()
SAMPLE = list(PROGRAMS.values())[::12]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_gradient(program: Program) -> None:
    verdict = check(program.function, program.make_args(), program.wrt, rtol=program.rtol)
    assert verdict.kind == "right", verdict.message


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_retained_pullback(program: Program) -> None:
    """Both sweeps apart, the reverse sweep run again on what the forward sweep saved."""
    fused, split = trees.fresh(program.make_args()), trees.fresh(program.make_args())
    if np.ndim(program.function(*trees.fresh(fused))):
        pytest.skip("an array result has no fused gradient")
    _, wanted = adjit.value_and_grad(program.function, argnums=program.wrt)(*fused)
    _, pullback = adjit.vjp(program.function, *split, argnums=program.wrt, retain=True)
    for gradients in (pullback(), pullback()):
        for path, leaf in trees.float_leaves(wanted):
            np.testing.assert_allclose(
                trees.get(gradients, path), leaf, rtol=min(program.rtol, 1e-3), atol=program.rtol * 1e-3
            )


@pytest.mark.parametrize(
    "program",
    [p for p in PROGRAMS.values() if p.order > 1],
    ids=[n for n, p in PROGRAMS.items() if p.order > 1],
)
def test_second_order(program: Program) -> None:
    verdict = check(program.function, program.make_args(), program.wrt, second=True, tangent=False)
    assert verdict.kind == "right", verdict.message


@pytest.mark.compiled
@pytest.mark.parametrize("program", SAMPLE, ids=[p.name for p in SAMPLE])
def test_gradient_compiled(program: Program, compiled: None) -> None:
    verdict = check(program.function, program.make_args(), program.wrt, rtol=program.rtol)
    assert verdict.kind == "right", verdict.message
