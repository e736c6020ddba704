"""What the items of a list of run-time length are: numbers, arrays of one shape, tuples of these.

Input: frontend values. Output: the kind of item that holds them, their leaves in order, values put together
again. Invariants: a kind says what the memory of a list is; kinds only widen. Non-goals: the memory
(`lists`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from . import sharing
from .arrays.promote import article, dtype_of, is_number, is_weak
from .structure import children, is_namedtuple, node
from .values import (
    ArrayValue,
    Column,
    Fixed,
    Group,
    Item,
    ListValue,
    Record,
    Row,
    Sequence_,
    Static,
    Value,
    VirtualArray,
)

if TYPE_CHECKING:
    from .specialise import Specialiser


def item_of(ctx: Specialiser, value: Value) -> Item | None:
    """The kind of an item, or None where a list of run-time length cannot hold it."""
    if is_number(value) or (isinstance(value, ArrayValue | VirtualArray) and not value.shape):
        dtype = dtype_of(ctx, value)
        if dtype.startswith("complex"):
            return None
        return Column(dtype, is_weak(value) and not dtype.startswith("float"))
    if isinstance(value, ArrayValue | VirtualArray):
        if value.dtype.startswith("complex"):
            return None
        return Row(value.dtype, len(value.shape))
    keys: tuple[object, ...] = ()
    match value:
        case Static(value=v) if v is None or isinstance(v, str):
            return Fixed(v)
        case Static(value=tuple() as v):
            return item_of(ctx, Sequence_(tuple(Static(x) for x in v)))
        case Sequence_(items=found, kind=kind) if kind is tuple or not _named(ctx, value):
            kind = tuple
        case Record(cls=cls, items=fields) if is_namedtuple(cls):
            kind, keys, found = cls, tuple(fields), tuple(fields.values())
        case _:
            return None
    parts = [item_of(ctx, v) for v in found]
    return None if None in parts else Group(kind, keys, tuple(p for p in parts if p is not None))


def _named(ctx: Specialiser, value: Value) -> bool:
    """Whether a list can still be changed where it is seen: under a name, or inside two others."""
    holders: set[int] = set()
    for frame in ctx.reachable():
        for name, x in frame.names.items():
            if x is value and not name.startswith("@"):
                return True
            holders.update(id(v) for v in sharing.changeable(x) if any(c is value for c in children(v) or ()))
    return len(holders) > 1


def joined(a: Item | None, b: Item | None) -> Item | None:
    """The kind that holds items of both."""
    match a, b:
        case Column(), Column():
            return Column(np.promote_types(a.dtype, b.dtype).name, a.weak and b.weak)
        case Row(), Row() if a.ndim == b.ndim:
            return Row(np.promote_types(a.dtype, b.dtype).name, a.ndim)
        case Fixed(), Fixed() if type(a.value) is type(b.value) and a.value == b.value:
            return a
        case Group(), Group() if (a.kind, a.keys, len(a.parts)) == (b.kind, b.keys, len(b.parts)):
            parts = [joined(x, y) for x, y in zip(a.parts, b.parts, strict=True)]
            return None if None in parts else Group(a.kind, a.keys, tuple(p for p in parts if p is not None))
    return None


def common(ctx: Specialiser, values: Sequence[Value]) -> Item | None:
    """The kind that holds all values; None also where there are none."""
    found = item_of(ctx, values[0]) if values else None
    for v in values[1:]:
        found = joined(found, item_of(ctx, v))
    return found


def holding(ctx: Specialiser, item: Item | None, value: Value | None) -> Item | None:
    """The kind that holds the items of a list too; None where that is no list, or cannot be."""
    if isinstance(value, ListValue):
        return value.item if item is None else joined(item, value.item)
    if not isinstance(value, Sequence_) or value.kind is not list:
        return None
    for v in value.items:
        new = item_of(ctx, v)
        item = new if item is None else joined(item, new)
        if item is None:
            return None
    return item


def together(ctx: Specialiser, a: Value | None, b: Value | None) -> Item | None:
    """The kind that holds the items of two lists, at least one of them of run-time length."""
    first, second = (a, b) if isinstance(a, ListValue) else (b, a)
    return holding(ctx, first.item, second) if isinstance(first, ListValue) else None


def leaves(item: Item) -> Iterator[Column | Row]:
    """Numbers and arrays of an item, in order."""
    match item:
        case Column() | Row():
            yield item
        case Group(parts=parts):
            for p in parts:
                yield from leaves(p)


def flat(item: Item, value: Value) -> Iterator[Value]:
    """The values for the leaves of an item."""
    match item:
        case Column() | Row():
            yield value
        case Group(parts=parts):
            if isinstance(value, Static) and isinstance(value.value, tuple):
                found: Sequence[Value] = [Static(v) for v in value.value]
            else:
                found = children(value) or ()
            for p, v in zip(parts, found, strict=True):
                yield from flat(p, v)


def rebuilt(item: Item, values: Iterator[Value]) -> Value:
    """An item from the values of its leaves."""
    match item:
        case Group(kind=kind, keys=keys, parts=parts):
            return node(kind, keys, [rebuilt(p, values) for p in parts])
        case Fixed(value=value):
            return Static(value)
    return next(values)


def describe(item: Item) -> str:
    match item:
        case Column(dtype=dtype):
            return f"{article(dtype)} scalar"
        case Row(ndim=ndim, dtype=dtype):
            return f"a {ndim}-dimensional {dtype} array"
        case Fixed(value=value):
            return repr(value)
    return f"a {item.kind.__name__} of {len(item.parts)}"


__all__ = ["common", "describe", "flat", "holding", "item_of", "joined", "leaves", "rebuilt", "together"]
