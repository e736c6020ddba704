"""Stores that a later store hides, and stores to local arrays that nothing reads any more.

    a[i] = x; y = b[i]; a[i] = z      =>      y = b[i]; a[i] = z

Input and output: core IR. Hidden stores are sought within one block: between the two no statement may
read the element, or raise so that its old value could be seen. The other kind is found over the whole
function. Arrays that nothing reads at all are a matter of `dce`.
"""

from __future__ import annotations

from collections.abc import Collection

from ..analyses.dependence import Access, Dependence
from ..ir.nodes import Accumulate, Block, Bounds, Call, Check, Function, Stmt, Store, Var
from ..ir.types import Array, grows
from ..ir.visitor import blocks, walk
from .rewrite import Rewriter

REACH = 40  # statements to look ahead over


def dead_stores(fn: Function, forgotten: Collection[Var] = ()) -> Function:
    """Remove stores that are overwritten before anyone reads them. Nobody looks at the array parameters
    `forgotten` after the function.
    """
    return _DeadStores(fn, forgotten).run()


class _DeadStores(Rewriter):
    def __init__(self, fn: Function, forgotten: Collection[Var]) -> None:
        super().__init__(fn)
        self.facts = Dependence(fn)
        self.dead: set[Stmt] = set()
        visible = {p for p in fn.params if isinstance(p.type, Array) and p not in forgotten}
        visible.update(
            r
            for x in fn.results
            if isinstance(x, Var) and isinstance(x.type, Array)
            for r in self.facts.roots[x]
        )
        self.unread(visible)

    # -- nothing reads it any more
    def unread(self, visible: set[Var]) -> None:
        """Note the stores to local memory whose element no later statement may read."""
        readers: dict[Var, list[Access]] = {}
        for stmt in self.facts.definitions.stmts:
            for access in self.read(stmt):
                for r in self.facts.roots[access.array]:
                    readers.setdefault(r, []).append(access)
        for stmt in self.facts.definitions.stmts:
            if isinstance(stmt, Store | Accumulate) and not grows(stmt.array.type):
                roots = self.facts.roots[stmt.array]
                mine = self.facts.accesses(stmt)[0]
                found = {id(a): a for r in roots for a in readers.get(r, ())}
                if roots.isdisjoint(visible) and not any(self.facts.reaches(mine, a) for a in found.values()):
                    self.dead.add(stmt)

    def read(self, stmt: Stmt) -> list[Access]:
        """What a statement reads (an accumulation alone does not show what it adds to)."""
        if isinstance(stmt, Accumulate):
            return []
        return [a for a in self.facts.accesses(stmt) if not a.write]

    # -- hidden
    def block(self, block: Block) -> Block:
        for k, s in enumerate(block.stmts):
            if (
                isinstance(s, Store | Accumulate)
                and not grows(s.array.type)
                and self.hidden(s, block.stmts[k + 1 : k + REACH])
            ):
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
        reads = (
            a for a in self.facts.accesses(stmt) if not a.write or a.accumulate or isinstance(stmt, Call)
        )
        return any(self.facts.clash(mine, a, shared) for a in reads)

    def visit(self, stmt: Stmt) -> None:
        if stmt not in self.dead:
            super().visit(stmt)

    def renamed(self, stmt: Stmt) -> Stmt:
        return stmt  # nothing is replaced
