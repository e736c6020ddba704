"""`debug_nans`: the first statement that makes a NaN or an infinity, by line, sweep and iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit


def forward(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[0] // 2):
            y = np.log(x[i] - j)
            s += y * y
    return s


def backward(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        s += np.sqrt(x[i]) * 3.0
    return s


def chosen(x):  # type: ignore[no-untyped-def]
    return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0))


def masked(x):  # type: ignore[no-untyped-def]
    m = np.where(x > 0.5, x, -np.inf)
    return np.sum(np.exp(m - np.max(m)))


def overflow(x):  # type: ignore[no-untyped-def]
    y = np.exp(x)
    return np.sum(y)


def solved(a, b):  # type: ignore[no-untyped-def]
    return np.sum(np.linalg.solve(a, b))


def line(fun: Callable[..., Any], text: str) -> int:
    import inspect

    lines, first = inspect.getsourcelines(fun)
    return first + next(k for k, s in enumerate(lines) if text in s)


def check(fun: Callable[..., Any], x: Any, text: str, *words: str) -> None:
    with pytest.raises(FloatingPointError) as caught:
        adjit.value_and_grad(fun, debug_nans=True)(x)
    message = str(caught.value)
    assert f"line {line(fun, text)}," in message, message
    for word in words:
        assert word in message, message


def test_forward() -> None:
    x = np.array([3.0, 2.0, 1.0, 5.0])
    assert not np.isfinite(forward(x))
    check(forward, x, "np.log", "`log` made", "forward sweep", "i = 2", "j = 1")


def test_reverse() -> None:
    """The value is finite; the derivative of the root is infinite at zero."""
    x = np.array([4.0, 1.0, 0.0, 2.0])
    assert np.isfinite(backward(x))
    check(backward, x, "np.sqrt", "reverse sweep", "i = 2")


@pytest.mark.compiled
def test_compiled(compiled: None) -> None:
    check(forward, np.array([3.0, 2.0, 1.0, 5.0]), "np.log", "`log` made", "forward sweep", "i = 2", "j = 1")
    check(backward, np.array([4.0, 1.0, 0.0, 2.0]), "np.sqrt", "reverse sweep", "i = 2")


def test_overflow_and_arguments() -> None:
    check(overflow, np.array([1.0, 1000.0]), "np.exp", "`exp` made", "= 1")
    check(overflow, np.array([1.0, np.nan]), "np.exp", "the argument `x` holds a NaN")


def cubes(x):  # type: ignore[no-untyped-def]
    y = x[0]
    while y < 1e300:
        y = y * y * y
    return y * x[1]


def again(x):  # type: ignore[no-untyped-def]
    y = x[0]
    for k in adjit.checkpoint(range(x.shape[0]), snapshots=1):
        y = np.sqrt(y * x[k])
    return y + x[0]


def shifted(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(x.shape[0]):
        total += np.log(x[i] - 2.0)
    return total


def test_passes_of_while_loops_are_counted() -> None:
    check(
        cubes,
        np.array([10.0, 1.0]),
        "y = y * y",
        "`mul` made",
        f"iteration 5 of the loop on line {line(cubes, 'while')}",
    )


def test_checkpointed_loops() -> None:
    """The line of the statement, the number of its pass."""
    check(again, np.array([2.0, 1.0, 0.0, 0.0]), "np.sqrt", "reverse sweep", "k_pass = 3")


def test_a_value_that_nobody_is_given() -> None:
    """The derivative of `log(x)` is finite where `x` is negative."""
    x = np.array([3.0, 1.0])
    assert np.isfinite(adjit.grad(shifted)(x)).all()
    with pytest.raises(
        adjit.NonFiniteError, match=r"`log` made a NaN .* in the forward sweep, in the iteration i = 1"
    ):
        adjit.grad(shifted, debug_nans=True)(x)


def test_library_routines() -> None:
    with pytest.raises(adjit.NonFiniteError, match="line"):
        adjit.grad(solved, debug_nans=True)(np.full((2, 2), 1e308), np.array([1e308, -1e308]))


@pytest.mark.parametrize("fun", [chosen, masked])
def test_what_is_not_taken_is_no_fault(fun: Callable[..., Any]) -> None:
    x = np.array([1.0, -1.0, 0.7, 0.0])
    value, gradient = adjit.value_and_grad(fun, debug_nans=True)(x)
    expected, plain = adjit.value_and_grad(fun)(x)
    assert value == expected and np.isfinite(gradient).all()
    np.testing.assert_array_equal(gradient, plain)
    np.testing.assert_allclose(value, fun(x))


def test_finite_programs_compute_what_they_did(rng: np.random.Generator) -> None:
    x = rng.uniform(2.5, 4.0, 5)
    for fun in (forward, backward, overflow):
        with_checks = adjit.value_and_grad(fun, debug_nans=True)(x)
        without = adjit.value_and_grad(fun)(x)
        assert np.isclose(with_checks[0], without[0])
        np.testing.assert_allclose(with_checks[1], without[1], rtol=1e-13)
