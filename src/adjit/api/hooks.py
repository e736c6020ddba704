"""`saved_hooks`: what happens to saved values between the two sweeps.

Input: a function that packs an array and one that unpacks what it gave. Inside the `with` block each pullback
packs the arrays that it owns. Invariants: arguments that are merely kept, numbers, and arrays that share
memory with other saved values stay as they are; what is unpacked has the shape of what was packed, else
it is refused. Non-goals: `grad` and `value_and_grad`, whose two sweeps are one function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ShapeError

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Hooks:
    """`rounding`: what is unpacked is not exactly what was packed, so that what decides is left alone."""

    pack: Callable[[Array], Any]
    unpack: Callable[[Any], Any]
    rounding: bool = False


@dataclass(frozen=True)
class Packed:
    """What `pack` made of a saved array."""

    hooks: Hooks
    value: Any
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def unpacked(self, own: bool = False) -> Array:
        """The array; `own`: one that nobody else holds and that may be written."""
        found = np.asarray(self.hooks.unpack(self.value))
        if found.shape != self.shape:
            raise ShapeError(
                f"unpack gave an array of shape {found.shape} for the saved value {self.name!r}, "
                f"which has shape {self.shape}"
            )
        if own:
            return np.array(found, self.dtype, order="C")
        return np.ascontiguousarray(found, dtype=self.dtype).reshape(self.shape)


_active: ContextVar[Hooks | None] = ContextVar("adjit_saved_hooks", default=None)


def active() -> Hooks | None:
    return _active.get()


def packed(hooks: Hooks, value: Array, name: str) -> Packed:
    return Packed(hooks, hooks.pack(value), name, value.shape, value.dtype)


@contextmanager
def saved_hooks(pack: Callable[[Array], Any], unpack: Callable[[Any], Any]) -> Iterator[None]:
    """Inside the `with` block `vjp` keeps `pack(array)` for each saved array, and its pullback, wherever it
    is called, reads `unpack` of that. Both may be Python functions or compiled by Numba.

    >>> from adjit import vjp
    >>> with saved_hooks(lambda a: a.astype(np.float32), lambda a: a.astype(np.float64)):
    ...     value, pullback = vjp(lambda x: np.sum(np.exp(x)), np.zeros(2))
    >>> pullback()
    (array([1., 1.]),)
    """
    with hooked(Hooks(pack, unpack)):
        yield


@contextmanager
def hooked(hooks: Hooks) -> Iterator[None]:
    """The hooks that `vjp` meets inside the block."""
    token = _active.set(hooks)
    try:
        yield
    finally:
        _active.reset(token)


__all__ = ["saved_hooks"]
