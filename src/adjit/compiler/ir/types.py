"""The types of core IR: scalars and arrays, each with a NumPy dtype.

Structures (tuples, dictionaries, dataclasses) never reach the IR: the frontend takes them apart. While it
walks, values may also have the complex dtypes of `PARTS`; its last step replaces these by real ones.
"""

from dataclasses import dataclass

import numpy as np

FLOATS = ("float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
DTYPES = (*FLOATS, *SIGNED, *UNSIGNED, "bool")
PARTS = {"complex64": "float32", "complex128": "float64"}  # only until the frontend has lowered them
WHOLES = {part: whole for whole, part in PARTS.items()}


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number; `dtype` is one of `DTYPES`."""

    dtype: str

    def __str__(self) -> str:
        return self.dtype


@dataclass(frozen=True, slots=True)
class Array:
    """A reference to memory of rank `ndim`.

    `layout` is "C" where the memory is known to be C-contiguous, "F" for Fortran order and "A" for any
    strides. A `growing` array has rank 1 and no fixed length: a store or an accumulate past its end makes
    it longer, and what was never written reads as zero.
    """

    dtype: str
    ndim: int
    layout: str = "C"
    growing: bool = False

    def __str__(self) -> str:
        mark = "" if self.layout == "C" else self.layout
        return f"{self.dtype}[{','.join(':' * self.ndim)}]{mark}{'+' if self.growing else ''}"


Type = Scalar | Array

INT = Scalar("int64")
BOOL = Scalar("bool")
BYTE = Scalar("int8")
FLOAT64 = Scalar("float64")


def is_float(type_: Type) -> bool:
    """Whether values of this type can carry a derivative."""
    return type_.dtype in FLOATS


def is_integer(type_: Type) -> bool:
    return type_.dtype in SIGNED or type_.dtype in UNSIGNED


def grows(type_: Type) -> bool:
    return isinstance(type_, Array) and type_.growing


def itemsize(dtype: str) -> int:
    """Bytes of one element."""
    return np.dtype(dtype).itemsize
