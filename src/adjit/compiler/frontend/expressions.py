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
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InferenceError, NameResolutionError, UnsupportedSyntaxError
from ..ir.builder import const
from ..ir.nodes import Const, Op, Operand
from . import arrays, containers, effects, list_methods, lists, operators, resolve, sharing
from .arrays.promote import is_array, is_number
from .branches import CHEAP, branch
from .carry import GUESS, NOT_ONE_KIND
from .normalise import RESULT
from .texts import LATE_TEXT, by_percent, static, text
from .values import (
    DIFFERENT_RESULTS,
    ArrayValue,
    Closure,
    IndexSpace,
    ListValue,
    Mapping_,
    Maybe,
    Method,
    RangeValue,
    Record,
    ScalarValue,
    Sequence_,
    SliceValue,
    Static,
    Stream,
    Undefined,
    Value,
    VirtualArray,
)

if TYPE_CHECKING:
    from .specialise import Frame, Specialiser

NO_MEANING = {  # what to do by the reason
    NOT_ONE_KIND: "collect numbers, tuples or arrays of one shape",
    LATE_TEXT: containers.SHOWN,
}
BINARY: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "bitand", ast.BitOr: "bitor",
    ast.BitXor: "bitxor",
}  # fmt: skip
COMPARE: dict[type, str] = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
PYTHON: dict[str, Callable[..., object]] = {
    "add": operator.add, "mul": operator.mul, "mod": operator.mod, "eq": operator.eq, "ne": operator.ne,
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "bitor": operator.or_,
    "bitand": operator.and_, "sub": operator.sub,
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
            return logic(ctx, node)
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


# -- names


def load(ctx: Specialiser, name: str) -> Value:
    frame: Frame | None = ctx.frame
    while frame is not None:
        if name in frame.names:
            return usable(ctx, frame, name, frame.names[name])
        if name in frame.locals:
            ctx.error(
                NameResolutionError,
                f"the local variable {name!r} is read before it has a value",
                "no assignment to it comes before this place",
                "give it a value first",
            )
        if frame.outer is None:
            return resolve.outer_name(ctx, frame, name)
        frame = frame.outer
    raise AssertionError(name)


def usable(ctx: Specialiser, frame: Frame, name: str, value: Value) -> Value:
    """The value of a name that is read; a name that is bound on some paths only is checked."""
    if isinstance(value, Undefined) and value.reason == GUESS:
        return ScalarValue(const(0.0))
    if isinstance(value, Undefined) and name == RESULT:
        otherwise = "return the same kind of value on every path"
        ctx.error(InferenceError, DIFFERENT_RESULTS, value.reason, remedy(value.reason, otherwise))
    if isinstance(value, Undefined):
        cls = InferenceError if value.reason else NameResolutionError
        instead = remedy(value.reason, "use different names")
        ctx.error(cls, f"the variable {name!r} has no single meaning here", value.reason, instead)
    if isinstance(value, Maybe):
        if not name.startswith("@"):
            _require(ctx, name, value.bound)
        return usable(ctx, frame, name, value.value)
    return value


def remedy(reason: str, otherwise: str) -> str:
    """What to do where a value is of different kinds on different paths."""
    if reason in NO_MEANING:
        return NO_MEANING[reason]
    if "None" in reason:
        return "use a number in place of None, such as np.nan, and a boolean that says whether there is one"
    if reason.startswith("it is '"):
        return "use numbers or booleans in place of the strings"
    return otherwise


def _require(ctx: Specialiser, name: str, bound: Operand) -> None:
    """A check that the name is bound here, once per block."""
    key = ("bound", name, bound)
    if not any(key in scope.facts for scope in ctx.b.scopes):
        ctx.b.scopes[-1].facts[key] = True
        message = f"cannot access local variable {name!r} where it is not associated with a value"
        ctx.b.check(bound, "NameResolutionError", message)


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
    if isinstance(op, ast.MatMult):
        return arrays.numpy_call(ctx, np.matmul, [lists.plain(ctx, v) for v in (left, right)], {})
    if isinstance(left, ListValue) or isinstance(right, ListValue):
        return list_methods.binary(ctx, name, left, right)
    if _arithmetic(left) and _arithmetic(right):
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
        return arrays.binary(ctx, name, _as_array(ctx, left), _as_array(ctx, right))
    return ctx.error(
        InferenceError,
        f"unsupported operand types: {containers.describe(left)} and {containers.describe(right)}",
    )


def _arithmetic(value: Value) -> bool:
    return is_array(value) or is_number(value)


def _as_array(ctx: Specialiser, value: Value) -> Value:
    """A tuple or list that meets an array becomes one, as in NumPy."""
    if isinstance(value, Sequence_):
        return arrays.numpy_call(ctx, np.array, [value], {})
    return value


def unary(ctx: Specialiser, op: ast.unaryop, value: Value) -> Value:
    if isinstance(op, ast.Not):
        return negation(ctx, truth(ctx, value))
    of_class = operators.special(ctx, value, "neg") if isinstance(op, ast.USub) else None
    if of_class is not None:
        return of_class
    if not _arithmetic(value):
        ctx.error(InferenceError, f"bad operand type: {containers.describe(value)}")
    if isinstance(op, ast.UAdd):
        return value
    return arrays.unary(ctx, "neg" if isinstance(op, ast.USub) else "invert", value)


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
        case RangeValue() | Stream() | IndexSpace():
            ctx.error(InferenceError, "the truth of a range is not supported")
    return boolean(arrays.truth(ctx, value))


def comparison(ctx: Specialiser, node: ast.Compare) -> Value:
    """`a < b < c`: each operand once; the later ones only as far as needed, where that can be seen."""
    if len(node.ops) == 1:
        left, right = in_order(ctx, [node.left, node.comparators[0]])
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
    match op:
        case ast.Is() | ast.IsNot():
            same = containers.identical(left, right)
            return Static(same if isinstance(op, ast.Is) else not same)
        case ast.In() | ast.NotIn():
            found = containers.contains(ctx, lists.plain(ctx, right), left)
            return found if isinstance(op, ast.In) else negation(ctx, truth(ctx, found))
    name = COMPARE[type(op)]
    if isinstance(left, ListValue) or isinstance(right, ListValue):
        return list_methods.compare(ctx, name, left, right)
    if _arithmetic(left) and _arithmetic(right):
        return arrays.compare(ctx, name, left, right)
    together = containers.compare(ctx, name, left, right)
    if together is not None:
        return together
    if isinstance(left, Static) and isinstance(right, Static):
        return Static(static(ctx, PYTHON[name], left.value, right.value))
    if is_array(left) or is_array(right):
        return arrays.compare(ctx, name, _as_array(ctx, left), _as_array(ctx, right))
    if name in ("eq", "ne"):
        return Static(name == "ne")
    return ctx.error(
        InferenceError, f"{containers.describe(left)} and {containers.describe(right)} cannot be compared"
    )


def logic(ctx: Specialiser, node: ast.BoolOp) -> Value:
    """`a and b`, `a or b`: the later operands are evaluated only where they are needed."""
    name = "and" if isinstance(node.op, ast.And) else "or"
    return _logic(ctx, name, list(node.values))


def _logic(ctx: Specialiser, name: str, nodes: list[ast.expr]) -> Value:
    first = ctx.eval(nodes[0])
    if len(nodes) == 1:
        return first
    known = truth(ctx, first)
    if isinstance(known, Static):
        goes_on = bool(known.value) == (name == "and")
        return _logic(ctx, name, nodes[1:]) if goes_on else first
    return both(ctx, first, lambda: _logic(ctx, name, nodes[1:]), name)


def both(ctx: Specialiser, first: Value, rest: Callable[[], Value], name: str) -> Value:
    """`first and rest()` or `first or rest()`, as an operation where the rest only computes."""
    test = truth(ctx, first)
    assert isinstance(test, ScalarValue)
    is_bool = isinstance(first, ScalarValue) and first.dtype == "bool"
    with ctx.b.block() as stmts:
        scope = ctx.b.scopes[-1]
        kept = ctx.snapshot()
        second: Value = Static(None)
        with suppress(sharing.Short):
            second = rest()
    if is_bool and _is_bool(second) and all(isinstance(s, Op) and s.op in CHEAP for s in stmts):
        for s in stmts:
            ctx.b.emit(s)
        ctx.b.scopes[-1].known.update(scope.known)
        return boolean(ctx.b.op(name, test.operand, arrays.truth(ctx, second)))
    ctx.restore(kept)
    if name == "and":
        return choose(ctx, test.operand, rest, lambda: first)
    return choose(ctx, test.operand, lambda: first, rest)


def _is_bool(value: Value) -> bool:
    return (isinstance(value, ScalarValue) and value.dtype == "bool") or (
        isinstance(value, Static) and isinstance(value.value, bool | np.bool_)
    )


def conditional(
    ctx: Specialiser, test: ast.expr, then: Callable[[], Value], orelse: Callable[[], Value]
) -> Value:
    cond = truth(ctx, ctx.eval(test))
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


# -- attributes and subscripts


def attribute(ctx: Specialiser, owner: Value, name: str) -> Value:
    if isinstance(owner, Static) and not is_number(owner):
        return resolve.attribute(ctx, owner.value, name)
    if _arithmetic(owner):
        return arrays.attribute(ctx, owner, name)
    return containers.attribute(ctx, owner, name)


def slice_(ctx: Specialiser, node: ast.Slice) -> Value:
    parts = [Static(None) if p is None else ctx.eval(p) for p in (node.lower, node.upper, node.step)]
    parts = [Static(p.value.__index__()) if _static_index(p) else p for p in parts]  # type: ignore[union-attr]
    bounds = [p.value for p in parts if isinstance(p, Static)]
    if len(bounds) == 3:
        return Static(slice(bounds[0], bounds[1], bounds[2]))
    return SliceValue(*parts)


def _static_index(value: Value) -> bool:
    return isinstance(value, Static) and value.value is not None and hasattr(value.value, "__index__")


def subscript(ctx: Specialiser, owner: Value, index: Value) -> Value:
    if isinstance(owner, ArrayValue | VirtualArray):
        return arrays.getitem(ctx, owner, lists.plain(ctx, index))
    if isinstance(owner, ListValue):
        return list_methods.getitem(ctx, owner, index)
    of_class = operators.special(ctx, owner, "getitem", [index])
    return of_class if of_class is not None else containers.getitem(ctx, owner, index)


__all__ = [
    "attribute",
    "binary",
    "boolean",
    "choose",
    "compare",
    "const",
    "evaluate",
    "in_order",
    "spread",
    "subscript",
    "truth",
]
