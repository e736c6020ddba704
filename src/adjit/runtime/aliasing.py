"""Which arguments share memory, found at the call.

Input: the array leaves of a call, and which of them the program writes. Output: the identity pattern (the
same array object twice), or `OverwriteError` for any other overlap of memory that is written. Non-goals:
anything where nothing is written.

Also copies of several arrays at once that overlap as the arrays do.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import AdjitError, OverwriteError

Array = np.ndarray[Any, Any]
EXACT = 10_000  # effort that may go into deciding an overlap exactly


def same(a: Array, b: Array) -> bool:
    """Whether two arrays are the same elements in the same places."""
    return a is b or (
        a.shape == b.shape
        and a.strides == b.strides
        and a.dtype == b.dtype
        and a.size > 0
        and a.__array_interface__["data"][0] == b.__array_interface__["data"][0]
    )


def pattern(arrays: Sequence[Array]) -> tuple[int, ...]:
    """For each array the number of the first one that is the same."""
    found: list[int] = []
    for k, a in enumerate(arrays):
        found.append(next((j for j in range(k) if found[j] == j and same(arrays[j], a)), k))
    return tuple(found)


def overlap(a: Array, b: Array) -> bool:
    """Whether memory is shared; undecided counts as shared."""
    if not np.may_share_memory(a, b):
        return False
    try:
        return bool(np.shares_memory(a, b, max_work=EXACT))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def overlaps_itself(a: Array) -> bool:
    """Whether two elements share memory; what takes too long to decide counts as shared."""
    if a.size < 2 or a.flags.contiguous or a.flags.f_contiguous:
        return False
    axes = sorted((abs(s), n) for s, n in zip(a.strides, a.shape, strict=True) if n > 1)
    extent = a.itemsize
    apart = True
    for stride, n in axes:
        apart = apart and stride >= extent
        extent += stride * (n - 1)
    if apart or a.size > EXACT:
        return not apart
    places = np.zeros(1, np.int64)
    for stride, n in axes:
        places = np.add.outer(places, stride * np.arange(n)).ravel()
    return bool(np.any(np.diff(np.sort(places)) < a.itemsize))


def check(arrays: Sequence[Array], names: Sequence[str], written: Sequence[int], function: str) -> None:
    """Refuse overlaps of arrays in `written` with others, and with themselves."""
    for w in written:
        a = arrays[w]
        if overlaps_itself(a):
            raise holding(names[w], function)
        for k, b in enumerate(arrays):
            if k != w and (k > w or k not in written) and overlap(a, b):
                raise overlapping(names[min(k, w)], names[max(k, w)], names[w], function)


def copies(arrays: Sequence[Array]) -> list[Array]:
    """Copies that share memory among each other as the arrays do."""
    bounds = [np.lib.array_utils.byte_bounds(a) for a in arrays]
    found: list[Array] = [a.copy() for a in arrays]
    order = sorted((k for k, a in enumerate(arrays) if a.size), key=lambda k: bounds[k])
    clusters: list[list[int]] = []
    reach = 0
    for k in order:
        low, high = bounds[k]
        if not clusters or low >= reach:
            clusters.append([])
        clusters[-1].append(k)
        reach = max(reach, high)
    for cluster in clusters:
        if len(cluster) == 1:
            continue
        low, high = bounds[cluster[0]][0], max(bounds[k][1] for k in cluster)
        memory = np.frombuffer(ctypes.string_at(low, high - low), np.uint8).copy()
        for k in cluster:
            a = arrays[k]
            offset = a.__array_interface__["data"][0] - low
            found[k] = np.ndarray(a.shape, a.dtype, memory, offset, a.strides)
            found[k].flags.writeable = a.flags.writeable
    return found


def holding(name: str, function: str) -> AdjitError:
    return refusal(f"argument {name!r}, which `{function}` writes, holds one element at several places")


def overlapping(first: str, second: str, written: str, function: str) -> AdjitError:
    return refusal(
        f"arguments {first!r} and {second!r} overlap in memory, and `{function}` writes {written!r}"
    )


def refusal(what: str) -> AdjitError:
    why = "a write through one name would change what the other reads"
    return OverwriteError(what, why=why, hint="pass a copy of one of them")
