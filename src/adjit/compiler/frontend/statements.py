"""Statements of the normalised text.

Input: statement nodes. Output: core statements through the builder, names bound in the current frame.
Invariants: assignments evaluate their value before their targets; nothing is walked after a statement that
always raises. Non-goals: expressions, loops, run-time branches (files of those names).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import AdjitError, InferenceError, UnsupportedSyntaxError
from ..ir.builder import const
from . import (
    arrays,
    conditions,
    containers,
    list_methods,
    lists,
    loops,
    operators,
    optionals,
    raising,
    recomputed,
    sharing,
)
from .arrays.promote import is_array, is_number
from .branches import branch
from .expressions import BINARY, binary
from .normalise import ends
from .texts import LATE_TEXT
from .values import (
    ArrayValue,
    Closure,
    ListValue,
    Mapping_,
    Record,
    ScalarValue,
    Sequence_,
    Static,
    Undefined,
    Value,
    VirtualArray,
)

if TYPE_CHECKING:
    from .specialise import Specialiser


class Unreached(Exception):
    """Something is wrong behind a call that always raises: the block ends with what the user raises."""


def run(ctx: Specialiser, block: Sequence[ast.stmt]) -> None:
    outside, ctx.depth = ctx.depth, len(ctx.b.scopes)
    try:
        for s in block:
            if ctx.dead:
                return
            with ctx.at(s):
                try:
                    _run(ctx, s)
                except sharing.Short as short:
                    sharing.ends_here(ctx, short)
                except Unreached:
                    return
    finally:
        ctx.depth = outside


def _run(ctx: Specialiser, s: ast.stmt) -> None:
    match s:
        case ast.Assign(targets=targets, value=value):
            _assign(ctx, s, targets, value)
        case ast.AugAssign():
            _augmented(ctx, s)
        case ast.AnnAssign(target=target, value=value):
            if value is not None:
                assign(ctx, target, ctx.eval(value), s)
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            pass
        case ast.Expr(value=value):
            ctx.eval(value)
        case ast.If():
            _if(ctx, s)
        case ast.For():
            loops.for_(ctx, s)
        case ast.While():
            loops.while_(ctx, s)
        case ast.Assert(test=test, msg=msg):
            _check(ctx, test, msg)
        case ast.Raise():
            _raise(ctx, s)
        case ast.FunctionDef(name=name, args=args):
            defaults = [*args.defaults, *(d for d in args.kw_defaults if d is not None)]
            ctx.bind(
                name, Closure(s, ctx.frame, tuple(ctx.settled(ctx.eval(d), "default") for d in defaults))
            )
        case _:
            ctx.error(UnsupportedSyntaxError, f"{type(s).__name__} is not supported")


# -- assignment


def _assign(ctx: Specialiser, s: ast.Assign, targets: Sequence[ast.expr], value: ast.expr) -> None:
    since = ctx.b.names.next
    if isinstance(value, ast.JoinedStr) and isinstance(targets[0], ast.Name):
        found: Value = _message(ctx, value, targets[0].id)
    else:
        with ctx.naming(targets):
            found = ctx.eval(value)
    if not ctx.frame.quiet:
        _name(ctx, targets[0], found, since)
    if len(targets) > 1:
        found = ctx.settled(found, "t")
    elif isinstance(found, Sequence_) and isinstance(targets[0], ast.Tuple | ast.List):
        found = _parallel(ctx, found)
    for target in targets:
        assign(ctx, target, found, s)


def _name(ctx: Specialiser, target: ast.expr, found: Value, since: int) -> None:
    """Scalars that were made for a variable are called after it."""
    match target, found:
        case ast.Name(id=name), ScalarValue(operand=operand) if not name.startswith("@"):
            ctx.b.name(operand, name, since)
        case ast.Tuple(elts=inner) | ast.List(elts=inner), Sequence_(items=items) if len(inner) == len(items):
            for t, v in zip(inner, items, strict=True):
                _name(ctx, t, v, since)


def _message(ctx: Specialiser, value: ast.JoinedStr, name: str) -> Value:
    """A string with parts known at run time only serves a later `raise`; reading it elsewhere is refused."""
    try:
        return ctx.eval(value)
    except AdjitError:
        return Undefined(name, LATE_TEXT)


def _parallel(ctx: Specialiser, found: Sequence_) -> Value:
    """The items of `a, b = …` are all computed before the first is stored."""
    return found if not any(isinstance(v, VirtualArray) for v in found.items[1:]) else ctx.settled(found, "t")


def assign(ctx: Specialiser, target: ast.expr, value: Value, s: ast.stmt | None = None) -> None:
    match target:
        case ast.Name(id=name):
            ctx.bind(name, value, s)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            _unpack(ctx, elts, value, s)
        case ast.Subscript(value=owner_node, slice=index_node):
            owner, index = ctx.in_order([owner_node, index_node])
            with ctx.at(target):
                store(ctx, owner_node, owner, index, value)
        case ast.Attribute(value=owner_node, attr=name):
            owner = ctx.eval(owner_node)
            with ctx.at(target):
                _set_attribute(ctx, owner, name, value)
        case _:
            ctx.error(UnsupportedSyntaxError, "this cannot be assigned to")


def _set_attribute(ctx: Specialiser, owner: Value, name: str, value: Value) -> None:
    if is_array(owner) and name == "flat":
        flat = arrays.attribute(ctx, owner, "flat")
        arrays.setitem(ctx, flat, Static(slice(None)), value)
        return
    if isinstance(owner, ArrayValue) and name in ("real", "imag") and owner.dtype.startswith("complex"):
        arrays.setitem(ctx, arrays.attribute(ctx, owner, name), Static(Ellipsis), value)
        return
    if is_array(owner):
        ctx.error(
            UnsupportedSyntaxError,
            f"the attribute {name!r} of an array cannot be assigned",
            instead="use reshape, or an item assignment such as x.real[:] = y",
        )
    containers.setattr_(ctx, owner, name, value)


def _unpack(ctx: Specialiser, elts: Sequence[ast.expr], value: Value, s: ast.stmt | None) -> None:
    found = containers.known_items(ctx, value)
    stars = [k for k, e in enumerate(elts) if isinstance(e, ast.Starred)]
    if found is None and is_array(value) and not stars:
        found = _rows(ctx, value, len(elts))
    if found is None:
        found = containers.items(ctx, value)
    if stars:
        at, after = stars[0], len(elts) - stars[0] - 1
        if len(found) < len(elts) - 1:
            ctx.error(
                InferenceError,
                f"not enough values to unpack (expected at least {len(elts) - 1}, got {len(found)})",
            )
        middle = Sequence_(tuple(found[at : len(found) - after]), list)
        found = [*found[:at], middle, *found[len(found) - after :]]
    if len(found) != len(elts):
        kind = "too many values" if len(found) > len(elts) else "not enough values"
        ctx.error(InferenceError, f"{kind} to unpack (expected {len(elts)}, got {len(found)})")
    for target, item in zip(elts, found, strict=True):
        assign(ctx, target.value if isinstance(target, ast.Starred) else target, item, s)


def _rows(ctx: Specialiser, value: Value, n: int) -> list[Value]:
    """The entries of an array along its first axis, whose length is checked."""
    length, entry = arrays.iterate(ctx, value)
    fits = ctx.b.op("eq", length, const(n))
    ctx.b.check(fits, "ValueError", f"wrong number of values to unpack (expected {n})")
    return [entry(const(k)) for k in range(n)]


def store(ctx: Specialiser, node: ast.expr, owner: Value, index: Value, value: Value) -> None:
    """`owner[index] = value`."""
    if isinstance(owner, VirtualArray):
        owner = in_memory(ctx, node, owner)
    if isinstance(owner, ListValue):
        list_methods.setitem(ctx, owner, index, value)
    elif isinstance(owner, ArrayValue):
        index, value = lists.plain(ctx, index), lists.plain(ctx, value)
        list_methods.check_kind(ctx, owner, value)
        if isinstance(value, Sequence_) and not value.items:
            ctx.error(InferenceError, "an empty sequence cannot be stored in an array")
        arrays.setitem(ctx, owner, index, value)
    else:
        list_methods.set_in_sequence(ctx, owner, index, value)


def in_memory(ctx: Specialiser, node: ast.expr, value: VirtualArray) -> Value:
    """An array that is to be written: in memory, under the name that holds it."""
    stored = arrays.materialise(ctx, value, node.id if isinstance(node, ast.Name) else "a")
    ctx.replace_everywhere(value, stored)
    return stored


def _augmented(ctx: Specialiser, s: ast.AugAssign) -> None:
    target = s.target
    if isinstance(target, ast.Name):
        _augmented_name(ctx, s, target.id)
    elif isinstance(target, ast.Subscript):
        owner, index, value = ctx.in_order([target.value, target.slice, s.value])
        with ctx.at(target):
            if isinstance(owner, VirtualArray):
                owner = in_memory(ctx, target.value, owner)
            if isinstance(owner, ArrayValue) and not isinstance(s.op, ast.MatMult):
                index, value = lists.plain(ctx, index), lists.plain(ctx, value)
                list_methods.check_kind(ctx, owner, value)
                arrays.augitem(ctx, owner, index, BINARY[type(s.op)], value)
                return
            old = ctx.subscript(owner, index)
            if isinstance(owner, ListValue) and not is_number(old):
                ctx.error(
                    UnsupportedSyntaxError, "an item of a list is changed in place", instead="assign it"
                )
            new = _updated(ctx, s.op, old, value)
            store(ctx, target.value, owner, index, new)
    elif isinstance(target, ast.Attribute):
        owner = ctx.eval(target.value)
        old = ctx.attribute(owner, target.attr)
        (owner,), value = sharing.holding(ctx, [owner], lambda: ctx.eval(s.value))
        if isinstance(old, ArrayValue) and not isinstance(s.op, ast.MatMult):
            arrays.augassign(ctx, old, BINARY[type(s.op)], value)
        else:
            containers.setattr_(ctx, owner, target.attr, _updated(ctx, s.op, old, value))


def _augmented_name(ctx: Specialiser, s: ast.AugAssign, name: str) -> None:
    old = ctx.load(name)
    if isinstance(old, VirtualArray):
        old = arrays.materialise(ctx, old, name)
        ctx.frame.names[name] = old
    (old,), value = sharing.holding(ctx, [old], lambda: ctx.eval(s.value))
    if isinstance(old, ArrayValue) and not isinstance(s.op, ast.MatMult):
        if containers.is_list(ctx, old):
            ctx.error(InferenceError, "a list whose length is known at run time only cannot grow")
        arrays.augassign(ctx, old, BINARY[type(s.op)], lists.plain(ctx, value))
        return
    if isinstance(old, ListValue) and isinstance(s.op, ast.Add):
        list_methods.extend(ctx, old, value)
        return
    if isinstance(old, Sequence_) and old.kind is list and isinstance(s.op, ast.Add):
        if containers.known_items(ctx, value) is None:
            list_methods.of_sequence(ctx, old, "extend", [value])
            return
        new = Sequence_((*old.items, *(ctx.settled(v, name) for v in containers.items(ctx, value))), list)
        containers.changed(ctx, old, new)
        return
    if isinstance(old, Mapping_) and isinstance(s.op, ast.BitOr) and isinstance(value, Mapping_):
        containers.changed(ctx, old, Mapping_({**old.items, **value.items}))
        return
    ctx.bind(name, _updated(ctx, s.op, old, value), s)


def _updated(ctx: Specialiser, op: ast.operator, old: Value, value: Value) -> Value:
    operators.refuse_in_place(ctx, BINARY.get(type(op), "matmul"), old)
    return binary(ctx, op, old, value)


# -- branches, checks


def _if(ctx: Specialiser, s: ast.If) -> None:
    if len(s.body) == 1 and isinstance(s.body[0], ast.Raise):
        _guarded(ctx, s.test, s.body[0], s.orelse, when=True)
        return
    if len(s.orelse) == 1 and isinstance(s.orelse[0], ast.Raise):
        _guarded(ctx, s.test, s.orelse[0], s.body, when=False)
        return
    cond = ctx.truth(recomputed.tested(ctx, s, conditions.tested(ctx, s.test)))
    if isinstance(cond, Static):
        ctx.run(s.body if cond.value else s.orelse)
        return
    live = ctx.frame.facts.after[s]
    x = arrays.scalar(ctx, cond)
    branch(ctx, x, lambda: ctx.run(s.body), lambda: ctx.run(s.orelse), lambda name: name in live)


def _guarded(
    ctx: Specialiser, test: ast.expr, raised: ast.Raise, rest: Sequence[ast.stmt], *, when: bool
) -> None:
    """`if test: raise …` is a check; what follows goes on in the same block."""
    cond = ctx.truth(conditions.tested(ctx, test))
    if isinstance(cond, Static):
        if bool(cond.value) is when:
            with ctx.at(raised):
                _raise(ctx, raised)
        else:
            ctx.run(rest)
        return
    x = arrays.scalar(ctx, cond)
    with ctx.at(raised):
        name, (message, values) = raising.exception(ctx, raised)
        ctx.b.check(ctx.b.op("not", x) if when else x, name, message, *values)
    optionals.assume(ctx, x, not when)
    ctx.run(rest)


def _check(ctx: Specialiser, test: ast.expr, said: ast.expr | None) -> None:
    cond = ctx.truth(conditions.tested(ctx, test))
    message, values = raising.message(ctx, [said] if said is not None else [])
    if isinstance(cond, Static):
        if not cond.value:
            ctx.b.check(const(False), "AssertionError", message, *values)
            ctx.dead = True
        return
    x = arrays.scalar(ctx, cond)
    ctx.b.check(x, "AssertionError", message, *values)
    optionals.assume(ctx, x)


def _raise(ctx: Specialiser, s: ast.Raise) -> None:
    name, (message, values) = raising.exception(ctx, s)
    ctx.b.check(const(False), name, message, *values)
    ctx.dead = True


__all__ = ["AdjitError", "Record", "ScalarValue", "assign", "ends", "is_number", "run"]
