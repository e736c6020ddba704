"""Rows of the tables of NumPy functions, and generators of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Generator = Callable[[np.random.Generator], Any]


@dataclass(frozen=True)
class Row:
    """`single`: whether float32 arguments are tried too."""

    function: object
    expressions: tuple[str, ...]
    arguments: dict[str, Generator]
    order: int = 2
    single: bool = True


ROWS: list[Row] = []


def row(
    function: object, *expressions: str, order: int = 2, single: bool = True, **arguments: Generator
) -> None:
    ROWS.append(Row(function, expressions, arguments, order, single))


def normal(*shape: int) -> Generator:
    return lambda rng: rng.normal(size=shape)


def positive(*shape: int) -> Generator:
    return lambda rng: rng.uniform(0.3, 2.5, size=shape)


def unit(*shape: int) -> Generator:
    """Between -0.9 and 0.9."""
    return lambda rng: rng.uniform(-0.9, 0.9, size=shape)


def fraction(*shape: int) -> Generator:
    return lambda rng: rng.uniform(0.05, 0.95, size=shape)


def above_one(*shape: int) -> Generator:
    return lambda rng: rng.uniform(1.1, 4.0, size=shape)


def nonzero(*shape: int) -> Generator:
    """Of both signs, away from zero."""
    return lambda rng: rng.choice([-1.0, 1.0], size=shape) * rng.uniform(0.3, 2.5, size=shape)


def apart(*shape: int) -> Generator:
    """Numbers at least 0.1 apart from each other and from multiples of one half."""

    def generate(rng: np.random.Generator) -> Any:
        n = int(np.prod(shape))
        grid = np.arange(n) * 0.25 - 0.125 * n + 0.06
        return (rng.permutation(grid) + rng.uniform(-0.02, 0.02, size=n)).reshape(shape)

    return generate


def dominant(n: int) -> Generator:
    """A matrix with distinct singular values, well conditioned."""
    return lambda rng: np.diag(1.5 + np.arange(n)) + rng.uniform(-0.4, 0.4, size=(n, n))


def rising(n: int) -> Generator:
    """A sorted vector."""
    return lambda rng: np.cumsum(rng.uniform(0.3, 1.0, size=n)) - 1.0


def integers(low: int, high: int, *shape: int) -> Generator:
    return lambda rng: rng.integers(low, high, size=shape)


def number(low: float, high: float) -> Generator:
    return lambda rng: float(rng.uniform(low, high))


def constant(value: Any) -> Generator:
    return lambda rng: value
