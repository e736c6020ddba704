"""Where statements come from, for all who name the user's line without reading the IR.

`UNEQUAL` is the error of a check that stands for no error of the user's: of lengths that were taken to be
equal. Non-goals: the statements (`nodes`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

UNEQUAL = "UnequalLengths"


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the user's source; `line` counts from 1, columns from 0 as in `ast`."""

    file: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    function: str = ""
    reverse: bool = False  # whether a reverse sweep made what stands here
    call: Location | None = field(default=None, compare=False)  # that of the function it is in, if inlined

    def calls(self) -> list[Location]:
        """The calls that lead to the place, the innermost first."""
        return [] if self.call is None else [self.call, *self.call.calls()]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column + 1}"


NOWHERE = Location("<adjit>", 0)

__all__ = ["NOWHERE", "UNEQUAL", "Location"]
