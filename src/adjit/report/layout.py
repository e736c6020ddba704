"""Where the boxes of a graph stand.

Input: a trace. Output: a column and a row for each node that the result depends on or that is an input.
Columns count the longest way from the inputs; rows follow the mean row of the operands, so that edges cross
little.
Invariants: no two nodes share a place. Non-goals: the fewest crossings.
"""

from __future__ import annotations

from collections import defaultdict

from .trace import NONE, Trace


def needed(trace: Trace) -> list[int]:
    """Nodes that the result depends on, in order."""
    wanted = {trace.result}
    for node in reversed(trace.nodes):
        if node.number in wanted:
            wanted.update(k for k in node.inputs if k != NONE)
    return sorted(wanted)


def places(trace: Trace) -> dict[int, tuple[int, float]]:
    """(column, row) of each needed node; inputs stand one column before their first use."""
    shown = needed(trace)
    column: dict[int, int] = {}
    for k in shown:
        inner = [column[i] for i in trace.nodes[k].inputs if i in column]
        column[k] = 1 + max(inner) if inner else 0
    users: defaultdict[int, list[int]] = defaultdict(list)
    for k in shown:
        for i in trace.nodes[k].inputs:
            if i != NONE:
                users[i].append(column[k])
    for k in shown:
        if not trace.nodes[k].inputs and users[k]:
            column[k] = min(users[k]) - 1
    columns: defaultdict[int, list[int]] = defaultdict(list)
    for k in shown:
        columns[column[k]].append(k)
    tallest = max(map(len, columns.values()))
    rows: dict[int, float] = {}
    for c in sorted(columns):

        def mean(k: int) -> float:
            inner = [rows[i] for i in trace.nodes[k].inputs if i in rows]
            return sum(inner) / len(inner) if inner else float(k)

        ordered = sorted(columns[c], key=mean)
        first = (tallest - len(ordered)) / 2.0
        for place, k in enumerate(ordered):
            rows[k] = first + place
    return {k: (column[k], rows[k]) for k in shown}
