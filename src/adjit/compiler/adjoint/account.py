"""What the forward sweep keeps, and why: the rows of `f.saved`.

Input: a plan, its activity, the forward sweep's trail, the values that the reverse sweep reads. Output: a
`Note` per value: what it is, where it is made, which adjoint statement reads it, why it is not computed
again. Invariants: notes follow the order of the values. Non-goals: sizes (`analyses.sizes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.nodes import Call, For, If, Load, Location, Op, Stmt, Var, While
from ..ir.types import Array
from ..ir.visitor import operands
from ..ops import TABLE
from .activity import Activity
from .forward import Trail
from .left import left
from .needs import needs
from .plan import Plan, Snapshot


@dataclass(frozen=True)
class Note:
    """`reader` is the statement whose reverse needs the value first, None where only its shape is read."""

    name: str
    made: Location
    reader: Location | None
    why: str


class Account:
    def __init__(self, plan: Plan, active: Activity, trail: Trail) -> None:
        self.plan, self.active = plan, active
        self.buffers = {buffer: key for key, buffer in trail.buffers.items()}
        self.shadows = {shadow: v for v, shadow in trail.shadows.items()}
        self.readers: dict[Var, Stmt] = {}
        for stmt in plan.place.block_with:
            for v in needs(stmt, active):
                self.readers.setdefault(v, stmt)
        for block in plan.again.values():
            for v in block:
                self._pass_on(v)

    def _pass_on(self, v: Var) -> None:
        """What a value is computed again from is read by its reader."""
        stmt = self.plan.place.definition[v]
        if v in self.readers and v not in self.plan.saved and stmt is not None:
            for x in operands(stmt):
                if isinstance(x, Var):
                    self.readers.setdefault(x, self.readers[v])

    def note(self, v: Var) -> Note:
        key = self.buffers.get(v)
        match key:
            case Snapshot(array=array, loop=loop):
                why = "the array is overwritten in the loop around; a copy of what this loop reads is kept"
                load = next((s for s, c in self.plan.snapshots.items() if c is key), None)
                reader = None if load is None else self.readers.get(load.out, load)
                return Note(array.name, loop.loc, _loc(reader), why)
            case (Call() as call, int(k)):
                a = call.args[k]
                why = f"`{call.name}` reads it in the reverse sweep, and it is overwritten afterwards"
                return Note(a.name if isinstance(a, Var) else "", call.loc, call.loc, why)
            case Var():
                stmt = self.plan.place.definition[key]
                return Note(key.name, _made(stmt), _loc(self.readers.get(key)), self.reason(key, stmt))
        return self._alive(v)

    def reason(self, v: Var, stmt: Stmt | None) -> str:
        """Why a scalar inside a loop is saved."""
        match stmt:
            case Op(op=op) if TABLE[op].expensive:
                return f"`{op}` costs more than reading its result"
            case Op():
                return "what it is computed from takes more room"
            case Load(array=array):
                return f"the element of `{array.name}` is overwritten later"
            case For() | While() if v is getattr(stmt, "trips", None):
                return "the number of passes is known only when the loop has ended"
            case For() | While():
                return "each pass of the loop replaces it"
            case If():
                return "a branch chose it"
        return "it is read in the reverse sweep"

    def _alive(self, v: Var) -> Note:
        """Values of the outermost block, which are kept as they are."""
        if v in self.shadows:
            return Note(v.name, _made(None), None, "a cotangent that is handed on with its array")
        stmt = self.plan.place.definition.get(v)
        if isinstance(v.type, Array):
            made = "an argument" if stmt is None else "an array of the function"
            reader = next((s for s in self.plan.place.block_with if self._reads(s, v)), None)
            why = f"{made} whose elements are read where they lie"
            if v in left(reader):
                why = "states that the loop keeps on its way, from which its passes are run again"
            return Note(v.name, _made(stmt), _loc(reader), why)
        return Note(v.name, _made(stmt), _loc(self.readers.get(v)), "a number made outside all loops")

    def _reads(self, stmt: Stmt, array: Var) -> bool:
        if isinstance(stmt, Load):
            same = not self.active.roots[stmt.array].isdisjoint(self.active.roots.get(array, frozenset()))
            return same and stmt.out in self.readers
        return isinstance(stmt, Call) and array in stmt.args


def _loc(stmt: Stmt | None) -> Location | None:
    return None if stmt is None else stmt.loc


def _made(stmt: Stmt | None) -> Location:
    return Location("", 0) if stmt is None else stmt.loc


def notes(account: Account, values: Sequence[Var]) -> tuple[Note, ...]:
    return tuple(account.note(v) for v in values)
