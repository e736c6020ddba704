"""Scalar primitives: the table that type inference, differentiation and code generation share.

An op is one row: its name, its result type, how it is spelled in generated Python, its local partials.
Partials are plain Python functions `(*inputs, out) -> tuple` over `Sym` values or floats, one entry per
input; None says that the op never carries a derivative in that input. They run on floats as they stand and,
given `Sym` values, emit IR.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..ir.nodes import Const, Operand
from ..ir.types import BOOL, BYTE, INT, Type, is_float

Partials = Callable[..., tuple[object, ...]]


@dataclass(frozen=True)
class ScalarOp:
    """`python` is a format string over `{0}`, `{1}`, …; `evaluate` computes on Python or NumPy scalars.

    `precedence` is that of the spelling's outermost operator (see `codegen`). `expensive` values are saved
    rather than computed again: two evaluations need not agree to the last bit. `singular` partials can be
    infinite or NaN: their contributions go through `smul`. `vector` is the name of a function of floats
    that loops vectorise, where there is one.
    """

    name: str
    arity: int
    python: str
    result: Callable[..., Type]
    evaluate: Callable[..., object]
    partials: Partials | None = None
    expensive: bool = False
    singular: bool = False
    vector: str = ""


TABLE: dict[str, ScalarOp] = {}


def same(*types: Type) -> Type:
    """The type of the operands, which must agree."""
    if any(t != types[0] for t in types):
        raise TypeError(f"operands of different types: {', '.join(map(str, types))}")
    return types[0]


def boolean(*types: Type) -> Type:
    same(*types)
    return BOOL


def second(_cond: Type, *types: Type) -> Type:
    return same(*types)


def first_two(a: Type, b: Type, *_types: Type) -> Type:
    return same(a, b)


def byte(*types: Type) -> Type:
    same(*types)
    return BYTE


def integer(*_types: Type) -> Type:
    return INT


def register(op: ScalarOp) -> ScalarOp:
    if op.name in TABLE:
        raise ValueError(f"op {op.name} is registered twice")
    TABLE[op.name] = op
    return op


def define(
    name: str,
    arity: int,
    python: str,
    evaluate: Callable[..., object],
    *,
    result: Callable[..., Type] = same,
    expensive: bool = False,
    singular: bool = False,
    vector: str = "",
) -> Callable[[Partials], Partials]:
    """Decorator over the partials of a differentiable op."""

    def decorate(partials: Partials) -> Partials:
        register(ScalarOp(name, arity, python, result, evaluate, partials, expensive, singular, vector))
        return partials

    return decorate


def zero_derivative(
    name: str, arity: int, python: str, evaluate: Callable[..., object], result: Callable[..., Type] = same
) -> None:
    """An op whose result does not vary with its inputs, wherever it has a derivative."""
    register(ScalarOp(name, arity, python, result, evaluate))


# -- folding


SLOW = {"div", "mod", "floordiv", "fmod"}  # as instructions


def dear(name: str, type_: Type) -> bool:
    """Whether an op costs as much as many additions: a call, or a division of floats."""
    return is_float(type_) and (TABLE[name].expensive or name in SLOW)


def _is(x: Operand, value: float) -> bool:
    return isinstance(x, Const) and not isinstance(x.value, bool) and x.value == value


def _identity(name: str, a: Operand, b: Operand) -> Operand | None:
    """`x + 0`, `x - 0`, `x * 1`, `x / 1`, `x ** 1` are `x` (0 of either sign; -0.0 + 0 aside)."""
    if name in ("add", "mul", "smul", "umul", "pmul"):
        unit = 0 if name == "add" else 1
        if _is(b, unit):
            return a
        if _is(a, unit):
            return b
    if name == "mul" and not is_float(a.type) and (_is(a, 0) or _is(b, 0)):
        return Const(0, a.type)
    if (name == "sub" and _is(b, 0)) or (name in ("div", "pow") and _is(b, 1)):
        return a
    return None


def fold(name: str, args: tuple[Operand, ...], type_: Type) -> Operand | None:
    """The constant or the operand that the application is equal to, if there is one."""
    if len(args) == 2:
        known = _identity(name, *args)
        if known is not None:
            return known
    if name == "select" and isinstance(args[0], Const):
        return args[1] if args[0].value else args[2]
    if name == "select" and args[1] is args[2]:
        return args[1]
    if name == "wrap":
        return args[0] if isinstance(args[0], Const) and args[0].value >= 0 else None
    if args and all(isinstance(a, Const) for a in args):
        return _evaluate(name, args, type_)
    return None


def _evaluate(name: str, args: tuple[Operand, ...], type_: Type) -> Const | None:
    values = [np.dtype(a.type.dtype).type(a.value) for a in args if isinstance(a, Const)]
    try:
        with np.errstate(all="ignore"):
            value = TABLE[name].evaluate(*values)
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    if type_ == BOOL:
        return Const(bool(value), BOOL)
    if is_float(type_):
        return Const(float(np.dtype(type_.dtype).type(value)), type_)
    if not math.isfinite(float(value)):  # type: ignore[arg-type]
        return None
    return Const(int(np.dtype(type_.dtype).type(value)), type_)
