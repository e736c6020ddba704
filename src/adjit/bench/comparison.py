"""The figures of a comparison, and how they are shown: text, a table, JSON, a plot.

Invariants: an empty figure is None, never zero; who took no part is named with the reason. Non-goals:
measuring.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from .. import console

COLUMNS = ("tool", "function", "gradient", "ratio", "against adjit", "memory", "compile", "deviation")


@dataclass(frozen=True)
class Row:
    """CPU seconds of one call of the function and of value and gradient, bytes that a gradient needs at its
    peak, CPU seconds of compiling, the largest deviation from adjit's gradient relative to its largest
    entry.

    `estimated`: the gradient's time is that of the function times the number of calls that it makes.
    """

    name: str
    function: float
    gradient: float
    memory: int | None
    compile: float | None
    deviation: float
    estimated: bool = False
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.gradient / self.function


def seconds(x: float | None) -> str:
    """A time with a fitting unit.

    >>> seconds(0.00123), seconds(2.5), seconds(None)
    ('1.23 ms', '2.50 s', '-')
    """
    if x is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if x >= size:
            return f"{x / size:.3g} {unit}" if x / size >= 100 else f"{x / size:.2f} {unit}"
    return f"{x / 1e-9:.0f} ns"


def factor(x: float, places: int) -> str:
    """How many times; without decimal places where they say nothing.

    >>> factor(1.25, 2), factor(11649.15, 2)
    ('1.25', '11649')
    """
    return f"{x:.{places if x < 100 else 0}f}"


def size(x: int | None) -> str:
    """A number of bytes.

    >>> size(4096), size(3 * 2**20)
    ('4 KiB', '3.0 MiB')
    """
    if x is None:
        return "-"
    if x < 1 << 20:
        return f"{x // 1024} KiB"
    return f"{x / (1 << 20):.1f} MiB"


@dataclass(frozen=True)
class Comparison:
    """`rows` starts with adjit; `skipped` maps the names of others to reasons."""

    name: str
    rows: tuple[Row, ...]
    skipped: dict[str, str]
    gradient_size: int

    def printable(self) -> console.Table:
        """The table, for a terminal."""
        own = self.rows[0].gradient
        cells = []
        for r in self.rows:
            about = "~" if r.estimated else ""
            cells.append(
                (
                    r.name,
                    seconds(r.function),
                    about + seconds(r.gradient),
                    about + factor(r.ratio, 1),
                    f"{about}{factor(r.gradient / own, 2)}x",
                    size(r.memory),
                    seconds(r.compile),
                    f"{r.deviation:.0e}",
                )
            )
        notes = [f"{r.name}: {r.note}" for r in self.rows if r.note]
        notes += [f"{name} skipped: {reason}" for name, reason in self.skipped.items()]
        if any(r.estimated for r in self.rows):
            notes.append("~ estimated: the function's time, times the calls that differences make")
        title = f"{self.name}: CPU time of one call, gradient of {self.gradient_size} numbers"
        return console.Table(title, COLUMNS, tuple(cells), frozenset(range(1, len(COLUMNS))), tuple(notes))

    def table(self) -> str:
        """The table, as text."""
        return console.render(self.printable())

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as it is written to JSON."""
        rows = [{**asdict(r), "ratio": r.ratio} for r in self.rows]
        return {
            "function": self.name,
            "gradient_size": self.gradient_size,
            "rows": rows,
            "skipped": self.skipped,
        }

    def json(self) -> str:
        return json.dumps(self.as_dict(), indent=2)

    def plot(self, path: str | None = None) -> Any:
        """Bars of function and gradient times on a logarithmic axis; written to `path`, else the figure is
        returned. Needs matplotlib."""
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise ImportError("the plot needs matplotlib: pip install matplotlib") from error
        figure = Figure(figsize=(7.0, 1.2 + 0.7 * len(self.rows)), layout="constrained")
        axes: Any = figure.add_subplot()
        names = [r.name + (" (estimated)" if r.estimated else "") for r in self.rows]
        at = range(len(names))
        for shift, word, colour in ((-0.2, "function", "#8aa6c1"), (0.2, "gradient", "#d1495b")):
            times = [r.function if word == "function" else r.gradient for r in self.rows]
            bars = axes.barh([k + shift for k in at], times, 0.38, label=word, color=colour)
            axes.bar_label(bars, [seconds(t) for t in times], padding=3, fontsize=8)
        axes.set_xscale("log")
        axes.set_yticks(list(at), names)
        axes.invert_yaxis()
        axes.margins(x=0.18)
        axes.set_xlabel("CPU seconds per call")
        axes.set_title(f"{self.name}: gradient of {self.gradient_size} numbers", loc="left")
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(frameon=False, loc="outside lower right", ncols=2)
        if path is None:
            return figure
        figure.savefig(path, dpi=130)
        return None

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<adjit comparison of {self.name}: {', '.join(r.name for r in self.rows)}>"
