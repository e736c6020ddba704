"""Loops under `checkpoint`: values, effects and derivatives are those of the loop without it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import adjit
from tests.support import oracles, trees

from .checkpointed_programs import PROGRAMS, Made, same

PASSES = (0, 1, 2, 7, 12)


def with_snapshots(name: str, snapshots: int | None) -> Made:
    return PROGRAMS[name][0](functools.partial(adjit.checkpoint, snapshots=snapshots))


def fresh(name: str, passes: int) -> tuple[Any, ...]:
    return (*trees.fresh(PROGRAMS[name][1]), passes)


def positions(name: str) -> tuple[int, ...]:
    return tuple(range(len(PROGRAMS[name][1])))


def tolerance(name: str) -> dict[str, float]:
    return {"rtol": 1e-4, "atol": 1e-5} if name == "float32" else {"rtol": 1e-9, "atol": 1e-11}


@pytest.mark.parametrize("snapshots", [1, 2, 3, 50, None])
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients(name: str, snapshots: int | None) -> None:
    """Against the loop without checkpoint, and its effects on the arguments."""
    wrt = positions(name)
    marked = adjit.value_and_grad(with_snapshots(name, snapshots), wrt)
    plain = adjit.value_and_grad(PROGRAMS[name][0](same), wrt)
    for passes in PASSES:
        args, others = fresh(name, passes), fresh(name, passes)
        value, found = marked(*args)
        wanted_value, wanted = plain(*others)
        np.testing.assert_allclose(value, wanted_value, rtol=1e-6 if name == "float32" else 1e-12)
        for got, want, a, b in zip(found, wanted, args, others, strict=False):
            np.testing.assert_allclose(got, want, **tolerance(name))
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n != "float32"])
def test_gradients_are_those_of_the_function(name: str, rng: np.random.Generator) -> None:
    """Against differences of the uncompiled function."""
    f = with_snapshots(name, 2)
    args = fresh(name, 7)
    found = adjit.grad(f, positions(name))(*trees.fresh(args))
    for k, g in enumerate(found):
        direction = rng.normal(size=np.shape(args[k]))
        estimate = oracles.directional(f, args, k, direction)
        assert abs(np.sum(g * direction) - estimate.value) < 1e-6 * max(1.0, abs(estimate.value))
