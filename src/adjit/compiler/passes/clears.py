"""What one pass of a loop sets to zero for the next, the next one stores at once.

    for t in range(T):                              for t in range(T):
        for i in range(2, n - 2):                       for i in range(2, n - 2):
            b[i] += f(a, i)                                 b[i] = f(a, i)
        …                                   =>          …
        for i in range(1, n - 1):                       b[1] = 0.0; b[n - 2] = 0.0
            b[i] = 0.0                              for i in range(2, n - 2):
                                                        b[i] = 0.0

Input and output: core IR. The array is zero before the loop; of each pass the nest that adds to it is the
first to touch it, and the nest that clears it the last, over a box that holds the box of the first. Loops
that exchange arrays do so too: the array that is cleared is then another's in the next pass. Non-goals:
boxes that change from pass to pass; accumulations under a condition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..analyses.dependence import Dependence
from ..ir.nodes import Accumulate, Alloc, Block, Dim, For, Function, If, Op, Stmt, Store, Var
from ..ir.visitor import every_block, is_zero_store, walk, without
from .rewrite import Rewriter
from .rim import Box, Rim, over


def clears(fn: Function) -> Function:
    """Store where a loop would add to what it has cleared."""
    stmts = list(walk(fn.body))
    clearing = (
        isinstance(s, For) and bool(s.body.stmts) and all(map(is_zero_store, s.body.stmts)) for s in stmts
    )
    if not any(isinstance(s, Accumulate) for s in stmts) or not any(clearing):
        return fn
    found = _Finder(fn).all()
    return _Writing(fn, found).run() if found else fn


@dataclass(eq=False)
class _Clear:
    """`store` sets `last` to zero in the nest `nest`; `added` is the first access to the same memory in the
    next pass, there called `first`. `outer` and `inner` are the loops that walk along the axes.
    """

    loop: For
    nest: For
    store: Store
    outer: tuple[For, ...]
    added: Accumulate
    inner: tuple[For, ...]
    first: Var


class _Finder:
    def __init__(self, fn: Function) -> None:
        self.facts = Dependence.about(fn)
        self.forms = self.facts.forms
        self.place = self.facts.definitions.place
        self.blocks = {s: b for b in every_block(fn.body) for s in b.stmts}

    def all(self) -> list[_Clear]:
        loops = [s for s in self.facts.definitions.stmts if isinstance(s, For) and s.stop is None]
        return [c for loop in loops for nest in loop.body.stmts for c in self.of(loop, nest)]

    def of(self, loop: For, nest: Stmt) -> list[_Clear]:
        loops = self.nest(loop, nest)
        if loops is None or not all(is_zero_store(s) for s in loops[-1].body.stmts):
            return []
        assert isinstance(nest, For)
        found = []
        for s in loops[-1].body.stmts:
            assert isinstance(s, Store)
            outer, first = self.walked(loops, s), self.next_name(loop, s.array)
            if outer is None or first is None or self.touched(loop, s.array, nest, s):
                continue
            added = self.first_access(loop, first, nest)
            if added is not None and self.holds(outer, added[1]) and self.zero_before(loop, first):
                found.append(_Clear(loop, nest, s, outer, *added, first))
        return found

    # -- nests
    def nest(self, loop: For, stmt: Stmt) -> list[For] | None:
        """The loops of a nest over a box that is the same in all passes of `loop`."""
        depth = len(self.place[loop].loops)
        loops: list[For] = []
        while isinstance(stmt, For):
            bounds = [x for x in (stmt.lo, stmt.hi) if isinstance(x, Var)]
            if stmt.stop is not None or stmt.step != 1 or any(self.forms.depth(x) > depth for x in bounds):
                return None
            loops.append(stmt)
            inner = [s for s in stmt.body.stmts if isinstance(s, For)]
            if len(inner) != 1 or not all(isinstance(s, For | Op | Dim) for s in stmt.body.stmts):
                break
            stmt = inner[0]
        return loops or None

    def walked(self, loops: list[For], s: Store | Accumulate) -> tuple[For, ...] | None:
        """Per axis the loop that walks along it; None if the nest does not touch every element of its box."""
        found = [next((one for one in loops if one.iv is x), None) for x in s.index]
        good = [one for one in found if one is not None]
        return tuple(good) if len(good) == len(found) == len(loops) == len(set(good)) else None

    # -- one array through a pass
    def next_name(self, loop: For, array: Var) -> Var | None:
        """What the memory of `array` is called in the next pass."""
        depth = len(self.place[loop].loops)
        if array not in loop.args:
            return array if self.forms.depth(array) <= depth else None
        after = [a for a, y in zip(loop.args, loop.body.yields, strict=True) if y is array]
        return after[0] if len(after) == 1 else None

    def accesses(self, stmt: Stmt, array: Var, loop: For) -> list[Stmt]:
        """The statements in `stmt` that may touch the memory of `array`."""
        shared = len(self.place[loop].loops) + 1
        return [
            s
            for s in walk(Block((stmt,)))
            if any(self.facts.may_alias(a.array, array, shared) for a in self.facts.accesses(s))
        ]

    def touched(self, loop: For, array: Var, nest: For, store: Store) -> bool:
        """Whether anything but `store` touches the array in the nest or after it."""
        at = loop.body.stmts.index(nest)
        return any(self.accesses(s, array, loop) not in ([], [store]) for s in loop.body.stmts[at:])

    def first_access(self, loop: For, array: Var, last: For) -> tuple[Accumulate, tuple[For, ...]] | None:
        """The accumulation that is first to touch the array in a pass, alone in its nest, and its loops."""
        for s in loop.body.stmts:
            if s is last:
                return None
            found = self.accesses(s, array, loop)
            if not found:
                continue
            loops = self.nest(loop, s)
            (one, *more) = found
            if loops is None or more or one not in loops[-1].body.stmts:
                return None
            if not (isinstance(one, Accumulate) and one.array is array):
                return None
            walked = self.walked(loops, one)
            return None if walked is None else (one, walked)
        return None

    def holds(self, outer: tuple[For, ...], inner: tuple[For, ...]) -> bool:
        """Whether the box of `inner` lies in that of `outer`."""
        for big, small in zip(outer, inner, strict=True):
            below = (self.forms.of(small.lo) - self.forms.of(big.lo)).constant
            above = (self.forms.of(big.hi) - self.forms.of(small.hi)).constant
            if below is None or above is None or below < 0 or above < 0:
                return False
        return True

    def zero_before(self, loop: For, array: Var) -> bool:
        """Whether the memory that a pass calls `array` holds zeros before the loop."""
        if array in loop.args:
            start = loop.inits[loop.args.index(array)]
            assert isinstance(start, Var)
            array = start
        roots, depth = self.facts.roots, len(self.place[loop].loops)
        left = set(roots[array])
        block = self.blocks[loop].stmts
        for s in reversed(block[: block.index(loop)]):
            filled = s.out if isinstance(s, Alloc) and s.zeroed else self.filled(s)
            if filled is array:
                return True
            left -= {filled}
            if not left:
                return True
            if filled is None and any(
                a.write and self.facts.may_alias(a.array, array, depth)
                for inner in walk(Block((s,)))
                for a in self.facts.accesses(inner)
            ):
                return False
        return False

    def filled(self, stmt: Stmt) -> Var | None:
        """The array that a nest sets to zero from end to end."""
        loops: list[For] = []
        while isinstance(stmt, For) and stmt.step == 1 and stmt.stop is None:
            loops.append(stmt)
            if len(stmt.body.stmts) != 1:
                return None
            stmt = stmt.body.stmts[0]
        if not (loops and isinstance(stmt, Store) and is_zero_store(stmt)):
            return None
        walked = self.walked(loops, stmt)
        if walked is None:
            return None
        whole = all(
            self.forms.of(one.lo).constant == 0 and self.forms.of(one.hi).same(self.forms.dim(stmt.array, d))
            for d, one in enumerate(walked)
        )
        return stmt.array if whole else None


class _Writing(Rewriter):
    def __init__(self, fn: Function, found: list[_Clear]) -> None:
        super().__init__(fn)
        self.found = found
        self.added = {c.added for c in found}

    def visit(self, stmt: Stmt) -> None:
        original = self.original
        if original in self.added:
            assert isinstance(stmt, Accumulate)
            self.out.append(Store(stmt.array, stmt.index, stmt.value, loc=stmt.loc))
            return
        edges = [c for c in self.found if c.nest is original]
        if edges:
            assert isinstance(stmt, For)
            self.edges(stmt, edges)
            return
        super().visit(stmt)
        for c in self.found:
            if c.loop is original:
                self.once(c)

    def edges(self, nest: For, found: list[_Clear]) -> None:
        """Emit the clearing nest without the boxes that the next pass stores."""
        gone = {c.store for c in found}
        for left in without(Block((nest,)), gone).stmts:
            self.original = nest
            self.out.append(self.inner(self.renamed(left)))
        for c in found:
            self.rim(c)

    def box(self, loops: tuple[For, ...]) -> Box:
        return [(self.get(one.lo), self.get(one.hi)) for one in loops]

    def rim(self, c: _Clear) -> None:
        names = [one.iv.name for one in c.outer]
        array = self.array_of(c.store.array)

        def one(ivs: tuple[Var, ...]) -> list[Stmt]:
            return [Store(array, ivs, c.store.value, loc=c.store.loc)]

        Rim(self, names, c.store.loc).nest(self.box(c.outer), self.box(c.inner), one)

    def once(self, c: _Clear) -> None:
        """Emit what the last pass has left to be done."""
        last = c.loop.outs[c.loop.args.index(c.first)] if c.first in c.loop.args else c.first
        target = self.array_of(last)

        def one(ivs: tuple[Var, ...]) -> list[Stmt]:
            return [Store(target, ivs, c.store.value, loc=c.store.loc)]

        at = [replace(loop, loc=c.store.loc) for loop in c.inner]
        made = over(self.names, at, self.box(c.inner), one)
        # only a pass has seen to it that the box lies in the array
        loop = replace(c.loop, lo=self.get(c.loop.lo), hi=self.get(c.loop.hi))
        self.out.append(If(self.makes_a_pass(loop), Block((made,)), Block(), (), loc=c.store.loc))
