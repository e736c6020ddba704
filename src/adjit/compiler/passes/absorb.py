"""A copy that only lets an array be updated in place takes the update, and the next update brings it back.

    for i in range(n): z[i] = y[i]                   for i in range(n): z[i] = y[i] + a * y[n - 1 - i]
    for i in range(n): y[i] = z[i] + a * z[n - 1 - i]    =>
    for i in range(n): y[i] += g[i]                  for i in range(n): y[i] = z[i] + g[i]

Input and output: core IR. The three nests walk over the same box in one block, nothing touches the two
arrays in between, and the copy has no other use. Non-goals: copies under conditions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice

from ..analyses.boxes import Boxes, Element
from ..ir.nodes import Accumulate, Alloc, For, Function, Load, Stmt, Store, Var
from ..ir.visitor import every_block, walk
from .rewrite import Rewriter


def absorb(fn: Function) -> Function:
    """Leave out copies whose original can be read instead."""
    if sum(isinstance(s, For) for s in walk(fn.body)) < 3:
        return fn
    found = _Finder(fn)
    return _Writing(fn, found).run() if found.gone else fn


@dataclass(frozen=True, eq=False)
class _Moves:
    """The update of `array` goes to `copy`, and comes back with the next one."""

    array: Var
    copy: Var


class _Finder:
    """`gone` are nests that copy; by statement, `reads` are loads of a copy, `writes` updates of its original
    and `back` the next additions to that.
    """

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.boxes = Boxes.about(fn)
        self.gone: set[Stmt] = set()
        self.reads: dict[Stmt, _Moves] = {}
        self.writes: dict[Stmt, _Moves] = {}
        self.back: dict[Stmt, _Moves] = {}
        self.touched: set[Var] = set()
        for block in every_block(fn.body):
            for k, nest in enumerate(block.stmts):
                pair = self.copied(nest) if isinstance(nest, For) else None
                if pair is not None:
                    self.absorb(nest, *pair, block.stmts[k + 1 :])

    def copied(self, nest: Stmt) -> tuple[Load, Store] | None:
        """The two statements of a nest that copies a box of one array to the same box of scratch memory."""
        inner = nest
        while isinstance(inner, For) and len(inner.body.stmts) == 1:
            (inner,) = inner.body.stmts
        if not isinstance(inner, For) or inner.args or len(inner.body.stmts) != 2:
            return None
        load, store = inner.body.stmts
        if not (isinstance(load, Load) and isinstance(store, Store) and store.value is load.out):
            return None
        facts = self.boxes.facts
        scratch = isinstance(facts.definitions.maker[store.array], Alloc) and facts.has_one_name(store.array)
        seen = not facts.roots[load.array].isdisjoint(self.fn.params)
        if seen or not scratch or store.array in self.fn.results or load.index != store.index:
            return None
        return (load, store) if facts.roots[load.array].isdisjoint({store.array}) else None

    def absorb(self, nest: Stmt, load: Load, store: Store, after: tuple[Stmt, ...]) -> None:
        """Note what becomes of a copying nest and of the nests that follow in its block, if it can go."""
        boxes, array, copy = self.boxes, load.array, store.array
        depth = len(boxes.place[nest].loops)
        box = boxes.box(store, nest)
        either = (s for s in after if any(boxes.touching((s,), v, depth) for v in (array, copy)))
        nests = list(islice(either, 2))
        if box is None or len(nests) < 2 or not self.touched.isdisjoint((array, copy)):
            return
        update, back = nests
        writes, returns = (boxes.touching((s,), array, depth) for s in nests)
        reads = boxes.touching((update,), copy, depth)
        others = set(boxes.touching(self.fn.body.stmts, copy, 0)) - {store, *reads}
        first = returns[0] if returns else None
        if others or not writes or not isinstance(first, Accumulate):
            return
        if not all(isinstance(s, Load) and boxes.within(s, box) for s in reads):
            return
        if not all(isinstance(s, Store | Accumulate) for s in writes):
            return
        for nest_, touching in ((update, writes), (back, returns)):
            lead = touching[0]
            assert isinstance(lead, Element)
            if not boxes.equal(box, boxes.box(lead, nest_)) or not all(boxes.same(lead, s) for s in touching):
                return
        moves = _Moves(array, copy)
        self.gone.add(nest)
        self.reads.update(dict.fromkeys(reads, moves))
        self.writes.update(dict.fromkeys(writes, moves))
        self.back[first] = moves
        self.touched.update((array, copy))


class _Writing(Rewriter):
    def __init__(self, fn: Function, found: _Finder) -> None:
        super().__init__(fn)
        self.found = found
        self.begun: set[_Moves] = set()

    def visit(self, stmt: Stmt) -> None:
        found, original = self.found, self.original
        if original is None or original in found.gone:
            return
        if isinstance(stmt, Load) and original in found.reads:
            self.out.append(replace(stmt, array=self.array_of(found.reads[original].array)))
        elif isinstance(stmt, Store | Accumulate) and original in found.writes:
            moves = found.writes[original]
            self.moved(stmt, moves.array, moves.copy, first=moves not in self.begun)
            self.begun.add(moves)
        elif isinstance(stmt, Accumulate) and original in found.back:
            moves = found.back[original]
            self.moved(stmt, moves.copy, moves.array, first=True)
        else:
            super().visit(stmt)

    def moved(self, stmt: Store | Accumulate, source: Var, target: Var, *, first: bool) -> None:
        """Emit an update of `source` that is left in `target`."""
        array = self.array_of(target)
        if not first or isinstance(stmt, Store):
            self.out.append(replace(stmt, array=array))
            return
        old = self.names.fresh(source.name, stmt.value.type)
        self.out.append(Load(old, self.array_of(source), stmt.index, loc=stmt.loc))
        total = self.op("add", old, stmt.value, hint=source.name, loc=stmt.loc)
        self.out.append(Store(array, stmt.index, total, loc=stmt.loc))
