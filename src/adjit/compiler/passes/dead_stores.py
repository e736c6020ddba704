"""Stores that a later store hides.

    a[i] = x; y = b[i]; a[i] = z      =>      y = b[i]; a[i] = z

Input and output: core IR. Within one block only: between the two no statement may read the element, or raise so that its old value could be seen. Arrays that
nothing reads are a matter of `dce`.
"""

from __future__ import annotations

from ..analyses.dependence import Access, Dependence
from ..ir.nodes import Accumulate, Block, Bounds, Call, Check, Function, Stmt, Store
from ..ir.types import grows
from ..ir.visitor import blocks, walk
from .rewrite import Rewriter

REACH = 40  # statements to look ahead over


def dead_stores(fn: Function) -> Function:
    """Remove stores that are overwritten before anyone reads them."""
    return _DeadStores(fn).run()


class _DeadStores(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence(fn)
        self.dead: set[Stmt] = set()

    def block(self, block: Block) -> Block:
        for k, s in enumerate(block.stmts):
            if isinstance(s, Store | Accumulate) and not grows(s.array.type) and self.hidden(s, block.stmts[k + 1 : k + REACH]):
                self.dead.add(s)
        return super().block(block)

    def hidden(self, stmt: Store | Accumulate, after: tuple[Stmt, ...]) -> bool:
        mine = self.facts.accesses(stmt)[0]
        for s in after:
            if isinstance(s, Store) and self.same(mine, self.facts.accesses(s)[0]):
                return True
            inner = [s, *(x for b in blocks(s) for x in walk(b))]
            if any(self.sees(mine, x) for x in inner):
                return False
        return False

    def same(self, a: Access, b: Access) -> bool:
        if a.array is not b.array:
            return False
        pairs = zip(a.levels[0][1], b.levels[0][1], strict=True)
        return all(i is not None and j is not None and i.same(j) for i, j in pairs)

    def sees(self, mine: Access, stmt: Stmt) -> bool:
        if isinstance(stmt, Check | Bounds):
            return True
        shared = len(self.facts.definitions.place[mine.stmt].loops)
        reads = (a for a in self.facts.accesses(stmt) if not a.write or a.accumulate or isinstance(stmt, Call))
        return any(self.facts.clash(mine, a, shared) for a in reads)

    def visit(self, stmt: Stmt) -> None:
        if stmt not in self.dead:
            super().visit(stmt)

    def renamed(self, stmt: Stmt) -> Stmt:
        return stmt  # nothing is replaced
