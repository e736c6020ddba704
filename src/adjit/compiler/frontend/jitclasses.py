"""Objects of Numba's `jitclass`, which Python sees as boxes around native memory.

Input: such an object, or a method bound to one. Output: the Python function that a method or a property was
compiled from; what is no member of the class is a field of the object, which is read anew at each call.
Invariant: nothing is called. Non-goals: making such objects, and setting their fields, in a differentiated
function.
"""

from __future__ import annotations

import types
from typing import Any

BOXES = "numba.experimental.jitclass.boxing"


def is_object(x: object) -> bool:
    return type(x).__module__ == BOXES and hasattr(x, "_numba_type_")


def method(owner: Any, name: str) -> types.MethodType | None:
    """The method as written, bound to the object."""
    found = owner._numba_type_.class_type.jit_methods.get(name)
    return None if found is None else types.MethodType(found.py_func, owner)


def getter(owner: Any, name: str) -> types.FunctionType | None:
    """The function below a property of the user's."""
    found = owner._numba_type_.class_type.jit_props.get(name, {}).get("get")
    return None if found is None else found.py_func


def as_written(function: object) -> object:
    """For a method bound to such an object the one that is written in the class; else the function."""
    if isinstance(function, types.MethodType) and is_object(function.__self__):
        return method(function.__self__, function.__name__) or function
    return function


__all__ = ["as_written", "getter", "is_object", "method"]
