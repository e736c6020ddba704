"""Values of the frontend while it walks a user's function: what a Python name stands for.

Scalars are operands of core IR, arrays are views of array variables, and structures exist only here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..ir.nodes import Operand, Slice, Var


@dataclass(frozen=True, slots=True, eq=False)
class Static:
    """A compile-time Python object: number, string, None, slice of constants, dtype, module, function,
    class.
    """

    value: object


@dataclass(frozen=True, slots=True, eq=False)
class ScalarValue:
    """A number known at run time only. `weak`: a Python number, which does not widen a NumPy dtype. `power`:
    base and exponent of a Python integer that is a power, which a float may need beyond 64 bits.
    """

    operand: Operand
    weak: bool = False
    power: tuple[Operand, Operand] | None = None

    @property
    def dtype(self) -> str:
        return self.operand.type.dtype


@dataclass(frozen=True, slots=True, eq=False)
class ArrayValue:
    """Elements of the memory of `base`: axis k runs over `axes[k]`, dropped base axes stand in `fixed`.

    An axis whose `Slice.axis` is None has stride 0 (new axis, broadcast).
    """

    base: Var
    axes: tuple[Slice, ...]
    fixed: tuple[tuple[int, Operand], ...] = ()

    @property
    def dtype(self) -> str:
        return self.base.type.dtype

    @property
    def shape(self) -> tuple[Operand, ...]:
        return tuple(a.length for a in self.axes)


@dataclass(frozen=True, slots=True, eq=False)
class VirtualArray:
    """An array that exists only as a function of its indices until something forces it into memory.

    `element(index)` emits what one element needs at the builder's present place. `reads` are the array
    variables whose contents it depends on: it is forced before one of them is written. `cost` counts its
    operations. `unsure` are pairs of lengths that may differ, the first then being 1 (a broadcast that only
    the call decides).
    """

    shape: tuple[Operand, ...]
    dtype: str
    element: Callable[[Sequence[Operand]], Operand]
    reads: frozenset[Var] = frozenset()
    cost: int = 0
    unsure: tuple[tuple[Operand, Operand], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Sequence_:
    """A tuple or list of known length; `kind` is `tuple` or `list`."""

    items: tuple[Value, ...]
    kind: type = tuple


@dataclass(frozen=True, slots=True)
class Column:
    """A number in each item of a list."""

    dtype: str
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """An array in each item of a list, all of one shape."""

    dtype: str
    ndim: int


@dataclass(frozen=True, slots=True)
class Group:
    """A tuple or named tuple in each item of a list."""

    kind: type
    keys: tuple[object, ...]
    parts: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Fixed:
    """The same constant in each item of a list."""

    value: object


Item = Column | Row | Group | Fixed


@dataclass(frozen=True, slots=True, eq=False)
class ListValue:
    """A list whose length is known at run time only: `count[0]`. `columns` hold the items, in growing
    arrays, one for each leaf of `item`; for a `Row` there is one more, of integers, that holds the shape.
    It was made in the block `scope`; `key` names the loop and name whose storage it is.
    """

    item: Item
    columns: tuple[Var, ...]
    count: Var
    scope: object
    key: object = None


@dataclass(frozen=True, slots=True, eq=False)
class Mapping_:
    """A dict with constant keys."""

    items: dict[object, Value]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """A named tuple or dataclass: its fields by name."""

    cls: type
    items: dict[str, Value]


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function or lambda defined in the user's function, with the variables it sees."""

    node: ast.FunctionDef | ast.Lambda
    scope: object  # the specialiser's environment at the definition
    defaults: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """A bound method of a value, before it is called."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class RangeValue:
    """`promised`: the user's `prange`."""

    lo: Value
    hi: Value
    step: Value
    promised: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CheckpointedValue:
    """The range or the condition of a loop under `checkpoint`, with the number of its snapshots. `counted` is
    where `enumerate` counts the passes from.
    """

    over: Value
    snapshots: Value
    counted: Value | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SliceValue:
    """A slice in a subscript, some part of which is known at run time only; missing parts are
    `Static(None)`.
    """

    lo: Value
    hi: Value
    step: Value


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """What a loop runs over when its length is known at run time only: `element(i)` for 0 <= i < length."""

    length: Operand
    element: Callable[[Operand], Value]
    over: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class IndexSpace:
    """All indices of a shape in C order, as `np.ndindex` gives them; with the elements of `array`, if there
    is one.
    """

    shape: tuple[Operand, ...]
    array: Value | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Maybe:
    """A name that is bound only where `bound` holds; the language half unwraps it where the name is read."""

    value: Value
    bound: Operand
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of several constants that are no numbers: `among[which]`. Which one is known at run time only."""

    among: tuple[object, ...]
    which: Operand


@dataclass(frozen=True, slots=True, eq=False)
class OrNone:
    """A number where `given` holds, elsewhere None."""

    value: ScalarValue
    given: Operand


NO_NONE = "use a number in place of None, such as np.nan, and a boolean that says whether there is one"
DIFFERENT_RESULTS = "the function does not return the same kind of thing on all paths"


@dataclass(frozen=True, slots=True, eq=False)
class Undefined:
    """A name that is unbound on some path; reading it is an error that says on which."""

    name: str
    reason: str = ""


Value = (
    Static
    | ScalarValue
    | ArrayValue
    | VirtualArray
    | Sequence_
    | ListValue
    | Mapping_
    | Record
    | Closure
    | Method
    | RangeValue
    | CheckpointedValue
    | SliceValue
    | Stream
    | IndexSpace
    | Maybe
    | Choice
    | OrNone
    | Undefined
)

__all__ = [name for name in dir() if name[0].isupper()]
