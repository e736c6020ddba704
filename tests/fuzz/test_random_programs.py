"""Gradients of random programs against differences of the uncompiled original, and the dot-product test.

Mostly uncompiled, for breadth. Each failure prints the program, shrunk; it then becomes a permanent case.
"""

from __future__ import annotations

import pytest

from tests.support.dividing import eagerly
from tests.support.strategies import random_program

from .harness import Harness

BATCHES = 7
PER_BATCH = 20


@pytest.mark.parametrize("batch", range(BATCHES))
def test_gradients_of_random_programs(batch: int) -> None:
    summary = Harness(shrinks=1).run(range(batch * PER_BATCH, (batch + 1) * PER_BATCH))
    assert not summary.failures, "\n\n".join(map(str, summary.failures))


def test_second_derivatives_of_random_programs() -> None:
    summary = Harness(second=True, shrinks=1).run(range(10_000, 10_020))
    assert not summary.failures, "\n\n".join(map(str, summary.failures))


def test_checkpointed_loops_of_random_programs() -> None:
    summary = Harness(shrinks=1, checkpoints=True).run(range(20))
    assert not summary.failures, "\n\n".join(map(str, summary.failures))


def test_divided_loops_of_random_programs() -> None:
    with eagerly():
        summary = Harness(shrinks=1, parallel=3, cache=False).run(range(40_000, 40_006))
    assert not summary.failures, "\n\n".join(map(str, summary.failures))


def test_few_programs_are_refused() -> None:
    """Refusing is right, but a compiler that refuses much is of no use: this bounds the share."""
    summary = Harness(shrinks=1).run(range(20_000, 20_060))
    assert not summary.failures, "\n\n".join(map(str, summary.failures))
    assert summary.counts["refused"] <= 0.25 * sum(summary.counts.values()), str(summary)


def test_the_same_seed_gives_the_same_program() -> None:
    assert random_program(7).source == random_program(7).source


@pytest.mark.compiled
def test_compiled_random_programs(compiled: None) -> None:
    summary = Harness(shrinks=0).run(range(30_000, 30_006))
    assert not summary.failures, "\n\n".join(map(str, summary.failures))
