"""Dtypes of values and their promotion by NumPy 2's own rules.

A Python number is *weak*: it takes the dtype of what it meets. Results of operators on weak numbers are
weak; those of NumPy functions are not. Input: frontend values. Output: dtypes, scalar values, operands.
Refused: float16.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from ....errors import InferenceError
from ...ir.builder import Builder, const
from ...ir.nodes import Const, Operand
from ...ir.types import DTYPES, FLOATS, PARTS
from ...ops.complexes import refuse_cast
from ..values import ArrayValue, CheckpointedValue, ScalarValue, Static, Stream, Value, VirtualArray
from .context import Context
from .remedies import instead_of_object

AnyArray = ArrayValue | VirtualArray
PYTHON_KINDS: dict[str, type] = {"float64": float, "int64": int, "complex128": complex}


def is_array(value: Value) -> bool:
    return isinstance(value, ArrayValue | VirtualArray)


def is_number(value: Value) -> bool:
    """A scalar: constant or known at run time."""
    if isinstance(value, Static):
        return isinstance(value.value, bool | int | float | complex | np.number | np.bool_)
    return isinstance(value, ScalarValue)


def is_arithmetic(value: Value) -> bool:
    return is_array(value) or is_number(value)


def is_weak(value: Value) -> bool:
    if isinstance(value, Static):
        return isinstance(value.value, bool | int | float | complex) and not isinstance(
            value.value, np.generic
        )
    return isinstance(value, ScalarValue) and value.weak


def dtype_name(ctx: Context, dtype: object) -> str:
    """The name of a dtype that arrays may have, from anything that `np.dtype` takes."""
    if type(dtype).__module__ == "numba.core.types.scalars":
        dtype = str(dtype)
    try:
        name = np.dtype(dtype).name  # type: ignore[call-overload]
    except TypeError:
        ctx.error(InferenceError, f"{dtype!r} is not a dtype")
    if name not in DTYPES and name not in PARTS:
        ctx.error(
            InferenceError,
            f"the dtype {name} is not supported",
            "arrays and scalars are float32, float64, complex64, complex128, integers or booleans",
        )
    return str(name)


def dtype_of(ctx: Context, value: Value) -> str:
    """The dtype of a number or an array."""
    if isinstance(value, ScalarValue | ArrayValue | VirtualArray):
        return value.dtype
    if isinstance(value, Static) and is_number(value):
        return dtype_name(ctx, np.asarray(value.value).dtype)
    return not_numbers(ctx, value)


def not_numbers(ctx: Context, value: Value) -> NoReturn:
    remedy = instead_of_object(type(value.value)) if isinstance(value, Static) else ""
    what = f"a number or an array is needed here, not {describe(value)}"
    ctx.error(InferenceError, what, instead=remedy)


def describe(value: Value) -> str:
    """A value in the user's words."""
    match value:
        case Static(value=v):
            return (
                repr(v)
                if v is None or isinstance(v, bool | int | float | complex | str)
                else getattr(v, "__name__", f"an object of the class {type(v).__name__}")
            )
        case ScalarValue():
            return f"{article(value.dtype)} scalar"
        case ArrayValue() | VirtualArray():
            return f"a {len(value.shape)}-dimensional {value.dtype} array"
        case CheckpointedValue():
            return "the header of a checkpointed loop"
        case Stream():
            return "what enumerate, zip or reversed gives"
    return f"a {type(value).__name__.strip('_').lower()}"


def article(dtype: str) -> str:
    return f"an {dtype}" if dtype.startswith("int") else f"a {dtype}"


def kind(ctx: Context, value: Value) -> object:
    """What `ufunc.resolve_dtypes` takes for the value: a dtype, or a Python type for a weak number."""
    if isinstance(value, Static) and is_number(value) and is_weak(value):
        v = value.value
        return np.dtype("bool") if isinstance(v, bool) else int if isinstance(v, int) else type(v)
    dtype = dtype_of(ctx, value)
    if isinstance(value, ScalarValue) and value.weak and dtype in PYTHON_KINDS:
        return PYTHON_KINDS[dtype]
    return np.dtype(dtype)


def resolve(ctx: Context, ufunc: np.ufunc, kinds: Sequence[object]) -> tuple[tuple[str, ...], str]:
    """The dtypes in which the ufunc computes on operands of these kinds, and that of its first result."""
    if all(isinstance(k, type) for k in kinds):  # comparisons of two Python integers would give object loops
        kinds = [np.dtype(k) for k in kinds]  # type: ignore[call-overload]
    try:
        found = ufunc.resolve_dtypes((*kinds, *(None,) * ufunc.nout))  # type: ignore[arg-type]
    except TypeError as error:
        ctx.error(InferenceError, f"{ufunc.__name__} does not take these operands", str(error))
    names = tuple(dtype_name(ctx, d) for d in found)
    return names[: len(kinds)], names[len(kinds)]


def result_type(ctx: Context, values: Sequence[Value]) -> str:
    """The common dtype of numbers and arrays, as `np.result_type` with weak Python scalars."""
    common: list[object] = []
    for v in values:
        k = kind(ctx, v)
        common.append(k(0) if isinstance(k, type) else k)
    return dtype_name(ctx, np.result_type(*common))  # type: ignore[arg-type]


# -- numbers to operands


def static_operand(ctx: Context, value: object, dtype: str | None = None) -> Const:
    """The constant operand of a Python or NumPy number."""
    wanted = dtype or dtype_name(ctx, np.asarray(value).dtype)
    plain = value.item() if isinstance(value, np.generic) else value
    if wanted in PARTS and isinstance(plain, bool | int | float | complex):
        return const(np.dtype(wanted).type(plain).item(), wanted)
    if isinstance(plain, complex):
        if wanted == "bool":
            return const(plain != 0)
        refuse_cast("complex128", wanted, ctx.b.loc)
    if not isinstance(plain, bool | int | float):
        ctx.error(InferenceError, f"a number is needed here, not {describe(Static(value))}")
    if wanted not in FLOATS and wanted != "bool":
        if isinstance(plain, float) and plain != plain // 1:
            ctx.error(InferenceError, f"{plain!r} is no {wanted}")
        info = np.iinfo(wanted)
        if not info.min <= plain <= info.max:
            ctx.error(InferenceError, f"the number {plain} is out of range for {wanted}")
    if wanted == "float32":
        plain = float(np.float32(plain))
    return const(plain, wanted)


def operand(ctx: Context, value: Value, dtype: str) -> Operand:
    """A number as an operand of the given dtype."""
    if isinstance(value, Static) and is_number(value):
        if (
            dtype in FLOATS
            or dtype in PARTS
            or dtype == "bool"
            or not isinstance(value.value, float | np.floating)
        ):
            return static_operand(ctx, value.value, dtype)
        return cast(ctx.b, static_operand(ctx, value.value), dtype)
    if isinstance(value, ScalarValue):
        if value.power is not None and dtype in FLOATS:
            return cast(ctx.b, _whole_power(ctx.b, value.operand, *value.power), dtype)
        return cast(ctx.b, value.operand, dtype)
    return ctx.error(InferenceError, f"a number is needed here, not {describe(value)}")


def _whole_power(b: Builder, exact: Operand, base: Operand, exponent: Operand) -> Operand:
    """A power of integers as a float, by floats where 64 bits may not hold it."""
    by_floats = b.op("pow", b.cast(base, "float64"), b.cast(exponent, "float64"))
    fits = b.op("lt", b.op("abs", by_floats), const(2.0**62, "float64"))
    return b.op("select", fits, b.cast(exact, "float64"), by_floats)


def cast(b: Builder, x: Operand, dtype: str) -> Operand:
    """Conversion as NumPy's `astype`: to bool by comparison with zero."""
    if x.type.dtype == dtype:
        return x
    if dtype == "bool":
        return b.op("ne", x, const(0, x.type.dtype))
    return b.cast(x, dtype)


def value_of(x: Operand, *, weak: bool = False) -> Value:
    """A frontend value for an operand: constants become static again."""
    if isinstance(x, Const):
        if weak or x.type.dtype == "bool":
            return Static(x.value)
        return Static(np.dtype(x.type.dtype).type(x.value))
    return ScalarValue(x, weak)
