"""Memory that a compiled function keeps from call to call.

A call takes a workspace, an array of eight-byte words, and gives it back. The function hands out parts of
it and leaves in the first word how many it wanted; a workspace that was too small is replaced by a larger
one after the call. Invariants: no two calls have the same workspace at the same time, in whatever threads
they run. Non-goals: giving memory back to the system.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Words = np.ndarray[Any, Any]
EMPTY = 8


class Pool:
    """Workspaces of one function that no call has at the moment. Lists are safe between threads."""

    def __init__(self) -> None:
        self.idle: list[Words] = []

    def take(self) -> Words:
        try:
            return self.idle.pop()
        except IndexError:
            return np.zeros(EMPTY, np.int64)

    def give(self, words: Words) -> None:
        wanted = words.item(0)
        if wanted > words.size:
            words = np.empty(wanted + wanted // 8, np.int64)
        self.idle.append(words)
