"""Functions that are known by the address of their machine code.

Numba code calls SciPy's special functions through pointers: `ctypes` functions and objects with a
`__wrapper_address__`, made from the entries of `scipy.special.cython_special`. Input: such an object. Output:
the function of `scipy.special` that it points to. Numba's types of numbers, which are called as
conversions, are NumPy's. Invariant: nothing is called. Non-goals: pointers to other
code, which have no known derivative; entries for complex numbers and float32.
"""

from __future__ import annotations

import ctypes
import re
from functools import cache
from typing import Any

import numpy as np
from scipy import special

POINTER = type(ctypes.CFUNCTYPE(None))  # the class of the classes of function pointers
NUMBERS = "numba.core.types.scalars"
ENTRY = re.compile(r"double \((double, )+int __pyx_skip_dispatch\)")


@cache
def special_addresses() -> dict[str, int]:
    """The entries of the functions of `scipy.special` that take float64 only, by name."""
    from scipy.special import cython_special

    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    found = {}
    for name, capsule in cython_special.__pyx_capi__.items():
        signature = name_of(capsule)
        if signature and ENTRY.fullmatch(signature.decode()):
            found[re.sub(r"^__pyx_fuse_\d+", "", name)] = int(pointer_of(capsule, signature))
    return found


@cache
def _names() -> dict[int, str]:
    return {address: name for name, address in special_addresses().items()}


def address_of(function: Any) -> int | None:
    if isinstance(type(function), POINTER):
        return ctypes.cast(function, ctypes.c_void_p).value
    if hasattr(type(function), "__wrapper_address__"):
        return int(function.__wrapper_address__())
    return None


def source_of(function: object) -> object:
    """The function of `scipy.special` that a pointer stands for, the NumPy type that a Numba type stands
    for; any other object is itself."""
    if type(function).__module__ == NUMBERS:
        return getattr(np, str(function), function)
    address = address_of(function)
    if address is None:
        return function
    return getattr(special, _names().get(address, ""), function)
