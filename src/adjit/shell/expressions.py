"""Arguments written in a shell: `w=2.0, x=randn(100, 3)`.

Input: text as it would stand between the parentheses of a call. Output: positional and keyword values. The
language: numbers, strings, True, False, None, tuples, lists, dicts with constant keys, the arithmetic
+ - * / **, the names pi, e, inf and nan, and the functions of the table `MAKERS`. It is walked, never
evaluated as Python, so the text of a stranger does no harm. Invariants: random numbers come from a seed.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..compiler.frontend.nodes import has_stars

MOST_ELEMENTS = 10**8
MOST_DIGITS = 10_000
NAMES = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
DTYPES = ("float64", "float32", "int64", "int32", "bool")


class ArgumentError(ValueError):
    """Text of `--args` that is outside the language."""


def _sized(shape: Any) -> Any:
    """A shape, refused where it is no shape or asks for more than a machine should give to a typing error."""
    lengths = shape if isinstance(shape, tuple | list) else (shape,)
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in lengths):
        raise ArgumentError(f"a shape holds whole numbers, not {shape!r}")
    if math.prod(lengths) > MOST_ELEMENTS:
        raise ArgumentError(f"an array of shape {shape!r} has more than {MOST_ELEMENTS} elements")
    return tuple(lengths)


def makers(seed: int) -> dict[str, Callable[..., Any]]:
    """The functions of the language."""
    rng = np.random.default_rng(seed)

    def arange(*bounds: float) -> Any:
        if not 1 <= len(bounds) <= 3:
            raise ArgumentError("arange takes one to three numbers")
        lo, hi, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        if step == 0:
            raise ArgumentError("the step of arange is zero")
        _sized(max(0, math.ceil((hi - lo) / step)))
        return np.arange(*bounds)

    def linspace(start: float, stop: float, num: int = 50) -> Any:
        return np.linspace(start, stop, *_sized(num))

    def array(values: Any, dtype: str = "float64") -> Any:
        return np.array(values, dtype=_dtype(dtype))

    return {
        "randn": lambda *shape: rng.standard_normal(_sized(shape) or None),
        "rand": lambda *shape: rng.random(_sized(shape) or None),
        "randint": lambda low, high, *shape: rng.integers(low, high, _sized(shape) or None),
        "zeros": lambda *shape: np.zeros(_sized(_flat(shape))),
        "ones": lambda *shape: np.ones(_sized(_flat(shape))),
        "full": lambda shape, value: np.full(_sized(shape), value),
        "eye": lambda n: np.eye(_sized((n, n))[0]),
        "arange": arange,
        "linspace": linspace,
        "array": array,
        "float32": lambda x: np.float32(x) if np.ndim(x) == 0 else np.asarray(x, dtype=np.float32),
    }


def _flat(shape: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape


def _dtype(name: str) -> Any:
    if name not in DTYPES:
        raise ArgumentError(f"dtype is one of {', '.join(DTYPES)}, not {name!r}")
    return np.dtype(name)


class _Walk:
    def __init__(self, seed: int) -> None:
        self.makers = makers(seed)

    def refuse(self, node: ast.AST) -> ArgumentError:
        known = f"numbers, strings, tuples, lists, dicts, + - * / **, {', '.join([*NAMES, *self.makers])}"
        return ArgumentError(f"`{ast.unparse(node)}` is not understood in --args; there are {known}")

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=bool() | int() | float() | str() | None):
                return node.value
            case ast.Name(id=name) if name in NAMES:
                return NAMES[name]
            case ast.Tuple(elts=elements):
                return tuple(map(self.value, elements))
            case ast.List(elts=elements):
                return list(map(self.value, elements))
            case ast.Dict(keys=keys, values=values) if all(isinstance(k, ast.Constant) for k in keys):
                return {
                    self.value(k): self.value(v) for k, v in zip(keys, values, strict=True) if k is not None
                }
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                inner = self.value(operand)
                self.numeric(inner, node)
                return -inner if isinstance(node.op, ast.USub) else inner
            case ast.BinOp() if type(node.op) in OPERATORS:
                return self.arithmetic(node)
            case ast.Call(func=ast.Name(id=name)) if name in self.makers:
                return self.made(name, node)
        raise self.refuse(node)

    def numeric(self, x: Any, node: ast.AST) -> None:
        if isinstance(x, bool) or not isinstance(x, int | float | np.ndarray | np.number):
            raise self.refuse(node)

    def arithmetic(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        self.numeric(left, node)
        self.numeric(right, node)
        whole = isinstance(left, int) and isinstance(right, int)
        if whole and isinstance(node.op, ast.Pow) and abs(right) * max(1, left.bit_length()) > MOST_DIGITS:
            raise ArgumentError(f"`{ast.unparse(node)}` is too large")
        try:
            return OPERATORS[type(node.op)](left, right)
        except (ArithmeticError, ValueError) as error:
            raise ArgumentError(f"`{ast.unparse(node)}`: {error}") from error

    def made(self, name: str, node: ast.Call) -> Any:
        if has_stars(node):
            raise self.refuse(node)
        args = [self.value(a) for a in node.args]
        kwargs = {str(k.arg): self.value(k.value) for k in node.keywords}
        try:
            return self.makers[name](*args, **kwargs)
        except ArgumentError:
            raise
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"`{ast.unparse(node)}`: {error}") from error


def arguments(text: str, seed: int = 0) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The values that the text stands for.

    >>> arguments("2.0, x=ones(2), power=2 * 3")
    ((2.0,), {'x': array([1., 1.]), 'power': 6})
    """
    try:
        call = ast.parse(f"f({text}\n)", mode="eval").body
    except SyntaxError as error:
        raise ArgumentError(f"--args cannot be read: {error.msg}: {text}") from error
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "f":
        raise ArgumentError(f"--args holds the arguments of one call, not {text!r}")
    walk = _Walk(seed)
    if has_stars(call):
        raise ArgumentError("--args takes no stars")
    args = tuple(walk.value(a) for a in call.args)
    return args, {str(k.arg): walk.value(k.value) for k in call.keywords}
