"""Which loops of a program are checkpointed, and with how many snapshots, so that its gradient fits into a
number of bytes with the least work.

Input: a program, how a gradient is made of it, the arguments of a call. Output: a `Choice`. A loop is saved
in full or run again from some number of states. What each way takes is measured by making the gradient's
program with it and adding up its arrays (`analyses.sizes`); what it costs is counted in statements that
are executed. An integer programme picks one way per loop; what it picks is measured as a whole, and where
that is more than the sum of its parts, the programme is solved again for less. Non-goals: arrays that no
loop saves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import AdjitError, MemoryBudgetError
from . import pipeline
from .adjoint.checkpointed_loops import checkpointed, nesting
from .analyses.sizes import Sizes, Unknown
from .ir.nodes import Block, For, Function, Stmt, While
from .ir.visitor import blocks
from .passes import simplify
from .program import Program

Choice = dict[int, int]  # snapshots of the loops that are checkpointed, by their number in the program

ASSUMED_PASSES = 1000.0  # of a loop of which only a run can tell
STEPS = 1.15  # between the numbers of snapshots that are considered
ROUNDS = 6


def with_checkpoints(program: Program, choice: Mapping[int, int]) -> Program:
    """The program in which the chosen loops are checkpointed."""
    if not choice:
        return program
    fn = pipeline.passes(checkpointed(program.function, choice), (simplify,))
    return replace(program, function=fn)


@dataclass(frozen=True)
class Way:
    """A way to treat one loop: `nbytes` beyond the least, `work` beyond running it once and back."""

    snapshots: int | None
    nbytes: int
    work: float


class Budget:
    """The choice for one program and one set of arguments; `gradient` makes the gradient's core function."""

    def __init__(
        self, program: Program, gradient: Callable[[Program], Function], arguments: Sequence[Any]
    ) -> None:
        self.program, self.gradient, self.arguments = program, gradient, arguments
        self.sizes = Sizes(program.function, arguments)
        self.known: dict[tuple[tuple[int, int], ...], int | None] = {}

    def chosen(self, limit: int) -> Choice:
        """The choice with the least work whose gradient takes at most `limit` bytes."""
        whole = self.peak({})
        if whole is not None and whole <= limit:
            return {}
        loops = [k for k in range(len(nesting(self.program.function))) if self.helps(k, whole)]
        least = dict.fromkeys(loops, 1)
        floor = self.peak(least)
        if floor is None:
            raise self.unpredictable()
        ways = [self.ways(k, least, floor, limit) for k in loops]
        self.peak(_as_choice(loops, [min(w, key=lambda one: one.nbytes) for w in ways]))
        spare = limit - floor
        for _ in range(ROUNDS):
            picked = _solved(ways, spare)
            if picked is None:
                break
            choice = _as_choice(loops, picked)
            found = self.peak(choice)
            if found is None:
                raise self.unpredictable()
            if found <= limit:
                return choice
            spare -= found - limit
        fits = [dict(key) for key, found in self.known.items() if found is not None and found <= limit]
        if fits:
            return fits[0]
        raise self.too_little(limit)

    # -- what a choice takes
    def peak(self, choice: Choice) -> int | None:
        """The most bytes that a call with this choice has at a time; None where only a run can tell."""
        key = tuple(sorted(choice.items()))
        if key not in self.known:
            made = self.gradient(with_checkpoints(self.program, choice))
            try:
                finished = pipeline.passes(made, pipeline.BEFORE_TEXT)
                self.known[key] = Sizes(finished, self.arguments).peak()
            except Unknown:
                self.known[key] = None
        return self.known[key]

    def helps(self, k: int, whole: int | None) -> bool:
        """Whether a loop can be checkpointed, and that takes less than to save it in full."""
        try:
            found = self.peak({k: 1})
        except AdjitError:
            return False
        return whole is None or (found is not None and found < whole)

    def ways(self, k: int, least: Choice, floor: int, limit: int) -> list[Way]:
        """The ways to treat a loop, where all others are checkpointed with one snapshot."""
        loop = nesting(self.program.function)[k]
        passes = self.passes(loop)
        each = self.work(loop.body)
        most = max(1, int(passes) - 1)
        found = [Way(1, 0, _extra(passes, 1) * each)]
        saved = self.peak({j: n for j, n in least.items() if j != k})
        if saved is not None:
            found.append(Way(None, saved - floor, 0.0))
        two = self.peak({**least, k: 2})
        per_state = max(0, two - floor) if two is not None else 0
        room = 1 + max(0, limit - floor) // per_state if per_state else most
        counts = {
            min(most, room),
            *(min(most, int(STEPS**e)) for e in range(1, 1 + int(math.log(most + 1, STEPS)))),
        }
        found += [Way(n, (n - 1) * per_state, _extra(passes, n) * each) for n in sorted(counts - {1})]
        return found

    # -- what it costs
    def passes(self, loop: For | While) -> float:
        if isinstance(loop, While):
            return ASSUMED_PASSES
        try:
            return float(len(range(self.sizes.value(loop.lo), self.sizes.value(loop.hi), loop.step)))
        except Unknown:
            return ASSUMED_PASSES

    def work(self, block: Block) -> float:
        """Statements that an execution of a block runs."""
        return sum(map(self._statement, block.stmts))

    def _statement(self, stmt: Stmt) -> float:
        inner = sum(map(self.work, blocks(stmt)))
        return 1.0 + (self.passes(stmt) * inner if isinstance(stmt, For | While) else inner)

    # -- what cannot be
    def unpredictable(self) -> MemoryBudgetError:
        fn = self.program.function
        return MemoryBudgetError(
            f"what the gradient of `{fn.name}` takes is known only when it has run",
            fn.loc,
            "the lengths of some arrays depend on values that it computes",
            "leave max_bytes out, or compute these lengths before and pass them",
        )

    def too_little(self, limit: int) -> MemoryBudgetError:
        fn = self.program.function
        least = min(n for n in self.known.values() if n is not None)
        return MemoryBudgetError(
            f"the gradient of `{fn.name}` takes at least {least} bytes for these arguments, "
            f"max_bytes is {limit}",
            fn.loc,
            "that is what is left when all loops that can be are checkpointed with one snapshot",
            f"pass max_bytes={least} or more",
        )


def _as_choice(loops: Sequence[int], picked: Sequence[Way]) -> Choice:
    return {k: w.snapshots for k, w in zip(loops, picked, strict=True) if w.snapshots is not None}


def _extra(passes: float, snapshots: int) -> float:
    """Passes that run forward again with so many snapshots; see `adjoint.schedule`."""
    n, c = int(passes), snapshots + 1
    if n <= 1:
        return float(n)
    r = 1
    while math.comb(c + r, r) < n:
        r += 1
    return float(r * n - math.comb(c + r, r - 1) + n)


def _solved(ways: Sequence[Sequence[Way]], spare: float) -> list[Way] | None:
    """One way per loop with the least work in all that takes at most `spare` bytes; None: there is none."""
    from scipy.optimize import LinearConstraint, milp

    if not ways:
        return [] if spare >= 0 else None
    flat = [(k, w) for k, those in enumerate(ways) for w in those]
    one_each = np.array([[float(k == j) for k, _ in flat] for j in range(len(ways))])
    room = np.array([[float(w.nbytes) for _, w in flat]])
    found = milp(
        np.array([w.work for _, w in flat]),
        integrality=np.ones(len(flat)),
        bounds=(0, 1),
        constraints=[LinearConstraint(one_each, 1, 1), LinearConstraint(room, -np.inf, spare)],
    )
    if found.x is None:
        return None
    return [w for (_, w), taken in zip(flat, found.x, strict=True) if taken > 0.5]


__all__ = ["Budget", "Choice", "with_checkpoints"]
