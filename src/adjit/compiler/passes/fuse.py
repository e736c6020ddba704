"""Fuse a loop with an earlier one that produces what it reads.

    for i in range(n): a[i] = f(x[i])                  for i in range(n):
    for i in range(n): y[i] = g(a[i])      =>              a[i] = f(x[i])
                                                           y[i] = g(a[i])

Input and output: core IR. The second loop reads what the first writes, or half the elements that the first
reads, or both only check indices. They have equal bounds, and no pass of the second needs what a later pass
of the first writes, or overwrites what one reads. Statements between them stay behind the fused loop if it
does not need them, else move before it if they do not need the first loop. Nests are fused level by level.
Forwarding of stores then makes most arrays between the two superfluous. Non-goal: shifted bounds.
"""

from __future__ import annotations

from dataclasses import replace

from ..analyses.affine import Affine
from ..analyses.dependence import Access, Dependence
from ..ir.nodes import (
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
    Stmt,
    Store,
    Var,
)
from ..ir.visitor import all_reads, blocks, defined, every_block, substitute, walk
from .rewrite import Rewriter

REACH = 24  # statements to look back over


def fuse(fn: Function) -> Function:
    """Fuse producers and consumers; repeated while anything changes, since each fusion makes neighbours."""
    for _ in range(8):
        if not any(_several(b) for b in every_block(fn.body)):
            break
        fused = _Fusing(fn).run()
        if fused is fn:
            break
        fn = fused
    return fn


def _checks_index(stmt: Stmt) -> bool:
    return isinstance(stmt, Bounds) or (isinstance(stmt, Check) and stmt.error == "OutOfBoundsError")


def _several(block: Block) -> bool:
    return sum(isinstance(s, For) for s in block.stmts) > 1


class _Fusing(Rewriter):
    """One fusion per block and run: the facts are those of the function as it was."""

    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence.about(fn)
        self.touched: set[Stmt] = set()
        self._accesses: dict[Stmt, list[Access]] = {}
        self._reads: dict[Stmt, set[Var]] = {}
        self._memory: dict[Stmt, tuple[set[Var], set[Var]]] = {}
        self._guards: dict[Stmt, bool] = {}
        self._depends: dict[tuple[Stmt, Stmt], bool] = {}
        self._loads: dict[For, frozenset[object]] = {}

    def block(self, block: Block) -> Block:
        stmts = list(block.stmts)
        for second in block.stmts:
            if isinstance(second, For) and self.plain(second) and second in stmts:
                stmts = self.attempt(stmts, stmts.index(second), self.touched) or stmts
        changed = len(stmts) < len(block.stmts)
        return super().block(Block(tuple(stmts), block.yields) if changed else block)

    def visit(self, stmt: Stmt) -> None:
        if stmt in self.touched:  # its statements are new: the next run looks inside
            self.out.append(stmt)
        else:
            super().visit(stmt)

    def plain(self, loop: For) -> bool:
        return loop.stop is None and loop.trips is None

    def attempt(self, stmts: list[Stmt], at: int, touched: set[Stmt]) -> list[Stmt] | None:
        """The block with the loop at `at` fused into an earlier one, if there is one."""
        second = stmts[at]
        assert isinstance(second, For)
        if second in touched:
            return None
        partners = self.partners(stmts, at, touched)
        needed: list[Stmt] = [second]  # what moves up with the loop
        kept: list[Stmt] = []
        for k in range(at - 1, min(partners, default=at) - 1, -1):
            first = stmts[k]
            if k in partners and not any(self.depends(s, first) for s in needed[1:]):
                assert isinstance(first, For)
                fused = self.joined(first, second)
                touched.update((fused, first, second))
                before, after = self.parted(first, stmts[k + 1 : at], needed)
                return [*stmts[:k], *before, fused, *after, *stmts[at + 1 :]]
            if any(self.depends(s, first) for s in needed):
                if isinstance(first, Mark):
                    return None
                needed.append(first)
            else:
                kept.append(first)
        return None

    def partners(self, stmts: list[Stmt], at: int, touched: set[Stmt]) -> set[int]:
        """Where the loops stand that the one at `at` could be fused into, by what they are themselves."""
        second, found = stmts[at], set()
        assert isinstance(second, For)
        for k in range(at - 1, max(at - 1 - REACH, -1), -1):
            first = stmts[k]
            if first in touched:
                break
            if isinstance(first, For) and self.fusible(first, second):
                found.add(k)
        return found

    def parted(self, first: For, between: list[Stmt], needed: list[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        """What goes before and behind the fused loop: arithmetic goes before it where it can, so that the
        reverse sweep knows it when the loop begins.
        """
        before: list[Stmt] = []
        after: list[Stmt] = []
        made = set(defined(first))
        for s in between:
            if s in needed or (isinstance(s, Op) and self.reads(s).isdisjoint(made)):
                before.append(s)
            else:
                after.append(s)
                made.update(defined(s))
        return before, after

    # -- dependences between statements of one block
    def accesses(self, stmt: Stmt) -> list[Access]:
        found = self._accesses.get(stmt)
        if found is None:
            inner = [s for b in blocks(stmt) for s in walk(b)]
            found = self._accesses[stmt] = [a for s in (stmt, *inner) for a in self.facts.accesses(s)]
        return found

    def reads(self, stmt: Stmt) -> set[Var]:
        found = self._reads.get(stmt)
        if found is None:
            found = self._reads[stmt] = {x for x in all_reads(stmt) if isinstance(x, Var)}
        return found

    def memory(self, stmt: Stmt) -> tuple[set[Var], set[Var]]:
        """The roots of what a statement touches, and of what it writes."""
        found = self._memory.get(stmt)
        if found is None:
            found = self._memory[stmt] = set(), set()
            for a in self.accesses(stmt):
                for roots in found if a.write else found[:1]:
                    roots.update(self.facts.roots[a.array])
        return found

    def depends(self, later: Stmt, earlier: Stmt) -> bool:
        """Whether `later` must stay behind `earlier`."""
        key = (later, earlier)
        if key not in self._depends:
            self._depends[key] = self._depends_anew(later, earlier)
        return self._depends[key]

    def _depends_anew(self, later: Stmt, earlier: Stmt) -> bool:
        if not self.reads(later).isdisjoint(defined(earlier)):
            return True
        if self.marks(later, earlier) or self.marks(earlier, later):
            return True
        if self.guards(earlier) and (blocks(later) or isinstance(later, Store | Call)):
            return True
        (touched, written), (before, overwritten) = self.memory(later), self.memory(earlier)
        if touched.isdisjoint(overwritten) and written.isdisjoint(before):
            return False
        shared, roots = len(self.facts.definitions.place[later].loops), self.facts.roots
        return any(
            (x.write or y.write)
            and not roots[x.array].isdisjoint(roots[y.array])
            and self.facts.clash(x, y, shared)
            for x in self.accesses(earlier)
            for y in self.accesses(later)
        )

    def marks(self, stmt: Stmt, other: Stmt) -> bool:
        """Whether a statement marks memory that the other touches: the mark divides the uses of an array."""
        if not isinstance(stmt, Mark) or not isinstance(stmt.value, Var):
            return False
        memory = self.facts.roots.get(stmt.value, frozenset())
        return any(not memory.isdisjoint(self.facts.roots[a.array]) for a in self.accesses(other))

    def guards(self, stmt: Stmt) -> bool:
        """Whether a statement may raise, so that what follows may rely on it."""
        if stmt not in self._guards:
            within = (stmt, *(s for b in blocks(stmt) for s in walk(b)))
            self._guards[stmt] = any(isinstance(s, Check | Bounds) for s in within)
        return self._guards[stmt]

    def is_of_checks(self, loop: For) -> bool:
        """Whether a loop checks indices and does nothing else; which of two is found first is no matter."""
        inside = all(isinstance(s, Op | Load | Dim | For | If) or _checks_index(s) for s in walk(loop.body))
        return inside and self.guards(loop) and not loop.args

    # -- two loops
    def fusible(self, first: For, second: For) -> bool:
        forms = self.facts.forms
        only_check = self.is_of_checks(first) and self.is_of_checks(second)
        if not self.plain(first) or first.step != second.step or (self.guards(second) and not only_check):
            return False
        if not (forms.of(first.lo).same(forms.of(second.lo)) and self.end(first).same(self.end(second))):
            return False
        if not self.reads(second).isdisjoint(defined(first)):
            return False
        if only_check:
            return True
        produces = False
        for x in self.accesses(first):
            for y in self.accesses(second):
                if not (x.write or y.write) or self.facts.roots[x.array].isdisjoint(
                    self.facts.roots[y.array]
                ):
                    continue
                if self.facts.ahead(x, y, first, second):
                    return False
                produces = produces or (
                    x.write and not y.write and self.facts.origin(x.array) is self.facts.origin(y.array)
                )
        return produces or self.repeats(second, first)

    def end(self, loop: For) -> Affine:
        """The last bound; from 0 on, `maximum(n, 0)` passes are n passes."""
        forms = self.facts.forms
        made = self.facts.definitions.maker.get(loop.hi) if isinstance(loop.hi, Var) else None
        if (
            isinstance(made, Op)
            and made.op == "maximum"
            and forms.of(loop.lo).constant == 0
            and loop.step > 0
        ):
            a, b = map(forms.of, made.args)
            if 0 in (a.constant, b.constant):
                return b if a.constant == 0 else a
        return forms.of(loop.hi)

    def repeats(self, second: For, first: For) -> bool:
        """Whether one loop reads, pass by pass, half or more of what the other reads."""
        had = self.loads(first)
        return bool(had) and 2 * len(had & self.loads(second)) >= len(had)

    def loads(self, loop: For) -> frozenset[object]:
        """The elements that a loop reads, with the loop variables numbered from this loop inwards."""
        found = self._loads.get(loop)
        if found is None:
            found = self._loads[loop] = frozenset(
                self.element(s, loop) for s in walk(loop.body) if isinstance(s, Load)
            )
        return found

    def element(self, load: Load, loop: For) -> object:
        forms, loops = self.facts.forms, self.facts.definitions.place[load].loops
        levels: dict[object, int] = {}
        for k, one in enumerate(loops[loops.index(loop) :]):
            if isinstance(one, For):
                levels[forms.counter(one)] = k
        index = [forms.of(x) for x in load.index]
        return load.array, tuple(
            (frozenset((levels.get(s, s), c) for s, c in i.terms.items()), i.const) for i in index
        )

    def joined(self, first: For, second: For) -> For:
        body = substitute(second.body, lambda x: first.iv if x is second.iv else x)
        stmts = (*first.body.stmts, *body.stmts)
        return replace(
            first,
            args=(*first.args, *second.args),
            inits=(*first.inits, *second.inits),
            body=Block(stmts, (*first.body.yields, *body.yields)),
            outs=(*first.outs, *second.outs),
            independent=first.independent and second.independent and not self.tied(first, second),
            promised=False,
        )

    def tied(self, first: For, second: For) -> bool:
        """Whether a pass of one loop can meet what another pass of the other writes."""
        facts = self.facts
        return any(
            facts.ahead(x, y, first, second) or facts.ahead(y, x, second, first)
            for x in self.accesses(first)
            for y in self.accesses(second)
            if (x.write or y.write) and not (x.accumulate and y.accumulate)
        )
