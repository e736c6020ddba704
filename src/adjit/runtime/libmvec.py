"""The vector functions of glibc (libmvec, x86-64 Linux), under names that compiled programs may refer to.

Output: `VARIANTS`: for a function of the C library, the vector forms that the library has. Each form, and the
scalar function itself, is known to LLVM by a name of adjit's from the import on, since machine code read from
a cache refers to them. The scalar function has such a name too because LLVM would replace a call of `log` by
an operation of its own, which has no vector form. Invariants: elsewhere, and with `ADJIT_NO_LIBMVEC` set,
`VARIANTS` is empty. Non-goals: choosing a form (`vector`).
"""

from __future__ import annotations

import ctypes
import platform
import sys
from dataclasses import dataclass

import llvmlite.binding

from .. import options

UNARY = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt", "sin", "cos", "tan", "asin", "acos"),
    *("atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc"),
)
BINARY = ("pow", "atan2", "hypot")
ARITY = {**dict.fromkeys(UNARY, 1), **dict.fromkeys(BINARY, 2)}
# The letter in a vector function's name, the feature that its registers need, their bytes.
REGISTERS = (("b", "sse2", 16), ("d", "avx2", 32), ("e", "avx512f", 64))


@dataclass(frozen=True)
class Variant:
    """A vector form: LLVM's name for it, how many elements it takes, the feature it needs."""

    symbol: str
    lanes: int
    feature: str


def scalar_symbol(name: str) -> str:
    return f"adjit_{name}"


def _address(library: ctypes.CDLL, name: str) -> int | None:
    try:
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    except AttributeError:
        return None


def _libraries() -> tuple[ctypes.CDLL, ctypes.CDLL] | None:
    known = sys.platform == "linux" and platform.machine() in ("x86_64", "AMD64") and sys.maxsize > 2**32
    if not known:
        return None
    try:
        return ctypes.CDLL("libm.so.6"), ctypes.CDLL("libmvec.so.1")
    except OSError:
        return None


def _registered(
    name: str, itemsize: int, arity: int, libm: ctypes.CDLL, vectors: ctypes.CDLL
) -> list[Variant]:
    scalar = _address(libm, name)
    if scalar is None:
        return []
    found = []
    for letter, feature, size in REGISTERS:
        lanes = size // itemsize
        address = _address(vectors, f"_ZGV{letter}N{lanes}{'v' * arity}_{name}")
        if address is not None:
            symbol = f"{scalar_symbol(name)}_{letter}{lanes}"
            llvmlite.binding.add_symbol(symbol, address)
            found.append(Variant(symbol, lanes, feature))
    if found:
        llvmlite.binding.add_symbol(scalar_symbol(name), scalar)
    return found


def _all() -> dict[str, tuple[Variant, ...]]:
    libraries = _libraries()
    if libraries is None:
        return {}
    made = {}
    for name, arity in ARITY.items():
        for c_name, itemsize in ((name, 8), (name + "f", 4)):
            found = _registered(c_name, itemsize, arity, *libraries)
            if found:
                made[c_name] = tuple(found)
    return made


_known = _all()  # also where unwanted: a user's own cached function may refer to the names
VARIANTS = {} if options.libmvec_unwanted() else _known
