"""Paths in words: each statement about a program checked against its gradient by finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit


def forks(w, x):  # type: ignore[no-untyped-def]
    h = w * x
    a = np.sin(h)
    b = h * h
    return a + b


def held(w, x):  # type: ignore[no-untyped-def]
    h = adjit.stop_gradient(w * 2.0)
    return h * x


def as_integer(w, x):  # type: ignore[no-untyped-def]
    n = int(w)
    return n * x


def stepped(w, x):  # type: ignore[no-untyped-def]
    return np.floor(w) * x


def compared(w, x):  # type: ignore[no-untyped-def]
    if w > 1.0:
        return x
    return 2.0 * x


def unused(w, x):  # type: ignore[no-untyped-def]
    return x * x


def replaced(w, x):  # type: ignore[no-untyped-def]
    h = np.zeros(3)
    for i in range(3):
        h[i] = w * i
    h *= 2.0
    for i in range(3):
        h[i] = x * i
    return np.sum(h)


def index(w, x):  # type: ignore[no-untyped-def]
    a = np.zeros(3)
    a[int(w)] = x
    return np.sum(a * a)


def overwritten(w, x):  # type: ignore[no-untyped-def]
    w[0] = x
    return np.sum(w * w)


def looped(w, x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(100):
        s += np.sin(w * i) * x
    return s


ZERO: list[tuple[Callable[..., Any], str]] = [
    (held, "stop_gradient makes it a constant"),
    (as_integer, "a cast to int64"),
    (stepped, "`floor` is constant between its steps"),
    (compared, "a comparison, which has no gradient"),
    (unused, "`w` is not used"),
    (index, "a cast to int64"),
]


@pytest.mark.parametrize(("fun", "words"), ZERO, ids=[f.__name__ for f, _ in ZERO])
def test_why_a_gradient_is_zero(fun: Callable[..., Any], words: str) -> None:
    text = adjit.grad(fun).explain("w", 1.4, 2.0)
    assert "The gradient in `w` is zero" in text and words in text, text
    assert fun is held or abs(fun(1.4001, 2.0) - fun(1.3999, 2.0)) < 1e-12
    assert "reaches the result" in adjit.grad(fun).explain("x", 1.4, 2.0)


def test_forks_and_sums() -> None:
    text = adjit.grad(forks).explain("w", 1.4, 2.0)
    first = forks.__code__.co_firstlineno
    assert f"`h` forks: it is used on lines {first + 2}, {first + 3}" in text, text
    for line in ("h = w * x", "a = np.sin(h)", "b = h * h", "return a + b"):
        assert line in text
    text = adjit.grad(looped).explain("w", 1.4, 2.0)
    assert f"each pass of the loop on line {looped.__code__.co_firstlineno + 2} contributes" in text


def cooled(u, rate):  # type: ignore[no-untyped-def]
    u = u.copy()
    for i in range(1, u.shape[0]):
        u[i] = u[i] + rate * u[i - 1]
    return np.sum(u * u)


def test_what_memory_held_before_is_not_on_the_way() -> None:
    """The copy reaches the result, and depends on `u` only; loops are those that are written."""
    first = cooled.__code__.co_firstlineno
    text = adjit.grad(cooled, argnums=1).explain("rate", np.ones(3), 0.2)
    assert "u = u.copy()" not in text and "u[i] = u[i] + rate * u[i - 1]" in text, text
    loops = [line for line in text.splitlines() if "each pass of the loop" in line]
    assert loops == [f"  each pass of the loop on line {first + 2} contributes; the contributions are summed"]
    assert "u = u.copy()" in adjit.grad(cooled).explain("u", np.ones(3), 0.2)


def test_overwritten_values() -> None:
    text = adjit.grad(overwritten).explain("w", np.ones(3), 2.0)
    assert "elements of `w` are overwritten" in text and "w[0] = x" in text


def test_what_nobody_uses() -> None:
    text = adjit.grad(replaced).explain("w", 1.4, 2.0)
    assert "is zero" in text or "overwritten" in text, text


def test_arguments_of_the_latest_call_and_parts() -> None:
    def f(p, x):  # type: ignore[no-untyped-def]
        return np.sum(p["a"] * x) + 0.0 * np.floor(p["b"])

    g = adjit.grad(f)
    with pytest.raises(TypeError, match="example arguments"):
        g.explain("p")
    g({"a": np.ones(2), "b": 1.5}, np.ones(2))
    assert "reaches the result" in g.explain("p")
    assert "reaches the result" in g.explain("p['a']")
    assert "is zero" in g.explain("p['b']")
    with pytest.raises(ValueError, match=r"'q' is none of p\['a'\], p\['b'\], x"):
        g.explain("q")
    assert "has no gradient" in adjit.grad(lambda k, x: k * x, argnums=1).explain("k", 3, 2.0)


def heated(c):  # type: ignore[no-untyped-def]
    def f(w, n):  # type: ignore[no-untyped-def]
        u = np.ones(4)
        for _ in c(range(n)):
            change = w * u[0]
            u[1:] += np.sin(change)
        k = 0
        while c(k < n):
            u[0] *= w
            k += 1
        return np.sum(u * u)

    return f


def test_a_checkpointed_loop_is_explained_as_without_checkpoint() -> None:
    """The path goes through the passes; it is that of the same lines without."""
    marked, plain = heated(adjit.checkpoint), heated(lambda header: header)
    text = adjit.grad(marked).explain("w", 0.3, 5)
    assert text == adjit.grad(plain).explain("w", 0.3, 5)
    for line in ("u[1:] += np.sin(change)", "u[0] *= w"):
        assert line in text
    assert text.count("each pass of the loop") == 2 and "c(range(n))" not in text
    e = 1e-6
    slope = (plain(0.3 + e, 5) - plain(0.3 - e, 5)) / (2.0 * e)
    assert np.isclose(adjit.grad(marked)(0.3, 5), slope, rtol=1e-7)


def test_the_path_goes_through_a_checkpointed_function() -> None:
    def part(w, x):  # type: ignore[no-untyped-def]
        h = np.sin(w * x)
        return h * adjit.stop_gradient(x)

    def f(w, x):  # type: ignore[no-untyped-def]
        return adjit.checkpoint(part)(w, x) + x

    text = adjit.grad(f).explain("w", 0.3, 2.0)
    assert "h = np.sin(w * x)" in text and "return h * adjit.stop_gradient(x)" in text
    assert "stop_gradient makes it a constant" in adjit.grad(f, argnums=1).explain("x", 0.3, 2.0)

    def g(w, k):  # type: ignore[no-untyped-def]
        def inner(x):  # type: ignore[no-untyped-def]
            y = x * x
            return y * k

        return adjit.checkpoint(inner)(w) + 1.0

    assert "y = x * x" in adjit.grad(g).explain("w", 0.3, 2.0)
    assert "return y * k" in adjit.grad(g, 1).explain("k", 0.3, 2.0)
