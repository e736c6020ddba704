"""Scratch arrays move into the loop whose passes fill them before they read them.

    r = empty(m)                              for i in range(n):
    for i in range(n):                            r = empty(m)
        for k in range(m): r[k] = x[i, k]  =>     for k in range(m): r[k] = x[i, k]
        for k in range(m): y[i] += r[k]           for k in range(m): y[i] += r[k]

Input and output: core IR. Memory that lies outside a loop and that all its passes use ties them together
even if
none reads what another left in it; inside, each thread has its own. Where nothing comes of it, a later pass
moves the array out again. Non-goals: loops with branches, arrays that start as zeros.
"""

from __future__ import annotations

from dataclasses import replace

from ..analyses.dependence import Dependence
from ..analyses.private import is_private
from ..ir.nodes import Alloc, Block, For, Function, If, Stmt, Var, While
from ..ir.types import grows
from ..ir.visitor import walk, with_blocks


def sink(fn: Function) -> Function:
    """Move each scratch array into the innermost loop that has it for itself."""
    facts = Dependence(fn)
    allocs = [
        s
        for s in facts.definitions.stmts
        if isinstance(s, Alloc) and not s.zeroed and s.shape and not grows(s.out.type)
    ]
    loops = [s for s in walk(fn.body) if isinstance(s, For) and not _branches(s)]
    target: dict[For, list[Alloc]] = {}
    moved: set[Stmt] = set()
    for alloc in allocs:
        depth = len(facts.definitions.place[alloc].loops)
        chosen: For | None = None
        for loop in loops:  # outer ones come before those inside them
            around = facts.definitions.place[loop].loops
            reached = around[:depth] == facts.definitions.place[alloc].loops and (
                chosen is None or chosen in around
            )
            if reached and is_private(facts, loop, alloc.out) and _shared(facts, loop, alloc.out):
                chosen = loop
        if chosen is not None:
            target.setdefault(chosen, []).append(alloc)
            moved.add(alloc)
    if not moved:
        return fn

    def block(old: Block, first: list[Alloc]) -> Block:
        return Block((*first, *(one(s) for s in old.stmts if s not in moved)), old.yields)

    def one(stmt: Stmt) -> Stmt:
        own = target.get(stmt, []) if isinstance(stmt, For) else []
        return with_blocks(stmt, lambda b: block(b, own))

    return replace(fn, body=block(fn.body, []))


def _shared(facts: Dependence, loop: For, array: Var) -> bool:
    """Whether different passes of a loop use the same elements."""
    found = [a for s in walk(loop.body) for a in facts.accesses(s) if a.array is array]
    return any(
        facts.carried(x, y, loop) for k, x in enumerate(found) for y in found[: k + 1] if x.write or y.write
    )


def _branches(loop: For) -> bool:
    return any(isinstance(s, If | While) for s in walk(loop.body))
