"""The saved values between the two sweeps, as the pullback owns them and as users look at them.

Input: names and values. Output: a named tuple, and a table with sizes, places and reasons (filled by
`tables`). Non-goals: choosing what to save.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

COLUMNS = ("saved", "line", "dtype", "shape", "bytes", "formula", "needed by the adjoint of line", "why")


@dataclass(frozen=True)
class Row:
    """One saved value. `owned` is false for an argument that is merely kept. `name` is the value's in the
    generated program, `of` the user's; `line` is where it is made, `formula` its bytes as a Python expression
    over the arguments, `reader` the line whose adjoint reads it, with its text in `needed_by`, `why` the
    reason why it is saved rather than computed again.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    owned: bool
    of: str = ""
    line: int = 0
    formula: str = ""
    reader: int = 0
    needed_by: str = ""
    why: str = ""

    @property
    def nbytes(self) -> int:
        """Bytes that it takes beyond the arguments."""
        return int(np.prod(self.shape, dtype=np.int64)) * np.dtype(self.dtype).itemsize if self.owned else 0

    @property
    def cells(self) -> tuple[str, ...]:
        """What stands in a table below `COLUMNS`."""
        size = f"{self.nbytes:,}" if self.owned else "argument"
        reader = f"{self.reader}: {self.needed_by}" if self.reader else ""
        made = str(self.line or "")
        return self.name, made, self.dtype, str(self.shape), size, self.formula, reader, self.why


@dataclass(frozen=True)
class Saved:
    """The table of saved values; `nbytes` is their sum. `peak` are the bytes that one call of the gradient
    has at a time beyond its arguments, results included but not the scratch of library routines; None where
    only a run can tell. `notes` say which loops are run again instead.
    """

    rows: tuple[Row, ...]
    peak: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def nbytes(self) -> int:
        return sum(r.nbytes for r in self.rows)

    def __repr__(self) -> str:
        return f"<adjit saved values: {len(self.rows)}, {self.nbytes} bytes>"

    def __str__(self) -> str:
        lines = [f"{'saved':20} {'line':>5} {'dtype':8} {'shape':16} {'bytes':>12}  formula"]
        for r in self.rows:
            size = f"{r.nbytes:12d}" if r.owned else "    argument"
            line = f"{r.line:5d}" if r.line else "     "
            shape = str(r.shape)
            lines.append(f"{r.name:20} {line} {r.dtype:8} {shape:16} {size}  {r.formula}".rstrip())
            reader = f"needed by the adjoint of line {r.reader}: {r.needed_by}" if r.reader else ""
            lines += [f"{'':6}{text}" for text in (reader, r.why) if text]
        lines.append(f"{'total':52} {self.nbytes:12d}")
        if self.peak is not None:
            lines.append(f"{'most at a time, results included':52} {self.peak:12d}")
        return "\n".join([*lines, *self.notes])


def unique(names: Sequence[str]) -> list[str]:
    """The names as distinct identifiers for fields of a named tuple."""
    found: list[str] = []
    for k, name in enumerate(names):
        base = name.lstrip("_") if name.isidentifier() and name.lstrip("_") else f"value_{k}"
        made, n = base, 0
        while made in found:
            n += 1
            made = f"{base}_{n}"
        found.append(made)
    return found


def named(names: Sequence[str], values: Sequence[Any]) -> Any:
    """The values as a named tuple."""
    return namedtuple("SavedValues", unique(names), rename=True)(*values)
