"""Parallel assignment in sequence."""

from __future__ import annotations

import ast
import itertools

import pytest

from adjit.compiler.codegen.moves import Move, sequence


def printed(*moves: tuple[str, str]) -> list[str]:
    made = sequence([Move(t, ast.parse(v, mode="eval").body) for t, v in moves])
    return [ast.unparse(ast.fix_missing_locations(s)) for s in made]


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ([("a", "a")], []),
        ([("a", "b"), ("b", "c")], ["a = b", "b = c"]),
        ([("b", "c"), ("a", "b")], ["a = b", "b = c"]),
        ([("a", "b"), ("b", "a")], ["a, b = (b, a)"]),
        ([("s", "s + x")], ["s += x"]),
        ([("s", "x + s")], ["s = x + s"]),
        ([("s", "s + t"), ("t", "1.0")], ["s += t", "t = 1.0"]),
        ([("t", "1.0"), ("s", "s + t")], ["s += t", "t = 1.0"]),
    ],
)
def test_order(moves: list[tuple[str, str]], expected: list[str]) -> None:
    assert printed(*moves) == expected


def test_all_small_moves_are_parallel() -> None:
    names = "abc"
    for values in itertools.product(["a", "b", "c", "a + b", "c * 2", "1"], repeat=3):
        before = {"a": 3, "b": 5, "c": 7}
        expected = {n: eval(v, {}, dict(before)) for n, v in zip(names, values, strict=True)}
        after = dict(before)
        exec("\n".join(printed(*zip(names, values, strict=True))), {}, after)
        assert after == expected, values
