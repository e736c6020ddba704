"""Python's builtin functions about containers, classes and attributes: all of them answer at compile time.

Input and output: as `python_builtins`, whose table this fills. Invariants: classes are those that the
values have in Python. Non-goals: numbers and ranges.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

import numba
import numpy as np

from ...errors import InferenceError
from . import containers, list_methods, printing
from .arrays.promote import dtype_of, is_array, is_weak
from .python_builtins import NONE, PARTIAL, define
from .structure import field_names, is_record
from .values import (
    Closure,
    ListValue,
    Mapping_,
    Method,
    RangeValue,
    Record,
    Sequence_,
    SliceValue,
    Static,
    Value,
)

if TYPE_CHECKING:
    from .specialise import Specialiser


@define(tuple)
def _tuple(ctx: Specialiser, values: Value = Sequence_(())) -> Value:  # noqa: B008
    return Sequence_(tuple(containers.items(ctx, values)))


@define(numba.typed.List)
def _typed_list(ctx: Specialiser, values: Value = Sequence_(())) -> Value:  # noqa: B008
    ctx.typed_lists = True
    return _list(ctx, values)


@define(list)
def _list(ctx: Specialiser, values: Value = Sequence_(())) -> Value:  # noqa: B008
    if containers.known_items(ctx, values) is None:
        found = list_methods.listed(ctx, values)
        if found is not None:
            return found
    return Sequence_(tuple(containers.items(ctx, values)), list)


@define(numba.typed.List.empty_list)
def _empty_list(ctx: Specialiser, item_type: Value, allocated: Value = NONE) -> Value:
    ctx.typed_lists = True
    return Sequence_((), list)


@define(dict)
def _dict(ctx: Specialiser, values: Value | None = None, **named: Value) -> Value:
    found: dict[object, Value] = {}
    if isinstance(values, Mapping_):
        found.update(values.items)
    elif values is not None:
        for pair in containers.items(ctx, values):
            k, v = containers.items(ctx, pair)
            found[containers.key(ctx, k)] = v
    found.update(named)
    return Mapping_(found)


@define(functools.partial)
def _partial(ctx: Specialiser, function: Value, *args: Value, **named: Value) -> Value:
    """A function with some arguments given: a method of these arguments."""
    return Method(Sequence_((function, Sequence_(args), Mapping_(dict(named)))), PARTIAL)  # type: ignore[arg-type]


@define(dataclasses.replace)
def _replace(ctx: Specialiser, record: Value, **changes: Value) -> Value:
    if not isinstance(record, Record) or not set(changes) <= set(record.items):
        ctx.error(InferenceError, "dataclasses.replace takes a dataclass and some of its fields")
    return Record(record.cls, {**record.items, **changes})


@define(slice)
def _slice(ctx: Specialiser, a: Value, b: Value | None = None, step: Value = NONE) -> Value:
    lo, hi = (NONE, a) if b is None else (a, b)
    plain = [containers.plain_object(v) for v in (lo, hi, step)]
    if None not in plain:
        return Static(slice(*(p[0] for p in plain if p is not None)))
    return SliceValue(lo, hi, step)


@define(type)
def _type(ctx: Specialiser, value: Value) -> Value:
    return Static(python_type(ctx, value))


def python_type(ctx: Specialiser, value: Value) -> type:
    """The class that the value has in Python."""
    if is_array(value):
        return np.ndarray
    match value:
        case Sequence_(kind=kind):
            return kind
        case ListValue():
            return list
        case Mapping_():
            return dict
        case Record(cls=cls):
            return cls
        case Closure() | Method():
            return type(lambda: None)
        case RangeValue():
            return range
        case Static(value=v):
            return type(v)
    name = dtype_of(ctx, value)
    if is_weak(value) or name == "bool":
        return {"f": float, "b": bool, "c": complex}.get(np.dtype(name).kind, int)
    return np.dtype(name).type


@define(isinstance)
def _isinstance(ctx: Specialiser, value: Value, classes: Value) -> Value:
    plain = containers.plain_object(classes)
    if plain is None:
        ctx.error(InferenceError, "the classes of isinstance must be known at compile time")
    return Static(issubclass(python_type(ctx, value), plain[0]))  # type: ignore[arg-type]


@define(callable)
def _callable(ctx: Specialiser, value: Value) -> Value:
    return Static(
        isinstance(value, Closure | Method) or (isinstance(value, Static) and callable(value.value))
    )


@define(hasattr)
def _hasattr(ctx: Specialiser, value: Value, name: Value) -> Value:
    if not isinstance(name, Static) or not isinstance(name.value, str):
        ctx.error(InferenceError, "the name of an attribute must be known at compile time")
    if isinstance(value, Record) and is_record(value.cls):
        return Static(name.value in field_names(value.cls) or hasattr(value.cls, name.value))
    owner = value.value if isinstance(value, Static) else python_type(ctx, value)
    return Static(hasattr(owner, name.value))


@define(getattr)
def _getattr(ctx: Specialiser, value: Value, name: Value, default: Value | None = None) -> Value:
    if not isinstance(name, Static) or not isinstance(name.value, str):
        ctx.error(InferenceError, "the name of an attribute must be known at compile time")
    found = _hasattr(ctx, value, name)
    if default is not None and isinstance(found, Static) and not found.value:
        return default
    return ctx.attribute(value, name.value)


@define(print)
def _print(ctx: Specialiser, *values: Value, **kwargs: Value) -> Value:
    return printing.of_values(ctx, values, kwargs)


@define(str, repr)
def _str(ctx: Specialiser, value: Value = Static("")) -> Value:  # noqa: B008
    return Static(str(containers.known(ctx, value)[0]))
