"""Functions with rules as the frontend sees them, and the rules that a capture has made or is making.

A rule may call its own function: the call is then one of the rule that is being made. Invariant: captures
inside a capture share one `Ruling`. Non-goals: making rules (`rules`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from ..library.rules import Rule
from ..program import Hidden


class Ruled(Protocol):
    """What `custom_vjp` and `custom_jvp` make."""

    __name__: str
    fun: Callable[..., object]
    nondiff: tuple[int, ...]
    signature: inspect.Signature
    rules: tuple[Callable[..., object], ...]  # (fwd, bwd), or (the tangent rule,); none yet
    reverse: bool  # whether it is a custom_vjp

    def skeleton(self) -> str: ...


@dataclass
class Made:
    """A rule by arguments. `hidden` is None while it is captured; `met` if its own code has called it."""

    rule: Rule
    hidden: tuple[Hidden, ...] | None = None
    met: bool = False


class Ruling:
    """The rules of one capture and of those inside it: what has been made, and whose code is being walked.
    `depth`: in how many of them the walk is. `read`: whether compiled functions that they call can be read.
    """

    def __init__(self) -> None:
        self.made: dict[object, Made] = {}
        self.within: list[Ruled] = []
        self.depth = 0
        self.read: dict[object, bool] = {}

    @contextmanager
    def inside(self, function: Ruled) -> Iterator[None]:
        self.within.append(function)
        try:
            yield
        finally:
            self.within.pop()

    @contextmanager
    def own_code(self) -> Iterator[None]:
        """The code of a function with a rule, or of its rule, is walked."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
