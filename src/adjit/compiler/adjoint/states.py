"""Room for states of a loop: buffers with a slot for each, and the number of the pass that it begins.

Input: a builder, the number of slots, what a state is made of (numbers and arrays, by number). Output:
statements that put a state into a slot, move it to another, bring it back. Non-goals: which states are kept
(`keeping`, `schedule`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..ir.builder import Builder
from ..ir.nodes import Operand, Var
from ..ir.types import Array
from .copying import copy_array, nest, shape_of

State = Mapping[int, Operand]


@dataclass(frozen=True)
class States:
    """`places` has the number of the pass that begins with the state in a slot; `buffers` are by the number
    of what they keep.
    """

    places: Var
    buffers: Mapping[int, Var]

    @classmethod
    def room(cls, b: Builder, slots: Operand, like: State, called: Sequence[Var]) -> States:
        """Empty slots for states like this one, whose parts are called like these variables."""
        places = b.alloc((slots,), "int64", "places")
        buffers: dict[int, Var] = {}
        for k, x in like.items():
            array = _array(x)
            shape = [] if array is None else shape_of(b, array)
            buffers[k] = b.alloc((slots, *shape), x.type.dtype, f"kept_{called[k].name}")
        return cls(places, buffers)

    def __iter__(self) -> Iterator[Var]:
        yield self.places
        yield from self.buffers.values()

    def shape(self, b: Builder, k: int) -> list[Operand]:
        """The lengths of one array of a state."""
        return shape_of(b, self.buffers[k])[1:]

    def keep(self, b: Builder, slot: Operand, place: Operand, state: State) -> None:
        b.store(self.places, (slot,), place)
        for k, buffer in self.buffers.items():
            array = _array(state[k])
            if array is None:
                b.store(buffer, (slot,), state[k])
            else:
                copy_array(b, array, buffer, (slot,))

    def move(self, b: Builder, source: Operand, target: Operand, place: Operand) -> None:
        """The state in one slot into another."""
        b.store(self.places, (target,), place)
        for k in self.buffers:
            self._copy(b, k, source, self.buffers[k], (target,))

    def restored(self, b: Builder, slot: Operand, state: State) -> dict[int, Operand]:
        """What is in a slot: numbers, and the arrays of `state`, into which it is copied."""
        found: dict[int, Operand] = {}
        for k, buffer in self.buffers.items():
            x = state[k]
            if (array := _array(x)) is None:
                found[k] = b.load(buffer, (slot,), x.name if isinstance(x, Var) else None)
            else:
                self._copy(b, k, slot, array, ())
                found[k] = array
        return found

    def _copy(self, b: Builder, k: int, slot: Operand, target: Var, at: Sequence[Operand]) -> None:
        buffer = self.buffers[k]

        def one(index: tuple[Operand, ...]) -> None:
            b.store(target, (*at, *index), b.load(buffer, (slot, *index)))

        nest(b, self.shape(b, k), one)


def _array(x: Operand) -> Var | None:
    return x if isinstance(x, Var) and isinstance(x.type, Array) else None


__all__ = ["State", "States"]
