"""Core IR: loops, scalars in static single assignment, array memory and library calls.

Everything after the frontend is core IR, adjoints included, so that transforms compose.

    function  = Function(name, params: Var*, body: Block, results: operand*)
    block     = Block(stmts: statement*, yields: operand*)
    operand   = Var(name, number, type) | Const(value, type)

    statement = Op(out: Var, op, args)                        a scalar primitive of the table in `ops`
              | Load(out: Var, array, index)                  out = array[index]
              | Store(array, index, value)                    array[index] = value
              | Accumulate(array, index, value)               array[index] += value
              | Alloc(out: Var, shape, zeroed)                fresh memory, C order
              | Dim(out: Var, array, axis)                    array.shape[axis]
              | View(out: Var, array, axes)                   a strided view: slices, indices, axis order
              | Reshape(out: Var, array, shape)               the memory of a C array under another shape
              | Call(name, args, attrs)                       a library routine; results go to array arguments
              | For(iv, lo, hi, step, args, inits, body, outs, stop, trips)
              | While(args, inits, cond, body, outs, stop, trips)
              | If(cond, then, orelse, outs)
              | Bounds(array, axis, index)                    IndexError unless 0 <= index < array.shape[axis]
              | Check(cond, error, message, values)           raises the named exception unless cond holds
              | Mark(name, value, out)                        a named local value; a scalar goes on as `out`

Invariants
- A `Var` is defined once and compared by identity; a block reads its own values, its parameters and the
  values of enclosing blocks that are defined before it.
- Memory is not SSA: array variables are references. `outs`, `args` and `yields` of loops and branches may be
  references: a loop's array yields are a permutation of that loop's array `args` (a swap), made directly or
  by the branches and loops of its body.
  A branch may yield any array that is visible before the branch.
- All operands of one `Op` have one dtype, but for `cast`, comparisons' results, `select`'s condition and
  `wrap`.
- Indices are int64, already non-negative (`wrap` makes them so), one per axis.
- Two different array parameters never share memory, unless `shared` says so.
- Array arguments of a `Call` that are written never overlap its other arguments.
- `cond` blocks of `While` have no `Store`, `Accumulate` to memory from outside.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from .places import NOWHERE as NOWHERE
from .places import UNEQUAL as UNEQUAL
from .places import Location as Location
from .types import Type


@dataclass(frozen=True, slots=True, eq=False)
class Var:
    """A value (scalar) or a reference (array). `number` is unique within a function."""

    name: str
    number: int
    type: Type

    def __repr__(self) -> str:
        return f"{self.name}.{self.number}"


@dataclass(frozen=True, slots=True)
class Const:
    value: bool | int | float
    type: Type

    def __repr__(self) -> str:
        return repr(self.value)


Operand = Var | Const


@dataclass(frozen=True, slots=True, eq=False)
class Stmt:
    loc: Location = field(default=NOWHERE, kw_only=True, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Op(Stmt):
    out: Var
    op: str
    args: tuple[Operand, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Load(Stmt):
    out: Var
    array: Var
    index: tuple[Operand, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Store(Stmt):
    array: Var
    index: tuple[Operand, ...]
    value: Operand


@dataclass(frozen=True, slots=True, eq=False)
class Accumulate(Stmt):
    array: Var
    index: tuple[Operand, ...]
    value: Operand


@dataclass(frozen=True, slots=True, eq=False)
class Alloc(Stmt):
    """`shape` is empty for a growing array; then `zeroed` is true."""

    out: Var
    shape: tuple[Operand, ...]
    zeroed: bool


@dataclass(frozen=True, slots=True, eq=False)
class Dim(Stmt):
    out: Var
    array: Var
    axis: int


@dataclass(frozen=True, slots=True)
class Slice:
    """An axis of a view: `length` elements of axis `axis` of the base, from `start` on, `step` apart.

    `axis` None is a new axis of length `length` (stride 0; written through only if `length` is 1).
    """

    axis: int | None
    start: Operand
    length: Operand
    step: Operand


@dataclass(frozen=True, slots=True, eq=False)
class View(Stmt):
    """Axes of the result in order; base axes in `fixed` (axis, index) are dropped."""

    out: Var
    array: Var
    axes: tuple[Slice, ...]
    fixed: tuple[tuple[int, Operand], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Reshape(Stmt):
    out: Var
    array: Var
    shape: tuple[Operand, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Call(Stmt):
    """Library routine `name`: the table in `library` states which array arguments it reads and writes.

    `attrs` are constants: a `library.rules.Rule` where the routine stands for a rule of the user's, a
    `adjoint.checkpoints.Region` where a part is run again in reverse.
    """

    name: str
    args: tuple[Operand, ...]
    attrs: tuple[Hashable, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    stmts: tuple[Stmt, ...] = ()
    yields: tuple[Operand, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class For(Stmt):
    """`for iv in range(lo, hi, step)`, with carried values.

    `args` are the body's parameters; they start as `inits`, and each pass hands `body.yields` to the next;
    `outs` are their values after the loop. `step` is a nonzero constant. `stop`, a boolean defined in the
    body, ends the loop after the pass in which it is true. `trips`, where wanted, is the number of passes
    made. `independent` states that no pass reads what another wrote (accumulations apart) and that the
    order of passes does not matter. `promised`: the user says so, by `prange`; only what cannot be told
    from the indices is believed.
    """

    iv: Var
    lo: Operand
    hi: Operand
    step: int
    args: tuple[Var, ...]
    inits: tuple[Operand, ...]
    body: Block
    outs: tuple[Var, ...]
    stop: Operand | None = None
    trips: Var | None = None
    independent: bool = False
    promised: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class While(Stmt):
    """`cond` sees `args` and yields one boolean; `body` sees `args`, not what `cond` defines."""

    args: tuple[Var, ...]
    inits: tuple[Operand, ...]
    cond: Block
    body: Block
    outs: tuple[Var, ...]
    stop: Operand | None = None
    trips: Var | None = None


@dataclass(frozen=True, slots=True, eq=False)
class If(Stmt):
    cond: Operand
    then: Block
    orelse: Block
    outs: tuple[Var, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Bounds(Stmt):
    array: Var
    axis: int
    index: Operand


@dataclass(frozen=True, slots=True, eq=False)
class Check(Stmt):
    """`error` names a builtin exception, one of `adjit.errors`, a class of the user's (`frontend.raising`),
    or is `UNEQUAL`; `values` are numbers that stand in the message where it has places for them, or that
    the error shows with their names.
    """

    cond: Operand
    error: str
    message: str
    values: tuple[Operand, ...] = ()
    remedy: str = ""  # what to write instead, where the error is one of adjit's


@dataclass(frozen=True, slots=True, eq=False)
class Mark(Stmt):
    """`out` is the scalar `value` under another name, which tells what follows from other uses of `value`;
    None for arrays.
    """

    name: str
    value: Operand
    out: Var | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A whole program. `results` are scalars or arrays (allocated inside, or parameters).

    `source` is the file and line that the program comes from; `notes` are lines for the header of the
    generated text. `shared` are groups of parameters, by position, that may be the same memory; all others
    are apart.
    """

    name: str
    params: tuple[Var, ...]
    body: Block
    results: tuple[Operand, ...]
    loc: Location = NOWHERE
    notes: tuple[str, ...] = ()
    shared: tuple[tuple[int, ...], ...] = ()
