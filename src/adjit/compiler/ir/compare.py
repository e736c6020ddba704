"""Equality of functions up to renaming, and their digest.

Input: functions. Output: a bool, or a hexadecimal digest that is the same for functions which differ
only in names, numbers and locations of variables. Statement order counts: nothing here reasons about
meaning.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from .nodes import Function
from .printer import text
from .visitor import all_defined


def canonical(fn: Function) -> str:
    """The text of the function with variables named by order of definition."""
    names = {v: f"v{k}" for k, v in enumerate((*fn.params, *all_defined(fn.body)))}
    return text(replace(fn, name="f"), names=names)


def equal(a: Function, b: Function) -> bool:
    return canonical(a) == canonical(b)


def digest(fn: Function) -> str:
    return hashlib.sha256(canonical(fn).encode()).hexdigest()
