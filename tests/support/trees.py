"""Leaves of structured arguments: dicts, tuples, lists, named tuples and dataclasses, nested.

Input: any argument. Output: its float leaves with their paths, or a copy with one leaf replaced. Invariant:
copies keep the identity structure, so that an array passed twice is one array in the copy. Independent of the
library on purpose: an oracle that shared its code would share its mistakes.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

Path = tuple[object, ...]


def children(value: Any) -> list[tuple[object, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, (tuple, list)):
        return list(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value)]
    return []


def rebuild(value: Any, parts: dict[object, Any]) -> Any:
    """A structure like `value` with new children."""
    if isinstance(value, dict):
        return {k: parts[k] for k in value}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*parts.values())
    if isinstance(value, (tuple, list)):
        return type(value)(parts.values())
    return dataclasses.replace(value, **parts)


def is_float(value: Any) -> bool:
    if isinstance(value, (bool, int, np.integer, np.bool_)):
        return False
    return isinstance(value, (float, np.floating, np.ndarray)) and np.issubdtype(
        np.asarray(value).dtype, np.floating
    )


def float_leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if is_float(value):
        yield path, value
    for key, child in children(value):
        yield from float_leaves(child, (*path, key))


def get(value: Any, path: Path) -> Any:
    for key in path:
        value = dict(children(value))[key]
    return value


def put(value: Any, path: Path, new: Any) -> Any:
    """`value` with the leaf at `path` replaced; arrays elsewhere are shared with the original."""
    if not path:
        return new
    parts = dict(children(value))
    parts[path[0]] = put(parts[path[0]], path[1:], new)
    return rebuild(value, parts)


def fetched(value: Any) -> Any:
    """The structure with arrays of a GPU copied to the host."""
    if hasattr(value, "copy_to_host"):
        return value.copy_to_host()
    parts = children(value)
    return rebuild(value, {k: fetched(v) for k, v in parts}) if parts else value


def fresh(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies with new memory. The same array passed twice stays the same array; memory layout is kept."""
    memo: dict[int, Any] = {}

    def one(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            if id(value) not in memo:
                memo[id(value)] = _same_layout(value)
            return memo[id(value)]
        parts = children(value)
        return rebuild(value, {k: one(v) for k, v in parts}) if parts else copy.copy(value)

    return tuple(one(a) for a in args)


def _same_layout(array: np.ndarray) -> np.ndarray:
    if array.flags.c_contiguous or array.flags.f_contiguous:
        out = array.copy(order="K")
    else:  # a strided array: every second element of a larger one
        base = np.zeros(tuple(2 * s for s in array.shape), array.dtype)
        out = base[tuple(slice(None, None, 2) for _ in array.shape)]
        out[...] = array
    out.flags.writeable = array.flags.writeable
    return out
