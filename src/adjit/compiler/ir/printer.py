"""Stable text of core IR, for people, golden files and digests.

Input: a function. Output: text; the same IR gives the same bytes. Variables are printed as `x`, `x_1`,
… in order of definition, so that skipped numbers do not show; `numbers=True` prints `x.7` instead, the
form of error messages. Locations are not printed. Not a serialisation format: nothing reads the text
back.
"""

from __future__ import annotations

from collections.abc import Sequence

from .nodes import (
    Accumulate,
    Alloc,
    Block,
    Bounds,
    Call,
    Check,
    Dim,
    For,
    Function,
    If,
    Load,
    Mark,
    Op,
    Operand,
    Reshape,
    Slice,
    Stmt,
    Store,
    Var,
    View,
    While,
)
from .types import BOOL, FLOAT64, INT

INDENT = "    "


def text(fn: Function, *, numbers: bool = False, names: dict[Var, str] | None = None) -> str:
    """The whole function; `names` overrides the names of variables."""
    return _Printer(numbers, names or {}).function(fn)


def line(stmt: Stmt) -> str:
    """The first line of a statement, for messages."""
    printer = _Printer(True, {})
    printer.statement(stmt, 0)
    return printer.lines[0]


class _Printer:
    def __init__(self, numbers: bool, names: dict[Var, str]) -> None:
        self.numbers = numbers
        self.names = dict(names)
        self.taken: set[str] = set(names.values())
        self.next: dict[str, int] = {}
        self.lines: list[str] = []

    # -- operands
    def name(self, v: Var) -> str:
        if self.numbers:
            return repr(v)
        known = self.names.get(v)
        if known is None:
            known = self._fresh(v.name)
            self.names[v] = known
        return known

    def _fresh(self, stem: str) -> str:
        while True:
            k = self.next.get(stem, 0)
            self.next[stem] = k + 1
            name = f"{stem}_{k}" if k else stem
            if name not in self.taken:
                self.taken.add(name)
                return name

    def new(self, v: Var) -> str:
        return f"{self.name(v)}: {v.type}"

    def operand(self, x: Operand) -> str:
        if isinstance(x, Var):
            return self.name(x)
        plain = repr(x.value)
        usual = {bool: BOOL, int: INT, float: FLOAT64}.get(type(x.value))
        return plain if x.type == usual else f"{x.type}({plain})"

    def many(self, xs: Sequence[Operand]) -> str:
        return ", ".join(self.operand(x) for x in xs)

    # -- statements
    def function(self, fn: Function) -> str:
        params = ", ".join(self.new(p) for p in fn.params)
        self.lines.append(f"def {fn.name}({params}):")
        self.block(fn.body, 1)
        self.lines.append(f"{INDENT}return {self.many(fn.results)}".rstrip())
        return "\n".join(self.lines) + "\n"

    def put(self, depth: int, words: str) -> None:
        self.lines.append(INDENT * depth + words)

    def block(self, block: Block, depth: int, stop: Operand | None = None) -> None:
        for stmt in block.stmts:
            self.statement(stmt, depth)
        if block.yields or stop is not None:
            ends = f" stop {self.operand(stop)}" if stop is not None else ""
            self.put(depth, f"yield {self.many(block.yields)}".rstrip() + ends)
        elif not block.stmts:
            self.put(depth, "pass")

    def statement(self, stmt: Stmt, depth: int) -> None:
        match stmt:
            case For() | While():
                self.loop(stmt, depth)
            case If(cond=cond, then=then, orelse=orelse, outs=outs):
                self.put(depth, f"if {self.operand(cond)}{self.outs(outs)}:")
                self.block(then, depth + 1)
                if orelse.stmts or orelse.yields:
                    self.put(depth, "else:")
                    self.block(orelse, depth + 1)
            case _:
                self.put(depth, self.simple(stmt))

    def outs(self, outs: tuple[Var, ...]) -> str:
        return f" -> ({', '.join(self.new(o) for o in outs)})" if outs else ""

    def loop(self, stmt: For | While, depth: int) -> None:
        inits = [self.operand(x) for x in stmt.inits]
        if isinstance(stmt, For):
            span = f"{self.operand(stmt.lo)}, {self.operand(stmt.hi)}"
            head = f"for {self.name(stmt.iv)} in range({span}{f', {stmt.step}' if stmt.step != 1 else ''})"
        else:
            head = "while"
        args = ", ".join(f"{self.new(a)} = {i}" for a, i in zip(stmt.args, inits, strict=False))
        head += f" with ({args})" if args else ""
        trips = f" trips {self.name(stmt.trips)}" if stmt.trips is not None else ""
        free = " independent" if isinstance(stmt, For) and stmt.independent else ""
        free += " promised" if isinstance(stmt, For) and stmt.promised else ""
        self.put(depth, f"{head}{self.outs(stmt.outs)}{trips}{free}:")
        if isinstance(stmt, While):
            self.block(stmt.cond, depth + 1)
            self.put(depth, "do:")
        self.block(stmt.body, depth + 1, stmt.stop)

    def simple(self, stmt: Stmt) -> str:
        match stmt:
            case Op(out=out, op=op, args=args):
                return f"{self.new(out)} = {op} {self.many(args)}"
            case Load(out=out, array=a, index=index):
                return f"{self.new(out)} = {self.name(a)}[{self.many(index)}]"
            case Store(array=a, index=index, value=value):
                return f"{self.name(a)}[{self.many(index)}] = {self.operand(value)}"
            case Accumulate(array=a, index=index, value=value):
                return f"{self.name(a)}[{self.many(index)}] += {self.operand(value)}"
            case Alloc(out=out, shape=shape, zeroed=zeroed):
                return f"{self.new(out)} = alloc ({self.many(shape)}){' zeroed' if zeroed else ''}"
            case Dim(out=out, array=a, axis=axis):
                return f"{self.new(out)} = dim {self.name(a)} {axis}"
            case View(out=out, array=a, axes=axes, fixed=fixed):
                parts = [self.axis(s) for s in axes] + [f"{k}={self.operand(i)}" for k, i in fixed]
                return f"{self.new(out)} = view {self.name(a)} {', '.join(parts)}".rstrip()
            case Reshape(out=out, array=a, shape=shape):
                return f"{self.new(out)} = reshape {self.name(a)} ({self.many(shape)})"
            case Call(name=name, args=args, attrs=attrs):
                return f"call {name}({self.many(args)})" + (f" {attrs!r}" if attrs else "")
            case Bounds(array=a, axis=axis, index=index):
                return f"bounds {self.name(a)} {axis} {self.operand(index)}"
            case Check(cond=cond, error=error, message=message):
                return f"check {self.operand(cond)} {error} {message!r}"
            case Mark(name=name, value=value, out=out):
                target = "" if out is None else f"{self.new(out)} = "
                return f"{target}mark {name!r} {self.operand(value)}"
            case _:
                raise AssertionError(f"no such statement: {type(stmt).__name__}")

    def axis(self, s: Slice) -> str:
        start, length, step = (self.operand(x) for x in (s.start, s.length, s.step))
        return f"{'new' if s.axis is None else s.axis}:{start}+{length}*{step}"


__all__ = ["line", "text"]
