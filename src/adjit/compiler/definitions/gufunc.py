"""A function made by `numba.guvectorize`, as a loop over the axes that are not its kernel's.

Input: the kernel, and what its signature says of each operand: how many of the last axes are the kernel's,
the dtype, whether the kernel takes an array of one element where it has no axes. Output: the results.
Invariant: the kernel sees views, so it writes to the results. Non-goals: choosing dtypes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ShapeError
from .core import Number
from .linear import of_kind

Place = tuple[int, int]  # an operand and one of its axes, counted from the end


def gufunc(
    kernel: Any,
    inputs: Any,
    given: Any,
    ranks: tuple[int, ...],
    kinds: tuple[Any, ...],
    single: tuple[bool, ...],
    equal: tuple[tuple[Place, Place], ...],
    shapes: tuple[tuple[Place, ...], ...],
) -> Number:
    """`equal` are axes that have one name; `shapes` has the axes whose lengths those of a result are."""
    n = len(inputs)
    for one, other in equal:
        if inputs[one[0]].shape[one[1]] != inputs[other[0]].shape[other[1]]:
            raise ShapeError("the lengths of axes with one name in the signature differ")
    lead = np.broadcast_shapes(*[a.shape[: a.ndim - r] for a, r in zip(inputs, ranks[:n], strict=True)])
    spread = [
        np.broadcast_to(of_kind(a, kind), lead + a.shape[a.ndim - r :])
        for a, r, kind in zip(inputs, ranks[:n], kinds[:n], strict=True)
    ]
    results = [
        np.empty(lead + tuple(inputs[k].shape[axis] for k, axis in shape), kind)
        for shape, kind in zip(shapes, kinds[n:], strict=True)
    ]
    if len(given) > 0:
        for wanted, found in zip(results, given, strict=True):
            if wanted.shape != found.shape:
                raise ShapeError("an array for results has another shape than these")
        results = list(given)
    operands = [a[..., None] if one else a for a, one in zip(spread + results, single, strict=True)]
    for index in np.ndindex(lead):
        kernel(*[a[index] for a in operands])
    return [a[()] for a in results]
