"""Cotangents of scalars during the reverse sweep.

Scalars are values: a cotangent is the operand of the sum so far. A region (loop body, branch) starts with the
sums that it is handed and ends with those that it hands back. A loop that collects float32 contributions
to a value from outside adds them up in float64; whoever takes the sum gets it in the value's own dtype.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..ir.builder import Builder, const
from ..ir.nodes import Block, For, Operand, Var, While
from ..ir.types import FLOAT64
from ..ir.visitor import walk
from .activity import Activity

COLLECTED = FLOAT64  # the type in which a loop adds up the cotangent of a value from outside


class Cotangents:
    def __init__(self, b: Builder, active: Activity) -> None:
        self.b, self.active = b, active
        self.sums: dict[Var, Operand] = {}

    def add(self, v: Operand, contribution: Operand) -> None:
        """The first contribution is the sum, later ones are added."""
        if not isinstance(v, Var) or v not in self.active:
            return
        kept = self.sums.get(v)
        if kept is None:
            self.sums[v] = contribution
        else:
            more = self.b.cast(contribution, kept.type.dtype)
            self.sums[v] = self.b.op("add", kept, more, hint=f"ct_{v.name}")

    def take(self, v: Var) -> Operand | None:
        """The finished sum of a value whose uses have all been reversed; None if it is zero."""
        found = self.sums.pop(v, None)
        return None if found is None else self.b.cast(found, v.type.dtype, hint=f"ct_{v.name}")

    def get(self, v: Var) -> Operand:
        return self.b.cast(self.sums.get(v, const(0, v.type.dtype)), v.type.dtype, hint=f"ct_{v.name}")

    def start(self, v: Var) -> Operand:
        """The sum so far, as a loop goes on with it."""
        return self.b.cast(self.sums.get(v, const(0, v.type.dtype)), COLLECTED.dtype, hint=f"ct_{v.name}")

    def within(self, body: Block, carried: dict[Var, Operand]) -> dict[Var, Operand]:
        """The sums that a pass of a loop goes on with. What an innermost pass contributes in float32 it adds
        up by itself first (`finished`), so that it is converted once.
        """
        if any(isinstance(s, For | While) for s in walk(body)):
            return carried
        return {v: x for v, x in carried.items() if v.type == COLLECTED}

    def finished(self, v: Var, carried: Operand) -> Operand:
        """The sum at the end of a pass, which began with `carried`."""
        found = self.sums.get(v, carried)
        if found.type == COLLECTED:
            return found
        return self.b.op("add", carried, self.b.cast(found, COLLECTED.dtype), hint=f"ct_{v.name}")

    @contextmanager
    def region(self, start: dict[Var, Operand]) -> Iterator[dict[Var, Operand]]:
        """Collect into `start`, then go back to the sums outside."""
        kept, self.sums = self.sums, dict(start)
        try:
            yield self.sums
        finally:
            self.sums = kept
