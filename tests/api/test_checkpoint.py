"""Functions that the reverse sweep runs again: the same derivatives, less memory."""

from __future__ import annotations

import numpy as np
import pytest

import adjit
from tests.support import oracles


def block(x, w):  # type: ignore[no-untyped-def]
    h = np.sin(x * w)
    for _ in range(20):
        h = np.sin(h * w) + np.cos(h)
    return h


again = adjit.checkpoint(block)


def plain(x, ws):  # type: ignore[no-untyped-def]
    for k in range(ws.shape[0]):
        x = block(x, ws[k])
    return np.sum(x * x)


def saving(x, ws):  # type: ignore[no-untyped-def]
    for k in range(ws.shape[0]):
        x = again(x, ws[k])
    return np.sum(x * x)


def data(rng: np.random.Generator):  # type: ignore[no-untyped-def]
    return rng.normal(size=30), rng.uniform(0.5, 1.0, size=6)


def check(rng: np.random.Generator) -> None:
    x, ws = data(rng)
    value, (of_x, of_ws) = adjit.value_and_grad(saving, argnums=(0, 1))(x, ws)
    assert np.isclose(value, plain(x, ws), rtol=1e-13)
    for k, (gradient, direction) in enumerate(((of_x, rng.normal(size=30)), (of_ws, rng.normal(size=6)))):
        estimate = oracles.directional(plain, (x, ws), k, direction)
        assert abs(gradient @ direction - estimate.value) < 1e-6 * max(1.0, abs(estimate.value))


def test_gradients(rng: np.random.Generator) -> None:
    check(rng)


@pytest.mark.compiled
def test_gradients_compiled(rng: np.random.Generator, compiled: None) -> None:
    check(rng)


def test_memory(rng: np.random.Generator) -> None:
    """What a block saves inside, 20 values per element and call, is there for one call at a time."""
    x, ws = data(rng)
    small, large = adjit.grad(saving).saved(x, ws), adjit.grad(plain).saved(x, ws)
    assert 10 * small.nbytes < large.nbytes
    assert small.peak is not None and large.peak is not None and 2.5 * small.peak < large.peak


def test_other_modes_and_orders(rng: np.random.Generator) -> None:
    x, ws = data(rng)
    adjit.check_grads(saving, (x[:3], ws[:2]))
    _, pullback = adjit.vjp(saving, x, ws)
    np.testing.assert_allclose(pullback()[1], adjit.grad(plain, argnums=1)(x, ws), rtol=1e-9)
    _, tangent = adjit.jvp(saving, (x, ws), (np.ones(30), None))
    np.testing.assert_allclose(tangent, np.sum(adjit.grad(plain)(x, ws)), rtol=1e-9)
    v = rng.normal(size=30)
    np.testing.assert_allclose(adjit.hvp(saving, (x, ws), v), adjit.hvp(plain, (x, ws), v), rtol=1e-7)


def segment(u, v, c, steps):  # type: ignore[no-untyped-def]
    u, v = u.copy(), v.copy()
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            v[i] += c[i] * c[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        for i in range(1, u.shape[0] - 1):
            u[i] += v[i]
    return u, v


segments = adjit.checkpoint(segment)


def group(u, v, c, inner, steps):  # type: ignore[no-untyped-def]
    u, v = u.copy(), v.copy()
    for _ in range(inner):
        u, v = segments(u, v, c, steps)
    return u, v


groups = adjit.checkpoint(group)


def wave(c, start, steps):  # type: ignore[no-untyped-def]
    u, _ = segment(start, np.zeros(c.shape[0]), c, steps)
    return np.sum(u * u)


def wave_in_groups(c, start, outer, inner, steps):  # type: ignore[no-untyped-def]
    u, v = start.copy(), np.zeros(c.shape[0])
    for _ in range(outer):
        u, v = groups(u, v, c, inner, steps)
    return np.sum(u * u)


def wave_again(c, start, steps):  # type: ignore[no-untyped-def]
    u, v = start.copy(), np.zeros(c.shape[0])
    for _ in adjit.checkpoint(range(steps)):
        for i in range(1, u.shape[0] - 1):
            v[i] += c[i] * c[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        for i in range(1, u.shape[0] - 1):
            u[i] += v[i]
    return np.sum(u * u)


def words(f):  # type: ignore[no-untyped-def]
    (entry,) = (e for entries in f.entries.values() for e in entries)
    return int(entry.runner.pool.idle[0].size)


@pytest.mark.compiled
def test_a_wave_of_ten_thousand_steps_in_a_fiftieth_of_the_memory(compiled: None) -> None:
    """A checkpointed loop, a budget, and three levels of functions; the workspace of a call is what it
    takes.
    """
    c, start = np.full(200, 0.4), np.exp(-0.01 * (np.arange(200) - 100.0) ** 2)
    whole, groups_of = adjit.value_and_grad(wave), adjit.value_and_grad(wave_in_groups)
    value, expected = whole(c, start, 10_000)
    room = whole.saved(c, start, 10_000).peak
    assert room is not None
    loop, budget = adjit.value_and_grad(wave_again), adjit.value_and_grad(wave, max_bytes=room // 50)
    calls = ((groups_of, (c, start, 20, 20, 25)), (loop, (c, start, 10_000)), (budget, (c, start, 10_000)))
    for made, args in calls:
        found, gradient = made(*args)
        assert np.isclose(found, value, rtol=1e-10)
        np.testing.assert_allclose(gradient, expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max())
    assert 50 * words(groups_of) < words(whole)
    assert 100 * words(loop) < words(whole)
    assert 50 * words(budget.latest) < words(whole)


@pytest.mark.parametrize("way", ["loop", "budget"])
def test_the_predicted_memory_is_what_a_call_takes(way: str) -> None:
    """Its workspace, and the gradient that it gives."""
    c, start = np.full(300, 0.4), np.exp(-0.01 * (np.arange(300) - 150.0) ** 2)
    room = adjit.value_and_grad(wave).saved(c, start, 40).peak
    assert room is not None
    budget = adjit.value_and_grad(wave, max_bytes=room // 2)
    gradient = budget if way == "budget" else adjit.value_and_grad(wave_again)
    predicted = gradient.saved(c, start, 40).peak
    assert predicted is not None and predicted < 0.6 * room
    for _ in range(2):
        _, found = gradient(c, start, 40)
    made = budget.latest if way == "budget" else gradient
    (entry,) = (e for entries in made.entries.values() for e in entries)
    taken = 8 * int(entry.runner.pool.idle[0][0]) + found.nbytes  # the first word of a workspace counts it
    assert abs(predicted - taken) < 0.05 * taken


def test_memory_of_functions_in_functions_is_predicted() -> None:
    """Lengths that are kept for each pass are one number: here they are those of `start` and `c`."""
    c, start = np.full(300, 0.4), np.zeros(300)
    sizes = [adjit.grad(wave_in_groups).saved(c, start, n, 2, 5).peak for n in (2, 4)]
    assert sizes[1] - sizes[0] == 2 * 2 * 300 * 8  # a state per group


def pair(p, n):  # type: ignore[no-untyped-def]
    return {"a": np.exp(p["x"]) * n, "b": np.sum(p["x"]) * p["c"], "n": n + 1}


def test_structures_numbers_and_local_functions(rng: np.random.Generator) -> None:
    k = rng.normal(size=4)

    def f(p, n):  # type: ignore[no-untyped-def]
        found = adjit.checkpoint(pair)(p, n)
        scaled = adjit.checkpoint(lambda t: np.sin(t) * k)
        return np.sum(scaled(found["a"])) + found["b"] * found["n"]

    p = {"x": rng.normal(size=4), "c": 0.7}
    gradient = adjit.grad(f)(p, 2)
    e = np.exp(p["x"])
    np.testing.assert_allclose(gradient["x"], 2.0 * e * np.cos(2.0 * e) * k + 0.7 * 3.0, rtol=1e-12)
    np.testing.assert_allclose(gradient["c"], 3.0 * np.sum(p["x"]), rtol=1e-12)


def writes(x):  # type: ignore[no-untyped-def]
    x[0] = 1.0
    return np.sum(x)


def test_writing_an_argument_is_refused() -> None:
    inner = adjit.checkpoint(writes)
    with pytest.raises(adjit.OverwriteError, match="`writes` writes one of its arguments"):
        adjit.grad(lambda x: inner(x.copy()))(np.ones(3))
    assert inner(np.zeros(2)) == 1.0


def draws(x):  # type: ignore[no-untyped-def]
    return x * np.random.normal()


def test_drawing_random_numbers_is_refused() -> None:
    """They would be drawn anew in the reverse sweep."""
    with pytest.raises(adjit.UnsupportedSyntaxError, match="`draws` draws random numbers"):
        adjit.grad(lambda x: adjit.checkpoint(draws)(x))(0.3)


def test_headers_of_loops_are_what_they_are() -> None:
    assert adjit.checkpoint(range(3, 9, 2), snapshots=4) == range(3, 9, 2)
    assert adjit.checkpoint(0.1 < 0.2) is True
    assert not adjit.checkpoint(np.float64(0.3) < 0.2, snapshots=1)
    with pytest.raises(ValueError, match="at least 1, not 0"):
        adjit.checkpoint(range(3), snapshots=0)
    with pytest.raises(TypeError, match="snapshots are for loops"):
        adjit.checkpoint(draws, snapshots=3)
