"""Mixed precision: saved values in half precision, arithmetic as it is, and a scale for the loss.

Input: a format; parameters' gradients. Output: a context in which `vjp` keeps its saved floats in two bytes
each, and a `LossScaler` with the usual back-off. Invariants: a saved array that the format cannot hold
(beyond 65504 in float16, or a number other than zero that would become zero) is kept as it is, so nothing
becomes infinite or vanishes by saving; nor are arrays rounded that a branch, an index or a maximum of the
reverse sweep depends on, so that both sweeps take the same way. Bounds: a saved value has a relative error
of at most 2**-11 in float16 (where it is not subnormal, below 6.1e-5; there an absolute one of 3e-8) and
2**-8 in bfloat16.
Non-goals: arithmetic in half precision; gradients, whose sweeps are one program (`compiler.adjoint.rounded`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import SeedError
from ..runtime import pytree
from .hooks import Hooks, hooked

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Half:
    """An array in two bytes an element: float16, or the upper half of float32."""

    bits: Array
    dtype: np.dtype[Any]

    def restored(self) -> Array:
        if self.bits.dtype == np.float16:
            return self.bits.astype(self.dtype)
        found: Array = (self.bits.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(self.dtype)
        return found


def _float16(a: Array) -> Array:
    with np.errstate(all="ignore"):
        return a.astype(np.float16)


def _bfloat16(a: Array) -> Array:
    """Rounded to the nearest, ties to even; NaN stays NaN."""
    with np.errstate(all="ignore"):
        bits = np.ascontiguousarray(a, np.float32).view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = ((bits + np.uint32(0x7FFF) + odd) >> np.uint32(16)).astype(np.uint16)
    found: Array = np.where(np.isnan(a), np.uint16(0x7FC0), rounded)
    return found


FORMATS = {"float16": _float16, "bfloat16": _bfloat16}


@contextmanager
def saved_as(dtype: str) -> Iterator[None]:
    """Inside the `with` block `vjp` keeps its saved floats in "float16" or "bfloat16".

    >>> from adjit import vjp
    >>> with saved_as("bfloat16"):
    ...     value, pullback = vjp(lambda x: np.sum(np.exp(x)), np.zeros(2))
    >>> pullback()
    (array([1., 1.]),)
    """
    if dtype not in FORMATS:
        raise TypeError(f"saved values can be float16 or bfloat16, not {dtype!r}")
    convert = FORMATS[dtype]

    def pack(a: Array) -> Any:
        if a.dtype.kind != "f" or a.dtype.itemsize <= 2:
            return a.copy()
        half = Half(convert(a), a.dtype)
        back = half.restored()
        lost = (np.isfinite(a) & ~np.isfinite(back)) | ((a != 0) & (back == 0))
        return a.copy() if lost.any() else half

    with hooked(Hooks(pack, lambda kept: kept.restored() if isinstance(kept, Half) else kept, rounding=True)):
        yield


class LossScaler:
    """A factor for the loss that keeps small cotangents from vanishing. After a gradient that is not finite
    it is multiplied by `backoff` and the step is skipped; after `interval` good ones in a row by `growth`.
    """

    def __init__(
        self, scale: float = 2.0**15, growth: float = 2.0, backoff: float = 0.5, interval: int = 2000
    ) -> None:
        if not (scale > 0 and growth >= 1 and 0 < backoff < 1 and interval > 0):
            raise ValueError("a scaler needs scale > 0, growth >= 1, 0 < backoff < 1 and interval > 0")
        self.scale, self.growth, self.backoff, self.interval = scale, growth, backoff, interval
        self.good = 0

    def unscale(self, grads: Any) -> bool:
        """Divide gradients by the scale, in place; False where one is not finite: skip the step then."""
        found: list[Array] = []
        _arrays(grads, found)
        finite = all(bool(np.isfinite(g).all()) for g in found)
        for g in found if finite else ():
            np.divide(g, g.dtype.type(self.scale), out=g)
        self._update(finite)
        return finite

    def _update(self, finite: bool) -> None:
        self.good = self.good + 1 if finite else 0
        if not finite:
            self.scale = max(self.scale * self.backoff, 2.0**-24)
        elif self.good == self.interval:
            self.scale, self.good = self.scale * self.growth, 0


def _arrays(value: Any, found: list[Array]) -> None:
    node = pytree.children(value)
    if node is not None:
        for part in node[2]:
            _arrays(part, found)
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
        found.append(value)
    elif value is not None:
        raise SeedError(f"a gradient is a {type(value).__name__}, which cannot be changed in place")


__all__ = ["LossScaler", "saved_as"]
