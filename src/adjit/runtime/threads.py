"""How many threads a divided program uses, and whether they may run together.

Input: the option `parallel`. Output: the numbers that a call finds in the second and third word of its
workspace. `turned` guards the compiled function where Numba's threads are not safe to enter from two threads
of Python at a time: whoever comes second runs the same shares of passes one after the other, so that the
result is the same to the bit. The child of a fork whose parent had threads runs them so too. Non-goals:
dividing programs (`compiler.threads`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import numba
from numba.np.ufunc import parallel as layers

from .workspace import Pool, Words

THREADS, WORKERS = 1, 2  # words of a workspace
_turn = threading.Lock()
_state = {"forked": False}


def _after_fork() -> None:
    _state["forked"] = bool(getattr(layers, "_is_initialized", True))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def number(chosen: bool | int) -> int:
    """The number of threads that an option asks for."""
    return numba.get_num_threads() if chosen is True else int(chosen)


def safe() -> bool:
    """Whether several threads of Python may enter Numba's threads at a time."""
    layers._launch_threads()
    return str(numba.threading_layer()) != "workqueue"


def turned(call: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled function, which ends with the workspace, with Numba's threads for one caller at a time."""
    if safe():
        return call

    def run(*args: Any) -> Any:
        if not _turn.acquire(blocking=False):
            args[-1][WORKERS] = 1
            return call(*args)
        try:
            return call(*args)
        finally:
            _turn.release()

    return run


class ThreadedPool(Pool):
    """Workspaces that say how many threads there are."""

    def __init__(self, chosen: bool | int) -> None:
        super().__init__()
        self.chosen = chosen

    def take(self) -> Words:
        words = super().take()
        words[THREADS] = number(self.chosen)
        words[WORKERS] = 1 if _state["forked"] else numba.get_num_threads()
        return words


__all__ = ["ThreadedPool", "number", "safe", "turned"]
