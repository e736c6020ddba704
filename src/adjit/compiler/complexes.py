"""Complex numbers where they meet real ones: their dtypes, and how their parts stand in trees of leaves.

Core IR is real. In a specification or a result's tree a complex number is a node with two leaves, its real
and imaginary part, and a complex array a node with one leaf, the same memory as a real array with one more
axis of length two. The kinds of these nodes are the classes below, which make the complex value again;
those of gradients make its conjugate, which is JAX's convention: df/dx - i df/dy. Input and output: NumPy
values. Invariants: arrays are never copied on the way in; what is written in them is seen outside.
Non-goals: arithmetic (`frontend.formulas`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .ir.types import PARTS

TO_PARTS = {np.dtype(whole): np.dtype(part) for whole, part in PARTS.items()}
TO_WHOLE = {part: whole for whole, part in TO_PARTS.items()}
NUMBER_KEYS, ARRAY_KEYS = ("real", "imag"), ("parts",)


def parts(a: object) -> np.ndarray[Any, Any]:
    """The memory of a complex array as real numbers, with one more axis."""
    assert isinstance(a, np.ndarray)
    return a[..., None].view(TO_PARTS[a.dtype])


def whole(a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The complex array whose parts lie on the last axis.

    >>> whole(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [(1+2j), (3+4j)]
    """
    memory = a if a.strides[-1] == a.itemsize else np.ascontiguousarray(a)
    return memory.view(TO_WHOLE[a.dtype])[..., 0]


class ComplexNumber:
    """A complex number of double precision: calling the class with its parts makes it."""

    def __new__(cls, real: Any, imag: Any) -> Any:
        return complex(real, imag)


class ComplexSingle:
    """A `numpy.complex64`."""

    def __new__(cls, real: Any, imag: Any) -> Any:
        return np.complex64(complex(real, imag))


class ComplexArray:
    """A complex array, made of its memory as a real one."""

    def __new__(cls, memory: Any) -> Any:
        return whole(memory)


class ConjugateNumber:
    """The gradient in a complex number."""

    def __new__(cls, real: Any, imag: Any) -> Any:
        return complex(real, -imag)


class ConjugateSingle:
    """The gradient in a `numpy.complex64`."""

    def __new__(cls, real: Any, imag: Any) -> Any:
        return np.complex64(complex(real, -imag))


class ConjugateArray:
    """The gradient in a complex array."""

    def __new__(cls, memory: Any) -> Any:
        return np.conjugate(whole(memory))


CONJUGATE: dict[type, type] = {
    ComplexNumber: ConjugateNumber,
    ComplexSingle: ConjugateSingle,
    ComplexArray: ConjugateArray,
    ConjugateNumber: ComplexNumber,
    ConjugateSingle: ComplexSingle,
    ConjugateArray: ComplexArray,
}
ARRAYS = (ComplexArray, ConjugateArray)
CONJUGATED = (ConjugateNumber, ConjugateSingle, ConjugateArray)


def is_complex(kind: type) -> bool:
    """Whether a node of this kind is a complex number or array."""
    return kind in CONJUGATE


def apart(value: object) -> tuple[type, tuple[str, ...], tuple[Any, ...]] | None:
    """(kind, keys, parts) of a complex number or array; None for anything else."""
    if isinstance(value, np.ndarray):
        if value.dtype not in TO_PARTS or not value.dtype.isnative:
            return None
        return ComplexArray, ARRAY_KEYS, (parts(value),)
    if isinstance(value, np.complex64):
        return ComplexSingle, NUMBER_KEYS, (value.real, value.imag)
    if isinstance(value, complex):  # numpy.complex128 among them, whose parts are numpy.float64
        return ComplexNumber, NUMBER_KEYS, (value.real, value.imag)
    return None


def kind_of_number(dtype: str) -> type:
    return ComplexSingle if dtype == "complex64" else ComplexNumber


__all__ = [
    "ARRAYS",
    "ARRAY_KEYS",
    "CONJUGATE",
    "CONJUGATED",
    "NUMBER_KEYS",
    "PARTS",
    "ComplexArray",
    "ComplexNumber",
    "ComplexSingle",
    "ConjugateArray",
    "ConjugateNumber",
    "ConjugateSingle",
    "apart",
    "is_complex",
    "kind_of_number",
    "parts",
    "whole",
]
