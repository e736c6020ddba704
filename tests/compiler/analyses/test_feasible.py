"""Systems of integer equations and inequalities: against all small integers, whatever variables are
called.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from adjit.compiler.analyses.feasible import Row, feasible

SPAN = range(-4, 5)


def system(rng: np.random.Generator, names: tuple[int, ...]) -> tuple[list[Row], list[Row]]:
    def row() -> Row:
        chosen = rng.permutation(len(names))[: rng.integers(1, len(names) + 1)]
        return {names[k]: int(rng.choice([-2, -1, 1, 2])) for k in chosen}, int(rng.integers(-4, 5))

    bounds = [({v: sign}, 4) for v in names for sign in (1, -1)]
    return [row() for _ in range(rng.integers(0, 2))], [row() for _ in range(rng.integers(1, 4))] + bounds


def holds(equations: list[Row], inequalities: list[Row], names: tuple[int, ...]) -> bool:
    for values in product(SPAN, repeat=len(names)):
        at = dict(zip(names, values, strict=True))
        sums = [
            [sum(c * at[v] for v, c in terms.items()) + k for terms, k in rows]
            for rows in (equations, inequalities)
        ]
        if not any(sums[0]) and min(sums[1]) >= 0:
            return True
    return False


def test_what_is_refuted_has_no_solution() -> None:
    """And most of what has none is refuted; other names give the same answer."""
    refuted = unsolvable = 0
    for seed in range(150):
        found = []
        for names in ((0, 1, 2), (30, 7, 12)):
            equations, inequalities = system(np.random.default_rng(seed), names)
            found.append(feasible(equations, inequalities))
        assert found[0] == found[1]
        solvable = holds(equations, inequalities, names)
        assert found[0] or not solvable
        refuted += not found[0]
        unsolvable += not solvable
    assert unsolvable > 10 and refuted > 0.8 * unsolvable
