"""Tables and program text for people.

Input: column names and rows of text. Output: a `rich` table where `rich` is installed and the output is a
terminal, aligned plain text everywhere else, so that what is piped can be searched. Non-goals: formatting of
numbers.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Table:
    """`right` are the columns that hold numbers; `notes` are lines below the table."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()


def render(table: Table) -> str:
    """The table as aligned text.

    >>> print(render(Table("sizes", ("name", "bytes"), (("h", "80"), ("total", "80")), frozenset({1}))))
    sizes name   bytes
    -----  -----
    h         80
    total     80
    """
    cells = [table.columns, *table.rows]
    widths = [max(len(row[k]) for row in cells) for k in range(len(table.columns))]

    def line(row: Sequence[str]) -> str:
        parts = [
            c.rjust(w) if k in table.right else c.ljust(w)
            for k, (c, w) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(parts).rstrip()

    rule = "  ".join("-" * w for w in widths)
    lines = [table.title, line(table.columns), rule, *map(line, table.rows), *table.notes]
    return "\n".join(x for x in lines if x)


def decorated() -> bool:
    """Whether colours and frames may be printed: a terminal, and `rich`."""
    return sys.stdout.isatty() and importlib.util.find_spec("rich") is not None


def show(table: Table) -> None:
    """Print the table."""
    if not decorated():
        print(render(table))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table as Rich

    made = Rich(
        box=box.SIMPLE_HEAVY, header_style="bold", show_edge=False, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for k, column in enumerate(table.columns):
        if k in table.right:  # numbers stay whole on narrow terminals
            made.add_column(column.replace(" ", "\n"), justify="right", no_wrap=True)
        else:
            made.add_column(column, overflow="fold")
    for row in table.rows:
        made.add_row(*map(_escaped, row))
    console = Console()
    if table.title:
        console.print(_escaped(table.title), style="bold")
    console.print(made)
    for note in table.notes:
        console.print(_escaped(note), highlight=False)


def _escaped(text: str) -> Any:
    from rich.text import Text

    return Text(text)


def code(text: str) -> None:
    """Print Python text; on a terminal in colours of its own, few, that show on light and on dark."""
    if not decorated():
        print(text)
        return
    from pygments import token
    from rich.console import Console
    from rich.style import Style
    from rich.syntax import ANSISyntaxTheme, Syntax

    styles = {token.Comment: "green", token.String: "green", token.Keyword: "bold"}
    theme = ANSISyntaxTheme({tuple(kind): Style.parse(style) for kind, style in styles.items()})
    Console().print(Syntax(text, "python", theme=theme), soft_wrap=True)
