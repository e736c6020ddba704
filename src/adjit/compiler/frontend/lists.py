"""Lists whose length is known at run time only, as memory: growing arrays and a counter.

A list starts as a sequence known at compile time. Where a loop or a branch changes its length, it moves into
memory under every name that sees it (`moved`), and the statement is walked again. Since the length lies in
memory too, names that see one list agree by construction. Input: lists and the values that go into them.
Output: statements and values. Invariants: an index out of range raises at the list's length; a wider number
makes the list anew before the statement. Non-goals: methods (`list_methods`), joining (`carry`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InferenceError, OverwriteError
from ..ir.builder import const
from ..ir.nodes import Operand, Var
from . import arrays, containers, items, optionals, structure
from .arrays import linear, view
from .arrays.fill import nest
from .arrays.promote import cast, operand
from .arrays.slices import as_index, wrapped
from .values import (
    ArrayValue,
    Column,
    Group,
    Item,
    ListValue,
    Mapping_,
    Maybe,
    Method,
    Record,
    Row,
    ScalarValue,
    Sequence_,
    Value,
    VirtualArray,
)

if TYPE_CHECKING:
    from .specialise import Specialiser

ZERO, ONE = const(0), const(1)
KINDS = "numbers, tuples of numbers, or arrays of one shape, and of one kind"


# -- making and moving


def make(
    ctx: Specialiser, item: Item, hint: str = "items", scope: object = None, key: object = None
) -> ListValue:
    """An empty list."""
    b = ctx.b
    columns: list[Var] = []
    for leaf in items.leaves(item):
        columns.append(b.growing(leaf.dtype, hint))
        if isinstance(leaf, Row):
            columns.append(b.alloc((const(leaf.ndim),), "int64", f"shape_{hint}", zeroed=True))
    count = b.alloc((ONE,), "int64", f"n_{hint}", zeroed=True)
    return ListValue(item, tuple(columns), count, scope or b.scopes[-1], key)


def moved(ctx: Specialiser, old: Sequence_, item: Item) -> ListValue:
    """Put a list that is known at compile time into memory, under every name that sees it."""
    new = make(ctx, item, _name_of(ctx, old))
    for k, v in enumerate(old.items):
        put(ctx, new, const(k), v)
    set_length(ctx, new, const(len(old.items)))
    containers.changed(ctx, old, new)
    return new


def _name_of(ctx: Specialiser, value: Value) -> str:
    found = (n for f in reversed(ctx.frames) for n, v in f.names.items() if v is value and n[0] != "@")
    return next(found, "items")


def movable(ctx: Specialiser, value: Value) -> Item | None:
    """The kind of the items, where a list could lie in memory; None where it has none or cannot."""
    if isinstance(value, ListValue):
        return value.item
    return items.common(ctx, value.items) if isinstance(value, Sequence_) and value.kind is list else None


def fitted(ctx: Specialiser, a: ListValue, value: Value) -> ListValue:
    """The list, able to hold one more value."""
    new = items.item_of(ctx, value)
    both = items.joined(a.item, new)
    if both is None:
        what = items.describe(new) if new is not None else containers.describe(value)
        ctx.error(
            InferenceError,
            "the items of a list whose length is known at run time only are of different kinds",
            f"they are {items.describe(a.item)} and {what}; they can be {KINDS}",
            "keep them in lists of their own, or append a tuple or an array",
        )
    return a if both == a.item else _widened(ctx, a, both)


def _widened(ctx: Specialiser, a: ListValue, item: Item) -> ListValue:
    def prepare() -> None:
        if any(a is v for f in ctx.reachable() for x in f.names.values() for v in inside(x)):
            _replace(ctx, a, item)
        else:
            assert a.key is not None, "a list without a name is made for what goes into it"
            ctx.list_items[a.key] = item

    if a.scope is not ctx.b.scopes[-1]:
        ctx.walk_again(a.scope, prepare)
    return _replace(ctx, a, item)


def _replace(ctx: Specialiser, a: ListValue, item: Item) -> ListValue:
    new = make(ctx, item, a.count.name.removeprefix("n_"))
    copy(ctx, new, a)
    ctx.replace_everywhere(a, new)
    ctx.outdated[id(a)] = a
    return new


def item_at(ctx: Specialiser, a: ListValue) -> Callable[[Operand], Value]:
    """The items, for what runs over a list."""

    def item(at: Operand) -> Value:
        if id(a) in ctx.outdated:
            ctx.error(
                InferenceError,
                "a list gets numbers of another kind while a loop runs over it",
                f"its items were {items.describe(a.item)} before",
                "start it with numbers of that kind, such as 0.0 instead of 0",
            )
        return get(ctx, a, at)

    return item


def inside(value: Value | None) -> Iterator[ListValue]:
    """The lists of run-time length in a value."""
    if isinstance(value, ListValue):
        yield value
    match value:
        case Maybe(value=inner) | Method(owner=inner):
            yield from inside(inner)
        case Sequence_() | Mapping_() | Record():
            for part in structure.children(value) or ():
                yield from inside(part)


# -- length and items


def length(ctx: Specialiser, a: ListValue) -> Operand:
    return ctx.b.load(a.count, (ZERO,), hint="n")


def _may_change(ctx: Specialiser, a: ListValue) -> None:
    if a.count in ctx.frozen:
        name = a.count.name.removeprefix("n_")
        ctx.error(OverwriteError, f"the list {name!r} is changed", ctx.frozen[a.count], "copy it, as list(x)")


def set_length(ctx: Specialiser, a: ListValue, n: Operand) -> None:
    _may_change(ctx, a)
    view.announce_write(ctx, a.count)
    ctx.b.store(a.count, (ZERO,), n)


def position(ctx: Specialiser, a: ListValue, index: Value, what: str = "list index out of range") -> Operand:
    """An index counted from the start, checked."""
    b, n = ctx.b, length(ctx, a)
    x = as_index(ctx, index)
    at = wrapped(b, x, n)
    if at is x:
        b.check(b.op("lt", at, n), "OutOfBoundsError", what)
    elif x.type == at.type and not isinstance(index, ScalarValue):
        b.check(b.op("le", ZERO, at), "OutOfBoundsError", what)
    else:
        b.check(b.op("and", b.op("le", ZERO, at), b.op("lt", at, n)), "OutOfBoundsError", what)
    return at


def _slots(a: ListValue) -> Iterator[tuple[Column | Row, tuple[Var, ...]]]:
    rest = iter(a.columns)
    for leaf in items.leaves(a.item):
        yield leaf, (next(rest),) if isinstance(leaf, Column) else (next(rest), next(rest))


def get(ctx: Specialiser, a: ListValue, at: Operand, *, at_once: bool = False) -> Value:
    """The item at an index in range; arrays are copied if the item is not used at once."""
    found: list[Value] = []
    for leaf, memory in _slots(a):
        if isinstance(leaf, Column):
            x = ctx.b.load(memory[0], (at,))
            found.append(ScalarValue(x, leaf.weak))
        else:
            row: Value = _row(ctx, leaf, memory, at)
            if not at_once:
                row = arrays.materialise(ctx, row, "row")
                ctx.frozen[row.base] = "a copy stands for the array in the list"
            found.append(row)
    return items.rebuilt(a.item, iter(found))


def put(ctx: Specialiser, a: ListValue, at: Operand, value: Value) -> None:
    """Store an item at an index that is in range or the next one."""
    _may_change(ctx, a)
    b = ctx.b
    for (leaf, memory), v in zip(_slots(a), items.flat(a.item, value), strict=True):
        if isinstance(leaf, Column):
            x = (
                arrays.scalar(ctx, v)
                if isinstance(v, ArrayValue | VirtualArray)
                else operand(ctx, v, leaf.dtype)
            )
            view.announce_write(ctx, memory[0])
            b.store(memory[0], (at,), cast(b, x, leaf.dtype))
        else:
            assert isinstance(v, ArrayValue | VirtualArray)
            _put_row(ctx, a, memory, at, v)


def _row(ctx: Specialiser, leaf: Row, memory: Sequence[Var], at: Operand) -> VirtualArray:
    b, (data, dims) = ctx.b, memory
    shape = tuple(b.load(dims, (const(k),), hint="n") for k in range(leaf.ndim))
    first = linear.times(b, at, linear.product(b, shape))

    def element(index: Sequence[Operand]) -> Operand:
        return b.load(data, (linear.plus(b, first, _flat(ctx, shape, index)),))

    return VirtualArray(shape, leaf.dtype, element, frozenset((data, dims)))


def _flat(ctx: Specialiser, shape: Sequence[Operand], index: Sequence[Operand]) -> Operand:
    """The place of an element in C order."""
    place: Operand = ZERO
    for n, i in zip(shape, index, strict=True):
        place = linear.plus(ctx.b, linear.times(ctx.b, place, n), i)
    return place


def _put_row(
    ctx: Specialiser, a: ListValue, memory: Sequence[Var], at: Operand, value: ArrayValue | VirtualArray
) -> None:
    """Copy an array into a list; the first one says what shape all have. Since a copy stands for it, the
    array must not be written any more.
    """
    b, (data, dims) = ctx.b, memory
    first = b.op("eq", length(ctx, a), ZERO)
    view.announce_write(ctx, dims)
    for k, n in enumerate(value.shape):
        wanted = b.op("select", first, n, b.load(dims, (const(k),)))
        b.check(
            b.op("eq", wanted, n),
            "ShapeError",
            "the arrays in a list must have one shape: {} and {}",
            wanted,
            n,
        )
        b.store(dims, (const(k),), wanted)
    start = linear.times(b, at, linear.product(b, value.shape))
    view.announce_write(ctx, data)

    def body(index: Sequence[Operand]) -> None:
        x = cast(b, view.element(ctx, value, index), data.type.dtype)
        b.store(data, (linear.plus(b, start, _flat(ctx, value.shape, index)),), x)

    nest(ctx, value.shape, body, independent=False)
    if isinstance(value, ArrayValue) and value.base not in ctx.frozen:
        for root in b.origin(value.base):
            ctx.in_lists.add(root)
            ctx.frozen[root] = "it is in a list, for which a copy of it stands"


def each(ctx: Specialiser, n: Operand, body: Callable[[Operand], None]) -> None:
    """A loop over 0 … n-1, in order."""
    with ctx.b.loop(ZERO, n, "k") as k:
        body(k)


def copy(ctx: Specialiser, target: ListValue, source: Value) -> None:
    """Let a list have the items of another one, or of one that is known at compile time."""
    if isinstance(source, ListValue):
        n = length(ctx, source)
        set_length(ctx, target, ZERO)
        each(ctx, n, lambda k: put(ctx, target, k, get(ctx, source, k, at_once=True)))
        set_length(ctx, target, n)
    else:
        assert isinstance(source, Sequence_)
        set_length(ctx, target, ZERO)
        for k, v in enumerate(source.items):
            put(ctx, target, const(k), v)
            set_length(ctx, target, const(k + 1))


# -- as arrays


def as_array(ctx: Specialiser, a: ListValue) -> VirtualArray:
    """`np.array(a)`, before it is put into memory."""
    n = length(ctx, a)
    found = _array(ctx, a.item, n, _slots(a))
    if found is None:
        ctx.error(
            InferenceError,
            "the items of this list do not make an array",
            f"they are {items.describe(a.item)}",
            "keep their parts in lists of their own",
        )
    return found


def _array(
    ctx: Specialiser, item: Item, n: Operand, slots: Iterator[tuple[Column | Row, tuple[Var, ...]]]
) -> VirtualArray | None:
    b = ctx.b
    match item:
        case Column(dtype=dtype):
            _, (data,) = next(slots)
            return VirtualArray((n,), dtype, lambda i: b.load(data, tuple(i)), frozenset((data,)))
        case Row():
            leaf, memory = next(slots)
            assert isinstance(leaf, Row)
            whole = _row(ctx, leaf, memory, ZERO)
            shape = (n, *whole.shape)
            data = memory[0]
            return VirtualArray(
                shape, leaf.dtype, lambda i: b.load(data, (_flat(ctx, shape, i),)), whole.reads
            )
        case Group(parts=parts):
            found = [_array(ctx, p, n, slots) for p in parts]
            whole_parts = [v for v in found if v is not None]
            if not found or len(whole_parts) != len(found):
                return None
            return _side_by_side(ctx, whole_parts)
    return None


def _side_by_side(ctx: Specialiser, parts: Sequence[VirtualArray]) -> VirtualArray | None:
    """Arrays over the items of a list as one, with a second axis that numbers them."""
    b, first = ctx.b, parts[0]
    if any(p.shape != first.shape for p in parts):
        return None
    dtype = np.result_type(*(p.dtype for p in parts)).name

    def element(index: Sequence[Operand]) -> Operand:
        at, rest = index[1], (index[0], *index[2:])
        if not isinstance(at, Var):
            return cast(b, parts[int(at.value)].element(rest), dtype)
        x = cast(b, parts[-1].element(rest), dtype)
        for k in range(len(parts) - 2, -1, -1):
            here = cast(b, parts[k].element(rest), dtype)
            x = b.op("select", b.op("eq", at, const(k)), here, x)
        return x

    shape = (first.shape[0], const(len(parts)), *first.shape[1:])
    return VirtualArray(shape, dtype, element, frozenset(r for p in parts for r in p.reads))


def plain(ctx: Specialiser, value: Value) -> Value:
    """A value for what takes arrays: lists of run-time length as arrays, None and constants known."""
    if isinstance(value, ListValue):
        return as_array(ctx, value)
    if isinstance(value, Sequence_) and any(isinstance(v, ListValue) for v in value.items):
        return Sequence_(tuple(plain(ctx, v) for v in value.items), value.kind)
    return optionals.told(ctx, value)


__all__ = [
    "copy",
    "each",
    "fitted",
    "get",
    "inside",
    "item_at",
    "length",
    "make",
    "movable",
    "moved",
    "plain",
]
