"""The part of an array that the loads of a loop read, where it is an interval per axis.

Input: the loads of one array in a loop. Output per axis: `Interval`, if all loads read the elements from
one start on, as many as some inner loop has passes, both known before the loop; else None (take the whole
axis).

>>> # y[i] and y[k - 1 - i] for i in range(k): both read the elements 0, …, k - 1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.builder import Builder, const
from ..ir.nodes import Block, Const, For, Load, Op, Operand, Stmt, Var, While
from ..ir.visitor import walk
from .placement import Placement
from .storage import Lookup, strip_of, trips


@dataclass(frozen=True)
class Linear:
    """An integer: the sum of coefficient times variable, plus a constant."""

    terms: tuple[tuple[Var, int], ...]
    constant: int

    def emit(self, b: Builder, at: Lookup) -> Operand:
        total: Operand = const(self.constant)
        for v, c in self.terms:
            term = at(v) if abs(c) == 1 else b.op("mul", at(v), const(abs(c)))
            if c > 0:
                total = term if isinstance(total, Const) and total.value == 0 else b.op("add", total, term)
            else:
                total = b.op("sub", total, term)
        return total


@dataclass(frozen=True)
class Interval:
    start: Linear
    loop: For  # as many elements as this loop has passes
    strip: bool = False  # whether that is the length of a row or, in the last strip, less

    def key(self) -> tuple[object, ...]:
        return self.start, self.loop.lo, self.loop.hi, self.loop.step

    def operands(self) -> tuple[Operand, ...]:
        return (*(v for v, _ in self.start.terms), self.loop.lo, self.loop.hi)

    def shape(self) -> tuple[Operand, ...]:
        """What the room that is kept for it depends on, and where it starts."""
        bounds = () if self.strip else (self.loop.lo, self.loop.hi)
        return (*(v for v, _ in self.start.terms), *bounds)

    def length(self, b: Builder, at: Lookup) -> Operand:
        return trips(b, self.loop, at)


Hull = tuple[Interval | None, ...]


def hull(place: Placement, array: Var, loops: Sequence[For | While]) -> Hull:
    loads = [
        (s, loop) for loop in loops for s in walk(Block((loop,))) if isinstance(s, Load) and s.array is array
    ]
    axes = range(len(loads[0][0].index))
    return tuple(_axis(place, [(s.index[k], loop) for s, loop in loads]) for k in axes)


def _axis(place: Placement, indices: Sequence[tuple[Operand, For | While]]) -> Interval | None:
    found = [_interval(place, x, loop) for x, loop in indices]
    first = found[0]
    if first is None or any(f is None or f.key() != first.key() for f in found):
        return None
    return first


def _interval(place: Placement, index: Operand, loop: For | While) -> Interval | None:
    terms, constant = linear(place, index)
    inside = {v: c for v, c in terms.items() if place.inside(place.block_of[v], loop)}
    if len(inside) != 1:
        return None
    ((v, c),) = inside.items()
    inner: Stmt | None = place.definition[v]
    if not isinstance(inner, For) or v is not inner.iv or c not in (1, -1) or inner.step not in (1, -1):
        return None
    bounds = [linear(place, x) for x in (inner.lo, inner.hi)]
    if any(place.inside(place.block_of[w], loop) for t, _ in bounds for w in t):
        return None
    ascending = (c > 0) == (inner.step > 0)
    edge, shift = (bounds[0], 0) if ascending else (bounds[1], 1 if inner.step < 0 else -1)
    if not ascending and inner.step > 0:
        shift = -1
    total = {w: k for w, k in terms.items() if w is not v}
    for w, k in edge[0].items():
        total[w] = total.get(w, 0) + c * k
    constant += c * (edge[1] + shift)
    kept = tuple(sorted(((w, k) for w, k in total.items() if k), key=lambda t: place.order[t[0]]))
    return Interval(Linear(kept, constant), inner, strip_of(place, inner) is not None)


def linear(place: Placement, x: Operand) -> tuple[dict[Var, int], int]:
    """An integer operand through its sums, differences and negations."""
    if isinstance(x, Const):
        return {}, int(x.value)
    stmt = place.definition[x]
    if isinstance(stmt, Op) and stmt.op in ("add", "sub", "neg"):
        signs = (1, 1) if stmt.op == "add" else (1, -1) if stmt.op == "sub" else (-1,)
        terms: dict[Var, int] = {}
        constant = 0
        for a, sign in zip(stmt.args, signs, strict=True):
            inner, c = linear(place, a)
            constant += sign * c
            for v, k in inner.items():
                terms[v] = terms.get(v, 0) + sign * k
        return {v: k for v, k in terms.items() if k}, constant
    return {x: 1}, 0


def extents(b: Builder, of: Hull, whole: Sequence[Operand], at: Lookup) -> list[Operand]:
    """The lengths of a hull; `whole` are those of the array."""
    return [n if interval is None else interval.length(b, at) for interval, n in zip(of, whole, strict=True)]


def room(b: Builder, of: Hull, whole: Sequence[Operand], at: Lookup) -> list[Operand]:
    """The lengths of the memory kept for a hull: the same in each pass of the loops around it."""
    return [
        n if interval is None or interval.strip else interval.length(b, at)
        for interval, n in zip(of, whole, strict=True)
    ]


def starts(b: Builder, of: Hull, at: Lookup) -> list[Operand]:
    """The first index per axis."""
    return [const(0) if interval is None else interval.start.emit(b, at) for interval in of]
