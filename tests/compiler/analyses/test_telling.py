"""A value that is said to tell in the result does: put an infinity, a NaN or a zero in its place."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from adjit.compiler.analyses.telling import telling
from adjit.compiler.ir.builder import const
from adjit.compiler.ir.nodes import Block, Function, Op, Stmt, Var
from adjit.compiler.ir.visitor import walk, with_blocks
from adjit.compiler.machine import Observer, run
from tests.support.little import read
from tests.support.random_ir import program

HEAD = 'def f(x: "f8[:]", y: "f8[:]", a: "f8[:,:]", n: "i8", s: "f8"):\n'
FRACTION = """
    t = 0.0
    for i in range(n):
        u = x[i] / s
        t = t + u * u
    return t
"""
SELECTED = "    u = x[0] / s\n    return select(s > 0.0, u, 0.0)\n"
DAMPED = "    u = x[0] / s\n    return exp(-u) + atan(u)\n"
RESET = """
    t = 0.0
    for i in range(n):
        u = log(t)
        t = x[i] * 2.0
    return t
"""
SOMETIMES = """
    t = 0.0
    u = 1.0 / s
    for i in range(n):
        t = t + u
    return t
"""
BRANCH = """
    t = 1.0
    u = sqrt(s)
    if s > 0.0:
        v = x[0] / u
        t = v * 2.0
    return t
"""
DIRECTION = "    r = sqrt(s * s + x[0] * x[0])\n    return x[1] / r\n"


def names(body: str) -> tuple[set[str], set[str]]:
    fn = read(HEAD + body)
    made = {s.out for s in walk(fn.body) if isinstance(s, Op)}
    found = telling(fn, fn.results[0])
    return {v.name for v in found.infinite & made}, {v.name for v in found.zero & made}


@pytest.mark.parametrize(
    ("body", "infinite", "apart"),
    [
        (FRACTION, {"u", "t"}, set()),
        (SELECTED, set(), {"u"}),
        (DAMPED, set(), {"u"}),
        (RESET, set(), {"t", "u"}),
        (SOMETIMES, set(), {"u"}),
        (BRANCH, {"v", "t"}, {"u"}),
        (DIRECTION, set(), {"r"}),
    ],
)
def test_what_tells(body: str, infinite: set[str], apart: set[str]) -> None:
    found, _ = names(body)
    assert infinite <= found
    assert not apart & found


def test_a_denominator_tells_when_it_is_zero() -> None:
    assert "r" in names(DIRECTION)[1]


def replaced(fn: Function, v: Var, value: float) -> Function:
    def one(s: Stmt) -> Stmt:
        if isinstance(s, Op) and s.out is v:
            zero = const(0, v.type.dtype)
            return replace(s, op="add", args=(const(value, v.type.dtype), zero))
        return with_blocks(s, block)

    def block(b: Block) -> Block:
        return Block(tuple(one(s) for s in b.stmts), b.yields)

    return replace(fn, body=block(fn.body))


def result(fn: Function, seed: int, observe: Observer | None = None) -> float | None:
    """The float result; None if the function raises."""
    rng = np.random.default_rng(seed)
    args = [rng.standard_normal(8), rng.standard_normal(8), rng.standard_normal((6, 6)), 5, 0.7]
    try:
        return run(fn, *args, observe=observe)[1]  # type: ignore[return-value]
    except (IndexError, ValueError):
        return None


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_it_does_in_random_programs(first: int) -> None:
    tried = 0
    for seed in range(first, first + 20):
        fn = read(program(seed))
        found = telling(fn, fn.results[1])
        executed: set[Var] = set()
        if result(fn, seed, lambda op, args, out, seen=executed: seen.add(op.out)) is None:
            continue
        for wrong, among in (
            (math.inf, found.infinite),
            (-math.inf, found.infinite),
            (math.nan, found.infinite),
            (0.0, found.zero),
        ):
            for v in among & executed:
                changed = result(replaced(fn, v, wrong), seed)
                tried += 1
                assert changed is None or not math.isfinite(changed), (seed, v, wrong)
    assert tried
