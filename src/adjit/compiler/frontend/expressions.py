"""Expressions: from the syntax tree to frontend values, with NumPy's and Python's meaning.

Input: an expression node, within the fence. Output: its value; statements it needs go to the builder. What
is known at compile time is folded. Invariants: parts are evaluated once, left to right; an unmaterialised
array does not outlive a call that may write what it reads. Non-goals: arrays' own meaning (`arrays`), calls
(`calls`).
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InferenceError, UnsupportedSyntaxError
from . import arrays, containers, effects, list_methods, lists, operators, optionals, resolve, sharing
from .arrays.promote import is_arithmetic, is_array, is_number
from .comparisons import comparison
from .conditions import conditional, logic, negation
from .lookup import load, usable
from .texts import by_percent, static, text
from .values import (
    ArrayValue,
    Closure,
    ListValue,
    Mapping_,
    Maybe,
    Record,
    Sequence_,
    SliceValue,
    Static,
    Undefined,
    Value,
    VirtualArray,
)

if TYPE_CHECKING:
    from .specialise import Specialiser

BINARY: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "bitand", ast.BitOr: "bitor",
    ast.BitXor: "bitxor",
}  # fmt: skip
PYTHON: dict[str, Callable[..., object]] = {
    "add": operator.add, "mul": operator.mul, "mod": operator.mod, "sub": operator.sub,
    "bitor": operator.or_, "bitand": operator.and_,
}  # fmt: skip


def evaluate(ctx: Specialiser, node: ast.expr) -> Value:
    with ctx.at(node):
        value = _evaluate(ctx, node)
        return usable(ctx, ctx.frame, value.name, value) if isinstance(value, Undefined | Maybe) else value


def _evaluate(ctx: Specialiser, node: ast.expr) -> Value:
    match node:
        case ast.Constant(value=value):
            return constant(ctx, value)
        case ast.Name(id=name):
            return load(ctx, name)
        case ast.BinOp():
            left, right = in_order(ctx, [node.left, node.right])
            with ctx.at(node):
                return binary(ctx, node.op, left, right)
        case ast.UnaryOp():
            return unary(ctx, node.op, ctx.eval(node.operand))
        case ast.BoolOp():
            return logic(ctx, node, ctx.eval)
        case ast.Compare():
            return comparison(ctx, node)
        case ast.IfExp():
            return conditional(ctx, node.test, lambda: ctx.eval(node.body), lambda: ctx.eval(node.orelse))
        case ast.Call():
            return ctx.call_expression(node)
        case ast.Attribute():
            return attribute(ctx, ctx.eval(node.value), node.attr)
        case ast.Subscript():
            owner, index = in_order(ctx, [node.value, node.slice])
            with ctx.at(node):
                return subscript(ctx, owner, index)
        case ast.Slice():
            return slice_(ctx, node)
    return _display(ctx, node)


def _display(ctx: Specialiser, node: ast.expr) -> Value:
    match node:
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            kind = list if isinstance(node, ast.List) else tuple
            return Sequence_(tuple(spread(ctx, elts)), kind)
        case ast.Dict(keys=keys, values=values):
            return _dict(ctx, keys, values)
        case ast.Lambda():
            defaults = tuple(
                ctx.eval(d) for d in [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
            )
            return Closure(node, ctx.frame, defaults)
        case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
            return ctx.comprehension(node)
        case ast.JoinedStr():
            return Static(text(ctx, node))
        case ast.NamedExpr(target=target, value=value):
            found = ctx.settled(ctx.eval(value), target.id)
            ctx.bind(target.id, found)
            return found
        case ast.Starred():
            ctx.error(UnsupportedSyntaxError, "a starred expression cannot stand here")
    return ctx.error(UnsupportedSyntaxError, f"{type(node).__name__} is not supported here")


def constant(ctx: Specialiser, value: object) -> Value:
    if isinstance(value, bytes):
        ctx.error(UnsupportedSyntaxError, "bytes are not supported")
    return Static(value)


def in_order(ctx: Specialiser, nodes: Sequence[ast.expr]) -> list[Value]:
    """The values of expressions, left to right; arrays that are not in memory are put there before a call
    that may write what they read."""
    values: list[Value] = []
    for node in nodes:
        if any(is_virtual(v) for v in values) and effects.may_write(ctx, node):
            values = [ctx.settled(v, "t") for v in values]
            values, found = sharing.holding(ctx, values, lambda: ctx.eval(node))  # noqa: B023
            values.append(found)
        else:
            values.append(ctx.eval(node))
    return values


def is_virtual(value: Value) -> bool:
    return isinstance(value, VirtualArray | Sequence_ | ListValue | Mapping_ | Record)


def spread(ctx: Specialiser, nodes: Sequence[ast.expr]) -> list[Value]:
    """The values of a display or of arguments, starred ones spread out."""
    plain = [n.value if isinstance(n, ast.Starred) else n for n in nodes]
    values = in_order(ctx, plain)
    out: list[Value] = []
    for node, value in zip(nodes, values, strict=True):
        if isinstance(node, ast.Starred):
            out.extend(containers.items(ctx, value))
        else:
            out.append(value)
    return out


def _dict(ctx: Specialiser, keys: Sequence[ast.expr | None], values: Sequence[ast.expr]) -> Value:
    found: dict[object, Value] = {}
    for key, value in zip(keys, values, strict=True):
        if key is None:
            inner = ctx.eval(value)
            if not isinstance(inner, Mapping_):
                ctx.error(InferenceError, "only a dict can be spread into a dict")
            found.update(inner.items)
        else:
            found[containers.key(ctx, ctx.eval(key))] = ctx.eval(value)
    return Mapping_(found)


# -- operators


def binary(ctx: Specialiser, op: ast.operator, left: Value, right: Value) -> Value:
    name = "matmul" if isinstance(op, ast.MatMult) else BINARY[type(op)]
    of_class = operators.binary(ctx, name, left, right)
    if of_class is not None:
        return of_class
    left, right = optionals.two_definite(ctx, left, right, _unsupported(op))
    if isinstance(op, ast.MatMult):
        return arrays.numpy_call(ctx, np.matmul, [lists.plain(ctx, v) for v in (left, right)], {})
    if isinstance(left, ListValue) or isinstance(right, ListValue):
        return list_methods.binary(ctx, name, left, right)
    if is_arithmetic(left) and is_arithmetic(right):
        if containers.is_list(ctx, left) or containers.is_list(ctx, right):
            ctx.error(InferenceError, "a list takes no arithmetic", instead="make it an array with np.array")
        return arrays.binary(ctx, name, left, right)
    found = containers.binary(ctx, name, left, right)
    if found is not None:
        return found
    if isinstance(left, Static) and isinstance(left.value, str) and name == "mod":
        return Static(by_percent(ctx, left.value, right))
    if isinstance(left, Static) and isinstance(right, Static) and name in PYTHON:
        return Static(static(ctx, PYTHON[name], left.value, right.value))
    if is_array(left) or is_array(right):
        return arrays.binary(ctx, name, containers.as_array(ctx, left), containers.as_array(ctx, right))
    return ctx.error(
        InferenceError,
        f"unsupported operand types: {containers.describe(left)} and {containers.describe(right)}",
    )


def _unsupported(op: ast.operator) -> str:
    """What Python says of operands of other classes."""
    sign = ast.unparse(ast.BinOp(ast.Name("a"), op, ast.Name("b")))[2:-2]
    return f"unsupported operand type(s) for {sign}: '{{}}' and '{{}}'"


def unary(ctx: Specialiser, op: ast.unaryop, value: Value) -> Value:
    if isinstance(op, ast.Not):
        return negation(ctx, ctx.truth(value))
    of_class = operators.special(ctx, value, "neg") if isinstance(op, ast.USub) else None
    if of_class is not None:
        return of_class
    sign = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}[type(op)]
    value = optionals.definite(ctx, value, f"bad operand type for unary {sign}: 'NoneType'")
    if not is_arithmetic(value):
        ctx.error(InferenceError, f"bad operand type: {containers.describe(value)}")
    if isinstance(op, ast.UAdd):
        return value
    return arrays.unary(ctx, "neg" if isinstance(op, ast.USub) else "invert", value)


# -- attributes and subscripts


def attribute(ctx: Specialiser, owner: Value, name: str) -> Value:
    owner = optionals.definite(ctx, owner, f"'NoneType' object has no attribute {name!r}", "AttributeError")
    if isinstance(owner, Static) and not is_number(owner):
        return resolve.attribute(ctx, owner.value, name)
    if is_arithmetic(owner):
        return arrays.attribute(ctx, owner, name)
    return containers.attribute(ctx, owner, name)


def slice_(ctx: Specialiser, node: ast.Slice) -> Value:
    parts = [
        Static(None) if p is None else optionals.told(ctx, ctx.eval(p))
        for p in (node.lower, node.upper, node.step)
    ]
    parts = [Static(p.value.__index__()) if _static_index(p) else p for p in parts]  # type: ignore[union-attr]
    bounds = [p.value for p in parts if isinstance(p, Static)]
    if len(bounds) == 3:
        return Static(slice(bounds[0], bounds[1], bounds[2]))
    return SliceValue(*parts)


def _static_index(value: Value) -> bool:
    return isinstance(value, Static) and value.value is not None and hasattr(value.value, "__index__")


def subscript(ctx: Specialiser, owner: Value, index: Value) -> Value:
    if isinstance(owner, Sequence_):
        index = optionals.definite(
            ctx, index, f"{owner.kind.__name__} indices must be integers or slices, not NoneType"
        )
    elif not isinstance(owner, Record | Mapping_):
        index = optionals.told(ctx, index)
    owner = optionals.definite(ctx, owner, "'NoneType' object is not subscriptable")
    if isinstance(owner, ArrayValue | VirtualArray):
        return arrays.getitem(ctx, owner, lists.plain(ctx, index))
    if isinstance(owner, ListValue):
        return list_methods.getitem(ctx, owner, index)
    of_class = operators.special(ctx, owner, "getitem", [index])
    return of_class if of_class is not None else containers.getitem(ctx, owner, index)


__all__ = [
    "attribute",
    "binary",
    "evaluate",
    "in_order",
    "spread",
    "subscript",
]
