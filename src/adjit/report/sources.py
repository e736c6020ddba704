"""The user's lines and the generated ones, coloured, each line with the place it belongs to.

Input: the text of a generated module with its line map, and the function below. Output: listings. A place is
`file number:line`; lines of both sides with one place belong together. Invariants: text is escaped for HTML.
Non-goals: pages, looks.
"""

from __future__ import annotations

import builtins
import html
import inspect
import io
import keyword
import linecache
import tokenize
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..compiler.codegen.linemap import Text
from ..compiler.ir.nodes import Location

NAMES = frozenset(dir(builtins))


@dataclass(frozen=True)
class Line:
    """One line of a listing: its number, its HTML, and the places it belongs to, separated by spaces."""

    number: int
    html: str
    places: str


@dataclass(frozen=True)
class Listing:
    title: str
    lines: tuple[Line, ...]


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.COMMENT:
        return "c"
    if token.type == tokenize.STRING:
        return "s"
    if token.type == tokenize.NUMBER:
        return "n"
    if token.type == tokenize.NAME and (keyword.iskeyword(token.string) or token.string in NAMES):
        return "k"
    return ""


def coloured(text: str) -> list[str]:
    """Each line of Python text as HTML; text that is not whole Python stays without colours."""
    lines = text.split("\n")
    marks: list[list[tuple[int, int, str]]] = [[] for _ in lines]
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = _kind(token)
            for row in range(token.start[0], token.end[0] + 1) if kind else ():
                start = token.start[1] if row == token.start[0] else 0
                end = token.end[1] if row == token.end[0] else len(lines[row - 1])
                marks[row - 1].append((start, end, kind))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return [html.escape(line) for line in lines]
    made = []
    for line, spans in zip(lines, marks, strict=True):
        parts, at = [], 0
        for start, end, kind in spans:
            parts.append(html.escape(line[at:start]))
            parts.append(f'<i class="{kind}">{html.escape(line[start:end])}</i>')
            at = end
        made.append("".join(parts) + html.escape(line[at:]))
    return made


class Places:
    """Numbers for files, so that no path of a machine is on the page."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}

    def of(self, loc: Location) -> str:
        if loc.line <= 0:
            return ""
        return f"{self.files.setdefault(loc.file, len(self.files))}:{loc.line}"


def generated(text: Text, places: Places) -> Listing:
    """The generated function without the module around it."""
    coloured_lines = coloured(text.source.rstrip("\n"))
    whole = text.source.split("\n")
    first = next((k for k, line in enumerate(whole) if line.startswith("def ")), 0)
    rows = []
    for k in range(first, len(coloured_lines)):
        found = text.user_locations(k + 1) if k < len(text.lines) else []
        rows.append(Line(k + 1, coloured_lines[k], " ".join(dict.fromkeys(map(places.of, found)))))
    return Listing("generated adjoint", tuple(rows))


def _functions(base: Callable[..., Any], text: Text) -> list[tuple[str, str, int, list[str]]]:
    """(name, file, first line, lines) of the function and of what was inlined into it."""
    found: list[tuple[str, str, int, list[str]]] = []
    try:
        lines, start = inspect.getsourcelines(base)
        found.append((base.__name__, inspect.getsourcefile(base) or "", max(1, start), lines))
    except (OSError, TypeError):
        pass
    known = {(file, line) for _, file, start, lines in found for line in range(start, start + len(lines))}
    others: dict[tuple[str, str], list[int]] = {}
    for loc in (loc for k in range(len(text.lines)) for loc in text.user_locations(k + 1)):
        if loc.line > 0 and (loc.file, loc.line) not in known:
            others.setdefault((loc.function, loc.file), []).append(loc.line)
    for (name, file), numbers in others.items():
        lo, hi = _extent(name, file, min(numbers), max(numbers))
        found.append((name, file, lo, [linecache.getline(file, n) for n in range(lo, hi + 1)]))
    return found


def _extent(name: str, file: str, lo: int, hi: int) -> tuple[int, int]:
    """From the `def` above the first line to the last line."""
    for n in range(lo, max(0, lo - 200), -1):
        if linecache.getline(file, n).lstrip().startswith(f"def {name}("):
            return n, hi
    return lo, hi


def _without_margin(lines: Sequence[str]) -> str:
    stripped = [line.rstrip("\n") for line in lines]
    margin = min((len(x) - len(x.lstrip()) for x in stripped if x.strip()), default=0)
    return "\n".join(x[margin:] for x in stripped)


def user_functions(base: Callable[..., Any], text: Text, places: Places) -> list[Listing]:
    """The listing of each function that the generated text comes from."""
    listings = []
    for name, file, start, lines in _functions(base, text):
        rows = []
        for k, line in enumerate(coloured(_without_margin(lines).rstrip("\n"))):
            rows.append(Line(start + k, line, places.of(Location(file, start + k))))
        listings.append(Listing(name, tuple(rows)))
    return listings
