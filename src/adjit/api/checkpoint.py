"""`checkpoint`: a function whose inner values are not saved but computed again in the reverse sweep.

Input: a function. Output: an object that is called like it, by itself or in a differentiated function.
Invariants: values and derivatives are those of the function. Non-goals: schedules for loops.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ..compiler.describing import described
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


def checkpoint(fun: Callable[..., Any]) -> Checkpoint:
    """The function, with less memory in reverse mode: its inner values are computed again from its arguments.

    >>> from adjit import grad
    >>> half = checkpoint(lambda x: x * x / 2.0)
    >>> grad(lambda x: half(x) + x)(3.0)
    4.0
    """
    return Checkpoint(fun)


__all__ = ["Checkpoint", "checkpoint"]
