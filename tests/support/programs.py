"""The one list of sample programs: every test that needs programs crosses this list with something.

Adding a program is adding a function with the decorator `program` in one of the files below, together with a
generator of its arguments and the positions that are differentiated. The functions are written as users write
them and run as plain Python; all are smooth at their arguments, so that finite differences judge them.
Situations with a kink have cases in `tests/cases`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

PROGRAMS: dict[str, Program] = {}


@dataclass(frozen=True)
class Program:
    """`order` is the highest order of derivative that differences can judge. `rtol` bounds the deviation."""

    function: Callable[..., Any]
    args: Callable[[np.random.Generator], tuple[Any, ...]]
    wrt: tuple[int, ...]
    order: int = 2
    rtol: float = 1e-6

    @property
    def name(self) -> str:
        return self.function.__name__

    def make_args(self) -> tuple[Any, ...]:
        return self.args(np.random.default_rng(zlib.crc32(self.name.encode())))


def program(
    args: Callable[[np.random.Generator], tuple[Any, ...]], wrt: tuple[int, ...] = (0,), **more: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        made = Program(function, args, wrt, **more)
        if made.name in PROGRAMS:
            raise ValueError(f"program {made.name} stands twice")
        PROGRAMS[made.name] = made
        return function

    return register


def vector(n: int = 5) -> Callable[[np.random.Generator], tuple[Any, ...]]:
    return lambda r: (r.uniform(-1, 1, n),)


def vectors(*lengths: int) -> Callable[[np.random.Generator], tuple[Any, ...]]:
    return lambda r: tuple(r.uniform(-1, 1, n) for n in lengths)


def arrays(*shapes: tuple[int, ...]) -> Callable[[np.random.Generator], tuple[Any, ...]]:
    return lambda r: tuple(r.uniform(-1, 1, s) for s in shapes)


def load() -> dict[str, Program]:
    """The complete list."""
    from . import (
        programs_arrays,
        programs_calls,
        programs_language,
        programs_lists,
        programs_numpy,
        programs_rules,
        programs_structures,
    )

    assert programs_arrays and programs_language and programs_lists and programs_numpy
    assert programs_calls and programs_rules and programs_structures
    return PROGRAMS
