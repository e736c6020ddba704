"""Transforms called by functions that Numba compiles: against closed forms, and differences of the uncompiled
original. The outer functions are compiled here in every mode.
"""

from __future__ import annotations

import importlib
import sys
import threading
import warnings
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.errors import NumbaWarning, TypingError

import adjit

A = np.array([[2.0, 0.5], [0.5, 1.0]])
B = np.array([1.0, -1.0])


def quadratic(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            s += 0.5 * x[i] * A[i, j] * x[j]
        s -= B[i] * x[i]
    return s


value_and_slope = adjit.value_and_grad(quadratic)


@numba.njit
def descend(x, steps, rate):
    value = np.inf
    for _ in range(steps):
        value, slope = value_and_slope(x)
        x = x - rate * slope
    return value, x


def test_an_optimiser_takes_the_steps_of_the_closed_form() -> None:
    x, rate, steps = np.array([3.0, -2.0]), 0.1, 20
    best = np.linalg.solve(A, B)
    wanted = best + np.linalg.matrix_power(np.eye(2) - rate * A, steps) @ (x - best)
    value, found = descend(x, steps, rate)
    assert np.allclose(found, wanted, rtol=1e-12)
    before = best + np.linalg.matrix_power(np.eye(2) - rate * A, steps - 1) @ (x - best)
    assert np.isclose(value, 0.5 * before @ A @ before - B @ before, rtol=1e-12)
    assert np.allclose(descend.py_func(x, steps, rate)[1], found, rtol=1e-12)


def test_a_compiled_optimiser_is_differentiated() -> None:
    def end(x, rate):
        return np.sum(descend(x, 3, rate)[1] ** 2)

    x, rate = np.array([3.0, -2.0]), 0.1
    d_x, d_rate = adjit.grad(end, argnums=(0, 1))(x, rate)
    best, power = np.linalg.solve(A, B), np.linalg.matrix_power(np.eye(2) - rate * A, 3)
    last = best + power @ (x - best)
    assert np.allclose(d_x, 2.0 * power @ last, rtol=1e-12)
    inner = np.linalg.matrix_power(np.eye(2) - rate * A, 2)
    assert np.isclose(d_rate, -2.0 * last @ (3.0 * A @ inner @ (x - best)), rtol=1e-12)


Line = namedtuple("Line", "slope offset")


def misfit(p, x, y, power=2.0, mode="mean", weight=None, *, scale=0.5):
    s = 0.0
    for i in range(x.shape[0]):
        r = np.abs(p.slope[0] * x[i] + p.offset - y[0][i]) ** power
        s += r if weight is None else weight * r
    return scale * (s / x.shape[0] if mode == "mean" else s)


fit = adjit.value_and_grad(misfit)


@numba.njit
def two_fits(p, x, y):
    value, d = fit(p, x, y)
    other, e = fit(y=y, p=p, x=x, mode="sum", weight=3.0, scale=1.0)
    return value, d, other, e.slope, e.offset


def test_structures_keywords_and_constants() -> None:
    p, x, y = Line(np.array([0.7]), 0.3), np.array([0.1, 1.4, 2.0]), (np.array([1.0, 0.2, -0.5]),)
    value, d, other, slope, offset = two_fits(p, x, y)
    assert type(d) is Line
    assert np.isclose(value, misfit(p, x, y)) and np.isclose(
        other, misfit(p, x, y, 2.0, "sum", 3.0, scale=1.0)
    )
    r = 0.7 * x + 0.3 - y[0]
    assert np.allclose([d.slope[0], d.offset], [np.mean(r * x), np.mean(r)], rtol=1e-12)
    assert np.allclose([slope[0], offset], [6.0 * np.sum(r * x), 6.0 * np.sum(r)], rtol=1e-12)


def cubes(x, m, n):
    return np.sum((x - m) ** 3) * n


both = adjit.grad(cubes, argnums=(0, 1))


@numba.njit
def both_inside(x, m, n):
    return both(x, m, n)


LINE = np.linspace(-1.0, 2.0, 6)


@pytest.mark.parametrize(
    ("x", "m"),
    [
        (LINE, LINE[::-1].copy()),
        (LINE, np.array([0.25])),
        (LINE[:1].copy(), np.array([0.25])),
        (LINE[::2].astype(np.float32)[::-1], LINE[3:]),
    ],
    ids=["equal lengths", "a length of one", "both one", "float32, a view"],
)
def test_lengths_layouts_and_dtypes(x: Any, m: Any) -> None:
    """Numba tells no lengths: one program serves those of one and others."""
    d_x, d_m = both_inside(x, m, np.int32(2))
    assert d_x.dtype == x.dtype and d_m.dtype == m.dtype
    slope = np.broadcast_to(6.0 * (x - m) ** 2, LINE[: max(x.size, m.size)].shape)
    assert np.allclose(d_x, slope if x.size > 1 else slope.sum(keepdims=True), rtol=1e-6)
    assert np.allclose(d_m, -slope if m.size > 1 else -slope.sum(keepdims=True), rtol=1e-6)


def squares(x, out):
    for i in range(x.shape[0]):
        out[i] = x[i] * x[i]
    return np.sum(out)


slopes = adjit.value_and_grad(squares)


@numba.njit
def slopes_inside(x, out):
    return slopes(x, out)


def test_written_arguments() -> None:
    x, out = np.array([1.0, -2.0, 3.0]), np.zeros(6)
    value, d = slopes_inside(x, out[::2])
    assert value == 14.0 and np.array_equal(d, 2.0 * x) and np.array_equal(out[::2], x * x)
    memory = np.arange(8.0)
    _, d = slopes_inside(memory[:3], memory[3::2])
    assert np.array_equal(d, [0.0, 2.0, 4.0]) and np.array_equal(memory[3::2], [0.0, 1.0, 4.0])
    for second in (memory[2:7:2], memory[0:5:2]):
        with pytest.raises(adjit.OverwriteError, match="'x' and 'out' overlap in memory"):
            slopes_inside(memory[:3], second)
    strange = np.lib.stride_tricks.as_strided(np.zeros(2), (3,), (0,))
    with pytest.raises(adjit.OverwriteError, match="one element at several places"):
        slopes_inside(x, strange)


class Refused(Exception):
    """An exception of the user's."""


def picky(x, i):
    if x[0] > 10.0:
        raise Refused("too large")
    if x[0] < 0.0:
        raise ValueError
    return x[i] ** 2


picked = adjit.grad(picky)


@numba.njit(nogil=True)
def pick(x, i):
    return picked(x, i)


@numba.njit
def pick_or_nothing(x, i):
    try:
        d = picked(x, i)
    except Exception:
        return -1.0
    return d[i]


def test_errors_are_those_of_the_user() -> None:
    x = np.array([1.0, 2.0])
    assert np.array_equal(pick(x, -1), [0.0, 4.0])
    with pytest.raises(adjit.OutOfBoundsError, match="index 5 is out of bounds for axis 0 of 'x'") as caught:
        pick(x, 5)
    assert caught.value.location is not None and "return x[i] ** 2" in str(caught.value)
    with pytest.raises(Refused, match="too large"):
        pick(10.0 * x + 1.0, 0)
    with pytest.raises(ValueError):
        pick(-x, 0)
    assert pick_or_nothing(x, 5) == -1.0 and pick_or_nothing(x, 1) == 4.0


data = np.array([1.0, 2.0])
factor = 2.0


def test_what_is_read_from_outside_is_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the function that calls is compiled."""
    slope = adjit.grad(lambda x: factor * np.sum(data * x * x))

    def inside(x):
        return slope(x)

    early = numba.njit(inside)
    assert np.array_equal(early(np.ones(2)), [4.0, 8.0])
    monkeypatch.setitem(globals(), "factor", 5.0)
    monkeypatch.setitem(globals(), "data", np.array([7.0, 7.0]))
    assert np.array_equal(early(np.ones(2)), [4.0, 8.0])
    assert np.array_equal(numba.njit(inside)(np.ones(2)), [70.0, 70.0])
    monkeypatch.setitem(globals(), "data", np.array([8.0, 7.0]))
    assert np.array_equal(numba.njit(inside)(np.ones(2)), [80.0, 70.0])
    assert np.array_equal(slope(np.ones(2)), [80.0, 70.0])


pair = (np.array([1.0, 2.0]), np.array([3.0]))


def test_an_array_in_a_tuple_from_outside() -> None:
    slope = adjit.grad(lambda x: np.sum(pair[0] * x[:2] ** 2) * pair[1][0])

    @numba.njit
    def inside(x):
        return slope(x)

    assert np.array_equal(inside(np.array([1.0, 2.0, 3.0])), [6.0, 24.0, 0.0])


@numba.njit
def double_sine(x):
    return np.sin(2.0 * x)


def applied(f, x):
    return f(x) * x


applied_slope = adjit.grad(applied, argnums=1)


@numba.njit
def handed_over(slope, x):
    return slope(double_sine, x), adjit.grad(double_sine)(x)


def test_functions_and_transforms_are_arguments() -> None:
    x = 0.3
    of_product, alone = handed_over(applied_slope, x)
    assert np.isclose(of_product, np.sin(2.0 * x) + 2.0 * x * np.cos(2.0 * x), rtol=1e-12)
    assert np.isclose(alone, 2.0 * np.cos(2.0 * x), rtol=1e-12)


@adjit.custom_jvp
def doubled(x):
    return x * x


@doubled.defjvp
def doubled_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return x * x, 20.0 * x * t  # ten times the derivative


@numba.njit
def with_a_rule(slope, x):
    return doubled(x), slope(doubled, x), adjit.grad(doubled)(x)


def test_a_rule_of_the_user_holds_in_compiled_code() -> None:
    assert with_a_rule(applied_slope, 2.0) == (4.0, 4.0 + 2.0 * 40.0, 40.0)


def recurrence(x, w):
    h = 0.0
    for i in range(x.shape[0]):
        h = np.tanh(w * h + x[i])
    return h


kept_states = adjit.grad(recurrence, argnums=1)


@numba.njit(nogil=True)
def many(x, w):
    out = np.empty(w.shape[0])
    for k in range(w.shape[0]):
        out[k] = kept_states(x[: 1 + k % x.shape[0]], w[k])
    return out


@numba.njit(parallel=True)
def many_at_once(x, w):
    out = np.empty(w.shape[0])
    for k in numba.prange(w.shape[0]):
        out[k] = kept_states(x[: 1 + k % x.shape[0]], w[k])
    return out


def test_threads_share_nothing() -> None:
    """The states that the reverse sweep reads lie in memory of each call."""
    x, w = np.linspace(0.1, 0.8, 40), np.linspace(-1.0, 1.0, 4000)
    wanted = []
    for k in range(w.shape[0]):  # tangent mode by hand
        h = t = 0.0
        for i in range(1 + k % x.shape[0]):
            h, t = np.tanh(w[k] * h + x[i]), h + w[k] * t
            t *= 1.0 - h * h
        wanted.append(t)
    found: dict[int, Any] = {}
    many(x[:1], w[:1])
    runners = [threading.Thread(target=lambda k=k: found.update({k: many(x, w)})) for k in range(4)]
    for t in runners:
        t.start()
    for t in runners:
        t.join()
    assert len(found) == 4
    for one in (*found.values(), many_at_once(x, w)):
        assert np.allclose(one, wanted, rtol=1e-10, atol=1e-14)


def energy(z):
    return np.sum(z.real**2 * z.imag)


energy_slope = adjit.grad(energy)


@numba.njit
def energy_inside(z):
    return energy_slope(z)


def test_complex_arrays() -> None:
    z = np.array([1.0 + 2.0j, -0.5 + 0.25j])
    assert np.allclose(energy_inside(z), 2.0 * z.real * z.imag - 1j * z.real**2, rtol=1e-12)


MODULE = """
import numba
import numpy as np
import adjit

slope = adjit.grad(lambda x: x * x)

@numba.njit(cache=True)
def inside(x):
    return slope(x)

@numba.njit(cache=True)
def further_out(x):
    return inside(x) + 1.0
"""


def test_numba_keeps_no_file_of_the_outer_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file would know nothing of a change of the inner function."""
    (tmp_path / "caching_outer.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("caching_outer")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert module.further_out(3.0) == 7.0
    assert sum(issubclass(w.category, NumbaWarning) and "Cannot cache" in str(w.message) for w in said) == 2
    assert not [*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc")]
    sys.modules.pop("caching_outer")


def ragged(x, n):
    return x[0] * n


def starred(*xs):
    return xs[0] * xs[1]


def chosen(x, mode):
    return x if mode == "a" else 2.0 * x


def settings(p):
    return p[0] * p[0]


def named(x):
    return {"square": x * x}


REFUSALS: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (adjit.grad(ragged), (np.arange(3), 1.0), "only floats vary continuously"),
    (
        adjit.grad(ragged),
        ([1.0, 2.0], 1.0),
        "argument 'x' is of Numba's type .*list.*\n.*\nInstead: pass an array",
    ),
    (adjit.grad(ragged), (np.ones((2, 3)), 1.0), "test_within.py"),
    (adjit.grad(ragged), (np.ones(3),), "missing a required argument: 'n'"),
    (adjit.grad(starred), (1.0, 2.0), r"\*xs"),
    (adjit.grad(chosen), (1.0, "a"), "Instead: write the text at the call"),
    (adjit.grad(settings), (((1.0, "a"),)), "unicode"),
    (adjit.jit(named), (1.0,), "the result holds a dict"),
    (adjit.grad(quadratic, max_bytes=1000), (np.ones(2),), "max_bytes"),
    (adjit.grad(quadratic, target="cuda"), (np.ones(2),), "for the CPU only"),
    (adjit.hessian(quadratic), (np.ones(2),), "build on what composes: adjit.grad"),
    (adjit.grad(energy), (np.ones(4, complex)[::2],), "ascontiguousarray"),
    (slopes, (np.ones(3), np.broadcast_to(np.ones(1), 3)), "must not be written"),
    (adjit.grad(quadratic), (np.ones(2, "datetime64[s]"),), "adjit works on"),
]


@pytest.mark.parametrize(("transform", "args", "said"), REFUSALS, ids=[said[:20] for *_, said in REFUSALS])
@pytest.mark.filterwarnings("ignore:.*reflected list.*")
def test_refusals(transform: Any, args: tuple[Any, ...], said: str) -> None:
    """Numba's error holds adjit's text and the line of the call."""

    @numba.njit
    def inside(given):
        return transform(*given)

    with pytest.raises(TypingError, match=said) as caught:
        inside(args)
    assert "return transform(*given)" in str(caught.value)


@numba.njit
def curved(x, a=2.0):
    return np.sum(x * x * x) * a * a


@numba.njit
def second_order(x, v):
    return (
        adjit.jvp(curved, (x, 3.0), (v, None)),
        adjit.hvp(curved, (x,), v),
        adjit.hvp(curved, (x, 3.0), 1.0, "a"),
    )


def test_products_with_derivatives() -> None:
    x, v = np.array([1.0, -2.0]), np.array([0.5, 0.25])
    (value, tangent), product, single = second_order(x, v)
    assert np.isclose(value, np.sum(x**3) * 9.0) and np.isclose(tangent, 27.0 * np.sum(x * x * v))
    assert np.allclose(product, 24.0 * x * v) and np.isclose(single, 2.0 * np.sum(x**3))
    with pytest.raises(adjit.ShapeError, match="length of axis 0 is not that of its primal"):
        second_order(x, np.ones(3))
