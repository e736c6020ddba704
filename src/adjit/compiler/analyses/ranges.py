"""What is known of integer values at a place: loop bounds, conditions passed, facts of symbols.

Input: the expressions of a function. Output: `Ranges`: `proves(stmt, e)` says whether e >= 0 whenever
`stmt` runs; `Systems` of rows for questions about two places at once. A question that is too hard has
the answer "not proved".
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.nodes import Const, For, Op, Operand, Stmt
from ..ir.types import INT
from .affine import Affine, Forms
from .definitions import Guard, Loop
from .feasible import Row, feasible

# An instance of a symbol is a row variable `3 * number + tag`: shared by both places, or seen from one.
SHARED, FIRST, SECOND = 0, 1, 2

NEGATED = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


def row(form: Affine, tag: int, shared: int) -> Row:
    """An expression seen from place `tag`; the places agree in the passes of the `shared` outermost loops."""
    return {
        3 * s.number + (SHARED if s.depth <= shared else tag): c for s, c in form.terms.items()
    }, form.const


def minus(a: Row, b: Row, constant: int = 0) -> Row:
    terms = dict(a[0])
    for v, c in b[0].items():
        total = terms.get(v, 0) - c
        if total:
            terms[v] = total
        else:
            del terms[v]
    return terms, a[1] - b[1] + constant


def comparison(op: str, d: Affine) -> list[Affine]:
    """What a comparison of two integers, `d` apart, says: expressions that are not negative. None for
    `ne`.
    """
    match op:
        case "lt":
            return [d.scaled(-1).shifted(-1)]
        case "le":
            return [d.scaled(-1)]
        case "gt":
            return [d.shifted(-1)]
        case "ge":
            return [d]
        case "eq":
            return [d, d.scaled(-1)]
        case _:
            return []


class Ranges:
    def __init__(self, forms: Forms) -> None:
        self.forms = forms
        self.definitions = forms.definitions
        self._loops: dict[For, tuple[Affine, ...]] = {}
        self._guards: dict[Guard, tuple[Affine, ...]] = {}
        self._places: dict[tuple[tuple[Loop, ...], Guard | None], tuple[Affine, ...]] = {}
        self._rows: dict[tuple[object, ...], list[Row]] = {}

    # -- expressions that are not negative
    def loop_bounds(self, loop: For) -> tuple[Affine, ...]:
        """The loop variable against its bounds, in each pass."""
        known = self._loops.get(loop)
        if known is None:
            iv, lo, hi = (self.forms.of(x) for x in (loop.iv, loop.lo, loop.hi))
            if loop.step > 0:
                known = (iv - lo, (hi - iv).shifted(-1))
            else:
                known = (lo - iv, (iv - hi).shifted(-1))
            self._loops[loop] = known
        return known

    def _guard(self, guard: Guard) -> tuple[Affine, ...]:
        known = self._guards.get(guard)
        if known is None:
            known = self._guards[guard] = tuple(self.condition(guard.cond, guard.holds))
        return known

    def condition(self, cond: Operand, holds: bool) -> list[Affine]:
        """What follows from a condition that holds or does not, as expressions that are not negative."""
        if isinstance(cond, Const):
            return []
        stmt = self.definitions.maker[cond]
        if not isinstance(stmt, Op):
            return []
        if stmt.op == "not":
            return self.condition(stmt.args[0], not holds)
        if (stmt.op == "and" and holds) or (stmt.op == "or" and not holds):
            return [f for a in stmt.args for f in self.condition(a, holds)]
        if stmt.op not in NEGATED or any(a.type != INT for a in stmt.args):
            return []
        d = self.forms.of(stmt.args[0]) - self.forms.of(stmt.args[1])
        return comparison(stmt.op if holds else NEGATED[stmt.op], d)

    def known(self, stmt: Stmt) -> tuple[Affine, ...]:
        """Everything known at a statement, facts of symbols apart."""
        place = self.definitions.place[stmt]
        return self.known_in(place.loops, place.guard)

    def known_in(self, loops: tuple[Loop, ...], guard: Guard | None) -> tuple[Affine, ...]:
        key = (loops, guard)
        found = self._places.get(key)
        if found is None:
            forms = [f for loop in loops if isinstance(loop, For) for f in self.loop_bounds(loop)]
            while guard is not None:
                forms.extend(self._guard(guard))
                guard = guard.before
            found = self._places[key] = tuple(f for f in forms if f.terms)
        return found

    # -- rows
    def rows(self, stmt: Stmt, tag: int, shared: int) -> list[Row]:
        place = self.definitions.place[stmt]
        key = (place.loops, place.guard, tag, shared)
        found = self._rows.get(key)
        if found is None:
            found = self._rows[key] = [row(f, tag, shared) for f in self.known(stmt)]
        return found

    def possible(
        self, equations: Sequence[Row], seeds: Sequence[Row], rows: Sequence[Row], shared: int
    ) -> bool:
        """Whether the equations and the inequalities `seeds` can hold, given what of `rows` and of facts
        bears on them.
        """
        for terms, constant in equations:
            if not terms and constant:
                return False
        return feasible(equations, self._closure([*equations, *seeds], list(rows), list(seeds), shared, True))

    def _closure(
        self, seeds: Sequence[Row], rows: list[Row], kept: list[Row], shared: int, conditional: bool
    ) -> list[Row]:
        reached: set[int] = set()
        new = {v for terms, _ in seeds for v in terms}
        provisos: list[tuple[list[Row], Row]] = []
        while new:
            reached |= new
            added: list[Row] = []
            for v in new:
                for fact in self.forms.facts.get(self.forms.symbols[v // 3], ()):
                    depth = shared if v % 3 else 1 << 30
                    r = row(fact.value, v % 3, depth)
                    if not fact.given:
                        added.append(r)
                    elif conditional:
                        provisos.append(([row(g, v % 3, depth) for g in fact.given], r))
            left: list[Row] = []
            for r in rows:
                (left if reached.isdisjoint(r[0]) else added).append(r)
            rows = left
            kept.extend(added)
            new = {v for terms, _ in added for v in terms} - reached
            if not new and provisos:
                new = self._provisos(provisos, rows, kept, shared) - reached
        return kept

    def _provisos(
        self, provisos: list[tuple[list[Row], Row]], rows: list[Row], kept: list[Row], shared: int
    ) -> set[int]:
        """Add the facts whose proviso follows; the variables that they bring in."""
        new: set[int] = set()
        for given, value in provisos:
            if all(self._follows(g, [*rows, *kept], shared) for g in given):
                kept.append(value)
                new.update(value[0])
        provisos.clear()
        return new

    def _follows(self, given: Row, rows: list[Row], shared: int) -> bool:
        negated = ({v: -c for v, c in given[0].items()}, -given[1] - 1)
        return not feasible([], self._closure([given], rows, [negated], shared, False))

    # -- proofs at one place
    def proves(self, stmt: Stmt, form: Affine) -> bool:
        """Whether `form >= 0` whenever `stmt` runs."""
        place = self.definitions.place[stmt]
        return self.proves_in(place.loops, place.guard, form)

    def proves_in(
        self, loops: tuple[Loop, ...], guard: Guard | None, form: Affine, extra: Sequence[Affine] = ()
    ) -> bool:
        if not form.terms:
            return form.const >= 0
        known = [row(f, SHARED, 0) for f in (*self.known_in(loops, guard), *extra)]
        negated = ({3 * s.number: -c for s, c in form.terms.items()}, -form.const - 1)
        return not self.possible([], [negated], known, 1 << 30)
