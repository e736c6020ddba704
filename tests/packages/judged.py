"""Functions of installed packages put to the test.

Input: a package's own function, as imported, its arguments, the differentiated positions. Output: nothing,
or a failed assertion. Invariants: the reference is the package's compiled function itself, differenced
along each argument. Non-goals: running where the package is missing (such tests skip).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import adjit

from ..support import oracles, trees


@dataclass(frozen=True)
class Case:
    function: Callable[..., Any]
    args: tuple[Any, ...]
    argnums: tuple[int, ...]
    rtol: float = 1e-6

    @property
    def name(self) -> str:
        module = getattr(self.function, "__module__", "").rpartition(".")[2]
        return f"{module}.{getattr(self.function, '__name__', '?')}"


def cotangent_of(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, tuple):
        return tuple(cotangent_of(v, rng) for v in value)
    if np.ndim(value) == 0:
        return float(rng.normal())
    return rng.normal(size=np.shape(value))


def check(case: Case) -> None:
    rng = np.random.default_rng(1)
    wanted = oracles.plain(case.function, case.args)
    value, pullback = adjit.vjp(case.function, *trees.fresh(case.args), argnums=case.argnums)
    for got, expected in zip(flat(value), flat(wanted), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-12)
    cotangent = cotangent_of(wanted, rng)
    gradients = pullback(cotangent)
    for argnum, gradient in zip(case.argnums, gradients, strict=True):
        direction = oracles.random_direction(case.args[argnum], rng)
        estimate = oracles.directional(scalar(case, cotangent), case.args, argnum, direction)
        assert estimate.error < 1e-4 * max(1.0, abs(estimate.value)), "differences say nothing here"
        got = oracles.inner(direction, gradient)
        tolerance = case.rtol * max(1.0, abs(estimate.value)) + 10.0 * estimate.error
        assert abs(got - estimate.value) <= tolerance, (argnum, got, estimate)


def flat(value: Any) -> list[Any]:
    return [x for v in value for x in flat(v)] if isinstance(value, tuple) else [value]


def scalar(case: Case, cotangent: Any) -> Callable[..., float]:
    def weighted(*args: Any) -> float:
        return sum(
            float(np.sum(np.asarray(r, dtype=float) * np.asarray(c)))
            for r, c in zip(flat(case.function(*args)), flat(cotangent), strict=True)
        )

    return weighted
