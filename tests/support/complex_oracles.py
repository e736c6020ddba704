"""Derivatives of functions of complex arguments by differences of the functions themselves.

Input: a Python function with a real result and its arguments. Output: df/dx - i df/dy in an argument.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np


def is_inexact(value: Any) -> bool:
    return bool(np.result_type(value).kind in "fc")


def slope(function: Callable[..., Any], args: tuple[Any, ...], k: int, place: Any, step: complex) -> float:
    """The derivative of a real function along `step / |step|` in one entry of an argument."""

    def at(by: float) -> float:
        moved = list(copy.deepcopy(args))
        if isinstance(moved[k], np.ndarray):
            moved[k][place] += np.result_type(moved[k]).type(by * step)
        else:
            moved[k] = type(moved[k])(moved[k] + by * step)
        return float(function(*moved))

    single = np.result_type(args[k]).name in ("float32", "complex64")
    h = 1e-2 if single else 1e-4
    wide, narrow = ((at(by) - at(-by)) / (2.0 * by) for by in (h, h / 2))
    return (4.0 * narrow - wide) / 3.0


def gradient(function: Callable[..., Any], args: tuple[Any, ...], k: int) -> Any:
    """The gradient of a real function in argument `k`, in the convention of JAX."""
    value = args[k]
    kind = np.result_type(value)
    out = np.zeros(np.shape(value), complex)
    for place in np.ndindex(out.shape):
        out[place] = slope(function, args, k, place, 1.0)
        if kind.kind == "c":
            out[place] -= 1j * slope(function, args, k, place, 1j)
    return out if kind.kind == "c" else out.real
