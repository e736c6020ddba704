"""Complex arrays and numbers: parts, conjugates, angles.

Input: values of any dtype. Output: values. The real and imaginary parts of an array in memory are views of
it. Non-goals: arithmetic (`elementwise`, `formulas`), NumPy's functions (`complex_functions`).
"""

from __future__ import annotations

import numpy as np

from ...ir.builder import const
from ...ir.nodes import Operand
from ...ir.types import PARTS, WHOLES
from ..values import ArrayValue, Mapping_, Record, ScalarValue, Sequence_, Static, Value, VirtualArray
from . import create, elementwise
from .context import Context
from .promote import AnyArray, dtype_of, is_array, is_number, is_weak, operand, value_of
from .shapes import as_array


def is_complex(value: Value) -> bool:
    """Whether a value is, or has inside it, a complex number or array."""
    match value:
        case ScalarValue() | ArrayValue() | VirtualArray():
            return value.dtype in PARTS
        case Static(value=v):
            return isinstance(v, complex | np.complexfloating)
        case Sequence_(items=items):
            return any(is_complex(v) for v in items)
        case Mapping_(items=found):
            return any(is_complex(v) for v in found.values())
        case Record(items=fields):
            return any(is_complex(v) for v in fields.values())
    return False


# -- parts


def part(ctx: Context, value: Value, name: str) -> Value:
    """`value.real` or `value.imag`: of an array in memory a view."""
    dtype = dtype_of(ctx, value)
    if dtype not in PARTS:
        return _part_of_real(ctx, value, name)
    if isinstance(value, Static):
        return Static(getattr(value.value, name))
    if isinstance(value, ArrayValue):
        half = ctx.b.half(value.base, 0 if name == "real" else 1)
        return ArrayValue(half, value.axes, value.fixed)
    if isinstance(value, VirtualArray):
        return elementwise.mapped(
            ctx, lambda z: ctx.b.op(name, z), [value], [dtype], PARTS[dtype], value.cost
        )
    return value_of(ctx.b.op(name, operand(ctx, value, dtype)), weak=is_weak(value))


def _part_of_real(ctx: Context, value: Value, name: str) -> Value:
    if name == "real":
        return value
    if is_array(value):
        a = as_array(ctx, value)
        return create.constant_array(ctx, a.shape, const(0, a.dtype))
    return Static(0) if is_weak(value) else value_of(const(0, dtype_of(ctx, value)))


def conjugate(ctx: Context, value: Value) -> Value:
    if not is_complex(value):
        return value
    return elementwise_of(ctx, "conj", value)


def elementwise_of(ctx: Context, op: str, value: Value, dtype: str = "") -> Value:
    """An op on complex numbers, elementwise; real numbers become complex first."""
    number = elementwise.number_of(ctx, value if is_number(value) else as_array(ctx, value))
    own = dtype_of(ctx, number)
    wanted = own if own in PARTS else WHOLES["float32" if own == "float32" else "float64"]
    out = dtype or wanted

    def element(x: Operand) -> Operand:
        return ctx.b.op(op, x)

    if is_array(number):
        return elementwise.mapped(ctx, element, [number], [wanted], out, 10)
    return value_of(element(operand(ctx, number, wanted)), weak=is_weak(number))


def angle_of(ctx: Context, value: Value) -> Value:
    own = dtype_of(ctx, elementwise.number_of(ctx, value if is_number(value) else as_array(ctx, value)))
    return elementwise_of(ctx, "angle", value, "float32" if own in ("complex64", "float32") else "float64")


def make(ctx: Context, real: Value, imag: Value) -> Value:
    """`complex(real, imag)` of numbers: `real + 1j * imag` where one of them is complex itself."""
    if isinstance(real, Static) and isinstance(imag, Static):
        return Static(complex(real.value, imag.value))  # type: ignore[call-overload]
    if is_complex(real) or is_complex(imag):
        return elementwise.binary(ctx, "add", real, elementwise.binary(ctx, "mul", Static(1j), imag))
    x, y = (operand(ctx, v, "float64") for v in (real, imag))
    return ScalarValue(ctx.b.op("complex", x, y), weak=True)


def combined(ctx: Context, real: AnyArray, imag: AnyArray, dtype: str) -> VirtualArray:
    """The complex array with these parts, of equal shape."""
    kinds = [PARTS[dtype]] * 2
    return elementwise.mapped(ctx, lambda x, y: ctx.b.op("complex", x, y), [real, imag], kinds, dtype, 1)


__all__ = ["angle_of", "combined", "conjugate", "elementwise_of", "is_complex", "make", "part"]
