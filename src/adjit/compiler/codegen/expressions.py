"""Operands and scalar primitives as `ast` expressions.

Input: operands of a core function, the names of its variables and what is folded. Output: `ast.expr`.
Invariants: an expression has exactly the dtype that the IR states, in Numba and in plain Python;
parentheses are left to whoever prints the tree. Non-goals: statements.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ..ir.nodes import Const, Dim, For, Function, Load, Location, Op, Operand, Var
from ..ir.types import Array, is_float
from ..ir.visitor import walk
from ..ops import TABLE
from .folding import Folded

NARROW = ("int8", "int16", "int32", "uint8", "uint16", "uint32")


def name(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


def attribute(owner: str, text: str) -> ast.Attribute:
    return ast.Attribute(name(owner), text, ast.Load())


def dtype(text: str) -> ast.expr:
    return attribute("np", "bool_" if text == "bool" else text)


def call(function: ast.expr | str, *args: ast.expr) -> ast.Call:
    return ast.Call(name(function) if isinstance(function, str) else function, list(args), [])


def literal(value: bool | int | float) -> ast.expr:
    """A Python literal, with `np.inf` and `np.nan` for what has none."""
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return attribute("np", "nan")
        infinite = attribute("np", "inf")
        return infinite if value > 0 else ast.UnaryOp(ast.USub(), infinite)
    if not isinstance(value, bool) and (value < 0 or (value == 0 and math.copysign(1.0, value) < 0)):
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def constant(x: Const) -> ast.expr:
    """A constant of exactly its dtype."""
    text = x.type.dtype
    if text == "bool":
        return ast.Constant(bool(x.value))
    value = literal(float(x.value) if text.startswith("float") else int(x.value))
    return value if text in ("float64", "int64") else call(dtype(text), value)


@cache
def _template(op: str, vector: bool) -> ast.expr:
    row = TABLE[op]
    operands = [f"_{k}_" for k in range(row.arity)]
    text = f"{row.vector}({', '.join(operands)})" if vector and row.vector else row.python.format(*operands)
    return ast.parse(text, mode="eval").body


class _Fill(ast.NodeTransformer):
    def __init__(self, args: Sequence[ast.expr]) -> None:
        self.args = {f"_{k}_": a for k, a in enumerate(args)}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.args.get(node.id, node)


def _copy(node: ast.AST) -> Any:
    """A template's tree again, so that filling it leaves the template alone."""
    made: Any = type(node)()
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            value = [_copy(v) if isinstance(v, ast.AST) else v for v in value]
        elif isinstance(value, ast.AST):
            value = _copy(value)
        setattr(made, field, value)
    return made


def spelled(op: str, args: Sequence[ast.expr], vector: bool = False) -> ast.expr:
    """The op's spelling with its operands put in; `vector`: as a function of `runtime.vector` if it is
    one.
    """
    filled = _Fill(args).visit(_copy(_template(op, vector)))
    assert isinstance(filled, ast.expr)
    return filled


class Expressions:
    """Expressions of one function."""

    def __init__(self, fn: Function, names: Mapping[Var, str], folded: Folded, precise: bool = False) -> None:
        self.precise = precise
        self.names = names
        self.folded = folded
        self.loops = {s.iv: s for s in walk(fn.body) if isinstance(s, For)}
        self.ops = {s.out: s for s in walk(fn.body) if isinstance(s, Op)}
        self.read: list[Location] = []  # places of the folded statements printed since it was emptied

    def of(self, x: Operand) -> ast.expr:
        if isinstance(x, Const):
            return constant(x)
        stmt = self.folded.stmts.get(x)
        if stmt is None:
            return name(self.names[x])
        self.read.append(stmt.loc)
        return self.computed(stmt)

    def computed(self, stmt: Op | Load | Dim) -> ast.expr:
        """What a statement computes."""
        match stmt:
            case Op():
                return self.applied(stmt)
            case Load(array=array, index=index):
                element = self.element(array, index)
                if isinstance(array.type, Array) and array.type.growing:
                    return self.guarded(array, index[0], element)
                return element
            case Dim(array=array, axis=axis):
                return self.dim(array, axis)

    def guarded(self, array: Var, index: Operand, element: ast.expr) -> ast.expr:
        """An element of a growing array: what was never written reads as zero."""
        inside = ast.Compare(self.of(index), [ast.Lt()], [self.dim(array, 0)])
        zero = constant(Const(0, array.type))
        return ast.IfExp(inside, element, zero)

    def dim(self, array: Var, axis: int) -> ast.expr:
        shape = ast.Attribute(name(self.names[array]), "shape", ast.Load())
        return ast.Subscript(shape, ast.Constant(axis), ast.Load())

    def applied(self, stmt: Op) -> ast.expr:
        kind = stmt.out.type.dtype
        args = [self.compared(a) if kind == "bool" else self.of(a) for a in stmt.args]
        if stmt.op == "cast":
            return call(dtype(kind), *args)
        if stmt.op == "invert" and kind == "bool":
            return ast.UnaryOp(ast.Not(), args[0])
        if stmt.op == "trips" and all(
            isinstance(a, Const) and a.value == v for a, v in zip(stmt.args[::2], (0, 1), strict=True)
        ):
            return call("maximum", args[1], ast.Constant(0))
        value = spelled(stmt.op, args, not self.precise and is_float(stmt.out.type))
        if kind in NARROW and stmt.op not in ("select", "wrap"):
            return call(dtype(kind), value)
        return value

    def compared(self, x: Operand) -> ast.expr:
        """An operand of a comparison, where a narrow integer and a Python one meet exactly."""
        return literal(int(x.value)) if isinstance(x, Const) and x.type.dtype in NARROW else self.of(x)

    # -- elements
    def element(self, array: Var, index: Sequence[Operand], store: bool = False) -> ast.Subscript:
        parts = [self.index(i) for i in index]
        inside: ast.expr = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
        return ast.Subscript(name(self.names[array]), inside, ast.Store() if store else ast.Load())

    def index(self, x: Operand) -> ast.expr:
        """An index; unsigned where Numba could not see by itself that it is never negative."""
        value = self.of(x)
        return value if self.ascending(x) else call("uint", value)

    def ascending(self, x: Operand) -> bool:
        """A constant, or the variable of a loop that counts up from such a thing, plus a constant."""
        if isinstance(x, Const):
            return x.value >= 0
        if x in self.loops:  # LLVM finds out for itself only where the range starts at 0 or 1
            lo = self.loops[x].lo
            return self.loops[x].step == 1 and isinstance(lo, Const) and lo.value in (0, 1)
        stmt = self.ops.get(x)
        if stmt is None or stmt.op != "add":
            return False
        a, b = stmt.args
        return (isinstance(a, Const) and a.value >= 0 and b in self.loops and self.ascending(b)) or (
            isinstance(b, Const) and b.value >= 0 and a in self.loops and self.ascending(a)
        )

    def nonnegative(self, x: Operand) -> bool:
        if isinstance(x, Const) or x in self.loops:
            return self.ascending(x)
        stmt = self.ops.get(x)
        return stmt is not None and stmt.op == "add" and all(self.nonnegative(a) for a in stmt.args)
