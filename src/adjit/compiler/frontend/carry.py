"""How a name keeps one meaning across the sides of a branch or the passes of a loop.

Two values of a name are joined into a slot (`slots`): nothing to do, a number of a common dtype, a choice of
constants or of references, another part of the same array, storage of its own, or a structure of slots. A
slot says which operands a block yields for a value and what the name stands for afterwards. Input: pairs of
frontend values. Output: slots, operands, values. Invariants: operands and places are consumed in one fixed
order. Non-goals: when storage must not be written (`branches`, `loops`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..ir.builder import const
from ..ir.nodes import Operand, Slice, Var
from ..ir.types import BOOL, INT, Array, Scalar, Type
from . import choices, optionals
from .arrays import as_variable, full, scalar
from .arrays.promote import describe, dtype_of, is_array, is_number, is_weak, operand
from .items import common, together
from .slots import (
    GUESS,
    NOT_ONE_KIND,
    Chosen,
    Items,
    Listed,
    Mixed,
    Number,
    Optional_,
    Part,
    Place,
    Reference,
    Same,
    Slot,
    Storage,
)
from .values import (
    ArrayValue,
    Choice,
    Closure,
    ListValue,
    Mapping_,
    Maybe,
    Method,
    OrNone,
    RangeValue,
    Record,
    ScalarValue,
    Sequence_,
    SliceValue,
    Static,
    Undefined,
    Value,
    VirtualArray,
)

if TYPE_CHECKING:
    from .specialise import Specialiser


# -- joining


def same_value(a: Value, b: Value) -> bool:
    """Whether two values are the same thing at compile time."""
    if a is b:
        return True
    match a, b:
        case Static(value=x), Static(value=y):
            return x is y or (type(x) is type(y) and _equal(x, y))
        case ScalarValue(), ScalarValue():
            return a.operand == b.operand and a.weak == b.weak
        case ArrayValue(), ArrayValue():
            return a.base is b.base and a.axes == b.axes and a.fixed == b.fixed
        case Sequence_(), Sequence_():
            return a.kind is b.kind is tuple and _all_same(a.items, b.items)
        case Record(), Record():
            return a.cls is b.cls and _all_same(tuple(a.items.values()), tuple(b.items.values()))
        case ListValue(), ListValue():
            return a.count is b.count
        case Closure(), Closure():
            return a.node is b.node and a.scope is b.scope and _all_same(a.defaults, b.defaults)
        case Method(), Method():
            return a.name == b.name and same_value(a.owner, b.owner)
        case Choice(), Choice():
            return a.among == b.among and a.which == b.which
        case OrNone(), OrNone():
            return a.given == b.given and same_value(a.value, b.value)
    return False


def _equal(x: object, y: object) -> bool:
    try:
        return bool(x == y) and repr(x) == repr(y)
    except (TypeError, ValueError):
        return False


def _all_same(xs: Sequence[Value], ys: Sequence[Value]) -> bool:
    return len(xs) == len(ys) and all(same_value(x, y) for x, y in zip(xs, ys, strict=True))


def missing(value: Value | None) -> bool:
    return value is None or isinstance(value, Undefined)


def without_meaning(value: Value | None) -> Mixed | None:
    """Why a value is none on any path from here on: it is of different kinds on paths that have met."""
    if isinstance(value, Maybe):
        return without_meaning(value.value)
    known = isinstance(value, Undefined) and value.reason not in ("", GUESS)
    return Mixed(value.reason) if known else None  # type: ignore[union-attr]


def join(ctx: Specialiser, a: Value | None, b: Value | None, *, strong: bool = False) -> Slot:
    """The slot that holds either value; `strong` makes floats float64 or float32 for good (loops)."""
    if mixed := without_meaning(a) or without_meaning(b):
        return mixed
    if a is None or isinstance(a, Undefined):
        return Same() if missing(b) else optional(alone(ctx, b, strong=strong))
    if b is None or isinstance(b, Undefined):
        return optional(alone(ctx, a, strong=strong))
    if isinstance(a, Maybe) or isinstance(b, Maybe):
        x = a.value if isinstance(a, Maybe) else a
        y = b.value if isinstance(b, Maybe) else b
        inner = join(ctx, x, y, strong=strong)
        return optional(alone(ctx, x, strong=strong) if isinstance(inner, Same) else inner)
    if same_value(a, b):
        return Same()
    if _number_like(a) and _number_like(b):
        return _join_numbers(ctx, a, b, strong)
    if is_array(a) and is_array(b):
        return _join_arrays(a, b)
    if among := choices.joined(a, b):
        return Chosen(among)
    if slot := _join_with_none(ctx, a, b, strong):
        return slot
    if isinstance(a, ListValue) or isinstance(b, ListValue):
        item = together(ctx, a, b)
        if item is not None:
            return Listed(item)
    if isinstance(a, Sequence_) and isinstance(b, Sequence_) and len(a.items) != len(b.items):
        item = common(ctx, (*a.items, *b.items)) if a.kind is b.kind is list else None
        if item is not None:
            return Listed(item)
        if a.kind is b.kind is list:
            return Mixed(NOT_ONE_KIND)
    structure = _join_structures(ctx, a, b, strong)
    return structure or Mixed(f"it is {kind_of(a)} on one path and {kind_of(b)} on another")


def alone(ctx: Specialiser, a: Value | None, *, strong: bool = False) -> Slot:
    """The slot that holds a value that is not known outside the block it comes from."""
    if mixed := without_meaning(a):
        return mixed
    if isinstance(a, Maybe):
        return optional(alone(ctx, a.value, strong=strong))
    if a is None or (isinstance(a, Undefined | Static) and not (isinstance(a, Static) and is_number(a))):
        return Same()
    if _number_like(a):
        return _join_numbers(ctx, a, a, strong)
    if isinstance(a, ArrayValue | VirtualArray):
        return Storage(a.dtype, len(a.shape))
    match a:
        case Choice(among=among):
            return Chosen(among)
        case OrNone(value=value):
            return number_or_none(_join_numbers(ctx, value, value, strong))
        case ListValue(item=item):
            return Listed(item)
        case Sequence_(items=items, kind=kind):
            return Items(kind, (), tuple(alone(ctx, v, strong=strong) for v in items))
        case Mapping_(items=found):
            return Items(dict, tuple(found), tuple(alone(ctx, v, strong=strong) for v in found.values()))
        case Record(cls=cls, items=fields):
            return Items(cls, tuple(fields), tuple(alone(ctx, v, strong=strong) for v in fields.values()))
    return Same()


def optional(slot: Slot) -> Optional_ | Mixed:
    return slot if isinstance(slot, Optional_ | Mixed) else Optional_(slot)


def _number_like(a: Value) -> bool:
    return is_number(a) or (isinstance(a, ArrayValue | VirtualArray) and not a.shape)


def _join_numbers(ctx: Specialiser, a: Value, b: Value, strong: bool) -> Number:
    x, y = _kind(ctx, a), _kind(ctx, b)
    dtype, weak = promote(x, y)
    return Number(dtype, weak and not (strong and dtype.startswith(("float", "complex"))))


def _join_with_none(ctx: Specialiser, a: Value, b: Value, strong: bool) -> Items | None:
    """The slot that holds a number or None, one of them perhaps either of the two."""
    if not optionals.may_be_none(a) and not optionals.may_be_none(b):
        return None
    found = [v for v in (optionals.number_in(a), optionals.number_in(b)) if v is not None]
    others = [v for v in (a, b) if not optionals.may_be_none(v) and not _number_like(v)]
    if others or not found:
        return None
    return number_or_none(_join_numbers(ctx, found[0], found[-1], strong))


def number_or_none(number: Number) -> Items:
    return Items(OrNone, (), (Number("bool"), number))


def _kind(ctx: Specialiser, a: Value) -> tuple[str, bool]:
    return dtype_of(ctx, a), is_weak(a) and dtype_of(ctx, a) != "bool"


_ORDER = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def promote(x: tuple[str, bool], y: tuple[str, bool]) -> tuple[str, bool]:
    """The dtype of either of two numbers, and whether it is still weak.

    >>> promote(("int64", True), ("float32", False))
    ('float32', False)
    """
    (a, weak_a), (b, weak_b) = x, y
    if weak_a != weak_b:
        weak, strong = (a, b) if weak_a else (b, a)
        if _ORDER[np.dtype(weak).kind] <= _ORDER[np.dtype(strong).kind]:
            return strong, False
    return np.promote_types(a, b).name, weak_a and weak_b


def _join_arrays(a: Value, b: Value) -> Slot:
    assert isinstance(a, ArrayValue | VirtualArray) and isinstance(b, ArrayValue | VirtualArray)
    if len(a.shape) != len(b.shape):
        return Mixed(f"it is {describe(a)} on one path and {describe(b)} on another")
    if isinstance(a, ArrayValue) and isinstance(b, ArrayValue):
        if a.base is b.base and _structure(a) == _structure(b):
            pairs = zip(numbers(a), numbers(b), strict=True)
            return Part(a, tuple(p != q for p, q in pairs))
        if a.dtype == b.dtype:
            return Reference(a.dtype, len(a.shape))
    return Storage(np.promote_types(a.dtype, b.dtype).name, len(a.shape))


def _structure(a: ArrayValue) -> tuple[object, ...]:
    return tuple(s.axis for s in a.axes), tuple(k for k, _ in a.fixed)


def numbers(a: ArrayValue) -> tuple[Operand, ...]:
    """Starts, lengths, steps and fixed indices of a view, in one order."""
    return (*(x for s in a.axes for x in (s.start, s.length, s.step)), *(i for _, i in a.fixed))


def with_numbers(a: ArrayValue, new: Sequence[Operand]) -> ArrayValue:
    rest = iter(new)
    axes = tuple(Slice(s.axis, next(rest), next(rest), next(rest)) for s in a.axes)
    return ArrayValue(a.base, axes, tuple((k, next(rest)) for k, _ in a.fixed))


def _join_structures(ctx: Specialiser, a: Value, b: Value, strong: bool) -> Slot | None:
    match a, b:
        case Sequence_(), Sequence_() if a.kind is b.kind and len(a.items) == len(b.items):
            keys: tuple[object, ...] = ()
            pairs = list(zip(a.items, b.items, strict=True))
            kind = a.kind
        case Mapping_(), Mapping_() if list(a.items) == list(b.items):
            kind, keys = dict, tuple(a.items)
            pairs = [(a.items[k], b.items[k]) for k in a.items]
        case Record(), Record() if a.cls is b.cls:
            kind, keys = a.cls, tuple(a.items)
            pairs = [(a.items[k], b.items[k]) for k in a.items]
        case _:
            return None
    return Items(kind, keys, tuple(join(ctx, x, y, strong=strong) for x, y in pairs))


def parts(value: Value) -> tuple[Value, ...]:
    """The items of a structure, in the order of `Items.slots`."""
    if isinstance(value, Sequence_):
        return value.items
    assert isinstance(value, Mapping_ | Record)
    return tuple(value.items.values())


def fields(slot: Items, value: Value | None) -> Sequence[Value | None]:
    """The items of a value that goes into the slot of a structure."""
    if value is None or missing(value):
        return [None] * len(slot.slots)
    return optionals.parts(value) if slot.kind is OrNone else parts(value)


def rebuilt(ctx: Specialiser, slot: Items, items: Sequence[Value]) -> Value:
    if slot.kind is OrNone:
        return optionals.made(ctx, *items)
    if slot.kind in (tuple, list) and not slot.keys:
        return Sequence_(tuple(items), slot.kind)
    if slot.kind is dict:
        return Mapping_(dict(zip(slot.keys, items, strict=True)))
    return Record(slot.kind, {str(k): v for k, v in zip(slot.keys, items, strict=True)})


def kind_of(a: Value) -> str:
    match a:
        case Sequence_(items=items, kind=kind):
            return f"a {kind.__name__} of {len(items)}"
        case Mapping_():
            return "a dict"
        case Record(cls=cls):
            return f"a {cls.__name__}"
        case ListValue():
            return "a list"
        case Closure() | Method():
            return "a function"
        case RangeValue() | SliceValue():
            return "a range"
        case Choice(among=among):
            return choices.listed(among)
        case OrNone(value=value):
            return f"{describe(value)} or None"
    return describe(a)


# -- operands of a block


def variables(slot: Slot, name: str) -> Iterator[tuple[str, Type]]:
    """Names and types of the operands that a slot carries for a name."""
    match slot:
        case Number(dtype=dtype):
            yield name, Scalar(dtype)
        case Chosen():
            yield name, INT
        case Optional_(inner=inner):
            yield name, BOOL
            yield from variables(inner, name)
        case Items(kind=kind, slots=slots):
            names = (f"has_{name}", name) if kind is OrNone else [name] * len(slots)
            for s, own in zip(slots, names, strict=True):
                yield from variables(s, own)
        case Part(varying=varying):
            yield from ((name, INT) for v in varying if v)
        case Reference(dtype=dtype, ndim=ndim):
            yield name, Array(dtype, ndim, "A")


@dataclass
class Copies:
    """Storage in the order of the slots that own it, and what is to be copied there at the end of a block."""

    places: Iterator[Place]
    pairs: list[tuple[ArrayValue, Value]]
    lists: list[tuple[ListValue, Value]] = field(default_factory=list)


def yields(ctx: Specialiser, slot: Slot, value: Value | None, copies: Copies) -> Iterator[Operand]:
    """The operands for a value that goes into a slot; a missing value gives zeros."""
    absent = missing(value)
    match slot:
        case Number(dtype=dtype):
            yield const(0, dtype) if absent else number(ctx, value, dtype)
        case Chosen(among=among):
            yield const(0) if value is None or absent else choices.which(ctx, value, among)
        case Optional_(inner=inner):
            held = value.value if isinstance(value, Maybe) else value
            yield value.bound if isinstance(value, Maybe) else const(not absent)
            yield from yields(ctx, inner, held, copies)
        case Items(slots=slots):
            for s, v in zip(slots, fields(slot, value), strict=True):
                yield from yields(ctx, s, v, copies)
        case Part(like=like, varying=varying):
            found = numbers(value) if isinstance(value, ArrayValue) else numbers(like)
            yield from (x for x, v in zip(found, varying, strict=True) if v)
        case Reference():
            assert isinstance(value, ArrayValue)
            yield as_variable(ctx, value)
        case Storage():
            place = next(copies.places)
            assert isinstance(place, ArrayValue)
            if value is not None and not absent and not same_value(value, place):
                copies.pairs.append((place, value))
        case Listed():
            found_list = next(copies.places)
            assert isinstance(found_list, ListValue)
            if value is not None and not absent and not same_value(value, found_list):
                copies.lists.append((found_list, value))


def number(ctx: Specialiser, value: Value | None, dtype: str) -> Operand:
    assert value is not None
    if is_array(value):
        value = ScalarValue(scalar(ctx, value))
    return operand(ctx, value, dtype)


def build(
    ctx: Specialiser,
    slot: Slot,
    like: Value | None,
    operands: Iterator[Operand],
    places: Iterator[Place],
    name: str,
) -> Value:
    """What a name stands for, given the variables that its operands have become."""
    match slot:
        case Same():
            return like if like is not None else Undefined(name)
        case Number(weak=weak):
            return ScalarValue(next(operands), weak)
        case Chosen(among=among):
            return choices.made(among, next(operands))
        case Optional_(inner=inner):
            bound = next(operands)
            held = like.value if isinstance(like, Maybe) else like
            return Maybe(build(ctx, inner, held, operands, places, name), bound, name)
        case Items(slots=slots):
            pairs = zip(slots, fields(slot, like), strict=True)
            return rebuilt(ctx, slot, [build(ctx, s, v, operands, places, name) for s, v in pairs])
        case Part(like=view, varying=varying):
            new = [next(operands) if v else x for x, v in zip(numbers(view), varying, strict=True)]
            return with_numbers(view, new)
        case Reference():
            chosen = next(operands)
            assert isinstance(chosen, Var)
            return full(ctx, chosen)
        case Storage() | Listed():
            return next(places)
    return Undefined(name, slot.reason)


__all__ = [
    "Copies",
    "alone",
    "build",
    "fields",
    "join",
    "same_value",
    "variables",
    "without_meaning",
    "yields",
]
