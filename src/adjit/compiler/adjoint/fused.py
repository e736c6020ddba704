"""Emission of loops that are reversed pass by pass.

Input: the reverse sweep and the forward sweep's place at such a loop (`fusion` says which). Output: one
loop with the body's forward statements, their reverse, and the sums of the cotangents of outer scalars.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..ir.nodes import Block, For, Function, Operand, Var
from .cotangents import COLLECTED
from .fusion import Trailing
from .sweep import ReverseSweep, backwards


class FusedLoops:
    def __init__(self, fn: Function, sweep: ReverseSweep, start: Callable[[], object]) -> None:
        self.fn, self.sweep, self.start = fn, sweep, start
        self.finished: dict[For, dict[int, Operand]] = {}

    def before_fused(self, block: Block, trailing: Trailing) -> None:
        """The reverse of the scalar statements behind the first fused loop of a block, and the cotangents of
        the loops' sums, which are those of what the sums start from; shadows and seeds before the first of
        all.
        """
        sweep = self.sweep
        with sweep.into(sweep.forward.b):
            if block is self.fn.body:
                self.start()
            for stmt in reversed(block.stmts):
                with sweep.b.at(backwards(stmt.loc)):
                    if stmt in trailing.behind:
                        sweep.statement(stmt)
                    elif isinstance(stmt, For) and stmt in trailing.loops:
                        self.finished[stmt] = self._through(stmt)
        sweep.done.update(trailing.behind, trailing.loops)

    def _through(self, loop: For) -> dict[int, Operand]:
        """The cotangents of the sums of a loop, handed on to their initial values."""
        found: dict[int, Operand] = {}
        for k, a in enumerate(loop.args):
            ct = self.sweep.ct.take(loop.outs[k]) if a in self.sweep.active else None
            if ct is not None:
                self.sweep.ct.add(loop.inits[k], ct)
                found[k] = ct
        return found

    def fused(self, stmt: For) -> None:
        sweep, forward = self.sweep, self.sweep.forward
        b = forward.b
        finished = self.finished.pop(stmt)
        own = set(stmt.args)
        outside = [v for v in sweep.contributed(stmt.body) if v not in own]
        sums: list[Operand] = [sweep.ct.start(v) for v in outside]
        args = [b.fresh(f"ct_{v.name}", COLLECTED) for v in outside]
        outs = [b.fresh(f"ct_{v.name}", COLLECTED) for v in outside]
        handed: dict[Var, Operand] = dict(zip(outside, args, strict=True))
        start = sweep.ct.within(stmt.body, handed)
        with b.block() as inner, sweep.into(b), sweep.again.region(), sweep.ct.region(start):
            for k, ct in finished.items():
                sweep.ct.add(stmt.body.yields[k], ct)
            forward.top_block(stmt.body)
            sweep.follow()
            sweep.block(stmt.body)
            yields = [sweep.ct.finished(v, x) for v, x in handed.items()]
        new = replace(
            stmt,
            args=(*stmt.args, *args),
            inits=(*stmt.inits, *sums),
            body=Block(tuple(inner), (*stmt.body.yields, *yields)),
            outs=(*stmt.outs, *outs),
        )
        with b.at(stmt.loc):
            b.emit(new)
        for v, o in zip(outside, outs, strict=True):
            sweep.ct.sums[v] = o
