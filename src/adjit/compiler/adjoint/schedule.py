"""Which states of a long loop are kept while its passes are reversed from the last to the first.

Input: numbers of passes and of states that can be kept, as operands, and a builder. Output: operands. With c
kept states, the one at the start among them, β(c, r) = (c + r)! / (c! r!) passes can be reversed so that
none runs forward more than r times before it is reversed (Griewank & Walther, "Algorithm 799: revolve", ACM
TOMS 26, 2000). Invariants: the sum of passes that run forward is the least possible. Non-goals: keeping and
running (`passes_again`).
"""

from __future__ import annotations

from ..ir.builder import Builder, const
from ..ir.nodes import Block, Operand, Var, While
from ..ir.types import INT

# where the user leaves the choice to adjit:
MOST_RUNS = 3  # forward runs of a pass before it is reversed, the first among them
ROOM = 32  # snapshots of a loop whose number of passes is not known beforehand


def slots(b: Builder, passes: Operand | None, snapshots: Operand | None) -> Operand:
    """How many states are kept at most: the one at the start, and `snapshots` or as many as `MOST_RUNS`
    asks for. Where the number of passes is not known beforehand, the room is that for all snapshots.
    """
    if passes is None:
        return b.op("add", const(ROOM) if snapshots is None else snapshots, const(1), hint="slots")
    if snapshots is not None:
        useful = b.op("maximum", b.op("sub", passes, const(1)), const(0))
        return b.op("add", b.op("minimum", snapshots, useful), const(1), hint="slots")
    count, found = b.fresh("slots", INT), b.fresh("slots", INT)
    with b.block() as stmts:
        reach = b.op("add", count, const(1), hint="reach")
        for r in range(2, MOST_RUNS + 1):
            reach = b.op("floordiv", b.op("mul", reach, b.op("add", count, const(r))), const(r), hint="reach")
        again = b.op("le", reach, passes)  # their end counts as one pass more
    cond = Block(tuple(stmts), (again,))
    with b.block() as stmts:
        more = b.op("add", count, const(1), hint="slots")
    b.emit(While((count,), (const(1),), cond, Block(tuple(stmts), (more,)), (found,), loc=b.loc))
    return found


def distance(b: Builder, left: Operand, free: Operand) -> Operand:
    """How far to run before the next state is kept, where the pass to be reversed is `left` passes ahead and
    `free` further states can be kept.
    """
    with b.block() as some:
        found = _binomial(b, b.op("add", left, const(1)), b.op("add", free, const(1), hint="c"))
    out = b.fresh("distance", INT)
    b.if_(b.op("gt", free, const(0)), Block(tuple(some), (found,)), Block((), (left,)), (out,))
    return out


def _binomial(b: Builder, length: Operand, c: Operand) -> Operand:
    """With r the least number such that `length` <= β(c, r): the largest distance d with d <= β(c, r - 1)
    and what is left behind it is at least β(c - 1, r - 1).
    """
    r, below, reach = (b.fresh(name, INT) for name in ("r", "below", "reach"))
    outs: list[Var] = [b.fresh(v.name, INT) for v in (r, below, reach)]
    with b.block() as stmts:
        again = b.op("lt", reach, length)
    cond = Block(tuple(stmts), (again,))
    with b.block() as stmts:
        more = b.op("add", r, const(1), hint="r")
        further = b.op("floordiv", b.op("mul", reach, b.op("add", c, more)), more, hint="reach")
    body = Block(tuple(stmts), (more, reach, further))
    inits = (const(1), const(1), b.op("add", c, const(1)))
    b.emit(While((r, below, reach), inits, cond, body, tuple(outs), loc=b.loc))
    runs, near, _ = outs
    rest = b.op("floordiv", b.op("mul", near, c), b.op("sub", b.op("add", c, runs), const(1)))
    return b.op("minimum", near, b.op("sub", length, rest), hint="distance")


__all__ = ["MOST_RUNS", "ROOM", "distance", "slots"]
