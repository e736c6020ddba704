"""The statement that a failed `check_grads` names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjit


def kinked(x):  # type: ignore[no-untyped-def]
    y = x * 2.0 - 1.0
    z = np.abs(y)
    return np.sum(np.sin(z) + x)


def jumps(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.5:
            s += 2.0 * x[i]
        else:
            s += np.cos(x[i])
    return s


def held(x):  # type: ignore[no-untyped-def]
    y = x * x
    z = adjit.stop_gradient(y) * x
    return np.sum(z)


def test_a_kink_is_named() -> None:
    with pytest.raises(adjit.GradientCheckError) as caught:
        adjit.check_grads(kinked, (np.array([0.3, 0.50001, 0.9]),), modes=("rev",))
    message = str(caught.value)
    assert "in `x[1]`: " in message
    assert "z = np.abs(y)" in message and "`abs` gives" in message, message


def test_a_changing_branch_is_named() -> None:
    with pytest.raises(adjit.GradientCheckError, match="a condition before line"):
        adjit.check_grads(jumps, (np.array([0.3, 0.500001, 0.9]),))


def test_a_constant_that_is_none_is_named() -> None:
    """stop_gradient gives another derivative than that of the function."""
    with pytest.raises(adjit.GradientCheckError, match="stop_gradient") as caught:
        adjit.check_grads(held, (np.array([0.3, 0.7]),), order=1)
    assert "adjit.stop_gradient(y)" in str(caught.value)


def test_a_wrong_rule_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the table of operations had a mistake."""
    from dataclasses import replace

    from adjit.compiler.adjoint import partials
    from adjit.compiler.ops import TABLE

    def wrong(x: Any, out: Any) -> tuple[object, ...]:
        return (out * 0.5,)

    monkeypatch.setitem(TABLE, "cosh", replace(TABLE["cosh"], partials=wrong))
    partials._reads.cache_clear()

    def f(x):  # type: ignore[no-untyped-def]
        y = np.sin(x)
        return np.cosh(y) * 2.0

    try:
        with pytest.raises(adjit.GradientCheckError, match="`cosh` gives") as caught:
            adjit.check_grads(f, (0.7,), order=1)
    finally:
        partials._reads.cache_clear()
    assert "return np.cosh(y) * 2.0" in str(caught.value)


@adjit.custom_vjp
def cube(x):
    return x * x * x


cube.defvjp(lambda x: (cube(x), x), lambda x, ct: (2.9 * x * x * ct,))


@adjit.custom_vjp
def scaled(x, a):
    return x * a


def scaled_forward(x, a):
    return scaled(x, a), (x, a)


def scaled_backward(kept, ct):
    x, a = kept
    return ct * a, 1.01 * np.sum(ct * x)


scaled.defvjp(scaled_forward, scaled_backward)


@adjit.custom_jvp
def square(x):
    return x * x


@square.defjvp
def square_tangent(primals, tangents):
    return square(primals[0]), 2.1 * primals[0] * tangents[0]


def cubes(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += cube(np.sin(x[i]))
    return s


def sums(x):
    return np.sum(np.sin(scaled(x, x[0] + 1.0)))


def squares(x):
    return np.sum(np.tanh(np.array([square(x[0]), x[1]])))


def rounds(x):
    y = np.sin(x) * 2.0
    return np.sum(y * y) + np.sum(np.round(y))


@pytest.mark.parametrize(
    ("function", "x", "said"),
    [
        (cubes, [0.3, 0.7], "rule of `cube` gives"),
        (sums, [0.3, 0.7], "rule of `scaled` gives"),
        (squares, [0.3, 0.7], "rule of `square` gives"),
        (rounds, [0.3, np.arcsin(0.749999)], "`rint` gives 0 by its partials"),
    ],
)
def test_wrong_rules_and_jumps_are_named(function, x, said) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(adjit.GradientCheckError) as caught:
        adjit.check_grads(function, (np.array(x),), order=1)
    assert said in str(caught.value) and "the statement to look at is line" in str(caught.value)
