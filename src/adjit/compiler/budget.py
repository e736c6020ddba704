"""Which loops of a program are checkpointed, and with how many snapshots, so that its gradient fits into a
number of bytes with the least work.

Input: a program, how a gradient is made of it, the arguments of a call. Output: a `Choice`. A loop is saved
in full or run again from some number of states. What each way takes is measured by making the gradient's
program and adding up its arrays (`analyses.sizes`): once per set of checkpointed loops, with their numbers
of snapshots as further parameters. What it costs is counted in statements that are executed. An integer
programme picks one way per loop; what it picks is measured as a whole, and where that is more than the sum
of its parts, the programme is solved again with the difference. Non-goals: arrays that no loop saves.
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
from .ir.builder import Names, const
from .ir.nodes import Block, For, Function, Operand, Stmt, While
from .ir.types import INT
from .ir.visitor import blocks, walk
from .passes import simplify
from .program import Program

Choice = dict[int, int]  # snapshots of the loops that are checkpointed, by their number in the program

ASSUMED_PASSES = 1000.0  # of a loop of which only a run can tell
STEPS = 1.15  # between the numbers of snapshots that are considered
ROUNDS = 6


def with_checkpoints(program: Program, choice: Mapping[int, int]) -> Program:
    """The program in which the chosen loops are checkpointed."""
    return _marked(program, {k: const(n) for k, n in choice.items()})


def _marked(program: Program, snapshots: Mapping[int, Operand]) -> Program:
    if not snapshots:
        return program
    fn = pipeline.passes(checkpointed(program.function, snapshots), (simplify,))
    return replace(program, function=fn)


@dataclass(frozen=True)
class Way:
    """A way to treat one loop: `nbytes` beyond the least, `work` beyond running it once and back."""

    snapshots: int | None
    nbytes: int
    work: float


class Budget:
    """The choice for one program and one set of arguments; `gradient` makes the gradient's core function,
    `saving` are the loops inside which it saves something.
    """

    def __init__(
        self,
        program: Program,
        gradient: Callable[[Program], Function],
        saving: Sequence[int],
        arguments: Sequence[Any],
    ) -> None:
        self.program, self.gradient, self.saving, self.arguments = program, gradient, saving, arguments
        self.sizes = Sizes(program.function, arguments)
        self.loops = nesting(program.function)
        self.made: dict[frozenset[int], Function] = {}
        self.known: dict[tuple[tuple[int, int], ...], int | None] = {}

    def chosen(self, limit: int) -> Choice:
        """The choice with the least work whose gradient takes at most `limit` bytes."""
        whole = self.peak({})
        if whole is not None and whole <= limit:
            return {}
        loops = list(filter(self.possible, self.saving))
        least = dict.fromkeys(loops, 1)
        floor = self.peak(least)
        if floor is None:
            raise self.unpredictable()
        ways = [self.ways(k, least, floor, limit) for k in loops]
        self.peak(_as_choice(loops, [min(w, key=lambda one: one.nbytes) for w in ways]))
        surplus: dict[frozenset[int], int] = {}
        for _ in range(ROUNDS):
            picked = _solved(ways, limit - floor, surplus)
            if picked is None:
                break
            choice = _as_choice(loops, picked)
            found = self.peak(choice)
            if found is None:
                raise self.unpredictable()
            if found <= limit:
                return choice
            again = frozenset(k for k, w in enumerate(picked) if w.snapshots is not None)
            surplus[again] = found - floor - sum(w.nbytes for w in picked)
        fits = [dict(key) for key, found in self.known.items() if found is not None and found <= limit]
        if not fits:
            raise self.too_little(limit)
        return min(fits, key=lambda choice: sum(self.again(k, n) for k, n in choice.items()))

    # -- what a choice takes
    def peak(self, choice: Choice) -> int | None:
        """The most bytes that a call with this choice has at a time; None where only a run can tell."""
        key = tuple(sorted(choice.items()))
        if key not in self.known:
            counts = [n for _, n in key]
            made = self.finished(frozenset(choice))
            try:
                self.known[key] = Sizes(made, (*self.arguments, *counts)).peak()
            except Unknown:
                self.known[key] = None
        return self.known[key]

    def finished(self, loops: frozenset[int]) -> Function:
        """The gradient's program as it is run with these loops checkpointed, of the numbers of snapshots
        too.
        """
        if loops not in self.made:
            fn = self.program.function
            names = Names.above(fn)
            counts = {k: names.fresh("snapshots", INT) for k in sorted(loops)}
            counting = replace(fn, params=(*fn.params, *counts.values()))
            program = _marked(replace(self.program, function=counting), counts)
            self.made[loops] = pipeline.passes(self.gradient(program), pipeline.BEFORE_TEXT)
        return self.made[loops]

    def possible(self, k: int) -> bool:
        """Whether a loop can be checkpointed."""
        try:
            checkpointed(self.program.function, {k: const(1)})
        except AdjitError:
            return False
        return True

    def ways(self, k: int, least: Choice, floor: int, limit: int) -> list[Way]:
        """The ways to treat a loop, where all others are checkpointed with one snapshot."""
        most = max(1, int(self.passes(self.loops[k])) - 1)
        found = [Way(1, 0, self.again(k, 1))]
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
        found += [Way(n, (n - 1) * per_state, self.again(k, n)) for n in sorted(counts - {1})]
        return found

    # -- what it costs
    def again(self, k: int, snapshots: int) -> float:
        """The statements that are executed once more where a loop has so many snapshots."""
        loop = self.loops[k]
        around = [outer for outer in self.loops if any(s is loop for s in walk(outer.body))]
        runs = math.prod(map(self.passes, around))
        handed = loop in self.program.function.body.stmts
        return runs * _extra(self.passes(loop), snapshots, handed) * self.work(loop.body)

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


def _extra(passes: float, snapshots: int, handed: bool) -> float:
    """Passes that run forward again with so many snapshots, the one in which each is reversed among them; see
    `adjoint.schedule`. `handed`: the first run keeps states, and is the first descent of the schedule.
    """
    n, c = int(passes), snapshots + 1
    if not handed:
        return float(_forward(n, c) + n)
    return float(_forward(n + 1, c))


def _forward(n: int, c: int) -> int:
    """The fewest forward passes with which `n` passes can be reversed from `c` kept states."""
    if n <= 1:
        return 0
    r = 1
    while math.comb(c + r, r) < n:
        r += 1
    return r * n - math.comb(c + r, r - 1)


def _solved(
    ways: Sequence[Sequence[Way]], spare: float, surplus: Mapping[frozenset[int], float]
) -> list[Way] | None:
    """One way per loop with the least work in all that takes at most `spare` bytes; None: there is none.
    `surplus` is what sets of checkpointed loops take beyond the sum of the ways.
    """
    from scipy.optimize import LinearConstraint, milp

    if not ways:
        return [] if spare >= 0 else None
    flat = [(k, w) for k, those in enumerate(ways) for w in those]
    room = np.array([*(float(w.nbytes) for _, w in flat), *surplus.values()])
    constraints = [LinearConstraint(room[None], -np.inf, spare)]
    for j in range(len(ways)):
        one = np.array([*(float(k == j) for k, _ in flat), *(0.0 for _ in surplus)])
        constraints.append(LinearConstraint(one[None], 1, 1))
    for n, chosen in enumerate(surplus):  # a further unknown: whether these loops are checkpointed, no others
        alike = np.zeros((len(ways), len(room)))
        for at, (k, w) in enumerate(flat):
            alike[k, at] = (w.snapshots is not None) == (k in chosen)
        it = np.eye(len(room))[len(flat) + n]
        constraints.append(LinearConstraint(alike - it, 0, np.inf))
        constraints.append(LinearConstraint((alike.sum(0) - it)[None], -np.inf, len(ways) - 1))
    found = milp(
        np.array([*(w.work for _, w in flat), *(0.0 for _ in surplus)]),
        integrality=np.ones(len(room)),
        bounds=(0, 1),
        constraints=constraints,
    )
    if found.x is None:
        return None
    return [w for (_, w), taken in zip(flat, found.x, strict=False) if taken > 0.5]


__all__ = ["Budget", "Choice", "with_checkpoints"]
