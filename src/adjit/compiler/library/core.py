"""Library calls: routines that are called as they are, each with a derivative of its own.

A routine's results go to arrays that the caller passes; which arguments it reads and writes is stated here.
Its derivative is emitted through a builder: `vjp(b, call, ct, primal)` adds to the shadows of what it reads
and clears the shadow of what it writes (unless the call accumulates); `jvp(b, call, tangent, primal)` fills
the tangent of what it writes. Both map argument positions to array variables; a shadow or tangent is None
where the argument carries no derivative. `needs(call, active)` names the positions whose contents, as they
are after the call, the vjp reads. No rule is asked where nothing that a derivative flows through is active:
what the call writes is a constant then, though its memory is active where something else is written to it.
The implementation of a routine has its name in `adjit.runtime.routines`.
Non-goals: choosing when a routine is used.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass

from ..ir.builder import Builder
from ..ir.nodes import Call, Var
from .blocks import accumulates, clear

Shadows = Mapping[int, Var | None]
Arrays = Mapping[int, Var]
Rule = Callable[[Builder, Call, Shadows, Arrays], None]
Needs = Callable[[Call, set[int]], set[int]]


def nothing_needed(_call: Call, _active: set[int]) -> set[int]:
    return set()


def no_rule(_b: Builder, call: Call, _shadows: Shadows, _primal: Arrays) -> None:
    raise AssertionError(f"{call.name} carries no derivative")


@dataclass(frozen=True)
class Routine:
    """`reads` and `writes` are argument positions. `zero_derivative`: the results are integers or piecewise
    constant. `flows` are the positions through which a derivative flows, where these are not all of `reads`.
    """

    name: str
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    vjp: Rule = no_rule
    jvp: Rule = no_rule
    needs: Needs = nothing_needed
    zero_derivative: bool = False
    flows: tuple[int, ...] | None = None

    @property
    def through(self) -> tuple[int, ...]:
        """The arguments through which a derivative flows."""
        if self.zero_derivative:
            return ()
        return self.reads if self.flows is None else self.flows

    def constant(self, call: Call, active: Container[object]) -> bool:
        """Whether the call overwrites what it writes with what no derivative flows into."""
        return not accumulates(call.attrs) and not any(call.args[k] in active for k in self.through)

    def needed(self, call: Call, active: Container[object]) -> set[int]:
        """The positions whose contents the derivative of this call reads."""
        if self.constant(call, active):
            return set()
        return self.needs(call, {k for k, a in enumerate(call.args) if a in active})

    def forget(self, b: Builder, shadows: Shadows) -> None:
        """The shadows or tangents of constants."""
        for k in self.writes:
            if (shadow := shadows[k]) is not None:
                clear(b, shadow)


ROUTINES: dict[str, Routine] = {}


def register(routine: Routine) -> Routine:
    if routine.name in ROUTINES:
        raise ValueError(f"routine {routine.name} is registered twice")
    ROUTINES[routine.name] = routine
    return routine
