"""Noticing exactly that an array was written between two moments.

Input: an array. Output: a mark; later, whether the array still has the contents that it had. A small array
is copied; of a large one a 64-bit hash of all its words is kept, which costs no memory and reads it once at
memory speed. Invariants: equal contents always count as equal; a change of one word is always noticed
(each step of the hash is a bijection of the word), other changes but for one in 2**64. Without Numba
compiling, arrays are copied. Non-goals: security; sampling.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numba
import numpy as np

from ..options import jit_disabled

Array = np.ndarray[Any, Any]
SMALL = 1 << 16  # bytes up to which a copy is cheaper
BLOCK = 1 << 18
Mark = tuple[Array | None, int, bytes]


@cache
def _hash() -> Any:
    def hash_words(words: Any) -> Any:
        p = np.uint64(0x9E3779B185EBCA87)
        r, l = np.uint64(31), np.uint64(33)
        a, b, c, d = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
        n = words.shape[0] - words.shape[0] % 4
        for i in range(0, n, 4):
            a = (a ^ words[i]) * p
            b = (b ^ words[i + 1]) * p
            c = (c ^ words[i + 2]) * p
            d = (d ^ words[i + 3]) * p
            a = (a << r) | (a >> l)
            b = (b << r) | (b >> l)
            c = (c << r) | (c >> l)
            d = (d << r) | (d >> l)
        for i in range(n, words.shape[0]):
            a = (a ^ words[i]) * p
            a = (a << r) | (a >> l)
        return ((((a * p) ^ b) * p ^ c) * p ^ d) * p

    return numba.njit("uint64(uint64[::1])", nogil=True)(hash_words)


def _bytes(a: Array) -> Array:
    if a.flags.c_contiguous:
        flat = a.reshape(-1)
    elif a.flags.f_contiguous:
        flat = a.T.reshape(-1)
    else:
        flat = np.ascontiguousarray(a).reshape(-1)
    return flat.view(np.uint8)


def mark(a: Array) -> Mark:
    """What is kept of the contents of an array."""
    data = _bytes(a)
    if data.size <= SMALL or jit_disabled() or data.ctypes.data % 8:
        return data.copy(), 0, b""
    whole = data.size - data.size % 8
    return None, int(_hash()(data[:whole].view(np.uint64))), data[whole:].tobytes()


def unchanged(a: Array, known: Mark) -> bool:
    """Whether an array holds, bit by bit, what it held when it was marked."""
    data = _bytes(a)
    copy, hashed, rest = known
    if copy is not None:
        blocks = range(0, data.size, BLOCK)
        return all(np.array_equal(data[k : k + BLOCK], copy[k : k + BLOCK]) for k in blocks)
    whole = data.size - data.size % 8
    found = int(_hash()(data[:whole].view(np.uint64)))
    return found == hashed and data[whole:].tobytes() == rest
