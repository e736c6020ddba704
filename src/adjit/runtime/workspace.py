"""Memory that compiled functions keep from call to call.

A call takes a workspace, an array of eight-byte words, and gives it back. The function hands out parts of
it and leaves in the first word how many it wanted; a workspace that was too small is replaced by a larger
one after the call. A pullback keeps the workspace of its forward sweep, in which the saved values lie,
until it releases them. Invariants: no two calls have the same workspace at the same time, in whatever threads
they run; the workspaces of all functions together stay below the bound (`release` sets it and gives all idle
ones back to the allocator). Non-goals: memory that a call needs beyond its workspace.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

import numpy as np

Words = np.ndarray[Any, Any]
EMPTY = 8
DEFAULT_BOUND = 4 << 30  # bytes

_pools: weakref.WeakSet[Pool]
_lock = threading.RLock()
_bound = DEFAULT_BOUND


class Pool:
    """Workspaces of one function that no call has at the moment. Lists are safe between threads.

    `held` counts the words of workspaces larger than an empty one, those that calls have included.
    """

    def __init__(self) -> None:
        self.idle: list[Words] = []
        self.held = 0
        with _lock:
            _pools.add(self)

    def take(self) -> Words:
        try:
            return self.idle.pop()
        except IndexError:
            return np.zeros(EMPTY, np.int64)

    def give(self, words: Words) -> None:
        wanted = words.item(0)
        if wanted > words.size:
            words = self.grown(words, wanted + wanted // 8)
        self.idle.append(words)

    def grown(self, words: Words, wanted: int) -> Words:
        """A larger workspace, unless all together would pass the bound: then an empty one."""
        with _lock:
            self.drop(words)
            if 8 * (wanted + sum(p.held for p in _pools)) > _bound:
                return np.zeros(EMPTY, np.int64)
            self.held += wanted
        made: Words = np.empty(wanted, np.int64)
        made[0] = 0
        return made

    def drop(self, words: Words) -> None:
        """A workspace that does not come back."""
        if words.size > EMPTY:
            with _lock:
                self.held -= words.size

    def clear(self) -> None:
        while self.idle:
            self.drop(self.take())


class Lent:
    """A workspace in which results of a call lie. `back` when they are no longer read; `drop` where they may
    be read by somebody for ever.
    """

    def __init__(self, pool: Pool, words: Words) -> None:
        self.pool = pool
        self.words: list[Words] = [words]

    def back(self) -> None:
        if self.words:
            self.pool.give(self.words.pop())

    def drop(self) -> None:
        if self.words:
            self.pool.drop(self.words.pop())


_pools = weakref.WeakSet()


def release(bound: int | None = None) -> None:
    """Give the memory that idle functions keep back to the allocator. `bound`: from now on they keep no
    more bytes than that, all together (4 GiB at first).

    >>> release()
    """
    global _bound
    if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int) or bound < 0):
        raise TypeError(f"bound must be None or a number of bytes, not {bound!r}")
    with _lock:
        if bound is not None:
            _bound = bound
        for pool in list(_pools):
            pool.clear()


def kept_bytes() -> int:
    """Bytes of all workspaces, idle ones and those that calls and pullbacks have."""
    with _lock:
        return 8 * sum(p.held for p in _pools)
