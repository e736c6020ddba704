"""What is known of a loop before it is walked.

Input: a loop statement, or one that the frontend makes itself. Output: its header, body and names, for
`passes`. Non-goals: what the names carry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ir.nodes import Operand, Var

if TYPE_CHECKING:
    from .specialise import Specialiser


@dataclass(frozen=True)
class ActiveLoop:
    """A loop whose body is being walked and that could be written out pass by pass instead."""

    iv: Var
    key: object
    scope: object


@dataclass
class Counted:
    """for iv in range(lo, hi, step)"""

    lo: Operand
    hi: Operand
    step: int
    hint: str
    bind: Callable[[Var], None]
    promised: bool = False


@dataclass
class Conditional:
    """while test()"""

    test: Callable[[], Operand]


@dataclass
class Loop:
    """`entered` are names that a pass may read before it binds them, `head` those needed by a pass or
    afterwards.
    """

    node: object
    header: Counted | Conditional
    body: Callable[[], None]
    assigned: tuple[str, ...]
    head: frozenset[str]
    entered: frozenset[str]
    stop: str | None = None
    unrollable: bool = False

    def key(self, ctx: Specialiser) -> object:
        return (self.node, ctx.path)


class Unrollable(Exception):
    """The passes differ in kind: only a loop written out pass by pass can hold them."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__()
        self.name, self.reason = name, reason


__all__ = ["ActiveLoop", "Conditional", "Counted", "Loop", "Unrollable"]
