"""Linear algebra by library routines.

Input: matrices of floats, or of integers, which become float64. Output: fresh arrays; several results in the
named tuple that NumPy gives. A stack of matrices is refused. Non-goals: derivatives (`library`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.linalg

from ....errors import InferenceError, ShapeError, UnsupportedSyntaxError
from ...definitions import DEFINITIONS
from ...ir.nodes import Operand
from ...ir.types import FLOATS
from ..values import ArrayValue, Record, Sequence_, Static, Undefined, Value
from . import fill, linear, view
from .broadcast import require_equal
from .context import Context
from .create import NONE, array, is_none
from .numpy_table import builtin, defined, numpy_call
from .products import aligned, dot, matmul, matrix_product, operand_of
from .promote import AnyArray, result_type, value_of
from .shapes import as_array, constant, ravel

FALSE, TRUE, LOWER = Static(False), Static(True), Static("L")


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
def cholesky(ctx: Context, a: Value, *, upper: Value = FALSE) -> Value:
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
    return array(ctx, result, NONE)


@builtin(np.linalg.multi_dot)
def multi_dot(ctx: Context, arrays: Value) -> Value:
    items = arrays.items if isinstance(arrays, Sequence_) else ()
    if len(items) < 2:
        ctx.error(InferenceError, "Expecting at least two arrays.")
    result = items[0]
    for item in items[1:]:
        result = dot(ctx, result, item)
    return result


# -- decompositions


def matrix(ctx: Context, value: Value, what: str) -> ArrayValue:
    """A float matrix of any shape in memory."""
    a = as_array(ctx, value)
    if len(a.shape) != 2:
        ctx.error(UnsupportedSyntaxError, f"{what} is supported for matrices only", instead="write a loop")
    return operand_of(ctx, a, float_kind(ctx, a))


def shorter(ctx: Context, a: ArrayValue) -> Operand:
    n, m = a.shape
    return n if linear.equal(ctx.b, n, m) else ctx.b.op("minimum", n, m)


@builtin(np.linalg.svd)
def svd(
    ctx: Context, a: Value, full_matrices: Value = TRUE, compute_uv: Value = TRUE, hermitian: Value = FALSE
) -> Value:
    source = matrix(ctx, a, "np.linalg.svd")
    both = constant(ctx, compute_uv, "compute_uv")
    if constant(ctx, hermitian, "hermitian"):
        ctx.error(UnsupportedSyntaxError, "hermitian=True is not supported", instead="use np.linalg.eigh")
    if both and constant(ctx, full_matrices, "full_matrices"):
        message = "np.linalg.svd of a matrix that is not square needs full_matrices=False"
        require_equal(ctx, source.shape[0], source.shape[1], message)
    n, m, k = *source.shape, shorter(ctx, source)
    shapes, names = ((n, k), (k,), (k, m)), ("u", "s", "v")
    outs = [fill.allocate(ctx, shape, source.dtype, name) for shape, name in zip(shapes, names, strict=True)]
    called(ctx, "svd", outs, source)
    return _named(type(np.linalg.svd(np.eye(1))), *outs) if both else outs[1]


@builtin(np.linalg.svdvals)
def svdvals(ctx: Context, x: Value) -> Value:
    return svd(ctx, x, FALSE, FALSE)


@builtin(np.linalg.qr)
def qr(ctx: Context, a: Value, mode: Value = Static("reduced")) -> Value:  # noqa: B008
    source, wanted = matrix(ctx, a, "np.linalg.qr"), constant(ctx, mode, "mode")
    n, m = source.shape
    if wanted not in ("reduced", "r"):
        ctx.error(UnsupportedSyntaxError, f"the mode {wanted!r} of np.linalg.qr is not supported")
    enough = ctx.b.op("ge", n, m)
    ctx.b.check(enough, "ShapeError", "np.linalg.qr is supported for at least as many rows as columns")
    outs = [fill.allocate(ctx, (n, m), source.dtype, "q"), fill.allocate(ctx, (m, m), source.dtype, "r")]
    called(ctx, "qr", outs, source)
    return outs[1] if wanted == "r" else _named(type(np.linalg.qr(np.eye(1))), *outs)


@builtin(np.linalg.pinv)
def pinv(ctx: Context, a: Value) -> Value:
    return _pseudo_inverse(ctx, matrix(ctx, a, "np.linalg.pinv"), False)


def _pseudo_inverse(ctx: Context, source: ArrayValue, by_size: bool) -> ArrayValue:
    n, m = source.shape
    out = fill.allocate(ctx, (m, n), source.dtype, "inverse")
    attrs = (True,) if by_size else ()
    ctx.b.call("pinv", out.base, view.as_variable(ctx, source), attrs=attrs)
    return out


@builtin(np.linalg.lstsq)
def lstsq(ctx: Context, a: Value, b: Value, rcond: Value = NONE) -> Value:
    """The solution of least norm; residuals, rank and singular values are not computed."""
    if not is_none(rcond):
        ctx.error(UnsupportedSyntaxError, "the argument 'rcond' of np.linalg.lstsq is not supported")
    right = as_array(ctx, b)
    kind = float_kind(ctx, as_array(ctx, a), right)
    source = operand_of(ctx, matrix(ctx, a, "np.linalg.lstsq"), kind)
    x = matmul(ctx, _pseudo_inverse(ctx, source, True), operand_of(ctx, right, kind))
    reason = "of np.linalg.lstsq only the solution is supported"
    return Sequence_(
        (x, *(Undefined(name, reason) for name in ("residuals", "rank", "singular values"))), tuple
    )


# -- SciPy's spellings


@builtin(scipy.linalg.cholesky)
def scipy_cholesky(ctx: Context, a: Value, lower: Value = FALSE, *, check_finite: Value = TRUE) -> Value:
    return cholesky(ctx, a, upper=Static(not constant(ctx, lower, "lower")))


@builtin(scipy.linalg.cho_factor)
def cho_factor(ctx: Context, a: Value, lower: Value = FALSE, *, check_finite: Value = TRUE) -> Value:
    """The other triangle is zero, where SciPy leaves what it had in memory."""
    return Sequence_((scipy_cholesky(ctx, a, lower), Static(bool(constant(ctx, lower, "lower")))), tuple)


@builtin(scipy.linalg.eigh)
def scipy_eigh(ctx: Context, a: Value, *, lower: Value = TRUE, eigvals_only: Value = FALSE) -> Value:
    found = eigh(ctx, a, Static("L" if constant(ctx, lower, "lower") else "U"))
    assert isinstance(found, Record)
    w, v = found.items.values()
    return w if constant(ctx, eigvals_only, "eigvals_only") else Sequence_((w, v), tuple)


@builtin(scipy.linalg.svd)
def scipy_svd(ctx: Context, a: Value, full_matrices: Value = TRUE, compute_uv: Value = TRUE) -> Value:
    found = svd(ctx, a, full_matrices, compute_uv)
    return Sequence_(tuple(found.items.values()), tuple) if isinstance(found, Record) else found


@builtin(np.linalg.tensordot)
def tensordot(ctx: Context, x1: Value, x2: Value, *, axes: Value = Static(2)) -> Value:  # noqa: B008
    return numpy_call(ctx, np.tensordot, [x1, x2, axes], {})


# -- names of the array API


@builtin(np.linalg.vector_norm)
def vector_norm(
    ctx: Context, x: Value, *, axis: Value = NONE, keepdims: Value = FALSE, ord: Value = NONE
) -> Value:
    """Of all elements without an axis."""
    a: AnyArray = as_array(ctx, x)
    if is_none(axis):
        if constant(ctx, keepdims, "keepdims"):
            ctx.error(UnsupportedSyntaxError, "keepdims of np.linalg.vector_norm needs an axis")
        a = ravel(ctx, a)
    return numpy_call(ctx, np.linalg.norm, [a], {"ord": ord, "axis": axis, "keepdims": keepdims})


def _alias(name: object, of: object) -> None:
    builtin(name)(lambda ctx, *args: numpy_call(ctx, of, list(args), {}))


for _name, _of in (
    (np.linalg.trace, np.trace),
    (np.linalg.outer, np.outer),
    (np.linalg.cross, np.cross),
    (np.linalg.diagonal, np.diagonal),
    (np.linalg.vecdot, np.vecdot),
    (scipy.linalg.norm, np.linalg.norm),
    (scipy.linalg.inv, np.linalg.inv),
    (scipy.linalg.det, np.linalg.det),
    (scipy.linalg.pinv, np.linalg.pinv),
    (scipy.linalg.svdvals, np.linalg.svdvals),
    (scipy.linalg.solve, np.linalg.solve),
):
    _alias(_name, _of)
