"""NumPy functions end to end: gradients, tangents and second derivatives of calls as users write them."""

from __future__ import annotations

import cmath
import functools
import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from scipy import special

import adjit
from adjit.compiler.frontend.arrays.numpy_table import BUILTINS
from adjit.compiler.frontend.arrays.scalars import BY_FUNCTION

from ..support import judge
from ..support.sources import function_of
from .points import POINTS, Point
from .rows import ROWS, Row
from .test_definitions import CALLS, drawn

COUNT = itertools.count()
COMPILED = (
    "np.exp(a)",
    "np.mean(a, axis=1)",
    "np.max(a)",
    "a @ b",
    "np.linalg.norm(a)",
    "np.sort(a)",
    "special.erf(a)",
    "np.concatenate((a, b))",
    "special.logsumexp(a)",
)


def function(text: str, names: tuple[str, ...]) -> Callable[..., Any]:
    """A function of these names whose body is the text, with source that can be read."""
    body = text.split("; ") if "return" in text else [f"return {text}"]
    source = "\n    ".join([f"def call({', '.join(names)}):", *body]) + "\n"
    file = f"<call {next(COUNT)}>"
    space: dict[str, Any] = {
        "np": np,
        "special": special,
        "math": math,
        "functools": functools,
        "cmath": cmath,
        "scipy": scipy,
        "random": random,
        "__name__": __name__,
    }
    return function_of(source, "call", file, space)


def arguments(
    row: Row, text: str, single: bool = False
) -> tuple[tuple[str, ...], tuple[Any, ...], tuple[int, ...]]:
    """Names, values and positions of the floats among what the call mentions."""
    mentioned = set(compile(text.replace("return ", ""), "", "exec").co_names)
    found = {k: v for k, v in drawn(row, single=single).items() if k in mentioned}
    positions = tuple(k for k, v in enumerate(found.values()) if np.asarray(v).dtype.kind == "f")
    return tuple(found), tuple(found.values()), positions


def judged(text: str, row: Row, single: bool = False, second: bool = False) -> None:
    names, values, positions = arguments(row, text, single)
    if second:
        *before, last = text.split("; ")
        text = "; ".join([*before, f"return np.sum(np.cos({last.removeprefix('return ')}))"])
    verdict = judge.check(
        function(text, names),
        values,
        positions,
        rtol=2e-3 if single else 1e-6,
        tangent=not second,
        second=second,
    )
    assert verdict.kind in ("right", "unsure"), verdict


@pytest.mark.parametrize(("row", "text"), CALLS, ids=[t for _, t in CALLS])
def test_gradient(row: Row, text: str) -> None:
    judged(text, row)


def sampled(calls: list[tuple[Row, str]]) -> list[Any]:
    """Each row's first call; the others are slow."""
    return [
        pytest.param(row, text, id=text, marks=() if text == row.expressions[0] else pytest.mark.slow)
        for row, text in calls
    ]


@pytest.mark.parametrize(("row", "text"), sampled([(row, text) for row, text in CALLS if row.order > 1]))
def test_second_order(row: Row, text: str) -> None:
    judged(text, row, second=True)


@pytest.mark.parametrize(("row", "text"), sampled([(row, text) for row, text in CALLS if row.single]))
def test_float32(row: Row, text: str) -> None:
    names, values, positions = arguments(row, text, single=True)
    value, pullback = adjit.vjp(function(text, names), *values, argnums=positions)
    seed = np.ones(np.shape(value), np.asarray(value).dtype)
    gradients = pullback(seed)
    names, wide, positions = arguments(row, text)
    exact = adjit.vjp(function(text, names), *wide, argnums=positions)[1](np.ones(np.shape(value)))
    for p, g, e in zip(positions, gradients, exact, strict=True):
        assert np.asarray(g).dtype == np.float32 and np.shape(g) == np.shape(values[p])
        np.testing.assert_allclose(
            g, e, rtol=5e-3, atol=5e-4 * max(1.0, float(np.max(np.abs(e), initial=0.0)))
        )


@pytest.mark.parametrize("point", POINTS, ids=[f"{p.expression} at {p.at}" for p in POINTS])
def test_point(point: Point) -> None:
    f = function(point.expression, ("a",))
    at = np.array(point.at)
    with np.errstate(all="ignore"):
        value, gradient = adjit.value_and_grad(f)(at)
        np.testing.assert_allclose(value, f(at), rtol=1e-14)
        np.testing.assert_allclose(gradient, np.array(point.gradient, dtype=float), rtol=1e-9, atol=1e-14)
        if point.hessian is not None:
            np.testing.assert_allclose(adjit.hessian(f)(at), point.hessian, rtol=1e-6, atol=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize("text", COMPILED)
def test_compiled(text: str, compiled: None) -> None:
    row = next(r for r, t in CALLS if t == text)
    judged(text, row)


def test_every_function_has_a_row() -> None:
    rows = {row.function for row in ROWS}
    shown = " ".join(text for _, text in CALLS)
    missing = [
        f
        for f in (*BY_FUNCTION, *BUILTINS)
        if f not in rows
        and getattr(f, "__module__", None) != "math"
        and getattr(f, "__name__", "?") not in shown
    ]
    assert not missing
