"""The cases from public reports with `target="cuda"`: gradients in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjit
from tests.cases import CASES, Case, judge
from tests.cuda.selection import selected
from tests.support import trees

FIRST = selected({name: case for name, case in CASES.items() if case.order == 1})
pytestmark = pytest.mark.filterwarnings("ignore:.adjit-cuda")


def compute(function: Any, args: tuple[Any, ...], wrt: tuple[int, ...], seed: Any, order: int) -> Any:
    value, pullback = adjit.vjp(adjit.jit(function, target="cuda"), *args, argnums=wrt)
    return trees.fetched(pullback(np.ones_like(trees.fetched(value))[()] if seed is None else seed))


@pytest.mark.parametrize("case", FIRST.values(), ids=FIRST)
def test_case(case: Case) -> None:
    trouble = judge(case, compute, adjit.AdjitError)
    assert trouble == "", trouble
