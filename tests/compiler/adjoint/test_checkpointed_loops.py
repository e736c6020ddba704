"""Loops under `checkpoint`: values, effects and derivatives are those of the loop without it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjit
from tests.support import oracles, trees

from .checkpointed_programs import PROGRAMS, Made, same

PASSES = (0, 1, 2, 7, 12)


def with_snapshots(name: str, snapshots: int | None) -> Made:
    return PROGRAMS[name][0](functools.partial(adjit.checkpoint, snapshots=snapshots))


def plain_of(name: str) -> Made:
    return PROGRAMS[name][0](same)


def fresh(name: str, passes: int) -> tuple[Any, ...]:
    return (*trees.fresh(PROGRAMS[name][1]), passes)


def positions(name: str) -> tuple[int, ...]:
    return tuple(range(len(PROGRAMS[name][1])))


def tolerance(name: str) -> dict[str, float]:
    return {"rtol": 1e-4, "atol": 1e-5} if name == "float32" else {"rtol": 1e-9, "atol": 1e-11}


@functools.cache
def without_checkpoint(name: str, passes: int) -> tuple[Any, Any, tuple[Any, ...]]:
    """Value, gradients and the arguments as they are afterwards."""
    args = fresh(name, passes)
    return *adjit.value_and_grad(plain_of(name), positions(name))(*args), args


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("snapshots", [1, 3, 50, None])
def test_gradients(snapshots: int | None, name: str) -> None:
    """Against the loop without checkpoint, and its effects on the arguments."""
    marked = adjit.value_and_grad(with_snapshots(name, snapshots), positions(name))
    for passes in PASSES:
        args = fresh(name, passes)
        value, found = marked(*args)
        wanted_value, wanted, others = without_checkpoint(name, passes)
        np.testing.assert_allclose(value, wanted_value, rtol=1e-6 if name == "float32" else 1e-12)
        for got, want, a, b in zip(found, wanted, args, others, strict=False):
            np.testing.assert_allclose(got, want, **tolerance(name))
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n != "float32"])
def test_gradients_are_those_of_the_function(name: str, rng: np.random.Generator) -> None:
    """Against differences of the uncompiled function."""
    f = with_snapshots(name, 2)
    args = fresh(name, 7)
    found = adjit.grad(f, positions(name))(*trees.fresh(args))
    for k, g in enumerate(found):
        direction = rng.normal(size=np.shape(args[k]))
        estimate = oracles.directional(f, args, k, direction)
        assert abs(np.sum(g * direction) - estimate.value) < 1e-6 * max(1.0, abs(estimate.value))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_pullback_may_be_called_twice(name: str) -> None:
    args = fresh(name, 7)
    _, wanted, _ = without_checkpoint(name, 7)
    _, pullback = adjit.vjp(with_snapshots(name, 3), *args, argnums=positions(name), retain=True)
    for _ in range(2):
        for got, want in zip(pullback(), wanted, strict=True):
            np.testing.assert_allclose(got, want, **tolerance(name))


@pytest.mark.parametrize("name", PROGRAMS)
def test_tangents(name: str, rng: np.random.Generator) -> None:
    args = fresh(name, 7)
    tangents = [np.asarray(rng.normal(size=np.shape(a)), np.asarray(a).dtype)[()] for a in args[:-1]]
    got = adjit.jvp(with_snapshots(name, 3), trees.fresh(args), (*tangents, None))
    want = adjit.jvp(plain_of(name), trees.fresh(args), (*tangents, None))
    np.testing.assert_allclose(got, want, **tolerance(name))


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_derivatives(name: str, rng: np.random.Generator) -> None:
    """Forward over reverse."""
    args = fresh(name, 5)
    vector = np.asarray(rng.normal(size=np.shape(args[0])), np.asarray(args[0]).dtype)[()]
    got = adjit.hvp(with_snapshots(name, 2), trees.fresh(args), vector)
    want = adjit.hvp(plain_of(name), trees.fresh(args), vector)
    np.testing.assert_allclose(got, want, **tolerance(name))


def squares_for(n: int, snapshots: int) -> Made:
    def f(y, r):  # type: ignore[no-untyped-def]
        for _ in adjit.checkpoint(range(n), snapshots=snapshots):
            y = y * y * r
        return y

    return f


def squares_while(n: int, snapshots: int) -> Made:
    def f(y, r):  # type: ignore[no-untyped-def]
        u, k = np.array([y, r]), 0
        while adjit.checkpoint(k < n, snapshots=snapshots):
            u[0] *= u[0] * u[1]
            k += 1
        return u[0]

    return f


def squares_until(n: int, snapshots: int) -> Made:
    def f(y, r):  # type: ignore[no-untyped-def]
        u = np.array([y])
        for k in adjit.checkpoint(range(100), snapshots=snapshots):
            u[0] *= u[0] * r
            if k + 1 == n:
                break
        return u[0]

    return f


@pytest.mark.parametrize("snapshots", [1, 2, 5])
@pytest.mark.parametrize("made", [squares_for, squares_while, squares_until])
def test_higher_orders_in_closed_form(made: Callable[[int, int], Made], snapshots: int) -> None:
    """After n passes `y` is y**p * r**(p - 1) with p = 2**n: kept states depend on both."""
    n, y, r = 4, 0.98, 1.03
    p, f = 2**n, made(n, snapshots)
    yy, yr = p * (p - 1) * y ** (p - 2) * r ** (p - 1), p * (p - 1) * y ** (p - 1) * r ** (p - 2)
    rr = (p - 1) * (p - 2) * y**p * r ** (p - 3)
    near = functools.partial(pytest.approx, rel=1e-10)
    assert adjit.hvp(f, (y, r), 1.0) == near(yy)
    assert adjit.grad(adjit.grad(f))(y, r) == near(yy)
    assert adjit.grad(adjit.grad(f), 1)(y, r) == near(yr)
    assert adjit.grad(adjit.grad(f, 1), 1)(y, r) == near(rr)
    assert adjit.grad(lambda a, b: adjit.jvp(f, (a, b), (1.0, 0.0))[1], 1)(y, r) == near(yr)
    assert adjit.jvp(adjit.grad(f), (y, r), (0.0, 1.0))[1] == near(yr)
    yyr = (p - 1) * yr / y
    assert adjit.grad(adjit.grad(adjit.grad(f)), 1)(y, r) == near(yyr)


def size_of_gradient(f: Made) -> Made:
    inner = adjit.grad(f)

    def g(*args):  # type: ignore[no-untyped-def]
        found = inner(*args)
        return np.sum(found * found)

    return adjit.grad(g)


EXCHANGING = ("exchanged", "three_in_turn", "exchanged_until")


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in EXCHANGING])
def test_gradients_of_gradients(name: str) -> None:
    """Reverse over reverse: the way back is differentiated as any program is."""
    args = fresh(name, 4)
    got = size_of_gradient(with_snapshots(name, 2))(*trees.fresh(args))
    want = size_of_gradient(plain_of(name))(*trees.fresh(args))
    np.testing.assert_allclose(got, want, **tolerance(name))


@pytest.mark.parametrize("name", EXCHANGING)
def test_reverse_over_reverse_of_an_exchange_is_refused(name: str) -> None:
    with pytest.raises(adjit.NotDifferentiableError, match="arrays are exchanged in a loop"):
        size_of_gradient(with_snapshots(name, 2))(*fresh(name, 4))


# -- what is kept between the sweeps


@pytest.mark.parametrize("snapshots", [1, 2, 5])
@pytest.mark.parametrize("name", ["in_place", "exchanged", "until", "ends_early"])
def test_no_more_states_than_there_are_snapshots(snapshots: int, name: str) -> None:
    """Those in use stand in front, in the order of their passes; the first is the one at the start."""
    _, pullback = adjit.vjp(with_snapshots(name, snapshots), *fresh(name, 12), argnums=positions(name))
    saved = pullback.saved._asdict()
    places = saved["places"][: saved["used"]]
    buffers = [v for key, v in saved.items() if key.startswith("kept_")]
    assert len(saved["places"]) == snapshots + 1 and len(places) >= 1
    assert places[0] == 0 and np.all(np.diff(places) > 0) and places[-1] < saved["passes"]
    assert buffers and all(v.shape[0] == snapshots + 1 for v in buffers)


@pytest.mark.parametrize("name", ["in_place", "exchanged", "until", "counted_in_until", "scalars"])
def test_saved_hooks(name: str) -> None:
    """They meet the kept states, which the pullback reads and overwrites. What they hold stays as it is: here
    two pullbacks share it, and nobody may write it.
    """
    _, wanted, _ = without_checkpoint(name, 7)
    held: dict[bytes, np.ndarray[Any, Any]] = {}

    def pack(a: np.ndarray[Any, Any]) -> bytes:
        key = a.tobytes() + str(a.shape).encode()
        held.setdefault(key, a.copy()).setflags(write=False)
        return key

    with adjit.saved_hooks(pack, held.__getitem__):
        pullbacks = [
            adjit.vjp(with_snapshots(name, 2), *fresh(name, 7), argnums=positions(name), retain=retain)[1]
            for retain in (False, True, False)
        ]
    assert any(a.shape[:1] == (3,) for a in held.values())
    for pullback in (*pullbacks, pullbacks[1]):
        for got, want in zip(pullback(), wanted, strict=True):
            np.testing.assert_allclose(got, want, **tolerance(name))


def test_kept_states_stand_in_the_table_of_saved_values() -> None:
    f, args = with_snapshots("until", 4), fresh("until", 7)
    rows = {row.name: row for row in adjit.grad(f).saved(*args).rows}
    assert rows["kept_u"].shape == (5, 3) and "states that the loop keeps" in rows["kept_u"].why
    assert rows["kept_u"].line == rows["places"].line > 0


def test_the_memory_of_a_loop_of_unknown_length_is_known() -> None:
    """Room for its states is made before it starts."""
    f = with_snapshots("until", None)
    most = {adjit.grad(f, 0).saved(0.3, limit, 0).peak for limit in (0.5, 1.4, 5.0)}
    (found,) = most
    assert found is not None and 33 * 2 * 8 < found < 33 * 5 * 8


def test_a_gradient_with_saved_numbers_in_half() -> None:
    f, args = with_snapshots("in_place", 3), fresh("in_place", 7)
    half = adjit.grad(f, saved_as="bfloat16")(*trees.fresh(args))
    np.testing.assert_allclose(half, adjit.grad(plain_of("in_place"))(*args), rtol=0.05, atol=1e-3)


# -- other ways to call


@pytest.mark.parametrize("name", ["scalars", "new_arrays", "ends_early", "until", "history"])
def test_batches(name: str) -> None:
    """One example after the other, each with passes of its own."""
    *floats, passes = fresh(name, 6)
    batch = np.stack([floats[0], 0.9 * floats[0], 1.1 * floats[0]])
    axes = (0, *(None for _ in floats[1:]), None)
    gradient = adjit.grad(with_snapshots(name, 2))
    got = adjit.vmap(gradient, axes)(batch, *floats[1:], passes)
    want = [adjit.grad(plain_of(name))(x, *floats[1:], passes) for x in batch]
    np.testing.assert_allclose(got, want, rtol=1e-9)


def test_hessians_and_jacobians() -> None:
    args = fresh("before_and_after", 5)
    marked, plain = with_snapshots("before_and_after", 2), plain_of("before_and_after")
    np.testing.assert_allclose(adjit.hessian(marked)(*args), adjit.hessian(plain)(*args), rtol=1e-9)

    def vector(loop):  # type: ignore[no-untyped-def]
        def f(x, n):  # type: ignore[no-untyped-def]
            for _ in loop(range(n)):
                x = np.sin(x) * x[0]
            return x

        return f

    x = np.array([0.4, 0.8, 1.3])
    for transform in (adjit.jacrev, adjit.jacfwd):
        np.testing.assert_allclose(
            transform(vector(adjit.checkpoint))(x, 6), transform(vector(same))(x, 6), rtol=1e-12
        )


def test_values_alone() -> None:
    for name in PROGRAMS:
        args = fresh(name, 7)
        assert adjit.jit(with_snapshots(name, 2))(*trees.fresh(args)) == adjit.jit(plain_of(name))(*args)


def test_gradients_into_arrays_of_the_caller() -> None:
    args = fresh("in_place", 7)
    want = adjit.grad(plain_of("in_place"), (0, 1))(*trees.fresh(args))
    buffers = (np.ones(5), np.ones(5))
    adjit.value_and_grad(with_snapshots("in_place", 2), (0, 1)).accumulate(buffers, *args)
    for got, w in zip(buffers, want, strict=True):
        np.testing.assert_allclose(got, 1.0 + w, rtol=1e-9)


@pytest.mark.parametrize(
    "options", [{"debug_nans": True}, {"boundscheck": False}, {"precise": True}, {"fastmath": True}]
)
def test_options(options: dict[str, bool]) -> None:
    for name in ("in_place", "new_arrays", "until"):
        args = fresh(name, 7)
        got = adjit.grad(with_snapshots(name, 2), **options)(*trees.fresh(args))
        np.testing.assert_allclose(got, adjit.grad(plain_of(name))(*args), rtol=1e-9)


def test_nan_in_a_pass_is_found() -> None:
    def f(x, n):  # type: ignore[no-untyped-def]
        for _ in adjit.checkpoint(range(n)):
            x = np.sqrt(x - 1.0)
        return x

    with pytest.raises(adjit.NonFiniteError):
        adjit.grad(f, debug_nans=True)(3.0, 5)


def test_an_index_out_of_bounds_is_found_in_its_pass() -> None:
    def f(u, n):  # type: ignore[no-untyped-def]
        for k in adjit.checkpoint(range(n)):
            u[k] = np.sin(u[k])
        return np.sum(u)

    with pytest.raises(IndexError):
        adjit.grad(f)(np.ones(3), 5)


def test_not_on_a_gpu() -> None:
    with pytest.raises(
        adjit.UnsupportedSyntaxError, match='checkpointed loops do not run with target="cuda"'
    ):
        adjit.grad(with_snapshots("scalars", 3), target="cuda").source(*fresh("scalars", 3))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "name", ["exchanged", "ends_early", "nested", "until", "exchanged_until", "counted_in_until"]
)
def test_gradients_compiled(name: str, compiled: None) -> None:
    args = fresh(name, 12)
    got = adjit.grad(with_snapshots(name, 3), positions(name))(*trees.fresh(args))
    want = adjit.grad(plain_of(name), positions(name))(*args)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


@pytest.mark.compiled
def test_gradients_in_threads(compiled: None) -> None:
    args = fresh("in_a_loop", 12)
    got = adjit.grad(with_snapshots("in_a_loop", 3), parallel=2)(*trees.fresh(args))
    np.testing.assert_allclose(got, adjit.grad(plain_of("in_a_loop"))(*args), rtol=1e-9)
