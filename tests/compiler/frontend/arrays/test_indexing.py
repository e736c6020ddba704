"""Subscripts mean what they mean in NumPy: reading, writing, updating."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import adjit
from adjit.compiler.frontend import arrays
from adjit.compiler.frontend.values import Sequence_, SliceValue, Static, Value
from adjit.compiler.ir.nodes import Accumulate, Alloc, For, Op, Store
from adjit.compiler.ir.visitor import walk
from adjit.errors import OutOfBoundsError, ShapeError
from tests.support.lowering import built, executed, lowered

RNG = np.random.default_rng(1)
A = RNG.normal(size=(4, 5))
B = RNG.normal(size=(3, 4, 5))
V = RNG.normal(size=6)
I1, I2 = np.array([1, 3, 1, -1]), np.array([0, 2, -2, 4])
N = None

BASIC = [
    (V, (2,)),
    (V, (-1,)),
    (V, (slice(None),)),
    (V, (slice(1, -1),)),
    (V, (slice(2, None),)),
    (V, (slice(None, -2),)),
    (V, (slice(-3, None),)),
    (V, (slice(-9, 3),)),
    (V, (slice(2, 99),)),
    (V, (slice(5, 2),)),
    (V, (slice(None, None, -1),)),
    (V, (slice(None, None, 2),)),
    (V, (slice(4, 1, -1),)),
    (V, (slice(4, None, -2),)),
    (V, (slice(-2, -99, -2),)),
    (V, (slice(1, None, 3),)),
    (V, (N, slice(1, 3))),
    (A, (1,)),
    (A, (slice(1, -1), slice(None, -2))),
    (A, (2, slice(None))),
    (A, (slice(None), -2)),
    (A, (1, 2)),
    (A, (Ellipsis, 1)),
    (A, (1, Ellipsis)),
    (A, (slice(None), N)),
    (A, (slice(None), N, slice(1, 4))),
    (B, (Ellipsis, slice(None, None, -1))),
    (B, (1, Ellipsis, 2)),
    (B, (slice(None), 2)),
]


def as_value(index: tuple[Any, ...]) -> Value:
    return Sequence_(tuple(Static(i) for i in index))


@pytest.mark.parametrize(("a", "index"), BASIC)
def test_basic(a: np.ndarray, index: tuple[Any, ...]) -> None:
    got = lowered(lambda ctx, x: arrays.getitem(ctx, x, as_value(index)), a)
    np.testing.assert_array_equal(got, a[index])


@pytest.mark.parametrize(("a", "index"), BASIC)
def test_basic_store(a: np.ndarray, index: tuple[Any, ...]) -> None:
    def body(ctx: Any, x: Any) -> Any:
        y = arrays.materialise(ctx, x)
        arrays.setitem(ctx, y, as_value(index), Static(7.0))
        arrays.augitem(ctx, y, as_value(index), "add", Static(2.0))
        arrays.augitem(ctx, y, as_value(index), "mul", Static(2.0))
        return y

    wanted = a.copy()
    wanted[index] = 18.0
    np.testing.assert_array_equal(lowered(body, a), wanted)


@pytest.mark.parametrize("k", [0, 1, 3, 6, 9, -1, -4, -9])
def test_slices_with_ends_known_at_run_time(k: int) -> None:
    def body(ctx: Any, x: Any, k: Any) -> Any:
        parts = [(Static(None), k), (k, Static(None)), (Static(1), k), (k, Static(4)), (k, Static(-1))]
        slices = [SliceValue(lo, hi, Static(None)) for lo, hi in parts]
        slices += [SliceValue(lo, hi, Static(-1)) for lo, hi in parts]
        return Sequence_(tuple(arrays.getitem(ctx, x, s) for s in slices))

    got = lowered(body, V, k)
    wanted = [V[:k], V[k:], V[1:k], V[k:4], V[k:-1]]
    wanted += [V[:k:-1], V[k::-1], V[1:k:-1], V[k:4:-1], V[k:-1:-1]]
    for g, w in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(g, w)


def test_slices_of_slices() -> None:
    def body(ctx: Any, x: Any) -> Any:
        inner = arrays.getitem(ctx, x, Static(slice(1, None)))
        again = arrays.getitem(ctx, inner, Static(slice(None, None, -2)))
        return arrays.getitem(ctx, again, Static(slice(1, None)))

    np.testing.assert_array_equal(lowered(body, V), V[1:][::-2][1:])


def test_indices_out_of_range_raise() -> None:
    for bad in (4, -5):
        with pytest.raises((OutOfBoundsError, IndexError)):
            lowered(lambda ctx, x, i: arrays.getitem(ctx, x, Sequence_((i, Static(0)))), A, bad)
        with pytest.raises((OutOfBoundsError, IndexError)):
            lowered(
                lambda ctx, x, i: arrays.getitem(ctx, arrays.getitem(ctx, x, Static(slice(1, -1))), i),
                np.arange(6.0),
                bad,
            )
    with pytest.raises(OutOfBoundsError, match="too many"):
        lowered(lambda ctx, x: arrays.getitem(ctx, x, as_value((1, 2, 3))), A)


FANCY = [
    (A, lambda i, j: (i,)),
    (A, lambda i, j: (i, j)),
    (A, lambda i, j: (slice(None), i)),
    (A, lambda i, j: (i, slice(1, -1))),
    (A, lambda i, j: (1, i)),
    (B, lambda i, j: (0, slice(None), j)),
    (B, lambda i, j: (slice(None), i, j)),
    (B, lambda i, j: (Ellipsis, j)),
    (B, lambda i, j: (2, i, slice(None, None, -1))),
    (V, lambda i, j: (i,)),
    (V, lambda i, j: (i, N)),
]


def with_arrays(index: tuple[Any, ...]) -> Value:
    return Sequence_(
        tuple(Static(i) if isinstance(i, int | slice | type(None) | type(Ellipsis)) else i for i in index)
    )


@pytest.mark.parametrize(("a", "make"), FANCY)
def test_gather_and_scatter(a: np.ndarray, make: Any) -> None:
    i, j = I1 % 3, I2 % 4
    got = lowered(lambda ctx, x, i, j: arrays.getitem(ctx, x, with_arrays(make(i, j))), a, i, j)
    np.testing.assert_array_equal(got, a[make(i, j)])
    values = RNG.normal(size=a[make(i, j)].shape)

    def body(ctx: Any, x: Any, i: Any, j: Any, v: Any) -> Any:
        y, z, w = (arrays.materialise(ctx, x) for _ in range(3))
        arrays.setitem(ctx, y, with_arrays(make(i, j)), v)
        arrays.augitem(ctx, z, with_arrays(make(i, j)), "add", v)
        arrays.numpy_call(ctx, np.add.at, [w, with_arrays(make(i, j)), v], {})
        return Sequence_((y, z, w))

    y, z, w = a.copy(), a.copy(), a.copy()
    y[make(i, j)] = values
    z[make(i, j)] += values
    np.add.at(w, make(i, j), values)
    for g, wanted in zip(lowered(body, a, i, j, values), (y, z, w), strict=True):
        np.testing.assert_allclose(g, wanted, rtol=1e-14)


def test_negative_indices_in_arrays_wrap() -> None:
    np.testing.assert_array_equal(lowered(lambda ctx, x, i: arrays.getitem(ctx, x, i), A, I1), A[I1])
    with pytest.raises((OutOfBoundsError, IndexError)):
        lowered(lambda ctx, x, i: arrays.getitem(ctx, x, i), A, np.array([1, 4]))


def test_a_list_is_an_index_array() -> None:
    index = Sequence_((Static(2), Static(-1)), list)
    np.testing.assert_array_equal(lowered(lambda ctx, x: arrays.getitem(ctx, x, index), A), A[[2, -1]])


def test_boolean_masks() -> None:
    def body(ctx: Any, x: Any, m: Any, r: Any) -> Any:
        chosen = arrays.getitem(ctx, x, m)
        rows = arrays.getitem(ctx, x, r)
        y = arrays.materialise(ctx, x)
        arrays.setitem(ctx, y, m, Static(0.5))
        arrays.augitem(ctx, y, m, "add", Static(1.0))
        arrays.augitem(ctx, y, r, "mul", Static(3.0))
        z = arrays.materialise(ctx, x)
        arrays.setitem(ctx, z, m, arrays.binary(ctx, "mul", chosen, Static(2)))
        return Sequence_((chosen, rows, y, z))

    m, r = A > 0.3, np.array([True, False, True, False])
    y, z = A.copy(), A.copy()
    y[m] = 0.5
    y[m] += 1.0
    y[r] *= 3.0
    z[m] = A[m] * 2
    for g, wanted in zip(lowered(body, A, m, r), (A[m], A[r], y, z), strict=True):
        np.testing.assert_array_equal(g, wanted)


def slice_value(*parts: slice) -> Value:
    return as_value(parts)


@pytest.mark.parametrize("op", ["=", "add", "sub", "mul"])
def test_overlapping_slices(op: str) -> None:
    cases = [
        (slice(1, None), slice(None, -1)),
        (slice(None, -1), slice(1, None)),
        (slice(None), slice(None, None, -1)),
        (slice(None, None, 2), slice(0, 3)),
    ]
    for to, origin in cases:

        def body(ctx: Any, x: Any, to: Any = to, origin: Any = origin) -> Any:
            y = arrays.materialise(ctx, x)
            source = arrays.getitem(ctx, y, Static(origin))
            if op == "=":
                arrays.setitem(ctx, y, Static(to), source)
            else:
                arrays.augitem(ctx, y, Static(to), op, source)
            return y

        wanted = V.copy()
        old = V[origin]
        wanted[to] = {"=": lambda a, b: b, "add": np.add, "sub": np.subtract, "mul": np.multiply}[op](
            V[to], old
        )
        np.testing.assert_allclose(lowered(body, V), wanted, rtol=1e-15)


def test_own_transpose_is_added() -> None:
    square = RNG.normal(size=(3, 3))

    def body(ctx: Any, x: Any) -> Any:
        y = arrays.materialise(ctx, x)
        return arrays.augassign(ctx, y, "add", arrays.attribute(ctx, y, "T"))

    np.testing.assert_array_equal(lowered(body, square), square + square.T)


def stencil(ctx: Any, into: Any, a: Any) -> None:
    def at(rows: slice, columns: slice) -> Any:
        return arrays.getitem(ctx, a, slice_value(rows, columns))

    mid, low, high = slice(1, -1), slice(None, -2), slice(2, None)
    total = at(mid, mid)
    for part in (at(mid, low), at(mid, high), at(high, mid), at(low, mid)):
        total = arrays.binary(ctx, "add", total, part)
    arrays.setitem(ctx, into, slice_value(mid, mid), arrays.binary(ctx, "mul", Static(0.2), total))


def by_numpy(into: np.ndarray, a: np.ndarray) -> None:
    into[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])


def test_a_stencil_between_two_arrays_is_one_plain_nest() -> None:
    def body(ctx: Any, b: Any, a: Any) -> None:
        stencil(ctx, b, a)

    fn = built(body, A, A)
    stmts = list(walk(fn.body))
    assert sum(isinstance(s, For) for s in stmts) == 2
    assert sum(isinstance(s, Alloc) for s in stmts) == 0
    loop = next(s for s in stmts if isinstance(s, For))
    assert {s.op for s in walk(loop.body) if isinstance(s, Op)} == {"add", "mul"}
    got, wanted = A.copy(), A.copy()
    executed(fn, got, A.copy())
    by_numpy(wanted, A)
    np.testing.assert_allclose(got, wanted, rtol=1e-15)


def test_a_stencil_in_place_goes_through_a_temporary() -> None:
    def body(ctx: Any, a: Any) -> None:
        stencil(ctx, a, a)

    fn = built(body, A)
    stmts = list(walk(fn.body))
    assert sum(isinstance(s, Alloc) for s in stmts) == 1
    got, wanted = A.copy(), A.copy()
    executed(fn, got)
    by_numpy(wanted, wanted)
    np.testing.assert_allclose(got, wanted, rtol=1e-15)


def test_a_row_read_beside_the_row_written_needs_no_copy() -> None:
    def body(ctx: Any, a: Any) -> None:
        above = arrays.getitem(ctx, a, as_value((0, slice(None, -1))))
        arrays.augitem(ctx, a, as_value((1, slice(1, None))), "add", above)

    fn = built(body, A)
    assert not any(isinstance(s, Alloc) for s in walk(fn.body))
    assert any(isinstance(s, Accumulate) for s in walk(fn.body))


def test_element_updates_accumulate() -> None:
    def body(ctx: Any, a: Any, x: Any) -> None:
        arrays.augitem(ctx, a, as_value((0, 1)), "sub", x)
        arrays.augitem(ctx, a, as_value((0, 1)), "div", x)

    fn = built(body, A, 2.0)
    kinds = [type(s) for s in walk(fn.body) if isinstance(s, Accumulate | Store)]
    assert kinds == [Accumulate, Store]
    got = A.copy()
    executed(fn, got, 2.0)
    assert got[0, 1] == (A[0, 1] - 2.0) / 2.0


def test_assignment_checks_shapes() -> None:
    with pytest.raises(ShapeError, match="could not broadcast"):
        lowered(lambda ctx, x, v: arrays.setitem(ctx, x, Static(slice(None)), v), A.copy(), V)
    with pytest.raises(ShapeError, match="could not broadcast"):
        lowered(lambda ctx, x, v: arrays.augassign(ctx, x, "add", v), A.copy(), RNG.normal(size=(4, 6)))


def test_assignment_drops_leading_axes_of_one() -> None:
    def body(ctx: Any, x: Any, v: Any) -> None:
        arrays.setitem(ctx, x, Static(slice(None)), v)

    fn = built(body, V, V[None])
    got = np.zeros(6)
    executed(fn, got, V[None])
    np.testing.assert_array_equal(got, V)


def test_integers_are_truncated_on_assignment() -> None:
    def body(ctx: Any, x: Any, v: Any) -> None:
        arrays.setitem(ctx, x, Static(slice(None)), v)

    got = np.zeros(6, np.int64)
    executed(built(body, got, V), got, V)
    np.testing.assert_array_equal(got, V.astype(np.int64))


def test_in_place_updates_keep_the_kind() -> None:
    with pytest.raises(TypeError, match="in-place"):
        lowered(lambda ctx, x, v: arrays.augassign(ctx, x, "add", v), np.arange(6), V)


# -- entries of an index array that nothing reads


def first_rows(x, q):
    return np.sum(x[q][:1] ** 2)


def one_element(x, q):
    return x[q][0, 1]


def never_read(x, q):
    rows = x[q]
    return np.sum(x) + rows.shape[0]


def pairs(x, q):
    return np.sum(x[q, q * 0 + 1][::2])


def of_an_expression(x, q):
    return np.sum((2.0 * x)[:, q % 50][:, 0])


def twice(x, q):
    return np.sum(x[q][:2][::-1] * x[q][1:3])


UNREAD = (first_rows, one_element, never_read, pairs, twice)
TRANSFORMS: dict[str, Any] = {"jit": adjit.jit, "grad": adjit.grad, "value_and_grad": adjit.value_and_grad}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("bad", [4, -5])
@pytest.mark.parametrize("function", UNREAD)
def test_entries_that_are_never_read_are_checked(function: Any, bad: int, transform: str) -> None:
    q = np.array([1, -4, 2, bad])
    with pytest.raises(IndexError, match=f"index {bad} is out of bounds for axis 0 with size 4"):
        function(A, q)
    with pytest.raises(OutOfBoundsError, match=f"index {bad} is out of bounds for axis 0") as found:
        TRANSFORMS[transform](function)(A, q)
    assert found.value.location is not None
    assert "x[q" in linecache.getline(__file__, found.value.location.line)


def test_entries_of_an_expression_that_are_never_read_are_checked() -> None:
    for run in (of_an_expression, adjit.grad(of_an_expression)):
        with pytest.raises(IndexError, match="index 7 is out of bounds for axis 1"):
            run(A, np.array([1, 57]))


@pytest.mark.parametrize("function", UNREAD)
def test_entries_that_are_never_read_may_be_anything_without_checks(function: Any) -> None:
    good, bad = np.array([1, -4, 2, 3]), np.array([1, -4, 2, 57])
    gradient = adjit.grad(function, boundscheck=False)
    np.testing.assert_array_equal(gradient(A, bad), gradient(A, good))
    np.testing.assert_array_equal(gradient(A, good), adjit.grad(function)(A, good))


def test_what_is_read_in_full_is_checked_where_it_is_read() -> None:
    """No loop of its own for the checks."""
    text = adjit.grad(lambda x, q: np.sum(x[q] ** 2)).source(A, np.array([1, 2]))
    assert text.count("in range(") == 2 and text.count("outside(") == 1
