"""Where each variable and statement of a function lies.

Input: a core function and the bodies of loops that are reversed pass by pass (`fusion`): like the
function's own block these are
*tops*, whose values are still alive when they are reversed. Output: `Placement`, frozen facts: the defining
statement of a variable, the block in which it becomes visible, the order of definition, and the loops and
blocks around a block.
Non-goals: anything about values or memory.
"""

from __future__ import annotations

from ..ir.nodes import Block, For, Function, Stmt, Var, While
from ..ir.visitor import block_params, blocks, defined

Loop = For | While


class Placement:
    def __init__(self, fn: Function, tops: tuple[Block, ...] = ()) -> None:
        self.top = fn.body
        self.tops = frozenset((fn.body, *tops))
        self.definition: dict[Var, Stmt | None] = {}
        self.block_of: dict[Var, Block] = {}
        self.order: dict[Var, int] = {}
        self.block_with: dict[Stmt, Block] = {}
        self.owner: dict[Block, Stmt] = {}
        for v in fn.params:
            self._place(v, None, fn.body)
        self._visit(fn.body)

    def _place(self, v: Var, stmt: Stmt | None, block: Block) -> None:
        self.definition[v] = stmt
        self.block_of[v] = block
        self.order[v] = len(self.order)

    def _visit(self, block: Block) -> None:
        for stmt in block.stmts:
            self.block_with[stmt] = block
            inner = blocks(stmt)
            for v in block_params(stmt):
                self._place(v, stmt, inner[-1])
            for child in inner:
                self.owner[child] = stmt
                self._visit(child)
            for v in defined(stmt):
                self._place(v, stmt, block)

    def is_top(self, v: Var) -> bool:
        """Whether a variable is still alive when what follows it is reversed."""
        return self.block_of[v] in self.tops

    def outwards(self, block: Block) -> list[Block]:
        """The block and those around it, innermost first."""
        found = [block]
        while found[-1] is not self.top:
            found.append(self.block_with[self.owner[found[-1]]])
        return found

    def loops(self, block: Block) -> list[Loop]:
        """The loops between a block and the top around it, outermost first."""
        owners = []
        for b in self.outwards(block):
            if b in self.tops:
                break
            owners.append(self.owner[b])
        return [s for s in reversed(owners) if isinstance(s, For | While)]

    def inside(self, block: Block, stmt: Stmt) -> bool:
        """Whether `block` lies in one of the blocks of `stmt`."""
        return any(b is not self.top and self.owner[b] is stmt for b in self.outwards(block))
