"""Names that stand for things of different kinds on different paths: right, or refused; never one of them
for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import adjit
from tests.compiler.frontend.kinds import PROGRAMS, arguments
from tests.support.judge import check


@pytest.mark.parametrize("fun", PROGRAMS)
def test_right_or_refused(fun: Callable[..., Any]) -> None:
    for x in arguments(fun):
        verdict = check(fun, (x,), (0,), tangent=False)
        assert verdict.kind in ("right", "refused"), f"{x}: {verdict}"


@pytest.mark.parametrize("fun", PROGRAMS)
def test_refused_before_it_runs(fun: Callable[..., Any]) -> None:
    """What is refused is so for all arguments, with a remedy."""
    messages = set()
    for x in arguments(fun):
        try:
            adjit.jit(fun)(x)
        except adjit.AdjitError as error:
            assert "cannot access local variable" not in str(error)
            assert "Instead" in str(error)
            messages.add(str(error))
        else:
            messages.add("")
    assert len(messages) == 1
