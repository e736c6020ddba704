"""Scratch arrays move into the loop whose passes have no need to share them.

    r = empty(m)                              for i in range(n):
    for i in range(n):                            r = empty(m)
        for k in range(m): r[k] = x[i, k]  =>     for k in range(m): r[k] = x[i, k]
        for k in range(m): y[i] += r[k]           for k in range(m): y[i] += r[k]

Input: a function, and which allocations may move. Output: the function and those that moved. Memory that
lies outside a loop and that all its passes use ties them together even if none reads what another left in
it; inside, each thread has its own. An array of zeros moves if each pass leaves it as zeros: one for all
passes of a thread is enough. Non-goals: loops with branches.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ..analyses.dependence import Dependence
from ..analyses.private import is_clean, is_private
from ..ir.nodes import Alloc, Block, For, Function, If, Stmt, Var, While
from ..ir.types import grows
from ..ir.visitor import walk, with_blocks


def sink(fn: Function, only: Collection[Var] | None = None) -> tuple[Function, frozenset[Var]]:
    """Move each scratch array into the innermost loop that has it for itself."""
    facts = Dependence.about(fn)
    loops = [s for s in walk(fn.body) if isinstance(s, For) and not _branches(s)]
    target: dict[For, list[Alloc]] = {}
    moved: set[Stmt] = set()
    for alloc in facts.definitions.stmts:
        if not isinstance(alloc, Alloc) or not alloc.shape or grows(alloc.out.type):
            continue
        chosen = _loop(facts, loops, alloc) if only is None or alloc.out in only else None
        if chosen is not None:
            target.setdefault(chosen, []).append(alloc)
            moved.add(alloc)
    if not moved:
        return fn, frozenset()

    def block(old: Block, first: list[Alloc]) -> Block:
        return Block((*first, *(one(s) for s in old.stmts if s not in moved)), old.yields)

    def one(stmt: Stmt) -> Stmt:
        own = target.get(stmt, []) if isinstance(stmt, For) else []
        return with_blocks(stmt, lambda b: block(b, own))

    return replace(fn, body=block(fn.body, [])), frozenset(s.out for s in moved if isinstance(s, Alloc))


def _loop(facts: Dependence, loops: list[For], alloc: Alloc) -> For | None:
    """The loop that an array moves into: the outermost for zeros, which then are made once, else the
    innermost.
    """
    place = facts.definitions.place
    outer = place[alloc].loops
    chosen: For | None = None
    for loop in loops:  # outer ones come before those inside them
        around = place[loop].loops
        if around[: len(outer)] != outer or (chosen is not None and (alloc.zeroed or chosen not in around)):
            continue
        alone = is_clean if alloc.zeroed else is_private
        if alone(facts, loop, alloc.out) and _shared(facts, loop, alloc.out):
            chosen = loop
    return chosen


def _shared(facts: Dependence, loop: For, array: Var) -> bool:
    """Whether different passes of a loop use the same elements."""
    found = [a for s in walk(loop.body) for a in facts.accesses(s) if a.array is array]
    return any(
        facts.carried(x, y, loop) for k, x in enumerate(found) for y in found[: k + 1] if x.write or y.write
    )


def _branches(loop: For) -> bool:
    return any(isinstance(s, If | While) for s in walk(loop.body))
