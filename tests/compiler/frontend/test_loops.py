"""Loops: what is looped over, exits, what is carried from pass to pass."""

from __future__ import annotations

import re

import numpy as np
import pytest

from adjit.errors import InferenceError, OverwriteError
from tests.support.capturing import agrees, outcome, source

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


@program(X)
def loop_else(x):
    for v in x:
        if v > 5:
            break
    else:
        return x[0] * 2
    return x[1]


@program(X, 3)
def breaks_and_continues(x, n):
    i = 0
    s = 0.0
    while True:
        if i >= n:
            break
        i += 1
        if i == 2:
            continue
        s += x[i]
    return s, i


@program(X, 4)
def mixed_exits(x, n):
    s = 0.0
    for i in range(n):
        if x[i] > 0:
            if i == 2:
                continue
            s += 1
            if x[i] > 1.2:
                break
        else:
            if i == 1:
                s += 100
        for j in range(n):
            if j == i:
                continue
            s += x[j] * 0.1
            if s > 50:
                break
        s += 10
    else:
        s = -s
    return s


@program(X, 3)
def returns_from_two_loops(x, n):
    for i in range(n):
        for j in range(n):
            if x[i] * x[j] > 1.0:
                return i, j, x[i]
    return -1, -1, 0.0


@program(X)
def read_before_the_loop_binds_it(x):
    s = 0.0
    for i in range(x.shape[0]):
        if i > 0:
            s += last * x[i]  # noqa: F821
        last = x[i]
    return s + last


@program(X)
def last_values(x):
    for v in x:
        y = v * 2
    return y + v


@program(X, 10, 3)
def ranges(x, n, step):
    s = 0
    for i in range(0, n, step):
        s += i
    for j in range(n, 0, -2):
        s += j
    for k in range(n, 0, -step):
        s += k * 10
    for _ in range(5, 2):
        s += 1000
    return s, i, j, k


@program(X, 5)
def exchanges(x, n):
    u = x.copy()
    v = x * 2
    for i in range(n):
        for j in range(len(u)):
            v[j] = u[j] * 1.1 + i
        u, v = v, u
    return u.sum() - v[0]


@program(X, 5)
def three_exchanged(x, n):
    a = x.copy()
    b = x * 2
    c = np.zeros(4)
    for _ in range(n):
        c[:] = a + b
        a, b, c = b, c, a
    return a, b, c


@program(X, 2)
def exchanges_in_each_other(x, n):
    u = x.copy()
    v = np.zeros(4)
    w = np.ones(4)
    for _ in range(n):
        for _ in range(3):
            v[:] = u + w
            u, v = v, u
        w, v = v, w
    return u, v, w


@program(X, 3)
def exchanges_under_a_condition(x, n):
    u = x.copy()
    v = x * 2
    for i in range(n):
        if x[i] > 0:
            u, v = v, u
        u[0] += 1
    return u, v


@program(M, 3)
def exchanged_rows(m, n):
    b = m.copy()
    u = b[0]
    v = b[1]
    for i in range(n):
        v[:] = u * 1.5 + i
        u, v = v, u
    return b, u, v


@program(X, 3)
def rebound_arrays(x, n):
    y = x + 0
    old = y
    for _ in range(n):
        old = y
        y = np.sin(y) + old
    return y - old


@program(X, 3)
def fibonacci_of_arrays(x, n):
    a = x
    b = x * 2
    for _ in range(n):
        a, b = b, a + b
    return a, b


@program(X, 5)
def arrays_in_a_tuple(x, n):
    state = (x, x * 2)
    for _ in range(n):
        a, b = state
        state = (b, a + b)
    return state


@program(X, 3)
def best_so_far(x, n):
    best = x.copy()
    least = 1e9
    y = x.copy()
    for _ in range(n):
        y = y * 0.5
        v = np.sum(y)
        if v < least:
            least = v
            best = y
    return best, least


@program(X, 3)
def shrinking_view(x, n):
    v = x
    s = 0.0
    for _ in range(n):
        s += v[0] * v.shape[0]
        v = v[1:]
    return s, v


@program(M, 3)
def row_of_the_last_pass(m, n):
    row = m[0]
    s = 0.0
    for i in range(n):
        s += row[1] * i
        row = m[i]
    return s, row


@program(np.arange(4), 3)
def integers_become_floats(k, n):
    for _ in range(n):
        k = k * 0.5
    return k


@program(X)
def widening_scalars(x):
    found = False
    where = -1
    best = 0
    for i in range(len(x)):
        if x[i] > 1.0 and not found:
            found = True
            where = i
            best = x[i]
    return found, where, best


@program(X, M)
def enumerate_zip_reversed(x, m):
    s = 0.0
    for i, (v, row) in enumerate(zip(m[:, 0], m)):  # noqa: B905
        s += i * v * row[1]
    for i, v in enumerate(reversed(x), start=2):
        s += i * v
    for i in reversed(range(len(x))):
        s = s * 0.5 + x[i]
    for row in m:
        for v in row:
            s += v
    return s


@program(M)
def index_spaces(m):
    s = 0.0
    for i, j in np.ndindex(m.shape):
        if m[i, j] > 1.0:
            break
        s += m[i, j] * (i + j)
    for index in np.ndindex(*m.shape):
        if index[0] == 1:
            continue
        s += m[index]
    return s


@program(M)
def indices_and_elements(m):
    s = 0.0
    for (i, j), v in np.ndenumerate(m * 2):
        s += v * (i + 2 * j)
    return s


@program(X)
def over_items_of_different_kinds(x):
    s = 0.0
    for name, w in (("a", 1.0), ("b", 2)):
        if name == "b":
            s += w * x[1]
    for k in (0, 1, 2, 3):
        if x[k] > 1.0:
            break
        s += x[k]
    else:
        s = 100.0
    return s, k


@program([M, M.T.copy()], X)
def list_indexed_by_the_loop(weights, x):
    for i in range(len(weights)):
        x = np.tanh(weights[i] @ x)
    return x


@program(X)
def list_appended_to(x):
    found = []
    for i in range(3):
        found.append(x[i] * 2)
    return found, len(found)


@program(X, 2)
def loop_on_an_array_condition(x, n):
    y = x * 1.0
    k = 0
    while np.sum(y * y) < 50.0:
        y = y * 2
        k += 1
    return y, k


@program(np.zeros(0), 1.0)
def empty(x, a):
    s = a
    for v in x:
        s += v
    return s


@program(X, 3)
def pending_array_before_a_write_in_a_loop(x, n):
    y = x * 2
    for i in range(n):
        x[i] = 0.0
    return y


def test_no_pass_leaves_a_name_unbound():
    def last(x, n):
        for i in range(n):
            y = x[i]
        return y

    assert outcome(last, X, 2) == X[1]
    with pytest.raises(NameError, match="cannot access local variable 'y'"):
        outcome(last, X, 0)


def test_swapped_arrays_cost_no_copies():
    text = source(exchanges, X, 5)
    assert text.count("alloc") == 2
    assert re.search(r"yield u\w*, v", text)


def test_list_that_changes_its_kind_is_refused():
    def grows(x):
        found = [0.0]
        for v in x:
            found.append((v, v))
        return found[-1]

    with pytest.raises(InferenceError, match="'found' changes its kind in a loop"):
        outcome(grows, np.ones(20))


def test_copy_that_stands_for_a_visible_array_is_not_written():
    def writes(x, n):
        y = x
        for _ in range(n):
            y[0] = 1.0
            y = y + 1.0
        return y

    with pytest.raises(OverwriteError):
        outcome(writes, X, 2)


def test_two_names_for_one_array_at_the_end_of_a_pass():
    def writes(x, n):
        y = x.copy()
        z = x.copy()
        for _ in range(n):
            z[1] = 5.0
            y[0] += 1.0
            z = y
        return y, z

    with pytest.raises(OverwriteError):
        outcome(writes, X, 3)


def test_changed_shape_is_found():
    def grows(x, n):
        for _ in range(n):
            x = np.concatenate((x, x))
        return x

    with pytest.raises(ValueError, match="changes its length from one pass"):
        outcome(grows, X, 2)
