"""Random programs about words and numbers that may be None against plain Python and differences."""

from __future__ import annotations

import math
from typing import Any

import pytest

import adjit
from tests.support.judge import check
from tests.support.random_kinds import program
from tests.support.sources import function_of

POINTS = (-0.61, 0.533, 1.471, 2.713)


def made(seed: int) -> Any:
    return function_of(program(seed), "program", f"<random kinds {seed}>", {"math": math})


def outcome(function: Any, x: float) -> str:
    """`right`, `refused` or what is wrong; an exception of the plain function must be raised here too."""
    try:
        function(x)
    except (TypeError, KeyError) as error:
        try:
            return f"no {error!r}, but {adjit.jit(function)(x)}"
        except adjit.AdjitError:
            return "refused"
        except type(error):
            return "right"
    return str(check(function, (x,), (0,)).kind)


@pytest.mark.parametrize("first", range(0, 40, 4))
def test_right_or_refused(first: int) -> None:
    found = [(s, x, outcome(made(s), x)) for s in range(first, first + 4) for x in POINTS]
    assert [row for row in found if row[2] not in ("right", "refused")] == []
    assert sum(row[2] == "right" for row in found) >= len(found) // 2
