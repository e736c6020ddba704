"""A loop of independent passes with small loops inside takes many passes at once: what was a scalar of one
pass becomes a row, and the innermost loops, now over the rows, vectorise.

    for i in range(n):                       for c in range(0, n, 128):
        y = 0.0                                  end = min(c + 128, n)
        for k in range(m):           =>          for i in range(c, end): y[i - c] = 0.0
            y += w[k] * x[k, i]                  for k in range(m):
        out[i] = y                                   for i in range(c, end): y[i - c] += w[k] * x[k, i]
                                                 for i in range(c, end): out[i] = y[i - c]

Input and output: core IR. What does not depend on the pass is computed once for the strip. Scratch arrays
that every pass fills anew get an axis more. Sums that the loop collects keep their order. Done where
the deepest loops read and write along rows afterwards and carried a value from pass to pass before.
Non-goals: bodies with branches that do more than check indices, `while`, library calls.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from ..analyses.dependence import Dependence
from ..analyses.effects import only_checks
from ..analyses.private import is_private
from ..ir.builder import const
from ..ir.nodes import (
    Accumulate,
    Alloc,
    Block,
    Bounds,
    Dim,
    For,
    Function,
    If,
    Load,
    Op,
    Operand,
    Stmt,
    Store,
    Var,
)
from ..ir.types import INT, Array, grows
from ..ir.visitor import all_reads, defined, operands, substitute, walk
from .rewrite import Rewriter

STRIP = 128

Move = tuple[Var, Operand]  # a row, and the value of each pass that goes there


def batch(fn: Function) -> Function:
    """Let loops of independent passes take a strip of passes at once, where that vectorises them."""
    return _Batching(fn).run()


@dataclass(eq=False)
class _Plan:
    loop: For
    inside: list[Stmt]
    varying: set[Var]  # what differs from pass to pass
    private: set[Var] = field(default_factory=set)


class _Batching(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence.about(fn)
        self.level = 0
        self.on_top: list[Stmt] = []  # allocations to be made before the present statement of the function

    def block(self, block: Block) -> Block:
        self.level += 1
        made = super().block(block)
        self.level -= 1
        return made

    def visit(self, stmt: Stmt) -> None:
        at = len(self.out)
        self.one(stmt)
        if self.level == 1:
            self.out[at:at] = self.on_top
            self.on_top.clear()

    def one(self, stmt: Stmt) -> None:
        loop = self.original
        if isinstance(stmt, For) and isinstance(loop, For):
            plan = self.plan(loop)
            if plan is not None:
                self.out += _Strips(self, plan).made(stmt)
                return
        super().visit(stmt)

    # -- whether
    def plan(self, loop: For) -> _Plan | None:
        inside = list(walk(loop.body))
        inner = [s for s in inside if isinstance(s, For)]
        if not inner or not all(
            isinstance(s, Op | Load | Store | Accumulate | Dim | Bounds | For) or only_checks(s)
            for s in inside
        ):
            return None
        if loop.step != 1 or not all(self.plain(s) for s in (loop, *inner)) or not self.sums(loop):
            return None
        plan = _Plan(loop, inside, self.varying(loop, inside))
        bounds = [x for s in inner for x in (s.lo, s.hi)]
        bounds += [s.index for s in inside if isinstance(s, Bounds)]
        bounds += [x for s in inside if isinstance(s, If) for x in all_reads(s)]
        if not plan.varying.isdisjoint(bounds):
            return None
        return plan if self.pays(plan) and self.independent(plan) else None

    @staticmethod
    def plain(loop: For) -> bool:
        return (
            loop.stop is None and loop.trips is None and not any(isinstance(a.type, Array) for a in loop.args)
        )

    def sums(self, loop: For) -> bool:
        """Whether all that the loop carries are sums made by statements of the body itself."""
        uses = self.facts.definitions.uses
        for arg, y in zip(loop.args, loop.body.yields, strict=True):
            if not isinstance(y, Var) or uses.get(arg) != 1 or uses.get(y) != 1:
                return False
            maker = self.facts.definitions.maker[y]
            if not isinstance(maker, Op) or maker not in loop.body.stmts:
                return False
            if arg not in (maker.args if maker.op == "add" else maker.args[:1] if maker.op == "sub" else ()):
                return False
        return True

    def varying(self, loop: For, inside: list[Stmt]) -> set[Var]:
        written = {r for s in inside if isinstance(s, Store | Accumulate) for r in self.facts.roots[s.array]}
        found = {loop.iv, *loop.args}
        size = 0
        while len(found) > size:
            size = len(found)
            for s in inside:
                match s:
                    case Op(out=out, args=args) if not found.isdisjoint(args):
                        found.add(out)
                    case Load(out=out, array=array, index=index):
                        if not found.isdisjoint(index) or not written.isdisjoint(self.facts.roots[array]):
                            found.add(out)
                    case For(args=args, inits=inits, body=body, outs=outs):
                        for a, i, y, o in zip(args, inits, body.yields, outs, strict=True):
                            if not found.isdisjoint((a, i, y)):
                                found.update((a, o))
        return found

    def independent(self, plan: _Plan) -> bool:
        """Whether passes meet in scratch arrays only; these are noted."""
        accesses = [a for s in plan.inside for a in self.facts.accesses(s)]
        if any(grows(a.array.type) for a in accesses):
            return False
        shared: set[Var] = set()
        for k, x in enumerate(accesses):
            for y in accesses[: k + 1]:
                known = x.array in shared and y.array in shared
                if (x.write or y.write) and not known and self.facts.carried(x, y, plan.loop):
                    shared.update((x.array, y.array))
        for array in shared:
            touching = [
                s for s in plan.inside if isinstance(s, Load | Store | Accumulate) and s.array is array
            ]
            if not all(plan.varying.isdisjoint(s.index) for s in touching):
                return False
            if not is_private(self.facts, plan.loop, array):
                return False
        plan.private = shared
        return True

    def pays(self, plan: _Plan) -> bool:
        """Whether the deepest loops carry a value, and access memory along rows if passes come in strips."""
        depth = {s: len(self.facts.definitions.place[s].loops) for s in plan.inside}
        good: list[int] = []
        bad: list[int] = []
        for s in plan.inside:
            if isinstance(s, For) and not any(isinstance(x, For) for x in s.body.stmts):
                rows = all(self.along_row(plan, x) for x in s.body.stmts)
                if not rows:
                    bad.append(depth[s])
                elif not plan.varying.isdisjoint(s.args):
                    good.append(depth[s])
        return bool(good) and max(good) > max(bad, default=0)

    def along_row(self, plan: _Plan, s: Stmt) -> bool:
        """Whether neighbouring passes access neighbouring elements, or the same."""
        if not isinstance(s, Load | Store | Accumulate) or plan.varying.isdisjoint(s.index):
            return True
        i = self.facts.forms.counter(plan.loop)
        *rest, last = (self.facts.forms.of(x) for x in s.index)
        local = {v for v in s.index if v in plan.varying}
        affine = all(self.affine(plan, v) for v in local if isinstance(v, Var))
        return affine and last.terms.get(i) == 1 and not any(i in f.terms for f in rest)

    def affine(self, plan: _Plan, v: Var) -> bool:
        """Whether an index depends on the pass by its number alone."""
        i = self.facts.forms.counter(plan.loop)
        return all(s is i or s.source not in plan.varying for s in self.facts.forms.of(v).terms)


class _Strips:
    """Writes one loop anew."""

    def __init__(self, owner: _Batching, plan: _Plan) -> None:
        self.owner, self.plan, self.loop = owner, plan, plan.loop
        self.names, self.definitions = owner.names, owner.facts.definitions
        self.before: list[Stmt] = []  # allocations whose shapes are known there only
        self.out: list[Stmt] = []
        self.rows: dict[Var, Var] = {}
        self.sums: dict[Var, Var] = {}
        self.chunk, self.end = self.names.fresh(plan.loop.iv.name, INT), self.names.fresh("end", INT)
        self.expanded = {a: self.longer(a) for a in sorted(plan.private, key=lambda v: v.number)}

    def made(self, renamed: For) -> list[Stmt]:
        loop = self.loop
        args = tuple(self.names.fresh(a.name, a.type) for a in loop.args)
        self.sums = dict(zip(loop.args, args, strict=True))
        reached = self.names.fresh("end", INT)
        self.out = [
            Op(reached, "add", (self.chunk, const(STRIP)), loc=loop.loc),
            Op(self.end, "minimum", (reached, renamed.hi), loc=loop.loc),
        ]
        self.block(loop.body.stmts, [])
        body = Block(tuple(self.out), tuple(self.sums[a] for a in loop.args))
        strips = replace(
            renamed, iv=self.chunk, step=STRIP, args=args, body=body, independent=False, promised=False
        )
        return [*self.before, strips]

    def get(self, x: Operand) -> Operand:
        return self.owner.get(x)

    def longer(self, array: Var) -> Var:
        """A scratch array with an element for each pass of a strip in place of each element."""
        maker = self.definitions.maker[array]
        assert isinstance(maker, Alloc) and isinstance(array.type, Array)
        out = self.names.fresh(array.name, Array(array.type.dtype, array.type.ndim + 1))
        shape = (*(self.get(n) for n in maker.shape), const(STRIP))
        where = self.before if self.definitions.place[maker].chain else self.owner.on_top
        where.append(Alloc(out, shape, False, loc=maker.loc))
        return out

    def row(self, v: Var) -> Var:
        out = self.names.fresh(v.name, Array(v.type.dtype, 1))
        self.owner.on_top.append(Alloc(out, (const(STRIP),), False, loc=self.loop.loc))
        return out

    # -- blocks
    def block(self, stmts: tuple[Stmt, ...], moves: list[Move]) -> None:
        """Loops over the strip for what differs from pass to pass, and the rest as it is; in the end the
        values of `moves` go to their rows.
        """
        group: list[Stmt] = []
        for s in stmts:
            if isinstance(s, For):
                self.inner(s, group)
                group = []
            elif isinstance(s, Store | Accumulate) or not self.plan.varying.isdisjoint(defined(s)):
                group.append(s)
            else:
                self.out += substitute(Block((s,)), self.get).stmts
        self.lanes(group, moves)

    def inner(self, s: For, group: list[Stmt]) -> None:
        """A loop of the body, after the statements that wait."""
        varies = [a in self.plan.varying for a in s.args]
        carried = [
            (a, i, y, o)
            for a, i, y, o, v in zip(s.args, s.inits, s.body.yields, s.outs, varies, strict=True)
            if v
        ]
        for a, _, _, o in carried:
            self.rows[a] = self.rows[o] = self.row(a)
        self.lanes(group, [(self.rows[a], i) for a, i, _, _ in carried])
        kept, self.out = self.out, []
        self.block(s.body.stmts, [(self.rows[a], y) for a, _, y, _ in carried])
        body, self.out = self.out, kept

        def same(xs: tuple[Var, ...]) -> tuple[Var, ...]:
            return tuple(x for x, v in zip(xs, varies, strict=True) if not v)

        inits = tuple(self.get(x) for x, v in zip(s.inits, varies, strict=True) if not v)
        yields = tuple(self.get(x) for x, v in zip(s.body.yields, varies, strict=True) if not v)
        self.out.append(
            replace(
                s,
                lo=self.get(s.lo),
                hi=self.get(s.hi),
                args=same(s.args),
                inits=inits,
                body=Block(tuple(body), yields),
                outs=same(s.outs),
                independent=False,
                promised=False,
            )
        )

    # -- loops over the strip
    def lanes(self, group: list[Stmt], moves: list[Move]) -> None:
        if not group and not moves:
            return
        lane = _Lane(self, group, moves)
        lane.fill()
        body = Block(tuple(lane.out), tuple(lane.yields[a] for a in lane.args))
        args = tuple(lane.args.values())
        inits = tuple(self.sums[a] for a in lane.args)
        outs = tuple(self.names.fresh(a.name, a.type) for a in lane.args)
        self.sums.update(zip(lane.args, outs, strict=True))
        self.out.append(For(lane.iv, self.chunk, self.end, 1, args, inits, body, outs, loc=self.loop.loc))


class _Lane:
    """The body of one loop over the strip."""

    def __init__(self, strips: _Strips, group: list[Stmt], moves: list[Move]) -> None:
        self.strips, self.group, self.moves = strips, group, moves
        self.names, self.definitions = strips.names, strips.definitions
        self.iv = self.names.fresh(strips.loop.iv.name, INT)
        self.at = self.names.fresh("at", INT)
        self.out: list[Stmt] = [Op(self.at, "sub", (self.iv, strips.chunk), loc=strips.loop.loc)]
        self.local: dict[Var, Operand] = {strips.loop.iv: self.iv}
        self.args: dict[Var, Var] = {}  # of the sums that are made here
        self.yields: dict[Var, Operand] = {}
        self.final = {y: a for a, y in zip(strips.loop.args, strips.loop.body.yields, strict=True)}
        self.uses = Counter(x for s in group for x in operands(s))
        self.uses.update(x for _, x in moves)

    def fill(self) -> None:
        sums = [self.added(move) for move in self.moves]
        skipped = {found[0] for found in sums if found is not None}
        for s in self.group:
            if s not in skipped:
                self.visit(s)
        values = [
            self.value(x if found is None else found[1])
            for (_, x), found in zip(self.moves, sums, strict=True)
        ]
        for (row, _), found, v in zip(self.moves, sums, values, strict=True):
            if found is None:
                self.out.append(Store(row, (self.at,), v, loc=self.strips.loop.loc))
                continue
            s = found[0]
            if s.op == "sub":
                v = self.emit(Op(self.names.fresh(s.out.name, s.out.type), "neg", (v,), loc=s.loc))
            self.out.append(Accumulate(row, (self.at,), v, loc=s.loc))

    def added(self, move: Move) -> tuple[Op, Operand] | None:
        """The operation that makes the value of a move, and what it adds, if it adds to what stands in
        the row.
        """
        row, x = move
        s = self.definitions.maker[x] if isinstance(x, Var) else None
        if not isinstance(s, Op) or s not in self.group or s.op not in ("add", "sub"):
            return None
        for k, a in enumerate(s.args if s.op == "add" else s.args[:1]):
            if isinstance(a, Var) and self.strips.rows.get(a) is row:
                alone = self.definitions.uses[a] == 1 and self.definitions.uses[s.out] == 1
                return (s, s.args[1 - k]) if alone else None
        return None

    # -- operands
    def value(self, x: Operand) -> Operand:
        if not isinstance(x, Var) or x not in self.strips.plan.varying:
            return self.strips.get(x)
        known = self.local.get(x)
        if known is not None:
            return known
        maker = self.definitions.maker[x]
        if x in self.strips.sums:
            self.args[x] = self.local[x] = self.names.fresh(x.name, x.type)
        elif isinstance(maker, Op) and self.cheap(x):
            self.op(maker)
        else:
            out = self.local[x] = self.names.fresh(x.name, x.type)
            self.out.append(Load(out, self.strips.rows[x], (self.at,), loc=self.strips.loop.loc))
        return self.local[x]

    def cheap(self, x: Operand) -> bool:
        """Whether a value is computed again where it is used: integers made of the pass's number."""
        if not isinstance(x, Var) or x is self.strips.loop.iv or x not in self.strips.plan.varying:
            return True
        maker = self.definitions.maker[x]
        return x.type == INT and isinstance(maker, Op) and all(map(self.cheap, maker.args))

    def place(self, array: Var, index: tuple[Operand, ...]) -> tuple[Var, tuple[Operand, ...]]:
        there = tuple(self.value(i) for i in index)
        longer = self.strips.expanded.get(array)
        if longer is not None:
            return longer, (*there, self.at)
        same = self.strips.get(array)
        assert isinstance(same, Var)
        return same, there

    # -- statements
    def visit(self, s: Stmt) -> None:
        match s:
            case Op(out=out):
                if out not in self.local:
                    self.op(s)
                if out in self.final:
                    self.yields[self.final[out]] = self.local[out]
                elif not self.cheap(out):
                    self.keep(out)
            case Load(out=out, array=array, index=index):
                base, there = self.place(array, index)
                self.local[out] = self.emit(
                    Load(self.names.fresh(out.name, out.type), base, there, loc=s.loc)
                )
                self.keep(out)
            case (
                Store(array=array, index=index, value=value)
                | Accumulate(array=array, index=index, value=value)
            ):
                base, there = self.place(array, index)
                self.out.append(type(s)(base, there, self.value(value), loc=s.loc))

    def op(self, s: Op) -> None:
        args = tuple(self.value(a) for a in s.args)
        self.local[s.out] = self.emit(replace(s, out=self.names.fresh(s.out.name, s.out.type), args=args))

    def emit(self, s: Op | Load) -> Var:
        self.out.append(s)
        return s.out

    def keep(self, v: Var) -> None:
        """Store a value that is used outside this loop."""
        if self.definitions.uses.get(v, 0) > self.uses[v]:
            row = self.strips.rows[v] = self.strips.row(v)
            self.out.append(Store(row, (self.at,), self.local[v], loc=self.strips.loop.loc))
