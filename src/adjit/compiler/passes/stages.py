"""Split an innermost loop that calls elementary functions and carries values, so that the calls vectorise.

    for i in range(n):                       for c in range(0, n, 512):
        s += log(h) * x[i]                       end = min(c + 512, n)
        h = a + b * h             =>             for i in range(c, end): h_[i - c] = h; h = a + b * h
                                                 for i in range(c, end): t_[i - c] = log(h_[i - c]) * x[i]
                                                 for i in range(c, end): s += t_[i - c]

First comes the recurrence that the arguments of the calls depend on, then everything of which the order
does not matter, then the other carried values, each in the order it had: no result changes but for the
last bits of the functions. With `sums`, sums may be reassociated and stay in the second stage. Values go
from stage to stage in scratch rows; cheap ones are computed again. A loop inside, as of a product with a
vector, goes to the first stage or to the last. Input and output: core IR. Non-goals: loops with other
blocks, functions that recurrences go through.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..analyses.dependence import Access, Dependence
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
    Location,
    Op,
    Operand,
    Stmt,
    Store,
    Var,
)
from ..ir.types import INT, Array, is_float
from ..ir.visitor import defined, operands, walk
from ..ops.core import TABLE
from .clone import clone, mapped
from .rewrite import Rewriter

CHUNK = 512
ROWS = 32  # passes at a time where they contain loops: what these read twice should stay in the first cache
CHEAP = 4
FEWEST = 32  # a loop of fewer passes, where their number is known, stays as it is


def stages(fn: Function, sums: bool = False) -> Function:
    """Split the innermost loops whose calls would not vectorise."""
    return _Staging(fn, sums).run()


@dataclass(eq=False)
class _Stage:
    """Statements in their order, the carried values that they make, and whether their order is free."""

    stmts: list[Stmt]
    params: list[int]
    free: bool = False


@dataclass(eq=False)
class _Plan:
    loop: For
    maker: dict[Var, Stmt]
    stages: list[_Stage] = field(default_factory=list)

    @property
    def chunk(self) -> int:
        return ROWS if any(isinstance(s, For) for s in self.loop.body.stmts) else CHUNK

    def slice(self, wanted: list[Operand]) -> tuple[set[Stmt], set[int]]:
        """The statements of the body that operands depend on, and the carried values, within one pass."""
        found: set[Stmt] = set()
        params: set[int] = set()
        work = list(wanted)
        while work:
            v = work.pop()
            if not isinstance(v, Var):
                continue
            if v in self.loop.args:
                params.add(self.loop.args.index(v))
            stmt = self.maker.get(v)
            if stmt is not None and stmt not in found:
                found.add(stmt)
                work += _uses(stmt)
        return found, params

    def after(self, params: set[int], heavy: set[Stmt]) -> set[Stmt]:
        """Some statements, and those that depend on them or on carried values, within one pass."""
        reached: set[Operand] = {self.loop.args[k] for k in params}
        found: set[Stmt] = set()
        for s in self.loop.body.stmts:
            if s in heavy or not reached.isdisjoint(_uses(s)):
                found.add(s)
                reached.update(defined(s))
        return found


def _called(s: Stmt) -> bool:
    return isinstance(s, Op) and bool(TABLE[s.op].vector) and is_float(s.out.type)


def _uses(s: Stmt) -> list[Operand]:
    """What a statement reads, in its blocks too."""
    found = list(operands(s))
    if isinstance(s, For):
        for x in walk(s.body):
            found += operands(x)
            found += x.body.yields if isinstance(x, For) else ()
        found += s.body.yields
    return found


def _plain(s: Stmt) -> bool:
    """A statement without effects but on memory, or a loop of such."""
    if isinstance(s, For):
        carried = any(isinstance(a.type, Array) for a in s.args)
        simple = s.stop is None and s.trips is None and not carried
        return simple and all(_plain(x) and not _called(x) for x in s.body.stmts)
    return isinstance(s, Op | Load | Store | Accumulate | Dim)


class _Staging(Rewriter):
    def __init__(self, fn: Function, sums: bool) -> None:
        super().__init__(fn)
        self.facts = Dependence(fn)
        self.sums = sums

    def visit(self, stmt: Stmt) -> None:
        loop = self.original
        if isinstance(stmt, For) and isinstance(loop, For) and self.candidate(loop):
            plan = self.plan(loop)
            if plan is not None:
                new = self.inner(stmt)
                assert isinstance(new, For)
                self.out += _Split(self, plan, new).made()
                return
        super().visit(stmt)

    # -- whether, and how
    def candidate(self, loop: For) -> bool:
        if loop.stop is not None or loop.trips is not None or abs(loop.step) != 1:
            return False
        if not all(map(_plain, loop.body.stmts)) or any(isinstance(a.type, Array) for a in loop.args):
            return False
        known = isinstance(loop.lo, Const) and isinstance(loop.hi, Const)
        if known and abs(loop.hi.value - loop.lo.value) < FEWEST:  # type: ignore[union-attr]
            return False
        return any(map(_called, loop.body.stmts))

    def plan(self, loop: For) -> _Plan | None:
        plan = _Plan(loop, {v: s for s in loop.body.stmts for v in defined(s)})
        found = self.recurrence(plan)
        if found is None:
            return None
        first, early = found
        late = set(range(len(loop.args))) - early
        middle_sums = self.plain_sums(plan, late) if self.sums else set()
        heavy: set[Stmt] = {s for s in loop.body.stmts if isinstance(s, For)}
        last = plan.after(late - middle_sums, heavy - first)
        middle_sums = {k for k in middle_sums if plan.maker[self.yielded(loop, k)] not in last}
        late -= middle_sums
        if not early and not late and not heavy:
            return None
        order = loop.body.stmts
        middle = [s for s in order if s not in first and s not in last]
        plan.stages = [
            _Stage([s for s in order if s in first and s not in last], sorted(early)),
            _Stage(middle, sorted(middle_sums), free=True),
            _Stage([s for s in order if s in last], sorted(late)),
        ]
        return plan if self.separable(plan) else None

    @staticmethod
    def yielded(loop: For, k: int) -> Var:
        y = loop.body.yields[k]
        assert isinstance(y, Var)
        return y

    def recurrence(self, plan: _Plan) -> tuple[set[Stmt], set[int]] | None:
        """What must run before the calls: the carried values that they depend on, with what makes these, and
        loops.
        """
        free = {s for s in plan.loop.body.stmts if _called(s)}
        while free:
            needed, params = plan.slice([x for s in free for x in operands(s)])
            loops = {s for s in needed if isinstance(s, For)}
            wanted = [x for s in loops for x in _uses(s)]
            before, more = plan.slice(wanted)
            params, reached = params | more, set[int]()
            while not params <= reached:
                reached |= params
                before, more = plan.slice([*wanted, *(plan.loop.body.yields[k] for k in reached)])
                params = params | more
                inside = {s for s in before if isinstance(s, For)} - loops
                loops |= inside
                wanted += [x for s in inside for x in _uses(s)]
            before |= loops
            if free.isdisjoint(before):
                return before, reached
            free -= before
        return None

    def plain_sums(self, plan: _Plan, params: set[int]) -> set[int]:
        """Carried values that are only added to."""
        uses = self.facts.definitions.uses
        found = set()
        for k in params:
            arg, y = plan.loop.args[k], plan.loop.body.yields[k]
            maker = plan.maker.get(y) if isinstance(y, Var) else None
            if not isinstance(maker, Op) or not isinstance(y, Var) or uses.get(arg) != 1 or uses[y] != 1:
                continue
            if arg in (maker.args if maker.op == "add" else maker.args[:1] if maker.op == "sub" else ()):
                found.add(k)
        return found

    def separable(self, plan: _Plan) -> bool:
        """Whether the stages meet in no memory, and the passes of the second one neither."""
        loop = plan.loop
        touched = [
            (n, a)
            for n, stage in enumerate(plan.stages)
            for s in stage.stmts
            for x in ((s, *walk(s.body)) if isinstance(s, For) else (s,))
            for a in self.facts.accesses(x)
        ]
        for k, (m, x) in enumerate(touched):
            for n, y in touched[: k + 1]:
                if not (x.write or y.write) or self.facts.roots[x.array].isdisjoint(
                    self.facts.roots[y.array]
                ):
                    continue
                if m != n or (plan.stages[m].free and self.meet(x, y, loop)):
                    return False
        return True

    def meet(self, x: Access, y: Access, loop: For) -> bool:
        """Whether one access can touch in one pass what the other touches in another."""
        outside = len(self.facts.definitions.place[loop].loops)
        return self.facts.clash(x, y, outside, loop) or self.facts.clash(y, x, outside, loop)


class _Split:
    """Writes one loop anew."""

    def __init__(self, owner: _Staging, plan: _Plan, renamed: For) -> None:
        self.owner, self.plan, self.loop, self.new = owner, plan, plan.loop, renamed
        self.names = owner.names
        self.home = self.homes()
        self.written = {
            r
            for s in walk(self.loop.body)
            if isinstance(s, Store | Accumulate)
            for r in owner.facts.roots[s.array]
        }
        self.rows: dict[Var, Var] = {}
        self.chunk, self.end = self.names.fresh(self.loop.iv.name, INT), self.names.fresh("end", INT)

    def homes(self) -> dict[Var, int]:
        """The stage that makes each value of the body."""
        found: dict[Var, int] = {}
        for n, stage in enumerate(self.plan.stages):
            found.update(dict.fromkeys((v for s in stage.stmts for v in defined(s)), n))
            found.update(dict.fromkeys((self.loop.args[k] for k in stage.params), n))
        return found

    def made(self) -> list[Stmt]:
        loop, up = self.loop, self.loop.step > 0
        taken = [self.taken(n) for n in range(3)]
        for wanted in taken:
            for v in wanted:
                if v not in self.rows and not self.cheap(v):
                    self.rows[v] = self.names.fresh(f"row_{v.name}", Array(v.type.dtype, 1))
        reached = self.names.fresh("end", INT)
        out: list[Stmt] = [
            Op(reached, "add" if up else "sub", (self.chunk, const(self.plan.chunk)), loc=loop.loc),
            Op(self.end, "minimum" if up else "maximum", (reached, self.new.hi), loc=loop.loc),
        ]
        args = tuple(self.names.fresh(a.name, a.type) for a in loop.args)
        left: dict[int, Var] = {}
        for n, stage in enumerate(self.plan.stages):
            if stage.stmts or stage.params:
                out += self.stage(n, stage, taken[n], args, left)
        yields = tuple(left[k] for k in range(len(args)))
        whole = replace(
            self.new,
            iv=self.chunk,
            step=loop.step * self.plan.chunk,
            args=args,
            body=Block(tuple(out), yields),
            independent=False,
        )
        rows = [Alloc(r, (const(self.plan.chunk),), False, loc=loop.loc) for r in self.rows.values()]
        return [*rows, whole]

    def used(self, stage: _Stage) -> list[Operand]:
        found = [x for s in stage.stmts for x in _uses(s)]
        return found + [self.loop.body.yields[k] for k in stage.params]

    def taken(self, n: int) -> list[Var]:
        """What a stage takes from those before it."""
        found: dict[Var, None] = {}
        for x in self.used(self.plan.stages[n]):
            if isinstance(x, Var) and self.home.get(x, n) < n:
                found[x] = None
        return list(found)

    def cheap(self, v: Var) -> bool:
        """Whether a value is computed again in the stage that takes it."""
        needed, params = self.plan.slice([v])
        if params or len(needed) > CHEAP:
            return False
        for s in needed:
            if isinstance(s, For):
                return False
            if isinstance(s, Op) and (TABLE[s.op].expensive or s.op in ("div", "mod", "floordiv")):
                return False
            if isinstance(s, Load) and not self.written.isdisjoint(self.owner.facts.roots[s.array]):
                return False
        return True

    def stage(
        self, n: int, stage: _Stage, taken: list[Var], args: tuple[Var, ...], left: dict[int, Var]
    ) -> list[Stmt]:
        """The loop of one stage; `left` receives the carried values after it."""
        loop = self.loop
        iv, at = self.names.fresh(loop.iv.name, INT), self.names.fresh("at", INT)
        inner = {k: self.names.fresh(loop.args[k].name, loop.args[k].type) for k in stage.params}
        mapping: dict[Var, Operand] = {
            **self.owner.map,
            loop.iv: iv,
            **{loop.args[k]: v for k, v in inner.items()},
        }
        down = loop.step < 0
        made: list[Stmt] = [Op(at, "sub", (self.chunk, iv) if down else (iv, self.chunk), loc=loop.loc)]
        for v in taken:
            if v in self.rows:
                value = self.names.fresh(v.name, v.type)
                mapping[v] = value
                made.append(Load(value, self.rows[v], (at,), loc=self.place(v)))
        again, _ = self.plan.slice([v for v in taken if v not in self.rows])
        for s in loop.body.stmts:
            came = all(v in mapping for v in defined(s))  # in a row
            if s in stage.stmts or (s in again and not came):
                made += clone([s], mapping, self.names)
        for v, row in self.rows.items():
            if self.home[v] == n:
                made.append(Store(row, (at,), mapping[v], loc=self.place(v)))
        yields = tuple(mapped(loop.body.yields[k], mapping) for k in stage.params)
        left.update({k: self.names.fresh(loop.args[k].name, loop.args[k].type) for k in stage.params})
        inits = tuple(args[k] for k in stage.params)
        outs = tuple(left[k] for k in stage.params)
        block = Block(tuple(made), yields)
        if not (down and stage.free):
            lo, hi, step = self.chunk, self.end, loop.step
            return [For(iv, lo, hi, step, tuple(inner.values()), inits, block, outs, loc=loop.loc)]
        lo, hi = self.names.fresh("t", INT), self.names.fresh("t", INT)
        upwards = For(iv, lo, hi, 1, tuple(inner.values()), inits, block, outs, loc=loop.loc)
        bounds = ((lo, self.end), (hi, self.chunk))
        return [*(Op(v, "add", (x, const(1)), loc=loop.loc) for v, x in bounds), upwards]

    def place(self, v: Var) -> Location:
        """The user's line that a value comes from."""
        made = self.plan.maker.get(v)
        return self.loop.loc if made is None else made.loc
