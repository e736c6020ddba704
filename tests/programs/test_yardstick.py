"""The yardstick's programs at small sizes: both forms agree, generated gradients are right, hand-written
adjoints too."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import measure
from benchmarks.baselines import WORKLOADS, Workload
from tests.support import oracles, trees
from tests.support.judge import check

FORMS = [(w, form) for w in WORKLOADS.values() for form in ("loops", "numpy") if w.numpy or form == "loops"]
IDS = [f"{w.name}-{form}" for w, form in FORMS]


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
def test_both_forms_agree(workload: Workload) -> None:
    args = workload.arguments(True)
    loops = oracles.plain(workload.form("loops"), args)
    assert np.isclose(oracles.plain(workload.form("numpy"), args), loops, rtol=1e-10)


@pytest.mark.parametrize(("workload", "form"), FORMS, ids=IDS)
def test_generated_gradient(workload: Workload, form: str) -> None:
    verdict = check(workload.form(form), workload.arguments(True), workload.argnums)
    assert verdict.kind == "right", verdict.message


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["burgers_2d", "cholesky", "durbin", "ba", "logreg"])
def test_hand_written_adjoint(name: str) -> None:
    workload, rng = WORKLOADS[name], np.random.default_rng(0)
    args = workload.arguments(True)
    _, *gradients = measure.flat(workload.hand(*trees.fresh(args)))
    for position, gradient in zip(workload.argnums, gradients, strict=True):
        direction = oracles.random_direction(args[position], rng)
        estimate = oracles.directional(workload.form("loops"), args, position, direction)
        have = float(np.sum(gradient * direction))
        assert abs(have - estimate.value) <= 1e-6 * max(1.0, abs(have)) + 20 * estimate.error


def test_every_hand_written_adjoint_states_what_it_keeps() -> None:
    for workload in WORKLOADS.values():
        assert workload.saved(*workload.arguments(True)) >= 0
