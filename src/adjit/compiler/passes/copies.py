"""Elements of a copy are read where they were copied from.

    c = empty((n, m))                                       for i in range(n):
    for i in range(n):                                          for j in range(m):
        for j in range(m): c[i, j] = x[i + 1, j + 1]    =>          y[i, j] = x[i + 1, j + 1] * x[i, j]
    for i in range(n):
        for j in range(m): y[i, j] = c[i, j] * x[i, j]

Input and output: core IR, before it is differentiated, so that the reverse sweep does not save what it has.
Nothing else writes the copy, and nothing writes the original until the copy is read for the last time. The
last axes agree: rows stay rows. Which rows may be data, as in `c = x[chosen]`; the checks of such indices
stay where they are. Non-goals: single elements that data choose, copies that zeros surround.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..analyses.dependence import Dependence
from ..ir.nodes import Alloc, Block, Bounds, Dim, For, Function, If, Load, Op, Operand, Stmt, Store, Var
from ..ir.types import BOOL, INT, grows
from ..ir.visitor import blocks, every_block, makers, operands, walk, without
from .clone import clone
from .rewrite import Rewriter


def copies(fn: Function) -> Function:
    """Read originals instead of copies."""
    if not any(_copied(s) for b in every_block(fn.body) for s in b.stmts):
        return fn
    facts = Dependence.about(fn)
    found = [c for b in every_block(fn.body) for k, s in enumerate(b.stmts) if (c := _copy(facts, b, k, s))]
    arrays = {c.array for c in found}
    found = [c for c in found if arrays.isdisjoint(c.sources)]  # of copies of copies, another time
    return _Reading(fn, facts, found).run() if found else fn


@dataclass(eq=False)
class _Copy:
    """`nest` does nothing but store at its loop variables `ivs` what `load` reads; `index` computes where
    that is, from numbers and from memory.
    """

    nest: For
    ivs: tuple[Var, ...]
    index: list[Stmt]
    load: Load
    store: Store

    @property
    def array(self) -> Var:
        return self.store.array

    @property
    def sources(self) -> set[Var]:
        return {s.array for s in (self.load, *self.index) if isinstance(s, Load)}


def _copied(nest: Stmt) -> _Copy | None:
    ivs: list[Var] = []
    index: list[Op | Load] = []
    stmt = nest
    while isinstance(stmt, For) and stmt.stop is None and not stmt.args and stmt.body.stmts:
        assert isinstance(nest, For)
        ivs.append(stmt.iv)
        *before, last = stmt.body.stmts
        index += [s for s in before if isinstance(s, Op | Load)]
        if isinstance(last, Store):
            load = next((s for s in before if isinstance(s, Load) and s.out is last.value), None)
            plain = all(s is load or _indexing(s) for s in before) and last.index == tuple(ivs)
            if load is None or not plain:
                return None
            return _Copy(nest, tuple(ivs), makers(index, load.index), load, last)
        if not all(map(_indexing, before)):
            return None
        stmt = last
    return None


def _indexing(stmt: Stmt) -> bool:
    """Whether a statement computes or checks indices."""
    if isinstance(stmt, If):
        return not stmt.outs and all(isinstance(s, Bounds) for b in blocks(stmt) for s in b.stmts)
    return isinstance(stmt, Bounds) or (isinstance(stmt, Op | Load) and stmt.out.type in (INT, BOOL))


def _copy(facts: Dependence, block: Block, k: int, nest: Stmt) -> _Copy | None:
    found = _copied(nest)
    if found is None:
        return None
    array = found.array
    made = facts.definitions.maker.get(array)
    if not isinstance(made, Alloc) or made.zeroed or grows(array.type) or array in facts.fn.results:
        return None
    if array.type.dtype != found.load.array.type.dtype or not _rows(facts, found):
        return None
    if not facts.has_one_name(array):
        return None
    uses = [s for s in facts.definitions.stmts if array in operands(s) and s not in (made, found.store)]
    if not all(isinstance(s, Load | Dim | Bounds) for s in uses):
        return None
    reads = [s for s in uses if isinstance(s, Load)]
    after = block.stmts[k + 1 :]
    last = max((j for j, s in enumerate(after) if any(r in reads for r in walk(Block((s,))))), default=-1)
    inside = {r for s in after[: last + 1] for r in walk(Block((s,)))}
    if not reads or not all(r in inside for r in reads):
        return None
    depth = len(facts.definitions.place[nest].loops)

    def meets(x: Var) -> bool:
        return any(facts.may_alias(x, source, depth) for source in found.sources)

    written = any(a.write and meets(a.array) for s in inside for a in facts.accesses(s))
    return None if written or meets(array) else found


def _rows(facts: Dependence, copy: _Copy) -> bool:
    """Whether the last axes agree."""
    loop = facts.definitions.maker.get(copy.ivs[-1])
    if not copy.load.index or not isinstance(loop, For):
        return False
    return facts.forms.of(copy.load.index[-1]).terms.get(facts.forms.counter(loop)) == 1


class _Reading(Rewriter):
    def __init__(self, fn: Function, facts: Dependence, found: list[_Copy]) -> None:
        super().__init__(fn)
        self.nests: dict[Stmt | None, _Copy] = {c.nest: c for c in found}
        self.copy = {c.array: c for c in found}
        self.shape = {a: facts.definitions.maker[a].shape for a in self.copy}  # type: ignore[union-attr]

    def visit(self, stmt: Stmt) -> None:
        made = self.nests.get(self.original)
        if made is not None:
            self.out += self.checks(made)
            return
        if isinstance(stmt, Dim) and stmt.array in self.copy:
            self.equate(stmt.out, self.get(self.shape[stmt.array][stmt.axis]))
            return
        if not (isinstance(stmt, Load) and stmt.array in self.copy):
            super().visit(stmt)
            return
        c = self.copy[stmt.array]
        mapping: dict[Var, Operand] = {**self.map, **dict(zip(c.ivs, stmt.index, strict=True))}
        index = clone([replace(s, loc=stmt.loc) for s in c.index], mapping, self.names)
        (load,) = clone([replace(c.load, loc=stmt.loc)], mapping, self.names)
        assert isinstance(load, Load)
        self.out += index
        self.visit(load)
        self.equate(stmt.out, load.out)

    def checks(self, copy: _Copy) -> list[Stmt]:
        """What a nest checks, without what it copies."""
        if not any(isinstance(s, Bounds) for s in walk(copy.nest.body)):
            return []
        return clone(without(Block((copy.nest,)), {copy.store}).stmts, dict(self.map), self.names)
