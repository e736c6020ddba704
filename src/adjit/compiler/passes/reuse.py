"""Arrays of one shape whose lives do not overlap share memory.

    S = empty((n, m))                              S = empty((n, m))
    ... S is read for the last time ...    =>      ...
    T = empty((n, m))                              T = S

Input and output: core IR, with no other pass that moves statements behind it. A life lasts from the first
statement of the function's own block that mentions an array, or a view of it, to the last one. Invariants:
results keep memory of their own. Non-goals: arrays made in loops and branches, arrays of fixed size, memory
of different shapes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..analyses.alias import roots
from ..ir.builder import Names
from ..ir.nodes import Alloc, Block, Function, Reshape, Stmt, Var
from ..ir.types import grows
from ..ir.visitor import all_reads
from .rewrite import cleared

Lives = dict[Var, tuple[int, int]]


def reuse(fn: Function) -> Function:
    """Let arrays take the memory of those that are read no more."""
    memory = roots(fn)
    returned = {r for x in fn.results if isinstance(x, Var) for r in memory.get(x, ())}
    made = {
        s.out: s
        for s in fn.body.stmts
        if isinstance(s, Alloc)
        and s.out not in returned
        and not grows(s.out.type)
        and any(isinstance(n, Var) for n in s.shape)
    }
    lives = _lives(fn.body.stmts, {v: memory[v] & made.keys() for v in memory})
    taken = _taken(made, lives)
    if not taken:
        return fn
    names = Names.above(fn)
    before: dict[int, list[Stmt]] = {}
    for v, memory_of in taken.items():
        alloc = made[v]
        here = before.setdefault(lives[v][0], [])
        here.append(Reshape(v, memory_of, alloc.shape, loc=alloc.loc))
        if alloc.zeroed:
            here.append(cleared(alloc, names))
    stmts: list[Stmt] = []
    for k, s in enumerate(fn.body.stmts):
        stmts += before.get(k, ())
        if not (isinstance(s, Alloc) and s.out in taken):
            stmts.append(s)
    return replace(fn, body=Block(tuple(stmts), fn.body.yields))


def _lives(stmts: Iterable[Stmt], memory: dict[Var, frozenset[Var]]) -> Lives:
    """The numbers of the first and the last statement that mention an array."""
    found: Lives = {}
    for k, s in enumerate(stmts):
        if not isinstance(s, Alloc):
            for x in all_reads(s):
                for r in memory.get(x, ()) if isinstance(x, Var) else ():
                    found[r] = (found.get(r, (k, k))[0], k)
    return found


def _taken(made: dict[Var, Alloc], lives: Lives) -> dict[Var, Var]:
    """Whose memory an array takes: of those that are free, the one that was in use last."""
    found: dict[Var, Var] = {}
    free: dict[object, list[Var]] = {}
    for v in sorted(lives, key=lambda v: lives[v]):
        alloc = made[v]
        same = free.setdefault((v.type.dtype, alloc.shape), [])
        gone = [w for w in same if lives[w][1] < lives[v][0]]
        if gone:
            found[v] = max(gone, key=lambda w: lives[w][1])
            same.remove(found[v])
        same.append(v)
    return found
