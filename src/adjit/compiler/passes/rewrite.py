"""The walk that most passes share: rebuild a function while replacing variables by equal operands.

Input: a function. Output: a function in which `visit` has seen each statement, outer before inner, with
its operands already replaced. Identity is kept where nothing changes. A replacement must be visible
wherever the variable was.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from ..ir.builder import Names, const
from ..ir.nodes import Alloc, Block, For, Function, If, Location, Op, Operand, Stmt, Store, Var, While
from ..ir.types import BOOL, INT, Type, is_float
from ..ir.visitor import operands, with_operands
from ..ops.core import TABLE, fold


class Rewriter:
    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.map: dict[Var, Operand] = {}
        self.out: list[Stmt] = []
        self.original: Stmt | None = None  # what is visited, as it was before its operands were replaced

    @cached_property
    def names(self) -> Names:
        return Names.above(self.fn)

    def run(self) -> Function:
        body = self.block(self.fn.body)
        results = tuple(self.get(r) for r in self.fn.results)
        if body is self.fn.body and all(a is b for a, b in zip(results, self.fn.results, strict=True)):
            return self.fn
        return replace(self.fn, body=body, results=results)

    # -- operands
    def get(self, x: Operand) -> Operand:
        return self.map.get(x, x) if isinstance(x, Var) else x

    def array_of(self, v: Var) -> Var:
        """The array that `v` is from here on."""
        found = self.get(v)
        assert isinstance(found, Var)
        return found

    def equate(self, v: Var, x: Operand) -> None:
        """From here on `v` is `x`."""
        self.map[v] = self.get(x)

    # -- statements
    def block(self, block: Block) -> Block:
        kept, self.out = self.out, []
        for stmt in block.stmts:
            self.original = stmt
            self.visit(self.renamed(stmt))
        stmts, self.out = self.out, kept
        yields = tuple(self.get(y) for y in block.yields)
        same = len(stmts) == len(block.stmts) and all(a is b for a, b in zip(stmts, block.stmts, strict=True))
        if same and all(a is b for a, b in zip(yields, block.yields, strict=True)):
            return block
        return Block(tuple(stmts), yields)

    def renamed(self, stmt: Stmt) -> Stmt:
        if self.map and any(x in self.map for x in operands(stmt) if isinstance(x, Var)):
            return with_operands(stmt, self.get)
        return stmt

    def visit(self, stmt: Stmt) -> None:
        """What becomes of a statement; the default keeps it and visits its blocks."""
        self.out.append(self.inner(stmt))

    def inner(self, stmt: Stmt) -> Stmt:
        """The statement with its blocks visited."""
        match stmt:
            case For(body=body, stop=stop):
                new = self.block(body)
                end = None if stop is None else self.get(stop)
                return stmt if new is body and end is stop else replace(stmt, body=new, stop=end)
            case While(cond=cond, body=body, stop=stop):
                test, new = self.block(cond), self.block(body)
                end = None if stop is None else self.get(stop)
                return (
                    stmt
                    if new is body and test is cond and end is stop
                    else replace(stmt, cond=test, body=new, stop=end)
                )
            case If(then=then, orelse=orelse):
                yes, no = self.block(then), self.block(orelse)
                return stmt if yes is then and no is orelse else replace(stmt, then=yes, orelse=no)
            case _:
                return stmt

    def makes_a_pass(self, loop: For) -> Var:
        """Emit the test whether a loop has a pass."""
        lo, hi = (loop.lo, loop.hi) if loop.step > 0 else (loop.hi, loop.lo)
        test = self.names.fresh("any", BOOL)
        self.out.append(Op(test, "lt", (lo, hi), loc=loop.loc))
        return test

    def plus(self, x: Operand, c: int, *, hint: str, loc: Location) -> Operand:
        """Emit `x + c`, or `x - -c`."""
        return self.op("add" if c >= 0 else "sub", x, const(abs(c)), hint=hint, loc=loc)

    def op(self, name: str, *args: Operand, hint: str, loc: Location) -> Operand:
        """Emit an op, or find what it folds to."""
        type_: Type = TABLE[name].result(*(a.type for a in args))
        known = fold(name, args, type_)
        if known is not None:
            return known
        out = self.names.fresh(hint, type_)
        self.out.append(Op(out, name, args, loc=loc))
        return out


def cleared(alloc: Alloc, names: Names) -> Stmt:
    """A nest that sets an array to zero."""
    zero = const(0.0 if is_float(alloc.out.type) else 0, alloc.out.type.dtype)
    ivs = [names.fresh("z", INT) for _ in alloc.shape]
    made: Stmt = Store(alloc.out, tuple(ivs), zero, loc=alloc.loc)
    for iv, n in reversed(list(zip(ivs, alloc.shape, strict=True))):
        made = For(iv, const(0), n, 1, (), (), Block((made,)), (), loc=alloc.loc)
    return made
