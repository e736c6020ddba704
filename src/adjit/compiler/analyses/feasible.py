"""Whether a system of integer affine equations and inequalities can have a solution.

Input: equations `e == 0` and inequalities `e >= 0`, each a pair (terms, constant) whose terms map
integer variable numbers to integer coefficients. Output: False only if there is no solution; True means
"perhaps". Method: equations are eliminated (with the divisibility test), then Fourier-Motzkin over the
rationals with constants tightened to integers, given up as "perhaps" when the system grows too large. The
names of variables do not matter, and answers are remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import gcd

Terms = dict[int, int]
Row = tuple[Terms, int]

Frozen = tuple[tuple[tuple[tuple[int, int], ...], int], ...]

LIMIT = 64
KEPT = 1 << 13  # answers


def feasible(equations: Sequence[Row], inequalities: Sequence[Row]) -> bool:
    """False if no integers satisfy the system.

    >>> feasible([({0: 2, 1: -2}, 1)], [])          # 2 x - 2 y + 1 == 0
    False
    >>> feasible([], [({0: 1}, -3), ({0: -1}, 5)])  # 3 <= x <= 5
    True
    >>> feasible([], [({0: 1}, -6), ({0: -1}, 5)])  # 6 <= x <= 5
    False
    """
    numbers: dict[int, int] = {}
    return _answered(_renumbered(equations, numbers), _renumbered(inequalities, numbers))


def _renumbered(rows: Iterable[Row], numbers: dict[int, int]) -> Frozen:
    """The rows with variables numbered as they appear: the same questions are asked of one program after
    the other.
    """
    return tuple(
        [
            (tuple([(numbers.setdefault(v, len(numbers)), c) for v, c in terms.items()]), constant)
            for terms, constant in rows
        ]
    )


@lru_cache(KEPT)
def _answered(equations: Frozen, inequalities: Frozen) -> bool:
    systems = ([(dict(terms), constant) for terms, constant in one] for one in (equations, inequalities))
    rows = _eliminate_equations(*systems)
    if rows is None:
        return False
    return _fourier_motzkin(rows)


def _combine(a: Row, fa: int, b: Row, fb: int) -> Row:
    """`fa * a + fb * b` without zero terms."""
    terms = {v: fa * c for v, c in a[0].items()}
    for v, c in b[0].items():
        s = terms.get(v, 0) + fb * c
        if s:
            terms[v] = s
        else:
            del terms[v]
    return terms, fa * a[1] + fb * b[1]


def _eliminate_equations(equations: list[Row], rows: list[Row]) -> list[Row] | None:
    """The inequalities that remain, or None where an equation has no solution."""
    while equations:
        terms, constant = equations.pop()
        if not terms:
            if constant:
                return None
            continue
        g = gcd(*terms.values())
        if constant % g:
            return None
        terms, constant = {v: c // g for v, c in terms.items()}, constant // g
        pivot = min(terms, key=lambda v, t=terms: (abs(t[v]), v))  # type: ignore[misc]
        equation = (terms, constant)
        equations = [_without(pivot, e, equation) for e in equations]
        rows = [_without(pivot, r, equation) for r in rows]
    return rows


def _without(pivot: int, row: Row, equation: Row) -> Row:
    """The row with `pivot` eliminated; it is scaled by a positive number only."""
    c = row[0].get(pivot)
    if c is None:
        return row
    p = equation[0][pivot]
    return _combine(row, abs(p), equation, -c if p > 0 else c)


def _tighten(rows: Iterable[Row]) -> dict[tuple[tuple[int, int], ...], int] | None:
    """Rows by their terms, each with its smallest constant; None where one cannot hold."""
    table: dict[tuple[tuple[int, int], ...], int] = {}
    for terms, constant in rows:
        if not terms:
            if constant < 0:
                return None
            continue
        g = gcd(*terms.values())
        if g > 1:
            terms, constant = {v: c // g for v, c in terms.items()}, constant // g
        key = tuple(sorted(terms.items()))
        known = table.get(key)
        if known is None or constant < known:
            table[key] = constant
    for key, constant in table.items():
        opposite = table.get(tuple((v, -c) for v, c in key))
        if opposite is not None and constant + opposite < 0:
            return None
    return table


def _fourier_motzkin(rows: Iterable[Row]) -> bool:
    while True:
        table = _tighten(rows)
        if table is None:
            return False
        if not table:
            return True
        if len(table) > LIMIT:
            return True
        signs: dict[int, list[int]] = {}
        for key in table:
            for v, c in key:
                signs.setdefault(v, [0, 0])[c > 0] += 1
        pivot = min(signs, key=lambda v: (signs[v][0] * signs[v][1] - sum(signs[v]), v))
        kept: list[Row] = []
        positive: list[tuple[Row, int]] = []
        negative: list[tuple[Row, int]] = []
        for key, constant in table.items():
            row = (dict(key), constant)
            c = row[0].get(pivot, 0)
            if c == 0:
                kept.append(row)
            else:
                (positive if c > 0 else negative).append((row, c))
        for a, ca in positive:
            for b, cb in negative:
                kept.append(_combine(a, -cb, b, ca))
        rows = kept
