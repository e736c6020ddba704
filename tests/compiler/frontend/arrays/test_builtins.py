"""Creation, shapes and choices give NumPy's values, dtypes and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adjit.compiler.frontend import arrays
from adjit.compiler.frontend.values import Sequence_, Static, Value
from adjit.compiler.ir.nodes import Alloc, Store
from adjit.compiler.ir.visitor import walk
from adjit.errors import MissingRuleError, OverwriteError, ShapeError, UnsupportedSyntaxError
from tests.support.lowering import built, lowered

RNG = np.random.default_rng(2)
A, B, V = RNG.normal(size=(4, 6)), RNG.normal(size=(2, 3, 4)), RNG.normal(size=6)
WHOLE = np.arange(6)


def call(ctx: Any, function: Any, *args: Any, **kwargs: Any) -> Value:
    def value(x: Any) -> Value:
        return x if isinstance(x, Value) else Static(x)

    return arrays.numpy_call(
        ctx, function, [value(a) for a in args], {k: value(v) for k, v in kwargs.items()}
    )


def agrees(function: Any, *args: Any, **kwargs: Any) -> None:
    """`function` of arrays and constants."""
    given = [a for a in args if isinstance(a, np.ndarray)]

    def body(ctx: Any, *values: Any) -> Value:
        left = iter(values)
        return call(ctx, function, *(next(left) if isinstance(a, np.ndarray) else a for a in args), **kwargs)

    got, wanted = lowered(body, *given), function(*args, **kwargs)
    if not isinstance(wanted, tuple):
        got, wanted = (got,), (wanted,)
    for g, w in zip(got, wanted, strict=True):
        assert np.asarray(g).dtype == np.asarray(w).dtype
        np.testing.assert_array_equal(g, w)


@pytest.mark.parametrize(
    ("function", "args", "kwargs"),
    [
        (np.zeros, (3,), {}),
        (np.zeros, ((2, 3),), {"dtype": np.float32}),
        (np.ones, ((2, 3), "int32"), {}),
        (np.full, ((2, 2), 2.5), {}),
        (np.full, (3, 2), {}),
        (np.full, (3, 2), {"dtype": float}),
        (np.zeros_like, (WHOLE,), {}),
        (np.ones_like, (A,), {"dtype": np.float32}),
        (np.full_like, (WHOLE, 7), {}),
        (np.arange, (5,), {}),
        (np.arange, (2, 9, 3), {}),
        (np.arange, (9, 2, -3), {}),
        (np.arange, (0.5, 2.0, 0.25), {}),
        (np.arange, (5.0,), {"dtype": np.float32}),
        (np.array, ([[1, 2.5], [3, 4]],), {}),
        (np.array, ([1, 2],), {"ndmin": 2}),
        (np.asarray, (WHOLE,), {"dtype": float}),
        (np.transpose, (B,), {}),
        (np.transpose, (B, (1, 2, 0)), {}),
        (np.swapaxes, (B, 0, -1), {}),
        (np.moveaxis, (B, 0, -1), {}),
        (np.expand_dims, (A, (0, 3)), {}),
        (np.squeeze, (A[None, :, :, None],), {}),
        (np.squeeze, (A[None, :, :, None], 0), {}),
        (np.reshape, (A, (3, 8)), {}),
        (np.reshape, (A, (-1, 2)), {}),
        (np.reshape, (A, (2, -1, 3)), {}),
        (np.reshape, (V, (6, 1)), {}),
        (np.ravel, (B,), {}),
        (np.broadcast_to, (V, (4, 6)), {}),
        (np.atleast_2d, (V,), {}),
        (np.atleast_3d, (V,), {}),
        (np.atleast_3d, (A,), {}),
        (np.broadcast_arrays, (A, V), {}),
        (np.nonzero, (A > 0,), {}),
        (np.flatnonzero, (V > 0,), {}),
        (np.where, (A > 0,), {}),
        (np.clip, (WHOLE, 1, 4), {}),
        (np.clip, (V, 0.5, -0.5), {}),
    ],
)
def test_functions(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    agrees(function, *args, **kwargs)


def test_shapes_known_at_run_time() -> None:
    def body(ctx: Any, x: Any, n: Any) -> Value:
        shape = Sequence_((n, Static(2)))
        zeros, ones = call(ctx, np.zeros, shape), call(ctx, np.ones, shape)
        count = call(ctx, np.arange, n)
        flat = call(ctx, np.reshape, x, Sequence_((n, Static(-1))))
        return Sequence_((zeros, ones, count, flat))

    zeros, ones, count, flat = lowered(body, V, 3)
    np.testing.assert_array_equal(zeros, np.zeros((3, 2)))
    np.testing.assert_array_equal(ones, np.ones((3, 2)))
    np.testing.assert_array_equal(count, np.arange(3))
    np.testing.assert_array_equal(flat, V.reshape(3, -1))
    for bad in (4, -1):
        with pytest.raises(ValueError, match=r"reshape|negative"):
            lowered(body, V, bad)


def test_reshapes_of_columns_are_views_without_copies() -> None:
    def body(ctx: Any, x: Any) -> None:
        column = arrays.getitem(ctx, x, Sequence_((Static(slice(None)), Static(1))))
        seen = arrays.method(ctx, column, "reshape", [Static(-1), Static(1)], {})
        arrays.setitem(ctx, seen, Static(Ellipsis), Static(0.0))

    fn = built(body, A)
    assert not any(isinstance(s, Alloc) for s in walk(fn.body))


def test_a_reshape_that_may_be_a_copy_is_not_written() -> None:
    def written(ctx: Any, x: Any) -> None:
        flat = arrays.method(ctx, arrays.attribute(ctx, x, "T"), "ravel", [], {})
        arrays.setitem(ctx, flat, Static(0), Static(0.0))

    def stale(ctx: Any, x: Any) -> Value:
        flat = arrays.method(ctx, arrays.attribute(ctx, x, "T"), "ravel", [], {})
        arrays.setitem(ctx, x, Sequence_((Static(0), Static(0))), Static(0.0))
        return arrays.getitem(ctx, flat, Static(0))

    def read(ctx: Any, x: Any) -> Value:
        return arrays.method(ctx, arrays.attribute(ctx, x, "T"), "ravel", [], {})

    for wrong in (written, stale):
        with pytest.raises(OverwriteError, match="reshaped"):
            built(wrong, A)
    np.testing.assert_array_equal(lowered(read, A), A.T.ravel())


def test_broadcast_arrays_are_read_only() -> None:
    def body(ctx: Any, x: Any) -> None:
        arrays.setitem(ctx, call(ctx, np.broadcast_to, x, (4, 6)), Static(0), Static(0.0))

    with pytest.raises(OverwriteError, match="read-only"):
        built(body, V)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("copy", ()),
        ("astype", (np.float32,)),
        ("astype", ("int64",)),
        ("reshape", (3, 8)),
        ("reshape", ((8, 3),)),
        ("transpose", ()),
        ("transpose", (1, 0)),
        ("swapaxes", (0, 1)),
        ("ravel", ()),
        ("flatten", ()),
        ("clip", (-0.1, 0.1)),
    ],
)
def test_methods(name: str, args: tuple[Any, ...]) -> None:
    got = lowered(lambda ctx, x: arrays.method(ctx, x, name, [Static(a) for a in args], {}), A)
    wanted = getattr(A, name)(*args)
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)


def test_attributes() -> None:
    def body(ctx: Any, x: Any) -> Value:
        return Sequence_(
            tuple(arrays.attribute(ctx, x, name) for name in ("shape", "size", "ndim", "T", "flat"))
        )

    *shape, size, ndim, turned, flat = lowered(body, A)
    assert (*shape, size, ndim) == (4, 6, 24, 2)
    np.testing.assert_array_equal(turned, A.T)
    np.testing.assert_array_equal(flat, A.ravel())


def test_items_of_lists_become_elements() -> None:
    def body(ctx: Any, x: Any, s: Any) -> Value:
        first = arrays.getitem(ctx, x, Static(0))
        return call(
            ctx,
            np.array,
            Sequence_((Sequence_((first, s), list), Sequence_((Static(1), Static(2)), list)), list),
        )

    np.testing.assert_array_equal(lowered(body, V, 3.5), np.array([[V[0], 3.5], [1, 2]]))


def test_ranges_take_no_memory() -> None:
    def body(ctx: Any, x: Any) -> Value:
        return arrays.binary(ctx, "mul", x, call(ctx, np.arange, 6))

    fn = built(body, V)
    assert sum(isinstance(s, Alloc) for s in walk(fn.body)) == 1
    assert sum(isinstance(s, Store) for s in walk(fn.body)) == 1


def test_out_is_written() -> None:
    def body(ctx: Any, x: Any) -> Value:
        out = call(ctx, np.empty, 6)
        call(ctx, np.exp, x, out=out)
        return out

    np.testing.assert_array_equal(lowered(body, V), np.exp(V))


def test_what_is_not_supported_is_named() -> None:
    with pytest.raises(UnsupportedSyntaxError, match="'where'"):
        built(lambda ctx, x: call(ctx, np.exp, x, where=True), V)
    with pytest.raises(UnsupportedSyntaxError, match="'like'"):
        built(lambda ctx, x: call(ctx, np.zeros, 3, like=None), V)
    with pytest.raises(MissingRuleError, match="partition"):
        built(lambda ctx, x: call(ctx, np.partition, x, 1), V)


def test_products_of_small_matrices_are_loops_and_others_calls() -> None:
    small = np.arange(9.0).reshape(3, 3)

    def body(ctx: Any, x: Any) -> Value:
        fixed = call(ctx, np.array, [[1.0, 2.0], [3.0, 4.0]])
        big = arrays.binary(ctx, "matmul", x, arrays.attribute(ctx, x, "T"))
        return Sequence_((arrays.binary(ctx, "matmul", fixed, fixed), big))

    little, big = lowered(body, small)
    np.testing.assert_array_equal(little, np.array([[7.0, 10.0], [15.0, 22.0]]))
    np.testing.assert_allclose(big, small @ small.T)
    with pytest.raises(ShapeError, match="aligned"):
        lowered(lambda ctx, x, y: arrays.binary(ctx, "matmul", x, y), small, A)


def test_linear_algebra() -> None:
    s = RNG.normal(size=(3, 3))
    spd = s @ s.T + np.eye(3)
    b = RNG.normal(size=(3, 2))

    def body(ctx: Any, s: Any, p: Any, b: Any) -> Value:
        pair = call(ctx, np.linalg.slogdet, s)
        w, v = call(ctx, np.linalg.eigh, p).items.values()  # type: ignore[union-attr]
        return Sequence_(
            (
                call(ctx, np.linalg.solve, s, b),
                call(ctx, np.linalg.inv, s),
                call(ctx, np.linalg.det, s),
                *pair.items.values(),  # type: ignore[union-attr]
                call(ctx, np.linalg.cholesky, p),
                w,
                v,
                call(ctx, np.linalg.matrix_power, s, 5),
            )
        )

    wanted = (
        np.linalg.solve(s, b),
        np.linalg.inv(s),
        np.linalg.det(s),
        *np.linalg.slogdet(s),
        np.linalg.cholesky(spd),
        *np.linalg.eigh(spd),
        np.linalg.matrix_power(s, 5),
    )
    for g, w in zip(lowered(body, s, spd, b), wanted, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-12, atol=1e-12)
