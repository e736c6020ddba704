"""Conditions: the truth of values, `and`, `or`, `not`, conditional expressions.

Input: expressions, values, walks that give a value. Output: a condition that is known or a boolean; the value
of the side that is taken. Invariants: what is not needed is not evaluated. Non-goals: statements
(`branches`), comparisons.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InferenceError
from ..ir.nodes import Const, Op, Operand
from . import arrays, choices, list_methods, optionals, sharing
from .branches import CHEAP, branch
from .lookup import usable
from .texts import static
from .values import (
    Choice,
    Closure,
    IndexSpace,
    ListValue,
    Mapping_,
    Method,
    OrNone,
    RangeValue,
    Record,
    ScalarValue,
    Sequence_,
    Static,
    Stream,
    Undefined,
    Value,
)

if TYPE_CHECKING:
    from .specialise import Specialiser


def negation(ctx: Specialiser, value: Value) -> Value:
    if isinstance(value, Static):
        return Static(not value.value)
    assert isinstance(value, ScalarValue)
    return boolean(ctx.b.op("not", value.operand))


def boolean(x: Operand) -> Value:
    return Static(bool(x.value)) if isinstance(x, Const) else ScalarValue(x)


def truth(ctx: Specialiser, value: Value) -> Value:
    """`bool(value)`, static where it is known."""
    match value:
        case Static(value=v) if not isinstance(v, np.ndarray):
            return Static(bool(static(ctx, bool, v)))
        case Sequence_() | Mapping_():
            return Static(bool(value.items))
        case ListValue():
            return list_methods.truth(ctx, value)
        case Record() | Closure() | Method():
            return Static(True)
        case Choice(among=among):
            return choices.where(ctx, value, [truth(ctx, Static(v)) for v in among])
        case OrNone(value=number, given=given):
            return combined(ctx, "and", ScalarValue(given), truth(ctx, number))
        case RangeValue() | Stream() | IndexSpace():
            ctx.error(InferenceError, "the truth of a range is not supported")
    return boolean(arrays.truth(ctx, value))


def combined(ctx: Specialiser, name: str, a: Value, b: Value) -> Value:
    """`and` or `or`, the name, of two conditions."""
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Static):
            return y if bool(x.value) == (name == "and") else x
    assert isinstance(a, ScalarValue) and isinstance(b, ScalarValue)
    return boolean(ctx.b.op(name, a.operand, b.operand))


def tested(ctx: Specialiser, node: ast.expr) -> Value:
    """A value that is as true as the expression: of `a and b` only the truth of the operands counts."""
    match node:
        case ast.BoolOp():
            with ctx.at(node):
                return logic(ctx, node, lambda part: truth(ctx, tested(ctx, part)))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            with ctx.at(node):
                return negation(ctx, truth(ctx, tested(ctx, operand)))
    return ctx.eval(node)


def logic(ctx: Specialiser, node: ast.BoolOp, of: Callable[[ast.expr], Value]) -> Value:
    """`a and b`, `a or b`: the later operands are evaluated, by `of`, only where they are needed."""
    name = "and" if isinstance(node.op, ast.And) else "or"
    return _logic(ctx, name, list(node.values), of)


def _logic(ctx: Specialiser, name: str, nodes: list[ast.expr], of: Callable[[ast.expr], Value]) -> Value:
    first = of(nodes[0])
    if len(nodes) == 1:
        return first
    known = truth(ctx, first)
    if isinstance(known, Static):
        goes_on = bool(known.value) == (name == "and")
        return _logic(ctx, name, nodes[1:], of) if goes_on else first
    return both(ctx, first, lambda: _logic(ctx, name, nodes[1:], of), name)


def both(ctx: Specialiser, first: Value, rest: Callable[[], Value], name: str) -> Value:
    """`first and rest()` or `first or rest()`, as an operation where the rest only computes."""
    test = truth(ctx, first)
    assert isinstance(test, ScalarValue)
    with ctx.b.block() as stmts:
        scope = ctx.b.scopes[-1]
        kept = ctx.snapshot()
        optionals.assume(ctx, test.operand, name == "and")
        second: Value = Static(None)
        with suppress(sharing.Short):
            second = rest()
    if is_bool(first) and is_bool(second) and all(isinstance(s, Op) and s.op in CHEAP for s in stmts):
        for s in stmts:
            ctx.b.emit(s)
        ctx.b.scopes[-1].known.update(scope.known)
        return boolean(ctx.b.op(name, test.operand, arrays.truth(ctx, second)))
    ctx.restore(kept)
    if name == "and":
        return choose(ctx, test.operand, rest, lambda: optionals.narrowed(ctx, first))
    return choose(ctx, test.operand, lambda: optionals.narrowed(ctx, first), rest)


def is_bool(value: Value) -> bool:
    return (isinstance(value, ScalarValue) and value.dtype == "bool") or (
        isinstance(value, Static) and isinstance(value.value, bool | np.bool_)
    )


def conditional(
    ctx: Specialiser, test: ast.expr, then: Callable[[], Value], orelse: Callable[[], Value]
) -> Value:
    cond = truth(ctx, tested(ctx, test))
    if isinstance(cond, Static):
        return then() if cond.value else orelse()
    assert isinstance(cond, ScalarValue)
    return choose(ctx, cond.operand, then, orelse)


def choose(ctx: Specialiser, cond: Operand, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
    """The value of the side that is taken."""
    name = ctx.fresh_name("choice")
    live = frozenset(ctx.frame.names) | ctx.frame.locals

    def bind(walk: Callable[[], Value]) -> Callable[[], None]:
        return lambda: ctx.bind(name, walk())

    branch(ctx, cond, bind(then), bind(orelse), lambda n: n == name or n in live)
    value = ctx.frame.names.pop(name)
    if isinstance(value, Undefined):
        why = value.reason.replace(" on one path", " on one side").replace(" on another", " on the other")
        ctx.error(InferenceError, "the two sides of this expression are of different kinds", why)
    return usable(ctx, ctx.frame, name, value)


def by_alternative(ctx: Specialiser, value: Choice, of: Callable[[Value], Value | None]) -> Value:
    """What `of` gives for the alternative that a value is at run time; None for one that it cannot be."""
    found = [
        (k, v) for k, alternative in enumerate(value.among) if (v := of(Static(alternative))) is not None
    ]
    result = found[-1][1]
    for k, v in reversed(found[:-1]):
        result = choose(ctx, choices.is_one(ctx, value, k), lambda v=v: v, lambda rest=result: rest)  # type: ignore[misc]
    return result


__all__ = [
    "boolean",
    "both",
    "by_alternative",
    "choose",
    "combined",
    "conditional",
    "is_bool",
    "logic",
    "negation",
    "tested",
    "truth",
]
