"""What a part of the program leaves on its way for the call that its derivative goes through.

Input: a function before it is differentiated. Output: the same function, in which calls inside loops and
branches do without. What is left is memory that a call at the top of a function finds as it was; inside a
loop there would have to be a copy of it for each pass. Non-goals: what the calls do (`checkpoints`).
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.nodes import Block, Call, Function, Operand, Stmt
from ..ir.visitor import blocks, walk, with_blocks


class Leaving:
    """The attribute of a call whose part may leave something."""

    def left_in(self, call: Call) -> frozenset[int]:
        """Which arguments of the call are that."""
        return frozenset()

    def anew(self, call: Call) -> Call:
        """The call without them."""
        return call


def left(stmt: Stmt | None) -> tuple[Operand, ...]:
    """What was left for a statement."""
    if isinstance(stmt, Call) and (part := _leaving(stmt)) is not None:
        return tuple(stmt.args[k] for k in part.left_in(stmt))
    return ()


def outermost_only(fn: Function) -> Function:
    """The function in which only calls outside of all loops and branches are given what was left."""
    if not any(_leaving(s) for top in fn.body.stmts for inner in blocks(top) for s in walk(inner)):
        return fn
    return replace(fn, body=Block(tuple(with_blocks(s, _inner) for s in fn.body.stmts), fn.body.yields))


def _inner(block: Block) -> Block:
    return Block(tuple(map(_anew, block.stmts)), block.yields)


def _anew(stmt: Stmt) -> Stmt:
    if isinstance(stmt, Call) and (part := _leaving(stmt)) is not None:
        return part.anew(stmt)
    return with_blocks(stmt, _inner)


def _leaving(stmt: Stmt) -> Leaving | None:
    found = stmt.attrs[0] if isinstance(stmt, Call) and stmt.attrs else None
    return found if isinstance(found, Leaving) else None


__all__ = ["Leaving", "left", "outermost_only"]
