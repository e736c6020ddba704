"""Methods, subscripts and operators of lists whose length is known at run time only.

Input: a list and the values of arguments. Output: what Python gives, and statements that change the list.
Invariants: an index out of range and a `pop` of nothing raise IndexError. Non-goals: methods whose result
would be a list of lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InferenceError, OutOfBoundsError, UnsupportedSyntaxError
from ..ir.builder import const
from ..ir.nodes import Operand
from . import arrays, containers, items, lists, sharing
from .arrays.promote import dtype_of, is_array, is_number, value_of
from .arrays.slices import as_index, part, wrapped
from .python_builtins import stream
from .values import ArrayValue, Column, ListValue, Row, ScalarValue, Sequence_, SliceValue, Static, Value

if TYPE_CHECKING:
    from .specialise import Specialiser

ZERO, ONE = const(0), const(1)
NONE, ZERO_ = Static(None), Static(0)
INSTEAD = {  # by method
    "index": "take np.argmax(np.array(values) == item), which is the first place, and 0 where there is none",
    "remove": "make another list of the items that stay",
}


def method(ctx: Specialiser, owner: ListValue, name: str, args: list[Value]) -> Value:
    match name, len(args):
        case "append", 1:
            append(ctx, owner, ctx.settled(args[0], "item"))
            return NONE
        case "extend", 1:
            extend(ctx, owner, args[0])
            return NONE
        case "pop", 0 | 1:
            return _pop(ctx, owner, args[0] if args else Static(-1))
        case "insert", 2:
            return _insert(ctx, owner, args[0], ctx.settled(args[1], "item"))
        case "clear", 0:
            lists.set_length(ctx, owner, ZERO)
            return NONE
        case "copy", 0:
            return copied(ctx, owner)
        case "reverse", 0:
            return _rearranged(ctx, owner, np.flip)
        case "sort", 0:
            return _rearranged(ctx, owner, np.sort)
        case "count", 1 if isinstance(owner.item, Column):
            hits = arrays.compare(ctx, "eq", lists.plain(ctx, owner), args[0])
            return arrays.numpy_call(ctx, np.sum, [hits], {})
    return ctx.error(
        UnsupportedSyntaxError,
        f"the method {name!r} of a list whose length is known at run time only is not supported in this form",
        instead=INSTEAD.get(
            name, "write it as a loop over the list, or make an array of it: np.array(values)"
        ),
    )


def append(ctx: Specialiser, a: ListValue, value: Value) -> ListValue:
    """The list after it, which is another one if it has been made anew for a wider number."""
    a = lists.fitted(ctx, a, value)
    n = lists.length(ctx, a)
    lists.put(ctx, a, n, value)
    lists.set_length(ctx, a, ctx.b.op("add", n, ONE))
    return a


def extend(ctx: Specialiser, a: ListValue, more: Value) -> ListValue:
    found = stream(ctx, more)
    if isinstance(found, Sequence_):
        for v in found.items:
            a = append(ctx, a, ctx.settled(v, "item"))
        return a
    wide = _able(ctx, a, found.element)

    def one(k: Operand) -> None:
        append(ctx, wide, found.element(k))

    lists.each(ctx, found.length, one)
    return wide


def _able(ctx: Specialiser, a: ListValue, element: Callable[[Operand], Value]) -> ListValue:
    """The list, able to hold the items of a stream: one of them is looked at and thrown away."""
    kept = ctx.snapshot()
    with ctx.b.block():
        item = element(ZERO)
    ctx.restore(kept)
    return lists.fitted(ctx, a, item)


def copied(ctx: Specialiser, a: ListValue) -> ListValue:
    new = lists.make(ctx, a.item, "items")
    lists.copy(ctx, new, a)
    return new


def listed(ctx: Specialiser, value: Value) -> Value | None:
    """`list(value)` for something whose length is known at run time only."""
    found = stream(ctx, value)
    if isinstance(found, Sequence_):
        return None
    with ctx.b.block():
        kind = items.item_of(ctx, found.element(ZERO))
    if kind is None:
        return None
    return extend(ctx, lists.make(ctx, kind, "items"), found)


def _pop(ctx: Specialiser, a: ListValue, index: Value) -> Value:
    b = ctx.b
    n = lists.length(ctx, a)
    b.check(b.op("lt", ZERO, n), "OutOfBoundsError", "pop from empty list")
    last = b.op("sub", n, ONE)
    if containers.static_int(index) == -1:
        value = lists.get(ctx, a, last)
        lists.set_length(ctx, a, last)
        return value
    at = lists.position(ctx, a, index, "pop index out of range")
    value = lists.get(ctx, a, at)
    rest = b.op("sub", last, at)

    def move(k: Operand) -> None:
        here = b.op("add", at, k)
        lists.put(ctx, a, here, lists.get(ctx, a, b.op("add", here, ONE), at_once=True))

    lists.each(ctx, rest, move)
    lists.set_length(ctx, a, last)
    return value


def _insert(ctx: Specialiser, a: ListValue, index: Value, value: Value) -> Value:
    """Places outside the list count as its ends, as in Python."""
    b = ctx.b
    a = lists.fitted(ctx, a, value)
    n = lists.length(ctx, a)
    at = b.op("maximum", wrapped(b, as_index(ctx, index), n), ZERO)
    at = b.op("minimum", at, n)
    last = b.op("sub", n, ONE)

    def move(k: Operand) -> None:
        here = b.op("sub", last, k)
        lists.put(ctx, a, b.op("add", here, ONE), lists.get(ctx, a, here, at_once=True))

    lists.each(ctx, b.op("sub", n, at), move)
    lists.put(ctx, a, at, value)
    lists.set_length(ctx, a, b.op("add", n, ONE))
    return NONE


def _rearranged(ctx: Specialiser, a: ListValue, function: object) -> Value:
    if not isinstance(a.item, Column):
        ctx.error(UnsupportedSyntaxError, "only a list of numbers can be sorted or reversed here")
    new = arrays.materialise(ctx, arrays.numpy_call(ctx, function, [lists.plain(ctx, a)], {}), "items")
    _, entry = arrays.iterate(ctx, new)
    lists.each(ctx, lists.length(ctx, a), lambda k: lists.put(ctx, a, k, entry(k)))
    return NONE


def of_sequence(ctx: Specialiser, owner: Sequence_, name: str, args: list[Value]) -> Value:
    """Methods of a list known at compile time; it moves into memory where they make its length unknown."""
    open_ = name == "extend" and len(args) == 1 and containers.known_items(ctx, args[0]) is None
    at = name in ("pop", "insert") and args and containers.static_int(args[0]) is None
    if owner.kind is list and (open_ or at):
        item = lists.movable(ctx, owner)
        if open_:
            found = stream(ctx, args[0])
            assert not isinstance(found, Sequence_)
            with ctx.b.block():
                new = items.item_of(ctx, found.element(ZERO))
            item = new if item is None else items.joined(item, new)
        if item is not None:
            return method(ctx, lists.moved(ctx, owner, item), name, args)
    return _of_known(ctx, owner, name, args)


def _of_known(ctx: Specialiser, owner: Sequence_, name: str, args: list[Value]) -> Value:
    """Methods of tuples and lists."""
    found = list(owner.items)
    values = [ctx.settled(v, "item") for v in args]
    none, at = Static(None), containers.static_int(args[0]) if args else None
    match name, len(args):
        case "index", 1:
            return _index(ctx, found, args[0])
        case "count", 1:
            hits = [containers.equality(ctx, v, args[0]) for v in found]
            if all(isinstance(h, Static) for h in hits):
                return Static(sum(bool(h.value) for h in hits if isinstance(h, Static)))
        case "copy", 0:
            return Sequence_(owner.items, owner.kind)
    result: Value = none
    if owner.kind is list:
        match name, len(args):
            case "append", 1:
                new = [*found, values[0]]
            case "extend", 1:
                new = [*found, *(ctx.settled(v, "item") for v in containers.items(ctx, args[0]))]
            case "insert", 2 if at is not None:
                new = [*found]
                new.insert(at, values[1])
            case "pop", 0 | 1 if not args or at is not None:
                if not -len(found) <= (at := -1 if at is None else at) < len(found):
                    sharing.too_short(ctx, "OutOfBoundsError", "pop index out of range")
                    ctx.error(OutOfBoundsError, "pop index out of range", f"the list has {len(found)} items")
                new = [*found]
                result = new.pop(at)
            case "reverse", 0:
                new = found[::-1]
            case "clear", 0:
                new = []
            case _:
                ctx.error(UnsupportedSyntaxError, f"the list method {name!r} is not supported in this form")
        containers.changed(ctx, owner, Sequence_(tuple(new), list))
        return result
    return ctx.error(UnsupportedSyntaxError, f"the tuple method {name!r} is not supported in this form")


def _index(ctx: Specialiser, found: list[Value], item: Value) -> Value:
    for k, v in enumerate(found):
        hit = containers.equality(ctx, v, item)
        if not isinstance(hit, Static):
            break
        if hit.value:
            return Static(k)
    return ctx.error(InferenceError, "the position of an item in a list is not known at compile time")


JOINING: tuple[object, ...] = (np.stack, np.vstack, np.hstack, np.concatenate, np.concat)


def is_open(ctx: Specialiser, value: Value) -> bool:
    return isinstance(value, ListValue) or containers.is_list(ctx, value)


def joined(ctx: Specialiser, function: object, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """`function(a)` for a list of arrays, along the first axis."""
    axis = kwargs.pop("axis", args[1] if len(args) > 1 else ZERO_)
    a = args[0]
    if isinstance(a, ListValue):
        rank, what = a.item.ndim if isinstance(a.item, Row) else 0, items.describe(a.item)
    else:
        assert isinstance(a, ArrayValue)
        rank, what = len(a.shape) - 1, containers.describe(a)
    flat = function is np.hstack and rank > 1
    if not rank or len(args) > 2 or kwargs or containers.static_int(axis) != 0 or flat:
        ctx.error(
            UnsupportedSyntaxError,
            "a list whose length is known at run time only is joined along the first axis only",
            f"its items are {what}",
            "make it an array with np.array, and reshape that",
        )
    whole = lists.as_array(ctx, a) if isinstance(a, ListValue) else a
    if function is np.stack or (function is np.vstack and rank == 1):
        return arrays.numpy_call(ctx, np.array, [whole], {})
    rows = ctx.b.op("mul", whole.shape[0], whole.shape[1])
    shape = Sequence_(tuple(value_of(n, weak=True) for n in (rows, *whole.shape[2:])))
    return arrays.numpy_call(ctx, np.reshape, [whole, shape], {})


# -- subscripts and operators


def getitem(ctx: Specialiser, a: ListValue, index: Value) -> Value:
    if isinstance(index, SliceValue) or (isinstance(index, Static) and isinstance(index.value, slice)):
        return _slice(ctx, a, index)
    return lists.get(ctx, a, lists.position(ctx, a, index))


def _slice(ctx: Specialiser, a: ListValue, index: Value) -> ListValue:
    b = ctx.b
    p = part(ctx, lists.length(ctx, a), index)
    new = lists.make(ctx, a.item, "items")

    def take(k: Operand) -> None:
        at = b.op("add", p.start, b.op("mul", k, p.step))
        lists.put(ctx, new, k, lists.get(ctx, a, at, at_once=True))

    lists.each(ctx, p.length, take)
    lists.set_length(ctx, new, p.length)
    return new


def setitem(ctx: Specialiser, a: ListValue, index: Value, value: Value) -> None:
    if isinstance(index, SliceValue) or (isinstance(index, Static) and isinstance(index.value, slice)):
        ctx.error(UnsupportedSyntaxError, "a slice of a list cannot be assigned", instead="use a loop")
    a = lists.fitted(ctx, a, ctx.settled(value, "item"))
    at = lists.position(ctx, a, index, "list assignment index out of range")
    lists.put(ctx, a, at, value)


def set_in_sequence(ctx: Specialiser, owner: Value, index: Value, value: Value) -> None:
    """`owner[index] = value`; a list that is written at a place known at run time only moves into memory."""
    if isinstance(owner, Sequence_) and owner.kind is list and isinstance(index, ScalarValue):
        containers.unroll(ctx, index.operand)
        item = items.holding(ctx, items.item_of(ctx, value), owner)
        if item is not None:
            setitem(ctx, lists.moved(ctx, owner, item), index, value)
            return
    containers.setitem(ctx, owner, index, value)


def check_kind(ctx: Specialiser, array: ArrayValue, value: Value) -> None:
    """A list that is an array of integers cannot take floats, which Python's list would."""
    if containers.is_list(ctx, array) and not array.dtype.startswith("float") and _is_float(ctx, value):
        ctx.error(
            InferenceError,
            f"a list of {array.dtype} numbers gets a float",
            "its length is known at run time only, so its items have one kind",
            "start it with a float, such as [0.0] * n",
        )


def _is_float(ctx: Specialiser, value: Value) -> bool:
    return (is_number(value) or is_array(value)) and dtype_of(ctx, value).startswith("float")


def binary(ctx: Specialiser, op: str, left: Value, right: Value) -> Value:
    """`a + b`, a new list."""
    both = [
        v for v in (left, right) if isinstance(v, ListValue) or (isinstance(v, Sequence_) and v.kind is list)
    ]
    if op != "add" or len(both) != 2:
        if is_array(left) or is_array(right):
            return arrays.binary(ctx, op, lists.plain(ctx, left), lists.plain(ctx, right))
        ctx.error(InferenceError, "a list takes no arithmetic", instead="make it an array with np.array")
    first = left if isinstance(left, ListValue) else right
    assert isinstance(first, ListValue)
    item = first.item
    for v in both:
        other = lists.movable(ctx, v)
        item = items.joined(item, other) or item if other is not None else item
    new = lists.make(ctx, item, "items")
    for v in both:
        new = extend(ctx, new, v)
    return new


def compare(ctx: Specialiser, op: str, left: Value, right: Value) -> Value:
    for a, b in ((left, right), (right, left)):
        if isinstance(a, ListValue) and is_array(b):
            return arrays.compare(ctx, op, lists.plain(ctx, left), lists.plain(ctx, right))
        if isinstance(a, ListValue) and isinstance(b, Sequence_) and not b.items and op in ("eq", "ne"):
            return ScalarValue(ctx.b.op(op, lists.length(ctx, a), ZERO))
    return ctx.error(InferenceError, "lists are not compared here", instead="compare arrays, or len(x)")


def truth(ctx: Specialiser, a: ListValue) -> Value:
    return ScalarValue(ctx.b.op("lt", ZERO, lists.length(ctx, a)))


__all__ = [
    "JOINING",
    "append",
    "binary",
    "check_kind",
    "compare",
    "copied",
    "extend",
    "getitem",
    "is_open",
    "joined",
    "listed",
    "method",
    "of_sequence",
    "set_in_sequence",
    "setitem",
    "truth",
]
