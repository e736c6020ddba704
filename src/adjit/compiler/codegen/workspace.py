"""Which arrays of a function can lie in memory that is kept from call to call.

Input: a core function, and which of its results are lent: the caller keeps the workspace for as long as it
reads them. Output: the arrays whose allocations may be taken from a workspace. Fresh memory costs a page
fault per four kilobytes, more than most loops that fill it. Invariants: such an array is not, and shares
nothing with, a result that is not lent; its allocation runs at most once per call. Non-goals: sharing
memory between arrays whose lives do not overlap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..analyses.alias import roots
from ..ir.nodes import Alloc, Block, Const, Function, If, Stmt, Var
from ..ir.types import Array

SMALL = 64  # elements: an array that small is cheap to make
FEW = 2048  # elements in arrays of fixed size: for these alone a function has no workspace


def _once(block: Block) -> Iterator[Stmt]:
    """Statements that run at most once per call: those of loops are left out."""
    for stmt in block.stmts:
        yield stmt
        if isinstance(stmt, If):
            yield from _once(stmt.then)
            yield from _once(stmt.orelse)


def _size(stmt: Alloc) -> int | None:
    """The number of elements, where it is fixed."""
    size = 1
    for n in stmt.shape:
        if not isinstance(n, Const):
            return None
        size *= int(n.value)
    return size


def reusable(fn: Function, lent: Collection[int] = ()) -> frozenset[Var]:
    """Arrays that can be taken from a workspace."""
    memory = roots(fn)
    returned: set[Var] = set()
    for k, r in enumerate(fn.results):
        if k not in lent and isinstance(r, Var) and isinstance(r.type, Array):
            returned |= memory[r]
    found: dict[Var, int | None] = {}
    for stmt in _once(fn.body):
        if isinstance(stmt, Alloc) and stmt.out not in returned:
            growing = isinstance(stmt.out.type, Array) and stmt.out.type.growing
            size = _size(stmt)
            if not growing and (size is None or size > SMALL):
                found[stmt.out] = size
    fixed = [n for n in found.values() if n is not None]
    return frozenset() if len(fixed) == len(found) and sum(fixed) <= FEW else frozenset(found)
