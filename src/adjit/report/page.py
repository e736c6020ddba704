"""The HTML of the page.

Input: `Facts`. Output: one self-contained document: styles and script are inside, nothing is fetched. Without
a script the programs, the tables and the finished graph can still be read. Invariants: all text of the
user's is escaped. Non-goals: finding anything out.
"""

from __future__ import annotations

import html
import json
from collections.abc import Collection, Iterable, Sequence
from importlib.resources import files
from typing import Any

from ..runtime.buffers import COLUMNS
from .facts import Facts, Part
from .layout import needed, places
from .sources import Listing
from .trace import NONE, Trace

WIDTH, HEIGHT = 148, 64  # of a box
ACROSS, DOWN = 200, 84  # from box to box


def escape(text: object) -> str:
    return html.escape(str(text))


def number(x: float) -> str:
    """A number for a box.

    >>> number(76.0), number(0.1), number(1234567.0)
    ('76', '0.1', '1.235e+06')
    """
    return f"{x:.4g}"


def asset(name: str) -> str:
    return files(__package__ or "adjit.report").joinpath(name).read_text(encoding="utf-8")


# -- programs
def listing(one: Listing) -> str:
    rows = []
    for line in one.lines:
        place = f' data-places="{escape(line.places)}"' if line.places else ""
        rows.append(f'<li value="{line.number}"{place}><code>{line.html or " "}</code></li>')
    return f"<figure><figcaption>{escape(one.title)}</figcaption><ol>{''.join(rows)}</ol></figure>"


def programs(facts: Facts) -> str:
    left = "".join(map(listing, facts.users)) or "<p>The source is not at hand.</p>"
    return (
        '<section id="programs"><h2>Your program and its adjoint</h2>'
        "<p>Rest on a line to see where it went.</p>"
        f'<div class="columns"><div class="user">{left}</div>'
        f'<div class="made">{listing(facts.generated)}</div></div></section>'
    )


# -- the graph
def shortened(text: str, most: int = 21) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def box(trace: Trace, k: int, x: float, y: float) -> str:
    node = trace.nodes[k]
    head = f"{trace.label(k)} = {node.formula}" if node.formula else node.name
    kinds = ["node", "active" if node.active else "passive", "input" if not node.formula else "inner"]
    gradient = (
        f'<text class="gradient" x="{WIDTH - 8}" y="52">{number(node.gradient)}</text>' if node.active else ""
    )
    return (
        f'<g class="{" ".join(kinds)}" id="node-{k}" transform="translate({x:.0f},{y:.0f})">'
        f"<title>{escape(head)}</title>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="7"/>'
        f'<text class="head" x="8" y="22">{escape(shortened(head))}</text>'
        f'<text class="value" x="8" y="52">{number(node.value)}</text>{gradient}</g>'
    )


def edge(a: tuple[float, float], b: tuple[float, float], source: int, target: int) -> str:
    x1, y1 = a[0] + WIDTH, a[1] + HEIGHT / 2
    x2, y2 = b[0], b[1] + HEIGHT / 2
    bend = max(24.0, (x2 - x1) / 2)
    return (
        f'<path class="edge" data-from="{source}" data-to="{target}" '
        f'd="M{x1:.0f},{y1:.0f} C{x1 + bend:.0f},{y1:.0f} {x2 - bend:.0f},{y2:.0f} {x2:.0f},{y2:.0f}"/>'
    )


def drawing(trace: Trace) -> str:
    at = {k: (12.0 + c * ACROSS, 12.0 + r * DOWN) for k, (c, r) in places(trace).items()}
    wide = max(x for x, _ in at.values()) + WIDTH + 12
    high = max(y for _, y in at.values()) + HEIGHT + 12
    lines = [edge(at[i], at[k], i, k) for k in at for i in dict.fromkeys(trace.nodes[k].inputs) if i != NONE]
    boxes = [box(trace, k, *at[k]) for k in at]
    return (
        f'<svg viewBox="0 0 {wide:.0f} {high:.0f}" width="{wide:.0f}" height="{high:.0f}" role="img" '
        f'aria-label="data-flow graph">{"".join(lines)}{"".join(boxes)}</svg>'
    )


def steps(trace: Trace) -> list[dict[str, Any]]:
    """What each step of the animation shows: values forwards, then gradients backwards."""
    shown = needed(trace)
    made: list[dict[str, Any]] = []
    for k in shown:
        node = trace.nodes[k]
        name = trace.label(k)
        formula = f"{name} = {node.formula} = " if node.formula else f"{name} = "
        inputs = sorted({i for i in node.inputs if i != NONE})
        line = node.loc.line if node.loc.line > 0 else 0
        made.append(
            {"way": "forward", "node": k, "with": inputs, "line": line, "text": formula + number(node.value)}
        )
    result = trace.label(trace.result)
    for k in reversed(shown):
        node = trace.nodes[k]
        if not node.active:
            continue
        users = [u for u in shown if k in trace.nodes[u].inputs]
        terms = [
            f"{number(trace.nodes[u].gradient)} · {number(p)}"
            for u in users
            for i, p in zip(trace.nodes[u].inputs, trace.nodes[u].partials, strict=True)
            if i == k
        ]
        total = f"{' + '.join(terms)} = " if terms else ""
        text = f"d{result}/d{trace.label(k)} = {total}{number(node.gradient)}"
        line = node.loc.line if node.loc.line > 0 else 0
        made.append({"way": "backward", "node": k, "with": users, "line": line, "text": text})
    return made


def flow(facts: Facts) -> str:
    head = '<section id="graph"><h2>The graph, step by step</h2>'
    if facts.trace is None:
        return f'{head}<p class="absent">Not drawn: {escape(facts.no_trace)}.</p></section>'
    moves = steps(facts.trace)
    data = json.dumps(moves).replace("<", "\\u003c")
    buttons = "".join(
        f'<button type="button" id="{name}" title="{title}">{sign}</button>'
        for name, title, sign in (
            ("first", "to the start", "|◀"),
            ("back", "one step back", "◀"),
            ("play", "play", "▶ play"),
            ("next", "one step on", "▶"),
            ("last", "to the end", "▶|"),
        )
    )
    return (
        f"{head}"
        "<p>Values run forwards (left to right), gradients backwards. In a box: the value on the left, "
        "the derivative of the result in it on the right.</p>"
        f'<div class="controls">{buttons}<input type="range" id="at" min="0" max="{len(moves)}" '
        f'value="{len(moves)}" aria-label="step"><output id="count"></output></div>'
        f'<p id="said" aria-live="polite">{escape(moves[-1]["text"])}</p>'
        f'<div class="drawing">{drawing(facts.trace)}</div>'
        f'<script type="application/json" id="steps">{data}</script></section>'
    )


# -- tables
def table(
    identity: str, columns: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int] = ()
) -> str:
    """`right` are the columns of numbers."""
    head = "".join(f"<th{' class=r' if k in right else ''}>{escape(c)}</th>" for k, c in enumerate(columns))
    body = "".join(
        "<tr>"
        + "".join(f"<td{' class=r' if k in right else ''}>{c}</td>" for k, c in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return f'<table id="{identity}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def saved(facts: Facts) -> str:
    head = "<section><h2>What the forward sweep keeps for the reverse sweep</h2>"
    if facts.saved is None:
        return f'{head}<p class="absent">{escape(facts.no_saved)}.</p></section>'
    if not facts.saved.rows:
        nothing = "Nothing: the reverse sweep needs no value that it cannot compute itself."
        return f'{head}<p id="saved">{nothing}</p></section>'
    rows = [
        [f"<code>{escape(c)}</code>" if k in (0, 5) else escape(c) for k, c in enumerate(r.cells)]
        for r in facts.saved.rows
    ]
    rows.append(["total", "", "", "", f"{facts.saved.nbytes:,}", "", "", ""])
    if facts.saved.peak is not None:
        most = f"{facts.saved.peak:,}"
        rows.append(["most at a time, results included", "", "", "", most, "", "", ""])
    return head + table("saved", COLUMNS, rows, right=(1, 4)) + "</section>"


def activities(facts: Facts) -> str:
    if not facts.activity:
        return ""
    rows = [
        (
            f"<code>{escape(n.name)}</code>",
            f"<code>{escape(n.type)}</code>",
            "yes" if n.active else "no",
            escape(n.why),
        )
        for n in facts.activity
    ]
    title = "<section><h2>What carries a derivative</h2>"
    return title + table("activity", ("name", "type", "active", "why"), rows) + "</section>"


def duration(x: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if x >= size:
            return f"{x / size:.3g} {unit}"
    return f"{x * 1e9:.0f} ns"


def bars(identity: str, parts: Sequence[Part]) -> str:
    most = max((p.seconds for p in parts), default=1.0) or 1.0
    rows = [
        (
            escape(p.what),
            f'<span class="bar" style="width:{max(1.0, 100 * p.seconds / most):.1f}%"></span>',
            escape(p.note),
            duration(p.seconds),
        )
        for p in parts
    ]
    return table(identity, ("part", "", "", "CPU time"), rows, right=(3,))


def times(facts: Facts) -> str:
    return (
        "<section><h2>Time of each part</h2><h3>One call</h3>"
        f"{bars('running', facts.running)}<h3>Making it, once</h3>{bars('making', facts.making)}</section>"
    )


def summary(facts: Facts) -> str:
    rows = [(f"<code>{escape(n)}</code>", f"<code>{escape(v)}</code>") for n, v in facts.arguments]
    if facts.value:
        rows.append(("value", f'<code id="value">{escape(facts.value)}</code>'))
    if facts.gradient:
        rows.append(("gradient", f'<code id="gradient">{escape(facts.gradient)}</code>'))
    return table("summary", ("name", "in this call"), rows)


def page(facts: Facts) -> str:
    """The whole document."""
    body = "".join((programs(facts), flow(facts), saved(facts), activities(facts), times(facts)))
    title = f"{facts.word} of {facts.title}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{asset('page.css')}</style></head><body>"
        f"<header><h1>{escape(facts.word.capitalize())} of <code>{escape(facts.title)}</code></h1>"
        f"{summary(facts)}</header><main>{body}</main>"
        f"<script>{asset('page.js')}</script></body></html>\n"
    )
