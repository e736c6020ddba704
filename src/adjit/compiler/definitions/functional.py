"""Python's functions of functions, as loops: `map`, `filter`, `functools.reduce`, and `sorted`.

Lists stand for the iterators that Python gives. Non-goals: `sorted` with a key; the order of anything but
numbers.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .core import Array, Number, defines, unsupported


@defines(map)
def map_(function: Any, *iterables: Any) -> Any:
    if len(iterables) == 1:
        return [function(item) for item in iterables[0]]
    return [function(*items) for items in zip(*iterables, strict=False)]


@defines(filter)
def filter_(function: Any, iterable: Any) -> Any:
    if function is None:
        return [item for item in iterable if item]
    return [item for item in iterable if function(item)]


@defines(functools.reduce)
def reduce_(function: Any, sequence: Any, *start: Any) -> Number:
    if len(start) == 1:
        total = start[0]
        for item in sequence:
            total = function(total, item)
        return total
    if len(sequence) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")
    total = sequence[0]
    for item in sequence[1:]:
        total = function(total, item)
    return total


@defines(sorted)
def sorted_(iterable: Array, *, reverse: bool = False) -> Array:
    if iterable.ndim != 1:
        unsupported("sorted of anything but numbers")
    found = np.sort(iterable)
    return found[::-1] if reverse else found
