"""Which arguments are differentiated: positions, parameter names, or tuples of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..compiler.program import Position, Starred
from .transform import Transform

Argnums = int | str | Sequence[int | str]


def positions(transform: Transform, argnums: Argnums) -> tuple[tuple[Position, ...], bool]:
    """Argument positions, and whether one was named alone. Numbers count the positional arguments of a call,
    so they reach into `*args`; the name of `*args` means all of them.
    """
    single = isinstance(argnums, int | str)
    several = isinstance(argnums, Sequence) and all(isinstance(a, int | str) for a in argnums)
    if not single and not several:
        raise TypeError(
            f"argnums holds positions and parameter names, not {argnums!r}; a transform gives a function, "
            "which takes the arguments: adjit.grad(f)(x)"
        )
    chosen = [argnums] if isinstance(argnums, int | str) else list(argnums)
    found = tuple(_position(transform, a) for a in chosen)
    if len(set(found)) < len(found):
        raise ValueError(f"argnums names an argument twice: {argnums!r}")
    return found, single


def every(transform: Transform) -> tuple[Position, ...]:
    """All arguments, those of `*args` one by one."""
    star = starred(transform)
    return tuple(Starred(k, None) if k == star else k for k in range(len(transform.names)))


def starred(transform: Transform) -> int | None:
    """The number of the parameter `*args`."""
    parameters = transform.signature.parameters.values()
    return next((k for k, p in enumerate(parameters) if p.kind is p.VAR_POSITIONAL), None)


def _position(transform: Transform, a: int | str) -> Position:
    names = transform.names
    what = getattr(transform.base, "__name__", "the function")
    if isinstance(a, str):
        if a not in names:
            raise ValueError(f"argnums names {a!r}, but the parameters of `{what}` are {', '.join(names)}")
        return names.index(a)
    if isinstance(a, bool) or not isinstance(a, int):
        raise TypeError(f"argnums holds positions and parameter names, not {a!r}")
    star = starred(transform)
    if star is not None and not 0 <= a < star:
        return Starred(star, a - star if a >= 0 else a)
    if not -len(names) <= a < len(names):
        raise ValueError(f"argnums names position {a}, but `{what}` has {len(names)} parameters")
    return a % len(names)


def frozen(argnums: Argnums | None) -> Any:
    """A hashable form."""
    return argnums if argnums is None or isinstance(argnums, int | str) else tuple(argnums)
