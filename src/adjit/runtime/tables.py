"""The rows of `f.saved`: what a forward sweep keeps, with sizes, places and reasons.

Input: a forward sweep with notes on what it keeps, the arguments and their spelling. Output: a `Saved`
table. Loaded where a table is asked for, since it needs the adjoint. Non-goals: choosing what to save.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..compiler.adjoint import Note
from ..compiler.analyses.sizes import Sizes, Unknown
from ..compiler.ir.nodes import Function, Var
from ..compiler.ir.types import Array
from ..errors import source_line
from .buffers import Row, Saved, unique


class _Table:
    def __init__(self, sweep: Function, arguments: Sequence[Any], names: Sequence[str]) -> None:
        spelled = dict(zip(sweep.params, names, strict=False))
        self.sizes = Sizes(sweep, arguments, spelled)
        self.params = set(sweep.params)

    def shape(self, v: Var) -> tuple[int, ...]:
        if not isinstance(v.type, Array):
            return ()
        if v.type.growing:
            raise Unknown(v.name)
        return tuple(max(self.sizes.length(v, k), 0) for k in range(v.type.ndim))

    def owned(self, v: Var) -> bool:
        return v not in self.params

    def formula(self, v: Var) -> str:
        return self.sizes.formula_of(v) if self.owned(v) else ""


def table(
    sweep: Function,
    notes: Sequence[Note],
    arguments: Sequence[Any],
    names: Sequence[str],
    run: Callable[[], Sequence[Any]],
    whole: Function | None = None,
) -> Saved:
    """A row per value that the forward sweep keeps: the last results of `sweep`. `run` gives these values; it
    is called only where shapes depend on a run. `whole` is the gradient's own function, for its memory.
    """
    made = _Table(sweep, arguments, names)
    kept = [v for v in sweep.results[len(sweep.results) - len(notes) :] if isinstance(v, Var)]
    assert len(kept) == len(notes)
    values: Sequence[Any] | None = None
    rows = []
    for k, (v, note, name) in enumerate(zip(kept, notes, unique([v.name for v in kept]), strict=True)):
        try:
            shape = made.shape(v)
        except Unknown:
            values = run()[-len(notes) :] if values is None else values
            shape = np.shape(values[k])
        at = note.reader
        text = source_line(at).strip() if at is not None else ""
        line, reader = note.made.line, 0 if at is None else at.line
        formula = made.formula(v)
        rows.append(
            Row(name, v.type.dtype, shape, made.owned(v), note.name, line, formula, reader, text, note.why)
        )
    return Saved(tuple(rows), None if whole is None else peak(whole, arguments), sweep.notes)


def peak(fn: Function, arguments: Sequence[Any]) -> int | None:
    """The most bytes that a call of a finished function has at a time beyond its arguments."""
    try:
        return Sizes(fn, arguments).peak()
    except Unknown:
        return None
