"""The plan: parts and the function that calls them, run by hand, do what the function did."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adjit.compiler import pipeline
from adjit.compiler.ir.verify import verify
from adjit.compiler.threads import divide
from adjit.options import DEFAULT
from tests.support.capturing import captured
from tests.support.dividing import eagerly
from tests.support.programs_parallel import SITUATIONS


def gradient(name: str) -> Any:
    situation = SITUATIONS[name]
    args = situation.args(np.random.default_rng(7))
    fn = pipeline.simplify(captured(situation.function, *args).function)
    return pipeline.joint(fn, situation.wrt, ())


@pytest.mark.parametrize("name", SITUATIONS)
def test_each_function_of_a_plan_is_well_formed(name: str) -> None:
    with eagerly():
        plan = divide(pipeline.passes(gradient(name), pipeline.BEFORE_THREADS))
        verify(plan.host)
        for part in plan.parts:
            verify(part.fn)
        again = pipeline.divided(gradient(name), DEFAULT)
    assert len(again.parts) == len(plan.parts)
    for part in plan.parts:
        assert len(part.copies) == len(part.private)
        assert set(part.private) <= set(part.arguments)


def test_the_same_function_gives_the_same_text() -> None:
    fn = gradient("scratch_memory")
    options = DEFAULT.updated({"parallel": True})
    with eagerly():
        assert pipeline.emit(fn, options).source == pipeline.emit(fn, options).source


def test_without_loops_to_divide_nothing_changes() -> None:
    fn = gradient("recurrence_under_prange")
    options = DEFAULT.updated({"parallel": True})
    text = pipeline.emit(fn, options)
    assert not text.parallel or "in_threads" in text.source
