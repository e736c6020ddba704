"""A function's body put in the place of a call.

Input: a core function, operands for its parameters, a builder. Output: copies of its statements, emitted with
fresh variables at the builder's place, and the operands of its results. Invariants: the builder learns what
memory the new references may be. Non-goals: checking that types and memory of the arguments fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .builder import Builder
from .nodes import Block, For, Function, If, Operand, Stmt, Var, While
from .types import Array
from .visitor import Rename, defined, with_operands


def instantiate(b: Builder, fn: Function, arguments: Sequence[Operand]) -> list[Operand]:
    """Emit a copy of a function's body on these arguments; its results."""
    mapping: dict[Var, Operand] = dict(zip(fn.params, arguments, strict=True))
    copier = _Copier(b, mapping)
    for s in fn.body.stmts:
        b.emit(copier.statement(s))
    return [copier.read(r) for r in fn.results]


class _Copier:
    """Copies statements with fresh variables, and tells the builder what it would know of its own."""

    def __init__(self, b: Builder, mapping: dict[Var, Operand]) -> None:
        self.b, self.mapping = b, mapping
        self.read: Rename = lambda x: self.mapping.get(x, x) if isinstance(x, Var) else x

    def fresh(self, v: Var) -> Var:
        new = self.b.fresh(v.name, v.type)
        self.mapping[v] = new
        return new

    def block(self, block: Block) -> Block:
        return Block(tuple(self.statement(s) for s in block.stmts), tuple(self.read(y) for y in block.yields))

    def statement(self, s: Stmt) -> Stmt:
        new = replace(with_operands(s, self.read), loc=self.b.loc)
        match new:
            case For(iv=iv, args=args, body=body, stop=stop):
                iv, args = self.fresh(iv), tuple(self.fresh(a) for a in args)
                inner = self.block(body)
                new = replace(
                    new, iv=iv, args=args, body=inner, stop=None if stop is None else self.read(stop)
                )
            case While(args=args, cond=cond, body=body, stop=stop):
                args = tuple(self.fresh(a) for a in args)
                first, inner = self.block(cond), self.block(body)
                new = replace(
                    new, args=args, cond=first, body=inner, stop=None if stop is None else self.read(stop)
                )
            case If(then=then, orelse=orelse):
                new = replace(new, then=self.block(then), orelse=self.block(orelse))
        outs = [self.fresh(v) for v in defined(s)]
        if isinstance(new, For | While):
            count = len(new.outs)
            new = replace(new, outs=tuple(outs[:count]), trips=outs[count] if len(outs) > count else None)
        elif isinstance(new, If):
            new = replace(new, outs=tuple(outs))
        elif outs:
            new = replace(new, out=outs[0])  # type: ignore[call-arg]
        self.note(s, new, outs)
        return new

    def note(self, old: Stmt, new: Stmt, outs: Sequence[Var]) -> None:
        """The memory that a reference may be: that of all arrays the statement reads."""
        for out in outs:
            if isinstance(out.type, Array) and type(new).__name__ != "Alloc":
                sources = [x for x in _array_operands(new) if isinstance(x, Var) and x is not out]
                self.b.origins[out] = frozenset(r for x in sources for r in self.b.origin(x)) or frozenset(
                    (out,)
                )


def _array_operands(s: Stmt) -> list[Operand]:
    match s:
        case For(inits=inits) | While(inits=inits):
            return [x for x in inits if isinstance(x.type, Array)]
        case If(then=then, orelse=orelse):
            return [x for x in (*then.yields, *orelse.yields) if isinstance(x.type, Array)]
    array = getattr(s, "array", None)
    return [array] if array is not None else []


__all__ = ["instantiate"]
