"""Tracebacks that end at the user's line.

Input: an error from a generated program, and the program's text with its line map. Output: the same error,
whose traceback has the user's line as its last entry, as if it had been raised there. Uncompiled programs
have a frame of their own, whose line is looked up, and whose variables a debugger finds at the user's line
too. Compiled ones do not say where they were; the only thing in them that raises without a check is a library
routine, so its call is the place if there is one, and a note names the lines if there are several.
Invariants: the error's type, message and cause stay. Non-goals: errors of adjit itself.
"""

from __future__ import annotations

import re
from functools import cache
from types import TracebackType
from typing import TypeVar

from ..compiler.codegen.linemap import Text
from ..errors import Place
from .plain import UNCOMPILED

E = TypeVar("E", bound=BaseException)


@cache
def _routine_call() -> re.Pattern[str]:
    """A line that calls a library routine which may raise. The table is loaded when it is needed first."""
    from ..compiler.library import ROUTINES

    raising = "|".join(sorted(ROUTINES.keys() - {"gemm", "argsort"}))
    return re.compile(rf"\s*({raising})\(")


def _generated(error: BaseException) -> TracebackType | None:
    """The last entry of an error's traceback that is in an uncompiled program."""
    inside, at = None, error.__traceback__
    while at is not None:
        if at.tb_frame.f_globals.get("__name__", "").endswith(UNCOMPILED):
            inside = at
        at = at.tb_next
    return inside


def _entry(place: Place, inside: TracebackType | None) -> TracebackType | None:
    """A traceback of one entry, at the place, with the variables of the generated program."""
    name = place.function if place.function.isidentifier() else "<module>"
    source = "\n" * (place.line - 1) + "raise __error__"
    code = compile(source, place.file, "exec").replace(co_name=name)
    variables = {} if inside is None else dict(inside.tb_frame.f_locals)
    try:
        exec(code, {"__error__": RuntimeError()}, variables)
    except RuntimeError as raised:
        return raised.__traceback__.tb_next if raised.__traceback__ is not None else None
    return None


def raised_at(error: E, place: Place | None, found: BaseException | None = None) -> E:
    """The error as if the user's line had raised it. `found` is what the generated program did raise."""
    if place is None or place.line <= 0:
        return error
    entry = _entry(place, _generated(found or error))
    if entry is None:
        return error
    last = error.__traceback__
    if last is None:
        return error.with_traceback(entry)
    while last.tb_next is not None:
        last = last.tb_next
    last.tb_next = entry
    return error


def located(error: E, text: Text) -> E:
    """An error that came out of a generated program, with the user's line."""
    inside = _generated(error)
    if inside is not None:
        return raised_at(error, text.user_location(inside.tb_lineno))
    lines = [k for k, line in enumerate(text.source.split("\n"), start=1) if _routine_call().match(line)]
    places = {p.line: p for p in (text.user_location(k) for k in lines) if p is not None}
    if len(places) == 1:
        return raised_at(error, next(iter(places.values())))
    if places and hasattr(error, "add_note"):
        listed = "\n".join(f"  {p}" for _, p in sorted(places.items()))
        error.add_note(f"raised by one of the library calls at\n{listed}")
    return error
