"""What functions of `np.random` do with numbers that are drawn already."""

from __future__ import annotations

from typing import Any


def reorder(x: Any, order: Any) -> None:
    """`x` along its first axis in the order given, in place."""
    old = x.copy()
    for i in range(len(order)):
        x[i] = old[order[i]]
