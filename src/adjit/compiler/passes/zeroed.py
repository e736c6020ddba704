"""What is set to zero only to be added to is stored at once.

    for i in range(k): x[i] = ct_y[i]; ct_y[i] = 0.0           for i in range(k): x[i] = ct_y[i]
    for i in range(k): ct_y[i] += 2.0 * x[i]            =>     for i in range(k): ct_y[i] = 2.0 * x[i]

    ct_z = zeros(n)                                            ct_z = empty(n)
    for t in range(T):                                         for t in range(T):
        for i in range(t): ct_z[i] += g[i]                         for i in range(t): ct_z[i] = g[i]
        for i in range(t): h[i] = ct_z[i]; ct_z[i] = 0.0           for i in range(t): h[i] = ct_z[i]

Input and output: core IR. The nest that clears and the nest that adds walk over the same box, and nothing
else touches the array between them: in one block, or from one pass of a loop to the next, where the array
is scratch memory that each pass finds and leaves zeroed. Non-goals: boxes of which one holds the other
(`clears`); arrays that are zeroed where they are made for one addition (`first_stores`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..analyses.boxes import Boxes
from ..ir.nodes import Accumulate, Alloc, Block, For, Function, Stmt, Store
from ..ir.types import grows
from ..ir.visitor import every_block, is_zero_store, walk
from .rewrite import Rewriter


def zeroed(fn: Function) -> Function:
    """Store where zeros would be added to."""
    stmts = list(walk(fn.body))
    if not any(map(is_zero_store, stmts)) or not any(isinstance(s, Accumulate) for s in stmts):
        return fn
    found = _Finder(fn)
    return _Writing(fn, found).run() if found.added else fn


class _Finder:
    """`added` are additions that store instead, `gone` stores of zeros, `unfilled` arrays that need no
    zeros.
    """

    def __init__(self, fn: Function) -> None:
        self.boxes = Boxes.about(fn)
        self.facts, self.place = self.boxes.facts, self.boxes.place
        self.fn = fn
        self.added: set[Stmt] = set()
        self.gone: set[Stmt] = set()
        self.unfilled: set[Stmt] = set()
        for block in every_block(fn.body):
            for k, nest in enumerate(block.stmts):
                for s in walk(Block((nest,))) if isinstance(nest, For) else ():
                    if isinstance(s, Store) and is_zero_store(s):
                        self.next_to(s, nest, block.stmts[k + 1 :])
        for s in self.facts.definitions.stmts:
            if isinstance(s, Alloc) and s.zeroed and s.shape and self.facts.has_one_name(s.out):
                self.scratch(s)

    # -- in one block
    def next_to(self, zero: Store, nest: Stmt, after: Sequence[Stmt]) -> None:
        """A store of zeros in a nest, and what follows in its block."""
        depth = len(self.place[nest].loops)
        seen = not self.facts.roots[zero.array].isdisjoint(self.fn.params)  # by who catches an error
        if seen or grows(zero.array.type):
            return
        for second in after:
            touching = self.boxes.touching((second,), zero.array, depth)
            if touching:
                self.pair(zero, nest, touching[0], second)
                return

    def pair(self, zero: Store, nest: Stmt, first: Stmt, second: Stmt) -> bool:
        """Note that `first` can store what it adds, if the one nest leaves zeros to the other."""
        if not isinstance(first, Accumulate) or zero.array is not first.array:
            return False
        depth = len(self.place[nest].loops)
        before, after = (self.boxes.touching((s,), zero.array, depth) for s in (nest, second))
        good = (
            self.boxes.equal(self.boxes.box(zero, nest), self.boxes.box(first, second))
            and before[-1] is zero
            and all(self.boxes.same(zero, s) for s in before)
            and all(self.boxes.same(first, s) for s in after)
        )
        if good:
            self.added.add(first)
            self.gone.add(zero)
        return good

    # -- from pass to pass
    def scratch(self, alloc: Alloc) -> None:
        """An array that each pass of a loop finds and leaves zeroed."""
        accesses = self.boxes.touching(self.fn.body.stmts, alloc.out, 0)
        if not accesses or alloc.out in self.fn.results:
            return
        for loop in self.place[accesses[0]].loops[len(self.place[alloc].loops) :]:
            inside = all(self.facts.definitions.inside(s, loop) for s in accesses)
            if not isinstance(loop, For) or loop.stop is not None or not inside:
                return
            depth = len(self.place[loop].loops) + 1
            nests = [s for s in loop.body.stmts if self.boxes.touching((s,), alloc.out, depth)]
            first, zero = accesses[0], accesses[-1]
            box = self.boxes.box(first, nests[0]) if isinstance(first, Accumulate) else None
            if (
                box is not None
                and len(nests) > 1
                and is_zero_store(zero)
                and all(self.boxes.within(s, box) for s in accesses)
                and self.pair(zero, nests[-1], first, nests[0])
            ):
                self.unfilled.add(alloc)
                return


class _Writing(Rewriter):
    def __init__(self, fn: Function, found: _Finder) -> None:
        super().__init__(fn)
        self.found = found

    def visit(self, stmt: Stmt) -> None:
        if self.original in self.found.gone:
            return
        if self.original in self.found.added:
            assert isinstance(stmt, Accumulate)
            self.out.append(Store(stmt.array, stmt.index, stmt.value, loc=stmt.loc))
        elif self.original in self.found.unfilled:
            assert isinstance(stmt, Alloc)
            self.out.append(replace(stmt, zeroed=False))
        else:
            super().visit(stmt)
