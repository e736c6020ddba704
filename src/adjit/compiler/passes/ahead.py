"""What a recurrence adds to its carried value, but does not need it for, is computed ahead, where it
vectorises.

    for i in range(lo, hi):                       for c in range(lo, hi, 512):
        y = x[i] + a * y + x[i - 1] * b               for i in range(c, end): row[i - c] = x[i] + x[i - 1] * b
                                          =>          for i in range(c, end): y = row[i - c] + a * y

A sum in source order puts the carried value into the middle of a chain of additions, each of which waits for
the one before. Input and output: core IR; for functions whose sums may be reassociated. The terms that do
not depend on carried values are added first, in a loop of their own. Done where there are several, and
nothing that the loop stores can be read by them in a later pass. Non-goals: loops with blocks inside.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..analyses.dependence import Dependence
from ..ir.builder import const
from ..ir.nodes import (
    Accumulate,
    Alloc,
    Block,
    Const,
    Dim,
    For,
    Function,
    Load,
    Op,
    Operand,
    Stmt,
    Store,
    Var,
)
from ..ir.types import INT, Array, is_float
from ..ir.visitor import defined, makers, operands
from .clone import clone, mapped
from .rewrite import Rewriter

CHUNK = 512
TERMS = 3  # fewer terms are not worth a loop
FEWEST = 32  # a loop of fewer passes, where their number is known, stays as it is


def ahead(fn: Function) -> Function:
    """Compute ahead what recurrences only add."""
    return _Ahead(fn).run()


@dataclass(eq=False)
class _Plan:
    root: Op  # the last addition of the sum
    early: list[Operand]  # terms without carried values
    late: list[Operand]
    sum: set[Stmt]  # the additions


class _Ahead(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence.about(fn)

    def visit(self, stmt: Stmt) -> None:
        loop = self.original
        if isinstance(stmt, For) and isinstance(loop, For) and self.candidate(loop):
            plan = self.plan(loop)
            if plan is not None:
                self.split(stmt, loop, plan)
                return
        super().visit(stmt)

    # -- whether
    def candidate(self, loop: For) -> bool:
        if loop.stop is not None or loop.trips is not None or abs(loop.step) != 1 or not loop.args:
            return False
        if not all(isinstance(s, Op | Load | Store | Accumulate | Dim) for s in loop.body.stmts):
            return False
        known = isinstance(loop.lo, Const) and isinstance(loop.hi, Const)
        short = known and abs(loop.hi.value - loop.lo.value) < FEWEST  # type: ignore[union-attr]
        return not short and not any(isinstance(a.type, Array) for a in loop.args)

    def plan(self, loop: For) -> _Plan | None:
        late: set[Operand] = set(loop.args)
        for s in loop.body.stmts:
            if not late.isdisjoint(operands(s)):
                late.update(defined(s))
        for s in reversed(loop.body.stmts):
            if isinstance(s, Op) and s.op == "add" and is_float(s.out.type) and s.out in late:
                made = self.sum_of(loop, s, late)
                recurrent = made is not None and any(x in loop.args or x in late for x in made.late)
                if made is not None and recurrent and len(made.early) >= TERMS and self.separable(loop, made):
                    return made
        return None

    def sum_of(self, loop: For, root: Op, late: set[Operand]) -> _Plan | None:
        """The sum that ends with an addition; None if that is itself part of a larger one."""
        definitions = self.facts.definitions
        body = set(loop.body.stmts)
        readers = [s for s in loop.body.stmts if root.out in operands(s)]
        if len(readers) == 1 and isinstance(readers[0], Op) and readers[0].op == "add":
            return None
        plan = _Plan(root, [], [], {root})
        work: list[Operand] = list(reversed(root.args))
        while work:
            x = work.pop()
            maker = definitions.maker.get(x) if isinstance(x, Var) else None
            if (
                isinstance(maker, Op)
                and maker.op == "add"
                and maker in body
                and definitions.uses[maker.out] == 1
            ):
                plan.sum.add(maker)
                work += reversed(maker.args)
            else:
                (plan.late if x in late else plan.early).append(x)
        return plan

    def separable(self, loop: For, plan: _Plan) -> bool:
        """Whether the early terms may be computed for many passes before the rest of any of them."""
        outside = len(self.facts.definitions.place[loop].loops)
        order = {s: k for k, s in enumerate(loop.body.stmts)}
        effects = [s for s in loop.body.stmts if isinstance(s, Store | Accumulate)]
        loads = [s for s in self.needed(loop, plan.early) if isinstance(s, Load)]
        if not loads:
            return False
        for load in loads:
            mine = self.facts.accesses(load)[0]
            for s in effects:
                other = self.facts.accesses(s)[0]
                if self.facts.clash(other, mine, outside, loop):
                    return False
                if order[s] < order[load] and self.facts.clash(other, mine, outside + 1):
                    return False
        return True

    def needed(self, loop: For, wanted: list[Operand]) -> list[Stmt]:
        """The statements of the body that operands depend on, in order."""
        return makers(loop.body.stmts, wanted)

    # -- the new loops
    def split(self, stmt: For, loop: For, plan: _Plan) -> None:
        loc = loop.loc
        row = self.names.fresh("row", Array(plan.root.out.type.dtype, 1))
        chunk, reached, end = (self.names.fresh(h, INT) for h in (loop.iv.name, "end", "end"))
        up = loop.step > 0
        args = tuple(self.names.fresh(a.name, a.type) for a in loop.args)
        outs = tuple(self.names.fresh(a.name, a.type) for a in loop.args)
        body: list[Stmt] = [
            Op(reached, "add" if up else "sub", (chunk, const(CHUNK)), loc=loc),
            Op(end, "minimum" if up else "maximum", (reached, stmt.hi), loc=loc),
        ]
        body += self.first(loop, plan, row, chunk, end)
        body.append(self.second(loop, plan, row, chunk, end, args, outs))
        self.out.append(Alloc(row, (const(CHUNK),), False, loc=loc))
        self.out.append(
            replace(
                stmt,
                iv=chunk,
                step=loop.step * CHUNK,
                args=args,
                body=Block(tuple(body), outs),
                independent=False,
            )
        )

    def first(self, loop: For, plan: _Plan, row: Var, chunk: Var, end: Var) -> list[Stmt]:
        """The sums of the early terms, upwards in any case."""
        iv, at = self.names.fresh(loop.iv.name, INT), self.names.fresh("at", INT)
        mapping: dict[Var, Operand] = {**self.map, loop.iv: iv}
        up = loop.step > 0
        made: list[Stmt] = [Op(at, "sub", (iv, chunk) if up else (chunk, iv), loc=loop.loc)]
        made += clone(self.needed(loop, plan.early), mapping, self.names)
        total = self.total([mapped(x, mapping) for x in plan.early], plan, made)
        made.append(Store(row, (at,), total, loc=plan.root.loc))
        lo: Operand = chunk
        hi: Operand = end
        before: list[Stmt] = []
        if not up:
            lo, hi = self.names.fresh("t", INT), self.names.fresh("t", INT)
            before = [
                Op(v, "add", (x, const(1)), loc=loop.loc)
                for v, x in ((lo, end), (hi, chunk))
                if isinstance(v, Var)
            ]
        return [*before, For(iv, lo, hi, 1, (), (), Block(tuple(made)), (), loc=loop.loc)]

    def second(
        self,
        loop: For,
        plan: _Plan,
        row: Var,
        chunk: Var,
        end: Var,
        inits: tuple[Var, ...],
        outs: tuple[Var, ...],
    ) -> For:
        """The loop as it was, with the sum of the early terms from the row."""
        iv, at = self.names.fresh(loop.iv.name, INT), self.names.fresh("at", INT)
        args = tuple(self.names.fresh(a.name, a.type) for a in loop.args)
        mapping: dict[Var, Operand] = {**self.map, loop.iv: iv, **dict(zip(loop.args, args, strict=True))}
        up = loop.step > 0
        value = self.names.fresh(plan.root.out.name, plan.root.out.type)
        made: list[Stmt] = [
            Op(at, "sub", (iv, chunk) if up else (chunk, iv), loc=loop.loc),
            Load(value, row, (at,), loc=plan.root.loc),
        ]
        for s in loop.body.stmts:
            if s is plan.root:
                mapping[plan.root.out] = self.total(
                    [value, *(mapped(x, mapping) for x in plan.late)], plan, made
                )
            elif s not in plan.sum:
                made += clone([s], mapping, self.names)
        yields = tuple(mapped(y, mapping) for y in loop.body.yields)
        return For(iv, chunk, end, loop.step, args, inits, Block(tuple(made), yields), outs, loc=loop.loc)

    def total(self, terms: list[Operand], plan: _Plan, out: list[Stmt]) -> Operand:
        found = terms[0]
        for x in terms[1:]:
            v = self.names.fresh(plan.root.out.name, plan.root.out.type)
            out.append(Op(v, "add", (found, x), loc=plan.root.loc))
            found = v
        return found
