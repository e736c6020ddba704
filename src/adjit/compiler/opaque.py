"""Functions compiled by Numba that generated programs call as they are, by a name that tells them apart.

Input: a Numba dispatcher. Output: a name, made of the function's own and of a hash of all that it is compiled
from: its text, the texts of the functions that it calls, the constants and arrays that it reads. A generated
module imports the name from `adjit.runtime.opaque`, so the same text always stands for the same function.
Invariant: where something cannot be told for certain, the name is of this process alone. Non-goals: when a
function is called like that (`frontend.opaque`).
"""

from __future__ import annotations

import hashlib
import re
import types
import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np

from .describing import Unknown, described, function_text

PREFIX = "opaque_"
FOREIGN = ("numpy", "scipy", "numba", "math", "cmath", "builtins")
FUNCTIONS: dict[str, Any] = {}
_named: dict[int, tuple[Any, str]] = {}  # by the number of the function, which stays alive


def registered(function: Any) -> str:
    """The name of a compiled function; from now on a generated module finds it by that."""
    known = _named.get(id(function))
    if known is not None:
        return known[1]
    try:
        key = hashlib.sha256(whole_text(function).encode()).hexdigest()[:12]
    except Unknown:
        key = uuid.uuid4().hex[:12]
    name = f"{PREFIX}{re.sub(r'[^0-9A-Za-z_]', '_', function.py_func.__name__)}_{key}"
    FUNCTIONS.setdefault(name, function)
    _named[id(function)] = function, name
    return name


def whole_text(function: Any) -> str:
    """A function and everything outside of it that its code reads, in words."""
    seen: dict[int, int] = {}
    return "\n".join(_texts(function, seen))


def _texts(value: object, seen: dict[int, int]) -> Iterator[str]:
    plain = getattr(value, "py_func", value)
    if isinstance(value, np.ndarray):
        yield f"array {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    elif not isinstance(plain, types.FunctionType) or _is_foreign(plain):
        yield described(value)
    elif id(plain) in seen:
        yield f"function {seen[id(plain)]}"
    else:
        seen[id(plain)] = len(seen)
        yield function_text(plain)
        yield repr(getattr(value, "targetoptions", ""))
        for name, found in read_outside(plain):
            yield name
            yield from _texts(found, seen)


def read_outside(function: types.FunctionType) -> Iterator[tuple[str, object]]:
    """What the names in a function's code stand for, functions inside of it included."""
    codes = [function.__code__]
    names: list[str] = []
    for code in codes:
        codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
        names += code.co_names
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:
            yield name, None
    for name in dict.fromkeys(names):
        if name not in function.__globals__:
            continue
        found = function.__globals__[name]
        if not isinstance(found, types.ModuleType):
            yield name, found
        elif not _is_foreign(found):  # any of the names may be an attribute of the module
            for inner in dict.fromkeys(names):
                if hasattr(found, inner):
                    yield f"{name}.{inner}", getattr(found, inner)


def _is_foreign(value: types.FunctionType | types.ModuleType) -> bool:
    """Whether a module or a function is of a package whose version is known to the cache."""
    module = value.__name__ if isinstance(value, types.ModuleType) else value.__module__ or ""
    return module.split(".")[0] in FOREIGN


__all__ = ["FUNCTIONS", "PREFIX", "read_outside", "registered", "whole_text"]
