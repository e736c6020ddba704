"""Tables of programs in which a name stands for different things on different paths: what must be right, what
raises, what is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

POINTS = (-0.6, 0.53, 1.47, 2.7)
VECTOR = np.array([0.7, -1.3, 2.1, 0.4, 3.2])
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
RAISING: list[tuple[Callable[..., Any], Any, type[Exception], str]] = []
REFUSED: list[tuple[Callable[..., Any], str]] = []

Program = Callable[..., Any]


def right(*points: Any) -> Callable[[Program], Program]:
    """A program that must be right at these points."""

    def decorate(f: Program) -> Program:
        PROGRAMS.append((f, points or POINTS))
        return f

    return decorate


def raises(x: Any, error: type[Exception], text: str) -> Callable[[Program], Program]:
    """A program that raises at run time what Python raises."""

    def decorate(f: Program) -> Program:
        RAISING.append((f, x, error, text))
        return f

    return decorate


def refused(text: str) -> Callable[[Program], Program]:
    def decorate(f: Program) -> Program:
        REFUSED.append((f, text))
        return f

    return decorate
