"""Which memory each name means at the start of a pass, traced back from the end of the pass.

Input: a loop body and the references that its array yields stand for. Output: the references of the loop's
array arguments, primal and shadow, recorded in the reverse sweep. A swap costs nothing: the same variables
under other names. A swap under a branch is undone by a branch on the saved condition, swaps in an inner
loop by as many swaps back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.nodes import Block, For, If, Operand, Stmt, Var, While
from ..ir.types import Array

if TYPE_CHECKING:
    from .sweep import ReverseSweep

Known = dict[Operand, Operand]


def resolve(sweep: ReverseSweep, body: Block, arrays: Known, shadows: Known) -> None:
    """Extends the references and shadows known to the sweep."""
    for known in (arrays, shadows):
        _undo(sweep, body, known)
    again = sweep.again
    for known, target in ((arrays, again.references), (shadows, again.shadows)):
        for v, r in known.items():
            assert isinstance(v, Var) and isinstance(r, Var)
            target[v] = r


def _undo(sweep: ReverseSweep, block: Block, known: Known) -> None:
    """From the references at the end of a block to those before its exchanges."""
    for stmt in reversed(block.stmts):
        if isinstance(stmt, If) and any(o in known for o in stmt.outs):
            _undo_choice(sweep, stmt, known)
        elif isinstance(stmt, For | While) and any(o in known for o in stmt.outs):
            _undo_exchange(sweep, stmt, known)


def _undo_choice(sweep: ReverseSweep, stmt: If, known: Known) -> None:
    b, again = sweep.b, sweep.again
    chosen = [k for k, o in enumerate(stmt.outs) if o in known]
    cond = again.ensure(stmt.cond)
    sides: list[tuple[list[Stmt], Known]] = []
    for block in (stmt.then, stmt.orelse):
        before: Known = {block.yields[k]: known[stmt.outs[k]] for k in chosen}
        with b.block() as inner, again.region():
            _undo(sweep, block, before)
        sides.append((inner, before))
    both = [v for v in sides[0][1] if v in sides[1][1] and v not in known]
    if not both:
        return
    outs = []
    for v in both:
        assert isinstance(v, Var) and isinstance(v.type, Array)
        outs.append(b.fresh(v.name, v.type))
    then, orelse = (Block(tuple(inner), tuple(before[v] for v in both)) for inner, before in sides)
    b.emit(If(cond, then, orelse, tuple(outs), loc=stmt.loc))
    known.update(zip(both, outs, strict=True))


def _undo_exchange(sweep: ReverseSweep, stmt: For | While, known: Known) -> None:
    swapped = [k for k, o in enumerate(stmt.outs) if o in known]
    outs = sweep.again.exchange(stmt, swapped, [known[stmt.outs[k]] for k in swapped], backwards=True)
    known.update(zip((stmt.inits[k] for k in swapped), outs, strict=True))
