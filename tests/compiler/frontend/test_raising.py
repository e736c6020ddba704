"""The text and the class of exceptions that a user's program raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit

X = np.array([0.4, 1.2, 3.0])


class NoRoot(Exception):
    """A class without a relative that adjit knows, but for the last."""


class Coded(ValueError):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Outer:
    class Inner(RuntimeError):
        pass


def numbers_and_lengths(x, n=3, tol=0.5):
    if x[0] > 0:
        raise ValueError(f"n={n:>3d} of {x.shape[0]}, {len(x)}, {x.size}; {tol:.3f} {{}} {n!r}")
    return x[0]


def what_is_computed_stays_a_text(x, n):
    if x[0] > 0:
        raise ValueError(f"{n}: {x[n]:.2f} {1 / n}")
    return x[0]


def of_a_local(x):
    s = x[0] * 2.0
    if s > 0:
        raise NoRoot("s", s)
    return s


def with_arguments_of_its_own(x):
    if x[0] > 0:
        raise Coded(3, "too few")
    return x[0]


def inside_a_class(x):
    for i in range(x.shape[0]):
        if x[i] > 1:
            raise Outer.Inner(f"at {i}")
    return x[0]


def asserted(x, k):
    assert x.ndim == 1, f"ndim {x.ndim}"
    assert k > 5, f"k is {k}"
    return x[0] ** 2


CASES = (
    (numbers_and_lengths, (), ValueError, "n=  3 of 3, 3, 3; 0.500 {} 3"),
    (what_is_computed_stays_a_text, (2,), ValueError, "2: {x[n]} {1 / n}"),
    (of_a_local, (), NoRoot, "s, 0.8"),
    (with_arguments_of_its_own, (), ValueError, "Coded: 3, too few"),
    (inside_a_class, (), Outer.Inner, "at 1"),
    (asserted, (3,), AssertionError, "k is 3"),
)
IDS = [case[0].__name__ for case in CASES]


def check(function: Callable[..., Any], more: tuple[Any, ...], kind: type, text: str) -> None:
    for run in (adjit.grad(function), adjit.jit(function)):
        with pytest.raises(kind) as caught:
            run(X, *more)
        assert type(caught.value) is kind
        assert str(caught.value) == text


@pytest.mark.parametrize(("function", "more", "kind", "text"), CASES, ids=IDS)
def test_text_and_class(function: Any, more: Any, kind: Any, text: str) -> None:
    check(function, more, kind, text)


@pytest.mark.compiled
@pytest.mark.parametrize(("function", "more", "kind", "text"), CASES[:3], ids=IDS[:3])
def test_compiled(function: Any, more: Any, kind: Any, text: str, compiled: None) -> None:
    check(function, more, kind, text)


def test_nothing_is_computed_for_a_text_that_is_not_shown() -> None:
    """Element n does not exist."""
    assert adjit.grad(what_is_computed_stays_a_text)(-X, 5).tolist() == [1.0, 0.0, 0.0]


# -- paths that are not taken


def beyond_the_end(x, k):
    s = 0.0
    for i in range(k):
        if i > 3:
            s += x[2] + x[-2]
            x[1] = 2.0
        s += x[0] ** 2
    return s


def test_a_path_that_is_not_taken_may_be_beyond_an_axis_of_length_one() -> None:
    assert adjit.grad(beyond_the_end)(np.array([1.5]), 2).tolist() == [6.0]
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 1"):
        adjit.grad(beyond_the_end)(np.array([1.5]), 5)
