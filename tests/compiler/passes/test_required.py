"""Checks of lengths come first, what follows from them is known, and programs raise when they raised."""

from __future__ import annotations

import numpy as np
import pytest

from adjit.compiler.ir.nodes import Bounds, Check, Function, Op, Stmt
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.required import required
from tests.compiler.passes.meaning import check_meaning
from tests.support.interpret import run
from tests.support.little import read

HEAD = 'def f(x: "f8[:]", y: "f8[:]", n: "i8", s: "f8"):\n'
SIZES = [(a, b, n) for a in (0, 1, 2, 5) for b in (0, 3, 5) for n in (-1, 2, 5)]

CONSTANT_INDEX = """
    for i in range(dim(x, 0)):
        s = s + x[i]
    bounds(x, 0, 2)
    s = s * x[2]
"""
SEVERAL = """
    bounds(x, 0, 1)
    s = s + x[1]
    bounds(x, 0, 4)
    s = s + x[4]
    bounds(y, 0, 2)
    s = s * y[2]
"""
EQUAL = """
    t = alloc(dim(x, 0))
    for i in range(dim(x, 0)):
        t[i] = x[i] * 2.0
    check(dim(x, 0) == dim(y, 0))
    for i in range(dim(x, 0)):
        s = s + t[i] * y[i]
"""
OF_NUMBERS = """
    s = s * 2.0
    check(minimum(n, dim(x, 0)) > 1)
"""
OWN_ROW = """
    t = alloc(dim(x, 0))
    bounds(x, 0, 1)
    for i in range(dim(x, 0)):
        t[i] = x[i]
    bounds(t, 0, 3)
    s = s + t[3]
"""
INSIDE_BOUNDS = """
    for i in range(n):
        bounds(y, 0, i)
        s = s + y[i]
    bounds(x, 0, 2)
    s = s + x[2]
"""
MOVED = [CONSTANT_INDEX, EQUAL, OF_NUMBERS, OWN_ROW, INSIDE_BOUNDS]

AFTER_A_WRITE = """
    for i in range(dim(x, 0)):
        x[i] = 1.0
    bounds(x, 0, 2)
    s = s + x[2]
"""
AFTER_A_CHECK_OF_VALUES = """
    check(s > 0.0)
    bounds(x, 0, 2)
    s = s + x[2]
"""
IN_A_BRANCH = """
    if n > 2:
        bounds(x, 0, 2)
        s = s + x[2]
"""
IN_A_LOOP = """
    for i in range(n):
        bounds(x, 0, 2)
        s = s + x[2] * float(i)
"""
OF_A_VALUE = """
    s = s + 1.0
    check(s > 1.0)
"""
AFTER_A_WHILE = """
    i = 0
    while i < n:
        i = i + 1
    bounds(x, 0, 2)
    s = s + x[2]
"""
AFTER_A_DIVISION = """
    s = s * 2.0
    check(dim(x, 0) // 2 > n)
"""
AFTER_AN_INDEX = """
    bounds(x, 0, n)
    s = s + x[n]
    check(n == 2)
"""
AFTER_A_LOOP_OF_INDICES = """
    for i in range(n):
        bounds(x, 0, i)
        s = s + x[i]
    check(dim(x, 0) > 2)
"""
KEPT = [
    AFTER_AN_INDEX,
    AFTER_A_LOOP_OF_INDICES,
    AFTER_A_WRITE,
    AFTER_A_CHECK_OF_VALUES,
    IN_A_BRANCH,
    IN_A_LOOP,
    OF_A_VALUE,
    AFTER_A_WHILE,
    AFTER_A_DIVISION,
]


def made(body: str) -> Function:
    return read(HEAD + body.lstrip("\n") + "    return s\n")


def outcome(fn: Function, a: int, b: int, n: int) -> object:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=a), rng.normal(size=b)
    try:
        (s,) = run(fn, x, y, n, 0.7)
    except (IndexError, ValueError) as error:
        return type(error)
    return float(s), x.tolist(), y.tolist()


def first_other(fn: Function) -> list[Stmt]:
    """The checks that stand before any statement that is not about lengths."""
    found = []
    for s in fn.body.stmts:
        if isinstance(s, Bounds | Check):
            found.append(s)
        elif type(s).__name__ not in ("Dim", "Op") or (isinstance(s, Op) and s.out.type.dtype == "float64"):
            break
    return found


@pytest.mark.parametrize("body", [*MOVED, SEVERAL, *KEPT])
def test_meaning(body: str) -> None:
    fn = made(body)
    changed = required(fn)
    verify(changed)
    for sizes in SIZES:
        assert outcome(fn, *sizes) == outcome(changed, *sizes), sizes


@pytest.mark.parametrize("body", MOVED)
def test_comes_first(body: str) -> None:
    assert first_other(made(body)) == []
    assert len(first_other(required(made(body)))) == 1


@pytest.mark.parametrize("body", KEPT)
def test_stays(body: str) -> None:
    fn = made(body)
    assert required(fn) is fn


def test_one_check_of_the_largest_index() -> None:
    left = [s for s in walk(required(made(SEVERAL)).body) if isinstance(s, Bounds)]
    assert [(s.array.name, s.index.value) for s in left] == [("x", 4), ("y", 2)]  # type: ignore[union-attr]


def test_an_error_of_the_users_own_is_not_overtaken() -> None:
    fn = required(
        made("    bounds(x, 0, 1)\n    check(dim(x, 0) > 3)\n    bounds(x, 0, 3)\n    s = s + x[3]\n")
    )
    kinds = [type(s).__name__ for s in fn.body.stmts if isinstance(s, Bounds | Check)]
    assert kinds == ["Bounds", "Check", "Bounds"]
    with pytest.raises(ValueError, match="checked"):
        run(fn, np.zeros(3), np.zeros(3), 1, 0.5)


# What is known of a length n > 2, with an expression that it decides, and its value.
DECIDED = [
    ("minimum(dim(x, 0), 3)", 3),
    ("minimum(2, dim(x, 0))", 2),
    ("maximum(minimum(dim(x, 0), 3) - 1, 0)", 2),
    ("maximum(1, dim(x, 0)) - dim(x, 0)", 0),
    ("minimum(dim(x, 0), 4)", None),
    ("maximum(dim(x, 0), 4)", None),
    ("minimum(dim(y, 0), 3)", None),
]


@pytest.mark.parametrize(("expression", "value"), DECIDED)
def test_decided_lengths(expression: str, value: int | None) -> None:
    body = f"    t = alloc({expression})\n    bounds(x, 0, 2)\n    s = s + x[2] + float(dim(t, 0))\n"
    fn = made(body)
    changed = required(fn)
    left = [s for s in walk(changed.body) if isinstance(s, Op) and s.op in ("minimum", "maximum")]
    assert (left == []) == (value is not None)
    for sizes in SIZES:
        assert outcome(fn, *sizes) == outcome(changed, *sizes)
    if value is not None:
        s = outcome(changed, 5, 3, 2)
        x = np.random.default_rng(0).normal(size=5)
        assert s[0] == pytest.approx(0.7 + x[2] + value)  # type: ignore[index]


COMPARED = [
    ("<", 3, False),
    ("<", 4, None),
    (">=", 3, True),
    (">", 1, True),
    ("==", 2, False),
    ("!=", 2, True),
]


@pytest.mark.parametrize(("sign", "number", "value"), COMPARED)
def test_decided_comparisons(sign: str, number: int, value: bool | None) -> None:
    body = (
        f"    bounds(x, 0, 2)\n    s = s + x[2]\n    if dim(x, 0) {sign} {number}:\n        s = s + 1.0\n"
        "    else:\n        s = s * 2.0\n"
    )
    fn = made(body)
    changed = required(fn)
    comparisons = [s for s in walk(changed.body) if isinstance(s, Op) and s.out.type.dtype == "bool"]
    assert (comparisons == []) == (value is not None)
    for sizes in SIZES:
        assert outcome(fn, *sizes) == outcome(changed, *sizes)


@pytest.mark.parametrize("first", range(0, 300, 100))
def test_random_programs(first: int) -> None:
    for seed in range(first, first + 100):
        check_meaning(required, seed)
