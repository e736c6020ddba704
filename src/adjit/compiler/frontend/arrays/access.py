"""Numbers out of values, truth, and iteration."""

from __future__ import annotations

from collections.abc import Callable

from ....errors import InferenceError
from ...ir.nodes import Operand, Var
from ...program import ArraySpec
from ..values import ArrayValue, Value
from . import elementwise, shapes, view
from .context import Context
from .promote import cast, describe, dtype_of, is_array, operand, value_of


def scalar(ctx: Context, value: Value) -> Operand:
    """A number, or the element of an array of rank 0, as an operand."""
    number = elementwise.number_of(ctx, value)
    if is_array(number):
        ctx.error(InferenceError, f"a number is needed here, not {describe(value)}")
    return operand(ctx, number, dtype_of(ctx, number))


def truth(ctx: Context, value: Value) -> Operand:
    """Whether a number counts as true."""
    number = elementwise.number_of(ctx, value)
    if is_array(number):
        ctx.error(
            InferenceError,
            "the truth value of an array with more than one element is ambiguous",
            instead="use a.any() or a.all()",
        )
    return cast(ctx.b, operand(ctx, number, dtype_of(ctx, number)), "bool")


def iterate(ctx: Context, array: Value) -> tuple[Operand, Callable[[Operand], Value]]:
    """The length of an array's first axis, and its entry at an index in range."""
    a = shapes.as_array(ctx, array)
    if not a.shape:
        ctx.error(InferenceError, "iteration over a 0-d array")

    def entry(index: Operand) -> Value:
        part = view.without_axis(ctx, a, 0, index)
        return part if part.shape else value_of(view.element(ctx, part, ()))

    return a.shape[0], entry


def parameter(ctx: Context, var: Var, spec: ArraySpec) -> ArrayValue:
    """The array of a parameter; axes that the specification says have length one have it as a constant."""
    for axis in spec.ones:
        ctx.b.scopes[-1].known["dim", var, axis] = view.ONE
    whole = view.full(ctx, var)
    known = (axis for axis in range(spec.ndim) if axis not in spec.ones and axis not in spec.unsure)
    ctx.b.not_one.update(("dim", var, axis) for axis in known)
    return whole
