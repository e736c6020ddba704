"""Tuples, lists, dicts, named tuples and dataclasses in the user's function: they exist at compile time
only.

Input: frontend values. Output: frontend values. A change of a list, dict or object replaces it under every
name that sees it. Invariants: lengths and keys are known; containers that belong to the caller or to the
module are not changed. Non-goals: arrays; how containers cross branches and loops (`carry`).
"""

from __future__ import annotations

import ast
import inspect
import operator
import types
from typing import TYPE_CHECKING

import numpy as np

from ...errors import (
    InferenceError,
    NotDifferentiableError,
    OutOfBoundsError,
    OverwriteError,
    UnsupportedSyntaxError,
)
from ..ir.builder import const
from ..ir.nodes import Const, Operand, Var
from ..ir.visitor import operands
from . import arrays, choices, dicts, sharing
from .arrays.promote import is_array, is_number, value_of
from .arrays.remedies import instead_of_object
from .carry import kind_of, same_value
from .structure import is_namedtuple
from .values import (
    ArrayValue,
    Choice,
    IndexSpace,
    ListValue,
    Mapping_,
    Method,
    OrNone,
    RangeValue,
    Record,
    ScalarValue,
    Sequence_,
    SliceValue,
    Static,
    Stream,
    Value,
    VirtualArray,
)

if TYPE_CHECKING:
    from .specialise import Specialiser

describe = kind_of
UNROLLED = 4096


def static_int(value: Value) -> int | None:
    """An integer known at compile time."""
    if isinstance(value, Static) and isinstance(value.value, int | np.integer):
        return int(value.value)
    if (
        isinstance(value, ScalarValue)
        and isinstance(value.operand, Const)
        and isinstance(value.operand.value, int)
    ):
        return int(value.operand.value)
    return None


def key(ctx: Specialiser, value: Value) -> object:
    """A dict key."""
    if isinstance(value, Static):
        return value.value
    if isinstance(value, Choice):
        choices.refuse(ctx, value)
    if isinstance(value, Sequence_) and value.kind is tuple:
        return tuple(key(ctx, v) for v in value.items)
    found = static_int(value)
    if found is None:
        ctx.error(InferenceError, "the keys of a dict must be known at compile time", instead="use an array")
    return found


def items(ctx: Specialiser, value: Value) -> list[Value]:
    """The items of something whose length is known at compile time."""
    found = known_items(ctx, value)
    if found is None:
        ctx.error(
            InferenceError,
            f"the length of {describe(value)} is not known at compile time",
            "a tuple, a list or an unpacking needs it",
            "index the array, or use a loop",
        )
    return found


def known_items(ctx: Specialiser, value: Value) -> list[Value] | None:
    match value:
        case Sequence_(items=found):
            return list(found)
        case Mapping_(items=entries):
            return [Static(k) for k in entries]
        case Record(cls=cls, items=fields) if is_namedtuple(cls):
            return list(fields.values())
        case Static(value=v) if isinstance(v, tuple | list | dict | str | range | set | frozenset):
            return [Static(x) for x in v]
        case RangeValue():
            return _range_items(value)
        case Stream(length=length, element=element):
            return [element(const(k)) for k in range(_count(length))] if isinstance(length, Const) else None
        case ArrayValue() | VirtualArray():
            length, entry = arrays.iterate(ctx, value)
            return [entry(const(k)) for k in range(_count(length))] if isinstance(length, Const) else None
    if is_number(value):
        ctx.error(InferenceError, f"{describe(value)} is not iterable")
    return None


def _count(length: Const) -> int:
    return min(int(length.value), UNROLLED)


def _range_items(value: RangeValue) -> list[Value] | None:
    bounds = [static_int(v) for v in (value.lo, value.hi, value.step)]
    if any(b is None for b in bounds) or bounds[2] == 0:
        return None
    found = range(*bounds)  # type: ignore[arg-type]
    return [Static(k) for k in found] if len(found) <= UNROLLED else None


def is_list(ctx: Specialiser, value: Value) -> bool:
    """Whether an array stands for a list whose length is known at run time only."""
    return isinstance(value, ArrayValue) and value.base in ctx.lists


# -- operators


def as_array(ctx: Specialiser, value: Value) -> Value:
    """A tuple or list that meets an array becomes one, as in NumPy."""
    return arrays.numpy_call(ctx, np.array, [value], {}) if isinstance(value, Sequence_) else value


def binary(ctx: Specialiser, op: str, a: Value, b: Value) -> Value | None:
    """`+` and `*` of tuples and lists, `|` of dicts."""
    if isinstance(a, Sequence_) and isinstance(b, Sequence_) and op == "add":
        if a.kind is not b.kind:
            ctx.error(InferenceError, f"can only concatenate {a.kind.__name__} to {a.kind.__name__}")
        return Sequence_((*a.items, *b.items), a.kind)
    if op == "mul":
        for sequence, count in ((a, b), (b, a)):
            times = static_int(count)
            if isinstance(sequence, Sequence_) and times is not None:
                return Sequence_(sequence.items * times, sequence.kind)
        if isinstance(a, Sequence_) and isinstance(b, ScalarValue):
            return _repeated(ctx, a, b)
    if isinstance(a, Mapping_) and isinstance(b, Mapping_) and op == "bitor":
        return Mapping_({**a.items, **b.items})
    return None


def _repeated(ctx: Specialiser, a: Sequence_, n: ScalarValue) -> Value:
    """`[x] * n` with n known at run time."""
    if a.kind is not list or len(a.items) != 1 or not is_number(a.items[0]):
        ctx.error(
            InferenceError, "the number of repetitions is not known at compile time", instead="use np.full"
        )
    found = arrays.numpy_call(ctx, np.full, [n, a.items[0]], {})
    stored = arrays.materialise(ctx, found, "items")
    ctx.lists.add(stored.base)
    return stored


def compare(ctx: Specialiser, op: str, a: Value, b: Value) -> Value | None:
    """Equality of containers, item by item; order of static tuples."""
    if not isinstance(a, Sequence_ | Mapping_ | Record) or not isinstance(b, Sequence_ | Mapping_ | Record):
        if isinstance(a, Sequence_ | Mapping_ | Record) and isinstance(b, Static) and op in ("eq", "ne"):
            return Static(op == "ne")
        return None
    plain = plain_object(a), plain_object(b)
    if plain[0] is not None and plain[1] is not None:
        return Static(getattr(operator, op)(plain[0][0], plain[1][0]))
    if op not in ("eq", "ne"):
        ctx.error(InferenceError, "containers of numbers known at run time cannot be ordered")
    result: Value = Static(True)
    if not isinstance(a, Sequence_) or not isinstance(b, Sequence_) or len(a.items) != len(b.items):
        return Static(op == "ne")
    for x, y in zip(a.items, b.items, strict=True):
        equal = equality(ctx, x, y)
        if isinstance(equal, Static):
            if not equal.value:
                return Static(op == "ne")
            continue
        rest = arrays.truth(ctx, result)
        result = value_of(ctx.b.op("and", rest, equal)) if not isinstance(rest, Const) else ScalarValue(equal)
    if op == "eq":
        return result
    return value_of(ctx.b.op("not", arrays.truth(ctx, result)))


def equality(ctx: Specialiser, x: Value, y: Value) -> Static | Operand:
    """Whether two items are equal: known, or a condition."""
    if isinstance(x, Choice | OrNone) or isinstance(y, Choice | OrNone):
        either = ctx.compare(ast.Eq(), x, y)
        return either if isinstance(either, Static) else arrays.truth(ctx, either)
    if is_number(x) and is_number(y):
        found = arrays.truth(ctx, arrays.compare(ctx, "eq", x, y))
        return Static(bool(found.value)) if isinstance(found, Const) else found
    if isinstance(x, Static) and isinstance(y, Static):
        return Static(bool(x.value == y.value))
    nested = compare(ctx, "eq", x, y)
    if isinstance(nested, Static) or nested is None:
        return nested or Static(False)
    return arrays.truth(ctx, nested)


def plain_object(value: Value) -> tuple[object] | None:
    """The Python object that a value is, where all of it is known; in a tuple of one."""
    match value:
        case Static(value=v):
            return (v,)
        case Sequence_(items=found, kind=kind):
            parts = [plain_object(v) for v in found]
            return None if None in parts else (kind(p[0] for p in parts if p is not None),)
        case Mapping_(items=entries):
            values = {k: plain_object(v) for k, v in entries.items()}
            return (
                None if None in values.values() else ({k: v[0] for k, v in values.items() if v is not None},)
            )
        case ScalarValue(operand=Const(value=v)):
            return (v,)
        case SliceValue(lo=lo, hi=hi, step=step):
            bounds = [plain_object(v) for v in (lo, hi, step)]
            return None if None in bounds else (slice(*(b[0] for b in bounds if b is not None)),)
    return None


def identical(a: Value, b: Value) -> bool:
    """`a is b`."""
    if isinstance(a, Static) and isinstance(b, Static):
        return a.value is b.value or (isinstance(a.value, bool | int | str) and bool(a.value == b.value))
    return same_value(a, b)


def contains(ctx: Specialiser, container: Value, item: Value) -> Value:
    """`item in container`."""
    if isinstance(container, Mapping_):
        return Static(key(ctx, item) in container.items)
    if isinstance(container, Static) and isinstance(container.value, str) and isinstance(item, Static):
        return Static(item.value in container.value)  # type: ignore[operator]
    found = known_items(ctx, container)
    if found is None:
        if is_array(container):
            hits = arrays.compare(ctx, "eq", container, item)
            return arrays.numpy_call(ctx, np.any, [hits], {})
        ctx.error(UnsupportedSyntaxError, f"'in' is not supported for {describe(container)}")
    result: Operand = const(False)
    for candidate in found:
        equal = equality(ctx, item, candidate)
        if isinstance(equal, Static):
            if equal.value:
                return Static(True)
            continue
        result = equal if isinstance(result, Const) else ctx.b.op("or", result, equal)
    return Static(False) if isinstance(result, Const) else ScalarValue(result)


# -- attributes and subscripts


def attribute(ctx: Specialiser, owner: Value, name: str) -> Value:
    match owner:
        case Record(cls=cls, items=fields):
            if name in fields:
                return fields[name]
            return _class_attribute(ctx, owner, cls, name)
        case Sequence_() | Mapping_() | ListValue():
            return Method(owner, name)
        case RangeValue(lo=lo, hi=hi, step=step) if name in ("start", "stop", "step"):
            return {"start": lo, "stop": hi, "step": step}[name]
    return ctx.error(UnsupportedSyntaxError, f"the attribute {name!r} of {describe(owner)} is not supported")


def _class_attribute(ctx: Specialiser, owner: Record, cls: type, name: str) -> Value:
    try:
        found = inspect.getattr_static(cls, name)
    except AttributeError:
        ctx.error(InferenceError, f"{cls.__name__!r} has no attribute {name!r}")
    if isinstance(found, property) and found.fget is not None:
        return ctx.call(found.fget, [owner])
    if isinstance(found, types.FunctionType) or name in ("_replace", "_asdict", "count", "index"):
        return Method(owner, name)
    if isinstance(found, staticmethod):
        return Static(found.__func__)
    return Static(found)


def getitem(ctx: Specialiser, owner: Value, index: Value) -> Value:
    match owner:
        case Sequence_():
            return _entry(ctx, owner, owner.items, index, owner.kind)
        case Record(cls=cls, items=fields) if is_namedtuple(cls):
            return _entry(ctx, owner, tuple(fields.values()), index, tuple)
        case Mapping_(items=entries) if isinstance(index, Choice):
            return dicts.looked_up(ctx, entries, index)
        case Mapping_(items=entries):
            wanted = key(ctx, index)
            if wanted not in entries:
                ctx.error(InferenceError, f"the dict has no key {wanted!r}", f"its keys are {list(entries)}")
            return entries[wanted]
        case RangeValue():
            step = arrays.binary(ctx, "mul", index, owner.step)
            return arrays.binary(ctx, "add", owner.lo, step)
        case Static(value=v):
            plain = plain_object(index)
            if (
                plain is not None
                and hasattr(type(v), "__getitem__")
                and isinstance(v, str | tuple | list | dict)
            ):
                try:
                    return Static(v[plain[0]])  # type: ignore[index, call-overload]
                except (IndexError, KeyError, TypeError) as error:
                    ctx.error(OutOfBoundsError, str(error))
    remedy = instead_of_object(type(owner.value)) if isinstance(owner, Static) else ""
    return ctx.error(InferenceError, f"{describe(owner)} is not subscriptable", instead=remedy)


def _entry(ctx: Specialiser, owner: Value, found: tuple[Value, ...], index: Value, kind: type) -> Value:
    at = static_int(index)
    if at is not None:
        if not -len(found) <= at < len(found):
            if kind is list:
                sharing.too_short(ctx, "OutOfBoundsError", "list index out of range")
            ctx.error(OutOfBoundsError, f"{kind.__name__} index out of range: {at} for {len(found)} items")
        return found[at]
    if isinstance(index, Static) and isinstance(index.value, slice):
        return Sequence_(found[index.value], kind)
    if isinstance(index, ScalarValue) and index.dtype.startswith(("int", "uint")):
        if found and all(is_number(v) for v in found):
            table = arrays.numpy_call(ctx, np.array, [Sequence_(found)], {})
            return arrays.getitem(ctx, arrays.materialise(ctx, table, "table"), index)
        unroll(ctx, index.operand)
        if kind is list and not found:
            sharing.too_short(ctx, "OutOfBoundsError", "list index out of range")
    return ctx.error(
        InferenceError,
        f"{describe(owner)} is indexed by something that is known at run time only",
        "its items are of different kinds or shapes",
        "loop over the items themselves, or use an array",
    )


SHOWN = 'write the text in print or raise itself, such as print(f"sum = {x}"), where numbers may stand'
COUNTED = (
    f"loop over a range of known length, such as range(len(p)) of a dict or tuple p; to show it, {SHOWN}"
)


def known(ctx: Specialiser, value: Value) -> tuple[object]:
    """`plain_object` of what becomes a string. A loop that makes it is written out pass by pass."""
    plain = plain_object(value)
    if isinstance(value, Choice):
        choices.refuse(ctx, value)
    if plain is None and isinstance(value, ScalarValue):
        unroll(ctx, value.operand)
    return plain or ctx.error(
        UnsupportedSyntaxError,
        "a value known at run time only cannot become a string",
        f"strings are made at compile time, and this is {describe(value)}",
        COUNTED if isinstance(value, ScalarValue) and "int" in value.dtype else SHOWN,
    )


def unroll(ctx: Specialiser, x: Operand) -> None:
    """Have the loop whose variable `x` depends on written out pass by pass, if its length is known."""
    seen: set[Var] = set()
    waiting = [x]
    while waiting:
        v = waiting.pop()
        if isinstance(v, Var) and v not in seen:
            seen.add(v)
            if v in ctx.b.definitions:
                waiting.extend(operands(ctx.b.definitions[v]))
    for loop in reversed(ctx.loops):
        if loop.iv in seen:
            ctx.unroll_and_retry(loop)


# -- changes


def changed(ctx: Specialiser, old: Value, new: Value) -> None:
    """Let everything that sees the container `old` see `new`."""
    for value, what in ctx.foreign:
        if value is old:
            ctx.error(
                NotDifferentiableError,
                f"{what} is changed",
                "a list, dict or object that belongs to the caller or the module stays as it is",
                _another(old, new),
            )
    if id(old) in ctx.aliased:
        why = ctx.aliased[id(old)][1]
        ctx.error(
            OverwriteError, f"{describe(old)} that several names may see is changed", why, sharing.REMEDY
        )
    ctx.mutated[id(old)] = old
    ctx.replace_everywhere(old, new)


def _another(old: Value, new: Value) -> str:
    """What to do instead of changing a container."""
    if isinstance(old, Record) and isinstance(new, Record):
        field = next((k for k, v in new.items.items() if v is not old.items[k]), "…")
        return f"make another one: dataclasses.replace(…, {field}=…)"
    return f"make a copy of it first: {'dict' if isinstance(old, Mapping_) else 'list'}(…)"


def setitem(ctx: Specialiser, owner: Value, index: Value, value: Value) -> None:
    """`owner[index] = value` for a list or dict."""
    value = ctx.settled(value, "item")
    if isinstance(owner, Mapping_):
        changed(ctx, owner, Mapping_({**owner.items, key(ctx, index): value}))
        return
    if isinstance(owner, Sequence_) and owner.kind is list:
        at = static_int(index)
        if at is None:
            if isinstance(index, ScalarValue):
                unroll(ctx, index.operand)
            ctx.error(
                InferenceError,
                "a list is written at a place that is known at run time only",
                instead="use an array",
            )
        if not -len(owner.items) <= at < len(owner.items):
            sharing.too_short(ctx, "OutOfBoundsError", "list assignment index out of range")
            ctx.error(OutOfBoundsError, "list assignment index out of range")
        new = list(owner.items)
        new[at] = value
        changed(ctx, owner, Sequence_(tuple(new), list))
        return
    ctx.error(InferenceError, f"{describe(owner)} does not support item assignment")


def setattr_(ctx: Specialiser, owner: Value, name: str, value: Value) -> None:
    """`owner.name = value` for a dataclass."""
    if isinstance(owner, Record) and not is_namedtuple(owner.cls) and name in owner.items:
        if getattr(owner.cls, "__dataclass_params__").frozen:  # noqa: B009
            ctx.error(InferenceError, f"cannot assign to field {name!r}", "the dataclass is frozen")
        changed(ctx, owner, Record(owner.cls, {**owner.items, name: ctx.settled(value, name)}))
        return
    ctx.error(
        UnsupportedSyntaxError,
        f"the attribute {name!r} of {describe(owner)} cannot be assigned",
        "only fields of dataclasses made in the function can",
        "keep it in a local variable and return it, or in a dataclass that the function makes",
    )


__all__ = [
    "IndexSpace",
    "attribute",
    "binary",
    "compare",
    "contains",
    "getitem",
    "items",
    "key",
    "known_items",
    "setitem",
]
