"""Structures of parameters: the same nodes with other leaves.

Input: a structure of arrays and numbers, as the transforms take it. Output: a structure of fresh arrays, such
as buffers that gradients are added to. Non-goals: arithmetic on structures (`adjit.train`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import pytree


def zeros_like(params: Any) -> Any:
    """Zero arrays in the structure of `params`: what `value_and_grad(f).accumulate` adds to. A number has an
    array without axes, what has no gradient has None.

    >>> zeros_like({"w": np.ones(2), "rate": 0.5, "steps": 3})
    {'w': array([0., 0.]), 'rate': array(0.), 'steps': None}
    """
    node = pytree.children(params)
    if node is not None:
        kind, keys, parts = node
        return pytree.rebuild(kind, keys, [zeros_like(p) for p in parts])
    if isinstance(params, np.ndarray | np.inexact | float | complex) and np.result_type(params).kind in "fc":
        return np.zeros(np.shape(params), np.result_type(params))
    return None


__all__ = ["zeros_like"]
