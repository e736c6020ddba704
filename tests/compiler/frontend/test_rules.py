"""Calls with rules among loops, branches, writes and views: with rules that are the derivative nothing
changes.

Truth is the same program with the plain function, whose gradients are checked against differences elsewhere.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit
from adjit.errors import NotDifferentiableError

X = np.array([1.0, 2.0, 0.5])


@adjit.custom_vjp
def by_cotangents(x):
    return x * x


by_cotangents.defvjp(lambda x: (by_cotangents(x), x), lambda x, ct: (2.0 * ct * x,))


@adjit.custom_jvp
def by_tangents(x):
    return x * x


by_tangents.defjvp(lambda primals, tangents: (by_tangents(primals[0]), 2.0 * tangents[0] * primals[0]))


def plain(x):
    return x * x


@functools.partial(adjit.custom_vjp, nondiff_argnums=(1,))
def weighed(x, w):
    return x * w


weighed.defvjp(lambda x, w: (x * w, None), lambda w, residuals, ct: (ct * w,))


def argument_overwritten(f, x):
    z = x * 1.0
    y = f(z)
    z[:] = 0.0
    return np.sum(y * y)


def argument_changes_in_a_loop(f, x):
    z, s = x * 1.0, 0.0
    for i in range(4):
        y = f(z)
        z[i % 3] = z[i % 3] * 0.5 + y[0]
        s += np.sum(y) * y[1]
    return s


def while_loop(f, x):
    z, s, n = x * 1.0, 0.0, 0
    while s < 20.0 and n < 10:
        z = f(z) * 0.3 + z
        s += np.sum(z)
        n += 1
        z[0] += s
    return s * z[1]


def caller_is_written(f, x):
    x[0] = f(x[1])
    x[1] = f(x[0] * x[2])
    return np.sum(f(x[1:]) * x[:2])


def held_array_changes(f, x):
    w, s = np.array([1.0, 2.0, 3.0]), 0.0
    for i in range(3):
        s += np.sum(weighed(f(x), w))
        w[i] = 5.0
    return s * s


def branches_in_loops(f, x):
    s = 0.0
    for i in range(3):
        for j in range(i, 3):
            s = f(x[i] * s + x[j]) * 0.1 if x[i] * x[j] > 0.6 else f(s)
    return s


def views(f, x):
    m = np.outer(x, x)
    t = f(m.T[1:])
    m[0, 0] = 3.0
    return np.sum(t * m[:, 1:].T) + np.sum(f(m[0]) * f(m[:, 1]))


def gradient_inside(f, x):
    def inner(u):
        return f(u) * x[0]

    return adjit.grad(inner)(x[1]) * x[2]


PROGRAMS = (
    argument_overwritten,
    argument_changes_in_a_loop,
    while_loop,
    caller_is_written,
    held_array_changes,
    branches_in_loops,
    views,
    gradient_inside,
)


def of(program: Callable[..., Any], f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: program(f, x)


@pytest.mark.parametrize("f", [by_cotangents, by_tangents], ids=["vjp", "jvp"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_programs(program: Callable[..., Any], f: Callable[..., Any]) -> None:
    ruled, unruled = of(program, f), of(program, plain)
    value, gradient = adjit.value_and_grad(ruled)(X.copy())
    expected, by_itself = adjit.value_and_grad(unruled)(X.copy())
    assert value == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(gradient, by_itself, rtol=1e-12)
    _, pullback = adjit.vjp(ruled, X.copy(), retain=True)
    for _ in range(2):
        np.testing.assert_allclose(pullback(1.0)[0], by_itself, rtol=1e-12)
    second = adjit.hvp(unruled, (X.copy(),), np.ones(3))
    np.testing.assert_allclose(adjit.hvp(ruled, (X.copy(),), np.ones(3)), second, rtol=1e-11)
    twice = adjit.grad(lambda x: np.sum(adjit.grad(ruled)(x)))
    np.testing.assert_allclose(twice(X.copy()), second, rtol=1e-11)


@pytest.mark.compiled
def test_compiled(compiled: None) -> None:
    for program in (while_loop, views):
        expected = adjit.grad(of(program, plain))(X.copy())
        np.testing.assert_allclose(adjit.grad(of(program, by_cotangents))(X.copy()), expected, rtol=1e-12)


def test_what_is_held_constant_is_not_differentiated() -> None:
    with pytest.raises(NotDifferentiableError, match="nondiff_argnums of 'weighed'"):
        adjit.grad(lambda x: np.sum(weighed(x, 2.0 * x)))(X)
    with pytest.raises(NotDifferentiableError, match="nondiff_argnums of 'weighed'"):
        adjit.grad(lambda x: np.sum(weighed(X, x[0])))(X)
    held = adjit.grad(lambda x: np.sum(weighed(x, adjit.stop_gradient(2.0 * x))))(X)
    np.testing.assert_array_equal(held, 2.0 * X)
