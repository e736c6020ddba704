"""What a statement does to memory.

Input: a statement. Output: the array variables through which it writes or reads. Control statements
have no effect of their own: look at the statements inside. A library routine that the table does not
know reads and writes all of its arrays.
"""

from __future__ import annotations

from ..ir.nodes import Accumulate, Bounds, Call, Dim, If, Load, Mark, Op, Stmt, Store, Var
from ..ir.types import Array
from ..ir.visitor import blocks
from ..library import ROUTINES


def writes(stmt: Stmt) -> tuple[Var, ...]:
    """Arrays that a statement stores to, accumulations included."""
    match stmt:
        case Store(array=array) | Accumulate(array=array):
            return (array,)
        case Call():
            return _arguments(stmt, "writes")
        case _:
            return ()


def reads(stmt: Stmt) -> tuple[Var, ...]:
    """Arrays whose elements a statement reads (an accumulation reads what it adds to)."""
    match stmt:
        case Load(array=array) | Accumulate(array=array):
            return (array,)
        case Call():
            return _arguments(stmt, "reads")
        case Mark(value=Var() as value) if isinstance(value.type, Array):
            return (value,)
        case _:
            return ()


def lasting(stmt: Stmt) -> bool:
    """Whether a statement does more when it is run twice: it draws random numbers, seeds them or prints."""
    return isinstance(stmt, Call) and stmt.name.startswith(("draw_", "show", "seed"))


def only_checks(stmt: Stmt) -> bool:
    """Whether a statement is a branch in which indices are checked, and nothing else is done."""
    inside = [s for b in blocks(stmt) for s in b.stmts]
    return (
        isinstance(stmt, If)
        and not stmt.outs
        and all(isinstance(s, Op | Dim | Bounds) or only_checks(s) for s in inside)
    )


def _arguments(call: Call, kind: str) -> tuple[Var, ...]:
    routine = ROUTINES.get(call.name)
    wanted = range(len(call.args)) if routine is None else getattr(routine, kind)
    found = [call.args[k] for k in wanted if k < len(call.args)]
    if routine is not None and kind == "reads" and any(a == "accumulate" or a is True for a in call.attrs):
        found += [call.args[k] for k in routine.writes]
    return tuple(dict.fromkeys(a for a in found if isinstance(a, Var) and isinstance(a.type, Array)))
