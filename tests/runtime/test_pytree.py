"""Arguments taken apart and put together."""

from __future__ import annotations

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
        ({"a": [1, 2]}, "v['a'] is a list of numbers"),
    ],
)
def test_refusals_say_what_and_where(value: Any, words: str) -> None:
    with pytest.raises(InferenceError) as caught:
        pytree.take_apart(value, "v", [])
    assert words in str(caught.value)


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
