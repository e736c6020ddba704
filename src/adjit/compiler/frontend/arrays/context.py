"""What the array half asks of the specialiser: a builder, errors with a place, inlining, and notice before
a write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, Protocol

from ...ir.builder import Builder
from ...ir.nodes import Var
from ..values import Value


class Options(Protocol):
    """The compile options that lowering reads."""

    @property
    def boundscheck(self) -> bool: ...


class Context(Protocol):
    """The specialiser as seen from here."""

    b: Builder

    @property
    def options(self) -> Options: ...

    def error(self, cls: type[Exception], what: str, why: str = "", instead: str = "") -> NoReturn: ...

    def call(self, function: object, args: list[Value], kwargs: dict[str, Value]) -> Value: ...

    def before_write(self, base: Var) -> None: ...


Index = Sequence[object]
