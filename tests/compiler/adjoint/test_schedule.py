"""Where states are kept: as many passes run forward as the best schedule needs, and no more."""

from __future__ import annotations

import functools
import math
import sys
from types import FrameType

import numpy as np
import pytest

import adjit
from adjit.compiler.adjoint.schedule import MOST_RUNS
from adjit.runtime import vector


@functools.cache
def least(length: int, states: int) -> int:
    """The fewest forward passes with which `length` passes can be reversed from `states` kept states, the
    one at the start among them: by trying all places for the next one.
    """
    if length <= 1:
        return 0
    if states == 1:
        return length * (length - 1) // 2
    return min(k + least(length - k, states - 1) + least(k, states) for k in range(1, length))


def closed_form(length: int, states: int) -> int:
    """Griewank and Walther (2000), equation 3: r * length - β(states + 1, r - 1), with r the least number for
    which β(states, r) reaches `length`.
    """
    r = next(r for r in range(length + 1) if math.comb(states + r, r) >= length)
    return r * length - math.comb(states + r, r - 1) if r else 0


def test_the_closed_form_is_the_least() -> None:
    for states in range(1, 8):
        for length in range(1, 60):
            assert closed_form(length, states) == least(length, states)


def marked(x, n, snapshots):  # type: ignore[no-untyped-def]
    for _ in adjit.checkpoint(range(n), snapshots=snapshots):
        x = np.sin(x)
    return x


def in_memory(x, n, snapshots):  # type: ignore[no-untyped-def]
    u = np.array([x, 1.0])
    for _ in adjit.checkpoint(range(n), snapshots=snapshots):
        u[0] = np.sin(u[0])
    return u[0]


def left_to_adjit(x, n):  # type: ignore[no-untyped-def]
    for _ in adjit.checkpoint(range(n)):
        x = np.sin(x)
    return x


def sines(f, *args):  # type: ignore[no-untyped-def]
    """How many sines a call of a gradient computes: one in each forward run of a pass."""
    gradient = adjit.value_and_grad(f)
    gradient(*args)
    count = 0

    def watch(frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event == "call" and frame.f_code is vector.sin.__code__

    sys.setprofile(watch)
    try:
        gradient(*args)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("snapshots", [1, 2, 3, 5, 11, 80])
@pytest.mark.parametrize("f", [marked, in_memory])
def test_passes_that_are_run(f, snapshots: int) -> None:  # type: ignore[no-untyped-def]
    """Each once in the forward sweep, then as often as the best schedule runs them. What a pass leaves when
    it is reversed is not computed.
    """
    for n in (1, 2, 3, 10, 37, 50):
        states = 1 + min(snapshots, n - 1)
        assert sines(f, 0.7, n, snapshots) == n + closed_form(n, states)


@pytest.mark.parametrize("n", [1, 5, 34, 35, 36, 300])
def test_what_adjit_chooses(n: int) -> None:
    """So many states that no pass runs forward more than three times again."""
    states = next(c for c in range(1, n + 1) if math.comb(c + MOST_RUNS, MOST_RUNS) >= n)
    assert sines(left_to_adjit, 0.7, n) == n + closed_form(n, states)
