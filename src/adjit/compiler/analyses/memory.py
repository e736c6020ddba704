"""Tables of the last few programs that were asked about.

Input: a function. Output: what a class of tables, such as `Dependence`, knows of it. Functions are
immutable, and a pass that changes nothing returns the function itself, so that most passes find the table
that the one before them has asked. Invariants: a table belongs to one thread, since it grows as it is
asked.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from typing import TypeVar

from ..ir.nodes import Function

T = TypeVar("T", bound="Table")

KEPT = 4


class _Made(threading.local):
    def __init__(self) -> None:
        self.tables: dict[type, deque[Table]] = defaultdict(lambda: deque(maxlen=KEPT))


_made = _Made()


class Table:
    """What is known of one function, `fn`."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn

    @classmethod
    def about(cls: type[T], fn: Function) -> T:
        """The table of this class for a function; one of the last is not made again."""
        tables = _made.tables[cls]
        for table in tables:
            if table.fn is fn:
                return table  # type: ignore[return-value]
        made = cls(fn)
        tables.append(made)
        return made
