"""The tester tested: gradients wrong by 0.1 %, of the wrong sign or the wrong shape must be caught."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjit
from tests.support import oracles, trees
from tests.support.judge import check
from tests.support.shrink import shrink
from tests.support.strategies import random_program


def cubic(x: Any, c: float) -> float:
    total = 0.0
    for value in x:
        total += c * value**3
    return total


ARGS = (np.array([0.4, -1.2, 0.9]), 1.3)


def pretend(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Replaces the library by closed forms of `cubic`, spoilt by `change`."""

    def value_and_grad(_function: Any, argnums: Any) -> Any:
        def run(x: Any, c: float) -> Any:
            return cubic(x, c), (change(3 * c * x * x), float(np.sum(x**3)))

        return run

    def jvp(_function: Any, primals: Any, tangents: Any) -> Any:
        x, c = primals
        return cubic(x, c), np.sum(3 * c * x * x * tangents[0]) + np.sum(x**3) * tangents[1]

    monkeypatch.setattr(adjit, "value_and_grad", value_and_grad, raising=False)
    monkeypatch.setattr(adjit, "jvp", jvp, raising=False)


def test_a_right_gradient_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, lambda g: g)
    assert check(cubic, ARGS, (0, 1)).kind == "right"


@pytest.mark.parametrize(
    "change",
    [
        lambda g: g * 1.001,
        lambda g: -g,
        lambda g: g[:2],
        lambda g: g.astype(np.float32),
        lambda g: g + np.array([0, 0, 1e-5]),
        lambda g: g * np.nan,
    ],
)
def test_a_wrong_gradient_is_caught(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    pretend(monkeypatch, change)
    assert check(cubic, ARGS, (0, 1)).kind == "wrong"


def test_an_exception_of_another_class_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, lambda g: g.no_such_attribute)
    assert check(cubic, ARGS, (0, 1)).kind == "crash"


def test_differences_reach_many_digits() -> None:
    estimate = oracles.directional(cubic, ARGS, 0, np.array([1.0, 0.5, -2.0]))
    exact = float(np.dot(3 * 1.3 * ARGS[0] ** 2, [1.0, 0.5, -2.0]))
    assert abs(estimate.value - exact) < 1e-8
    assert (
        abs(
            oracles.complex_step(lambda x, c: np.sum(c * x**3), ARGS, 0, np.ones(3))
            - np.sum(3.9 * ARGS[0] ** 2)
        )
        < 1e-12
    )


def test_differences_say_when_they_meet_a_kink() -> None:
    assert oracles.directional(lambda x: abs(x), (0.0,), 0, 1.0).error > 0.5


def test_copies_keep_identity_and_layout() -> None:
    a = np.arange(12.0).reshape(3, 4)[:, ::2]
    first, second = trees.fresh((a, {"same": a}))
    assert second["same"] is first and first.strides != np.ascontiguousarray(a).strides


def test_programs_shrink_to_what_fails() -> None:
    sources = (random_program(seed).source for seed in range(1000))
    source = next(s for s in sources if "enumerate(y)" in s and len(s) > 1500)
    small = shrink(source, lambda text: "enumerate(y)" in text)
    assert "enumerate(y)" in small and len(small) < 0.3 * len(source)
