"""What `checkpoint` on loops refuses, with the place and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit
from tests.support import oracles

from .checkpointed_programs import same


def draws(x, n):  # type: ignore[no-untyped-def]
    for _ in adjit.checkpoint(range(n)):
        x = x * np.random.normal()
    return x


def prints(x, n):  # type: ignore[no-untyped-def]
    for _ in adjit.checkpoint(range(n)):
        x = np.sin(x)
        print(x)
    return x


def grows(x, n):  # type: ignore[no-untyped-def]
    found = [x]
    for _ in adjit.checkpoint(range(n)):
        found.append(np.sin(found[-1]))
    return found[-1]


def chosen_before(x, n):  # type: ignore[no-untyped-def]
    a = np.array([x, 1.0])
    b = np.array([x * x, 2.0])
    c = a if x > 0.0 else b
    for _ in adjit.checkpoint(range(n)):
        c[0] = np.sin(c[0]) * a[1]
    return a[0] + b[0]


def parts_exchanged(x, n):  # type: ignore[no-untyped-def]
    a = np.array([[x, 1.0], [x * x, 2.0]])
    u, v = a[0], a[1]
    for _ in adjit.checkpoint(range(n)):
        u[0] *= v[1]
        u, v = v, u
    return a[0, 0] * u[0]


def exchanged_under_a_condition(x, n):  # type: ignore[no-untyped-def]
    u, v = np.array([x, 1.0]), np.array([x * x, 2.0])
    for k in adjit.checkpoint(range(n)):
        u[0] *= v[1]
        if k % 2 == 0:
            u, v = v, u
    return u[0]


def over_an_array(x, n):  # type: ignore[no-untyped-def]
    y = 1.0
    for w in adjit.checkpoint(np.linspace(0.0, x, n)):
        y *= w
    return y


def of_an_enumeration(x, n):  # type: ignore[no-untyped-def]
    for k, _ in adjit.checkpoint(enumerate(range(n))):
        x = np.sin(x * k)
    return x


def of_a_tuple(x, n):  # type: ignore[no-untyped-def]
    for k in adjit.checkpoint((1, 2, n)):
        x = np.sin(x * k)
    return x


def enumerated_twice(x, n):  # type: ignore[no-untyped-def]
    for k, (i, _) in enumerate(enumerate(adjit.checkpoint(range(n)))):
        x = np.sin(x * k * i)
    return x


def zipped(x, n):  # type: ignore[no-untyped-def]
    for k, _ in zip(adjit.checkpoint(range(n)), range(n), strict=True):
        x = np.sin(x * k)
    return x


def enumerated_array(x, n):  # type: ignore[no-untyped-def]
    for k, w in enumerate(adjit.checkpoint(np.linspace(0.0, x, n))):
        x *= w * k
    return x


def no_snapshots(x, n):  # type: ignore[no-untyped-def]
    for _ in adjit.checkpoint(range(n), snapshots=0):
        x = np.sin(x)
    return x


def half_a_snapshot(x, n):  # type: ignore[no-untyped-def]
    for _ in adjit.checkpoint(range(n), snapshots=0.5):
        x = np.sin(x)
    return x


def of_the_run(x, n):  # type: ignore[no-untyped-def]
    while adjit.checkpoint(x > 0.1, snapshots=n):
        x = 0.5 * np.sin(x)
    return x


def around_an_if(x, n):  # type: ignore[no-untyped-def]
    for _ in range(n):
        if adjit.checkpoint(x > 0.1):
            x = 0.5 * np.sin(x)
    return x


def stored(x, n):  # type: ignore[no-untyped-def]
    passes = adjit.checkpoint(range(n))
    return x * len(passes)


REFUSED = {
    "draws random numbers": (draws, adjit.UnsupportedSyntaxError),
    "seeds them or prints": (prints, adjit.UnsupportedSyntaxError),
    "a list whose length is known at run time": (grows, adjit.UnsupportedSyntaxError),
    "may share memory in a checkpointed loop": (chosen_before, adjit.OverwriteError),
    "`u` and `v` may share memory": (parts_exchanged, adjit.OverwriteError),
    "exchanges arrays under a condition": (exchanged_under_a_condition, adjit.OverwriteError),
    "a `for` loop over a 1-dimensional": (over_an_array, adjit.InferenceError),
    "a `for` loop over a 1-dim.* array cannot be checkpointed": (enumerated_array, adjit.InferenceError),
    "a `for` loop over what enumerate, zip or reversed gives": (of_an_enumeration, adjit.InferenceError),
    "a `for` loop over a tuple of 3": (of_a_tuple, adjit.InferenceError),
    "stands inside another call": (zipped, adjit.InferenceError),
    r"or enumerate\(checkpoint\(range\(n\)\)\), and index": (enumerated_twice, adjit.InferenceError),
    "at least 1, not 0": (no_snapshots, adjit.InferenceError),
    "a number of states, not 0.5": (half_a_snapshot, adjit.InferenceError),
    "the snapshots of a `while` loop depend": (of_the_run, adjit.InferenceError),
    "around the condition of an `if`": (around_an_if, adjit.UnsupportedSyntaxError),
    "the header of a checkpointed loop": (stored, adjit.AdjitError),
}


@pytest.mark.parametrize("words", REFUSED)
def test_refusals(words: str) -> None:
    f, error = REFUSED[words]
    with pytest.raises(error, match=words) as found:
        adjit.grad(f)(0.7, 5)
    assert found.value.location is not None and found.value.location.file == __file__


def test_snapshots_of_a_run_are_checked() -> None:
    def f(x, n, s):  # type: ignore[no-untyped-def]
        for _ in adjit.checkpoint(range(n), snapshots=s):
            x = np.sin(x)
        return x

    with pytest.raises(ValueError, match="snapshots must be at least 1"):
        adjit.grad(f)(0.7, 5, 0)
    assert adjit.grad(f)(0.7, 5, 1) == adjit.grad(f)(0.7, 5, 4)


def test_intermediates_of_a_pass_are_refused() -> None:
    def f(x, n):  # type: ignore[no-untyped-def]
        h = x
        for _ in adjit.checkpoint(range(n)):
            h = np.sin(h)
        return h

    with pytest.raises(adjit.NotDifferentiableError, match="`h` is assigned in a checkpointed loop"):
        adjit.grad(f, intermediates=("h",))(0.7, 5)
    h = adjit.grad(lambda x: f(x, 5) * 2.0, intermediates=())(0.7)
    assert h == 2.0 * adjit.grad(f)(0.7, 5)


def test_a_condition_that_writes_is_refused() -> None:
    """A function of the user's that has the name."""

    def checkpoint(a):  # type: ignore[no-untyped-def]
        a[0] = a[0] * 1.5
        return a[0] < 5.0

    def f(x):  # type: ignore[no-untyped-def]
        a = np.array([x, x])
        while checkpoint(a):
            a[1] *= a[0]
        return a[1]

    with pytest.raises(adjit.OverwriteError, match="the condition of a `while` writes an array"):
        adjit.grad(f)(0.7)


def two_lengths(x, n, header):  # type: ignore[no-untyped-def]
    u, v = np.sin(x[:2]), np.cos(x[1:])
    for _ in header(range(n)):
        u[0] = np.sin(v[0] * u[1])
        v[1] = v[0] * u[0]
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


def three_in_turn(x, n, header):  # type: ignore[no-untyped-def]
    u, v, w = x[:2] * 2.0, x[2:] * 3.0, x[:3] * x[1:]
    for _ in header(range(n)):
        u[0] = np.sin(v[0] * w[1])
        u, v, w = w, u, v
    return np.sum(u * u) + np.sum(v) * w[0]


@pytest.mark.parametrize("fun", [two_lengths, three_in_turn])
def test_exchanged_arrays_of_different_shapes_are_refused(fun: Callable[..., Any]) -> None:
    """The room for a state is by name; without checkpoint they are right."""
    x = np.linspace(0.2, 0.9, 4)
    found = adjit.grad(lambda x: fun(x, 4, same))(x)
    estimate = [oracles.extrapolate(lambda t, e=e: fun(x + t * e, 4, same)).value for e in np.eye(4)]
    np.testing.assert_allclose(found, estimate, rtol=1e-7)
    with pytest.raises(
        adjit.OverwriteError, match="which a checkpointed loop exchanges, have different shapes"
    ):
        adjit.grad(lambda x: fun(x, 4, adjit.checkpoint))(x)
