"""The reverse sweep: statements walked backwards, cotangents summed.

Input: a plan, its activity, what the forward sweep left behind, and a builder after it. Output: statements. A
block is reversed as a prologue (primal values, in forward order) and its statements backwards; loops carry
the cotangents of carried values and of everything outside that their bodies contribute to.
Arrays have shadows: `load` accumulates into them, `store` reads and clears them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from ..analyses.telling import Telling
from ..ir.builder import Builder, const
from ..ir.nodes import (
    Accumulate,
    Alloc,
    Block,
    Call,
    Const,
    For,
    If,
    Load,
    Location,
    Mark,
    Op,
    Operand,
    Stmt,
    Store,
    Var,
    While,
)
from ..ir.types import Array
from ..ir.visitor import free_vars
from ..library import ROUTINES
from ..ops import TABLE
from ..ops.arithmetic import PRODUCTS_WITH_ZERO
from .activity import Activity, is_active
from .again import Again
from .copying import copy_array, fill, nest, shape_of
from .cotangents import Cotangents
from .forward import ForwardSweep
from .marks import Collected, slot
from .needs import active_positions
from .partials import reads, trace
from .plan import Plan
from .regions import reverse_branch, reverse_loop
from .storage import size


def backwards(loc: Location) -> Location:
    """The place, for what the reverse sweep does there."""
    return loc if loc.reverse else replace(loc, reverse=True)


class ReverseSweep:
    def __init__(
        self,
        b: Builder,
        plan: Plan,
        active: Activity,
        forward: ForwardSweep,
        telling: Telling,
        masked: frozenset[Var],
    ) -> None:
        self.b, self.plan, self.active, self.forward = b, plan, active, forward
        self.telling, self.masked = telling, masked
        self.again = Again(b, plan, forward.trail)
        self.ct = Cotangents(b, active)
        self.marked: dict[str, Operand] = {}
        self.collected: dict[Mark, Collected] = {}
        self.done: set[Stmt] = set()

    @contextmanager
    def into(self, b: Builder) -> Iterator[None]:
        """Emit into another builder, with what the forward sweep has left behind so far."""
        kept = self.b
        self.b = self.again.b = self.ct.b = b
        self.follow()
        try:
            yield
        finally:
            self.b = self.again.b = self.ct.b = kept

    def follow(self) -> None:
        """Take over positions and shadows from the forward sweep."""
        self.again.positions.update(self.forward.position)
        for v, shadow in self.forward.trail.shadows.items():
            if self.plan.place.is_top(v):
                self.again.shadows.setdefault(v, shadow)

    def block(self, block: Block) -> None:
        """Reverse a block; cotangents of its yields have been added before."""
        self._shadows_inside(block)
        for stmt in reversed(block.stmts):
            with self.b.at(backwards(stmt.loc)):
                self.statement(stmt)

    def _shadows_inside(self, block: Block) -> None:
        """Memory made inside a block gets its shadow at the start of the block's reverse."""
        self.again.prologue(block)
        if block is self.plan.place.top:
            return
        for stmt in block.stmts:
            for snapshot in self.forward.before_loop.get(stmt, ()):
                self.again.step_back(snapshot)
            if isinstance(stmt, Alloc) and stmt.out in self.active:
                if stmt.out in self.forward.trail.shadows:
                    fill(self.b, self.again.shadows[stmt.out])
                else:
                    self.make_shadow(stmt)

    def make_shadow(self, stmt: Alloc) -> None:
        type_ = stmt.out.type
        assert isinstance(type_, Array)
        hint = f"ct_{stmt.out.name}"
        shape = self.again.index(stmt.shape)
        made = (
            self.b.growing(type_.dtype, hint)
            if type_.growing
            else self.b.alloc(shape, type_.dtype, hint, zeroed=True)
        )
        self.again.shadows[stmt.out] = made

    def statement(self, stmt: Stmt) -> None:
        if stmt in self.done or not is_active(stmt, self.active):
            return
        match stmt:
            case Op():
                self._op(stmt)
            case Load(out=out, array=array, index=index):
                ct = self.ct.take(out)
                if ct is not None:
                    self.b.accumulate(self.again.shadow(array), self.again.index(index), ct)
            case Store(array=array, index=index, value=value):
                self._element(array, index, value)
                self.b.store(self.again.shadow(array), self.again.index(index), const(0, array.type.dtype))
            case Accumulate(array=array, index=index, value=value):
                self._element(array, index, value)
            case Call():
                self._call(stmt)
            case For() | While():
                self.moved_back(stmt)
                reverse_loop(self, stmt)
            case If():
                reverse_branch(self, stmt)
            case Mark():
                self._mark(stmt)

    def _op(self, stmt: Op) -> None:
        ct = self.ct.take(stmt.out)
        if ct is None:
            return
        wanted = active_positions(stmt, self.active)
        if stmt.op == "select":
            self._select(stmt, ct)
            return
        if stmt.op == "cast":
            self.ct.add(stmt.args[0], self.b.cast(ct, stmt.args[0].type.dtype, hint=f"ct_{stmt.out.name}"))
            return
        read = reads(stmt, wanted)
        inputs = [self.again.value(a) if a in read else const(1, a.type.dtype) for a in stmt.args]
        out = self.again.value(stmt.out) if stmt.out in read else const(1, stmt.out.type.dtype)
        partials = trace(self.b, stmt.op, inputs, out)
        for k in wanted:
            partial = partials[k]
            if partial is None:
                continue
            # where the cotangent of a product with one is zero, no change of the partial counts
            swapped = stmt.op in PRODUCTS_WITH_ZERO and k == 1
            pair = (partial, ct) if swapped else (ct, partial)
            self.ct.add(stmt.args[k], self.product(stmt, *pair, k))

    def product(self, stmt: Op, ct: Operand, partial: Operand, k: int) -> Operand:
        """`ct * partial`; where the partial may be infinite or NaN, a zero cotangent gives zero."""
        argument = stmt.args[k]
        hint = f"ct_{argument.name}" if isinstance(argument, Var) else "ct"
        if isinstance(partial, Const) and partial.value == -1:
            return self.b.op("neg", ct, hint=hint)
        singular = (TABLE[stmt.op].singular or stmt.out in self.masked) and not isinstance(partial, Const)
        guarded = "umul" if self.telling.covers(stmt) else "smul"
        return self.b.op(guarded if singular else "mul", ct, partial, hint=hint)

    def _select(self, stmt: Op, ct: Operand) -> None:
        cond = self.again.value(stmt.args[0])
        zero = const(0, stmt.out.type.dtype)
        for argument, sides in ((stmt.args[1], (ct, zero)), (stmt.args[2], (zero, ct))):
            if argument in self.active:
                assert isinstance(argument, Var)
                self.ct.add(argument, self.b.op("select", cond, *sides, hint=f"ct_{argument.name}"))

    def _element(self, array: Var, index: tuple[Operand, ...], value: Operand) -> None:
        """The cotangent of a stored or accumulated value is the shadow's element."""
        if value in self.active:
            assert isinstance(value, Var)
            element = self.b.load(self.again.shadow(array), self.again.index(index), hint=f"ct_{value.name}")
            self.ct.add(value, element)

    def _call(self, stmt: Call) -> None:
        routine = ROUTINES[stmt.name]
        primal: dict[int, Var] = {}
        for k in sorted(routine.needed(stmt, self.active), reverse=True):  # last saved, first read
            array = stmt.args[k]
            assert isinstance(array, Var)
            if (stmt, k) in self.plan.kept:
                primal[k] = self.again.kept(stmt, k)
            elif (stmt, k) in self.plan.produced:
                primal[k] = self.again.produced(stmt, k)
            else:
                primal[k] = self.again.array(array)
        shadows: dict[int, Var | None] = {}
        for k, a in enumerate(stmt.args):
            if isinstance(a, Var) and isinstance(a.type, Array):
                shadows[k] = self.again.shadow(a) if a in self.active else None
        if routine.constant(stmt, self.active):
            routine.forget(self.b, shadows)
            return
        call = Call(stmt.name, tuple(self._argument(a) for a in stmt.args), stmt.attrs, loc=stmt.loc)
        routine.vjp(self.b, call, shadows, primal)

    def _argument(self, x: Operand) -> Operand:
        return x if isinstance(x.type, Array) else self.again.value(x)

    def _mark(self, stmt: Mark) -> None:
        """What has been collected so far is the cotangent of the intermediate; of several marks of a name
        the last one counts.
        """
        name, value = stmt.name, stmt.value
        one = self.collected.get(stmt)
        if stmt.out is not None:
            ct = self.ct.take(stmt.out)
            if ct is not None:
                self.ct.add(value, ct)
                if one is not None:
                    self.b.store(self.forward.trail.marks[name], slot(self.b, one, self.again.value), ct)
                elif self.plan.place.block_with[stmt] is self.plan.place.top:
                    self.marked.setdefault(name, ct)
        elif one is not None:
            self._collect(stmt, one)
        elif name not in self.marked and self.plan.place.block_with[stmt] is self.plan.place.top:
            assert isinstance(value, Var)
            shadow = self.again.shadow(value)
            copy = self.b.alloc(shape_of(self.b, shadow), value.type.dtype, f"ct_{name}")
            copy_array(self.b, shadow, copy)
            self.marked[name] = copy

    def _collect(self, stmt: Mark, one: Collected) -> None:
        """The shadow of an array into the entry of the present pass."""
        assert isinstance(stmt.value, Var)
        shadow, buffer = self.again.shadow(stmt.value), self.forward.trail.marks[stmt.name]
        at = slot(self.b, one, self.again.value)

        def copy(index: tuple[Operand, ...]) -> None:
            self.b.store(buffer, (*at, *index), self.b.load(shadow, index))

        nest(self.b, shape_of(self.b, shadow), copy)

    def moved_back(self, mover: Stmt | Block) -> None:
        """Step the positions of boxes back to where their slots begin."""
        for site in self.forward.moved_by(mover):
            count = size(self.b, self.forward.sites[site], self.again.value)
            self.again.positions[site] = self.b.op("sub", self.again.positions[site], count, hint="position")

    def contributed(self, *blocks: Block) -> list[Var]:
        """Active scalars from outside that blocks read."""
        found = dict.fromkeys(v for b in blocks for v in free_vars(b))
        return [v for v in found if not isinstance(v.type, Array) and v in self.active]
