"""Which values to save: a minimum vertex cut.

Input: a graph of values. Each has a price (bytes times how often it is computed) and the values that it can
be computed from again; values that cannot be computed again have none. Output: the cheapest set of values
such that every wanted value can be computed from that set.

The cut is found by augmenting paths (Edmonds and Karp, 1972) on the graph with each value split in two.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Mapping

INFINITE = float("inf")
Node = Hashable


def minimum_cut(
    sources: Collection[Node],
    recipes: Mapping[Node, Collection[Node]],
    wanted: Collection[Node],
    price: Mapping[Node, float],
) -> set[Node]:
    """Values to save.

    >>> minimum_cut({"a", "b"}, {"c": {"a", "b"}}, {"c"}, {"a": 1.0, "b": 1.0, "c": 1.5})
    {'c'}
    """
    capacity: dict[tuple[Node, Node], float] = {}
    neighbours: dict[Node, list[Node]] = {}

    def edge(a: Node, b: Node, c: float) -> None:
        for x, y, w in ((a, b, c), (b, a, 0.0)):
            if (x, y) not in capacity:
                capacity[x, y] = 0.0
                neighbours.setdefault(x, []).append(y)
            capacity[x, y] += w

    start, end = ("start",), ("end",)
    for v in price:
        edge((v, "in"), (v, "out"), price[v])
    for v in sources:
        edge(start, (v, "in"), INFINITE)
    for v, inputs in recipes.items():
        for x in inputs:
            edge((x, "out"), (v, "in"), INFINITE)
    for v in wanted:
        edge((v, "out"), end, INFINITE)
    while True:
        previous = _reach(start, neighbours, capacity)
        if end not in previous:
            break
        _augment(start, end, previous, capacity)
    return {v for v in price if (v, "in") in previous and (v, "out") not in previous}


def _reach(
    start: Node, neighbours: Mapping[Node, list[Node]], capacity: Mapping[tuple[Node, Node], float]
) -> dict[Node, Node]:
    previous: dict[Node, Node] = {start: start}
    queue = deque([start])
    while queue:
        x = queue.popleft()
        for y in neighbours.get(x, ()):
            if y not in previous and capacity[x, y] > 1e-9:
                previous[y] = x
                queue.append(y)
    return previous


def _augment(
    start: Node, end: Node, previous: Mapping[Node, Node], capacity: dict[tuple[Node, Node], float]
) -> None:
    path = []
    y = end
    while y != start:
        path.append((previous[y], y))
        y = previous[y]
    flow = min(capacity[e] for e in path)
    for x, y in path:
        capacity[x, y] -= flow
        capacity[y, x] += flow
