"""Arrays that each pass of a loop makes for itself become one array with an axis more.

    for i in range(n):                        a = empty((k, n))
        a = empty((k,))               =>      for i in range(n):
        a[j] = …                                  a[j, i] = …

Input and output: core IR. Then a thread per pass can run the loop, for a thread has no room for arrays whose
length is not known, and neighbouring threads touch neighbouring elements. The passes are free of order, the
shape is known before the loop, the array has no other name. Non-goals: saving memory; small arrays of
constant shape, which each thread has for itself.
"""

from __future__ import annotations

from dataclasses import replace

from ..analyses.dependence import Dependence
from ..ir.nodes import (
    Accumulate,
    Alloc,
    Block,
    Bounds,
    Const,
    Dim,
    For,
    Function,
    Load,
    Op,
    Operand,
    Stmt,
    Store,
    Var,
)
from ..ir.types import INT, Array
from ..ir.visitor import all_defined, all_reads, blocks, walk, with_blocks
from ..passes.rewrite import Rewriter
from .placement import thread_local, threadable


def expand(fn: Function) -> Function:
    """Give arrays of one pass an axis for the passes."""
    return _Expanding(fn).run()


class _Expanding(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence(fn)

    def visit(self, stmt: Stmt) -> None:
        new = self.inner(stmt)
        if isinstance(stmt, For) and isinstance(new, For):
            self.loop(stmt, new)
        else:
            self.out.append(new)

    def loop(self, known: For, loop: For) -> None:
        """`known` is the loop as the facts know it."""
        inside = {loop.iv, *loop.args, *all_defined(loop.body)}
        chosen = [
            s.out
            for s in loop.body.stmts
            if isinstance(s, Alloc)
            and not thread_local(s)
            and not any(x in inside for x in s.shape)
            and _plain(loop, s.out)
        ]
        plain = loop.step == 1 and loop.trips is None and loop.stop is None
        if not chosen or not plain or not self.facts.order_free(known):
            self.out.append(loop)
            return
        before: list[Stmt] = []
        first: list[Stmt] = []
        count: Operand = loop.hi
        number: Operand = loop.iv
        if not (isinstance(loop.lo, Const) and loop.lo.value == 0):
            count, number = self.names.fresh("n", INT), self.names.fresh("k", INT)
            before.append(Op(count, "sub", (loop.hi, loop.lo), loc=loop.loc))
            first.append(Op(number, "sub", (loop.iv, loop.lo), loc=loop.loc))
        wider: dict[Var, Var] = {}
        kept: list[Stmt] = []
        for s in loop.body.stmts:
            if isinstance(s, Alloc) and s.out in chosen:
                rank = len(s.shape) + 1
                wider[s.out] = self.names.fresh(s.out.name, Array(s.out.type.dtype, rank))
                before.append(replace(s, out=wider[s.out], shape=(*s.shape, count)))
            else:
                kept.append(s)
        body = Block((*first, *(_moved(s, wider, number) for s in kept)), loop.body.yields)
        made = replace(loop, body=body)
        if threadable(made):
            self.out += [*before, made]
        else:
            self.out.append(loop)


def _plain(loop: For, array: Var) -> bool:
    """Whether an array is used by element only."""
    for s in walk(loop.body):
        own = [x for x in all_reads(replace_blocks(s)) if x is array]
        if own and not isinstance(s, Load | Store | Accumulate | Dim | Bounds):
            return False
    return not any(y is array for b in _blocks(loop) for y in b.yields)


def _blocks(stmt: Stmt) -> list[Block]:
    return [b for s in (stmt, *(t for b in blocks(stmt) for t in walk(b))) for b in blocks(s)]


def replace_blocks(stmt: Stmt) -> Stmt:
    """The statement with empty blocks: what it reads itself."""
    return with_blocks(stmt, lambda b: Block((), b.yields))


def _moved(stmt: Stmt, wider: dict[Var, Var], number: Operand) -> Stmt:
    """The statement with elements of the widened arrays."""
    match stmt:
        case Load(array=a, index=i) | Store(array=a, index=i) | Accumulate(array=a, index=i) if a in wider:
            return replace(stmt, array=wider[a], index=(*i, number))
        case Dim(array=a) | Bounds(array=a) if a in wider:
            return replace(stmt, array=wider[a])
        case _:
            return with_blocks(
                stmt, lambda b: Block(tuple(_moved(s, wider, number) for s in b.stmts), b.yields)
            )
