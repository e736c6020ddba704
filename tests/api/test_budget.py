"""Gradients that fit into a number of bytes: the least work that fits, or the least figure that would do."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest

import adjit
from adjit.compiler.budget import Budget


def logistic(r, n):  # type: ignore[no-untyped-def]
    x = 0.1 * np.ones(20)
    for _ in range(n):
        x = x + r * np.sin(x) * (1.0 - x)
    return np.sum(x)


def logistic_marked(r, n, s):  # type: ignore[no-untyped-def]
    x = 0.1 * np.ones(20)
    for _ in adjit.checkpoint(range(n), snapshots=s):
        x = x + r * np.sin(x) * (1.0 - x)
    return np.sum(x)


def two_loops(r, n):  # type: ignore[no-untyped-def]
    x, y = 0.1 * np.ones(20), 0.2 * np.ones(5)
    for _ in range(n):
        x = x + r * np.sin(x) * (1.0 - x)
    for _ in range(2 * n):
        y = y + r * np.sin(y) * (1.0 - y) * 0.1
    return np.sum(x) * np.sum(y)


def nested(r, n):  # type: ignore[no-untyped-def]
    x = 0.1 * np.ones(20)
    for _ in range(n):
        z = x.copy()
        for _ in range(n):
            z = np.sin(z * r) + 0.3 * z * z
        x = 0.5 * x + 0.1 * z
    return np.sum(x * x)


def until(r, limit):  # type: ignore[no-untyped-def]
    x = 0.1 * np.ones(20)
    while x[0] < limit:
        x = x + r * np.sin(x) * (1.0 - x)
    return np.sum(x)


def peak(f, *args):  # type: ignore[no-untyped-def]
    found = adjit.grad(f).saved(*args).peak
    assert found is not None
    return found


def least(f, *args):  # type: ignore[no-untyped-def]
    with pytest.raises(adjit.MemoryBudgetError) as refused:
        adjit.grad(f, max_bytes=1)(*args)
    found = re.search(r"at least (\d+) bytes for these arguments, max_bytes is 1\b", str(refused.value))
    assert found is not None and refused.value.location is not None
    return int(found.group(1))


def test_all_is_saved_where_there_is_room() -> None:
    room = peak(logistic, 0.3, 60)
    gradient = adjit.grad(logistic, max_bytes=room)
    assert gradient.source(0.3, 60) == adjit.grad(logistic).source(0.3, 60)
    assert gradient(0.3, 60) == adjit.grad(logistic)(0.3, 60)


@pytest.mark.parametrize("part", [2, 3, 5])
def test_as_many_snapshots_as_fit(part: int) -> None:
    """More snapshots are less work: one more than the chosen number does not fit."""
    room = peak(logistic, 0.3, 60) // part
    gradient = adjit.grad(logistic, max_bytes=room)
    assert np.isclose(gradient(0.3, 60), adjit.grad(logistic)(0.3, 60), rtol=1e-12)
    found = re.search(r"run again, from (\d+) kept states", gradient.source(0.3, 60))
    assert found is not None
    snapshots = int(found.group(1))
    assert peak(logistic_marked, 0.3, 60, snapshots) <= room < peak(logistic_marked, 0.3, 60, snapshots + 1)
    assert gradient.saved(0.3, 60).peak == peak(logistic_marked, 0.3, 60, snapshots)


@pytest.mark.parametrize("f", [logistic, two_loops, nested])
def test_the_least_figure(f) -> None:  # type: ignore[no-untyped-def]
    """It is enough, and a byte less is not."""
    figure = least(f, 0.3, 16)
    assert 2 * figure < peak(f, 0.3, 16)
    found = adjit.grad(f, max_bytes=figure)(0.3, 16)
    assert np.isclose(found, adjit.grad(f)(0.3, 16), rtol=1e-10)
    with pytest.raises(adjit.MemoryBudgetError, match=f"at least {figure} bytes"):
        adjit.grad(f, max_bytes=figure - 1)(0.3, 16)


def test_of_two_loops_the_cheaper_one_is_run_again() -> None:
    """Either would do; that with less memory per pass and more passes is left as it is."""
    args = (0.3, 40)
    room = peak(two_loops, *args) - 100
    gradient = adjit.value_and_grad(two_loops, max_bytes=room)
    value, found = gradient(*args)
    assert np.isclose(value, two_loops(*args)) and np.isclose(found, adjit.grad(two_loops)(*args), rtol=1e-11)
    assert gradient.saved(*args).peak <= room
    assert len(re.findall("passes are run again", gradient.source(*args))) == 1


def test_loops_inside_loops() -> None:
    """The least is below what checkpoints of the outer loop alone reach: one of its passes saves much."""
    figure = least(nested, 0.3, 30)
    one_pass = 30 * 20 * 8  # what the inner loop saves in full
    assert figure < one_pass


class Watched(Budget):
    """The latest choice that was made, with what was measured for it."""

    latest: Watched

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        Watched.latest = self


@pytest.mark.parametrize(("f", "part"), [(two_loops, 2), (two_loops, 4), (nested, 2), (nested, 7)])
def test_the_choice_is_the_best_there_is(f: Any, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all sets of loops and all numbers of snapshots; and it takes what was measured for it."""
    monkeypatch.setattr("adjit.api.budget.Budget", Watched)
    room = peak(f, 0.3, 12) // part
    gradient = adjit.grad(f, max_bytes=room)
    measured = gradient.saved(0.3, 12).peak
    budget = Watched.latest
    choice = gradient.latest.choice
    assert len(budget.made) <= 4 and len(budget.saving) == 2  # a program per set of loops, no more
    assert measured == budget.known[tuple(sorted(choice.items()))] <= room
    numbers = (None, *range(1, 24))
    ways = [
        {k: n for k, n in zip(budget.saving, one, strict=True) if n} for one in product(numbers, repeat=2)
    ]
    work = [sum(budget.again(k, n) for k, n in way.items()) for way in ways if budget.peak(way) <= room]
    spent = sum(budget.again(k, n) for k, n in choice.items())
    assert spent <= 1.02 * min(work)


def test_a_while_loop_has_a_bound_then() -> None:
    assert adjit.grad(until).saved(0.3, 0.9).peak is None
    gradient = adjit.grad(until, max_bytes=20_000)
    assert np.isclose(gradient(0.3, 0.9), adjit.grad(until)(0.3, 0.9), rtol=1e-11)
    assert gradient.saved(0.3, 0.9).peak <= 20_000


def test_sizes_choose_anew() -> None:
    gradient = adjit.grad(logistic, max_bytes=4000)
    for n in (3, 60, 3, 200):
        assert np.isclose(gradient(0.3, n), adjit.grad(logistic)(0.3, n), rtol=1e-9)
        assert gradient.saved(0.3, n).peak <= 4000
    assert "run again" not in gradient.source(0.3, 3)


def test_lengths_of_the_run_are_refused() -> None:
    def f(x):  # type: ignore[no-untyped-def]
        y = np.zeros(int(np.sum(x)))
        for k in range(y.shape[0]):
            y[k] = np.sin(x[k]) * x[0]
        return np.sum(np.sin(y) * y[::-1])

    with pytest.raises(adjit.MemoryBudgetError, match="is known only when it has run"):
        adjit.grad(f, max_bytes=100)(np.linspace(0.0, 1.0, 50))


def test_arguments_and_results_are_those_of_the_gradient() -> None:
    def f(p, u, n):  # type: ignore[no-untyped-def]
        for _ in range(n):
            u[1:] = np.sin(u[1:]) * p["a"] + u[:-1] * p["b"]
        return np.sum(u * u), n

    p, u = {"a": 0.8, "b": np.float64(0.3)}, np.linspace(0.0, 1.0, 10)
    mine, theirs = u.copy(), u.copy()
    (value, aux), found = adjit.value_and_grad(f, has_aux=True, max_bytes=2500)(p, mine, 30)
    (expected, _), want = adjit.value_and_grad(f, has_aux=True)(p, theirs, 30)
    assert np.isclose(value, expected) and aux == 30
    assert np.isclose(found["a"], want["a"], rtol=1e-11) and np.isclose(found["b"], want["b"], rtol=1e-11)
    np.testing.assert_array_equal(mine, theirs)


def test_options_of_jit_are_passed_on() -> None:
    compiled = adjit.jit(logistic, max_bytes=4000)
    assert np.isclose(compiled(0.3, 60), logistic(0.3, 60))
    assert adjit.grad(compiled).saved(0.3, 60).peak <= 4000


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: adjit.vjp(adjit.jit(logistic, max_bytes=9), 0.3, 9), "not for vjp"),
        (lambda: adjit.hessian(logistic, max_bytes=9), "not for"),
        (lambda: adjit.vmap(logistic, max_bytes=9), "not for vmap"),
        (lambda: adjit.grad(logistic, max_bytes=9, target="cuda"), "together with target"),
        (lambda: adjit.grad(logistic, max_bytes=9, parallel=True), "together with parallel"),
        (lambda: adjit.grad(adjit.grad(logistic, max_bytes=9))(0.3, 9), "a transform of the gradient"),
    ],
)
def test_what_does_not_go_together(call, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(adjit.MissingRuleError, match=words):
        call()


@pytest.mark.compiled
def test_what_a_call_takes(compiled: None) -> None:
    """The workspace of a call is within the budget."""
    gradient = adjit.grad(logistic, max_bytes=5000)
    for _ in range(3):
        gradient(0.3, 300)
    (entry,) = (e for entries in gradient.latest.entries.values() for e in entries)
    assert entry.runner.pool.idle[0].item(0) * 8 <= 5000


def of_many(a, *q, scale=1.0):
    s = np.sum(a) * len(q)
    for x in q:
        s += np.sum(x) ** 2 * scale
    return s


@pytest.mark.parametrize("count", [0, 1, 3])
def test_parameters_of_any_number(count):
    args = [np.arange(1.0, 4.0) * k for k in range(1, count + 2)]
    numbers = tuple(range(count + 1))
    gradient = adjit.value_and_grad(of_many, argnums=numbers, max_bytes=100_000)
    value, found = gradient(*args, scale=2.0)
    assert value == of_many(*args, scale=2.0)
    wanted = [np.full(3, float(count)), *(np.full(3, 4.0 * np.sum(x)) for x in args[1:])]
    for g, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(g, w)
    assert gradient.saved(*args, scale=2.0).peak <= 100_000
