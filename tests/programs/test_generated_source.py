"""Golden files of generated programs, so that a change in emitted code is seen in review. Each is run as
well."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import adjit
from benchmarks.baselines import WORKLOADS
from tests.support.judge import check
from tests.support.programs import load
from tests.support.programs_parallel import SITUATIONS

PROGRAMS = load()
CHOSEN = (
    "worked_example",
    "break_and_continue",
    "while_with_counter",
    "scalar_recurrence",
    "early_return_in_helper",
    "swap_in_loop",
    "rebound_in_loop",
    "overlapping_writes",
    "gather",
    "gauss_seidel",
    "cholesky_in_place",
    "stencil_in_slices",
    "softmax_regression",
    "dict_parameters",
    "array_result",
)
YARDSTICK = ("jacobi_2d", "burgers_2d", "cholesky", "durbin", "garch", "ba", "gmm", "logreg")
DIVIDED = ("gather_with_repeated_indices", "stencil", "scratch_memory")


def portable(text: str) -> str:
    """Without what differs from machine to machine."""
    root = str(Path(__file__).parent.parent.parent)
    text = re.sub(r"\.py:\d+", ".py:N", text.replace(root + "/", ""))
    return re.sub(r"_[0-9a-f]{12,}", "_<hash>", text)


@pytest.mark.parametrize("name", CHOSEN)
def test_source(name: str, golden: Callable[..., None]) -> None:
    program = PROGRAMS[name]
    args = program.make_args()
    if name in ("array_result",):
        text = adjit.jit(program.function).source(*args)
    else:
        text = adjit.value_and_grad(program.function, argnums=program.wrt).source(*args)
    golden(portable(text), ".py")
    assert check(program.function, args, program.wrt, rtol=program.rtol).kind == "right"


@pytest.mark.parametrize("name", YARDSTICK)
def test_source_of_yardstick(name: str, golden: Callable[..., None]) -> None:
    workload = WORKLOADS[name]
    gradient = adjit.value_and_grad(workload.loops, argnums=workload.argnums)
    golden(portable(gradient.source(*workload.arguments(True))), ".py")


@pytest.mark.parametrize("name", DIVIDED)
def test_source_of_divided_loops(name: str, golden: Callable[..., None]) -> None:
    situation = SITUATIONS[name]
    gradient = adjit.value_and_grad(situation.function, argnums=situation.wrt, parallel=True)
    text = gradient.source(*situation.args(np.random.default_rng(0)))
    golden(re.sub(r"\bline \d+", "line N", portable(text)), ".py")


def test_the_same_program_gives_the_same_text() -> None:
    """Byte for byte: names and hashes depend on the program only."""
    program = PROGRAMS["swap_in_loop"]
    args = program.make_args()
    texts = {adjit.value_and_grad(program.function, argnums=(0, 1)).source(*args) for _ in range(2)}
    assert len(texts) == 1


def soft_keywords(match, case, times):
    for _ in range(times):
        match = match * match * case
    return match


def test_soft_keywords_are_names_and_an_underscore_that_is_read_has_one() -> None:
    gradient = adjit.value_and_grad(soft_keywords)
    value, found = gradient(1.1, 0.9, 3)
    assert value == pytest.approx(1.1**8 * 0.9**7) and found == pytest.approx(8 * value / 1.1)
    text = gradient.source(1.1, 0.9, 3)
    assert "def soft_keywords_gradient(match, case" in text
    assert "for k in range(times)" in text and "saved_match[k]" in text
