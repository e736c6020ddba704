"""What a subscript means: a view, or a view with some axes addressed by arrays of integers.

Input: an array and the index as a value. Output: a `Place`, from which elements are read (`getitem`) and to
which `store` writes. NumPy's rules hold: integers wrap and are checked, arrays of indices broadcast
together and their axes stand where the first one stood, or first if a slice lies between them; a boolean
array stands for the positions where it is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....errors import InferenceError, OutOfBoundsError
from ...ir.nodes import Block, If, Operand, Var
from ...ir.types import INT
from ..values import ArrayValue, ScalarValue, Sequence_, SliceValue, Static, Value, VirtualArray
from . import fill, view
from .broadcast import common_shape, expanded, require_equal, together, unsure_of
from .context import Context
from .elementwise import EXPENSIVE
from .promote import AnyArray, cast, describe, is_array, value_of
from .slices import as_index, check_bounds, in_range, part, wrapped


@dataclass(frozen=True)
class Selector:
    """The index of one axis: an array of positions or one position. `trusted` ones are known to lie in the
    axis, `checked` ones have been found to, counted from its end where they are negative.
    """

    axis: int
    index: AnyArray | Operand
    trusted: bool = False
    checked: bool = False


@dataclass(frozen=True)
class Place:
    """Where a subscript leads: `source`, with `selectors` on some of its axes. `at`: where the selected
    axes stand.
    """

    source: AnyArray
    shape: tuple[Operand, ...]
    selectors: tuple[Selector, ...] = ()
    at: int = 0
    rank: int = 0

    def index(self, ctx: Context, i: view.Index) -> tuple[Operand, ...]:
        """The index into `source` of element `i` of the place."""
        if not self.selectors:
            return tuple(i)
        chosen = i[self.at : self.at + self.rank]
        others = iter((*i[: self.at], *i[self.at + self.rank :]))
        positions = {s.axis: self._position(ctx, s, chosen) for s in self.selectors}
        return tuple(positions[k] if k in positions else next(others) for k in range(len(self.source.shape)))

    def _position(self, ctx: Context, s: Selector, chosen: view.Index) -> Operand:
        if not is_array(s.index):  # type: ignore[arg-type]
            return s.index  # type: ignore[return-value]
        b = ctx.b
        array: AnyArray = s.index  # type: ignore[assignment]
        x = cast(b, view.element(ctx, array, chosen), "int64")
        if s.trusted:
            return x
        x = wrapped(b, x, self.source.shape[s.axis])
        if not s.checked:
            check_bounds(ctx, self.source, s.axis, x)
        return x

    def checked(self, ctx: Context) -> Place:
        """The place, all of whose positions have been found to lie in their axes, read or not."""
        if not ctx.options.boundscheck or not any(map(_is_unsure, self.selectors)):
            return self
        with_checks = [s for s in self.selectors if _is_unsure(s)]

        def check(chosen: view.Index) -> None:
            for s in with_checks:
                self._position(ctx, s, chosen)

        fill.nest(ctx, self.shape[self.at : self.at + self.rank], check)
        return replace(self, selectors=tuple(replace(s, checked=True) for s in self.selectors))


def _is_unsure(s: Selector) -> bool:
    return is_array(s.index) and not s.trusted  # type: ignore[arg-type]


def items_of(ctx: Context, index: Value) -> list[Value]:
    """The parts of a subscript."""
    if isinstance(index, Sequence_) and index.kind is tuple:
        return list(index.items)
    if isinstance(index, Static) and isinstance(index.value, tuple):
        return [Static(v) for v in index.value]
    return [index]


def _is(value: Value, wanted: object) -> bool:
    return isinstance(value, Static) and value.value is wanted


def _is_slice(value: Value) -> bool:
    return isinstance(value, SliceValue) or (isinstance(value, Static) and isinstance(value.value, slice))


def _index_array(ctx: Context, value: Value) -> AnyArray | None:
    """An array of indices: also a list, and a constant array or list."""
    if isinstance(value, ArrayValue | VirtualArray):
        return value if value.shape or value.dtype == "bool" else None
    if isinstance(value, Sequence_) or (
        isinstance(value, Static) and isinstance(value.value, list | np.ndarray)
    ):
        return fill.from_items(ctx, value)
    return None


def _consumed(value: Value, array: AnyArray | None) -> int:
    """How many axes an item takes."""
    if _is(value, None) or _is(value, Ellipsis):
        return 0
    if array is not None and array.dtype == "bool":
        return len(array.shape)
    return 1


def locate(ctx: Context, a: AnyArray, index: Value) -> Place:
    """Where the subscript leads, with the checks of its integers."""
    items = items_of(ctx, index)
    arrays = [_index_array(ctx, v) for v in items]
    taken = sum(_consumed(v, x) for v, x in zip(items, arrays, strict=True))
    rank = len(a.shape)
    if taken > rank:
        ctx.error(
            OutOfBoundsError,
            f"too many indices for array: array is {rank}-dimensional, but {taken} were indexed",
        )
    dots = [k for k, v in enumerate(items) if _is(v, Ellipsis)]
    if len(dots) > 1:
        ctx.error(OutOfBoundsError, "an index can only have a single ellipsis ('...')")
    where = dots[0] if dots else len(items)
    missing: list[Value] = [Static(slice(None))] * (rank - taken)
    items = [*items[:where], *missing, *items[where + len(dots) :]]
    arrays = [*arrays[:where], *(None for _ in missing), *arrays[where + len(dots) :]]
    if all(x is None for x in arrays):
        return _basic(ctx, a, items)
    return _advanced(ctx, a, items, arrays)


def _basic(ctx: Context, a: AnyArray, items: Sequence[Value]) -> Place:
    at = 0
    for item in items:
        if _is(item, None):
            a = view.with_new_axis(ctx, a, at)
            at += 1
        elif _is_slice(item):
            a = _sliced(ctx, a, at, item)
            at += 1
        else:
            a = view.without_axis(ctx, a, at, in_range(ctx, a, at, as_index(ctx, item)))
    return Place(a, a.shape)


def _sliced(ctx: Context, a: AnyArray, at: int, item: Value) -> AnyArray:
    if isinstance(item, Static) and item.value == slice(None):
        return a
    p = part(ctx, a.shape[at], item)
    return view.sliced(ctx, a, at, p.start, p.length, p.step)


def _advanced(ctx: Context, a: AnyArray, items: Sequence[Value], arrays: Sequence[AnyArray | None]) -> Place:
    """Slices are applied; integers count as arrays of indices of rank 0."""
    at, block_starts, selectors = 0, [], list[Selector]()
    inside = False
    for item, array in zip(items, arrays, strict=True):
        if _is(item, None) or _is_slice(item):
            a = view.with_new_axis(ctx, a, at) if _is(item, None) else _sliced(ctx, a, at, item)
            at, inside = at + 1, False
            continue
        if not inside:
            block_starts.append(at - len(selectors))
        inside = True
        new = _selectors(ctx, a, at, item, array)
        selectors.extend(new)
        at += len(new)
    shapes = [s.index.shape for s in selectors if is_array(s.index)]  # type: ignore[union-attr, arg-type]
    shape = common_shape(ctx, shapes)
    selectors = [
        replace(s, index=expanded(ctx, s.index, shape)) if is_array(s.index) else s  # type: ignore[arg-type]
        for s in selectors
    ]
    chosen = {s.axis for s in selectors}
    others = [n for k, n in enumerate(a.shape) if k not in chosen]
    first = block_starts[0] if len(block_starts) == 1 else 0
    found = Place(a, (*others[:first], *shape, *others[first:]), tuple(selectors), first, len(shape))
    return found.checked(ctx) if shape else found


def _selectors(ctx: Context, a: AnyArray, at: int, item: Value, array: AnyArray | None) -> list[Selector]:
    if array is None:
        return [Selector(at, in_range(ctx, a, at, as_index(ctx, item)))]
    if array.dtype == "bool":
        for k, n in enumerate(array.shape):
            require_equal(
                ctx, a.shape[at + k], n, f"boolean index did not match indexed array along axis {at + k}"
            )
        return [Selector(at + k, p, trusted=True) for k, p in enumerate(true_positions(ctx, array))]
    if array.dtype.startswith("float"):
        ctx.error(InferenceError, "arrays used as indices must be of integer (or boolean) type")
    if isinstance(array, VirtualArray) and array.cost >= EXPENSIVE:
        array = fill.materialise(ctx, array, "index")
    return [Selector(at, array)]


def true_positions(ctx: Context, mask: AnyArray) -> list[AnyArray]:
    """`np.nonzero`: per axis, an array of where the mask is true, in C order."""
    b = ctx.b
    mask = fill.in_memory(ctx, mask, "mask")

    def is_true(index: view.Index) -> Operand:
        return cast(b, view.element(ctx, mask, index), "bool")

    def count_one(index: view.Index, so_far: Sequence[Operand]) -> list[Operand]:
        return [b.op("add", so_far[0], b.cast(is_true(index), "int64"))]

    (count,) = fill.carried_nest(ctx, mask.shape, [("count", view.ZERO)], count_one)
    found = [fill.allocate(ctx, (count,), "int64", "position") for _ in mask.shape]

    def note(index: view.Index, so_far: Sequence[Operand]) -> list[Operand]:
        with b.block() as stmts:
            for axis, array in enumerate(found):
                b.store(array.base, (so_far[0],), index[axis])
            later = b.op("add", so_far[0], view.ONE)
        out: Var = b.fresh("count", INT)
        b.emit(If(is_true(index), Block(tuple(stmts), (later,)), Block((), (so_far[0],)), (out,), loc=b.loc))
        return [out]

    fill.carried_nest(ctx, mask.shape, [("count", view.ZERO)], note)
    return list(found)


# -- reading


def getitem(ctx: Context, array: Value, index: Value) -> Value:
    """`array[index]`: a number, a view, or for arrays of indices a virtual array of the elements chosen."""
    a = require_array(ctx, array)
    return read(ctx, locate(ctx, a, index))


def require_array(ctx: Context, value: Value) -> AnyArray:
    if isinstance(value, ArrayValue | VirtualArray):
        return value
    return ctx.error(InferenceError, f"an array is needed here, not {describe(value)}")


def read(ctx: Context, place: Place) -> Value:
    """The elements of a place."""
    source = place.source
    if not place.selectors:
        return source if place.shape else value_of(view.element(ctx, source, ()))
    if not place.shape:
        return ScalarValue(view.element(ctx, source, place.index(ctx, ())))
    memory = view.reads(ctx.b, source)
    for s in place.selectors:
        if is_array(s.index):  # type: ignore[arg-type]
            memory |= view.reads(ctx.b, s.index)  # type: ignore[arg-type]
    cost = (source.cost if isinstance(source, VirtualArray) else 1) + len(place.selectors)
    parts = [source, *(s.index for s in place.selectors if is_array(s.index))]  # type: ignore[arg-type]
    unsure = together([unsure_of(a) for a in parts])  # type: ignore[arg-type]
    return VirtualArray(
        place.shape,
        source.dtype,
        lambda i: view.element(ctx, source, place.index(ctx, i)),
        memory,
        cost,
        unsure,
    )
