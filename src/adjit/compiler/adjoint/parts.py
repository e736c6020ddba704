"""Parts of a strip of passes that are run again in the reverse sweep, since that takes less room than saving
what they compute, and little time.

    for c in range(0, n, 128):                      # reversed, per strip:
        for i in strip: xc[i - c] = x[i] - m        #     the part once more, with both sweeps
        ...y from xc, sums of y * y in sq...   =>   #
        for i in strip: out[i] = t - sq[i - c]      # instead of xc and y of all strips in memory

Input: a function, and what is differentiated. Output: the function in which such parts stand before calls
that their derivatives go through (`checkpoints`). A part fills scratch arrays of the strip from what still
stands at the end; what the rest of the strip reads of them is its result. Non-goals: parts with branches,
library calls; loops that are not in strips, whose passes are reversed one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..analyses.effects import only_checks
from ..analyses.private import is_private
from ..ir.builder import Builder, Names
from ..ir.nodes import (
    Accumulate,
    Alloc,
    Block,
    Bounds,
    Call,
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
from ..ir.types import Array, is_float
from ..ir.visitor import defined, free_vars, renamer, substitute, walk, without
from ..ops import TABLE
from ..passes.clone import clone, mapped
from ..passes.rewrite import Rewriter
from .activity import Activity
from .checkpoints import Region, emit
from .estimates import Estimates
from .placement import Placement
from .plan import Plan
from .reverse import planned
from .storage import strip_of

OPERATIONS = 16.0  # to be run again, per byte that is not saved
EXPENSIVE = 0.05  # of all operations of a statement


def in_parts(
    fn: Function,
    wrt: Sequence[int],
    seed: float | None = 1.0,
    outputs: Sequence[int] = (),
    seeded: Sequence[int] | None = None,
) -> Function:
    """The function with its parts before calls; what is differentiated is said as in `reverse.joint`."""
    if not any(isinstance(s, For) and s.step > 1 for s in walk(fn.body)):
        return fn
    made, _, active, plan = planned(fn, wrt, seed, outputs, seeded)
    found = dict(_Parts(plan, active).found())
    if not found:
        return fn
    parted = _Parting(made, found, plan.place).run()
    kept = planned(parted, wrt, seed, outputs, seeded)[-1].kept
    return fn if any(_copied(call, k) for call, k in kept) else parted


def _copied(call: Call, k: int) -> bool:
    """Whether an array would have to be copied for a part."""
    type_ = call.args[k].type
    part = any(isinstance(a, Part) for a in call.attrs)
    return part and isinstance(type_, Array) and type_.ndim > 0


@dataclass(eq=False)
class Part(Region):
    """Its derivatives add to the cotangents of the arrays that it reads, which are apart."""

    def __reduce__(self) -> Any:
        return Part, (self.fn,)

    def adding(self, wrt: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(k for k in wrt if isinstance(self.fn.params[k].type, Array))


@dataclass(frozen=True, eq=False)
class _Run:
    """Statements of a block, from number `start` on until before `stop`; `scratch` are the arrays that they
    fill, `ys` are those of them and the numbers that the rest of the block reads and that are active.
    """

    start: int
    stop: int
    scratch: tuple[Var, ...]
    ys: tuple[Var, ...]


class _Parts:
    """Finds the parts."""

    def __init__(self, plan: Plan, active: Activity) -> None:
        self.plan, self.active, self.place = plan, active, plan.place
        self.facts = plan.recipes.dependence
        self.estimates = Estimates(plan.place)

    def found(self) -> Iterator[tuple[Block, _Run]]:
        for loop in self.place.block_with:
            if not isinstance(loop, For) or loop.body in self.place.tops:
                continue
            if any(isinstance(s, For) and strip_of(self.place, s) is loop for s in loop.body.stmts):
                for run in self.runs(loop):
                    if self.pays(loop.body, run):
                        yield loop.body, run
                        break

    def runs(self, loop: For) -> Iterator[_Run]:
        """The longest sequences of statements that can be run again."""
        stmts, start = loop.body.stmts, 0
        for stop in range(len(stmts) + 1):
            if stop < len(stmts) and self.repeatable(stmts[stop], loop):
                continue
            run = self.run(loop, start, stop)
            if run is not None:
                yield run
            start = stop + 1

    def repeatable(self, stmt: Stmt, loop: For) -> bool:
        """Whether a statement of a strip is cheap, writes nothing but scratch arrays and reads what will
        stand.
        """
        count, expensive = self.operations([stmt])
        if expensive > EXPENSIVE * count:
            return False
        for s in walk(Block((stmt,))):
            match s:
                case If() if only_checks(s):
                    continue
                case Op() | Dim() | Bounds():
                    continue
                case For(stop=None, args=args) if not any(isinstance(a.type, Array) for a in args):
                    continue
                case Store(array=array) | Accumulate(array=array) if self.private(loop, array):
                    continue
                case Load(array=array) if self.private(loop, array) or self.stands(s):
                    continue
                case _:
                    return False
        return True

    def private(self, loop: For, array: Var) -> bool:
        return is_private(self.facts, loop, array)

    def stands(self, load: Load) -> bool:
        array = load.array
        return self.plan.recipes.reference(array) == () and self.facts.contents_survive(load, array)

    def run(self, loop: For, start: int, stop: int) -> _Run | None:
        stmts = loop.body.stmts
        inside = list(walk(Block(stmts[start:stop])))
        written = dict.fromkeys(s.array for s in inside if isinstance(s, Store | Accumulate))
        read = dict.fromkeys(s.array for s in inside if isinstance(s, Load) and s.array not in written)
        if not written.keys().isdisjoint(free_vars(Block(stmts[:start]))):
            return None
        memory = [r for a in read for r in self.facts.roots[a]]
        if len(set(memory)) < len(memory) or any(self.private(loop, a) for a in read):
            return None
        later = free_vars(Block(stmts[stop:], loop.body.yields))
        made = [v for s in stmts[start:stop] for v in defined(s)]
        ys = [v for v in (*made, *written) if v in later and v in self.active and is_float(v.type)]
        return _Run(start, stop, tuple(written), tuple(ys)) if ys else None

    def pays(self, block: Block, run: _Run) -> bool:
        """Whether running it again takes little time for the room that it saves."""
        part = block.stmts[run.start : run.stop]
        inside = set(walk(Block(part)))
        room = sum(self.estimates.saved(v) for v in self.plan.saved if self.place.definition[v] in inside)
        room += sum(
            self.estimates.copies(s.array, s.hull, self.place.block_with[s.loop])
            for s in dict.fromkeys(self.plan.snapshots.values())
            if s.loop in inside
        )
        own = {r for s in inside if isinstance(s, Load) for r in self.facts.roots[s.array]} - {*run.scratch}
        made = [m for r in own if isinstance(m := self.place.definition[r], Alloc)]
        room -= sum(self.estimates.array(m.out, m.shape) for m in made)  # kept for the part, perhaps
        return self.operations(part)[0] <= OPERATIONS * room

    def operations(self, stmts: Sequence[Stmt]) -> tuple[float, float]:
        """How many there are in one pass of the strip, and how many of them are expensive."""
        count = expensive = 0.0
        for s in walk(Block(tuple(stmts))):
            if isinstance(s, Op | Load | Store | Accumulate):
                executions = self.estimates.executions(self.place.block_with[s])
                count += executions
                expensive += executions * (isinstance(s, Op) and TABLE[s.op].expensive)
        return count, expensive


class _Parting(Rewriter):
    """Puts the calls behind the parts."""

    def __init__(self, fn: Function, runs: Mapping[Block, _Run], place: Placement) -> None:
        super().__init__(fn)
        self.runs, self.place = runs, place
        results = {y for run in runs.values() for y in run.ys if isinstance(y.type, Array)}
        self.twins = {y: self.names.fresh(y.name, y.type) for y in sorted(results, key=lambda v: v.number)}

    def visit(self, stmt: Stmt) -> None:
        super().visit(stmt)
        if isinstance(stmt, Alloc) and stmt.out in self.twins:
            self.out.append(replace(stmt, out=self.twins[stmt.out]))

    def block(self, block: Block) -> Block:
        run = self.runs.get(block)
        if run is None:
            return super().block(block)
        part, rest = block.stmts[run.start : run.stop], block.stmts[run.stop :]
        b = Builder(self.names, part[0].loc)
        for s in block.stmts[: run.stop]:
            b.emit(s)
        fn, arguments = self.function(part, run)
        targets = {k: self.twins[y] for k, y in enumerate(run.ys) if y in self.twins}
        outs = emit(b, Part(fn), arguments, run.ys, targets)
        later = substitute(Block(rest, block.yields), renamer(dict(zip(run.ys, outs, strict=True))))
        return Block((*b.stmts, *later.stmts), later.yields)

    def function(self, part: Sequence[Stmt], run: _Run) -> tuple[Function, list[Operand]]:
        """The part as a function with scratch arrays of its own, and the arguments of its call."""
        inner = Block(tuple(part))
        checked = without(inner, [s for s in walk(inner) if isinstance(s, Bounds)])
        stmts = (*(self.maker(a) for a in run.scratch), *checked.stmts)
        free = list(free_vars(Block(stmts)))
        names = Names()
        params = tuple(names.fresh(v.name, v.type) for v in free)
        mapping: dict[Var, Operand] = dict(zip(free, params, strict=True))
        body = Block(tuple(clone(stmts, mapping, names)))
        results = tuple(mapped(y, mapping) for y in run.ys)
        return Function(f"{self.fn.name}_part", params, body, results, part[0].loc), [*free]

    def maker(self, array: Var) -> Stmt:
        made = self.place.definition[array]
        assert isinstance(made, Alloc)
        return made
