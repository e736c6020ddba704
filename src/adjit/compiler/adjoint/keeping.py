"""The states that a loop keeps while it runs, so that its reversal starts from them.

Input: room for states, and in each pass the state that it begins with. Output: statements for the start of a
pass and for what follows the loop, and the number of slots in use. Where the number of passes is known, the
states are those that the best schedule keeps on its way to the end (`schedule`): the run of the loop is its
first descent. Where it is not (`while`, `break`), every pass is kept until the slots are full, then every
second state is dropped and passes are kept half as often. After the loop only those states stay that lie
nearest to where the best schedule, which is known by then, keeps some: the slots of the others are free for
the way back. While all states fit, each pass runs forward once; beyond that, at most half as many run as with
the best schedule besides it (found by trying all numbers up to 2000 with up to 33 slots; the worst is one
pass more than there are slots). Schedules that come closer copy states in every pass (Wang, Moin & Iaccarino,
"Minimal repetition dynamic checkpointing", SIAM J. Sci. Comput. 31, 2009; Stumm & Walther, "New algorithms
for optimal online checkpointing", 32, 2010). Invariants: never more states than slots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..ir.builder import Builder, const
from ..ir.nodes import Block, For, Operand, Var
from ..ir.types import INT
from . import schedule
from .states import State, States


class Keeping(Protocol):
    """`names` and `inits` are of numbers that the loop carries besides its own."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def inits(self) -> tuple[Operand, ...]: ...

    def before_pass(self, number: Operand, state: State, carried: Sequence[Operand]) -> list[Operand]:
        """At the start of a pass: what is carried to the next."""

    def used(self, passes: Operand, carried: Sequence[Operand]) -> Operand:
        """After the loop: the slots in use."""


class Planned:
    """For a number of passes that is known before them."""

    names = ("used", "next_place")

    def __init__(self, b: Builder, states: States, slots: Operand, passes: Operand) -> None:
        self.b, self.states, self.slots, self.passes = b, states, slots, passes

    def inits(self) -> tuple[Operand, ...]:
        return const(1), self.following(const(0), const(1))

    def following(self, place: Operand, used: Operand) -> Operand:
        """Where the next state is kept; at the end of the loop: none is."""
        left, free = self.b.op("sub", self.passes, place), self.b.op("sub", self.slots, used)
        return self.b.op("add", place, schedule.distance(self.b, left, free), hint="next_place")

    def before_pass(self, number: Operand, state: State, carried: Sequence[Operand]) -> list[Operand]:
        b, (used, place) = self.b, carried
        outs = [b.fresh(name, INT) for name in self.names]
        with b.block() as keeping:
            self.states.keep(b, used, number, state)
            more = b.op("add", used, const(1), hint="used")
            further = self.following(number, more)
        b.if_(
            b.op("eq", number, place), Block(tuple(keeping), (more, further)), Block((), (used, place)), outs
        )
        return [*outs]

    def used(self, passes: Operand, carried: Sequence[Operand]) -> Operand:
        return carried[0]


class Online:
    """For a number of passes that only the run tells. States lie `stride` passes apart; `wait` is how many
    passes there are until the next is kept.
    """

    names = ("used", "stride", "wait")

    def __init__(self, b: Builder, states: States, slots: Operand) -> None:
        self.b, self.states, self.slots = b, states, slots

    def inits(self) -> tuple[Operand, ...]:
        return const(1), const(1), const(1)

    def before_pass(self, number: Operand, state: State, carried: Sequence[Operand]) -> list[Operand]:
        b, (used, stride, wait) = self.b, carried
        outs = [b.fresh(name, INT) for name in self.names]
        with b.block() as due:
            place = b.op("mul", used, stride, hint="place")
            left, doubled = self.thinned(used, stride)
            next_place = b.op("mul", left, doubled, hint="next_place")
            wanted = b.op("eq", next_place, place)
            with b.block() as keeping:
                self.states.keep(b, left, place, state)
            b.if_(wanted, Block(tuple(keeping), ()), Block((), ()), ())
            more = b.op("add", left, b.cast(wanted, "int64"), hint="used")
            rest = b.op("sub", b.op("mul", more, doubled), place, hint="wait")
        b.if_(
            b.op("eq", wait, const(0)),
            Block(tuple(due), (more, doubled, rest)),
            Block((), (used, stride, wait)),
            outs,
        )
        return [*outs[:2], b.op("sub", outs[2], const(1), hint="wait")]

    def thinned(self, used: Operand, stride: Operand) -> tuple[Operand, Operand]:
        """Every second state, where all slots are in use: how many there are then, and how far apart."""
        b = self.b
        outs = [b.fresh("used", INT), b.fresh("stride", INT)]
        with b.block() as dropping:
            half = b.op("floordiv", b.op("add", used, const(1)), const(2), hint="used")
            doubled = b.op("mul", stride, const(2), hint="stride")
            with b.loop(const(1), half, "slot") as slot:
                self.states.move(b, b.op("mul", slot, const(2)), slot, b.op("mul", slot, doubled))
        full = b.op("eq", used, self.slots)
        b.if_(full, Block(tuple(dropping), (half, doubled)), Block((), (used, stride)), outs)
        return outs[0], outs[1]

    def used(self, passes: Operand, carried: Sequence[Operand]) -> Operand:
        """Those that stay: for each place of the best schedule, seen from the one before, the nearest."""
        b, (used, stride, _) = self.b, carried
        slot = b.fresh("slot", INT)
        args: list[Var] = [b.fresh("used", INT), b.fresh("at", INT)]
        outs = [b.fresh(a.name, INT) for a in args]
        b.iterates(slot, const(1), used, 1)
        with b.block() as stmts:
            taken, at = args
            place = b.op("mul", slot, stride, hint="place")
            behind = b.op("minimum", b.op("add", place, stride), passes, hint="behind")
            left, free = b.op("sub", passes, at, hint="left"), b.op("sub", self.slots, taken, hint="free")
            best = b.op("add", at, schedule.distance(b, left, free), hint="best")
            nearest = b.op("gt", b.op("sub", behind, best), b.op("sub", best, place))
            with b.block() as moving:
                self.states.move(b, slot, taken, place)
            apart = b.op("and", nearest, b.op("gt", slot, taken))
            b.if_(apart, Block(tuple(moving), ()), Block((), ()), ())
            more = b.op("add", taken, b.cast(nearest, "int64"), hint="used")
            new = b.op("select", nearest, place, at, hint="at")
        body = Block(tuple(stmts), (more, new))
        b.emit(For(slot, const(1), used, 1, tuple(args), (const(1), const(0)), body, tuple(outs), loc=b.loc))
        return outs[0]


__all__ = ["Keeping", "Online", "Planned"]
