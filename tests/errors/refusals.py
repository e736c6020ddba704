"""The table of programs that must be refused or must raise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import adjit

REFUSED: dict[str, Refusal] = {}


@dataclass(frozen=True)
class Refusal:
    function: Callable[..., Any]
    error: str
    args: tuple[Any, ...]
    run: Callable[..., Any]


def gradient(function: Callable[..., Any], *args: Any) -> Any:
    return adjit.grad(function)(*args)


def refused(error: str, *args: Any, run: Callable[..., Any] = gradient) -> Callable[..., Any]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        REFUSED[function.__name__] = Refusal(function, error, args or (np.ones(3),), run)
        return function

    return register
