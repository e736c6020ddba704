"""Arithmetic on numbers and arrays gives NumPy's values, dtypes and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adjit.compiler.frontend import arrays
from adjit.compiler.frontend.values import ScalarValue, Sequence_, Static
from adjit.compiler.ir.nodes import For, If
from adjit.compiler.ir.visitor import walk
from adjit.errors import ShapeError
from tests.support.lowering import built, executed, lowered

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))
ROW, COLUMN = RNG.normal(size=4), RNG.normal(size=(3, 1))
SINGLE = X.astype(np.float32)
WHOLE = np.array([[3, -1, 2, 5]])


def same(got: Any, wanted: Any) -> None:
    assert np.asarray(got).dtype == np.asarray(wanted).dtype
    assert np.shape(got) == np.shape(wanted)
    np.testing.assert_allclose(got, wanted, rtol=1e-14)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (X, Y),
        (X, ROW),
        (X, COLUMN),
        (ROW, COLUMN),
        (SINGLE, X),
        (WHOLE, SINGLE),
        (X, WHOLE),
        (X, np.array([2.0])),
    ],
)
@pytest.mark.parametrize("op", ["add", "sub", "mul", "div"])
def test_arrays(op: str, a: np.ndarray, b: np.ndarray) -> None:
    ufunc = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[op]
    same(lowered(lambda ctx, x, y: arrays.binary(ctx, op, x, y), a, b), ufunc(a, b))


@pytest.mark.parametrize("number", [2, 2.5, True, np.float32(2.5), np.float64(2.5), np.int32(3)])
@pytest.mark.parametrize("array", [X, SINGLE, WHOLE])
def test_numbers_promote_as_in_numpy(number: Any, array: np.ndarray) -> None:
    for op, ufunc in (("mul", np.multiply), ("sub", np.subtract), ("div", np.divide)):
        if isinstance(number, bool) and op == "sub":
            continue
        same(
            lowered(lambda ctx, x, op=op: arrays.binary(ctx, op, x, Static(number)), array),
            ufunc(array, number),
        )


@pytest.mark.parametrize("op", ["lt", "ge", "eq", "ne"])
def test_comparisons(op: str) -> None:
    ufunc = {"lt": np.less, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal}[op]
    same(lowered(lambda ctx, x, y: arrays.compare(ctx, op, x, y), X, ROW), ufunc(X, ROW))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 7, -1, -2, 0.5, 1.5, 2.0])
def test_powers(exponent: Any) -> None:
    base = np.abs(X) + 0.1
    same(lowered(lambda ctx, x: arrays.binary(ctx, "pow", x, Static(exponent)), base), base**exponent)


def test_integer_division_follows_python() -> None:
    a, b = np.array([7, -7, 7, -7]), np.array([2, 2, -2, -2])
    same(lowered(lambda ctx, x, y: arrays.binary(ctx, "floordiv", x, y), a, b), a // b)
    same(lowered(lambda ctx, x, y: arrays.binary(ctx, "mod", x, y), a, b), a % b)
    same(lowered(lambda ctx, x, y: arrays.binary(ctx, "div", x, y), a, b), a / b)


def test_weak_numbers() -> None:
    ctx_result = lowered(lambda ctx, i, j: arrays.binary(ctx, "div", i, j), 7, 2)
    assert ctx_result == 3.5
    assert lowered(lambda ctx, i, j: arrays.binary(ctx, "floordiv", i, j), -7, 2) == -4
    assert lowered(lambda ctx, i: arrays.binary(ctx, "add", i, Static(True)), 7) == 8


def test_static_numbers_fold() -> None:
    def body(ctx: Any) -> Any:
        found = arrays.binary(ctx, "pow", Static(2), Static(-1))
        assert isinstance(found, Static) and found.value == 0.5
        return ScalarValue(arrays.scalar(ctx, found))

    assert lowered(body) == 0.5


def test_a_whole_expression_is_one_nest() -> None:
    def body(ctx: Any, x: Any, y: Any) -> Any:
        z = arrays.binary(ctx, "mul", arrays.binary(ctx, "add", x, y), Static(0.5))
        return arrays.unary(ctx, "neg", arrays.numpy_call(ctx, np.tanh, [z], {}))

    fn = built(body, X, Y)
    assert sum(isinstance(s, For) for s in walk(fn.body)) == 2
    same(executed(fn, X, Y), -np.tanh((X + Y) * 0.5))


def test_shapes_that_differ_raise() -> None:
    with pytest.raises(ShapeError, match="broadcast"):
        lowered(lambda ctx, x, y: arrays.binary(ctx, "add", x, y), X, RNG.normal(size=(3, 5)))


@pytest.mark.parametrize(
    "function",
    [
        np.exp,
        np.log1p,
        np.sqrt,
        np.sin,
        np.arctan,
        np.abs,
        np.sign,
        np.floor,
        np.isnan,
        np.square,
        np.reciprocal,
        np.radians,
    ],
)
def test_functions(function: Any) -> None:
    for a in (np.abs(X), np.abs(SINGLE), np.abs(WHOLE)):
        if function is np.reciprocal and a.dtype.kind == "i":
            continue
        with np.errstate(all="ignore"):
            wanted = function(a)
        got = lowered(lambda ctx, x: arrays.numpy_call(ctx, function, [x], {}), a)
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-6 if a.dtype == np.float32 else 1e-14)


def test_log_of_sums_at_infinities() -> None:
    a = np.array([0.0, -np.inf, -np.inf, np.inf, 3.0, 700.0])
    b = np.array([0.0, -np.inf, 1.0, np.inf, 3.0, -700.0])
    same(
        lowered(lambda ctx, x, y: arrays.numpy_call(ctx, np.logaddexp, [x, y], {}), a, b), np.logaddexp(a, b)
    )
    same(
        lowered(lambda ctx, x, y: arrays.numpy_call(ctx, np.logaddexp2, [x, y], {}), a, b),
        np.logaddexp2(a, b),
    )


def test_where_and_clip() -> None:
    same(
        lowered(
            lambda ctx, x, y: arrays.numpy_call(
                ctx, np.where, [arrays.compare(ctx, "gt", x, y), x, Static(0)], {}
            ),
            X,
            Y,
        ),
        np.where(X > Y, X, 0),
    )
    same(
        lowered(lambda ctx, x: arrays.numpy_call(ctx, np.clip, [x, Static(-0.5), Static(0.5)], {}), X),
        np.clip(X, -0.5, 0.5),
    )
    same(
        lowered(lambda ctx, x: arrays.numpy_call(ctx, np.clip, [x, Static(None), Static(0.5)], {}), X),
        np.clip(X, None, 0.5),
    )


def test_in_place_keeps_the_dtype() -> None:
    def body(ctx: Any, x: Any) -> Any:
        y = arrays.materialise(ctx, x)
        return arrays.augassign(ctx, y, "mul", Static(0.1))

    got = lowered(body, SINGLE)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, SINGLE * np.float32(0.1))


def slices(ctx: Any, x: Any) -> tuple[Any, Any]:
    """`x[:, :2]` and `x[:, 2:]`: of equal length for four columns, one of length one for three."""
    return tuple(
        arrays.getitem(ctx, x, Sequence_((Static(slice(None)), Static(part))))
        for part in (slice(None, 2), slice(2, None))
    )  # type: ignore[return-value]


@pytest.mark.parametrize("columns", [2, 3, 4, 5])
def test_a_length_of_one_may_turn_up_at_run_time(columns: int) -> None:
    x = RNG.normal(size=(3, columns))

    def body(ctx: Any, x: Any) -> Any:
        left, right = slices(ctx, x)
        total = arrays.numpy_call(ctx, np.exp, [arrays.binary(ctx, "div", left, right)], {})
        y = arrays.materialise(ctx, left)
        arrays.setitem(ctx, y, Static(Ellipsis), right)
        z = arrays.materialise(ctx, left)
        arrays.augassign(ctx, z, "add", right)
        return Sequence_((total, y, z))

    left, right = x[:, :2], x[:, 2:]
    try:
        wanted = np.exp(left / right), right + 0 * left, left + right
    except ValueError:
        with pytest.raises(ShapeError, match="broadcast"):
            lowered(body, x)
        return
    for g, w in zip(lowered(body, x), wanted, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-15)


def test_the_same_slice_of_two_arrays_is_not_doubted() -> None:
    def body(ctx: Any, x: Any, y: Any) -> Any:
        inner = [arrays.getitem(ctx, v, Static(slice(1, -1))) for v in (x, y)]
        return arrays.binary(ctx, "mul", *inner)

    fn = built(body, X, Y)
    assert not any(isinstance(s, If) for s in walk(fn.body))
    with pytest.raises(ShapeError, match="broadcast"):
        lowered(body, X, RNG.normal(size=(9, 4)))
