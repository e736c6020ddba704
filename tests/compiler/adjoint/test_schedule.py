"""Where states are kept: as many passes run forward as the best schedule needs, and no more, where their
number is known beforehand; else at most half as many again.
"""

from __future__ import annotations

import functools
import math
import sys
from types import FrameType

import numpy as np
import pytest

import adjit
from adjit.compiler.adjoint.schedule import MOST_RUNS, ROOM
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


@functools.cache
def until(snapshots: int | None):  # type: ignore[no-untyped-def]
    def f(x, n):  # type: ignore[no-untyped-def]
        k = 0
        while adjit.checkpoint(k < n, snapshots=snapshots):
            x = np.sin(x)
            k += 1
        return x

    return f


@functools.cache
def left_early(snapshots: int | None):  # type: ignore[no-untyped-def]
    def f(x, n):  # type: ignore[no-untyped-def]
        u = np.array([x, 1.0])
        for k in adjit.checkpoint(range(10**9), snapshots=snapshots):
            u[0] = np.sin(u[0])
            if k + 1 == n:
                break
        return u[0]

    return f


def inside_a_loop(x, n, snapshots, outer):  # type: ignore[no-untyped-def]
    for _ in range(outer):
        for _ in adjit.checkpoint(range(n), snapshots=snapshots):
            x = np.sin(x)
    return x


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
    """The forward sweep runs each of them and keeps states. With its end as one pass more, that is the first
    descent of the best schedule. What a pass leaves when it is reversed is not computed.
    """
    for n in (1, 2, 3, 10, 37, 50):
        states = 1 + min(snapshots, n - 1)
        assert (
            sines(f, 0.7, n, snapshots) == closed_form(n + 1, states) < n + closed_form(n, states) + (n < 2)
        )


@pytest.mark.parametrize("n", [1, 5, 34, 35, 36, 300])
def test_what_adjit_chooses(n: int) -> None:
    """So many states that no pass runs forward more than three times."""
    states = next(c for c in range(1, n + 1) if math.comb(c + MOST_RUNS, MOST_RUNS) >= n + 1)
    assert sines(left_to_adjit, 0.7, n) == closed_form(n + 1, states)


@pytest.mark.parametrize("snapshots", [1, 2, 3, 4, 7, 16, None])
@pytest.mark.parametrize("made", [until, left_early])
def test_passes_whose_number_is_not_known(made, snapshots: int | None) -> None:  # type: ignore[no-untyped-def]
    """As few as there are while all states fit; then at most half as many again as the best schedule runs
    that knows the number.
    """
    states = 1 + (ROOM if snapshots is None else snapshots)
    several = {1, 2, 3, states - 1, states, states + 1, 2 * states - 1, 2 * states + 1, 61, 150, 333, 700}
    for n in sorted(several - {0}):
        count, best = sines(made(snapshots), 0.7, n), closed_form(n + 1, states)
        assert best <= count <= 1.5 * best
        if n <= states:
            assert count == n


def test_inside_a_loop_nothing_is_kept_in_the_forward_sweep() -> None:
    """There would have to be room for the states of each of its passes."""
    assert sines(inside_a_loop, 0.7, 37, 4, 2) == 2 * (37 + closed_form(37, 5))


@pytest.mark.parametrize("f", [until(3), left_early(3), left_to_adjit])
def test_nothing_is_kept_where_no_gradient_is_asked_for(f) -> None:  # type: ignore[no-untyped-def]
    tangent = adjit.jvp(f, (0.7, 20), (1.0, None))
    assert np.isclose(tangent[1], adjit.grad(f)(0.7, 20))
    for text in (adjit.jit(f).source(0.7, 20), adjit.jacfwd(f).source(0.7, 20)):
        program = text.split("import numba")[1]
        assert not any(word in program for word in ("kept", "stride", "places", "next_place", "slots"))
