"""Sparsity found with few runs of 64-bit masks, and columns coloured so that few directions give a matrix.

Input: a function from masks of the columns to masks of the rows. Output: the pairs (row, column) that may
be different from zero, and colours: columns of one colour share no row. Method: groups of neighbouring
columns are split again and again; groups of one colour are told apart by the row, so that one run splits
many. Invariants: no pair is missed. Non-goals: the least number of colours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from ..options import jit_disabled

Array = np.ndarray[Any, Any]
BITS = 62  # the sign bit stays clear
FEW, MANY = 16, 128  # columns that need no colours; groups among which a share of colours means something
Run = Callable[[Array], Array]


def _greedy(starts: Any, rows: Any, ends: Any, columns: Any, count: int) -> Any:
    """`rows[starts[c]:starts[c + 1]]` are those of column c, `columns[ends[r]:…]` those of row r."""
    colours = np.full(count, -1, np.int64)
    seen = np.full(count + 1, -1, np.int64)
    for c in range(count):
        for a in range(starts[c], starts[c + 1]):
            r = rows[a]
            for k in range(ends[r], ends[r + 1]):
                other = colours[columns[k]]
                if other >= 0:
                    seen[other] = c
        colour = 0
        while seen[colour] == c:
            colour += 1
        colours[c] = colour
    return colours


_compiled: list[Any] = []


def colours(rows: Array, columns: Array, shape: tuple[int, int]) -> Array:
    """A colour for each column, first fit; columns that have a row in common differ."""
    import scipy.sparse

    ones = np.ones(rows.size, np.int8)
    by_row = scipy.sparse.csr_array((ones, (rows, columns)), shape=shape)
    by_column = by_row.tocsc()
    if not _compiled:
        _compiled.append(numba.njit(_greedy))
    greedy = _greedy if jit_disabled() else _compiled[0]
    found: Array = greedy(by_column.indptr, by_column.indices, by_row.indptr, by_row.indices, shape[1])
    return found


def sparsity(run: Run, count: int, most: float = 0.5) -> tuple[Array, Array] | None:
    """The pairs (row, column) of `count` columns; None where more than the share `most` of them would need
    colours of their own.
    """
    edges = np.array([0, count])  # group g holds the columns edges[g] to edges[g + 1]
    rows = np.arange(len(run(np.zeros(count, np.int64))))
    groups = np.zeros(rows.size, np.int64)
    while edges.size - 1 < count:
        shape = (int(rows.max(initial=0)) + 1, edges.size - 1)
        colour = colours(rows, groups, shape)
        used = int(colour.max(initial=0)) + 1
        if edges.size > MANY and used > most * (edges.size - 1):
            return None
        parts = max(2, BITS // used)
        edges, rows, groups = _split(run, edges, rows, groups, colour, parts)
    if count > FEW:
        last = colours(rows, groups, (int(rows.max(initial=0)) + 1, count))
        if int(last.max(initial=0)) + 1 > most * count:
            return None
    return rows, groups


def _split(
    run: Run, edges: Array, rows: Array, groups: Array, colour: Array, parts: int
) -> tuple[Array, Array, Array]:
    """Each group in up to `parts`, and who touches them."""
    widths = np.diff(edges)
    inner = [
        np.unique(np.linspace(a, a + w, min(parts, w) + 1).astype(np.int64))[:-1]
        for a, w in zip(edges, widths, strict=False)
    ]
    finer = np.append(np.concatenate(inner), edges[-1])
    first = np.searchsorted(finer, edges[:-1])
    numbers = np.repeat(np.arange(finer.size - 1), np.diff(finer))  # part of each column
    owner = np.searchsorted(edges, np.arange(edges[-1]), side="right") - 1
    per_run = max(1, BITS // parts)  # colours that one run tells apart
    found_rows: list[Array] = []
    found_parts: list[Array] = []
    for start in range(0, int(colour.max(initial=0)) + 1, per_run):
        own = colour[owner]
        active = (own >= start) & (own < start + per_run)
        bit = (own - start) * parts + numbers - first[owner]
        masks = run(np.where(active, np.left_shift(1, np.where(active, bit, 0)), 0))
        chosen = (colour[groups] >= start) & (colour[groups] < start + per_run)
        r, g = rows[chosen], groups[chosen]
        field = masks[r] >> ((colour[g] - start) * parts)
        for p in range(parts):
            hit = (field >> p) & 1 == 1
            found_rows.append(r[hit])
            found_parts.append(first[g[hit]] + p)
    return finer, np.concatenate(found_rows), np.concatenate(found_parts)
