"""How many threads a call gets, and who may have them."""

from __future__ import annotations

import threading
from typing import Any

import numba
import numpy as np
import pytest

from adjit.runtime import threads, together


def test_the_workspace_says_how_many() -> None:
    for chosen in (True, 2, 5):
        words = threads.ThreadedPool(chosen).take()
        assert words[threads.THREADS] == (numba.get_num_threads() if chosen is True else chosen)
        assert words[threads.WORKERS] == numba.get_num_threads()


def test_a_forked_child_works_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads.layers, "_is_initialized", True)
    monkeypatch.setitem(threads._state, "forked", False)
    threads._after_fork()
    assert threads.ThreadedPool(True).take()[threads.WORKERS] == 1


def test_the_second_caller_works_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Numba's threads may be entered by one thread of Python at a time."""
    monkeypatch.setattr(threads, "safe", lambda: False)
    entered, leave = threading.Event(), threading.Event()
    seen: list[int] = []

    def call(wait: bool, words: Any) -> None:
        seen.append(int(words[threads.WORKERS]))
        if wait:
            entered.set()
            leave.wait(10)

    run = threads.turned(call)
    pool = threads.ThreadedPool(4)
    first = threading.Thread(target=lambda: run(True, pool.take()))
    first.start()
    entered.wait(10)
    run(False, pool.take())
    leave.set()
    first.join()
    run(False, pool.take())
    assert seen == [numba.get_num_threads(), 1, numba.get_num_threads()]


@numba.njit
def _part(thread, threads, lo, out, scale):  # type: ignore[no-untyped-def]
    out[thread] = scale * (lo + thread) + threads


@numba.njit
def _start(threads, workers, out):  # type: ignore[no-untyped-def]
    together.in_threads(_part, threads, workers, (1, out, 2.5))


@pytest.mark.compiled
@pytest.mark.parametrize("count", [0, 1, 2, 3, 17])
@pytest.mark.parametrize("workers", [1, 2])
def test_each_thread_runs_once(count: int, workers: int) -> None:
    out = np.full(20, -1.0)
    _start(count, min(workers, numba.get_num_threads()), out)
    wanted = np.full(20, -1.0)
    together.in_threads(_part.py_func, count, workers, (1, wanted, 2.5))
    np.testing.assert_array_equal(out, wanted)
    assert (out >= 0).sum() == count
