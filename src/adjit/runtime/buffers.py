"""The saved values between the two sweeps, as the pullback owns them and as users look at them.

Input: names and values. Output: a named tuple, and a table with sizes. Non-goals: choosing what to save.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Row:
    """One saved value. `owned` is false for an argument that is merely kept."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    owned: bool

    @property
    def nbytes(self) -> int:
        """Bytes that it takes beyond the arguments."""
        return int(np.prod(self.shape, dtype=np.int64)) * np.dtype(self.dtype).itemsize if self.owned else 0


@dataclass(frozen=True)
class Saved:
    """The table of saved values; `nbytes` is their sum."""

    rows: tuple[Row, ...]

    @property
    def nbytes(self) -> int:
        return sum(r.nbytes for r in self.rows)

    def __str__(self) -> str:
        lines = [f"{'saved':20} {'dtype':8} {'shape':20} {'bytes':>12}"]
        for r in self.rows:
            size = f"{r.nbytes:12d}" if r.owned else "    argument"
            lines.append(f"{r.name:20} {r.dtype:8} {r.shape!s:20} {size}")
        lines.append(f"{'total':50} {self.nbytes:12d}")
        return "\n".join(lines)


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


def table(names: Sequence[str], values: Sequence[Any], arguments: Sequence[Any]) -> Saved:
    """The table for saved values; those in the arguments' memory are not owned."""
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    rows = []
    for name, value in zip(unique(names), values, strict=True):
        shared = isinstance(value, np.ndarray) and any(np.may_share_memory(value, a) for a in arrays)
        rows.append(
            Row(
                name,
                str(np.dtype(getattr(value, "dtype", None) or np.result_type(value))),
                np.shape(value),
                not shared,
            )
        )
    return Saved(tuple(rows))
