"""What is proved of lengths and indices is true, and a question ends soon whatever is asked."""

from __future__ import annotations

import itertools

import pytest

from adjit.compiler.frontend.arrays import linear
from adjit.compiler.ir.builder import Builder, Names
from adjit.compiler.ir.nodes import Operand, Var
from adjit.compiler.ir.types import INT, Array


def lengths(b: Builder, count: int) -> list[Operand]:
    """The lengths of arrays of which nothing is known."""
    return [b.dim(b.fresh(f"a{k}", Array("float64", 1)), 0) for k in range(count)]


def number(b: Builder, name: str) -> Var:
    return b.fresh(name, INT)


@pytest.fixture
def sums(monkeypatch: pytest.MonkeyPatch) -> itertools.count[int]:
    """Counts the sums that are formed; `next` gives how many there were."""
    made, form = itertools.count(), linear.combine

    def counted(*args: object, **kwargs: object) -> linear.Linear:
        next(made)
        return form(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(linear, "combine", counted)
    return made


def test_lengths_minima_and_maxima() -> None:
    b = Builder(Names())
    n, m = lengths(b, 2)
    k = number(b, "k")
    assert linear.is_nonnegative(b, b.op("minimum", n, m))
    assert linear.is_nonnegative(b, b.op("maximum", k, m))
    assert not linear.is_nonnegative(b, b.op("minimum", k, m))
    assert linear.is_nonnegative(b, b.op("sub", n, b.op("minimum", n, k)))
    assert not linear.is_nonnegative(b, b.op("sub", n, b.op("maximum", n, k)))
    assert not linear.is_nonnegative(b, b.op("sub", n, b.const(1)))


def test_loop_variables() -> None:
    b = Builder(Names())
    (n,) = lengths(b, 1)
    with b.loop(b.const(1), n) as i:
        assert linear.below(b, i, n)
        assert linear.is_nonnegative(b, linear.minus(b, i, b.const(1)))
        assert not linear.is_nonnegative(b, linear.minus(b, i, b.const(2)))
        with b.loop(i, b.const(-1), step=-1) as j:
            assert linear.is_nonnegative(b, j)
            assert linear.below(b, j, n)


def test_what_is_checked_holds_to_the_end_of_the_block() -> None:
    b = Builder(Names())
    n, m = lengths(b, 2)
    half = b.op("floordiv", n, b.const(2))
    with b.block():
        linear.assume_equal(b, n, m)
        assert linear.equal(b, n, m)
        assert linear.equal(b, half, b.op("floordiv", m, b.const(2)))
    assert not linear.equal(b, n, m)


def test_a_check_that_was_taken_back_says_nothing() -> None:
    b = Builder(Names())
    n, m = lengths(b, 2)
    b.check(b.op("eq", n, m), "ShapeError", "lengths")
    linear.assume_equal(b, n, m)
    assert linear.equal(b, n, m)
    b.stmts.pop()
    assert not linear.equal(b, n, m)


def test_many_minima_end_soon(sums: itertools.count[int]) -> None:
    """Each minimum or maximum of a sum has two sides: together they have more choices than can be tried."""
    b = Builder(Names())
    numbers = [number(b, f"k{j}") for j in range(24)]
    with b.block():
        linear.assume_equal(b, *lengths(b, 2))
        total: Operand = b.const(0)
        for low, high in itertools.pairwise(numbers):
            total = b.op("sub", b.op("add", total, b.op("maximum", low, high)), b.op("minimum", low, high))
        assert not linear.is_nonnegative(b, b.op("sub", total, numbers[0]))
    assert next(sums) < 50 * linear.MOST_SUMS


def test_operands_that_are_used_twice_are_looked_at_once(sums: itertools.count[int]) -> None:
    b = Builder(Names())
    n, m = lengths(b, 2)
    x, y = n, m
    for _ in range(40):
        x, y = (b.op("minimum", b.op("mul", v, v), b.op("floordiv", v, b.const(3))) for v in (x, y))
    assert not linear.equal(b, x, y)
    linear.assume_equal(b, n, m)
    assert not linear.equal(b, x, number(b, "k"))
    assert next(sums) < 5000


def test_a_length_that_is_the_least_of_itself_and_another() -> None:
    """Such as that of `a[:n]` where it has been checked to be n."""
    b = Builder(Names())
    n, m = lengths(b, 2)
    linear.assume_equal(b, b.op("minimum", n, m), n)
    with b.loop(b.const(0), n) as i:
        assert linear.below(b, i, n)
