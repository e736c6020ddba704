"""The walk as a whole: parameters, what is written, pending arrays, results."""

from __future__ import annotations

import numpy as np

from adjit.compiler.frontend.specialise import specialise
from adjit.compiler.program import ArraySpec, NodeSpec, ResultLeaf, SameAs, ScalarSpec, StaticSpec
from tests.support.capturing import agrees, captured, source

X = np.array([0.9, -0.4, 1.1, 1.3])


def test_parameters_follow_the_leaves():
    def f(p, k, *rest, flag=None):
        return p["w"] * k

    program = captured(f, {"w": X, "n": 2, "name": "a"}, 1.0, (X, 3), None)
    assert [p.name for p in program.function.params] == ["p_w", "p_n", "k", "rest_0", "rest_1"]
    assert program.argument_names == ("p", "k", "rest", "flag")


def test_written_parameters():
    def f(x, y, z):
        v = y[1:]
        v[0] = x[0]
        w = z.copy()
        w[0] = 1.0
        return w

    assert captured(f, X, X, X).written == frozenset((1,))


def test_same_array_twice():
    def f(x, y):
        y[0] = 1.0
        return x[0] + y[1]

    program = specialise(f, (ArraySpec("float64", 1), SameAs(0)))
    assert len(program.function.params) == 1
    assert program.written == frozenset((0,))


def test_results():
    def f(x, k):
        return {"a": (x, 1.0), "b": None, "c": "text"}

    program = specialise(f, (ArraySpec("float64", 1), ScalarSpec("int64", weak=True)))
    tree = program.result
    assert isinstance(tree, NodeSpec) and tree.keys == ("a", "b", "c")
    assert tree.children[0].children == (ResultLeaf(0), ResultLeaf(1))
    assert tree.children[1:] == (StaticSpec(None), StaticSpec("text"))
    assert program.function.results[0] is program.function.params[0]


def test_single_use_arrays_are_not_put_into_memory():
    def f(x):
        y = np.sin(x)
        z = y * 2
        return np.sum(z)

    assert "alloc" not in source(f, X)


def test_arrays_used_twice_are_put_into_memory_once():
    def f(x):
        y = np.sin(x)
        return np.sum(y * y)

    assert source(f, X).count("alloc") == 1


def test_arrays_bound_before_a_write_keep_their_values():
    def f(x):
        y = x * 2
        x[0] = 100.0
        return y

    agrees(f, X)


def test_pending_argument_of_a_callee():
    def g(v, x):
        x[0] = 7.0
        return v

    def f(x):
        return g(x * 2, x)

    agrees(f, X)
