"""The only way in which passes create statements: fresh names, inferred types, folding, common
subexpressions.

>>> b = Builder(Names())
>>> x = b.fresh("x", FLOAT64)
>>> b.op("mul", x, b.const(1.0)) is x           # folded
True
>>> b.op("sin", x) is b.op("sin", x)            # found again
True
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..ops import complexes
from ..ops.core import TABLE, fold
from .nodes import (
    NOWHERE,
    Accumulate,
    Alloc,
    Block,
    Bounds,
    Call,
    Check,
    Const,
    Dim,
    For,
    Function,
    If,
    Load,
    Location,
    Op,
    Operand,
    Reshape,
    Slice,
    Stmt,
    Store,
    Var,
    View,
    While,
)
from .types import BOOL, FLOAT64, INT, PARTS, WHOLES, Array, Scalar, Type
from .visitor import max_number

Index = Sequence[Operand]


@dataclass
class Names:
    """Numbers for fresh variables of one function."""

    next: int = 0

    @classmethod
    def above(cls, fn: Function) -> Names:
        """Numbers above those of a function."""
        return cls(max_number(fn) + 1)

    def fresh(self, name: str, type_: Type) -> Var:
        self.next += 1
        return Var(name, self.next - 1, type_)


def const(value: bool | int | float, dtype: str | None = None) -> Const:
    """A constant; without `dtype` a bool, int64 or float64 by the value's own type."""
    if dtype is None:
        type_ = BOOL if isinstance(value, bool) else INT if isinstance(value, int) else FLOAT64
        return Const(value, type_)
    if dtype == "bool":
        return Const(bool(value), BOOL)
    if dtype in PARTS:
        return Const(complex(value), Scalar(dtype))  # type: ignore[arg-type]
    return Const(float(value) if dtype.startswith("float") else int(value), Scalar(dtype))


@dataclass
class _Scope:
    stmts: list[Stmt] = field(default_factory=list)
    known: dict[object, Operand] = field(default_factory=dict)
    facts: dict[object, object] = field(
        default_factory=dict
    )  # what a check has established for the rest of the block


class Builder:
    """Statements are appended to the innermost open block; `loc` is stamped on each.

    What proofs about indices need is kept on the way: `definitions` (the statement behind a scalar),
    `ranges` (bounds and step of a loop variable; `iterates` records one for a loop that is emitted by hand)
    and `origins` (the arrays whose memory a view, a reshape or a chosen reference may share).
    """

    def __init__(self, names: Names, loc: Location = NOWHERE) -> None:
        self.names = names
        self.loc = loc
        self.wish: str | None = None  # the name that the next array without a name of its own is made for
        self.scopes = [_Scope()]
        self.definitions: dict[Var, Op | Dim] = {}
        self.ranges: dict[Var, tuple[Operand, Operand, int]] = {}
        self.origins: dict[Var, frozenset[Var]] = {}
        self.forms: dict[Var, object] = {}  # what the proofs have made of a definition
        self.not_one: set[object] = set()  # lengths, as the proofs name them, that are known to differ from 1
        self.copies: dict[Var, object] = {}  # the frontend's copies where NumPy might give a view
        self.halves: dict[Var, tuple[Var, int]] = {}  # all real (0) or imaginary (1) parts of a complex array

    def iterates(self, iv: Var, lo: Operand, hi: Operand, step: int) -> None:
        """State that `iv` takes the values of range(lo, hi, step) only."""
        self.ranges[iv] = (lo, hi, step)

    def origin(self, array: Var) -> frozenset[Var]:
        """The allocations and parameters whose memory `array` may be."""
        return self.origins.get(array) or frozenset((array,))

    def name(self, x: Operand, name: str, since: int) -> None:
        """Call a scalar after the user's variable, if it was made for it: it has no name of its own and its
        number is `since` or later. Names mean nothing to the program, so the variable itself changes, not
        what reads it.
        """
        if not isinstance(x, Var) or x.number < since or isinstance(x.type, Array):
            return
        if x.name == "t" or any(isinstance(s, Load) and s.out is x for s in self.stmts[-8:]):
            object.__setattr__(x, "name", name)

    # -- blocks
    @contextmanager
    def block(self) -> Iterator[list[Stmt]]:
        """Collect what is emitted inside into a list of its own, for a `Block`."""
        scope = _Scope()
        self.scopes.append(scope)
        try:
            yield scope.stmts
        finally:
            self.scopes.pop()

    @property
    def stmts(self) -> list[Stmt]:
        return self.scopes[-1].stmts

    def finish(self, yields: Sequence[Operand] = ()) -> Block:
        """The outermost block."""
        assert len(self.scopes) == 1
        return Block(tuple(self.stmts), tuple(yields))

    @contextmanager
    def at(self, loc: Location) -> Iterator[None]:
        kept, self.loc = self.loc, loc
        try:
            yield
        finally:
            self.loc = kept

    def emit(self, stmt: Stmt) -> None:
        self.stmts.append(stmt)

    def fresh(self, name: str, type_: Type) -> Var:
        return self.names.fresh(name, type_)

    @staticmethod
    def const(value: bool | int | float, dtype: str | None = None) -> Const:
        return const(value, dtype)

    # -- scalars
    def _reuse(self, key: object) -> Operand | None:
        for scope in reversed(self.scopes):
            if key in scope.known:
                return scope.known[key]
        return None

    def op(self, name: str, *args: Operand, hint: str = "t") -> Operand:
        """Apply a scalar primitive; constants fold, neutral elements vanish, equal expressions are shared."""
        if name in complexes.MAKING or any(a.type.dtype in PARTS for a in args):
            return self._complex(name, args, hint)
        entry = TABLE[name]
        type_ = entry.result(*(a.type for a in args))
        folded = fold(name, args, type_)
        if folded is not None:
            return folded
        return self._pure(name, args, type_, hint)

    def _complex(self, name: str, args: tuple[Operand, ...], hint: str) -> Operand:
        """The same for an op on complex numbers, which the frontend takes apart in the end."""
        if name == "select" and (isinstance(args[0], Const) or args[1] is args[2]):
            return args[1] if not isinstance(args[0], Const) or args[0].value else args[2]
        return self._pure(name, args, complexes.result_type(name, args, self.loc), hint)

    def cast(self, x: Operand, dtype: str, hint: str = "t") -> Operand:
        if x.type.dtype == dtype:
            return x
        if x.type.dtype in PARTS and dtype not in PARTS:
            complexes.refuse_cast(x.type.dtype, dtype, self.loc)
        if isinstance(x, Const):
            return const(x.value, dtype)
        return self._pure("cast", (x,), Scalar(dtype), hint)

    def _pure(self, name: str, args: tuple[Operand, ...], type_: Type, hint: str) -> Operand:
        key = (name, type_, tuple(repr(a) + a.type.dtype if isinstance(a, Const) else a for a in args))
        found = self._reuse(key)
        if found is not None:
            return found
        out = self.fresh(hint, type_)
        stmt = Op(out, name, args, loc=self.loc)
        self.emit(stmt)
        self.definitions[out] = stmt
        self.scopes[-1].known[key] = out
        return out

    # -- memory
    def load(self, array: Var, index: Index, hint: str | None = None) -> Var:
        out = self.fresh(hint or array.name, Scalar(array.type.dtype))
        self.emit(Load(out, array, tuple(index), loc=self.loc))
        return out

    def store(self, array: Var, index: Index, value: Operand) -> None:
        self.emit(Store(array, tuple(index), value, loc=self.loc))

    def accumulate(self, array: Var, index: Index, value: Operand) -> None:
        self.emit(Accumulate(array, tuple(index), value, loc=self.loc))

    def alloc(self, shape: Index, dtype: str, hint: str = "a", *, zeroed: bool = False) -> Var:
        if hint == "a" and self.wish is not None:
            hint, self.wish = self.wish, None
        out = self.fresh(hint, Array(dtype, len(shape)))
        self.emit(Alloc(out, tuple(shape), zeroed, loc=self.loc))
        for axis, n in enumerate(shape):
            self.scopes[-1].known["dim", out, axis] = n
        return out

    def growing(self, dtype: str, hint: str = "saved") -> Var:
        out = self.fresh(hint, Array(dtype, 1, growing=True))
        self.emit(Alloc(out, (), zeroed=True, loc=self.loc))
        return out

    def dim(self, array: Var, axis: int) -> Operand:
        key = ("dim", array, axis)
        found = self._reuse(key)
        if found is None:
            found = self.fresh(f"n_{array.name}", INT)
            stmt = Dim(found, array, axis, loc=self.loc)
            self.emit(stmt)
            self.definitions[found] = stmt
            self.scopes[-1].known[key] = found
        return found

    def view(
        self,
        array: Var,
        axes: Sequence[Slice],
        fixed: Sequence[tuple[int, Operand]] = (),
        hint: str | None = None,
        type_: Array | None = None,
    ) -> Var:
        out = self.fresh(hint or array.name, type_ or Array(array.type.dtype, len(axes), "A"))
        self.emit(View(out, array, tuple(axes), tuple(fixed), loc=self.loc))
        return self._reference(out, array, [a.length for a in axes])

    def half(self, array: Var, k: int) -> Var:
        """All real (`k` 0) or imaginary (1) parts of a complex array."""
        assert isinstance(array.type, Array)
        known = self._reuse(("half", array, k))
        if isinstance(known, Var):
            return known
        rank = array.type.ndim
        type_ = Array(PARTS[array.type.dtype], rank, "A")
        out = self.view(array, self._every(array, rank), ((rank, const(k)),), type_=type_)
        self.halves[out] = (array, k)
        self.scopes[-1].known["half", array, k] = out
        return out

    def whole(self, array: Var) -> Var:
        """A real array, whose last axis has length two, as the complex one that it holds the parts of."""
        assert isinstance(array.type, Array)
        rank = array.type.ndim - 1
        layout = array.type.layout if array.type.layout == "C" else "A"
        type_ = Array(WHOLES[array.type.dtype], rank, layout)
        return self.view(array, self._every(array, rank), type_=type_)

    def _every(self, array: Var, rank: int) -> list[Slice]:
        """The first `rank` axes of an array, whole."""
        return [Slice(axis, const(0), self.dim(array, axis), const(1)) for axis in range(rank)]

    def reshape(self, array: Var, shape: Index, hint: str | None = None, dtype: str | None = None) -> Var:
        out = self.fresh(hint or array.name, Array(dtype or array.type.dtype, len(shape)))
        self.emit(Reshape(out, array, tuple(shape), loc=self.loc))
        return self._reference(out, array, shape)

    def _reference(self, out: Var, array: Var, lengths: Sequence[Operand]) -> Var:
        """Note of a new reference what it refers to and how long it is."""
        self.origins[out] = self.origin(array)
        for axis, n in enumerate(lengths):
            self.scopes[-1].known["dim", out, axis] = n
        return out

    def parts(self, array: Var, shape: Index) -> Var:
        """The memory of a complex array as a real one of this shape, parts in turn."""
        return self.reshape(array, shape, dtype=PARTS[array.type.dtype])

    def call(self, name: str, *args: Operand, attrs: tuple[Hashable, ...] = ()) -> None:
        self.emit(Call(name, args, attrs, loc=self.loc))

    # -- control and checks
    def loop(self, lo: Operand, hi: Operand, hint: str = "i", step: int = 1) -> ForBuilder:
        """`with b.loop(lo, hi) as i:` for a loop that carries nothing."""
        return ForBuilder(self, lo, hi, step, hint)

    def if_(self, cond: Operand, then: Block, orelse: Block, outs: Sequence[Var]) -> None:
        self.emit(If(cond, then, orelse, tuple(outs), loc=self.loc))

    def bounds(self, array: Var, axis: int, index: Operand) -> None:
        self.emit(Bounds(array, axis, index, loc=self.loc))

    def check(self, cond: Operand, error: str, message: str, *values: Operand, remedy: str = "") -> None:
        if not (isinstance(cond, Const) and cond.value):
            self.emit(Check(cond, error, message, values, remedy, loc=self.loc))


class ForBuilder:
    """Context manager of `Builder.loop`; `independent` may be set before the end."""

    def __init__(self, builder: Builder, lo: Operand, hi: Operand, step: int, hint: str) -> None:
        self.builder, self.lo, self.hi, self.step = builder, lo, hi, step
        self.iv = builder.fresh(hint, INT)
        builder.iterates(self.iv, lo, hi, step)
        self.independent = False

    def __enter__(self) -> Var:
        self.manager = self.builder.block()
        self.collected = self.manager.__enter__()
        return self.iv

    def __exit__(self, *error: object) -> None:
        self.manager.__exit__(None, None, None)
        b = self.builder
        if error[0] is None:
            body = Block(tuple(self.collected))
            b.emit(
                For(
                    self.iv,
                    self.lo,
                    self.hi,
                    self.step,
                    (),
                    (),
                    body,
                    (),
                    independent=self.independent,
                    loc=b.loc,
                )
            )


__all__ = ["BOOL", "Builder", "Names", "While", "const"]
