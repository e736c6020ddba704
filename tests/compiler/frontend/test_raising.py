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


def in_both_branches(x, s):
    total = np.sum(x) * s
    if x.shape[0] == 1:
        if total > 0.0:
            total = np.sin(total)
            raise ValueError("one, above zero")
        total = np.cos(total)
        raise KeyError("one, below zero")
    return total * x[1]


def in_a_chain(x, s):
    if x.shape[0] > 1:
        return s * x[1]
    if s > 1.0:
        s = s * 2.0
        if x[0] > s:
            s = s + 1.0
            raise ValueError("above")
        s = s - 1.0
        raise ValueError("between")
    if s < 0.0:
        s = 0.0
        raise TypeError("below")
    raise RuntimeError("near zero")


def helped(x, s):
    return 2.0 * in_both_branches(x, s) + s


def in_an_endless_loop(x, s):
    while True:
        if x.shape[0] == 1:
            s = s + 1.0
            raise ValueError("one")
        if s > 3.0:
            return x[1] * s
        s = s * s + 1.0


def only_raising_ends_it(x, s):
    while True:
        s = s + 1.0
        for _ in range(3):
            if s > 6.0:
                break
            s = s + 0.5
        if s > 8.0:
            raise ValueError("far")


def an_endless_loop_on_one_path(x, s):
    if x[0] > 0.0:
        while True:
            while s < 5.0:
                s = s + 1.0
            s = s * 1.5
            if s < 10.0:
                continue
            if s > 20.0:
                raise RuntimeError("twenty")
    raise KeyError("below")


def an_endless_loop_in_a_function(x, s):
    def walk(k):
        while True:
            k = k + 1
            if k > x.shape[0]:
                raise ValueError("behind the end")

    return np.sum(x) + walk(0)


TRANSFORMS: dict[str, Any] = {
    "jit": adjit.jit,
    "grad": adjit.grad,
    "grad, a pair": lambda f: adjit.grad(f, has_aux=True),
    "value_and_grad": adjit.value_and_grad,
    "vjp": lambda f: lambda *args: adjit.vjp(f, *args)[0],
    "jvp": lambda f: lambda x, s: adjit.jvp(f, (x, s), (x, 1.0)),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("s", [2.0, 0.5, -2.0])
@pytest.mark.parametrize("function", [in_both_branches, in_a_chain, helped, in_an_endless_loop])
def test_a_length_for_which_every_path_raises(function: Any, s: float, transform: str) -> None:
    """The user's own exception, not that nothing is returned."""
    short = np.array([0.7])
    with pytest.raises(Exception) as expected:
        function(short, s)
    with pytest.raises(type(expected.value)) as found:
        TRANSFORMS[transform](function)(short, s)
    assert type(found.value) is type(expected.value) and found.value.args == expected.value.args
    assert adjit.jit(function)(X, s) == function(X, s)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize(
    "function", [only_raising_ends_it, an_endless_loop_on_one_path, an_endless_loop_in_a_function]
)
def test_a_loop_that_an_exception_ends(function: Any, transform: str) -> None:
    for x in (X, -X):
        with pytest.raises(Exception) as expected:
            function(x, 0.5)
        with pytest.raises(type(expected.value)) as found:
            TRANSFORMS[transform](function)(x, 0.5)
        assert type(found.value) is type(expected.value) and found.value.args == expected.value.args


def test_a_loop_that_ends_may_return_nothing() -> None:
    """Where some path does not raise it is the missing result that is told of."""

    def f(x, s):
        while s > 0.0:
            s = s * 2.0
            raise ValueError("positive")
        if x[0] > 0.0:
            x[0] = s
            raise ValueError("first")

    with pytest.raises(adjit.NotDifferentiableError, match="returns nothing"):
        adjit.grad(f)(X.copy(), 0.7)
