"""The table of programs with `target="cuda"`: value, side effects, gradient, tangent and second order, judged
as on the CPU.
"""

from __future__ import annotations

import numpy as np
import pytest

import adjit
from adjit.testing.samples import SAMPLES, Sample
from tests.cuda.selection import selected
from tests.support import trees
from tests.support.judge import check
from tests.support.programs import Program, load

PROGRAMS = load()
CHOSEN = selected(PROGRAMS)
SECOND = selected({p.name: p for p in list(PROGRAMS.values())[::10] if p.order > 1}, each=3)
pytestmark = pytest.mark.filterwarnings("ignore:.adjit-cuda")


@pytest.mark.parametrize("program", CHOSEN.values(), ids=CHOSEN)
def test_gradient(program: Program) -> None:
    verdict = check(program.function, program.make_args(), program.wrt, rtol=program.rtol, target="cuda")
    assert verdict.kind == "right", verdict.message


@pytest.mark.parametrize("program", SECOND.values(), ids=SECOND)
def test_second_order(program: Program) -> None:
    args = program.make_args()
    verdict = check(program.function, args, program.wrt, second=True, tangent=False, target="cuda")
    assert verdict.kind == "right", verdict.message


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_sample(sample: Sample) -> None:
    args = sample.args(np.random.default_rng(1), 30)
    verdict = check(sample.function, args, sample.wrt, target="cuda")
    assert verdict.kind == "right", verdict.message


@pytest.mark.parametrize("name", ["elementwise", "rotate_three", "break_and_continue", "stencil_in_slices"])
def test_retained_pullback(name: str) -> None:
    """Both sweeps apart, the reverse sweep run again on what the forward sweep saved."""
    program = PROGRAMS[name]
    fused, split = trees.fresh(program.make_args()), trees.fresh(program.make_args())
    _, wanted = adjit.value_and_grad(program.function, argnums=program.wrt)(*fused)
    function = adjit.jit(program.function, target="cuda")
    _, pullback = adjit.vjp(function, *split, argnums=program.wrt, retain=True)
    for gradients in (trees.fetched(pullback()), trees.fetched(pullback())):
        for path, leaf in trees.float_leaves(wanted):
            np.testing.assert_allclose(trees.get(gradients, path), leaf, rtol=1e-9, atol=1e-12)
