"""Gradients whose loops save in two bytes a number: memory, bounds, what is not rounded, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjit
from tests.support import oracles

FORMATS = {"float16": 2.0**-11, "bfloat16": 2.0**-8}


def waves(x, n):  # type: ignore[no-untyped-def]
    y = x.copy()
    for _ in range(n):
        for i in range(y.shape[0]):
            y[i] = np.sin(y[i]) * x[i] + 1.0
    return np.sum(y)


def until(x, limit):  # type: ignore[no-untyped-def]
    """What it saves grows as it runs."""
    y = x.copy()
    total = 0.0
    while total < limit:
        y = np.cos(y) * x
        total += np.sum(y * y)
    return total


def recurrent(w, x):  # type: ignore[no-untyped-def]
    h = np.zeros(w.shape[0], w.dtype)
    for t in range(x.shape[0]):
        h = np.tanh(w @ h + x[t])
    return np.sum(h * h)


def branching(x, n):  # type: ignore[no-untyped-def]
    """`exp` of small numbers, rounded, would lie on the other side of 1."""
    total = 0.0
    for _ in range(n):
        for i in range(x.shape[0]):
            h = np.exp(x[i])
            x[i] = 0.5 * x[i]
            total += h * h if h > 1.0 else 3.0 * h
    return total


def growing(x, n):  # type: ignore[no-untyped-def]
    y = x
    for _ in range(n):
        y = y * y
    return y * x


def arguments(name: str, kind: Any) -> tuple[Any, ...]:
    rng = np.random.default_rng(3)
    if name == "recurrent":
        return rng.normal(size=(4, 4)).astype(kind) * kind(0.4), rng.normal(size=(12, 4)).astype(kind)
    return np.linspace(0.3, 0.9, 6).astype(kind), {"waves": 12, "until": 9.0}[name]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("f", [waves, until, recurrent])
def test_gradients(f: Any, form: str, kind: Any) -> None:
    """Near the exact one, not equal to it."""
    args = arguments(f.__name__, kind)
    wide = tuple(a.astype(np.float64) if isinstance(a, np.ndarray) else a for a in args)
    exact = adjit.grad(f)(*wide)
    value, found = adjit.value_and_grad(f, saved_as=form)(*args)
    assert np.isclose(value, f(*wide), rtol=1e-5) and found.dtype == kind
    error = np.max(np.abs(found - exact)) / np.max(np.abs(exact))
    assert 0.01 * FORMATS[form] < error < 8.0 * FORMATS[form]


def test_memory() -> None:
    """Two bytes instead of eight or four, and the table says so."""
    for kind, least in ((np.float64, 3.5), (np.float32, 1.8)):
        args = (np.linspace(0.3, 0.9, 50).astype(kind), 200)
        plain, halved = (adjit.grad(waves, saved_as=form).saved(*args) for form in (None, "bfloat16"))
        assert plain.peak is not None and halved.peak is not None and plain.peak > least * halved.peak
        assert {row.name for row in halved.rows} == {row.name for row in plain.rows}
        assert all(row.dtype == "uint16" for row in halved.rows if row.name.startswith("saved_"))


def test_a_budget_counts_it() -> None:
    args = (np.linspace(0.3, 0.9, 20), 40)
    room = adjit.grad(waves, saved_as="bfloat16").saved(*args).peak
    assert room is not None
    fitting = adjit.grad(waves, saved_as="bfloat16", max_bytes=room)
    assert "run again" not in fitting.source(*args) and "run again" in adjit.grad(
        waves, max_bytes=room
    ).source(*args)


def test_decisions_are_not_rounded() -> None:
    x = np.full(3, 1e-3)
    found = adjit.grad(branching, saved_as="bfloat16")(x.copy(), 4)
    wanted = [e.value for _, _, e in oracles.entries(branching, (x, 4), 0)]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_numbers_beyond_the_format_are_an_error() -> None:
    with pytest.raises(
        OverflowError, match=r"beyond 65504, the largest number of float16.* or take bfloat16"
    ):
        adjit.grad(growing, saved_as="float16")(30.0, 4)
    exact = adjit.grad(growing)(30.0, 4)
    assert np.isclose(adjit.grad(growing, saved_as="bfloat16")(30.0, 4), exact, rtol=2.0**-6)
    with pytest.raises(OverflowError, match=r"leave saved_as out$"):
        adjit.grad(growing, saved_as="bfloat16")(30.0, 6)
    assert adjit.grad(growing, saved_as="float16")(np.inf, 3) == np.inf  # what is infinite stays so


def test_what_is_saved_nowhere_is_as_it_was() -> None:
    f = lambda x: np.sum(np.exp(x) * x)  # noqa: E731
    x = np.linspace(0.0, 1.0, 5)
    assert adjit.grad(f, saved_as="float16").source(x) == adjit.grad(f).source(x)


def test_options_beside_it() -> None:
    args = arguments("waves", np.float64)
    plain = adjit.grad(waves)(*args)
    for options in ({"debug_nans": True}, {"fastmath": True}, {"precise": True}, {"boundscheck": False}):
        found = adjit.grad(waves, saved_as="bfloat16", **options)(*args)
        np.testing.assert_allclose(found, plain, rtol=8.0 * 2.0**-8)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda f, *a: adjit.grad(f, saved_as="float8"), ValueError, "'float16' or 'bfloat16', not 'float8'"),
        (lambda f, *a: adjit.vjp(adjit.jit(f, saved_as="float16"), *a), adjit.MissingRuleError, "not of vjp"),
        (lambda f, *a: adjit.hessian(f, saved_as="float16"), adjit.MissingRuleError, "not of hessian"),
        (
            lambda f, *a: adjit.grad(f, saved_as="float16", target="cuda"),
            adjit.MissingRuleError,
            "on the CPU",
        ),
        (
            lambda f, *a: adjit.grad(adjit.grad(growing, saved_as="float16"))(0.5, 2),
            adjit.MissingRuleError,
            "cannot be part of another program",
        ),
        (
            lambda f, *a: adjit.jit(lambda x: adjit.grad(growing, saved_as="float16")(x, 2))(0.5),
            adjit.MissingRuleError,
            "cannot be part of another program",
        ),
    ],
)
def test_refusals(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call(waves, np.ones(3), 2)


@pytest.mark.compiled
def test_compiled(compiled: None) -> None:
    args = arguments("waves", np.float32)
    exact = adjit.grad(waves)(*args)
    for form, bound in FORMATS.items():
        found = adjit.grad(adjit.jit(waves, saved_as=form))(*args)
        np.testing.assert_allclose(found, exact, rtol=8.0 * bound)
        assert np.any(found != exact)
