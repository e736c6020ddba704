"""Elements of a copy are read where they were copied from.

    c = empty((n, m))                                       for i in range(n):
    for i in range(n):                                          for j in range(m):
        for j in range(m): c[i, j] = x[i + 1, j + 1]    =>          y[i, j] = x[i + 1, j + 1] * x[i, j]
    for i in range(n):
        for j in range(m): y[i, j] = c[i, j] * x[i, j]

Input and output: core IR, before it is differentiated, so that the reverse sweep does not save what it has.
Nothing else writes the copy, and nothing writes the original until the copy is read for the last time. The
last axes agree: rows stay rows. Non-goals: copies with an index of data, copies that zeros surround.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..analyses.dependence import Dependence
from ..ir.nodes import Alloc, Block, Bounds, Dim, For, Function, Load, Op, Operand, Stmt, Store, Var
from ..ir.types import INT, grows
from ..ir.visitor import every_block, operands, walk
from .clone import clone
from .rewrite import Rewriter


def copies(fn: Function) -> Function:
    """Read originals instead of copies."""
    if not any(_copied(s) for b in every_block(fn.body) for s in b.stmts):
        return fn
    facts = Dependence(fn)
    found = [c for b in every_block(fn.body) for k, s in enumerate(b.stmts) if (c := _copy(facts, b, k, s))]
    arrays = {c.array for c in found}
    found = [c for c in found if c.load.array not in arrays]  # of copies of copies, another time
    return _Reading(fn, found).run() if found else fn


@dataclass(eq=False)
class _Copy:
    """`nest` stores to `array` at its loop variables `ivs` what `load` reads; `index` computes where that
    is.
    """

    nest: For
    array: Var
    shape: tuple[Operand, ...]
    ivs: tuple[Var, ...]
    index: list[Stmt]
    load: Load


def _copied(stmt: Stmt) -> tuple[tuple[Var, ...], list[Stmt], Load, Store] | None:
    """The loop variables, the arithmetic, the load and the store of a nest that does nothing else."""
    ivs: list[Var] = []
    index: list[Stmt] = []
    while isinstance(stmt, For) and stmt.stop is None and not stmt.args:
        ivs.append(stmt.iv)
        ops = [s for s in stmt.body.stmts if isinstance(s, Op) and s.out.type == INT]
        rest = [s for s in stmt.body.stmts if s not in ops]
        index += ops
        if len(rest) == 1:
            stmt = rest[0]
            continue
        match rest:
            case (Load(out=v) as load, Store(value=value, index=at) as store) if value is v and at == tuple(
                ivs
            ):
                return tuple(ivs), index, load, store
        return None
    return None


def _copy(facts: Dependence, block: Block, k: int, nest: Stmt) -> _Copy | None:
    parts = _copied(nest)
    if parts is None:
        return None
    assert isinstance(nest, For)
    ivs, index, load, store = parts
    array, source = store.array, load.array
    made = facts.definitions.maker.get(array)
    if not isinstance(made, Alloc) or made.zeroed or grows(array.type) or array in facts.fn.results:
        return None
    if array.type.dtype != source.type.dtype or not _rows(facts, ivs, load):
        return None
    if not facts.has_one_name(array):
        return None
    uses = [s for s in facts.definitions.stmts if array in operands(s) and s not in (made, store)]
    if not all(isinstance(s, Load | Dim | Bounds) for s in uses):
        return None
    reads = [s for s in uses if isinstance(s, Load)]
    after = block.stmts[k + 1 :]
    last = max((j for j, s in enumerate(after) if any(r in reads for r in walk(Block((s,))))), default=-1)
    inside = {r for s in after[: last + 1] for r in walk(Block((s,)))}
    depth = len(facts.definitions.place[nest].loops)
    if not reads or not all(r in inside for r in reads) or facts.may_alias(array, source, depth):
        return None
    written = any(
        a.write and facts.may_alias(a.array, source, depth) for s in inside for a in facts.accesses(s)
    )
    return None if written else _Copy(nest, array, made.shape, ivs, index, load)


def _rows(facts: Dependence, ivs: tuple[Var, ...], load: Load) -> bool:
    """Whether the last axes agree, and the index is arithmetic of the loop variables."""
    loop = facts.definitions.maker.get(ivs[-1])
    if not load.index or not isinstance(loop, For):
        return False
    return facts.forms.of(load.index[-1]).terms.get(facts.forms.counter(loop)) == 1


class _Reading(Rewriter):
    def __init__(self, fn: Function, found: list[_Copy]) -> None:
        super().__init__(fn)
        self.nests = {c.nest for c in found}
        self.copy = {c.array: c for c in found}

    def visit(self, stmt: Stmt) -> None:
        if self.original in self.nests:
            return
        if isinstance(stmt, Dim) and stmt.array in self.copy:
            self.equate(stmt.out, self.get(self.copy[stmt.array].shape[stmt.axis]))
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
