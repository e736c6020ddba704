"""The graph's values and gradients, against the plain functions and their finite differences."""

from __future__ import annotations

import numpy as np
import pytest

import adjit
from adjit.report import facts
from adjit.report.trace import MOST_NODES, Trace, Untraceable, assigned
from tests.support import oracles

from . import programs


def traced(fun, args, argnums=0) -> Trace:
    transform = adjit.value_and_grad(fun, argnums=argnums)
    found = transform(*args)[1]
    _, leaves = transform.prepare(args)
    return facts.graph(facts.captured(fun, transform.specs(args), transform), transform, leaves, found)


CASES = [
    (programs.worked, (2.0, 4.0)),
    (programs.in_place, (np.array([0.3, -0.5, 0.8, 1.1]),)),
    (programs.searching, (np.array([0.4, 0.9, -0.3]),)),
    (programs.products, (np.array([[0.3, 0.8], [0.2, -0.4]]), np.array([[1.0, 0.5], [0.7, 0.2]]))),
    (programs.inlined, (1.7, 0.6)),
]


@pytest.mark.parametrize(("fun", "args"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_values_and_gradients(fun, args) -> None:
    trace = traced(fun, args)
    assert np.isclose(trace.nodes[trace.result].value, fun(*args), rtol=1e-12)
    for at in np.ndindex(np.shape(args[0])):
        direction = np.zeros(np.shape(args[0])) if at else 1.0
        if at:
            direction[at] = 1.0
        estimate = oracles.directional(fun, args, 0, direction)
        assert abs(trace.nodes[trace.leaves[0, at]].gradient - estimate.value) < 1e-6


def test_the_worked_example_has_the_users_names() -> None:
    trace = traced(programs.worked, (2.0, 4.0))
    inner = {n.name: (n.formula, n.value, n.gradient) for n in trace.nodes if n.formula}
    assert inner == {
        "u": ("w * x", 8.0, 19.0),
        "a": ("u * u", 64.0, 1.0),
        "b": ("3 * u", 24.0, 1.0),
        "worked": ("a + b", 88.0, 1.0),
    }
    assert [(n.name, n.active) for n in trace.nodes if not n.formula] == [("w", True), ("x", False)]
    assert trace.nodes[0].gradient == 76.0


def test_elements_are_named(rng: np.random.Generator) -> None:
    w = {"a": rng.normal(size=2), "b": 0.5}
    trace = traced(programs.fit, (w, rng.normal(size=(3, 2)), rng.normal(size=3)))
    names = {n.name for n in trace.nodes}
    assert {"r[0]", "r[2]", "fit"} <= names


def test_the_callers_arrays_stay() -> None:
    x = np.array([0.3, -0.5, 0.8])
    traced(programs.in_place, (x,))
    np.testing.assert_array_equal(x, [0.3, -0.5, 0.8])


@pytest.mark.parametrize(
    ("fun", "args", "reason"),
    [
        (programs.in_place, (np.linspace(0.1, 1.0, 200),), f"more than {MOST_NODES}"),
        (programs.factorised, (np.eye(2) * 2.0, np.ones(2)), "library routine"),
    ],
)
def test_what_is_not_drawn_says_why(fun, args, reason) -> None:
    with pytest.raises(Untraceable, match=reason):
        traced(fun, args)


def test_a_wrong_gradient_is_not_drawn() -> None:
    transform = adjit.value_and_grad(programs.worked)
    args = (2.0, 4.0)
    program = facts.captured(programs.worked, transform.specs(args), transform)
    with pytest.raises(Untraceable, match="differs"):
        facts.graph(program, transform, args, 76.001)


def test_targets_of_assignments() -> None:
    assert assigned("a = 1\nb, c = a, 2\na += b\n") == {(1, 4, 1, 5): "a", (3, 0, 3, 6): "a"}
    assert assigned("def (") == {}
