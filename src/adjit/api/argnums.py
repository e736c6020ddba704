"""Which arguments are differentiated: positions, parameter names, or tuples of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .transform import Transform

Argnums = int | str | Sequence[int | str]


def positions(transform: Transform, argnums: Argnums) -> tuple[tuple[int, ...], bool]:
    """Argument positions, and whether one was named alone."""
    single = isinstance(argnums, int | str)
    chosen = [argnums] if isinstance(argnums, int | str) else list(argnums)
    found = tuple(_position(transform, a) for a in chosen)
    if len(set(found)) < len(found):
        raise ValueError(f"argnums names an argument twice: {argnums!r}")
    return found, single


def _position(transform: Transform, a: int | str) -> int:
    names = transform.names
    what = getattr(transform.base, "__name__", "the function")
    if isinstance(a, str):
        if a not in names:
            raise ValueError(f"argnums names {a!r}, but the parameters of `{what}` are {', '.join(names)}")
        return names.index(a)
    if isinstance(a, bool) or not isinstance(a, int):
        raise TypeError(f"argnums holds positions and parameter names, not {a!r}")
    if not -len(names) <= a < len(names):
        raise ValueError(f"argnums names position {a}, but `{what}` has {len(names)} parameters")
    return a % len(names)


def frozen(argnums: Argnums | None) -> Any:
    """A hashable form."""
    return argnums if argnums is None or isinstance(argnums, int | str) else tuple(argnums)
