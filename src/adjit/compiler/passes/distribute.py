"""Split an innermost loop that scatters, so that each of its parts vectorises.

    for j in range(lo, hi):              for c in range(lo, hi, 512):
        g = 0.2 * ct_b[j]                    for j in range(c, min(c + 512, hi)):
        ct_b[j] = 0.0              =>            ct_a[j - 1] += 0.2 * ct_b[j]
        ct_a[j - 1] += g                     for j in …: ct_b[j], g = 0.0, 0.2 * ct_b[j]
        ct_a[j + 1] += g                         ct_a[j + 1] += g

Input and output: core IR. Several accumulations into one array at different places keep a loop from
being vectorised (they may meet), one per row and loop does not. In a loop that is not free of order
only accumulations that may wait until its end leave. A cheap value is computed again in each part;
another is stored in a scratch row by the part that holds the rest, which comes between the two. Chunks
keep the parts in the first cache, and the scratch rows small. Non-goals: loops with inner blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..analyses.dependence import Access, Dependence
from ..ir.builder import const
from ..ir.nodes import Accumulate, Alloc, Block, Dim, For, Function, Load, Op, Operand, Stmt, Store, Var
from ..ir.types import INT, Array, is_float
from ..ir.visitor import defined, makers, operands
from ..ops.core import TABLE, dear
from .clone import clone
from .rewrite import Rewriter

CHUNK = 512
CHEAP = 4  # a value of at most so many loads and operations is computed again rather than stored


def distribute(fn: Function) -> Function:
    """Split the innermost loops that scatter."""
    return _Distributing(fn).run()


@dataclass(eq=False)
class _Part:
    """An accumulation that may get a loop of its own, and what its value needs."""

    stmt: Accumulate
    access: Access
    slice: list[Stmt] = field(default_factory=list)
    cost: int = 0
    again: bool = True  # may run before the rest
    stored: bool = True  # may run after the rest

    def dear(self) -> int:
        """How much a loop of its own costs."""
        return self.cost if self.again and self.cost <= CHEAP else CHEAP + 1


class _Distributing(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence.about(fn)

    def visit(self, stmt: Stmt) -> None:
        loop = self.original
        if not (isinstance(stmt, For) and isinstance(loop, For) and self.candidate(loop)):
            super().visit(stmt)
            return
        parts = self.chosen(loop)
        if not parts:
            super().visit(stmt)
            return
        new = self.inner(stmt)
        assert isinstance(new, For)
        self.split(new, loop, parts)

    # -- which loops, which accumulations
    def candidate(self, loop: For) -> bool:
        simple = all(isinstance(s, Op | Load | Store | Accumulate | Dim) for s in loop.body.stmts)
        several = sum(isinstance(s, Accumulate) for s in loop.body.stmts) > 1
        plain = (
            loop.stop is None and loop.trips is None and not any(isinstance(a.type, Array) for a in loop.args)
        )
        return simple and several and plain and abs(loop.step) == 1

    def chosen(self, loop: For) -> list[_Part]:
        """The accumulations that leave the loop; empty if it should stay as it is."""
        if not self.facts.order_free(loop):
            return self.delayed(loop)
        if loop.step < 0:
            return []
        rows: dict[tuple[object, ...], dict[tuple[object, ...], list[Accumulate]]] = {}
        for s in loop.body.stmts:
            if isinstance(s, Accumulate):
                found = self.place(loop, s)
                if found is not None:
                    rows.setdefault(found[0], {}).setdefault(found[1], []).append(s)
        leaving: list[_Part] = []
        for offsets in rows.values():
            if len(offsets) > 1:
                parts = [[self.part(loop, s) for s in group] for group in offsets.values()]
                movable = [group for group in parts if all(p is not None for p in group)]
                if len(movable) == len(parts):  # one place may stay: the one that is dearest to leave
                    movable.remove(max(movable, key=lambda g: max(0 if p is None else p.dear() for p in g)))
                leaving += [p for group in movable for p in group if p is not None]
        for p in leaving:
            if p.again and p.stored:
                p.again, p.stored = p.cost <= CHEAP, p.cost > CHEAP
        return leaving

    def place(self, loop: For, s: Accumulate) -> tuple[tuple[object, ...], tuple[object, ...]] | None:
        """The row of an accumulation along the last axis, and its place there; None if it does not walk
        along a row.
        """
        iv = self.facts.forms.counter(loop)
        forms = [self.facts.forms.of(i) for i in s.index]
        depth = len(self.facts.definitions.place[loop].loops)
        if any(t.depth > depth and t is not iv for f in forms for t in f.terms):
            return None
        if not forms or iv not in forms[-1].terms or any(iv in f.terms for f in forms[:-1]):
            return None
        return (s.array, *(f.key() for f in forms[:-1])), forms[-1].key()

    def delayed(self, loop: For) -> list[_Part]:
        """Accumulations that may wait for the end of a loop whose other statements keep their order."""
        found = []
        for s in loop.body.stmts:
            if isinstance(s, Accumulate) and self.place(loop, s) is not None and self.may_wait(loop, s):
                found.append(_Part(s, self.facts.accesses(s)[0], self.needed(loop, s)[0], again=False))
        return found if len(found) > 1 else []

    def may_wait(self, loop: For, stmt: Accumulate) -> bool:
        """Whether nothing after an accumulation, in this pass or later, reads or overwrites the element."""
        mine = self.facts.accesses(stmt)[0]
        outside = len(self.facts.definitions.place[loop].loops)
        for s in loop.body.stmts:
            if isinstance(s, Load | Store):
                other = self.facts.accesses(s)[0]
                if self.precedes(stmt, s) and self.facts.clash(mine, other, outside + 1):
                    return False
                if self.facts.clash(mine, other, outside, loop):
                    return False
        return True

    def needed(self, loop: For, stmt: Accumulate) -> tuple[list[Stmt], int]:
        """The statements of the loop that an accumulation depends on, and what they cost."""
        found = makers(loop.body.stmts, operands(stmt))
        return found, sum(self.cost(s) for s in found)

    def part(self, loop: For, stmt: Accumulate) -> _Part | None:
        """None if nothing in the loop may be moved past the accumulation."""
        part = _Part(stmt, self.facts.accesses(stmt)[0], *self.needed(loop, stmt))
        if part.cost > CHEAP and not is_float(stmt.value.type):
            return None
        if any(isinstance(s, Op) and TABLE[s.op].expensive for s in part.slice):
            part.again = False  # the last bits may differ, and with them what a comparison decides
        shared = len(self.facts.definitions.place[loop].loops) + 1
        before = True
        for s in loop.body.stmts:
            if s is stmt:
                before = False
            elif isinstance(s, Load | Store | Accumulate) and not self.pass_by(part, s, before, shared):
                return None
        return part if part.again or part.stored else None

    def pass_by(self, part: _Part, s: Load | Store | Accumulate, before: bool, shared: int) -> bool:
        """Note which order of the accumulation and the rest keeps the meaning; False if none does."""
        other = self.facts.accesses(s)[0]
        if not isinstance(s, Accumulate) and self.facts.clash(other, part.access, shared):
            if before:
                part.again = False
            else:
                part.stored = False
            if isinstance(s, Load) and not before:
                return False
        if isinstance(s, Store | Accumulate):
            for x in part.slice:
                if (
                    isinstance(x, Load)
                    and self.precedes(s, x)
                    and self.facts.clash(other, self.facts.accesses(x)[0], shared)
                ):
                    part.again = False
        return True

    def precedes(self, a: Stmt, b: Stmt) -> bool:
        return self.facts.definitions.place[a].order < self.facts.definitions.place[b].order

    @staticmethod
    def cost(s: Stmt) -> int:
        if isinstance(s, Load):
            return 1
        if isinstance(s, Op) and is_float(s.out.type):
            return 2 * CHEAP if dear(s.op, s.out.type) else 1
        return 0

    # -- the new loops
    def split(self, loop: For, original: For, parts: list[_Part]) -> None:
        body = dict(zip(original.body.stmts, loop.body.stmts, strict=True))
        chunk = self.names.fresh(loop.iv.name, INT)
        kept, self.out = self.out, []
        up = loop.step > 0
        reached = self.op("add" if up else "sub", chunk, const(CHUNK), hint="end", loc=loop.loc)
        end = self.op("minimum" if up else "maximum", reached, loop.hi, hint="end", loc=loop.loc)
        rows: dict[Operand, Var] = {}
        for p in parts:
            if p.again:
                self.again(loop, chunk, end, [body[s] for s in p.slice], body[p.stmt])
            elif p.stmt.value not in rows:
                rows[p.stmt.value] = self.names.fresh("row", Array(p.stmt.value.type.dtype, 1))
        carried = self.rest(
            loop, chunk, end, {body[p.stmt] for p in parts}, list(rows.values()), [self.get(v) for v in rows]
        )
        for group in self.groups(original, [p for p in parts if not p.again]):
            members = [([body[x] for x in p.slice], body[p.stmt], rows[p.stmt.value]) for p in group]
            self.from_rows(loop, chunk, end, members)
        stmts, self.out = self.out, kept
        for row in rows.values():
            self.out.append(Alloc(row, (const(CHUNK),), False, loc=loop.loc))
        inner, args = carried
        self.out.append(
            replace(
                loop,
                iv=chunk,
                step=loop.step * CHUNK,
                args=args,
                body=Block(tuple(stmts), inner),
                independent=False,
            )
        )

    def groups(self, loop: For, parts: list[_Part]) -> list[list[_Part]]:
        """Parts that share a loop: at most one per row."""
        found: list[tuple[set[object], list[_Part]]] = []
        for p in parts:
            place = self.place(loop, p.stmt)
            row = None if place is None else place[0]
            for used, members in found:
                if row not in used:
                    used.add(row)
                    members.append(p)
                    break
            else:
                found.append(({row}, [p]))
        return [members for _, members in found]

    def again(self, loop: For, lo: Operand, hi: Operand, needed: list[Stmt], stmt: Stmt) -> None:
        iv = self.names.fresh(loop.iv.name, INT)
        made = clone([*needed, stmt], {loop.iv: iv}, self.names)
        self.out.append(For(iv, lo, hi, 1, (), (), Block(tuple(made)), (), loc=stmt.loc))

    def rest(
        self, loop: For, lo: Operand, hi: Operand, without: set[Stmt], rows: list[Var], values: list[Operand]
    ) -> tuple[tuple[Operand, ...], tuple[Var, ...]]:
        """The part with everything else; gives the chunk loop's yields and parameters."""
        args = tuple(self.names.fresh(a.name, a.type) for a in loop.args)
        outs = tuple(self.names.fresh(a.name, a.type) for a in loop.args)
        iv = self.names.fresh(loop.iv.name, INT)
        inner = tuple(self.names.fresh(a.name, a.type) for a in loop.args)
        mapping: dict[Var, Operand] = {loop.iv: iv, **dict(zip(loop.args, inner, strict=True))}
        made = clone([s for s in loop.body.stmts if s not in without], mapping, self.names)
        place: Operand | None = None
        for row, v in zip(rows, values, strict=True):
            if place is None:
                place = self.names.fresh("at", INT)
                made.append(Op(place, "sub", (iv, lo) if loop.step > 0 else (lo, iv), loc=loop.loc))
            value = mapping.get(v, v) if isinstance(v, Var) else v
            made.append(Store(row, (place,), value, loc=loop.loc))
        yields = tuple(mapping.get(y, y) if isinstance(y, Var) else y for y in loop.body.yields)
        self.out.append(
            For(iv, lo, hi, loop.step, inner, args, Block(tuple(made), yields), outs, loc=loop.loc)
        )
        return outs, args

    def from_rows(
        self, loop: For, lo: Operand, hi: Operand, members: list[tuple[list[Stmt], Stmt, Var]]
    ) -> None:
        """A loop that adds what stands in scratch rows; it ascends in any case."""
        iv = self.names.fresh(loop.iv.name, INT)
        made: list[Stmt] = []
        at = self.names.fresh("at", INT)
        made.append(Op(at, "sub", (iv, lo) if loop.step > 0 else (lo, iv), loc=loop.loc))
        for needed, stmt, row in members:
            assert isinstance(stmt, Accumulate)
            mapping: dict[Var, Operand] = {loop.iv: iv}
            indices: set[Operand] = set(stmt.index)
            for s in reversed(needed):  # only what the index needs
                if not indices.isdisjoint(defined(s)):
                    indices.update(operands(s))
            made += clone([s for s in needed if not indices.isdisjoint(defined(s))], mapping, self.names)
            value = self.names.fresh(row.name, stmt.value.type)
            made.append(Load(value, row, (at,), loc=stmt.loc))
            index = tuple(mapping.get(i, i) if isinstance(i, Var) else i for i in stmt.index)
            made.append(replace(stmt, index=index, value=value))
        if loop.step < 0:
            lo, hi = (self.op("add", x, const(1), hint="t", loc=loop.loc) for x in (hi, lo))
        self.out.append(For(iv, lo, hi, 1, (), (), Block(tuple(made)), (), loc=loop.loc))
