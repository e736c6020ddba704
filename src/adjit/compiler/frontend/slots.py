"""Slots: what holds the values that a name may have on the sides of a branch or in the passes of a loop.

Input and output: none, these are plain descriptions. Invariants: slots hold no IR variables (but for `Part`),
so that they outlive a discarded walk; two slots are equal if they hold the same values. Non-goals: finding
the slot of a name, its operands (`carry`).
"""

from __future__ import annotations

from dataclasses import dataclass

from .values import ArrayValue, Item, ListValue

NOT_ONE_KIND = "its length is known at run time only, and its items are not of one kind"
GUESS = "taken for a float until its type is known"


@dataclass(frozen=True)
class Same:
    """The value that it had before."""


@dataclass(frozen=True)
class Number:
    dtype: str
    weak: bool = False


@dataclass(frozen=True)
class Optional_:
    """Bound on some paths only: a boolean goes along."""

    inner: Slot


@dataclass(frozen=True)
class Items:
    """A structure; `kind` is tuple, list, dict or the class of a record. A number that may be None is one of
    the kind `OrNone`: of a boolean and the number.
    """

    kind: type
    keys: tuple[object, ...]
    slots: tuple[Slot, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """A part of one array; starts, lengths and steps (in the order of `numbers`) that differ are carried."""

    like: ArrayValue
    varying: tuple[bool, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and (self.like.base, self.varying) == (other.like.base, other.varying)

    def __hash__(self) -> int:
        return hash(self.varying)


@dataclass(frozen=True)
class Reference:
    """One of several arrays in memory; names of one `group` exchange theirs."""

    dtype: str
    ndim: int
    group: str = ""


@dataclass(frozen=True)
class Storage:
    """Memory of its own, into which the elements are copied."""

    dtype: str
    ndim: int


@dataclass(frozen=True)
class Listed:
    """A list of run-time length in memory of its own, into which the items are copied."""

    item: Item


@dataclass(frozen=True)
class Chosen:
    """One of several constants: its number among them is carried."""

    among: tuple[object, ...]


@dataclass(frozen=True)
class Mixed:
    """No common meaning; an error where the name is read."""

    reason: str


Slot = Same | Number | Chosen | Optional_ | Items | Part | Reference | Storage | Listed | Mixed
Place = ArrayValue | ListValue

__all__ = [
    "GUESS",
    "NOT_ONE_KIND",
    "Chosen",
    "Items",
    "Listed",
    "Mixed",
    "Number",
    "Optional_",
    "Part",
    "Place",
    "Reference",
    "Same",
    "Slot",
    "Storage",
]
