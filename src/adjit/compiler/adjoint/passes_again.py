"""The passes of a loop run again, from states that were kept on the way, to be reversed one by one.

Input: one pass as a function (`Passes`). Output: a `Region` (see `checkpoints`) for the whole loop, whose
reverse is loops around two copies of the pass: one that runs forward from the nearest kept state, one with
both sweeps. It starts with the states that the loop has kept while it ran, or with that at its start; the
slots of states that it has done with take new ones. A state is what the loop carries and the arrays that it
writes, as far as passes read them; arrays that exchange their names are kept by name. Invariants: memory is
that of `slots` states and of one pass. Non-goals: the choice of places (`schedule`, `keeping`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..analyses.alias import roots
from ..analyses.effects import reads
from ..ir.builder import Builder, Names, const
from ..ir.nodes import Accumulate, Block, Call, For, Function, Operand, Var, While
from ..ir.types import INT, Array, is_float
from ..ir.visitor import free_vars, walk
from ..passes import simplify
from ..passes.dce import dce
from ..passes.dead_stores import dead_stores
from . import copying, schedule
from .checkpoints import Region, inlined
from .copying import copied, copy_array, shape_of
from .reverse import joint
from .states import States


@dataclass(frozen=True)
class Passes:
    """One pass. Parameters of `step`: the loop variable, `scalars` numbers and `references` arrays that the
    loop carries, `memory` arrays that it writes, and what is the same in all passes. Its results are the
    carried values; `order` says which of its arrays each name has in the next pass. `stride` lies between
    two values of the loop variable. `state` are the parameters of `step` that a kept state is made of;
    `handed`: some states are kept before the reversal, which goes on from them.
    """

    step: Function
    scalars: int
    order: tuple[int, ...]
    memory: int
    stride: int
    state: tuple[int, ...]
    handed: bool = True

    @property
    def arrays(self) -> int:
        return len(self.order) + self.memory

    @property
    def names(self) -> range:
        """The parameters of `step` that are arrays by name."""
        return range(1 + self.scalars, 1 + self.scalars + len(self.order))

    def whole(self) -> Function:
        """The loop as a function: of the number of passes, of kept states and of the first value of the loop
        variable, of carried numbers, arrays as they are at first, and constants; where states are handed, of
        how many are in use, their places, and them. Results: numbers and arrays as they are at last; arrays
        are in the order of their memory.
        """
        run = _Run(self)
        memory = [copied(run.b, a) for a in run.entry]
        state = run.forward(const(0), run.passes, [*run.given[: self.scalars], *memory])
        results = (*state[: self.scalars], *memory)
        return Function(f"{self.step.name}s", run.params, run.b.finish(), results, self.step.loc)


def passes(step: Function, scalars: int, order: tuple[int, ...], memory: int, stride: int) -> Passes:
    """With states of what passes read: of the numbers that they carry and of the memory that they write.
    Arrays
    that have names are kept in any case.
    """
    step = simplify(step)
    names = 1 + scalars
    others = names + len(order)
    read = {*free_vars(step.body), *step.results}
    state = [k for k in range(1, names) if step.params[k] in read]
    state += range(names, others)
    contents = _read(step)
    state += [k for k in range(others, others + memory) if step.params[k] in contents]
    return Passes(step, scalars, order, memory, stride, tuple(state))


@dataclass(eq=False)
class Loop(Region):
    """A loop that is run again in pieces."""

    passes: Passes = field(kw_only=True)

    def __reduce__(self) -> Any:
        return loop, (self.passes,)

    @property
    def left(self) -> int:
        """The number of kept states, their places, their parts."""
        return 2 + len(self.passes.state) if self.passes.handed else 0

    @cached_property
    def alone(self) -> Loop:
        """The loop reversed from its start."""
        return loop(replace(self.passes, handed=False))

    def anew(self, call: Call) -> Call:
        if not self.passes.handed:
            return call
        left = self.left_in(call)
        args = tuple(x for at, x in enumerate(call.args) if at not in left)
        return replace(call, name=self.alone.name, args=args, attrs=(self.alone,))

    def reversed(self, wrt: tuple[int, ...]) -> Function:
        return _Reversal(self.passes, wrt).function()


def loop(of: Passes) -> Loop:
    return Loop(simplify(of.whole()), passes=of)


class _Run:
    """The parameters of the whole loop, and its passes run forward."""

    def __init__(self, of: Passes) -> None:
        self.of, self.b = of, Builder(Names(), of.step.loc)
        self.passes, self.slots, self.first = (self.b.fresh(n, INT) for n in ("passes", "slots", "first"))
        inner = of.step.params[1:]
        self.given = [self.b.fresh(p.name, p.type) for p in inner]
        self.handed = [*self.handed_parameters()] if of.handed else []
        self.params = (self.passes, self.slots, self.first, *self.given, *self.handed)
        self.entry = self.given[of.scalars : of.scalars + of.arrays]
        self.constants = self.given[of.scalars + of.arrays :]

    def handed_parameters(self) -> Iterator[Var]:
        """The number of kept states, and the states."""
        yield self.b.fresh("used", INT)
        yield self.b.fresh("places", Array("int64", 1))
        for k in self.of.state:
            x = self.given[k - 1]
            rank = x.type.ndim if isinstance(x.type, Array) else 0
            yield self.b.fresh(f"kept_{x.name}", Array(x.type.dtype, 1 + rank))

    def number(self) -> Var:
        """The number of a pass, called after the loop variable."""
        return self.b.fresh(f"{self.of.step.params[0].name.rstrip('_')}_pass", INT)

    def at(self, k: Operand) -> Operand:
        """The loop variable in pass number `k`."""
        return self.b.op("add", self.first, self.b.op("mul", k, const(self.of.stride)), hint="i")

    def forward(self, lo: Operand, hi: Operand, state: Sequence[Operand]) -> list[Operand]:
        """Passes from `lo` until before `hi`: the state after them."""
        b, carried = self.b, self.of.scalars + len(self.of.order)
        args = [b.fresh(x.name if isinstance(x, Var) else "carried", x.type) for x in state[:carried]]
        outs = [b.fresh(a.name, a.type) for a in args]
        k = self.number()
        rest = state[carried:]
        with b.block() as stmts:
            yields = inlined(b, self.of.step, [self.at(k), *args, *rest, *self.constants])
        body = Block(tuple(stmts), tuple(yields))
        b.emit(For(k, lo, hi, 1, tuple(args), tuple(state[:carried]), body, tuple(outs), loc=b.loc))
        return [*outs, *rest]


class _Reversal(_Run):
    """All passes in reverse; `wrt` are parameters of the whole loop. Numbers in lists and keys stand for
    parameters of the step.
    """

    def __init__(self, of: Passes, wrt: Sequence[int]) -> None:
        super().__init__(of)
        step = of.step
        before = self.params.index(self.given[0]) - 1 if self.given else 0  # that the step lacks
        self.names = of.names
        self.state = range(1, 1 + of.scalars + of.arrays)
        self.asked = [k - before for k in wrt]
        floats = [k for k in self.state if is_float(step.params[k].type)]
        self.wrt = [*floats, *(k for k in self.asked if k not in self.state)]
        self.arrays = [k for k in self.wrt if isinstance(step.params[k].type, Array)]
        self.numbers = [k for k in self.wrt if k not in self.arrays]
        self.exchanged = [k for k in self.names if k in self.arrays]
        alone = replace(step, results=step.results[: of.scalars])
        both = joint(alone, self.wrt, seed=None, shadows=self.arrays)
        self.both = dce(dead_stores(simplify(both), [both.params[k] for k in self.state]))
        self.seeds = {k: self.b.fresh(f"ct_{step.params[k].name}", step.params[k].type) for k in floats}

    def function(self) -> Function:
        b, step = self.b, self.of.step
        used, self.states = self.kept()
        self.work = [self.room(k) for k in self.state[self.of.scalars :]]
        shadows = {k: self.shadow(k) for k in self.arrays}
        found = self.backward(used, shadows)
        results = tuple(found[k] for k in self.asked)
        params = (*self.params, *self.seeds.values())
        return Function(f"{step.name}s_reversed", params, b.finish(), results, step.loc)

    def shadow(self, k: int) -> Var:
        """The cotangent of what an array of the step is at last."""
        b, like = self.b, self.given[k - 1]
        made = b.alloc(self.shape(k), like.type.dtype, f"ct_{like.name}", zeroed=k not in self.seeds)
        if k in self.seeds:
            copy_array(b, self.seeds[k], made)
        return made

    # -- kept states
    def kept(self) -> tuple[Operand, States]:
        """How many states are kept, and where: those that are handed, or that before the loop."""
        if self.of.handed:
            used, places, *buffers = self.handed
            return used, States(places, dict(zip(self.of.state, buffers, strict=True)))
        entry = {k: self.given[k - 1] for k in self.of.state}
        states = States.room(self.b, self.slots, entry, self.of.step.params)
        states.keep(self.b, const(0), const(0), entry)
        return const(1), states

    def numbered(self, state: Sequence[Operand]) -> dict[int, Operand]:
        return dict(zip(self.state, state, strict=True))

    def room(self, k: int) -> Var:
        """The loop's own array for one of a state; what is not kept starts as it is before the loop."""
        x = self.given[k - 1]
        if k in self.states.buffers:
            return self.b.alloc(self.states.shape(self.b, k), x.type.dtype, x.name)
        return copied(self.b, x)

    def shape(self, k: int) -> list[Operand]:
        return (
            self.states.shape(self.b, k) if k in self.states.buffers else shape_of(self.b, self.given[k - 1])
        )

    # -- the way back
    def backward(self, used: Operand, shadows: dict[int, Var]) -> dict[int, Operand]:
        """The loop over all passes from the last one on; cotangents of what things are before the loop."""
        b = self.b
        numbers = [self.seeds.get(k, const(0, self.given[k - 1].type.dtype)) for k in self.numbers]
        handed = self.after_exchanges([shadows[k] for k in self.exchanged])
        inits: list[Operand] = [used, *numbers, *handed]
        args = [b.fresh("top", INT)]
        args += [b.fresh(f"ct_{self.given[k - 1].name}", self.given[k - 1].type) for k in self.numbers]
        args += [b.fresh(v.name, v.type) for v in handed]
        outs = [b.fresh(a.name, a.type) for a in args]
        count = 1 + len(numbers)
        last, end = self.number(), b.op("sub", self.passes, const(1))
        with b.block() as stmts:
            top, state = self.reach(last, args[0])
            entering = self.before_exchange(args[count:])
            new = self.pass_back(last, state, args[1:count], {**shadows, **entering})
            newest = b.load(self.states.places, (b.op("sub", top, const(1)),), "newest")
            reached = b.cast(b.op("eq", newest, last), "int64")
            yields = (b.op("sub", top, reached, hint="top"), *new, *entering.values())
        body = Block(tuple(stmts), yields)
        b.emit(For(last, end, const(-1), -1, tuple(args), tuple(inits), body, tuple(outs), loc=b.loc))
        return {**shadows, **dict(zip(self.numbers, outs[1:count], strict=True))}

    def reach(self, last: Operand, top: Operand) -> tuple[Operand, list[Operand]]:
        """The state before pass `last`, from the newest that is kept; states on the way are kept while there
        is room.
        """
        b, carried = self.b, self.of.scalars + len(self.of.order)
        slot = b.op("sub", top, const(1), hint="slot")
        at = b.load(self.states.places, (slot,), "at")
        own = self.numbered([*self.given[: self.of.scalars], *self.work])
        state = [*{**own, **self.states.restored(b, slot, own)}.values()]
        inits = (at, top, *state[:carried])
        args = [b.fresh("at", INT), b.fresh("top", INT)]
        args += [b.fresh(x.name if isinstance(x, Var) else "carried", x.type) for x in state[:carried]]
        outs = [b.fresh(a.name, a.type) for a in args]
        with b.block() as stmts:
            short = b.op("lt", args[0], last)
        cond = Block(tuple(stmts), (short,))
        with b.block() as stmts:
            left = b.op("sub", last, args[0], hint="left")
            free = b.op("sub", self.slots, args[1], hint="free")
            to = b.op("add", args[0], schedule.distance(b, left, free), hint="to")
            moved = self.forward(args[0], to, [*args[2:], *state[carried:]])
            short = b.op("lt", to, last)
            with b.block() as keeping:
                self.states.keep(b, args[1], to, self.numbered(moved))
            b.if_(short, Block(tuple(keeping)), Block(), ())
            grown = b.op("add", args[1], b.cast(short, "int64"), hint="top")
        body = Block(tuple(stmts), (to, grown, *moved[:carried]))
        b.emit(While(tuple(args), inits, cond, body, tuple(outs), loc=b.loc))
        return outs[1], [*outs[2:], *state[carried:]]

    def pass_back(
        self, last: Operand, state: Sequence[Operand], cts: Sequence[Operand], shadows: dict[int, Var]
    ) -> list[Operand]:
        """One pass with both sweeps; the new cotangents of numbers."""
        b, of = self.b, self.of
        own = [ct for k, ct in zip(self.numbers, cts, strict=True) if k in self.state]
        given = [self.at(last), *state, *self.constants, *own, *(shadows[k] for k in self.arrays)]
        found = dict(zip(self.wrt, inlined(b, self.both, given)[of.scalars :], strict=True))
        return [
            found[k] if k in self.state else b.op("add", ct, found[k], hint=f"ct_{self.given[k - 1].name}")
            for k, ct in zip(self.numbers, cts, strict=True)
        ]

    # -- exchanges of names
    def before_exchange(self, handed: Sequence[Var]) -> dict[int, Var]:
        """From shadows by the names after a pass to shadows by the names before it."""
        after = dict(zip(self.exchanged, handed, strict=True))
        first = self.names.start
        return {k: after[first + self.of.order.index(k - first)] for k in self.exchanged}

    def after_exchanges(self, arrays: Sequence[Var]) -> list[Var]:
        """The shadows by the names after all passes."""
        first = self.names.start
        order = [self.exchanged.index(first + self.of.order[k - first]) for k in self.exchanged]
        return exchanged(self.b, self.passes, order, arrays)


def exchanged(b: Builder, passes: Operand, order: Sequence[int], arrays: Sequence[Var]) -> list[Var]:
    """Arrays after as many exchanges; `order` says which array each name has after one."""
    if list(order) == list(range(len(order))):
        return list(arrays)
    return copying.exchanged(b, passes, order, arrays, arrays)


def _read(step: Function) -> frozenset[Var]:
    """The memory whose elements a pass reads other than to add to them."""
    memory = roots(step)
    stmts = (s for s in walk(step.body) if not isinstance(s, Accumulate))
    return frozenset(r for s in stmts for a in reads(s) for r in memory[a])


__all__ = ["Loop", "Passes", "exchanged", "loop", "passes"]
