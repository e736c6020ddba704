"""What codegen hands on: the text, where its lines come from, and the places at which it can fail.

Invariants: the text holds no path of this machine; `sites[k]` is what the program means by failure number k.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..ir.places import NOWHERE, Location
from ..ir.types import Type


@dataclass(frozen=True, slots=True)
class Site:
    """A check in the generated program. `error` names an exception (`Check`); a failure brings the numbers
    for the `places` of the message, as for `str.format`, or the index and the length of an axis of `array`.
    """

    error: str
    message: str
    location: Location
    array: str = ""
    axis: int = 0
    places: int = 0
    remedy: str = ""


@dataclass(frozen=True)
class Text:
    """A generated module: its one public function is `name`; `lines[k]` is the user's place of line k + 1,
    `folded[k]` are the places of what stands inside that line's expressions."""

    source: str
    name: str
    sites: tuple[Site, ...]
    lines: tuple[Location, ...]
    workspace: bool = False  # whether it has a last parameter more, see `workspace`
    folded: tuple[tuple[Location, ...], ...] = ()
    target: str = "cpu"
    parallel: bool = False  # whether it asks its workspace for threads, see `threads`
    kernels: tuple[tuple[str, tuple[Type, ...]], ...] = ()  # names, and types of the parameters

    def user_locations(self, line: int) -> list[Location]:
        """All the user's places that a generated line comes from."""
        found = [self.lines[line - 1], *(self.folded[line - 1] if self.folded else ())]
        return [loc for loc in dict.fromkeys(found) if loc.line > 0]

    def user_location(self, line: int) -> Location | None:
        """The user's place of a generated line, or the nearest one above it."""
        for k in range(min(line, len(self.lines)) - 1, -1, -1):
            if self.lines[k] is not NOWHERE and self.lines[k].line > 0:
                return self.lines[k]
        return None
