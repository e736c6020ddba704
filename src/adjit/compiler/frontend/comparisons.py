"""Comparisons: order, equality, identity, `in`.

Input: a comparison, or an operator and two values. Output: a condition, or an array of them. What is known
at compile time is folded. Invariants: each operand is evaluated once; a comparison with one of several
constants is made with each of them. Non-goals: the comparisons of arrays and containers themselves.
"""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING

from ...errors import InferenceError
from . import arrays, choices, containers, list_methods, lists, optionals
from .arrays.promote import is_arithmetic, is_array
from .conditions import both, combined, is_bool, negation, truth
from .texts import static
from .values import Choice, ListValue, OrNone, ScalarValue, Static, Value

if TYPE_CHECKING:
    from .specialise import Specialiser

COMPARE: dict[type, str] = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip


def comparison(ctx: Specialiser, node: ast.Compare) -> Value:
    """`a < b < c`: each operand once; the later ones only as far as needed, where that can be seen."""
    if len(node.ops) == 1:
        left, right = ctx.in_order([node.left, node.comparators[0]])
        return compare(ctx, node.ops[0], left, right)
    left = ctx.eval(node.left)
    return _chain(ctx, left, list(zip(node.ops, node.comparators, strict=True)))


def _chain(ctx: Specialiser, left: Value, rest: list[tuple[ast.cmpop, ast.expr]]) -> Value:
    (op, right_node), *later = rest
    right = ctx.eval(right_node)
    first = truth(ctx, compare(ctx, op, left, right)) if later else compare(ctx, op, left, right)
    if not later:
        return first
    if isinstance(first, Static):
        return _chain(ctx, right, later) if first.value else first
    return both(ctx, first, lambda: _chain(ctx, right, later), "and")


def compare(ctx: Specialiser, op: ast.cmpop, left: Value, right: Value) -> Value:
    if isinstance(left, Choice) or isinstance(right, Choice):
        return _of_choice(ctx, op, left, right)
    if isinstance(left, OrNone) or isinstance(right, OrNone):
        left, right = (optionals.narrowed(ctx, v) for v in (left, right))
    if isinstance(left, OrNone) or isinstance(right, OrNone):
        return _of_optional(ctx, op, left, right)
    match op:
        case ast.Is() | ast.IsNot():
            if isinstance(left, ScalarValue) or isinstance(right, ScalarValue):
                _refuse_identity(ctx, left, right)
            same = containers.identical(left, right)
            return Static(same if isinstance(op, ast.Is) else not same)
        case ast.In() | ast.NotIn():
            found = containers.contains(ctx, lists.plain(ctx, right), left)
            return found if isinstance(op, ast.In) else negation(ctx, truth(ctx, found))
    name = COMPARE[type(op)]
    if isinstance(left, ListValue) or isinstance(right, ListValue):
        return list_methods.compare(ctx, name, left, right)
    if is_arithmetic(left) and is_arithmetic(right):
        return arrays.compare(ctx, name, left, right)
    together = containers.compare(ctx, name, left, right)
    if together is not None:
        return together
    if isinstance(left, Static) and isinstance(right, Static):
        return Static(static(ctx, getattr(operator, name), left.value, right.value))
    if is_array(left) or is_array(right):
        return arrays.compare(ctx, name, containers.as_array(ctx, left), containers.as_array(ctx, right))
    if name in ("eq", "ne"):
        return Static(name == "ne")
    return ctx.error(
        InferenceError, f"{containers.describe(left)} and {containers.describe(right)} cannot be compared"
    )


def _of_choice(ctx: Specialiser, op: ast.cmpop, left: Value, right: Value) -> Value:
    """A comparison with one of several constants."""
    value, other = (left, right) if isinstance(left, Choice) else (right, left)
    assert isinstance(value, Choice)
    found = [
        compare(ctx, op, Static(v), other) if value is left else compare(ctx, op, other, Static(v))
        for v in value.among
    ]
    if not all(is_bool(v) for v in found):
        choices.refuse(ctx, value)
    return choices.where(ctx, value, found)


def _of_optional(ctx: Specialiser, op: ast.cmpop, left: Value, right: Value) -> Value:
    """A comparison with a number that may be None."""
    value, other = (left, right) if isinstance(left, OrNone) else (right, left)
    assert isinstance(value, OrNone)
    match op:
        case ast.Is() | ast.IsNot():
            same = _identical(ctx, value, other)
            return same if isinstance(op, ast.Is) else negation(ctx, same)
        case ast.Eq() | ast.NotEq():
            given = ScalarValue(value.given)
            sides = [compare(ctx, ast.Eq(), v, other) for v in (value.value, Static(None))]
            if not all(map(is_bool, sides)):
                ctx.error(
                    InferenceError,
                    "an array is compared with a number that may be None",
                    instead="ask first whether it is None",
                )
            number = combined(ctx, "and", given, sides[0])
            same = combined(ctx, "or", number, combined(ctx, "and", negation(ctx, given), sides[1]))
            return same if isinstance(op, ast.Eq) else negation(ctx, same)
        case ast.In() | ast.NotIn():
            right = optionals.definite(ctx, right, "argument of type 'NoneType' is not iterable")
            found = containers.contains(ctx, lists.plain(ctx, right), left)
            return found if isinstance(op, ast.In) else negation(ctx, truth(ctx, found))
    sign = ast.unparse(ast.Compare(ast.Name("a"), [op], [ast.Name("b")]))[2:-2]
    said = f"'{sign}' not supported between instances of '{{}}' and '{{}}'"
    return compare(ctx, op, *optionals.two_definite(ctx, left, right, said))


def _identical(ctx: Specialiser, value: OrNone, other: Value) -> Value:
    """`value is other`."""
    if optionals.is_none(other):
        return negation(ctx, ScalarValue(value.given))
    _refuse_identity(ctx, value, other)
    return Static(False)


def _refuse_identity(ctx: Specialiser, *values: Value) -> None:
    """Refuse to ask whether two numbers are one object."""
    if all(isinstance(v, OrNone) or is_arithmetic(v) for v in values):
        ctx.error(
            InferenceError,
            "`is` does not compare numbers that are known at run time only",
            instead="write ==, or `is None`",
        )


__all__ = ["compare", "comparison"]
