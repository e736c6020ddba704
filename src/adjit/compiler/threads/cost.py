"""How much work a loop nest does, as far as it can be told before it runs.

Input: the body of a loop. Output: a polynomial: for each product of trip counts of inner loops the number of
simple operations that each of their passes makes. An elementary function counts as many. Trip counts that
are only known inside count as `UNKNOWN`. Invariants: none of the numbers changes a result, only where it is
computed. Non-goals: caches, vectors.
"""

from __future__ import annotations

from ..ir.nodes import Accumulate as Add
from ..ir.nodes import Alloc, Block, Call, Const, For, If, Load, Op, Operand, Stmt, Store, Var, While
from ..ir.visitor import blocks
from ..ops.core import TABLE

WORTH = 100_000  # operations from which on threads are asked for: some 50 microseconds
PER_COPY = 4  # operations for each element of each thread's copy of an array: it is zeroed, read and added
UNKNOWN = 16  # passes of a loop whose bounds are known only inside
FUNCTION = 20  # operations of an elementary function
CALL = 1000

Trips = tuple[Operand, Operand, int]  # bounds and step
Work = dict[tuple[Trips, ...], float]


def work(block: Block, inside: set[Var]) -> Work:
    """The operations of one pass of a block; bounds that are in `inside` cannot be asked for."""
    found: Work = {}
    for stmt in block.stmts:
        _add(found, _of(stmt, inside), 1.0, ())
    return found


def weight(found: Work) -> float:
    """The operations of one pass if inner loops make few passes."""
    return sum(n * float(UNKNOWN) ** len(trips) for trips, n in found.items())


def _add(into: Work, part: Work, times: float, around: tuple[Trips, ...]) -> None:
    for trips, n in part.items():
        key = (*around, *trips)
        into[key] = into.get(key, 0.0) + n * times


def _of(stmt: Stmt, inside: set[Var]) -> Work:
    match stmt:
        case Op(op=op):
            return {(): float(FUNCTION) if TABLE[op].expensive else 1.0}
        case Load() | Store() | Add():
            return {(): 1.0}
        case Alloc():
            return {(): 50.0}
        case Call():
            return {(): float(CALL)}
        case For():
            return _loop(stmt, inside)
        case If() | While():
            found: Work = {}
            for b in blocks(stmt):
                _add(found, work(b, inside), 0.5 if isinstance(stmt, If) else UNKNOWN, ())
            return found
        case _:
            return {(): 1.0}


def _loop(loop: For, inside: set[Var]) -> Work:
    found: Work = {(): 1.0}
    body = work(loop.body, inside)
    lo, hi = loop.lo, loop.hi
    if isinstance(lo, Const) and isinstance(hi, Const):
        _add(found, body, max(0.0, (int(hi.value) - int(lo.value)) / loop.step), ())
    elif lo in inside or hi in inside:
        _add(found, body, UNKNOWN, ())
    else:
        _add(found, body, 1.0, ((lo, hi, loop.step),))
    return found
