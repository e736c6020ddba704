"""Divided loops: gradients against differences of the uncompiled original, for several numbers of threads,
with the threads of uncompiled runs in reverse; real threads in compiled runs, many times over.
"""

from __future__ import annotations

import inspect
import threading
from typing import Any

import numpy as np
import pytest

import adjit
from tests.cases import CASES, judge
from tests.support import trees
from tests.support.dividing import eagerly
from tests.support.judge import check
from tests.support.programs import Program, load
from tests.support.programs_parallel import SITUATIONS, Situation

PROGRAMS = load()
SOME = list(PROGRAMS.values())[1::6]
REPORTED = [*list(CASES)[::5], *(name for name, case in CASES.items() if case.parallel)]
COMPILED = ("histogram", "stencil", "scratch_memory", "scatter_to_a_permutation")


def arguments(situation: Situation) -> tuple[Any, ...]:
    return situation.args(np.random.default_rng(7))


@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.parametrize("name", SITUATIONS)
def test_gradient(name: str, threads: int) -> None:
    situation = SITUATIONS[name]
    with eagerly():
        verdict = check(
            situation.function, arguments(situation), situation.wrt, parallel=threads, cache=False
        )
    assert verdict.kind == "right", verdict.message


@pytest.mark.parametrize("name", SITUATIONS)
def test_what_becomes_of_it(name: str) -> None:
    situation = SITUATIONS[name]
    with eagerly():
        g = adjit.value_and_grad(situation.function, argnums=situation.wrt, parallel=2, cache=False)
        text = g.source(*arguments(situation))
    header = text.split('"""')[1]
    for words in situation.says:
        assert words in header
    lines, start = inspect.getsourcelines(situation.function)
    if not situation.says:  # the loop with the dependence stays as it is
        line = next(k for k, t in enumerate(lines, start) if "prange" in t)
        assert f"line {line};" not in header


@pytest.mark.parametrize("name", SITUATIONS)
def test_second_order(name: str) -> None:
    situation = SITUATIONS[name]
    with eagerly():
        verdict = check(
            situation.function,
            arguments(situation),
            situation.wrt,
            parallel=3,
            cache=False,
            second=True,
            tangent=False,
        )
    assert verdict.kind in ("right", "unsure"), verdict.message


@pytest.mark.parametrize("program", SOME, ids=[p.name for p in SOME])
def test_sample_programs(program: Program) -> None:
    with eagerly():
        verdict = check(
            program.function, program.make_args(), program.wrt, rtol=program.rtol, parallel=3, cache=False
        )
    assert verdict.kind == "right", verdict.message


def compute(function: Any, args: tuple[Any, ...], wrt: tuple[int, ...], seed: Any, order: int) -> Any:
    """The gradients of a case, its loops divided."""
    function = adjit.jit(function, parallel=3, cache=False)
    if order == 2:
        return (adjit.hessian(function, argnums=wrt[0])(*args),)
    value, pullback = adjit.vjp(function, *args, argnums=wrt)
    return pullback(np.ones_like(value)[()] if seed is None else seed)


@pytest.mark.parametrize("name", REPORTED)
def test_reported_cases(name: str) -> None:
    with eagerly():
        assert judge(CASES[name], compute, adjit.AdjitError) == ""


@pytest.mark.compiled
@pytest.mark.parametrize("name", COMPILED)
def test_in_threads(name: str, compiled: None) -> None:
    """The same numbers again and again, whatever the threads do, and those of one thread up to rounding."""
    situation = SITUATIONS[name]
    args = arguments(situation)
    with eagerly():
        verdict = check(situation.function, args, situation.wrt, parallel=3, tangent=False, cache=False)
        assert verdict.kind == "right", verdict.message
        g = adjit.value_and_grad(situation.function, argnums=situation.wrt, parallel=3, cache=False)
        first = g(*trees.fresh(args))
        for _ in range(200):
            again = g(*trees.fresh(args))
            assert again[0] == first[0]
            for a, b in zip(again[1], first[1], strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.compiled
def test_large_scatter_in_threads(compiled: None) -> None:
    """Threads that meet all the time: 200 000 additions to four numbers."""
    rng = np.random.default_rng(0)
    w, bins = rng.normal(size=200_000), rng.integers(0, 3, 200_000)
    g = adjit.value_and_grad(SITUATIONS["histogram"].function, parallel=2)
    h = np.bincount(bins, w * w, 3)
    for _ in range(20):
        value, gradient = g(w, bins)
        np.testing.assert_allclose(value, np.sum(h**3), rtol=1e-12)
        np.testing.assert_allclose(gradient, 3 * h[bins] ** 2 * 2 * w, rtol=1e-12)


@pytest.mark.compiled
def test_from_several_threads_of_python(compiled: None) -> None:
    rng = np.random.default_rng(1)
    x, idx = rng.normal(size=50), rng.integers(0, 50, 60_000)
    g = adjit.grad(SITUATIONS["gather_with_repeated_indices"].function, parallel=2)
    wanted = np.bincount(idx, minlength=50) * np.exp(x)
    wrong: list[str] = []

    def work() -> None:
        for _ in range(20):
            if not np.allclose(g(x, idx), wanted, rtol=1e-12):
                wrong.append("wrong")

    workers = [threading.Thread(target=work) for _ in range(3)]
    for t in workers:
        t.start()
    for t in workers:
        t.join()
    assert not wrong


def test_failures_surface_at_the_users_line() -> None:
    situation = SITUATIONS["gather_with_repeated_indices"]
    x, idx = arguments(situation)
    idx[9] = 5
    with eagerly():
        g = adjit.grad(situation.function, parallel=3, cache=False)
        with pytest.raises(
            IndexError, match="index 5 is out of bounds for axis 0 of 'x' with size 5"
        ) as info:
            g(x, idx)
    assert "x[idx[i]]" in str(info.value)


@pytest.mark.compiled
def test_failures_surface_from_threads(compiled: None) -> None:
    situation = SITUATIONS["gather_with_repeated_indices"]
    x, idx = arguments(situation)
    with eagerly():
        g = adjit.grad(situation.function, parallel=3, cache=False)
        right = g(x, idx)
        bad = idx.copy()
        bad[13] = -6
        with pytest.raises(IndexError, match="index -6 is out of bounds"):
            g(x, bad)
        np.testing.assert_array_equal(g(x, idx), right)


def raising(x):
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] < 0.0:
            raise ValueError("negative")
        s += np.sqrt(x[i])
    return s


def test_exceptions_of_the_user_surface() -> None:
    x = np.arange(1.0, 10.0)
    with eagerly():
        g = adjit.grad(raising, parallel=3, cache=False)
        np.testing.assert_allclose(g(x), 0.5 / np.sqrt(x))
        x[7] = -1.0
        with pytest.raises(ValueError, match="negative"):
            g(x)


def test_no_passes_and_few() -> None:
    situation = SITUATIONS["stencil"]
    with eagerly():
        g = adjit.grad(situation.function, parallel=7, cache=False)
        for n in range(1, 9):
            x = np.arange(1.0, n + 1.0)
            np.testing.assert_allclose(g(x), adjit.grad(situation.function)(x))


def test_one_thread_is_no_threads() -> None:
    assert adjit.grad(product_of_two, parallel=1).source(1.0) == adjit.grad(product_of_two).source(1.0)


def product_of_two(x):
    return x * x
