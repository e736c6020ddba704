"""Every sample program: value, side effects, gradient, tangent and second order against the uncompiled
original."""

from __future__ import annotations

import pytest

from tests.support.judge import check
from tests.support.programs import Program, load

PROGRAMS = load()
EVERY_THIRD = list(PROGRAMS.values())[::3]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_gradient(program: Program) -> None:
    verdict = check(program.function, program.make_args(), program.wrt, rtol=program.rtol)
    assert verdict.kind == "right", verdict.message


@pytest.mark.parametrize(
    "program",
    [p for p in PROGRAMS.values() if p.order > 1],
    ids=[n for n, p in PROGRAMS.items() if p.order > 1],
)
def test_second_order(program: Program) -> None:
    verdict = check(program.function, program.make_args(), program.wrt, second=True, tangent=False)
    assert verdict.kind == "right", verdict.message


@pytest.mark.compiled
@pytest.mark.parametrize("program", EVERY_THIRD, ids=[p.name for p in EVERY_THIRD])
def test_gradient_compiled(program: Program, compiled: None) -> None:
    verdict = check(program.function, program.make_args(), program.wrt, rtol=program.rtol)
    assert verdict.kind == "right", verdict.message
