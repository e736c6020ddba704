"""The types of what the transforms return, for editors and type checkers.

`P` are the parameters of the user's function, so that a wrong argument shows before the program runs, `R` is
what it returns. Invariants: these are descriptions; the classes that carry them out are in `transform` and
`gradient`. Non-goals: the type of a gradient, which depends on the value of `argnums`: it is `Any`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from ..runtime.buffers import Saved

P = ParamSpec("P")
R = TypeVar("R")
First = TypeVar("First")
Rest = ParamSpec("Rest")
Out = TypeVar("Out", covariant=True)


class Transformed(Protocol[P, Out]):
    """A function under a transform: called like the user's function."""

    __name__: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Out: ...

    @overload
    def __get__(self, owner: None, kind: type, /) -> Transformed[P, Out]: ...
    @overload
    def __get__(
        self: Transformed[Concatenate[First, Rest], Out], owner: First, kind: type | None = None, /
    ) -> Callable[Rest, Out]: ...

    def source(self, *args: P.args, **kwargs: P.kwargs) -> str:
        """The generated program for arguments like these."""

    def path(self, *args: P.args, **kwargs: P.kwargs) -> str:
        """The file that holds the generated program for arguments like these."""

    def compile(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Compile for arguments like these without running."""

    def report(self, path: str | os.PathLike[str], /, *args: P.args, **kwargs: P.kwargs) -> str:
        """Write an HTML page about this transform at these arguments."""

    @property
    def compiled(self) -> Callable[..., Any] | None:
        """The compiled function of the latest kind of arguments, None before the first call."""


class Jitted(Transformed[P, Out], Protocol):
    """What `jit` returns."""

    @property
    def py_func(self) -> Callable[P, Out]:
        """The Python function, uncompiled."""


class Graded(Transformed[P, Out], Protocol):
    """What `grad` returns."""

    def saved(self, *args: P.args, **kwargs: P.kwargs) -> Saved:
        """What the forward sweep leaves for the reverse sweep, for these arguments."""

    def explain(self, name: str, /, *args: P.args, **kwargs: P.kwargs) -> str:
        """The way of an argument to the result, in words and source lines."""


class ValueAndGrad(Graded[P, tuple[Out, Any]], Protocol[P, Out]):
    """What `value_and_grad` returns."""

    def accumulate(self, buffers: Any, /, *args: P.args, **kwargs: P.kwargs) -> Out:
        """Add the gradient into the arrays of `buffers` and return the value."""

    def into(self, buffers: Any, /, *args: P.args, **kwargs: P.kwargs) -> Out:
        """Overwrite the arrays of `buffers` with the gradient and return the value."""


class WithVjp(Protocol[P, Out]):
    """What `custom_vjp` returns."""

    __name__: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Out: ...

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """The rules, forwards and backwards."""


class WithJvp(Protocol[P, Out]):
    """What `custom_jvp` returns."""

    __name__: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Out: ...

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """The rule for tangents."""


__all__ = ["First", "Graded", "Jitted", "P", "R", "Transformed", "ValueAndGrad", "WithJvp", "WithVjp"]
