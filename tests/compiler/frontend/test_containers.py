"""Tuples, lists, dicts, named tuples and dataclasses, as arguments, locals and results."""

from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

from adjit.errors import InferenceError, NotDifferentiableError, OutOfBoundsError
from tests.support.capturing import agrees, captured

X = np.array([0.9, -0.4, 1.1, 1.3])
M = np.arange(12.0).reshape(3, 4) / 7
Point = collections.namedtuple("Point", "a b")
PROGRAMS = []


@dataclasses.dataclass
class State:
    w: object
    k: float = 2.0

    def scaled(self, t):
        return self.k * t

    @property
    def twice(self):
        return 2.0 * self.k


def program(*args):
    def register(function):
        PROGRAMS.append(pytest.param(function, args, id=function.__name__))
        return function

    return register


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_programs(function, args):
    agrees(function, *args)


@program({"w": X, "b": 1.5, "l": [M, M * 2]})
def nested_arguments(p):
    q = {**p, "c": 3.0}
    s = p["w"].sum() * p["b"] + q["c"]
    for m in p["l"]:
        s += m.sum()
    return {"s": s, "w": p["w"] * 2}


@program(Point(X, 2.0), State(X))
def records(p, d):
    a, b = p
    q = p._replace(b=3.0)
    e = State(w=a, k=5.0)
    return Point(a.sum() * b + q.b, d.scaled(p.a).sum() + d.twice + e.scaled(1.0) + p[1]), State(d.w * 2, 1.0)


@program(X)
def lists_are_seen_under_all_names(x):
    a = []
    for i in range(3):
        a.append(x[i] * 2)
    b = a
    b.append(1.0)
    a[0] = 5.0
    d = {}
    d["q"] = a[1]
    d["q"] += 1
    e = a.copy()
    e.pop()
    return a, len(b), d, e[::-1], a.index(5.0) if len(a) > 9 else 0


@program(X)
def dicts(x):
    d = {"a": 1.0, "b": 2.0}
    s = 0.0
    for k, v in d.items():
        s += v * x[0] + (3.0 if k == "a" else 1.0)
    for k in d:
        s += d[k]
    d.update(b=x[1], c=3.0 * x[2])
    return s, [v + 1 for v in d.values()], d.get("z", 4.0), "a" in d, len(d)


@program(X, 5)
def dataclass_changed_in_a_loop(x, n):
    s = State(x[0], 1.0)
    for _ in range(n):
        s.k -= s.w * 0.1
        s.w += s.k
    return s, dataclasses.replace(s, k=x[1])


@program(X, 5)
def dict_changed_in_a_loop(x, n):
    state = {"a": x * 1.0, "k": 0}
    for i in range(n):
        state["a"] = state["a"] * 0.5 + i
        state["k"] += 1
    return state


@program(X)
def unpacking(x):
    a, *b, c = x[0], x[1], x[2], x[3]
    (d, e), f = (a, c), b
    p, q = np.stack((x, x * 2))
    g, h, i, j = x
    k = m = x * 2
    k[0] = 100.0
    return d + e * f[0] + len(b) + p.sum() + q[0] + g * h - i + j, m


@program(X)
def tuple_arithmetic(x):
    shape = (2,) + (3, 4)  # noqa: RUF005
    return np.zeros(shape), shape * 2, shape[1:], shape == (2, 3, 4), 3 in shape, (0.0,) * 2


@program(X, 1)
def numbers_indexed_at_run_time(x, k):
    weights = (1.0, 2.5, 3.0)
    return weights[k] * x[k] + (4.0, 5.0)[k]


def test_arguments_are_not_changed():
    def changed(p, x):
        p["w"] = x
        return x

    with pytest.raises(NotDifferentiableError, match="the argument 'p' is changed"):
        captured(changed, {"w": 1.0}, 2.0)


def test_missing_key():
    def f(p):
        return p["c"]

    with pytest.raises(InferenceError, match="the dict has no key 'c'"):
        captured(f, {"w": 1.0})


def test_index_beyond_the_end():
    def f(x):
        return (x, x)[2]

    with pytest.raises(OutOfBoundsError, match="tuple index out of range"):
        captured(f, 1.0)


def test_wrong_number_of_targets():
    def f(x):
        a, b = x, x, x
        return a + b

    with pytest.raises(InferenceError, match=r"too many values to unpack \(expected 2, got 3\)"):
        captured(f, 1.0)
