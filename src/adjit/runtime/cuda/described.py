"""NumPy arrays that say where elements are, without touching them.

Input: shape, strides in bytes, dtype, address. Output: an `ndarray` there, whose base is `holder`, an object
that can be watched: it lives as long as any view of the array. Non-goals: keeping the memory.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np


class _Holder:
    def __init__(self, described: dict[str, Any]) -> None:
        self.__array_interface__ = described


def described(
    shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    dtype: Any,
    address: int,
    readonly: bool = False,
    at_end: Callable[[], None] | None = None,
) -> np.ndarray[Any, Any]:
    """The array; `at_end` is called when it and all its views are gone."""
    if 0 in shape:
        return np.empty(shape, dtype)
    made = {"shape": tuple(shape), "strides": strides, "typestr": np.dtype(dtype).str}
    holder = _Holder({**made, "data": (address, readonly), "version": 3})
    if at_end is not None:
        weakref.finalize(holder, at_end).atexit = False
    return np.asarray(holder)
