"""Calls of a compiled function of the user's as it is.

Arguments of a call, in order: per number that the function returns a 0-d array; per array a growing array
that becomes its elements in C order, and an array of its lengths; then what is passed. The `Opaque` among the
attributes says how these are put together. Nothing is known of the function's inside: where a derivative of
it is asked for, it is refused. Non-goals: which functions are called like that (`frontend.opaque`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import NotDifferentiableError
from ..ir.builder import Builder
from ..ir.nodes import Call, Stmt
from .core import ROUTINES, Arrays, Routine, Shadows


@dataclass(frozen=True)
class Constant:
    """An argument that is known at compile time: None, a string, a number."""

    value: bool | int | float | str | None


Argument = int | Constant | tuple["Argument", ...]  # a position among what is passed, or a tuple
Path = tuple[int, ...]  # where a leaf of the result is


@dataclass(frozen=True)
class Opaque:
    """`name` is the name in the text, `called` the user's. `results` has, per leaf of the result, its path
    and the rank of an array, None for a number. `passed` has a letter for each number (n) and array (a) that
    is passed. `writes`: it may write to the arrays.
    """

    name: str
    called: str
    arguments: tuple[Argument, ...]
    results: tuple[tuple[Path, int | None], ...]
    passed: str
    writes: bool

    @property
    def written(self) -> int:
        """How many of a call's arguments are for the results."""
        return sum(1 if rank is None else 2 for _, rank in self.results)


def opaque_of(stmt: Stmt) -> Opaque | None:
    found = stmt.attrs[0] if isinstance(stmt, Call) and stmt.attrs else None
    return found if isinstance(found, Opaque) else None


def routine(opaque: Opaque) -> str:
    """The name of the routine for calls of this form."""
    first = opaque.written
    name = f"opaque_{first}_{opaque.passed}{'_writing' if opaque.writes else ''}"
    if name not in ROUTINES:
        passed = range(first, first + len(opaque.passed))
        arrays = [k for k, kind in zip(passed, opaque.passed, strict=True) if kind == "a" and opaque.writes]
        written = (*range(first), *arrays)
        ROUTINES[name] = Routine(name, tuple(passed), written, no_derivative, no_derivative)
    return name


def no_derivative(_b: Builder, call: Call, shadows: Shadows, _primal: Arrays) -> None:
    """Copies of arguments that it may write hold the same afterwards, so they are none of its results."""
    found = opaque_of(call)
    assert found is not None
    if all(shadows[k] is None for k in range(found.written)):
        return
    raise NotDifferentiableError(
        f"a derivative of {found.called!r} is asked for, which is called as it is",
        call.loc,
        "adjit does not read its text: the rule that it is part of gives a first derivative only",
        "write it in code that adjit reads, or give it an adjit.custom_vjp or custom_jvp of its own",
    )


__all__ = ["Argument", "Constant", "Opaque", "Path", "opaque_of", "routine"]
