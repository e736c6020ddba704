"""Which loops of a nest become threads, and which accumulations of its body need atomics.

Input: dependence facts and a loop whose passes are free of order. Output: up to three nested loops, outermost
first; the accumulations in which different threads may meet. Loops are nested as threads only if what
stands between them can be computed by every thread again, and nothing that a thread reads there is written
inside. Non-goals: interchanging loops.
"""

from __future__ import annotations

from collections.abc import Callable

from ..analyses.dependence import Dependence
from ..ir.nodes import Accumulate, Dim, For, Load, Op
from ..ir.visitor import walk

DEEPEST = 3


def nest(facts: Dependence, parallel: Callable[[For], bool], loop: For) -> tuple[For, ...]:
    """The loops that are spread over threads, outermost first; `loop` is the first of them."""
    found = [loop]
    while len(found) < DEEPEST:
        inner = _inner(facts, found[-1])
        if inner is None or not parallel(inner):
            break
        found.append(inner)
    return tuple(found)


def _inner(facts: Dependence, outer: For) -> For | None:
    """The one loop inside a loop, where both can be threads."""
    loops = [s for s in outer.body.stmts if isinstance(s, For)]
    others = [s for s in outer.body.stmts if not isinstance(s, For)]
    if len(loops) != 1 or not all(isinstance(s, Op | Load | Dim) for s in others):
        return None
    (inner,) = loops
    if len(inner.args) != len(outer.args) or inner.inits != outer.args or outer.body.yields != inner.outs:
        return None
    shared = len(facts.definitions.place[inner].loops)
    writes = [a for s in walk(inner.body) for a in facts.accesses(s) if a.write]
    for s in others:
        if isinstance(s, Load) and any(facts.clash(facts.accesses(s)[0], w, shared) for w in writes):
            return None
    return inner


def contended(facts: Dependence, loops: tuple[For, ...]) -> frozenset[Accumulate]:
    """Accumulations through which two threads may add to one element."""
    sums = [s for s in walk(loops[0].body) if isinstance(s, Accumulate)]
    found: set[Accumulate] = set()
    for k, a in enumerate(sums):
        for b in sums[: k + 1]:
            x, y = facts.accesses(a)[0], facts.accesses(b)[0]
            for loop in loops:
                outside = len(facts.definitions.place[loop].loops)
                if facts.clash(x, y, outside, loop) or (a is not b and facts.clash(y, x, outside, loop)):
                    found.update((a, b))
                    break
    return frozenset(found)
