"""A place to put errors while a stage goes on, so that all of them are told at once.

Input: `AdjitError`s, one at a time. Output: one exception that carries them all, in the order of the source.
Invariants: the class raised is that of the first error; equal errors at one place are kept once.
Non-goals: wording.
"""

from __future__ import annotations

from ..errors import AdjitError


def _order(error: AdjitError) -> tuple[str, int, int]:
    place = error.location
    return ("", 0, 0) if place is None else (place.file, place.line, place.column)


def combined(errors: list[AdjitError]) -> AdjitError:
    """One error that shows all of them; the first in the source gives its class."""
    first, *rest = sorted(errors, key=_order)
    if not rest:
        return first
    kept: list[AdjitError] = []
    seen = {(_order(first), first.message)}
    for error in rest:
        identity = (_order(error), error.message)
        if identity not in seen:
            seen.add(identity)
            kept.append(error)
    return type(first)(first.message, first.location, first.why, first.hint, first.notes, tuple(kept))


class Diagnostics:
    """Collects errors of one stage; `finish` raises them together."""

    def __init__(self) -> None:
        self.errors: list[AdjitError] = []

    def add(self, error: AdjitError) -> None:
        self.errors.append(error)

    def finish(self) -> None:
        if self.errors:
            raise combined(self.errors)
