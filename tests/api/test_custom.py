"""`custom_vjp` and `custom_jvp`: what the rules mean, at every order; what is refused.

The rules here often differ from the true derivative on purpose: then only a result computed from the rule by
hand agrees.
"""

from __future__ import annotations

import functools
import math
import pickle
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import adjit
from adjit.errors import (
    InferenceError,
    MissingRuleError,
    NotDifferentiableError,
    OverwriteError,
    ShapeError,
)

X = np.array([1.0, 2.0, 0.5])
WEIGHTS = np.array([1.0, 2.0, 3.0])


# -- true derivatives, stated by hand


@adjit.custom_vjp
def scaled_sine(x, y):
    return np.sin(x) * y


def scaled_sine_fwd(x, y):
    return scaled_sine(x, y), (np.cos(x), np.sin(x), y)


def scaled_sine_bwd(residuals, ct):
    c, s, y = residuals
    return ct * c * y, ct * s


scaled_sine.defvjp(scaled_sine_fwd, scaled_sine_bwd)


@adjit.custom_vjp
def exponential(x):
    return np.exp(x)


exponential.defvjp(lambda x: (exponential(x), exponential(x)), lambda y, ct: (ct * y,))


@adjit.custom_jvp
def softplus(x, k):
    return np.log(1.0 + np.exp(x)) * k


@softplus.defjvp
def softplus_jvp(primals, tangents):
    x, k = primals
    return softplus(x, k), tangents[0] * k / (1.0 + np.exp(-x)) + tangents[1] * np.log(1.0 + np.exp(x))


@adjit.custom_jvp
def product(a, v):
    return a @ v


@product.defjvp
def product_jvp(primals, tangents):
    return product(*primals), tangents[0] @ primals[1] + primals[0] @ tangents[1]


# -- rules that are not the derivative


@adjit.custom_vjp
def clipped(x):
    """The identity, with a cotangent of at most one."""
    return x


clipped.defvjp(lambda x: (x, None), lambda residuals, ct: (np.clip(ct, -1.0, 1.0),))


@adjit.custom_vjp
def tripled(x):
    """The square, with 3 x where the derivative is 2 x."""
    return x * x


tripled.defvjp(lambda x: (x * x, x), lambda x, ct: (ct * 3.0 * x,))


@functools.partial(adjit.custom_vjp, nondiff_argnums=(0, 2))
def applied(f, x, n):
    return f(x) * n


applied.defvjp(lambda f, x, n: (applied(f, x, n), x), lambda f, n, x, ct: (ct * 7.0 * n * x,))


@adjit.custom_vjp
def weighed(x):
    return np.sum(x * WEIGHTS)


weighed.defvjp(lambda x: (np.sum(x * WEIGHTS), None), lambda residuals, ct: (2.0 * ct * WEIGHTS,))


@adjit.custom_jvp
def weighed_forward(x):
    return np.sum(x * WEIGHTS)


@weighed_forward.defjvp
def weighed_jvp(primals, tangents):
    return weighed_forward(primals[0]), 2.0 * np.sum(tangents[0] * WEIGHTS)


@adjit.custom_vjp
def structured(p, k):
    return {"a": p["w"] * k, "b": (np.sum(p["w"]), k)}


def structured_bwd(residuals, ct):
    p, k = residuals
    first = {"w": ct["a"] * k * 2.0 + ct["b"][0], "n": None}
    return first, np.sum(ct["a"] * p["w"]) + ct["b"][1]


structured.defvjp(lambda p, k: (structured(p, k), (p, k)), structured_bwd)


@adjit.custom_vjp
@numba.njit
def cubed(x):
    return x**3


@numba.njit
def cubed_fwd(x):
    return x**3, x


@numba.njit
def cubed_bwd(x, ct):
    return (100.0 * ct * x,)


cubed.defvjp(cubed_fwd, cubed_bwd)


def of_sine(x):
    return np.sum(scaled_sine(x, 3.0 * x) * x)


def of_sine_plain(x):
    return np.sum(np.sin(x) * 3.0 * x * x)


def repeated(x, n):
    s = x
    for _ in range(n):
        s = scaled_sine(s, x) * 0.5
    return np.sum(s)


def repeated_plain(x, n):
    s = x
    for _ in range(n):
        s = np.sin(s) * x * 0.5
    return np.sum(s)


def of_softplus(x):
    return np.sum(softplus(x, 2.0) * x)


def of_softplus_plain(x):
    return np.sum(np.log(1.0 + np.exp(x)) * 2.0 * x)


def branching(x, n):
    s = 0.0
    for i in range(n):
        if x[i] > 0.7:
            s += tripled(x[i])
        else:
            s += tripled(s) * x[i]
    return s


def branching_gradient(x, n):
    """By hand, with 3 x for the square's derivative."""
    states = [0.0]
    for i in range(n):
        s = states[-1]
        states.append(s + x[i] ** 2 if x[i] > 0.7 else s + s * s * x[i])
    g, ct = np.zeros(n), 1.0
    for i in reversed(range(n)):
        s = states[i]
        if x[i] > 0.7:
            g[i] += ct * 3.0 * x[i]
        else:
            g[i] += ct * s * s
            ct += ct * x[i] * 3.0 * s
    return g


@pytest.mark.parametrize(
    ("ruled", "plain", "args"),
    [
        (of_sine, of_sine_plain, (X,)),
        (repeated, repeated_plain, (X, 4)),
        (of_softplus, of_softplus_plain, (X,)),
        (lambda x: np.sum(exponential(x) * x), lambda x: np.sum(np.exp(x) * x), (X,)),
    ],
)
def test_a_rule_that_is_the_derivative_changes_nothing(
    ruled: Callable[..., Any], plain: Callable[..., Any], args: tuple[Any, ...]
) -> None:
    def closed(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x: function(x, *args[1:])

    x = args[0]
    assert ruled(*args) == plain(*args)
    adjit.check_grads(closed(plain), (x,), order=1)
    np.testing.assert_allclose(adjit.grad(ruled)(*args), adjit.grad(plain)(*args), rtol=1e-13)
    np.testing.assert_allclose(
        adjit.hvp(ruled, args, x), adjit.hvp(plain, args, x), rtol=1e-12, atol=1e-13
    )  # forward over reverse: through the code of fwd and bwd
    twice = adjit.grad(lambda x: np.sum(adjit.grad(ruled)(x, *args[1:]) * x))
    np.testing.assert_allclose(
        twice(x), adjit.grad(lambda x: np.sum(adjit.grad(plain)(x, *args[1:]) * x))(x), rtol=1e-12
    )


def test_third_order() -> None:
    third = adjit.grad(adjit.grad(adjit.grad(lambda x: exponential(2.0 * x))))
    assert third(0.3) == pytest.approx(8.0 * math.exp(0.6), rel=1e-14)


def test_the_rule_counts_not_the_code() -> None:
    np.testing.assert_array_equal(
        adjit.grad(lambda x: np.sum(clipped(x) ** 3))(X), np.clip(3.0 * X**2, -1.0, 1.0)
    )
    assert adjit.grad(lambda x: clipped(x) ** 3)(2.0) == 1.0
    chained = adjit.grad(lambda x: tripled(x) + tripled(tripled(x)))(1.5)
    assert chained == pytest.approx(4.5 + 3.0 * 2.25 * 4.5, rel=1e-15)
    np.testing.assert_allclose(adjit.grad(branching)(X, 3), branching_gradient(X, 3), rtol=1e-14)


def test_the_function_itself_is_what_runs_without_a_derivative() -> None:
    @adjit.custom_vjp
    def odd(x):
        return 2.0 * x

    odd.defvjp(lambda x: (5.0 * x, None), lambda residuals, ct: (ct,))
    assert odd(1.0) == 2.0
    assert adjit.jit(lambda x: odd(x) + 0.0)(1.0) == 2.0
    assert adjit.value_and_grad(odd)(1.0) == (5.0, 1.0)


def test_straight_through() -> None:
    @adjit.custom_vjp
    def rounded(x):
        return np.floor(x)

    rounded.defvjp(lambda x: (np.floor(x), None), lambda residuals, ct: (ct,))
    np.testing.assert_array_equal(adjit.grad(lambda x: np.sum(rounded(x) ** 2))(X), 2.0 * np.floor(X))


def test_arguments_that_the_rule_holds_constant() -> None:
    assert adjit.grad(lambda x: applied(np.sin, x, 3))(2.0) == 42.0
    by_call = adjit.custom_vjp(nondiff_argnums=1)(lambda x, n: x * n)
    by_call.defvjp(lambda x, n: (x * n, None), lambda n, residuals, ct: (ct * 10.0 * n,))
    assert adjit.grad(by_call)(2.0, 3) == 30.0


def test_structures() -> None:
    def used(p, k):
        r = structured(p, k)
        return np.sum(r["a"]) * r["b"][0] + r["b"][1]

    of_p, of_k = adjit.grad(used, (0, 1))({"w": X, "n": 3}, 2.0)
    np.testing.assert_allclose(of_p["w"], X.sum() * 4.0 + (2.0 * X).sum())
    assert of_p["n"] is None
    assert of_k == pytest.approx(X.sum() ** 2 + 1.0)
    one = adjit.grad(lambda p, k: structured(p, k)["b"][0], (0, 1))({"w": X, "n": 3}, 2.0)
    np.testing.assert_array_equal(one[0]["w"], np.ones(3))
    assert one[1] == 0.0


def test_rules_that_are_compiled_by_numba() -> None:
    assert adjit.grad(cubed)(2.0) == 200.0
    assert cubed(2.0) == 8.0


def test_global_arrays_are_seen_anew() -> None:
    def seen(f: Any) -> None:
        np.testing.assert_array_equal(adjit.grad(f)(X), 2.0 * WEIGHTS)

    kept = WEIGHTS.copy()
    try:
        for f in (weighed, weighed_forward):
            WEIGHTS[:] = kept
            seen(f)
            WEIGHTS[0] = 7.0
            seen(f)
    finally:
        WEIGHTS[:] = kept


def test_tangents() -> None:
    value, tangent = adjit.jvp(softplus, (X, 3.0), (X, 1.0))
    np.testing.assert_allclose(value, 3.0 * np.log1p(np.exp(X)))
    np.testing.assert_allclose(tangent, X * 3.0 / (1.0 + np.exp(-X)) + np.log1p(np.exp(X)))
    _, pullback = adjit.vjp(softplus, X, 3.0)
    of_x, of_k = pullback(X)
    np.testing.assert_allclose(of_x, X * 3.0 / (1.0 + np.exp(-X)))
    assert of_k == pytest.approx(np.sum(X * np.log1p(np.exp(X))))
    np.testing.assert_allclose(adjit.hessian(of_softplus)(X), adjit.hessian(of_softplus_plain)(X), atol=1e-14)


def test_the_transpose_of_a_tangent_rule(rng: np.random.Generator) -> None:
    a = rng.normal(size=(3, 3))
    of_a, of_v = adjit.grad(lambda a, v: np.sum(product(a, v) ** 2), (0, 1))(a, X)
    np.testing.assert_allclose(of_a, 2.0 * np.outer(a @ X, X))
    np.testing.assert_allclose(of_v, 2.0 * a.T @ (a @ X))
    np.testing.assert_allclose(adjit.jacrev(lambda v: product(a, v))(X), a)
    np.testing.assert_allclose(adjit.jacfwd(lambda v: product(a, v))(X), a)
    adjit.check_grads(lambda a, v: np.sum(product(a, v) ** 2), (a, X))


def test_float32() -> None:
    found = adjit.grad(lambda x: np.sum(clipped(x) * x))(X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.clip(X, -1.0, 1.0) + X, rtol=1e-6)


def test_a_result_that_is_the_argument_is_not_written() -> None:
    def first(x):
        y = clipped(x)
        x[0] = 5.0
        return np.sum(y)

    def later(x):
        s, y = 0.0, x
        for _ in range(3):
            x[0] = x[0] * 2.0
            s += np.sum(y * y)
            y = clipped(x)
        return s

    for f in (first, later):
        with pytest.raises(OverwriteError, match="returns memory that it was given"):
            adjit.grad(f)(X.copy())


def test_rules_do_not_write_their_arguments() -> None:
    @adjit.custom_vjp
    def writes(x):
        return np.sum(x)

    def fwd(x):
        x[0] = 1.0
        return np.sum(x), None

    writes.defvjp(fwd, lambda residuals, ct: (None,))
    with pytest.raises(OverwriteError, match="is an argument of 'writes'"):
        adjit.grad(writes)(X.copy())


def test_forward_mode_needs_a_forward_rule() -> None:
    with pytest.raises(MissingRuleError, match="'scaled_sine' has a custom_vjp, which gives no tangents"):
        adjit.jvp(of_sine, (X,), (X,))


def test_reverse_mode_needs_a_linear_rule() -> None:
    @adjit.custom_jvp
    def rectified(x):
        return abs(x)

    rectified.defjvp(lambda primals, tangents: (rectified(primals[0]), abs(tangents[0])))
    assert adjit.jvp(rectified, (3.0,), (-2.0,)) == (3.0, 2.0)
    with pytest.raises(NotDifferentiableError, match="not linear"):
        adjit.grad(rectified)(3.0)


def test_a_missing_rule_is_written_out() -> None:
    @adjit.custom_vjp
    def bare(x, y):
        return x * y

    with pytest.raises(MissingRuleError) as caught:
        adjit.grad(bare)(1.0, 2.0)
    assert "def bare_bwd(residuals, ct):\n    return (ct_x, ct_y,)" in caught.value.hint
    with pytest.raises(MissingRuleError, match="def solved_jvp"):
        adjit.grad(adjit.custom_jvp(solved))(1.0)


def solved(x):
    return x


@pytest.mark.parametrize(
    ("bwd", "words"),
    [
        (lambda residuals, ct: ct, "a tuple with one entry"),
        (lambda residuals, ct: (ct, ct), "a tuple with one entry"),
        (lambda residuals: (1.0,), "called with 2 arguments"),
        (lambda residuals, ct: (np.sum(ct),), "an array with 1 axes"),
    ],
)
def test_rules_of_the_wrong_form(bwd: Callable[..., Any], words: str) -> None:
    doubled = adjit.custom_vjp(lambda x: x * 2.0)
    doubled.defvjp(lambda x: (x * 2.0, None), bwd)
    with pytest.raises(InferenceError, match=words):
        adjit.grad(lambda x: np.sum(doubled(x)))(X)


def test_shapes_of_cotangents_are_checked() -> None:
    doubled = adjit.custom_vjp(lambda x: x * 2.0)
    doubled.defvjp(lambda x: (x * 2.0, None), lambda residuals, ct: (ct[1:],))
    with pytest.raises(ShapeError, match="another shape"):
        adjit.grad(lambda x: np.sum(doubled(x)))(X)


def test_rules_are_given_once() -> None:
    with pytest.raises(ValueError, match="already"):
        tripled.defvjp(lambda x: (x, x), lambda x, ct: (ct,))
    with pytest.raises(TypeError, match="not a function"):
        adjit.custom_vjp(3.0)
    with pytest.raises(TypeError, match="positions"):
        adjit.custom_vjp(solved, nondiff_argnums=("x",))


def test_documentation_and_name_are_kept() -> None:
    assert (clipped.__name__, clipped.__doc__) == (
        "clipped",
        "The identity, with a cotangent of at most one.",
    )
    assert repr(clipped) == "<adjit custom_vjp clipped>"
    assert pickle.loads(pickle.dumps(clipped)) is clipped


@pytest.mark.compiled
def test_compiled(compiled: None) -> None:
    np.testing.assert_allclose(adjit.grad(branching)(X, 3), branching_gradient(X, 3), rtol=1e-14)
    np.testing.assert_allclose(adjit.grad(repeated)(X, 4), adjit.grad(repeated_plain)(X, 4), rtol=1e-13)
    np.testing.assert_allclose(adjit.hvp(of_sine, (X,), X), adjit.hvp(of_sine_plain, (X,), X), rtol=1e-12)
    adjit.check_grads(of_softplus, (X,))


@numba.njit
def calls_it(x):
    return tripled(x) + cubed(x)


@pytest.mark.compiled
def test_in_a_function_that_numba_compiles(compiled: None) -> None:
    assert calls_it(2.0) == 12.0
    assert adjit.grad(calls_it)(2.0) == 6.0 + 200.0
