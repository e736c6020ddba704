"""Elementwise arithmetic on any mix of numbers and arrays.

Numbers give a number at once. With an array the result is virtual: an element function that computes on
elements of the operands, cast to the dtypes that NumPy's ufunc chooses. Shape checks are emitted here,
ahead of any element. A costly virtual operand that would be evaluated repeatedly by broadcasting is put
into memory first.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ....errors import AdjitError, InferenceError, MissingRuleError
from ...ir.builder import Builder, const
from ...ir.nodes import Const, Operand, Var
from ...ir.types import FLOATS, PARTS
from ...ops import complexes
from ...ops.comparison import MIRRORED
from ..values import ScalarValue, Static, Value, VirtualArray
from . import fill, view
from .broadcast import Pairs, common_shape, expanded, together, unsure_of
from .context import Context
from .promote import (
    AnyArray,
    cast,
    is_array,
    is_number,
    is_weak,
    kind,
    not_numbers,
    operand,
    resolve,
    result_type,
    value_of,
)
from .scalars import ROWS, Elementwise

EXPENSIVE = 8
COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))
PYTHON: dict[str, Callable[..., object]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "bitand": operator.and_,
    "bitor": operator.or_,
    "bitxor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
    "neg": operator.neg,
    "positive": operator.pos,
    "invert": operator.invert,
    "not": operator.not_,
    "abs": abs,
}
ARITHMETIC = frozenset(
    ("add", "sub", "mul", "neg", "floordiv", "mod", "pow", "lshift", "rshift", "positive", "abs")
)


def number_of(ctx: Context, value: Value) -> Value:
    """A 0-d array as the number that it holds; numbers and other arrays as they are."""
    if is_array(value) and not value.shape:  # type: ignore[union-attr]
        return value_of(view.element(ctx, value, ()))  # type: ignore[arg-type]
    if is_array(value) or is_number(value):
        return value
    return not_numbers(ctx, value)


def apply(ctx: Context, row: Elementwise, values: Sequence[Value], *, weak: bool = False) -> Value:
    """`row` on the values; `weak` states that a result on weak numbers is weak (operators)."""
    values = [number_of(ctx, v) for v in values]
    weak = weak and all(is_weak(v) for v in values)
    kinds = [kind(ctx, v) for v in values]
    if weak and row.name in ARITHMETIC:
        kinds = [int if k == np.dtype("bool") else k for k in kinds]
    dtypes, out = resolve(ctx, row.ufunc, kinds)
    if len(set(dtypes)) > 1:
        ctx.error(InferenceError, f"{row.ufunc.__name__} of {' and '.join(dtypes)} is not supported")
    emit = row.emit
    if any(d in PARTS for d in dtypes):
        emit = complex_emit(ctx, row)
    if not any(is_array(v) for v in values):
        args = [operand(ctx, v, d) for v, d in zip(values, dtypes, strict=True)]
        return value_of(cast(ctx.b, emit(ctx.b, *args), out), weak=weak)

    def element(*args: Operand) -> Operand:
        return cast(ctx.b, emit(ctx.b, *args), out)

    return mapped(ctx, element, values, dtypes, out, row.cost)


def complex_emit(ctx: Context, row: Elementwise) -> Callable[..., Operand]:
    """What computes one element of the row on complex numbers: its own ops, or the op of its name."""
    name = row.name
    if name in ("pow", "positive"):
        return row.emit
    known = complexes.ARITHMETIC | complexes.FUNCTIONS | complexes.TO_REAL | complexes.TESTS
    if name not in known:
        what = row.ufunc.__name__
        if name in complexes.ORDER:
            ctx.error(
                InferenceError,
                "complex numbers have no order",
                f"{what} would compare them part by part",
                "compare real parts, imaginary parts or absolute values",
            )
        ctx.error(
            MissingRuleError,
            f"{what} of complex numbers is not supported",
            instead="write it with real and imaginary parts: z.real, z.imag",
        )
    return lambda b, *args: b.op(name, *args)


def mapped(
    ctx: Context,
    element: Callable[..., Operand],
    values: Sequence[Value],
    dtypes: Sequence[str],
    out: str,
    cost: int,
) -> VirtualArray:
    """The virtual array of `element(*operands)` over broadcast numbers and arrays, each cast to its dtype
    first.
    """
    b = ctx.b
    shape = common_shape(ctx, [v.shape for v in values if is_array(v)])  # type: ignore[union-attr]
    parts: list[Callable[[view.Index], Operand]] = []
    reads: frozenset[Var] = frozenset()
    unsure: list[Pairs] = []
    for v, d in zip(values, dtypes, strict=True):
        if is_array(v):
            a = repeated(ctx, v, shape)  # type: ignore[arg-type]
            reads |= view.reads(b, a)
            unsure.append(unsure_of(a))
            cost += a.cost if isinstance(a, VirtualArray) else 1
            parts.append(_reader(ctx, a, d))
        else:
            parts.append(_constant(operand(ctx, v, d)))
    return VirtualArray(shape, out, lambda i: element(*(p(i) for p in parts)), reads, cost, together(unsure))


def repeated(ctx: Context, a: AnyArray, shape: tuple[Operand, ...]) -> AnyArray:
    """`a` broadcast to `shape`; what is costly to compute is stored before it is repeated."""
    seen = expanded(ctx, a, shape)
    if seen is not a and isinstance(a, VirtualArray) and a.cost >= EXPENSIVE:
        lead = shape[: len(shape) - len(a.shape)]
        grown = [m for n, m in zip(a.shape, shape[len(lead) :], strict=True) if view.is_one(n)]
        if not all(view.is_one(n) for n in (*lead, *grown)):
            return expanded(ctx, fill.materialise(ctx, a), shape)
    return seen


def _reader(ctx: Context, a: AnyArray, dtype: str) -> Callable[[view.Index], Operand]:
    return lambda index: cast(ctx.b, view.element(ctx, a, index), dtype)


def _constant(x: Operand) -> Callable[[view.Index], Operand]:
    return lambda index: x


# -- operators


def folded(ctx: Context, op: str, values: Sequence[Value]) -> Value | None:
    """The result on compile-time numbers, by Python itself."""
    if op not in PYTHON or not all(isinstance(v, Static) and is_number(v) for v in values):
        return None
    plain = [v.value for v in values if isinstance(v, Static)]
    try:
        with np.errstate(all="ignore"):
            found = PYTHON[op](*plain)
    except (ArithmeticError, ValueError, TypeError):
        return None
    if isinstance(found, complex) and not any(isinstance(v, complex | np.complexfloating) for v in plain):
        return None
    return Static(found)


def binary(ctx: Context, op: str, a: Value, b: Value) -> Value:
    """`a op b` for the core op of that name, with the meaning of the Python operator."""
    found = folded(ctx, op, (a, b))
    if found is not None:
        return found
    if op == "pow":
        return power(ctx, a, b, weak=True)
    if op in ("lshift", "rshift"):
        _bits(ctx, a, b)
    return apply(ctx, _row(ctx, op), (a, b), weak=True)


def _bits(ctx: Context, a: Value, b: Value) -> None:
    """Refuse a shift of a Python integer by a constant that leaves none of its 64 bits."""
    if isinstance(a, ScalarValue) and a.weak and isinstance(b, Static) and b.value not in range(64):
        ctx.error(
            InferenceError,
            f"a shift by {b.value} bits",
            "integers that are known at run time only have 64 bits",
            "shift by 0 to 63 bits, or multiply a float",
        )


def unary(ctx: Context, op: str, a: Value) -> Value:
    found = folded(ctx, op, (a,))
    if found is not None:
        return found
    return apply(ctx, _row(ctx, "positive" if op == "pos" else op), (a,), weak=True)


def compare(ctx: Context, op: str, a: Value, b: Value) -> Value:
    if isinstance(a, Static):
        a, b, op = b, a, MIRRORED[op]
    return binary(ctx, *_in_range(ctx, op, a, b))


def _in_range(ctx: Context, op: str, a: Value, b: Value) -> tuple[str, Value, Value]:
    """A comparison of integers with a Python number beyond their range, as one with the end of the range."""
    k = kind(ctx, a)
    if not (isinstance(k, np.dtype) and k.kind in "iu" and isinstance(b, Static) and type(b.value) is int):
        return op, a, b
    least, most = int(np.iinfo(k).min), int(np.iinfo(k).max)
    if b.value > most:
        return ("le" if op in ("lt", "le", "ne") else "gt"), a, Static(most)
    if b.value < least:
        return ("ge" if op in ("gt", "ge", "ne") else "lt"), a, Static(least)
    return op, a, b


def _row(ctx: Context, op: str) -> Elementwise:
    try:
        return ROWS[op]
    except KeyError:
        raise AdjitError(f"no operator {op!r}") from None


def power(ctx: Context, a: Value, b: Value, *, weak: bool = False) -> Value:
    """`a ** b`; small constant exponents become products, whose derivatives hold at zero to all orders."""
    base, exponent = number_of(ctx, a), number_of(ctx, b)
    row = ROWS["pow"]
    known = _known_exponent(exponent)
    integers = all(_is_integer(ctx, v) for v in (base, exponent))
    if integers and known is not None and known < 0:
        if not (weak and is_weak(base) and is_weak(exponent)):
            ctx.error(
                InferenceError,
                "integers to negative integer powers are not allowed",
                instead="use a float base",
            )
        exponent, integers = Static(float(known)), False
    if known is not None:
        emit, cost = _by_products(known, integers), 1 + abs(int(known)) if abs(known) < 5 else row.cost
    else:
        emit, cost = (_checked_power(ctx) if integers else row.emit), row.cost
    found = apply(ctx, Elementwise("pow", np.power, emit, cost), (base, exponent), weak=weak)
    if integers and isinstance(found, ScalarValue) and found.weak and known not in (0, 1, 2):
        return replace(found, power=(operand(ctx, base, found.dtype), operand(ctx, exponent, found.dtype)))
    return found


def _known_exponent(value: Value) -> int | float | None:
    if isinstance(value, Static) and isinstance(value.value, int | float | np.number):
        return value.value.item() if isinstance(value.value, np.number) else value.value
    if isinstance(value, ScalarValue) and isinstance(value.operand, Const):
        return value.operand.value
    return None


def _is_integer(ctx: Context, value: Value) -> bool:
    k = kind(ctx, value)
    return k is int or (isinstance(k, np.dtype) and k.kind in "iub")


def _by_products(n: int | float, integers: bool) -> Callable[..., Operand]:
    def emit(b: Builder, x: Operand, y: Operand) -> Operand:
        floating = x.type.dtype in FLOATS
        if n == 0:
            return const(1, x.type.dtype)
        if n == 1:
            return x
        if n in (2, 3, 4):
            square = b.op("mul", x, x)
            return square if n == 2 else b.op("mul", square, x if n == 3 else square)
        if floating and n == -1:
            return b.op("div", const(1, x.type.dtype), x)
        if floating and n == 0.5:
            return b.op("sqrt", x)
        return b.op("pow", x, y)

    return emit


def _checked_power(ctx: Context) -> Callable[..., Operand]:
    def emit(_b: Builder, x: Operand, y: Operand) -> Operand:
        b = ctx.b
        zero = const(0, y.type.dtype)
        b.check(b.op("ge", y, zero), "ValueError", "Integers to negative integer powers are not allowed.")
        return b.op("pow", x, y)

    return emit


def where(ctx: Context, condition: Value, a: Value, b: Value) -> Value:
    """`np.where` of three: the side that is not taken gives no derivative, whatever its value."""
    values = [number_of(ctx, v) for v in (condition, a, b)]
    out = result_type(ctx, values[1:])
    dtypes = ("bool", out, out)
    if not any(is_array(v) for v in values):
        args = [operand(ctx, v, d) for v, d in zip(values, dtypes, strict=True)]
        return value_of(ctx.b.op("select", *args))
    return mapped(ctx, lambda *args: ctx.b.op("select", *args), values, dtypes, out, 1)
