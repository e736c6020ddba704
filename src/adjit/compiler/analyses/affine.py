"""Integer values as linear expressions over symbols, and array elements as base plus linear indices.

Input: a function. Output: `Forms`: `of(x)` is the expression of an int64 operand, `dim(a, k)` that of a
length, `element` resolves views. Expressions are exact as long as int64 arithmetic does not overflow. A
*symbol* is a value that cannot be expressed by others; `facts` bound it. Lengths are shared:
`x.shape[0]` is one symbol however often it is read, and that of an allocation is its shape operand.
Non-goals: products of symbols, integers of other widths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.nodes import Alloc, Const, Dim, For, Function, If, Op, Operand, Reshape, Var, View, While
from ..ir.types import BOOL, INT, UNSIGNED, Array
from .definitions import Definitions


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """`number` is unique within the analysis; `depth` counts the loops around the definition: two places see
    the same instance exactly where they agree in so many enclosing passes. `source` is the variable, or the
    array and axis of the length, that has this value; None if no variable has.
    """

    number: int
    name: str
    depth: int
    source: Var | tuple[Var, int] | None = None

    def __repr__(self) -> str:
        return self.name


class Affine:
    """`sum(c * s for s, c in terms) + const`; never changed after it is made.

    >>> n = Affine({Symbol(0, "n", 0): 1})
    >>> (n + Affine(const=2)).scaled(3)
    3*n + 6
    """

    __slots__ = ("const", "terms")

    def __init__(self, terms: dict[Symbol, int] | None = None, const: int = 0) -> None:
        self.terms: dict[Symbol, int] = terms or {}
        self.const = const

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        terms = dict(self.terms)
        for s, c in other.terms.items():
            total = terms.get(s, 0) + factor * c
            if total:
                terms[s] = total
            else:
                terms.pop(s, None)
        return Affine(terms, self.const + factor * other.const)

    def __add__(self, other: Affine) -> Affine:
        return self.plus(other)

    def __sub__(self, other: Affine) -> Affine:
        return self.plus(other, -1)

    def scaled(self, factor: int) -> Affine:
        if not factor:
            return Affine()
        return Affine({s: factor * c for s, c in self.terms.items()}, factor * self.const)

    def shifted(self, constant: int) -> Affine:
        return Affine(self.terms, self.const + constant)

    @property
    def constant(self) -> int | None:
        """The value if it is known."""
        return None if self.terms else self.const

    def same(self, other: Affine) -> bool:
        return self.const == other.const and self.terms == other.terms

    def key(self) -> tuple[object, ...]:
        return (self.const, *sorted((s.number, c) for s, c in self.terms.items()))

    def __repr__(self) -> str:
        parts = [f"{'' if c == 1 else '-' if c == -1 else f'{c}*'}{s!r}" for s, c in self.terms.items()]
        if self.const or not parts:
            parts.append(str(self.const))
        return " + ".join(parts).replace("+ -", "- ")


ONE = Affine(const=1)


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """`value >= 0` wherever its symbol is defined, provided that none of `given` is negative."""

    value: Affine
    given: tuple[Affine, ...] = ()


class Forms:
    """Expressions of all integer values of one function."""

    def __init__(self, fn: Function, definitions: Definitions | None = None) -> None:
        self.definitions = definitions or Definitions(fn)
        self.facts: dict[Symbol, tuple[Fact, ...]] = {}
        self.iteration: dict[For, Symbol] = {}
        self.symbols: list[Symbol] = []
        self._of: dict[Var, Affine] = {}
        self._dims: dict[tuple[Var, int], Affine] = {}
        self._quotients: dict[object, Symbol] = {}
        for stmt in self.definitions.stmts:  # in order, so that no expression recurses deeply
            if isinstance(stmt, Op) and stmt.out.type == INT:
                self.of(stmt.out)

    def symbol(self, name: str, depth: int, source: Var | tuple[Var, int] | None = None) -> Symbol:
        made = Symbol(len(self.symbols), name, depth, source)
        self.symbols.append(made)
        return made

    def depth(self, v: Var) -> int:
        """The number of loops around the definition of a variable."""
        return len(self.definitions.scope[v])

    # -- scalars
    def of(self, x: Operand) -> Affine:
        """The expression of an integer operand."""
        if isinstance(x, Const):
            return Affine(const=int(x.value))
        known = self._of.get(x)
        if known is None:
            known = self._of[x] = self._make(x)
        return known

    def counter(self, loop: For) -> Symbol:
        """The symbol in which the expressions of a loop's variable are: that variable, or the number of the
        pass where the step is neither 1 nor -1.
        """
        self.of(loop.iv)
        return self.iteration[loop]

    def offset(self, x: Operand, loop: For) -> int | None:
        """`x` less the counter of a loop, where that is a constant."""
        form = self.of(x)
        return form.const if form.terms == {self.counter(loop): 1} else None

    def _opaque(self, x: Var) -> Affine:
        return Affine({self.symbol(repr(x), self.depth(x), x): 1})

    def _make(self, x: Var) -> Affine:
        if x.type != INT:
            form = self._opaque(x)
            if x.type.dtype in UNSIGNED or x.type == BOOL:
                self._bound(form, form)
            return form
        stmt = self.definitions.maker[x]
        match stmt:
            case Op():
                return self._op(x, stmt)
            case Dim(array=array, axis=axis):
                return self.dim(array, axis, x)
            case For(iv=iv) if iv is x:
                return self._loop_variable(stmt)
            case For(trips=trips) | While(trips=trips) if trips is x:
                form = self._opaque(x)
                self._bound(form, form)
                return form
            case _:
                return self._opaque(x)

    def _loop_variable(self, loop: For) -> Affine:
        depth = self.depth(loop.iv)
        if abs(loop.step) == 1:
            s = self.symbol(repr(loop.iv), depth, loop.iv)
            self.iteration[loop] = s
            return Affine({s: 1})
        k = self.symbol(f"pass of {loop.iv!r}", depth)
        self.iteration[loop] = k
        form = Affine({k: 1})
        self._bound(form, form)
        return self.of(loop.lo).plus(form, loop.step)

    def _op(self, x: Var, stmt: Op) -> Affine:
        args = stmt.args
        match stmt.op:
            case "add":
                return self.of(args[0]) + self.of(args[1])
            case "sub":
                return self.of(args[0]) - self.of(args[1])
            case "neg":
                return self.of(args[0]).scaled(-1)
            case "mul":
                a, b = self.of(args[0]), self.of(args[1])
                for p, q in ((a, b), (b, a)):
                    if p.constant is not None:
                        return q.scaled(p.constant)
                form = self._opaque(x)
                self._bound(form, form, given=() if a.same(b) else (a, b))
                return form
            case "cast" if args[0].type.dtype in (
                "int8",
                "int16",
                "int32",
                "uint8",
                "uint16",
                "uint32",
                "bool",
            ):
                return self.of(args[0])
            case "floordiv" | "mod":
                return self._quotient(x, stmt)
            case _:
                return self._bounded(x, stmt)

    def _quotient(self, x: Var, stmt: Op) -> Affine:
        a, b = (self.of(y) for y in stmt.args)
        k = b.constant
        if k is None or k <= 0:
            form = self._opaque(x)
            if stmt.op == "mod" and b.terms and self._is_length(b):
                self._bound(form, form)
                self._bound(form, (b - form).shifted(-1), given=(b.shifted(-1),))
            return form
        key = (a.key(), k)
        q = self._quotients.get(key)
        if q is None:
            depth = max((s.depth for s in a.terms), default=0)
            q = self._quotients[key] = self.symbol(f"({a!r})//{k}", depth)
            rest = a.plus(Affine({q: 1}), -k)
            self._bound(Affine({q: 1}), rest, Affine(const=k - 1) - rest)
        quotient = Affine({q: 1})
        return quotient if stmt.op == "floordiv" else a.plus(quotient, -k)

    def _is_length(self, form: Affine) -> bool:
        """Whether the value is known not to be negative: a sum of symbols that are facts of themselves."""
        return form.const >= 0 and all(
            c > 0
            and any(
                not f.given and f.value.terms == {s: 1} and f.value.const == 0 for f in self.facts.get(s, ())
            )
            for s, c in form.terms.items()
        )

    def _bounded(self, x: Var, stmt: Op) -> Affine:
        form = self._opaque(x)
        if any(a.type.dtype.startswith("float") for a in stmt.args):
            return form
        args = [self.of(a) for a in stmt.args]
        match stmt.op:
            case "maximum":
                self._bound(form, *(form - a for a in args))
            case "minimum":
                self._bound(form, *(a - form for a in args))
            case "abs":
                self._bound(form, form, form - args[0], form + args[0])
            case "wrap":
                self._bound(
                    form,
                    form - args[0],
                    args[0] + args[1] - form if self._is_length(args[1]) else form - args[0],
                )
            case "trips":
                self._bound(form, form)
                step = args[2].constant
                if step:
                    span = (args[1] - args[0]).scaled(1 if step > 0 else -1)
                    self._bound(form, form.scaled(abs(step)) - span)
                    self._bound(
                        form, span.plus(form.shifted(-1), -abs(step)).shifted(-1), given=(form.shifted(-1),)
                    )
            case "bitand" if any((a.constant or -1) >= 0 for a in args):
                mask = min(a.constant for a in args if a.constant is not None and a.constant >= 0)
                self._bound(form, form, Affine(const=mask) - form)
            case _:
                pass
        return form

    def _bound(self, form: Affine, *values: Affine, given: tuple[Affine, ...] = ()) -> None:
        (s,) = form.terms
        self.facts[s] = (*self.facts.get(s, ()), *(Fact(v, given) for v in values))

    # -- lengths
    def dim(self, array: Var, axis: int, reader: Var | None = None) -> Affine:
        """The expression of `array.shape[axis]`."""
        if isinstance(array.type, Array) and array.type.growing:  # changes over time
            if reader is None:
                return Affine({self.symbol("length", self.depth(array)): 1})
            form = self._opaque(reader)
            self._bound(form, form)
            return form
        key = (array, axis)
        known = self._dims.get(key)
        if known is None:
            known = self._dims[key] = self._dim(array, axis)
        return known

    def _dim(self, array: Var, axis: int) -> Affine:
        stmt = self.definitions.maker[array]
        match stmt:
            case Alloc(shape=shape) | Reshape(shape=shape):
                return self.of(shape[axis])
            case View(axes=axes):
                return self.of(axes[axis].length)
            case For(inits=inits) | While(inits=inits):
                like = [i for i in inits if isinstance(i, Var) and i.type == array.type]
                found = [self.dim(i, axis) for i in like]
                if len(like) == sum(isinstance(i.type, Array) for i in inits) and all(
                    f.same(found[0]) for f in found
                ):
                    return found[0]
            case If(then=then, orelse=orelse, outs=outs):
                k = outs.index(array)
                a, b = then.yields[k], orelse.yields[k]
                if isinstance(a, Var) and isinstance(b, Var) and self.dim(a, axis).same(self.dim(b, axis)):
                    return self.dim(a, axis)
        form = Affine({self.symbol(f"{array!r}.shape[{axis}]", self.depth(array), (array, axis)): 1})
        self._bound(form, form)
        return form

    def room(self, array: Var, axis: int, index: Affine) -> Affine:
        """What is left of a length behind an index: negative where the index is too large."""
        return (self.dim(array, axis) - index).shifted(-1)

    # -- elements
    def element(
        self, array: Var, index: Sequence[Affine | None]
    ) -> list[tuple[Var, tuple[Affine | None, ...]]]:
        """The element under the names of the array and, through views, of its bases; None is an index that
        is not linear.
        """
        levels = [(array, tuple(index))]
        while True:
            stmt = self.definitions.maker[array]
            if not isinstance(stmt, View):
                return levels
            levels.append((stmt.array, self._through(stmt, levels[-1][1])))
            array = stmt.array

    def _through(self, view: View, index: tuple[Affine | None, ...]) -> tuple[Affine | None, ...]:
        rank = view.array.type.ndim if isinstance(view.array.type, Array) else 0
        base: list[Affine | None] = [None] * rank
        for k, at in view.fixed:
            base[k] = self.of(at)
        for s, i in zip(view.axes, index, strict=True):
            if s.axis is None:
                continue
            step = self.of(s.step).constant
            if step is not None and i is not None:
                base[s.axis] = self.of(s.start) + i.scaled(step)
            elif i is not None and i.constant is not None:
                base[s.axis] = self.of(s.start) + self.of(s.step).scaled(i.constant)
        return tuple(base)
