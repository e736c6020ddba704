"""Bounds checks and index corrections that can be proved away, or made once before a loop.

    for i in range(n):                                  if 0 < n:
        bounds x 0 i + 1                                    bounds x 0 1
        y = x[wrap(i + 1, len(x))]          =>              bounds x 0 n
                                                        for i in range(n): y = x[i + 1]

Input and output: core IR. A check leaves a loop only if every pass makes it, the loop has no exit and
the index is linear in the loop variable: then its extremes are those of the first and the last pass. So
nothing raises that did not raise before, though it may raise sooner and name another index. Non-goal:
checks of library calls.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..analyses.affine import Affine, Forms, Symbol
from ..analyses.definitions import Definitions
from ..analyses.ranges import Ranges
from ..ir.builder import const
from ..ir.nodes import Block, Bounds, Const, Dim, For, Function, If, Location, Op, Operand, Stmt, Var, While
from ..ir.types import INT, grows
from ..ir.visitor import blocks
from .rewrite import Rewriter


def wraps(fn: Function) -> Function:
    """Remove `wrap` where the index is known to be non-negative, or known to be negative; choose between
    integers where it is known which is larger; count passes by a difference where there are no fewer.
    """
    return _Wraps(fn).run()


def checks(fn: Function) -> Function:
    """Remove the bounds checks that follow from loop bounds, and move others out of loops."""
    return _Checks(fn).run()


class _Proving(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.definitions = Definitions.about(fn)
        self.forms = Forms.about(fn)
        self.ranges = Ranges(self.forms)


class _Wraps(_Proving):
    def visit(self, stmt: Stmt) -> None:
        place = self.original
        known = self.known(place) if isinstance(place, Op) and place.out.type == INT else None
        if known is None:
            super().visit(stmt)
        else:
            assert isinstance(stmt, Op)
            self.equate(stmt.out, known)

    def known(self, op: Op) -> Operand | None:
        def at_least(a: Operand, b: Operand) -> bool:
            return self.ranges.proves(op, self.forms.of(a) - self.forms.of(b))

        def emitted(name: str, a: Operand, b: Operand) -> Operand:
            return self.op(name, self.get(a), self.get(b), hint=op.out.name, loc=op.loc)

        match op:
            case Op(op="wrap", args=(index, length)):
                if at_least(index, const(0)):
                    return index
                if at_least(const(-1), index):
                    return emitted("add", index, length)
            case Op(op="maximum" | "minimum" as name, args=(a, b)):
                if at_least(a, b):
                    return a if name == "maximum" else b
                if at_least(b, a):
                    return b if name == "maximum" else a
            case Op(op="trips", args=(lo, hi, Const(value=1))) if at_least(hi, lo):
                return emitted("sub", hi, lo)
        return None


@dataclass(frozen=True, slots=True, eq=False)
class _Pending:
    """A check on its way out: of the length `room` of `array`, for one index, under `conditions` lo < hi
    of loops left.
    """

    array: Var
    axis: int
    index: Affine
    conditions: tuple[tuple[Operand, Operand], ...]
    loc: Location


class _Checks(_Proving):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.leaving: list[_Pending] = []  # checks that the block now visited makes on every pass
        self.depth_of_branches = 0
        self.sources: dict[Symbol, Operand | tuple[Var, int]] = {}
        self.loops: list[For | While] = []
        self.may_leave: list[bool] = []

    def visit(self, stmt: Stmt) -> None:
        place = self.original
        assert place is not None
        if isinstance(stmt, Bounds) and not grows(stmt.array.type):
            form = self.forms.of(stmt.index)
            room = self.forms.room(stmt.array, stmt.axis, form)
            if self.ranges.proves(place, form) and self.ranges.proves(place, room):
                return
            pending = _Pending(stmt.array, stmt.axis, form, (), stmt.loc)
            if self.may_leave and self.may_leave[-1] and self.moved(pending, place) is not None:
                self.leaving.append(pending)
                return
        super().visit(stmt)

    def inner(self, stmt: Stmt) -> Stmt:
        if not blocks(stmt):
            return stmt
        kept, self.leaving = self.leaving, []
        self.may_leave.append(isinstance(stmt, For) and stmt.stop is None)
        loop = self.original
        made = super().inner(stmt)
        self.may_leave.pop()
        found, self.leaving = self.leaving, kept
        if isinstance(loop, For):
            self.place(loop, found)
        return made

    def place(self, loop: For, found: list[_Pending]) -> None:
        """Emit what leaves the loop before it, or pass it on to the next loop."""
        here: list[_Pending] = []
        for p in self.extremes(loop, found):
            place = self.definitions.place[loop]
            extra = [(self.forms.of(b) - self.forms.of(a)).shifted(-1) for a, b in p.conditions]
            room = self.forms.room(p.array, p.axis, p.index)
            if all(self.ranges.proves_in(place.loops, place.guard, f, extra) for f in (p.index, room)):
                continue
            if self.may_leave and self.may_leave[-1] and self.moved(p, loop) is not None:
                self.leaving.append(p)
            else:
                here.append(p)
        groups: dict[tuple[tuple[Operand, Operand], ...], list[_Pending]] = {}
        for p in here:
            groups.setdefault(p.conditions, []).append(p)
        for conditions, members in groups.items():
            self.emit(conditions, members)

    # -- one loop further out
    def moved(self, p: _Pending, stmt: Stmt) -> tuple[Affine, Affine] | None:
        """The indices of the first and the last pass of the innermost loop around `stmt`, if they can be
        told before it.
        """
        loop = self.definitions.place[stmt].loops[-1]
        if not isinstance(loop, For) or loop.stop is not None:
            return None
        depth = len(self.definitions.place[loop].loops)
        s = self.forms.counter(loop)
        lo, hi = self.forms.of(loop.lo), self.forms.of(loop.hi)
        if abs(loop.step) != 1:
            return None
        c = p.index.terms.get(s, 0)
        rest = Affine({t: k for t, k in p.index.terms.items() if t is not s}, p.index.const)
        last = hi.shifted(-1 if loop.step > 0 else 1)
        ends = (rest + lo.scaled(c), rest + last.scaled(c))
        outside = all(t.depth <= depth and self.can_name(t) for e in ends for t in e.terms)
        outside = outside and len(self.definitions.scope[p.array]) <= depth
        for a, b in p.conditions:
            outside = outside and all(self.scope(x) <= depth for x in (a, b))
        return ends if outside else None

    def scope(self, x: Operand) -> int:
        return len(self.definitions.scope[x]) if isinstance(x, Var) else 0

    def extremes(self, loop: For, found: list[_Pending]) -> list[_Pending]:
        """The checks as they stand before the loop: for each array and axis, of families that differ by
        constants only the ends.
        """
        condition = (loop.lo, loop.hi) if loop.step > 0 else (loop.hi, loop.lo)
        families: dict[object, list[_Pending]] = {}
        inside = loop.body.stmts[0] if loop.body.stmts else loop
        for p in found:
            ends = self.moved(p, inside)
            assert ends is not None
            for e in ends:
                made = _Pending(p.array, p.axis, e, (*p.conditions, condition), p.loc)
                key = (p.array, p.axis, e.key()[1:], tuple(id(x) for pair in made.conditions for x in pair))
                families.setdefault(key, []).append(made)
        kept = []
        for members in families.values():
            members.sort(key=lambda m: m.index.const)
            kept.extend(
                members[:1] if members[0].index.same(members[-1].index) else [members[0], members[-1]]
            )
        return kept

    # -- naming what an expression says
    def can_name(self, s: Symbol) -> bool:
        return s.source is not None

    def emit(self, conditions: tuple[tuple[Operand, Operand], ...], members: list[_Pending]) -> None:
        loc = members[0].loc
        test: Operand = const(True)
        for a, b in conditions:
            one = self.op("lt", self.get(a), self.get(b), hint="any", loc=loc)
            test = one if test == const(True) else self.op("and", test, one, hint="any", loc=loc)
        kept, self.out = self.out, []
        for p in members:
            index = self.named(p.index, p.loc)
            self.out.append(Bounds(self.array_of(p.array), p.axis, index, loc=p.loc))
        made, self.out = self.out, kept
        self.out.append(If(test, Block(tuple(made)), Block(), (), loc=loc))

    def named(self, form: Affine, loc: Location) -> Operand:
        """Emit the value of a linear expression."""
        total: Operand = const(0)
        for s, c in form.terms.items():
            x: Operand
            if isinstance(s.source, Var):
                x = self.get(s.source)
            else:
                assert s.source is not None
                x = self.names.fresh(f"n_{s.source[0].name}", INT)
                self.out.append(Dim(x, self.array_of(s.source[0]), s.source[1], loc=loc))
            if x.type != INT:
                narrow, x = x, self.names.fresh("t", INT)
                self.out.append(Op(x, "cast", (narrow,), loc=loc))
            scaled = self.op("mul", x, const(c), hint="t", loc=loc)
            total = self.op("add", total, scaled, hint="t", loc=loc)
        shift = form.const
        return self.op("add" if shift >= 0 else "sub", total, const(abs(shift)), hint="t", loc=loc)
