"""Arguments of a call, by parameter.

Input: a signature, the name of its function, and what it is called with. Output: the bound arguments,
defaults filled in, or a `TypeError` as Python's own that names the function. Invariant: of several things
wrong, a keyword that is no parameter is told, since another that seems to be missing is often what it was
meant to be.
Non-goals: what the arguments may be.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any


def bound(
    signature: inspect.Signature, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Any, ...]:
    """One value per parameter."""
    try:
        found = signature.bind(*args, **kwargs)
    except TypeError as error:
        known = signature.parameters
        takes_any = any(p.kind is p.VAR_KEYWORD for p in known.values())
        wrong = [k for k in kwargs if k not in known and not takes_any]
        what = f"got an unexpected keyword argument {wrong[0]!r}" if wrong else str(error)
        raise TypeError(f"{name}{signature} {what}") from None
    found.apply_defaults()
    return tuple(found.arguments.values())


__all__ = ["bound"]
