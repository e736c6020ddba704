"""Branches: joined numbers, arrays, structures; names that one side binds; aliases."""

from __future__ import annotations

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


@program(X, 2)
@program(X, 1)
def arrays_of_different_lengths(x, k):
    if k > 1:
        y = x * 2
    else:
        y = np.zeros(3)
    return y


@program(X, 2)
@program(X, 1)
def array_or_a_new_one(x, k):
    y = x
    if k > 1:
        y = x + 1
    return y.sum(), y


@program(X, 2)
def rebound_in_its_own_memory(x, k):
    u = x.copy()
    if k > 1:
        u = np.sin(u) + u[::-1]
    u[0] = 7.0
    w = u
    if k > 3:
        w = u * 2
    return u, w


@program(X, 1)
@program(X, 3)
def memory_with_another_name_is_not_reused(x, k):
    u = x.copy()
    t = u
    if k > 2:
        u = u * 2
    return t, u


@program(X, X + 1, 1)
@program(X, X + 1, -1)
def which_of_two(x, w, flag):
    a = x.copy()
    b = w.copy()
    if flag > 0:
        t = a
    else:
        t = b
    t[0] = t[1] * a[2]
    t[1] += b[0]
    return a, b


@program(X, 2)
@program(X, 1)
def exchanged(x, k):
    a = x.copy()
    b = np.ones(4)
    if k > 1:
        a, b = b, a
    a[0] = 7.0
    return a, b


@program(M, 3, 1)
@program(M, 2, 2)
def parts_of_one_array(m, n, k):
    r = m[0] if k > 1 else m[2]
    q = m[:, 0]
    if n > 2:
        q = m[:, 1]
    return r, q


@program(X)
@program(-X)
def bound_on_both_uses(x):
    if x[0] > 0:
        y = x[1]
    if x[0] > 0:
        return y * 2
    return 0.0


@program(X, 0)
@program(X, 1)
@program(X, 2)
@program(X, 3)
def several_returns(x, n):
    if n == 0:
        return x
    y = x * 2
    if n == 1:
        return y
    for _ in range(n):
        y = y + 1
        if y[0] > 3:
            return y
    return y * 3


@program(X)
@program(-X)
def containers(x):
    a = [1.0, 2.0]
    b = a
    if x[0] > 0:
        a.append(3.0)
        a[0] = x[1]
    else:
        a.append(4.0)
    return b[2] + a[0]


@program(X, 2)
@program(X, 7)
def conditional_expressions(x, k):
    y = x if k > 5 else x * 2
    z = (x[0] if k > 5 else -1.0) + (1 if x[1] > 0 else 2)
    return y, z


@program(X.astype(np.float32), 3)
def weak_constants_keep_float32(x, k):
    y = x[0] if k > 2 else 0.0
    if k > 1:
        z = x[1]
    else:
        z = 1
    return y, z * np.float32(1)


@program(X, 3)
@program(X, 2)
def pending_array_before_a_write(x, n):
    y = x * 2
    if n > 2:
        x[0] = 1.0
    return y + x


@program(X)
@program(-X)
def skipped_rest(x):
    s = 0.0
    if x[0] > 0:
        if x[1] > 0:
            return 1.0
        s += 2.0
    for v in x:
        s += v
    return s


def test_cheap_sides_become_a_select():
    def larger(x, y):
        if x > y:
            best = x
        else:
            best = y
        return best

    assert "select" in source(larger, 1.0, 2.0)
    assert "if " not in source(larger, 1.0, 2.0)


def test_static_conditions_leave_one_side():
    def norm(x, kind=None):
        if kind is None:
            return x[0]
        return undefined_name  # noqa: F821

    assert outcome(norm, X, None) == X[0]


def test_different_kinds_are_refused_where_they_are_read():
    def kinds(x):
        if x > 0:
            y = x
        else:
            y = (x, x)
        return y

    with pytest.raises(InferenceError, match="no single meaning") as error:
        outcome(kinds, 1.0)
    assert "a float64 scalar on one path and a tuple of 2 on another" in str(error.value)


def test_unread_names_of_different_kinds_do_no_harm():
    def kinds(x):
        if x > 0:
            y = x
        else:
            y = "text"  # noqa: F841
        return x

    agrees(kinds, 1.0)


def test_copy_of_an_argument_is_not_written():
    def writes(x, k):
        y = x
        if k > 1:
            y = x + 1
        y[0] = 2.0
        return y

    with pytest.raises(OverwriteError, match=r"the array '[xy]' is written"):
        outcome(writes, X, 2)


def test_length_known_only_inside_is_refused():
    def grows(x, k):
        y = x
        if k > 1:
            m = int(x[0] * 3)
            y = np.zeros(m)
        else:
            y = np.zeros(int(x[1] * 3))
        return y

    with pytest.raises(InferenceError, match="the length of an array that leaves the branch"):
        outcome(grows, X, 2)
