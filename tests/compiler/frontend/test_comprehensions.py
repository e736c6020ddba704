"""List, generator and dict comprehensions."""

from __future__ import annotations

import numpy as np
import pytest

from adjit.errors import InferenceError
from tests.support.capturing import agrees, captured

X = np.array([0.9, -0.4, 1.1, 1.3])
LONG = np.linspace(0.1, 2.0, 20)


@pytest.mark.parametrize("x", [X, LONG])
def test_lists_become_arrays(x):
    def f(x, n):
        a = np.array([x[i] * i for i in range(n)])
        b = np.array([v * v for v in x])
        c = [k * 2.0 for k in range(3)]
        d = sum(x[i] for i in range(n))
        e = sum([x[i] ** 2 for i in range(2)])
        return a, b, c, d, e, max(v for v in x), np.stack([x * i for i in range(n)])

    agrees(f, x, 3)


def test_items_of_known_number():
    def f(x):
        pairs = [(i, v) for i, v in enumerate((1.0, x[0], 3.0)) if i != 1]
        table = {name: k * x[1] for k, name in enumerate(("a", "b"))}
        nested = [[i * j for j in range(2)] for i in range(2)]
        return pairs, table, nested, any(v > 2 for v in (x[0], x[1])), all([True, x[0] > 0])

    agrees(f, X)


def test_variables_do_not_leak():
    def f(x):
        v = 3.0
        found = [v * 2 for v in x]
        return v + found[0]

    agrees(f, X)


@pytest.mark.parametrize("x", [X, LONG])
def test_conditions_known_at_run_time(x):
    def f(x, n):
        a = [v * v for v in x if v > 0 if v < 1.05]
        b = sum(x[i] * x[j] for i in range(n) for j in range(i) if x[i] > x[j])
        c = [v for v in (x[0], x[1], x[2]) if v > 0.2]
        d = [(v, k) for k in range(3) for v in x if v > 0.5 * k]
        return sum(a), len(a), b, np.array(c), len(d), d[-1][0]

    agrees(f, x, 4)


def test_open_lists_take_no_arithmetic():
    def f(x):
        return [v * v for v in x] * 2.0

    with pytest.raises(InferenceError, match="a list takes no arithmetic"):
        captured(f, LONG)


def test_functions_see_the_last_item():
    def f(x):
        late = [lambda t: t * x[i] for i in range(3)]  # noqa: B023
        early = [lambda t, i=i: t * x[i] for i in range(3)]
        table = {k: lambda t: t + k for k in range(2)}  # noqa: B023
        nested = [(lambda t: lambda s: s * t * i) for i in range(2)]  # noqa: B023
        return late[0](2.0), early[0](2.0), table[0](1.0), nested[0](x[1])(2.0), sum([g(1.0) for g in late])

    agrees(f, X)
