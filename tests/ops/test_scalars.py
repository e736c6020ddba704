"""Partials of scalar primitives against differences, first and second order, and at special points."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest

from adjit.compiler.ir.builder import Builder, Names
from adjit.compiler.ir.nodes import Const, Op, Operand
from adjit.compiler.ir.types import Scalar as ScalarType
from adjit.compiler.ops import TABLE
from adjit.compiler.ops.symbolic import Sym
from adjit.errors import NotDifferentiableError

from ..support.oracles import extrapolate
from .scalar_cases import SCALARS, Scalar

SAMPLES = 12
REFUSED_TWICE = ("gammainc", "gammaincc", "gammaincinv")  # in the shape, second order
DIFFERENTIABLE = sorted(n for n, row in SCALARS.items() if TABLE[n].partials is not None and not row.own_rule)


def test_every_op_has_a_row() -> None:
    assert set(SCALARS) == set(TABLE)


def samples(name: str) -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(sum(map(ord, name)))
    return [tuple(s(rng) for s in SCALARS[name].samples) for _ in range(SAMPLES)]


def evaluate(name: str, *args: Any) -> Any:
    with np.errstate(all="ignore"):
        return TABLE[name].evaluate(*args)


def numbers(name: str, args: tuple[Any, ...], out: Any) -> tuple[Any, ...]:
    """The partials, by running them on numbers."""
    rule = TABLE[name].partials
    assert rule is not None
    with np.errstate(all="ignore"):
        return rule(*(np.float64(a) for a in args), np.float64(out))


class Traced:
    """The partials of one op as IR, which is run on numbers with their tangents."""

    def __init__(self, name: str, dtype: str = "float64") -> None:
        self.name, self.dtype = name, dtype
        row = TABLE[name]
        self.builder = Builder(Names())
        self.inputs = [self.builder.fresh(f"x{k}", ScalarType(dtype)) for k in range(row.arity)]
        self.out = self.builder.fresh("out", ScalarType(dtype))
        assert row.partials is not None
        self.partials = row.partials(
            *(Sym(self.builder, x) for x in self.inputs), Sym(self.builder, self.out)
        )

    def run(self, args: tuple[Any, ...], direction: int) -> list[tuple[Any, Any] | None]:
        """Value of each partial and its derivative in one argument."""
        kind = np.dtype(self.dtype).type
        values: dict[Operand, Any] = {x: kind(a) for x, a in zip(self.inputs, args, strict=True)}
        tangents: dict[Operand, Any] = {x: kind(k == direction) for k, x in enumerate(self.inputs)}
        values[self.out] = kind(evaluate(self.name, *values.values()))
        along = numbers(self.name, args, values[self.out])[direction]
        tangents[self.out] = kind(0.0 if along is None else along)
        with np.errstate(all="ignore"):
            for stmt in self.builder.stmts:
                assert isinstance(stmt, Op)
                step(stmt, values, tangents)
        return [None if p is None else self.read(p, values, tangents) for p in self.partials]

    def read(self, partial: Any, values: dict[Operand, Any], tangents: dict[Operand, Any]) -> tuple[Any, Any]:
        if not isinstance(partial, Sym):
            return partial, 0.0
        x = partial.operand
        return (x.value, 0.0) if isinstance(x, Const) else (values[x], tangents[x])


def step(stmt: Op, values: dict[Operand, Any], tangents: dict[Operand, Any]) -> None:
    """One op on values with tangents: sum of partials times tangents, zero where the tangent is."""
    row = TABLE[stmt.op]
    args = [np.dtype(a.type.dtype).type(a.value) if isinstance(a, Const) else values[a] for a in stmt.args]
    values[stmt.out] = np.dtype(stmt.out.type.dtype).type(row.evaluate(*args))
    if stmt.op == "select":
        tangents[stmt.out] = tangents.get(stmt.args[1] if args[0] else stmt.args[2], 0.0)
        return
    total: Any = 0.0
    if row.partials is not None and any(tangents.get(a, 0.0) != 0 for a in stmt.args):
        partials = row.partials(*args, values[stmt.out])
        for a, p in zip(stmt.args, partials, strict=True):
            t = tangents.get(a, 0.0)
            total = total + (p * t if p is not None and t != 0 else 0.0)
    tangents[stmt.out] = total


@pytest.mark.parametrize("name", sorted(SCALARS))
def test_value(name: str) -> None:
    row = SCALARS[name]
    for args in samples(name):
        expected = evaluate(name, *args) if row.value is None else row.value(*args)
        assert evaluate(name, *args) == pytest.approx(expected, rel=1e-14)


def close(found: Any, expected: Any, error: float, what: str) -> None:
    bound = 2e-8 * max(1.0, abs(expected)) + 20.0 * error
    assert abs(found - expected) <= bound, f"{what}: {found} against {expected}"


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_partials_against_differences(name: str) -> None:
    row = SCALARS[name]
    if not row.numeric:
        pytest.skip("its value does not show its derivative")
    for args in samples(name):
        if row.apart and abs(args[0] - args[1]) < 0.05:
            continue
        partials = numbers(name, args, evaluate(name, *args))
        assert len(partials) == len(args)
        for k, partial in enumerate(partials):
            if partial is None or kinked(name, args, k):
                continue
            estimate = extrapolate(lambda h, k=k, args=args: evaluate(name, *shifted(args, k, h)))
            close(partial, estimate.value, estimate.error, f"{name}{args} in argument {k}")


def shifted(args: tuple[Any, ...], k: int, h: float) -> tuple[Any, ...]:
    return tuple(a + h if m == k else a for m, a in enumerate(args))


def kinked(name: str, args: tuple[Any, ...], k: int) -> bool:
    """Whether a remainder jumps nearby."""
    if name not in ("mod", "fmod"):
        return False
    quotient = args[0] / args[1]
    return abs(quotient - round(quotient)) < 0.05


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_second_order_against_differences_of_the_partials(name: str) -> None:
    row, traced = SCALARS[name], Traced(name)
    for args in samples(name)[:6]:
        if row.apart and abs(args[0] - args[1]) < 0.05:
            continue
        for direction in range(len(args)):
            if name in REFUSED_TWICE and direction == 0:
                with pytest.raises(NotDifferentiableError):
                    traced.run(args, direction)
                continue
            found = traced.run(args, direction)
            for k, pair in enumerate(found):
                if pair is None or not row.numeric or numbers(name, args, 0.0)[direction] is None:
                    continue
                if kinked(name, args, direction):
                    continue

                def partial(
                    h: float, k: int = k, direction: int = direction, args: tuple[Any, ...] = args
                ) -> float:
                    moved = shifted(args, direction, h)
                    return float(numbers(name, moved, evaluate(name, *moved))[k])

                assert pair[0] == pytest.approx(partial(0.0), rel=1e-12)
                estimate = extrapolate(partial)
                close(pair[1], estimate.value, 10 * estimate.error, f"d{k} d{direction} of {name}{args}")


POINTS = [(n, args, want) for n in DIFFERENTIABLE for args, want in SCALARS[n].points.items()]


@pytest.mark.parametrize(("name", "args", "expected"), POINTS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_special_points(name: str, args: tuple[float, ...], expected: tuple[Any, ...], dtype: str) -> None:
    if dtype == "float32" and any(a and np.isfinite(a) and not 1e-30 < abs(a) < 1e30 for a in args):
        pytest.skip("out of the range of float32")
    found = Traced(name, dtype).run(args, 0)
    for got, want in zip(found, expected, strict=True):
        if want is ...:
            continue
        if want is None:
            assert got is None
            continue
        assert got is not None
        relative = 1e-6 if dtype == "float32" else 1e-9
        assert float(got[0]) == pytest.approx(want, rel=relative, abs=1e-7 if dtype == "float32" else 1e-15)


SECOND = [(n, args, want) for n in DIFFERENTIABLE for args, want in SCALARS[n].second.items()]


@pytest.mark.parametrize(("name", "args", "expected"), SECOND)
def test_second_order_at_special_points(name: str, args: tuple[float, ...], expected: Any) -> None:
    traced = Traced(name)
    for direction, k in itertools.product(range(len(args)), range(len(args))):
        want = expected[k][direction]
        if want is ...:
            continue
        pair = traced.run(args, direction)[k]
        assert pair is not None
        assert float(pair[1]) == pytest.approx(want, rel=1e-9, abs=1e-14), f"d{k} d{direction}"


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_float32_partials_are_those_of_float64(name: str) -> None:
    """Traced partials keep float32, and are as good as it allows."""
    row: Scalar = SCALARS[name]
    single, double = Traced(name, "float32"), Traced(name)
    for args in samples(name)[:6]:
        if row.apart and abs(args[0] - args[1]) < 0.05:
            continue
        rounded = tuple(float(np.float32(a)) for a in args)
        if any(kinked(name, rounded, k) for k in range(len(args))):
            continue
        along = len(args) - 1 if name in REFUSED_TWICE else 0
        for low, high in zip(single.run(rounded, along), double.run(rounded, along), strict=True):
            if low is None or high is None:
                assert low is high
                continue
            assert float(low[0]) == pytest.approx(float(high[0]), rel=2e-4, abs=2e-5)


@pytest.mark.parametrize(
    "wrong",
    [lambda x, out: (np.cos(x) * 1.001,), lambda x, out: (-np.cos(x),), lambda x, out: (np.cos(x), 0.0)],
    ids=["0.1 %", "sign", "arity"],
)
def test_a_wrong_partial_is_caught(wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLE, "sin", dataclasses.replace(TABLE["sin"], partials=wrong))
    with pytest.raises(AssertionError):
        test_partials_against_differences("sin")
