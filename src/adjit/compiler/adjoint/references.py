"""Which memory each name means at the start of a pass, traced back from the end of the pass.

Input: a loop body and the references that its array yields stand for. Output: the references of the loop's array arguments,
primal and shadow, recorded in the reverse sweep. A swap costs nothing: the same variables under other names. A swap under
a branch is undone by a branch on the saved condition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.nodes import Block, If, Operand, Var
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
    cond = stmt.cond
    if isinstance(cond, Var) and cond not in again.values and not again.place.is_top(cond):
        again.values[cond] = again.materialise(cond)
    outs = []
    for v in both:
        assert isinstance(v, Var) and isinstance(v.type, Array)
        outs.append(b.fresh(v.name, v.type))
    b.emit(
        If(
            again.value(cond),
            Block((), tuple(sides[0][v] for v in both)),
            Block((), tuple(sides[1][v] for v in both)),
            tuple(outs),
            loc=stmt.loc,
        )
    )
    known.update(zip(both, outs, strict=True))
