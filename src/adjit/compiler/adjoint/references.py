"""Which memory each name means at the start of a pass, traced back from the end of the pass.

Input: a loop body and the references that its array yields stand for. Output: the references of the loop's array arguments,
primal and shadow, recorded in the reverse sweep. A swap costs nothing: the same variables under other names. A swap under
a branch is undone by a branch on the saved condition, swaps in an inner loop by as many swaps back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.nodes import Block, For, If, Operand, Var, While
from ..ir.types import Array

if TYPE_CHECKING:
    from .sweep import ReverseSweep

Known = dict[Operand, Operand]


def resolve(sweep: ReverseSweep, body: Block, arrays: Known, shadows: Known) -> None:
    """Extends the references and shadows known to the sweep."""
    for known in (arrays, shadows):
        for stmt in reversed(body.stmts):
            if isinstance(stmt, If) and any(o in known for o in stmt.outs):
                _undo_choice(sweep, stmt, known)
            elif isinstance(stmt, For | While) and any(o in known for o in stmt.outs):
                _undo_exchange(sweep, stmt, known)
    again = sweep.again
    for known, target in ((arrays, again.references), (shadows, again.shadows)):
        for v, r in known.items():
            assert isinstance(v, Var) and isinstance(r, Var)
            target[v] = r


def _undo_choice(sweep: ReverseSweep, stmt: If, known: Known) -> None:
    b, again = sweep.b, sweep.again
    chosen = [k for k, o in enumerate(stmt.outs) if o in known]
    sides: list[Known] = [{block.yields[k]: known[stmt.outs[k]] for k in chosen} for block in (stmt.then, stmt.orelse)]
    both = [v for v in sides[0] if v in sides[1] and v not in known]
    if not both:
        return
    cond = again.ensure(stmt.cond)
    outs = []
    for v in both:
        assert isinstance(v, Var) and isinstance(v.type, Array)
        outs.append(b.fresh(v.name, v.type))
    b.emit(
        If(
            cond,
            Block((), tuple(sides[0][v] for v in both)),
            Block((), tuple(sides[1][v] for v in both)),
            tuple(outs),
            loc=stmt.loc,
        )
    )
    known.update(zip(both, outs, strict=True))


def _undo_exchange(sweep: ReverseSweep, stmt: For | While, known: Known) -> None:
    swapped = [k for k, o in enumerate(stmt.outs) if o in known]
    outs = sweep.again.exchange(stmt, swapped, [known[stmt.outs[k]] for k in swapped], backwards=True)
    known.update(zip((stmt.inits[k] for k in swapped), outs, strict=True))
