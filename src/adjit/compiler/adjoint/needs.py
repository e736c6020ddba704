"""What the reverse of a statement reads of the forward sweep.

Input: a statement and the activity. Output: scalar variables. Array contents read by library calls are the
matter of `plan`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.nodes import (
    Accumulate,
    Alloc,
    Call,
    For,
    Function,
    If,
    Load,
    Op,
    Operand,
    Reshape,
    Stmt,
    Store,
    Var,
    View,
    While,
)
from ..ir.types import Array
from ..ir.visitor import operands, walk
from .activity import Activity, differentiable_args, is_active
from .partials import reads
from .recipes import variables


def active_positions(stmt: Op, active: Activity) -> list[int]:
    """Arguments of an op that receive a contribution."""
    able = differentiable_args(stmt)
    return [k for k, a in enumerate(stmt.args) if a in active and any(a is d for d in able)]


def _direct(stmt: Stmt, active: Activity) -> tuple[Operand, ...]:
    match stmt:
        case Op():
            return tuple(reads(stmt, active_positions(stmt, active)))
        case Load(index=index) | Store(index=index) | Accumulate(index=index):
            return index
        case For(lo=lo, hi=hi, stop=stop, trips=trips):
            return (lo, hi) if stop is None or trips is None else (lo, hi, trips)
        case While(trips=trips):
            return () if trips is None else (trips,)
        case If(cond=cond):
            return (cond,)
        case Call(args=args):
            return args
        case _:
            return ()


def needs(stmt: Stmt, active: Activity) -> tuple[Var, ...]:
    """Scalar variables that the reverse of an active statement reads; blocks apart.

    Active references made inside loops are made again on the shadow, so what they are made of is read too.
    """
    if isinstance(stmt, Alloc | View | Reshape) and stmt.out in active:
        return variables(operands(stmt))
    if not is_active(stmt, active):
        return ()
    return variables(_direct(stmt, active))


def all_needs(fn: Function, active: Activity) -> Iterator[Var]:
    for stmt in walk(fn.body):
        yield from needs(stmt, active)
        if isinstance(stmt, For | While | If) and any(isinstance(o.type, Array) for o in stmt.outs):
            yield from variables(_direct(stmt, active))
