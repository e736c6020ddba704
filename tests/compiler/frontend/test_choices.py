"""Names that stand for one of several words, or for a number or None, against plain Python and
differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit
from tests.compiler.frontend import choosing_ways, kinds
from tests.compiler.frontend.choosing import POINTS, PROGRAMS, RAISING, REFUSED, VECTOR
from tests.compiler.frontend.choosing_numbers import (
    a_derivative_inside,
    a_number_or_none_is_returned,
    multiplied,
    the_largest_element,
)
from tests.compiler.frontend.choosing_words import grade
from tests.support.judge import check

Program = Callable[..., Any]
NOW_RIGHT = (
    "three_words",
    "words_by_elif",
    "word_as_key",
    "number_or_none",
    "none_in_the_middle",
    "returned_from_a_loop",
    "word_set_in_a_loop",
    "found_and_break",
    "found_once",
    "first_in_two_ifs",
    "difference_with_the_previous",
    "result_of_a_while",
    "state_machine",
    "record_set_in_a_loop",
    "words_and_continue",
    "none_by_elif",
    "word_in_two_ifs",
    "last_of_a_tuple",
    "words_in_tuples",
    "word_of_a_tuple_by_index",
    "word_lost_in_a_loop_around",
    "maximum_of_the_positive",
)


@pytest.mark.parametrize("name", NOW_RIGHT)
def test_ordinary_programs(name: str) -> None:
    fun = getattr(kinds, name)
    for x in kinds.arguments(fun):
        assert check(fun, (x,), (0,), second=True).kind == "right", x


def test_all_programs_are_in_the_table() -> None:
    assert {f.__module__ for f, _ in PROGRAMS} >= {
        grade.__module__,
        multiplied.__module__,
        choosing_ways.__name__,
    }


@pytest.mark.parametrize(("fun", "points"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_right(fun: Program, points: tuple[Any, ...]) -> None:
    for x in points:
        verdict = check(fun, (x,), (0,), second=fun is not a_derivative_inside)
        assert verdict.kind == "right", f"{x}: {verdict}"


@pytest.mark.parametrize(("fun", "x", "error", "text"), RAISING, ids=[f.__name__ for f, *_ in RAISING])
def test_raises_what_python_raises(fun: Program, x: float, error: type[Exception], text: str) -> None:
    for f in (fun, adjit.jit(fun), adjit.grad(fun)):
        with pytest.raises(error, match=text):
            f(x)


@pytest.mark.parametrize(("fun", "text"), REFUSED, ids=[f.__name__ for f, _ in REFUSED])
def test_refused_with_a_remedy(fun: Program, text: str) -> None:
    with pytest.raises(adjit.AdjitError, match=text) as caught:
        adjit.grad(fun)(1.3)
    assert "Instead" in str(caught.value)


def test_none_is_no_result() -> None:
    for f in (adjit.jit, adjit.grad):
        with pytest.raises(adjit.InferenceError, match=r"returns None here(.|\n)*Instead: use a number"):
            f(a_number_or_none_is_returned)(0.5)


def weighted(x: Any, w: Any) -> Any:
    best, mode = None, grade(x)
    for k in range(w.shape[0]):
        if w[k] > x:
            best = w[k] * x
    if best is None:
        return x * x if mode == "best" else x
    return best * (2.0 if mode == "bad" else x)


def test_examples_of_a_batch_take_different_ways() -> None:
    xs, w = np.array([*POINTS, 9.0]), VECTOR
    ours = adjit.vmap(adjit.value_and_grad(weighted), in_axes=(0, None))(xs, w)
    one_by_one = [adjit.value_and_grad(weighted)(x, w) for x in xs]
    np.testing.assert_allclose(ours[0], [weighted(x, w) for x in xs])
    np.testing.assert_allclose(ours[1], [g for _, g in one_by_one])


def test_a_number_that_is_there_is_not_checked() -> None:
    assert "TypeError" not in adjit.grad(the_largest_element).source(VECTOR)


@pytest.mark.compiled
def test_compiled(compiled: None) -> None:
    for fun, x in ((the_largest_element, VECTOR), (kinds.state_machine, 1.47)):
        assert check(fun, (x,), (0,)).kind == "right"
    with pytest.raises(TypeError, match="NoneType"):
        adjit.grad(multiplied)(-3.0)
