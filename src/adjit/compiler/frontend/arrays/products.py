"""Products of vectors and matrices, by rank.

Two float matrices of any size go to the library; small ones of known size, and all products with a vector,
are loops. Operands of a library call are variables: views need no copy, anything virtual is put into
memory.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....errors import ShapeError
from ...definitions import DEFINITIONS
from ...definitions.linear import inner_product, matrix_vector, vector_matrix
from ...ir.builder import const
from ...ir.nodes import Const, Operand
from ...ir.types import FLOATS, PARTS
from ..values import ArrayValue, Value
from . import create, elementwise, fill, linear, view
from .broadcast import require_equal
from .context import Context
from .numpy_table import builtin, defined
from .promote import AnyArray, is_number, result_type
from .shapes import as_array

SMALL = 64
TWO = const(2)


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
    if kind in PARTS and not (len(sizes) == 3 and int(np.prod(sizes)) <= SMALL):
        return complex_product(ctx, left, right, kind)
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


def complex_product(ctx: Context, a: ArrayValue, b: ArrayValue, kind: str) -> ArrayValue:
    """By one product of real matrices: the rows of `a` as they lie in memory, real and imaginary parts in
    turn, with each x + iy of `b` as the block ((x, y), (-y, x)); the rows of the result lie likewise.
    """
    builder = ctx.b
    n, k, m = a.shape[0], a.shape[1], b.shape[1]
    if not view.is_whole(builder, a) or getattr(a.base.type, "layout", "") != "C":
        a = fill.materialise(ctx, a)
    blocks = real_blocks(ctx, b, conjugate=True)
    out = fill.allocate(ctx, (n, m), kind)
    rows = builder.parts(out.base, (n, linear.times(builder, m, TWO)))
    left = builder.parts(a.base, (n, linear.times(builder, k, TWO)))
    builder.call("gemm", rows, left, blocks.base)
    return out


def real_blocks(ctx: Context, a: AnyArray, *, conjugate: bool = False) -> ArrayValue:
    """The real matrix of twice the size, each x + iy as ((x, -y), (y, x)); each x - iy if `conjugate`."""
    b = ctx.b
    n, m = a.shape
    out = fill.allocate(ctx, (linear.times(b, n, TWO), linear.times(b, m, TWO)), PARTS[a.dtype])

    def block(index: view.Index) -> None:
        z = view.element(ctx, a, index)
        x, y = b.op("real", z), b.op("imag", z)
        row, column = (linear.times(b, i, TWO) for i in index)
        below, beside = (linear.plus(b, i, view.ONE) for i in (row, column))
        minus, plus = ((below, column), (row, beside)) if conjugate else ((row, beside), (below, column))
        b.store(out.base, (row, column), x)
        b.store(out.base, minus, b.op("neg", y))
        b.store(out.base, plus, y)
        b.store(out.base, (below, beside), x)

    fill.nest(ctx, (n, m), block)
    return out


def operand_of(ctx: Context, a: AnyArray, kind: str) -> ArrayValue:
    """The array in memory, with the dtype given."""
    return fill.in_memory(ctx, a if a.dtype == kind else create.converted(ctx, a, kind))
