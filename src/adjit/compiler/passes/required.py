"""What a program requires of the lengths of its arguments, before anything else; and what follows from it.

    t = minimum(3, n)                               bounds c 1 10
    for j in range(t): y[j] = c[i, j]       =>      for j in range(3): y[j] = c[i, j]
    z = c[i, 10]                                    z = c[i, 10]

Input and output: core IR, before it is differentiated. A check that every call makes comes first if it is
about lengths and integer arguments alone, and if nothing that could be seen happens before it, nor a check
of values. Indices come before equal lengths, so that these are compared with what is known, but not before
an error of the user's, nor that before an index that stays where it is. So nothing raises that did not
raise before, though it may name another index, or an index where lengths differ too. From there on lengths
are known to be as long as constant indices ask for.
Non-goals: equal lengths (`cse`), checks inside loops and branches.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from ...errors import ShapeError
from ..analyses.affine import Affine, Forms
from ..analyses.alias import roots
from ..analyses.effects import writes
from ..analyses.ranges import NEGATED, Ranges, comparison
from ..ir.builder import const
from ..ir.nodes import UNEQUAL, Block, Bounds, Call, Check, Dim, Function, Op, Operand, Stmt, Var, While
from ..ir.types import INT, Array, grows
from ..ir.visitor import operands, walk, without
from .rewrite import Rewriter

# Ops that are computed early without harm: none of them can raise.
ARITHMETIC = {"add", "sub", "mul", "neg", "maximum", "minimum", "not", "and", "or", "select", *NEGATED}


def required(fn: Function) -> Function:
    """Check lengths first, and use what is known of them then."""
    moved = _Entry(fn).run()
    return _Following(moved).run() if any(isinstance(s, Bounds) for s in moved.body.stmts) else moved


def promised(fn: Function) -> Function:
    """Without bounds checks, which the user has promised to be superfluous; what follows from them stays."""
    bounds = {s for s in walk(fn.body) if isinstance(s, Bounds)}
    return replace(fn, body=without(fn.body, bounds)) if bounds else fn


def _at_least(forms: Forms, stmt: Bounds) -> tuple[Var, int, int] | None:
    """The parameter, the axis and the constant index that a check turns out to be about."""
    dim, index = forms.dim(stmt.array, stmt.axis), forms.of(stmt.index).constant
    if index is None or index < 0 or grows(stmt.array.type) or len(dim.terms) != 1:
        return None
    ((symbol, factor),) = dim.terms.items()
    if factor != 1 or not isinstance(symbol.source, tuple):
        return None
    array, axis = symbol.source
    return (array, axis, index - dim.const) if array in forms.definitions.fn.params else None


class _Entry:
    """The checks that come first."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.forms = Forms.about(fn)
        self.roots = roots(fn)
        self.parameters = frozenset(fn.params)
        self.first: list[Stmt] = []
        self.gone: set[Stmt] = set()  # from where they stood
        self.longest: dict[tuple[Var, int], tuple[int, Bounds]] = {}  # by array and axis
        self.shapes: list[Check] = []
        self.early: dict[Var, Stmt | None] = {
            p: None for p in fn.params if not isinstance(p.type, Array) and p.type == INT
        }

    def run(self) -> Function:
        indexed = False  # whether a statement that stays where it is may raise an IndexError
        for stmt in self.fn.body.stmts:
            if isinstance(stmt, Dim | Op) and self.computable(stmt):
                self.early[stmt.out] = stmt
            elif isinstance(stmt, Check) and all(self.known(x) for x in operands(stmt)):
                users = stmt.error not in (ShapeError.__name__, UNEQUAL)
                if users and indexed:
                    break
                self.gone.add(stmt)
                self.shapes.append(stmt)
                if users:
                    self.settle()
            elif isinstance(stmt, Bounds):
                self.bounds(stmt)
            elif self.seen(stmt):
                break
            indexed = indexed or any(
                isinstance(s, Bounds) and s not in self.gone for s in walk(Block((stmt,)))
            )
        self.settle()
        rest = [s for s in self.fn.body.stmts if s not in self.gone]
        stmts = (*self.first, *rest)
        same = all(a is b for a, b in zip(stmts, self.fn.body.stmts, strict=False))
        return self.fn if same else replace(self.fn, body=Block(stmts, self.fn.body.yields))

    def bounds(self, stmt: Bounds) -> None:
        found = _at_least(self.forms, stmt)
        if found is None:
            return
        array, axis, index = found
        self.gone.add(stmt)
        known = self.longest.get((array, axis))
        if known is None or index > known[0]:
            self.longest[array, axis] = index, Bounds(array, axis, const(index), loc=stmt.loc)

    def of_emptiness(self, check: Stmt) -> bool:
        if not isinstance(check, Check) or check.error != ShapeError.__name__:
            return False
        made = self.early.get(check.cond) if isinstance(check.cond, Var) else None
        return isinstance(made, Op) and made.op == "ne"

    def settle(self) -> None:
        """What has been found comes next: that something is not empty, which says more than its first index
        does; indices; equal lengths, and at last what the user asks for.
        """
        indices = [b for _, b in self.longest.values()]
        for check in sorted((*indices, *self.shapes), key=lambda c: not self.of_emptiness(c)):
            for x in operands(check):
                self.compute(x)
            self.first.append(check)
        self.longest.clear()
        self.shapes.clear()

    def compute(self, x: Operand) -> None:
        stmt = self.early.get(x) if isinstance(x, Var) else None
        if stmt is not None and stmt not in self.gone:
            for a in operands(stmt):
                self.compute(a)
            self.gone.add(stmt)
            self.first.append(stmt)

    def known(self, x: Operand) -> bool:
        return not isinstance(x, Var) or x in self.early

    def computable(self, stmt: Dim | Op) -> bool:
        if isinstance(stmt, Dim):
            return stmt.array in self.fn.params and not grows(stmt.array.type)
        return stmt.op in ARITHMETIC and all(self.known(a) for a in stmt.args)

    def seen(self, stmt: Stmt) -> bool:
        """Whether a statement may do what a caller sees, may raise, bounds of indices apart, or may not
        end.
        """
        return any(
            isinstance(s, Call | Check | While) or any(self.roots[a] & self.parameters for a in writes(s))
            for s in walk(Block((stmt,)))
        )


class _Following(Rewriter):
    """What follows from the checks that come first: decided comparisons, checks that cannot fail."""

    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.forms = Forms.about(fn)
        self.ranges = Ranges(self.forms)
        self.first = {
            s
            for s in takewhile(lambda s: isinstance(s, Dim | Op | Check | Bounds), fn.body.stmts)
            if isinstance(s, Bounds)
        }
        self.facts: list[Affine] = []  # of the checks that have been passed

    def proves(self, form: Affine) -> bool:
        return self.ranges.proves_in((), None, form, self.facts)

    def visit(self, stmt: Stmt) -> None:
        place = self.original
        if isinstance(place, Op) and all(x.type == INT for x in place.args):
            known = self.decided(place)
            if known is not None:
                self.equate(place.out, known)
                return
        if isinstance(place, Bounds) and place in self.first:
            self.facts.append(self.forms.room(place.array, place.axis, self.forms.of(place.index)))
        elif isinstance(place, Bounds):
            index = self.forms.of(place.index)
            needs = (index, self.forms.room(place.array, place.axis, index))
            if all(self.outside(f) and self.proves(f) for f in needs):
                return
        super().visit(stmt)

    def outside(self, form: Affine) -> bool:
        """Whether an expression is the same in all passes of all loops."""
        return all(s.depth == 0 for s in form.terms)

    def decided(self, stmt: Op) -> Operand | None:
        """The result of a comparison, or the lesser or greater argument, where that is known."""
        if stmt.op not in ("minimum", "maximum", *NEGATED):
            return None
        a, b = stmt.args
        d = self.forms.of(a) - self.forms.of(b)
        if not self.outside(d):
            return None
        if stmt.op not in ("minimum", "maximum"):
            return next(
                (const(v) for v in (True, False) if self.holds(stmt.op if v else NEGATED[stmt.op], d)), None
            )
        less, more = (a, b) if stmt.op == "minimum" else (b, a)
        chosen = less if self.holds("le", d) else more if self.holds("ge", d) else None
        if chosen is not None:
            rest = self.forms.of(stmt.out) - self.forms.of(chosen)
            self.facts += [rest, rest.scaled(-1)]
        return chosen

    def holds(self, op: str, d: Affine) -> bool:
        """Whether two integers that are `d` apart compare like this."""
        if op == "ne":
            return self.holds("lt", d) or self.holds("gt", d)
        return all(self.proves(f) for f in comparison(op, d))
