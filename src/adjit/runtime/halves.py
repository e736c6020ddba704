"""Floats in two bytes: conversions of float32 to the bits of float16 and bfloat16, and back.

Input: a float32; 16 bits as a uint16. Output: the other. Each runs as plain Python and compiles with what
calls it; Numba has no arithmetic in these formats on a CPU. Invariants: rounding is to the nearest, ties to
even; NaN and infinity stay what they are, and a number other than zero does not become zero. What lies beyond
a format becomes infinite. Non-goals: arrays (`api.mixed`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

MAGNITUDE, INFINITE = np.uint32(0x7FFFFFFF), np.uint32(0x7F800000)
SIGN, ONE = np.uint32(0x8000), np.uint32(1)
WORD, SHIFT = np.uint32(16), np.uint32(13)  # between float32 and bfloat16, and the fractions of float16
BEYOND, NORMAL = np.uint32(0x47800000), np.uint32(0x38800000)  # 65536 and 2**-14, as bits of float32
HALF = np.uint32(0x3F000000)  # 0.5, whose last place is float16's least number
BIAS = np.uint32(112 << 23)  # between the exponents of float32 and float16


@register_jitable  # type: ignore[untyped-decorator]
def to_bfloat16(x: Any) -> Any:
    bits = np.float32(x).view(np.uint32)
    size = np.uint32(bits & MAGNITUDE)
    if size > INFINITE:
        return np.uint16(0x7FC0)
    odd = np.uint32(np.uint32(size >> WORD) & ONE)
    rounded = np.uint32(np.uint32(size + np.uint32(0x7FFF) + odd) >> WORD)
    if rounded == 0 and size != 0:
        rounded = ONE
    return np.uint16(rounded | np.uint32(np.uint32(bits >> WORD) & SIGN))


@register_jitable  # type: ignore[untyped-decorator]
def from_bfloat16(bits: Any) -> Any:
    return np.uint32(np.uint32(bits) << WORD).view(np.float32)


@register_jitable  # type: ignore[untyped-decorator]
def to_float16(x: Any) -> Any:
    bits = np.float32(x).view(np.uint32)
    size = np.uint32(bits & MAGNITUDE)
    if size > INFINITE:
        rounded = np.uint32(0x7E00)
    elif size >= BEYOND:
        rounded = np.uint32(0x7C00)
    elif size < NORMAL:
        rounded = np.uint32(np.float32(size.view(np.float32) + np.float32(0.5)).view(np.uint32) - HALF)
        if rounded == 0 and size != 0:
            rounded = ONE
    else:
        odd = np.uint32(np.uint32(size >> SHIFT) & ONE)
        rounded = np.uint32(np.uint32(size - BIAS + np.uint32(0xFFF) + odd) >> SHIFT)
    return np.uint16(rounded | np.uint32(np.uint32(bits >> WORD) & SIGN))


@register_jitable  # type: ignore[untyped-decorator]
def from_float16(bits: Any) -> Any:
    wide = np.uint32(bits)
    size = np.uint32(np.uint32(wide & np.uint32(0x7FFF)) << SHIFT)
    if size >= np.uint32(0x0F800000):  # infinite or NaN
        size = np.uint32(size | INFINITE)
    elif size < np.uint32(0x00800000):  # subnormal, or zero
        size = np.float32(np.uint32(size + NORMAL).view(np.float32) - np.float32(2.0**-14)).view(np.uint32)
    else:
        size = np.uint32(size + BIAS)
    return np.uint32(size | np.uint32(np.uint32(wide & SIGN) << WORD)).view(np.float32)


__all__ = ["from_bfloat16", "from_float16", "to_bfloat16", "to_float16"]
