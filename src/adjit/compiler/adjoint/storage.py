"""Where saved values lie: one buffer per value, one slot per execution of its block.

Loops whose bounds are known before the outermost of them starts form a *box*: slots are numbered by their
indices. A box that encloses all loops of a block gives a buffer with one axis per loop. Otherwise the box
is executed again and again by the loops around it (a `while`, a loop with `break`, a loop whose neighbour's
bounds depend on it): then the buffer is flat, and a running position, carried through those loops, says
where the box's slots begin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..ir.builder import Builder, const
from ..ir.nodes import Block, For, Op, Operand, Stmt, Var
from ..ir.visitor import int_const
from .placement import Loop, Placement

ZERO, ONE = const(0), const(1)
Lookup = Callable[[Operand], Operand]


@dataclass(frozen=True)
class Layout:
    """Slots of a block: `outer` loops carry the position of `site`, `box` loops number the slots from there.

    The position moves on after each execution of `mover`, which lies in the block `owner`. All three are
    None where the box is everything.
    """

    outer: tuple[Loop, ...]
    box: tuple[For, ...]
    site: Block | None = None
    mover: Stmt | Block | None = None
    owner: Block | None = None


def layout(place: Placement, block: Block) -> Layout:
    loops = place.loops(block)
    start = len(loops)
    while start > 0 and _extends(place, loops[start - 1], loops[start:]):
        start -= 1
    inside = tuple(s for s in loops[start:] if isinstance(s, For))
    box = whole_box(place, inside)
    outer = tuple(loops[:start])
    if not outer and (not box or _bounds_on_top(place, box)):
        return Layout((), box)
    body = loops[-1].body
    if box:
        return Layout(outer, box, body, inside[0], place.block_with[inside[0]])
    return Layout(outer, (), body, body, body)


def _extends(place: Placement, loop: Loop, inner: list[Loop]) -> bool:
    """Whether `loop` and the box inside it are a box."""
    if not isinstance(loop, For) or loop.stop is not None:
        return False
    around = (loop, *inner)
    own = [s for s in inner if isinstance(s, For) and strip_of(place, s) not in around]
    bounds = [x for s in own for x in (s.lo, s.hi)]
    return not any(isinstance(x, Var) and place.inside(place.block_of[x], loop) for x in bounds)


def strip_of(place: Placement, loop: For) -> For | None:
    """The loop `for c in range(lo, hi, w)` of which this one is `for i in range(c, min(c + w, hi))`."""
    start = place.definition[loop.lo] if isinstance(loop.lo, Var) else None
    if not isinstance(start, For) or loop.lo is not start.iv or start.step < 1:
        return None
    end = place.definition[loop.hi] if isinstance(loop.hi, Var) else None
    if not isinstance(end, Op) or start.hi not in end.args:
        return None
    return start if most_passes(place, loop) == start.step else None


def most_passes(place: Placement, loop: For) -> int | None:
    """`w` where the loop is `for i in range(c, min(c + w, hi))`."""
    end = place.definition[loop.hi] if isinstance(loop.hi, Var) else None
    if loop.step != 1 or not isinstance(end, Op) or end.op != "minimum":
        return None
    for reached in end.args:
        sum_ = place.definition[reached] if isinstance(reached, Var) else None
        if isinstance(sum_, Op) and sum_.op == "add" and loop.lo in sum_.args:
            return next((int_const(a) for a in sum_.args if a is not loop.lo), None)
    return None


def whole_box(place: Placement, box: tuple[For, ...]) -> tuple[For, ...]:
    """The box with one loop for each loop in strips."""
    strips = {s: strip_of(place, s) for s in box}
    split = {c for c in strips.values() if c in box}
    found = []
    for s in box:
        c = strips[s]
        if c is not None and c in split:
            found.append(replace(s, lo=c.lo, hi=c.hi))
        elif s not in split:
            found.append(s)
    return tuple(found)


def _bounds_on_top(place: Placement, box: tuple[For, ...]) -> bool:
    return all(not isinstance(x, Var) or place.is_top(x) for s in box for x in (s.lo, s.hi))


def trips(b: Builder, loop: For, at: Lookup) -> Operand:
    """Number of passes of a loop without `stop`."""
    return b.op("trips", at(loop.lo), at(loop.hi), const(loop.step), hint="trips")


def passed(b: Builder, loop: For, at: Lookup) -> Operand:
    """How many passes of the loop came before the present one."""
    done = b.op("sub", at(loop.iv), at(loop.lo), hint="k")
    if loop.step in (1, -1):
        return done if loop.step == 1 else b.op("neg", done, hint="k")
    return b.op("floordiv", done, const(loop.step), hint="k")


def size(b: Builder, where: Layout, at: Lookup) -> Operand:
    """Slots of one run of the box."""
    total: Operand = ONE
    for loop in where.box:
        total = b.op("mul", total, trips(b, loop, at), hint="size")
    return total


def slot(b: Builder, where: Layout, at: Lookup, position: Operand) -> tuple[Operand, ...]:
    """Index of the present slot; `at` looks up loop indices and bounds, `position` is where the box
    begins.
    """
    if where.site is None:
        return tuple(passed(b, loop, at) for loop in where.box)
    offset: Operand = ZERO
    for loop in where.box:
        offset = b.op("add", b.op("mul", offset, trips(b, loop, at)), passed(b, loop, at), hint="slot")
    return (b.op("add", position, offset, hint="slot"),)
