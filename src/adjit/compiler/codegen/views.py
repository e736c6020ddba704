"""Views as NumPy indexing: slices, fixed indices, axis order, new axes.

Input: a `View` statement. Output: one expression that shares the base's memory.
Invariant: a slice is written so that an empty one or one that runs down to index 0 means what the IR says.
"""

from __future__ import annotations

import ast

from ..ir.nodes import Const, Operand, Slice, View
from ..ir.types import Array
from .expressions import Expressions, call, literal, name


def _is(x: Operand, value: int) -> bool:
    return isinstance(x, Const) and x.value == value


def _plus(a: ast.expr, b: ast.expr) -> ast.expr:
    if isinstance(a, ast.Constant) and isinstance(b, ast.Constant):
        assert isinstance(a.value, int) and isinstance(b.value, int)
        return ast.Constant(a.value + b.value)
    if isinstance(a, ast.Constant) and isinstance(b, ast.BinOp) and isinstance(b.op, ast.Sub):
        assert isinstance(a.value, int)
        if isinstance(b.right, ast.Constant) and isinstance(b.right.value, int):
            rest = b.right.value - a.value
            if rest == 0:
                return b.left
            sign: ast.operator = ast.Sub() if rest > 0 else ast.Add()
            return ast.BinOp(b.left, sign, ast.Constant(abs(rest)))
    return ast.BinOp(a, ast.Add(), b)


def _slice(ex: Expressions, s: Slice, length: ast.expr) -> ast.expr:
    """`length` is the base's own length of that axis."""
    start, step = ex.of(s.start), ex.of(s.step)
    if not isinstance(s.step, Const) or s.step.value < 0:
        stop: ast.expr = call("stop_of", start, ex.of(s.length), step, length)
        return ast.Slice(start, stop, step)
    if s.step.value == 1:
        lower = None if _is(s.start, 0) else start
        return ast.Slice(lower, ex.of(s.length) if lower is None else _plus(start, ex.of(s.length)), None)
    extent = ast.BinOp(ex.of(s.length), ast.Mult(), step)
    return ast.Slice(start, _plus(start, extent), step)


def view(ex: Expressions, stmt: View) -> ast.expr:
    """The expression for a view."""
    base: ast.expr = name(ex.names[stmt.array])
    fixed = dict(stmt.fixed)
    used = {s.axis: s for s in stmt.axes if s.axis is not None}
    ndim = len(fixed) + len(used)
    if isinstance(stmt.out.type, Array) and stmt.out.type.layout == "C":  # all of the last axes
        return ast.Subscript(base, ex.index(fixed[0]), ast.Load())
    parts: list[ast.expr] = []
    for axis in range(ndim):
        parts.append(
            ex.index(fixed[axis]) if axis in fixed else _slice(ex, used[axis], ex.dim(stmt.array, axis))
        )
    inside: ast.expr = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
    value: ast.expr = ast.Subscript(base, inside, ast.Load()) if parts else base
    order = [s.axis for s in stmt.axes if s.axis is not None]
    ranked = [sorted(order).index(a) for a in order]
    if ranked != sorted(ranked):
        value = _transposed(value, ranked)
    if any(s.axis is None for s in stmt.axes):
        value = _widened(ex, stmt, value)
    return value


def _transposed(value: ast.expr, order: list[int]) -> ast.expr:
    if order == list(range(len(order)))[::-1]:
        return ast.Attribute(value, "T", ast.Load())
    axes = ast.Tuple([literal(k) for k in order], ast.Load())
    return call(ast.Attribute(value, "transpose", ast.Load()), axes)


def _widened(ex: Expressions, stmt: View, value: ast.expr) -> ast.expr:
    """New axes, and lengths other than one for them."""
    if all(s.axis is None for s in stmt.axes):
        value = call(ast.Attribute(name("np"), "asarray", ast.Load()), value)
    new = ast.Attribute(name("np"), "newaxis", ast.Load())
    parts: list[ast.expr] = [new if s.axis is None else ast.Slice(None, None, None) for s in stmt.axes]
    inside: ast.expr = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
    value = ast.Subscript(value, inside, ast.Load())
    if all(s.axis is not None or _is(s.length, 1) for s in stmt.axes):
        return value
    shape = ast.Tuple([ex.of(s.length) for s in stmt.axes], ast.Load())
    return call(ast.Attribute(name("np"), "broadcast_to", ast.Load()), value, shape)
