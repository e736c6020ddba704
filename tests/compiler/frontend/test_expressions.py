"""Expressions: Python's numbers, short circuits, order of evaluation, names."""

from __future__ import annotations

import numpy as np
import pytest

from adjit.errors import InferenceError, NameResolutionError
from tests.support.capturing import agrees, captured, outcome, source
from tests.support.sources import function_of

X = np.array([0.9, -0.4, 1.1, 1.3])
M = np.arange(12.0).reshape(3, 4) / 7
PROGRAMS = []


def program(*args):
    def register(function):
        PROGRAMS.append(pytest.param(function, args, id=function.__name__))
        return function

    return register


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_programs(function, args):
    agrees(function, *args)


@program(X, 7)
@program(X, -7)
def integers(x, n):
    return (n // 2, n % 3, -n // 2, -n % 3, n / 2, n**2, divmod(n, 4), int(x[0] * 3), round(2.5), abs(-n)), (
        min(n, 3),
        max(x[0], x[1], 0.5),
        pow(x[0], 2),
        float(n),
        bool(n),
        n & 3,
        n | 8,
        n ^ 5,
        n << 1,
        n >> 1,
        ~n,
    )


@program(X)
@program(-X)
def short_circuits(x):
    n = len(x)
    i = 0
    while i < n and x[i] < 1.0:
        i += 1
    s = 0.0
    for k in range(n + 2):
        if k < n and x[k] > 0:
            s += x[k]
        if k >= n or x[k] < 0:
            s += 1
    a = x[0] > 0 and x[1] > 0
    b = x[0] > 0 or x[1] > 0
    return i, s, a, b, not a, x[0] or 5.0


@program(X)
def chained_comparisons(x):
    n = 0
    for v in x:
        if 0 < v < 1.0:
            n += 1
        elif -1 < v <= 0 != v:
            n += 10
    return n


@program(X)
def walrus(x):
    s = 0.0
    i = 0
    while (v := x[i]) < 1.0 and i < 3:
        s += v
        i += 1
    return s + v + (w := 3.0) + w


@program(X)
def negative_indices(x):
    s = 0.0
    for i in range(-3, 0):
        s += x[i]
    for i in range(4):
        s += x[-i - 1] * i + x[i - 4]
    return s


def bump(a):
    a[0] = 9.0
    return a[1]


@program(X)
def left_operand_before_the_call_that_writes(x):
    return x * 2 + bump(x)


@program(X)
def items_before_the_call_that_writes(x):
    return x + 1, bump(x), x * 1


@program(X)
def arguments_before_the_call_that_writes(x):
    return np.stack((x * 2, np.full(4, bump(x))))


@program(X, 3)
def pending_items_of_a_tuple(x, n):
    pair = (x * 2, x + 1)
    x[0] = 5.0
    a, b = pair
    return a, b


@program(M)
def transposes_and_views(m):
    return (m.T @ m).sum(axis=0), m.T[0], m[:, ::-1], m[..., 0], m[None, :, 1]


@program(X, "mean")
@program(X, "sum")
def strings(x, mode):
    if mode == "mean":
        return x.mean()
    if mode in ("sum", "total"):
        return x.sum()
    raise ValueError(mode)


@program(X.astype(np.float32), 2.0)
def float32_meets_python_numbers(x, c):
    return x * c, x[0] * c, x[0] + 1, np.float64(2) * x[0]


@program(X)
def dtypes_and_shapes(x):
    return x.shape, x.ndim, x.size, x.dtype == np.float64, len(x), x.dtype is None


def test_long_sums_are_no_problem():
    text = "def long(x):\n    return " + " + ".join(["x"] * 400)
    assert outcome(function_of(text, "long", "<long sum>", {}), 1.5) == 600.0


def test_equal_expressions_are_shared():
    def twice(x):
        return np.sin(x) + np.sin(x)

    assert source(twice, 1.0).count("sin") == 1


def test_read_before_assignment():
    def early(x):
        y = z + x  # noqa: F821
        z = 1.0  # noqa: F841
        return y

    with pytest.raises(NameResolutionError, match="'z' is read before it has a value"):
        captured(early, 1.0)


def test_unknown_name_has_its_place():
    def unknown(x):
        return x + nowhere  # noqa: F821

    with pytest.raises(NameResolutionError, match="'nowhere' is not defined") as error:
        captured(unknown, 1.0)
    assert "return x + nowhere" in str(error.value)
    assert error.value.location.column == 19


@program(0.8, 1.5 - 0.4j)
def complex_numbers(x, z):
    return (
        x * 1j,
        z + x,
        z == 1j,
        z.real,
        complex(x, 2),
        complex(3),
        complex("1+2j") * z,
        -z,
        abs(z),
        pow(z, 2),
    )


def test_sides_of_different_kinds():
    def kinds(x):
        return x if x > 0 else (x, x)

    with pytest.raises(InferenceError, match="the two sides of this expression are of different kinds"):
        captured(kinds, 1.0)


def test_operands_that_do_not_go_together():
    def added(x):
        return (x, x) + [x]

    with pytest.raises(InferenceError, match="can only concatenate tuple"):
        captured(added, 1.0)


def below(x, q, c):
    return np.sum(np.where(q < c, x, 2.0 * x)), q[0] < c, c < q[0]


def at_most(x, q, c):
    return np.sum(np.where(q <= c, x, 2.0 * x)), q[0] <= c, c <= q[0]


def equal(x, q, c):
    return np.sum(np.where(q == c, x, 2.0 * x)), q[0] == c, c != q[0]


@pytest.mark.parametrize("number", ["-1", "300", "-40000", "2**40", "7", "-(2**70)"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("fun", [below, at_most, equal])
def test_numbers_beyond_the_range_of_an_integer_compare_as_they_are(fun, dtype, number):
    x, q, c = np.arange(1.0, 4.0), np.array([7, 0, 100]).astype(dtype), eval(number)
    agrees(lambda x, q: fun(x, q, c), x, q)


@pytest.mark.parametrize("a", [0.0, -0.0, 1.5, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("b", [0.0, -0.0, 1.5, np.nan, np.inf, -np.inf])
def test_max_and_min_compare_as_python_does(a, b):
    agrees(lambda x, y: (max(x, y), min(x, y), max(0.0, x), min(x, 1.0), max(x, y, 0.5)), a, b)
    agrees(lambda x: (max(x[0], x[1]), min(x[0], 0.0), max(2.0, x[1])), np.array([a, b]))
