"""Cotangents of scalars during the reverse sweep.

Scalars are values: a cotangent is the operand of the sum so far. A region (loop body, branch) starts with the
sums that it is handed and ends with those that it hands back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..ir.builder import Builder, const
from ..ir.nodes import Operand, Var
from .activity import Activity


class Cotangents:
    def __init__(self, b: Builder, active: Activity) -> None:
        self.b, self.active = b, active
        self.sums: dict[Var, Operand] = {}

    def add(self, v: Operand, contribution: Operand) -> None:
        """The first contribution is the sum, later ones are added."""
        if not isinstance(v, Var) or v not in self.active:
            return
        kept = self.sums.get(v)
        self.sums[v] = (
            contribution if kept is None else self.b.op("add", kept, contribution, hint=f"ct_{v.name}")
        )

    def take(self, v: Var) -> Operand | None:
        """The finished sum of a value whose uses have all been reversed; None if it is zero."""
        return self.sums.pop(v, None)

    def get(self, v: Var) -> Operand:
        return self.sums.get(v, const(0, v.type.dtype))

    @contextmanager
    def region(self, start: dict[Var, Operand]) -> Iterator[dict[Var, Operand]]:
        """Collect into `start`, then go back to the sums outside."""
        kept, self.sums = self.sums, dict(start)
        try:
            yield self.sums
        finally:
            self.sums = kept
