"""The language in which partials are written: ordinary arithmetic that runs on floats or emits IR.

>>> where(True, 1.0, 2.0)
1.0
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..ir.nodes import Operand
from .core import TABLE

if TYPE_CHECKING:
    from ..ir.builder import Builder


class Sym:
    """An operand with the operators of a number; `builder` receives what they emit, products as the op
    `product`.
    """

    def __init__(self, builder: Builder, operand: Operand, product: str = "mul") -> None:
        self.builder = builder
        self.operand = operand
        self.product = product

    def like(self, operand: Operand) -> Sym:
        return Sym(self.builder, operand, self.product)

    def lift(self, other: object) -> Operand:
        if isinstance(other, Sym):
            return other.operand
        assert isinstance(other, bool | int | float)
        return self.builder.const(other, self.operand.type.dtype)

    def apply(self, op: str, other: object) -> Sym:
        return self.like(self.builder.op(op, self.operand, self.lift(other)))

    def applied_to(self, op: str, other: object) -> Sym:
        return self.like(self.builder.op(op, self.lift(other), self.operand))

    def __add__(self, other: object) -> Sym:
        return self.apply("add", other)

    def __radd__(self, other: object) -> Sym:
        return self.applied_to("add", other)

    def __sub__(self, other: object) -> Sym:
        return self.apply("sub", other)

    def __rsub__(self, other: object) -> Sym:
        return self.applied_to("sub", other)

    def __mul__(self, other: object) -> Sym:
        return self.apply(self.product, other)

    def __rmul__(self, other: object) -> Sym:
        return self.applied_to(self.product, other)

    def __truediv__(self, other: object) -> Sym:
        return self.apply("div", other)

    def __rtruediv__(self, other: object) -> Sym:
        return self.applied_to("div", other)

    def __neg__(self) -> Sym:
        return self.like(self.builder.op("neg", self.operand))

    def __lt__(self, other: object) -> Sym:
        return self.apply("lt", other)

    def __le__(self, other: object) -> Sym:
        return self.apply("le", other)

    def __gt__(self, other: object) -> Sym:
        return self.apply("gt", other)

    def __ge__(self, other: object) -> Sym:
        return self.apply("ge", other)


Value = Sym | float


def call(op: str, *args: Value) -> Value:
    """Apply the op named `op`, on numbers or symbols."""
    symbols = [a for a in args if isinstance(a, Sym)]
    if not symbols:
        with np.errstate(all="ignore"):
            return TABLE[op].evaluate(*args)  # type: ignore[return-value]
    like = symbols[-1]
    return like.like(like.builder.op(op, *(like.lift(a) for a in args)))


def _function(op: str) -> Callable[..., Value]:
    def apply(*args: Value) -> Value:
        return call(op, *args)

    return apply


def where(cond: object, a: Value, b: Value, like: Value | None = None) -> Value:
    """`a` where `cond` holds, else `b`; both are evaluated. Two constants take the dtype of `like`."""
    if not isinstance(cond, Sym):
        return a if cond else b
    like = next((x for x in (a, b, like) if isinstance(x, Sym)), None)
    if not isinstance(like, Sym):
        raise TypeError("where needs a symbol on one side")
    return like.like(like.builder.op("select", cond.operand, like.lift(a), like.lift(b)))


def equal(a: Value, b: Value) -> object:
    if isinstance(a, Sym):
        return a.apply("eq", b)
    if isinstance(b, Sym):
        return b.apply("eq", a)
    return a == b


exp, log, sqrt = _function("exp"), _function("log"), _function("sqrt")
sin, cos, sinh, cosh = _function("sin"), _function("cos"), _function("sinh"), _function("cosh")
power, smul, copysign, floor = _function("pow"), _function("smul"), _function("copysign"), _function("floor")
maximum, absolute, sign, stop_gradient = (_function(op) for op in ("maximum", "abs", "sign", "stop_gradient"))
pi, e = math.pi, math.e
