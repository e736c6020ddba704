"""Products of vectors and matrices by rank, and the routines of linear algebra.

Two float matrices of any size go to the library; small ones of known size, and all products with a vector,
are loops. Operands of a library call are variables: views need no copy, anything virtual is put into
memory.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....errors import InferenceError, ShapeError, UnsupportedSyntaxError
from ...definitions import DEFINITIONS
from ...definitions.linear import inner_product, matrix_vector, vector_matrix
from ...ir.nodes import Const, Operand
from ...ir.types import FLOATS
from ..values import ArrayValue, Record, Sequence_, Static, Value
from . import create, elementwise, fill, view
from .broadcast import require_equal
from .context import Context
from .numpy_table import builtin, defined
from .promote import AnyArray, is_number, result_type, value_of
from .shapes import as_array, constant

SMALL = 64


def binary(ctx: Context, op: str, a: Value, b: Value) -> Value:
    """`a op b`, the matrix product included."""
    return matmul(ctx, a, b) if op == "matmul" else elementwise.binary(ctx, op, a, b)


@builtin(np.matmul, np.linalg.matmul)
def matmul(ctx: Context, x1: Value, x2: Value) -> Value:
    a, b = as_array(ctx, x1), as_array(ctx, x2)
    if not a.shape or not b.shape:
        ctx.error(
            ShapeError, "matmul: an operand has no dimensions", instead="use * for a product with a number"
        )
    if len(a.shape) == 2 and len(b.shape) == 2:
        return matrix_product(ctx, a, b)
    return _with_vector(ctx, a, b) or defined(ctx, np.matmul, DEFINITIONS[np.matmul], [a, b], {})


@builtin(np.dot)
def dot(ctx: Context, a: Value, b: Value) -> Value:
    x, y = as_array(ctx, a), as_array(ctx, b)
    if not x.shape or not y.shape:
        return elementwise.binary(ctx, "mul", a if is_number(a) else x, b if is_number(b) else y)
    if len(x.shape) == 2 and len(y.shape) == 2:
        return matrix_product(ctx, x, y)
    return _with_vector(ctx, x, y) or defined(ctx, np.dot, DEFINITIONS[np.dot], [x, y], {})


def _with_vector(ctx: Context, a: AnyArray, b: AnyArray) -> Value | None:
    ranks = (len(a.shape), len(b.shape))
    loops = {(1, 1): inner_product, (2, 1): matrix_vector, (1, 2): vector_matrix}.get(ranks)
    if loops is None:
        return None
    aligned(ctx, a.shape[-1], b.shape[0])
    return defined(ctx, np.dot, loops, [a, b], {})


def aligned(ctx: Context, n: Operand, m: Operand) -> None:
    require_equal(ctx, n, m, "shapes not aligned: the inner lengths of a product differ")


def matrix_product(ctx: Context, a: AnyArray, b: AnyArray) -> ArrayValue:
    aligned(ctx, a.shape[1], b.shape[0])
    kind = result_type(ctx, (a, b))
    n, m, k = a.shape[0], b.shape[1], a.shape[1]
    left, right = operand_of(ctx, a, kind), operand_of(ctx, b, kind)
    sizes = [x.value for x in (n, m, k) if isinstance(x, Const)]
    if kind not in FLOATS or (len(sizes) == 3 and int(np.prod(sizes)) <= SMALL):
        return _by_loops(ctx, left, right, kind)
    out = fill.allocate(ctx, (n, m), kind)
    ctx.b.call("gemm", out.base, view.as_variable(ctx, left), view.as_variable(ctx, right))
    return out


def _by_loops(ctx: Context, a: ArrayValue, b: ArrayValue, kind: str) -> ArrayValue:
    builder = ctx.b
    out = fill.allocate(ctx, (a.shape[0], b.shape[1]), kind)

    def entry(index: view.Index) -> None:
        i, j = index

        def add(k: view.Index, so_far: Sequence[Operand]) -> list[Operand]:
            x, y = view.element(ctx, a, (i, k[0])), view.element(ctx, b, (k[0], j))
            return [builder.op("add", so_far[0], builder.op("mul", x, y))]

        zero = builder.const(0, kind)
        (total,) = fill.carried_nest(ctx, (a.shape[1],), [("total", zero)], add)
        builder.store(out.base, view.base_index(builder, out, index), total)

    fill.nest(ctx, out.shape, entry)
    return out


def operand_of(ctx: Context, a: AnyArray, kind: str) -> ArrayValue:
    """The array in memory, with the dtype given."""
    return fill.in_memory(ctx, a if a.dtype == kind else create.converted(ctx, a, kind))


# -- linear algebra


def float_kind(ctx: Context, *values: Value) -> str:
    kind = result_type(ctx, values)
    return kind if kind in FLOATS else "float64"


def square(ctx: Context, value: Value, what: str) -> tuple[ArrayValue, str]:
    """A square float matrix in memory."""
    a = as_array(ctx, value)
    if len(a.shape) != 2:
        if len(a.shape) > 2:
            ctx.error(
                UnsupportedSyntaxError,
                f"{what} of a stack of matrices is not supported",
                instead="write a loop",
            )
        ctx.error(ShapeError, f"{len(a.shape)}-dimensional array given. Array must be two-dimensional")
    require_equal(ctx, a.shape[0], a.shape[1], "Last 2 dimensions of the array must be square")
    kind = float_kind(ctx, a)
    return operand_of(ctx, a, kind), kind


def called(ctx: Context, routine: str, outs: Sequence[ArrayValue], *operands: ArrayValue) -> None:
    ctx.b.call(routine, *(o.base for o in outs), *(view.as_variable(ctx, a) for a in operands))


def number(ctx: Context, a: ArrayValue) -> Value:
    """The only element of an array of length one."""
    return value_of(view.element(ctx, a, (view.ZERO,)))


@builtin(np.linalg.solve)
def solve(ctx: Context, a: Value, b: Value) -> Value:
    right = as_array(ctx, b)
    if len(right.shape) not in (1, 2):
        ctx.error(UnsupportedSyntaxError, "np.linalg.solve takes a vector or a matrix on the right-hand side")
    kind = float_kind(ctx, as_array(ctx, a), right)
    matrix = operand_of(ctx, square(ctx, a, "np.linalg.solve")[0], kind)
    aligned(ctx, matrix.shape[0], right.shape[0])
    out = fill.allocate(ctx, right.shape, kind, "x")
    called(ctx, "solve", (out,), matrix, operand_of(ctx, right, kind))
    return out


@builtin(np.linalg.inv)
def inv(ctx: Context, a: Value) -> Value:
    matrix, kind = square(ctx, a, "np.linalg.inv")
    out = fill.allocate(ctx, matrix.shape, kind, "inverse")
    called(ctx, "inv", (out,), matrix)
    return out


@builtin(np.linalg.det)
def det(ctx: Context, a: Value) -> Value:
    matrix, kind = square(ctx, a, "np.linalg.det")
    out = fill.allocate(ctx, (view.ONE,), kind, "det")
    called(ctx, "det", (out,), matrix)
    return number(ctx, out)


@builtin(np.linalg.slogdet)
def slogdet(ctx: Context, a: Value) -> Value:
    matrix, kind = square(ctx, a, "np.linalg.slogdet")
    outs = [fill.allocate(ctx, (view.ONE,), kind, name) for name in ("sign", "logdet")]
    called(ctx, "slogdet", outs, matrix)
    return _named(type(np.linalg.slogdet(np.eye(1))), number(ctx, outs[0]), number(ctx, outs[1]))


@builtin(np.linalg.cholesky)
def cholesky(ctx: Context, a: Value, *, upper: Value = Static(False)) -> Value:  # noqa: B008
    matrix, kind = square(ctx, a, "np.linalg.cholesky")
    if constant(ctx, upper, "upper"):
        matrix = _transposed(ctx, matrix)
    out = fill.allocate(ctx, matrix.shape, kind, "factor")
    called(ctx, "cholesky", (out,), matrix)
    return _transposed(ctx, out) if constant(ctx, upper, "upper") else out


@builtin(np.linalg.eigh)
def eigh(ctx: Context, a: Value, UPLO: Value = Static("L")) -> Value:  # noqa: B008
    matrix, kind = square(ctx, a, "np.linalg.eigh")
    if str(constant(ctx, UPLO, "UPLO")).upper() == "U":
        matrix = _transposed(ctx, matrix)
    n = matrix.shape[0]
    w, v = fill.allocate(ctx, (n,), kind, "w"), fill.allocate(ctx, (n, n), kind, "v")
    called(ctx, "eigh", (w, v), matrix)
    return _named(type(np.linalg.eigh(np.eye(1))), w, v)


@builtin(np.linalg.eigvalsh)
def eigvalsh(ctx: Context, a: Value, UPLO: Value = Static("L")) -> Value:  # noqa: B008
    found = eigh(ctx, a, UPLO)
    assert isinstance(found, Record)
    return next(iter(found.items.values()))


def _named(cls: type, *values: Value) -> Record:
    return Record(cls, dict(zip(cls._fields, values, strict=True)))  # type: ignore[attr-defined]


def _transposed(ctx: Context, a: ArrayValue) -> ArrayValue:
    turned = view.transposed(ctx, a)
    assert isinstance(turned, ArrayValue)
    return turned


@builtin(np.linalg.matrix_power)
def matrix_power(ctx: Context, a: Value, n: Value) -> Value:
    """By repeated squaring; the exponent is constant."""
    power = constant(ctx, n, "the exponent")
    if not isinstance(power, int | np.integer):
        ctx.error(InferenceError, "exponent must be an integer")
    base: AnyArray = as_array(ctx, a)
    if power < 0:
        base, power = as_array(ctx, inv(ctx, base)), -power
    if power == 0:
        return defined(ctx, np.eye, DEFINITIONS[np.eye], [value_of(base.shape[0], weak=True)], {})
    result: AnyArray | None = None
    while power:
        if power & 1:
            result = base if result is None else matrix_product(ctx, result, base)
        power >>= 1
        if power:
            base = matrix_product(ctx, base, base)
    assert result is not None
    return create.array(ctx, result, create.NONE)


@builtin(np.linalg.multi_dot)
def multi_dot(ctx: Context, arrays: Value) -> Value:
    items = arrays.items if isinstance(arrays, Sequence_) else ()
    if len(items) < 2:
        ctx.error(InferenceError, "Expecting at least two arrays.")
    result = items[0]
    for item in items[1:]:
        result = dot(ctx, result, item)
    return result
