"""Arguments taken apart and put together."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

import adjit
from adjit.compiler.program import ArraySpec, NodeSpec, ResultLeaf, ScalarSpec, StaticSpec
from adjit.errors import InferenceError, NotDifferentiableError
from adjit.runtime import pytree


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclass(frozen=True)
class Box:
    value: Any

    def __post_init__(self) -> None:
        if self.value is None:
            raise ValueError("never made from gradients")


def test_leaves_come_in_order() -> None:
    x = np.zeros(2)
    leaves: list[Any] = []
    value = ({"b": x, "a": 1.0}, [2, Pair(True, None)], Box(x.T))
    spec = pytree.take_apart(value, "v", leaves)
    assert [type(v) for v in leaves] == [np.ndarray, float, int, bool, np.ndarray]
    assert isinstance(spec, NodeSpec)
    count = iter(range(9))
    tree = pytree.map_leaves(spec, lambda s: s if isinstance(s, StaticSpec) else ResultLeaf(next(count)))
    again = pytree.assembler(tree)(leaves)
    assert type(again[1][1]) is Pair and again[0]["b"] is x and list(again[0]) == ["b", "a"]


@pytest.mark.parametrize(
    ("value", "spec"),
    [
        (np.zeros((2, 3)), ArraySpec("float64", 2, "C")),
        (np.zeros((2, 3)).T, ArraySpec("float64", 2, "F")),
        (np.zeros(6)[::2], ArraySpec("float64", 1, "A")),
        (np.zeros((1, 3), np.float32), ArraySpec("float32", 2, "C", ones=(0,))),
        (np.broadcast_to(0.0, (3,)), ArraySpec("float64", 1, "A", readonly=True)),
        (np.array(1.0), ArraySpec("float64", 0, "C")),
        (1, ScalarSpec("int64", weak=True)),
        (True, ScalarSpec("bool", weak=True)),
        (1.0, ScalarSpec("float64", weak=True)),
        (np.float32(1.0), ScalarSpec("float32")),
        (np.float64(1.0), ScalarSpec("float64")),
        (None, StaticSpec(None)),
        ("left", StaticSpec("left")),
        (np.sin, StaticSpec(np.sin)),
    ],
)
def test_kinds_of_leaves(value: Any, spec: Any) -> None:
    assert pytree.take_apart(value, "v", []) == spec


class Shade(enum.Enum):
    DARK = "dark"


class Plain:
    """An object that is no structure."""


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([1.0, 2.0], "is a list of numbers"),
        (np.zeros(2, np.clongdouble), "dtype complex256"),
        (np.zeros(2, ">f8"), "byte order"),
        (np.zeros(2, np.float16), "dtype float16"),
        (np.array(["a"]), "dtype <U1"),
        (np.ma.zeros(2), "MaskedArray"),
        (np.clongdouble(1j), "of type complex256"),
        (2**70, "64 bits"),
        ({1, 2}, "of type set"),
        ({"a": list(range(33))}, "v['a'] is a list of numbers"),
        (np.zeros(2, [("a", float), ("b", int)]), "x['a'] or x['b']"),
        (np.array(["2020-01-01"], "datetime64[D]"), "x.astype('int64')"),
        (np.array(["a"]), "np.unique(x, return_inverse=True)[1]"),
        (np.array([None]), "np.array(x, dtype=float)"),
        (Shade.DARK, "an enum.IntEnum"),
        (np.random.default_rng(1), "draw outside"),
        (numba.typed.Dict.empty(numba.int64, numba.float64), "dict(d)"),
        (Plain(), "a dataclass, a named tuple or a dict"),
    ],
)
def test_refusals_say_what_and_where(value: Any, words: str) -> None:
    with pytest.raises(InferenceError) as caught:
        pytree.take_apart(value, "v", [])
    assert words in str(caught.value)


def test_short_lists_of_numbers_inside_of_structures() -> None:
    """They say how a model is made: item by item, with None for the integers of a gradient."""

    def loss(p):
        total = 0.0
        for n in p["layers"]:
            total += n * np.sum(p["w"]) * p["rates"][0]
        return total * len(p["layers"])

    found = adjit.grad(loss)({"layers": [2, 5], "w": np.ones(3), "rates": [2.0, 7.0]})
    assert found["layers"] == [None, None] and found["rates"] == [42.0, 0.0]
    np.testing.assert_array_equal(found["w"], np.full(3, 28.0))


class Kind(enum.IntEnum):
    FIRST, SECOND = 1, 2


def test_members_of_an_intenum_are_numbers() -> None:
    leaves: list[Any] = []
    assert pytree.take_apart(Kind.SECOND, "v", leaves) == ScalarSpec("int64", weak=True)
    assert type(leaves[0]) is int
    d = adjit.grad(lambda x, kind: 2.0 * x if kind == Kind.FIRST else 3.0 * x)
    assert [d(1.0, Kind.FIRST), d(1.0, Kind.SECOND), d(1.0, 1)] == [2.0, 3.0, 2.0]


def test_dataclasses_are_made_without_running_them() -> None:
    made = pytree.rebuild(Box, ("value",), [None])
    assert isinstance(made, Box) and made.value is None


def test_typed_lists() -> None:
    arrays = numba.typed.List([np.arange(3.0), np.ones(3)])
    spec = pytree.take_apart(arrays, "v", [])
    assert isinstance(spec, NodeSpec) and spec.kind is list and len(spec.children) == 2
    first, second = adjit.grad(lambda v: np.sum(v[0] * v[1] * len(v)))(arrays)
    np.testing.assert_array_equal(first, 2.0 * np.ones(3))
    np.testing.assert_array_equal(second, 2.0 * np.arange(3.0))
    numbers = numba.typed.List([1.0, 2.0, 3.0])
    assert adjit.grad(lambda v: sum([x * x for x in v]))(numbers) == [2.0, 4.0, 6.0]

    def writes(v):
        for a in v:
            a[0] = a[1] * a[2]
        return v[0][0] + v[1][0]

    (first, _), before = adjit.grad(writes)(arrays), np.arange(3.0)
    np.testing.assert_array_equal(first, [0.0, before[2], before[1]])
    assert arrays[0][0] == 2.0
    with pytest.raises(NotDifferentiableError, match="'v' is changed"):
        adjit.grad(appends)(arrays)
    with pytest.raises(InferenceError, match="a list of numbers"):
        adjit.grad(lambda v: v[0])(numba.typed.List([1.0] * 100))


def appends(v):
    v.append(v[0])
    return np.sum(v[2])
