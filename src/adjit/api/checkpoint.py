"""`checkpoint`: functions and loops whose inner values are not saved but computed again in the reverse sweep.

Input: a function, the range of a loop or the condition of one. Output: an object that is called like the
function, by itself or in a differentiated function; the range or the condition as it is. Invariants: values
and derivatives are those without it. Non-goals: what it means in a differentiated function
(`compiler.frontend.recomputed`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, overload

import numpy as np

from ..compiler.describing import described
from .signatures import P, R
from .transform import python_function


class Checkpoint:
    """Made by `checkpoint`."""

    __name__: str

    def __init__(self, fun: Callable[..., Any]) -> None:
        self.fun = python_function(fun)
        functools.update_wrapper(self, self.fun, updated=())
        del self.__wrapped__  # type: ignore[attr-defined]
        self.signature = self.__signature__ = inspect.signature(self.fun)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fun(*args, **kwargs)

    def inlined(self, ctx: Any, args: Any, kwargs: Any) -> Any:
        """The value of a call in a differentiated function."""
        from ..compiler.frontend import recomputed

        return recomputed.call(ctx, self.fun, args, kwargs)

    def __adjit_described__(self) -> str:
        return f"checkpoint {described(self.fun)}"

    def __repr__(self) -> str:
        return f"<adjit checkpoint of {self.__name__}>"


Header = TypeVar("Header", range, bool, np.bool_)


@overload
def checkpoint(fun: Header, *, snapshots: int | None = None) -> Header: ...
@overload
def checkpoint(fun: Callable[P, R]) -> Callable[P, R]: ...
def checkpoint(fun: Any, *, snapshots: int | None = None) -> Any:
    """The function, with less memory in reverse mode: its inner values are computed again from its arguments.

    >>> from adjit import grad
    >>> half = checkpoint(lambda x: x * x / 2.0)
    >>> grad(lambda x: half(x) + x)(3.0)
    4.0

    Around the range of a `for` loop or the condition of a `while`: nothing is saved inside the passes. The
    loop keeps at most `snapshots` states while it runs, besides the one at its start, and the reverse sweep
    runs the passes again from these. None stands for as many as let no pass run forward more than three
    times; for 32 where the number of passes is known only at the end (`while`, `break`).

    >>> def growth(r, n):
    ...     x = 0.1
    ...     for _ in checkpoint(range(n), snapshots=4):
    ...         x = x + r * x * (1.0 - x)
    ...     return x
    >>> round(grad(growth)(0.5, 20), 6)
    0.001795
    """
    if callable(fun):
        if snapshots is not None:
            raise TypeError("snapshots are for loops, not for functions")
        return Checkpoint(fun)
    if snapshots is not None and snapshots < 1:
        raise ValueError(f"snapshots must be at least 1, not {snapshots}")
    return fun


__all__ = ["Checkpoint", "checkpoint"]
