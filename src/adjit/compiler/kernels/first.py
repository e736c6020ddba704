"""The first sum into a zeroed array becomes a store, and the array is not zeroed.

    a = zeros((n,))                          a = empty((n,))
    for i in range(n): a[i] += f(i)    =>    for i in range(n): a[i] = f(i)

Input and output: core IR. A pass over memory to zero it and another to read it are saved: gradients of
elementwise programs then pass over memory as rarely as they can. The nest is the first to touch the array,
each of its passes adds once, to an element of its own, and together they reach every element. Non-goals:
arrays that are reached in parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..analyses.dependence import Dependence
from ..ir.nodes import Accumulate, Alloc, Block, Const, Dim, For, Function, Op, Operand, Stmt, Store, Var
from ..ir.types import grows
from ..ir.visitor import all_reads, blocks, walk, with_blocks
from ..passes.rewrite import Rewriter
from .placement import Placement


def margins(facts: Dependence, lo: Operand, hi: Operand, length: Operand) -> tuple[int, int] | None:
    """How many indices of an axis range(lo, hi) leaves out on either side, where that is a known number."""
    first = facts.forms.of(lo)
    rests = [
        (facts.forms.of(n) - facts.forms.of(end)).constant
        for n in _floored(facts, length)
        for end in _floored(facts, hi)
    ]
    rest = next((r for r in rests if r is not None), None)
    return None if first.constant is None or rest is None else (first.constant, rest)


def _floored(facts: Dependence, x: Operand) -> list[Operand]:
    """The operand, and what it is where it is not zero: m for max(m, 0)."""
    maker = facts.definitions.maker.get(x) if isinstance(x, Var) else None
    if not isinstance(maker, Op) or maker.op != "maximum":
        return [x]
    return [x, *(a for a, b in (maker.args, maker.args[::-1]) if isinstance(b, Const) and b.value == 0)]


def first_stores(fn: Function) -> Function:
    """Store where a zeroed array gets its first sum."""
    return _First(fn).run()


class _First(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence.about(fn)
        self.place = Placement(self.facts)

    def block(self, block: Block) -> Block:
        stmts, known = list(block.stmts), block.stmts
        for k, stmt in enumerate(known):
            if isinstance(stmt, Alloc) and stmt.zeroed and not grows(stmt.out.type):
                at = next((m for m in range(k + 1, len(known)) if self.touches(known[m], stmt.out)), None)
                found = None if at is None else self.found(known[at], stmt)
                if at is not None and found is not None:
                    stmts[at] = _with_store(stmts[at], found)
                    stmts[k] = replace(stmt, zeroed=False)
        changed = any(a is not b for a, b in zip(stmts, known, strict=True))
        return super().block(Block(tuple(stmts), block.yields) if changed else block)

    def touches(self, stmt: Stmt, array: Var) -> bool:
        return not isinstance(stmt, Dim) and any(x is array for x in all_reads(stmt))

    def found(self, stmt: Stmt, alloc: Alloc) -> Accumulate | None:
        """The one accumulation through which a nest fills an array."""
        if not isinstance(stmt, For) or stmt not in self.facts.definitions.place:
            return None
        if not self.place.worthwhile(stmt):
            return None
        loops = self.place.nest(stmt)
        inner = [s for s in walk(stmt.body) if not blocks(s) and self.touches(s, alloc.out)]
        if len(inner) != 1 or not isinstance(add := inner[0], Accumulate):
            return None
        if add not in loops[-1].body.stmts or not self.fills(loops, add.index, alloc):
            return None
        return add

    def fills(self, loops: Sequence[For], index: Sequence[Operand], alloc: Alloc) -> bool:
        if len(index) != len(loops) or {id(x) for x in index} != {id(loop.iv) for loop in loops}:
            return False
        of = {loop.iv: loop for loop in loops}
        return all(
            isinstance(x, Var) and of[x].step == 1 and margins(self.facts, of[x].lo, of[x].hi, n) == (0, 0)
            for x, n in zip(index, alloc.shape, strict=True)
        )


def _with_store(stmt: Stmt, add: Accumulate) -> Stmt:
    if stmt is add:
        return Store(add.array, add.index, add.value, loc=add.loc)
    return with_blocks(stmt, lambda b: Block(tuple(_with_store(s, add) for s in b.stmts), b.yields))
