"""Conversions between float32 and two bytes: the bits of float16 or bfloat16 as a uint16.

What is saved between two sweeps may be kept so (`adjoint.rounded`); nothing is differentiated behind them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.types import Scalar, Type
from .core import zero_derivative

LARGEST = {"float16": 65504.0, "bfloat16": float(np.uint32(0x7F7F0000).view(np.float32))}
BITS, FLOAT32 = Scalar("uint16"), Scalar("float32")


def _bits(_x: Type) -> Type:
    return BITS


def _float32(_x: Type) -> Type:
    return FLOAT32


def _to_float16(x: float) -> Any:
    bits = np.float32(x).astype(np.float16).view(np.uint16)
    return np.uint16(bits | (x != 0 and not bits & 0x7FFF))


def _to_bfloat16(x: float) -> Any:
    if np.isnan(x):
        return np.uint16(0x7FC0)
    bits = int(np.float32(x).view(np.uint32))
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.uint16(rounded | (x != 0 and not rounded & 0x7FFF))


zero_derivative("to_float16", 1, "to_float16({0})", _to_float16, _bits)
zero_derivative("to_bfloat16", 1, "to_bfloat16({0})", _to_bfloat16, _bits)
zero_derivative(
    "from_float16", 1, "from_float16({0})", lambda b: np.float32(np.uint16(b).view(np.float16)), _float32
)
zero_derivative(
    "from_bfloat16",
    1,
    "from_bfloat16({0})",
    lambda b: np.uint32(int(b) << 16).view(np.float32),
    _float32,
)

__all__ = ["LARGEST"]
