"""Integer operands as sums of constant multiples: what can be proved about indices and lengths.

Input: an int64 operand and the builder that knows its definition. Output: a `Linear` form, facts about it,
or an operand emitted from one. Two lengths are equal if their difference is the constant 0; `assume_equal`
lets a run-time check count for the rest of the block it stands in. Invariant: a proof is never wrong, but
may be missing, and takes a bounded number of steps. Non-goal: products and quotients of variables, which are
opaque terms.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from ...ir.builder import Builder
from ...ir.nodes import Const, Dim, Op, Operand, Stmt, Var

Key = Hashable
Term = tuple[Key, int, Operand]
Terms = tuple[Term, ...]
MOST_SUMS = 500  # that one proof may look at: nested minima have a sum for each choice of sides


@dataclass(frozen=True, slots=True)
class Linear:
    """`constant` plus coefficient times operand for each term; keys are equal where the values are."""

    terms: Terms
    constant: int

    @property
    def key(self) -> Key:
        return frozenset((k, c) for k, c, _ in self.terms), self.constant

    @property
    def is_constant(self) -> bool:
        return not self.terms


@dataclass(frozen=True, slots=True)
class _Fact:
    """The value that a term has after statement number `at` of its block, a check; without one, in all of
    the block.
    """

    form: Linear
    check: Stmt | None = None
    at: int = 0

    def holds(self, stmts: list[Stmt]) -> bool:
        return self.check is None or (self.at < len(stmts) and stmts[self.at] is self.check)


def _constant(value: int) -> Linear:
    return Linear((), value)


def combine(x: Linear, y: Linear, factor: int = 1) -> Linear:
    """`x + factor * y`."""
    terms: dict[Key, tuple[int, Operand]] = {k: (c, v) for k, c, v in x.terms}
    for k, c, v in y.terms:
        old, kept = terms.get(k, (0, v))
        terms[k] = (old + factor * c, kept)
    return Linear(tuple((k, c, v) for k, (c, v) in terms.items() if c), x.constant + factor * y.constant)


def scaled(x: Linear, factor: int) -> Linear:
    return combine(_constant(0), x, factor)


def linear(b: Builder, x: Operand) -> Linear:
    """The linear form of an integer operand."""
    if isinstance(x, Const):
        exact = not isinstance(x.value, float)
        return _constant(int(x.value)) if exact else Linear(((("float", x.value), 1, x),), 0)
    stmt = b.definitions.get(x)
    if isinstance(stmt, Dim):
        return Linear(((("dim", stmt.array, stmt.axis), 1, x),), 0)
    if stmt is None or x.type.dtype != "int64":
        return Linear(((x, 1, x),), 0)
    found = b.forms.get(x)
    if not isinstance(found, Linear):
        found = b.forms[x] = _defined(stmt, [linear(b, a) for a in stmt.args])
    return found


def _defined(stmt: Op, args: list[Linear]) -> Linear:
    """The form of what an operation makes of these."""
    match stmt.op:
        case "add":
            return combine(args[0], args[1])
        case "sub":
            return combine(args[0], args[1], -1)
        case "neg":
            return scaled(args[0], -1)
        case "mul" if args[0].is_constant:
            return scaled(args[1], args[0].constant)
        case "mul" if args[1].is_constant:
            return scaled(args[0], args[1].constant)
    return Linear((((stmt.op, *(a.key for a in args)), 1, stmt.out),), 0)


# -- from forms to operands


def emit(b: Builder, form: Linear) -> Operand:
    """An operand of the value of `form`: invariant terms first, loop variables last, so that the former are
    shared.
    """
    ordered = sorted(form.terms, key=lambda t: (isinstance(t[2], Var) and t[2] in b.ranges, t[1] < 0))
    fixed = [t for t in ordered if not (isinstance(t[2], Var) and t[2] in b.ranges)]
    moving = ordered[len(fixed) :]
    value = _sum(b, None, fixed)
    if value is not None or not moving:
        value = _plus_constant(b, value, form.constant)
        return _sum(b, value, moving) or b.const(0)
    if moving[0][1] < 0:
        return _sum(b, b.const(form.constant), moving) or b.const(0)
    return _plus_constant(b, _sum(b, None, moving), form.constant)


def _sum(b: Builder, value: Operand | None, terms: list[Term]) -> Operand | None:
    for _, c, x in terms:
        scale = abs(c)
        term = x if scale == 1 else b.op("mul", x, b.const(scale))
        if value is None:
            value = term if c > 0 else b.op("neg", term)
        else:
            value = b.op("add" if c > 0 else "sub", value, term)
    return value


def _plus_constant(b: Builder, value: Operand | None, constant: int) -> Operand:
    if value is None:
        return b.const(constant)
    return b.op("add" if constant >= 0 else "sub", value, b.const(abs(constant)))


def plus(b: Builder, x: Operand, y: Operand) -> Operand:
    return emit(b, combine(linear(b, x), linear(b, y)))


def minus(b: Builder, x: Operand, y: Operand) -> Operand:
    return emit(b, combine(linear(b, x), linear(b, y), -1))


def times(b: Builder, x: Operand, y: Operand) -> Operand:
    f, g = linear(b, x), linear(b, y)
    if g.is_constant:
        return emit(b, scaled(f, g.constant))
    if f.is_constant:
        return emit(b, scaled(g, f.constant))
    return b.op("mul", x, y)


def product(b: Builder, xs: tuple[Operand, ...]) -> Operand:
    total: Operand = b.const(1)
    for x in xs:
        total = times(b, total, x)
    return total


def positive_part(b: Builder, form: Linear) -> Operand:
    """`max(form, 0)`, without the maximum where the sign is known; `max(max(f, 0) - c, 0)` is `max(f - c,
    0)`.
    """
    if nonnegative(b, form):
        return emit(b, form)
    if form.is_constant:
        return b.const(0)
    if len(form.terms) == 1 and form.terms[0][1] == 1 and form.constant <= 0:
        inner = clamped(b, form.terms[0][2])
        if inner is not None:
            return positive_part(b, Linear(inner.terms, inner.constant + form.constant))
    return b.op("maximum", emit(b, form), b.const(0))


def clamped(b: Builder, x: Operand) -> Linear | None:
    """f where x is max(f, 0) by definition."""
    stmt = b.definitions.get(x) if isinstance(x, Var) else None
    if isinstance(stmt, Op) and stmt.op == "maximum" and x.type.dtype == "int64":
        a, c = stmt.args
        if isinstance(c, Const) and c.value == 0:
            return linear(b, a)
    return None


def trip(b: Builder, length: Operand) -> Operand:
    """A loop bound that gives as many passes as `length`: a negative one gives none, without a clamp."""
    inner = clamped(b, length)
    return length if inner is None else emit(b, inner)


# -- proofs


class _Question:
    """One proof with the checks in force: these are gathered once, and no sum is looked at twice."""

    def __init__(self, b: Builder) -> None:
        self.b = b
        self.facts = {  # those of inner blocks last; a check that has since been taken back says nothing
            key: fact.form
            for scope in b.scopes
            for key, fact in scope.facts.items()
            if isinstance(fact, _Fact) and fact.holds(scope.stmts)
        }
        self.names: dict[tuple[Operand, int], Key] = {}
        self.answers: dict[tuple[Key, int], bool] = {}

    def resolved(self, form: Linear, depth: int = 6) -> Linear:
        """The form with what checks have established put in."""
        for _ in range(16):
            for k, c, v in form.terms:
                fact = self.facts.get(k)
                if fact is not None:
                    form = combine(combine(form, Linear(((k, c, v),), 0), -1), fact, c)
                    break
            else:
                break
        if depth == 0 or not self.facts:  # a fact may speak of a choice of what it is about
            return form
        terms = tuple((self.name(k, v, depth), c, v) for k, c, v in form.terms)
        return combine(_constant(form.constant), Linear(terms, 0))

    def name(self, key: Key, v: Operand, depth: int) -> Key:
        """The name of an opaque term that its operands give it by what is known."""
        stmt = self.b.definitions.get(v) if isinstance(v, Var) else None
        if not isinstance(stmt, Op) or v.type.dtype != "int64":
            return key
        found = self.names.get((v, depth))
        if found is None:
            args = (self.resolved(linear(self.b, a), depth - 1).key for a in stmt.args)
            found = self.names[v, depth] = (stmt.op, *args)
        return found

    def nonnegative(self, form: Linear, depth: int = 8) -> bool:
        """Whether form >= 0 is certain, from lengths, loop ranges, minima and maxima."""
        form = self.resolved(form)
        asked = form.key, depth
        if asked not in self.answers:
            if len(self.answers) >= MOST_SUMS:
                return False
            self.answers[asked] = False  # what is asked again on the way to an answer is not known
            self.answers[asked] = self._nonnegative(form, depth)
        return self.answers[asked]

    def _nonnegative(self, form: Linear, depth: int) -> bool:
        b = self.b
        if form.constant >= 0 and all(c > 0 and self.never_negative(k, v) for k, c, v in form.terms):
            return True
        if depth == 0:
            return False
        newest = sorted(form.terms, key=lambda t: -t[2].number if isinstance(t[2], Var) else 0)
        inner = takewhile(lambda t: t[2] not in b.ranges, newest)
        chosen = next((t for t in inner if self.is_least(t)), None)
        if chosen is not None:  # any proof takes it apart, and may as well begin with it
            return all(self.nonnegative(one, depth - 1) for one in self.sides(form, chosen))
        for term in newest:
            _, c, v = term
            if isinstance(v, Var) and v in b.ranges:
                least, most = self.ends(v)
                rest = combine(form, Linear((term,), 0), -1)
                return self.nonnegative(combine(rest, least if c > 0 else most, c), depth - 1)
            if any(self.nonnegative(one, depth - 1) for one in self.sides(form, term)):
                return True
        return False

    def is_least(self, term: Term) -> bool:
        """Whether a term is the least of two, so that both have to do."""
        _, c, v = term
        stmt = self.b.definitions.get(v) if isinstance(v, Var) else None
        return isinstance(stmt, Op) and stmt.op == ("minimum" if c > 0 else "maximum")

    def sides(self, form: Linear, term: Term) -> Iterator[Linear]:
        """A form with either side of a minimum or maximum in place of it."""
        _, c, v = term
        stmt = self.b.definitions.get(v) if isinstance(v, Var) else None
        if isinstance(stmt, Op) and stmt.op in ("maximum", "minimum"):
            rest = combine(form, Linear((term,), 0), -1)
            yield from (combine(rest, linear(self.b, a), c) for a in stmt.args)

    def ends(self, iv: Var) -> tuple[Linear, Linear]:
        """The least and the greatest value of a loop variable."""
        b = self.b
        lo, hi, step = b.ranges[iv]
        if step > 0:
            return linear(b, lo), combine(linear(b, hi), _constant(-1))
        return combine(linear(b, hi), _constant(1)), linear(b, lo)

    def never_negative(self, key: Key, v: Operand) -> bool:
        if isinstance(key, tuple) and key[:1] == ("dim",):
            return True
        if isinstance(v, Var) and v in self.b.ranges:
            return self.nonnegative(self.ends(v)[0], 4)
        return clamped(self.b, v) is not None


def difference(b: Builder, x: Operand, y: Operand) -> int | None:
    """`x - y` where it is a known constant."""
    if x is y:
        return 0
    form = combine(linear(b, x), linear(b, y), -1)
    if form.terms:
        form = _Question(b).resolved(form)
    return form.constant if form.is_constant else None


def equal(b: Builder, x: Operand, y: Operand) -> bool:
    return difference(b, x, y) == 0


def assume_equal(b: Builder, x: Operand, y: Operand) -> None:
    """Count x == y as known from here to the end of the open block.

    The last statement has checked it, or none is there and the block is entered only if it holds.
    """
    form = _Question(b).resolved(combine(linear(b, x), linear(b, y), -1))
    for k, c, v in reversed(form.terms):
        if abs(c) == 1:
            rest = combine(form, Linear(((k, c, v),), 0), -1)
            check = b.stmts[-1] if b.stmts else None
            b.scopes[-1].facts[k] = _Fact(scaled(rest, -c), check, len(b.stmts) - 1)
            return


def nonnegative(b: Builder, form: Linear) -> bool:
    """Whether form >= 0 is certain, from lengths, loop ranges, minima and maxima."""
    return _Question(b).nonnegative(form)


def may_be_one(b: Builder, n: Operand) -> bool:
    """Whether a length could be 1."""
    if isinstance(n, Const):
        return n.value == 1
    form = _Question(b).resolved(linear(b, n))
    if form.is_constant:
        return form.constant == 1
    if (
        len(form.terms) == 1
        and form.terms[0][1] == 1
        and form.constant == 0
        and form.terms[0][0] in b.not_one
    ):
        return False
    return not nonnegative(b, combine(form, _constant(-2)))


def at_most_one(b: Builder, n: Operand) -> bool:
    """Whether a length is known to be 0 or 1."""
    return nonnegative(b, combine(_constant(1), linear(b, n), -1))


def counterparts(b: Builder, x: Operand, y: Operand) -> tuple[Operand, Operand] | None:
    """For lengths that are the same function of two others, such as `a[1:-1]` and `b[1:-1]` have: those
    others.
    """
    f, g = (clamped(b, v) or linear(b, v) for v in (x, y))
    if len(f.terms) == len(g.terms) == 1 and f.constant == g.constant != 0:
        (_, c, v), (_, d, w) = f.terms[0], g.terms[0]
        if c == d == 1 and v is not w:
            return v, w
    return None


def is_nonnegative(b: Builder, x: Operand) -> bool:
    return nonnegative(b, linear(b, x))


def below(b: Builder, x: Operand, length: Operand) -> bool:
    """Whether x < length is certain."""
    return nonnegative(b, combine(combine(linear(b, length), linear(b, x), -1), _constant(-1)))
