"""NumPy's and `cmath`'s functions on complex numbers.

Most are the same lowering as on real numbers; some have a handler here that is used where an argument is
complex. Input and output: values. Invariant: a function that is not known to mean on complex numbers what
its lowering does is refused (`admit`), so that no imaginary part is dropped.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from ....errors import InferenceError, MissingRuleError
from ...definitions import OPS, newer
from ...ir.builder import const
from ...ir.types import PARTS
from ..values import Sequence_, Static, Value, VirtualArray
from . import create, elementwise, fill, indexing, linear, store
from .complexes import angle_of, combined, conjugate, elementwise_of, is_complex, make, part
from .context import Context
from .names import name_of
from .numpy_table import GATES, builtin, convert, numpy_call
from .products import dot, real_blocks
from .promote import is_array, is_number, result_type
from .remedies import FOURIER
from .scalars import BY_FUNCTION
from .shapes import as_array, constant, ravel

KEPT: set[object] = {
    *(np.full, np.zeros_like, np.empty_like, np.ones_like, np.full_like, np.array, np.asarray, np.asanyarray),
    *(np.ascontiguousarray, np.copy, np.copyto, np.transpose, np.permute_dims, np.matrix_transpose),
    *(np.linalg.matrix_transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims),
    *newer("unstack"),
    *(np.squeeze, np.reshape, np.ravel, np.broadcast_to, np.broadcast_arrays, np.atleast_1d, np.atleast_2d),
    *(np.atleast_3d, np.shape, np.size, np.ndim, np.where, np.put, np.fill_diagonal, np.result_type),
    *(np.isscalar, np.astype, np.nonzero, np.flatnonzero, np.extract, np.diag, np.diagonal, np.diagflat),
    *(np.tril, np.triu, np.meshgrid, np.concatenate, np.stack, np.hstack, np.vstack, np.dstack),
    *(np.column_stack, np.append, np.tile, np.repeat, np.roll, np.flip, np.fliplr, np.flipud, np.rot90),
    *(np.diff, np.take, np.split, np.hsplit, np.vsplit, np.sum, np.mean, np.prod, np.var, np.std),
    *(np.matmul, np.linalg.matmul, np.dot, np.inner, np.outer, np.tensordot, np.einsum, np.trace, np.kron),
    *(np.polyval, np.convolve, np.select, np.array_equal, np.count_nonzero, np.any, np.all, np.pad),
    *(np.trapezoid, np.linalg.matrix_power, np.linalg.multi_dot, np.linalg.outer, np.linalg.trace),
    *(np.linalg.diagonal, np.linalg.tensordot, np.insert, np.delete, np.vander),
    *(u.outer for u in (np.add, np.subtract, np.multiply, np.divide)),
    *(np.real, np.imag, np.conjugate, np.angle, np.iscomplexobj, np.isrealobj, np.iscomplex, np.isreal),
    *(np.cumsum, np.cumprod, np.add.reduce, np.multiply.reduce, np.add.accumulate, np.multiply.accumulate),
    *(np.add.at, np.subtract.at),
}  # fmt: skip
HANDLERS: dict[object, Callable[..., Value]] = {}
TWO = const(2)
RTOL, ATOL, NO = Static(1e-5), Static(1e-8), Static(False)
REMEDIES = {  # by the beginning of a function's name
    "np.fft": FOURIER,
    "np.linalg": "use np.linalg.solve or inv, or the real matrix [[A.real, -A.imag], [A.imag, A.real]]",
    "np.sort": "order by a real number: z[np.argsort(z.real)] or z[np.argsort(np.abs(z))]",
    "np.argsort": "order by a real number: np.argsort(z.real) or np.argsort(np.abs(z))",
    "np.max": "compare absolute values or parts: np.max(np.abs(z))",
    "np.min": "compare absolute values or parts: np.min(np.abs(z))",
    "np.arg": "compare absolute values or parts: np.argmax(np.abs(z))",
    "np.linspace": "space a real number evenly: start + (stop - start) * np.linspace(0.0, 1.0, n)",
    "np.interp": "interpolate parts: np.interp(x, xp, fp.real) + 1j * np.interp(x, xp, fp.imag)",
    "np.correlate": "use np.convolve(a, v.conj()[::-1], mode)",
}


def handles(*functions: object) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Decorator: what a NumPy function is where one of its arguments is complex."""

    def decorate(handler: Callable[..., Value]) -> Callable[..., Value]:
        for f in functions:
            HANDLERS[f] = handler
        return handler

    return decorate


def admit(
    ctx: Context, function: object, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Callable[..., Value] | None:
    """The handler of a NumPy function for complex arguments, None where it has none of its own; functions
    that are not known for them are refused."""
    if not any(is_complex(v) for v in (*args, *kwargs.values())):
        return None
    if function in HANDLERS:
        return HANDLERS[function]
    name = name_of(function)
    if getattr(function, "__module__", "") == "math":
        ctx.error(
            InferenceError, f"{name} takes no complex number", instead=f"use np.{name.partition('.')[2]}"
        )
    known = function in KEPT or function in BY_FUNCTION or OPS.get(function) == "stop_gradient"
    if known or isinstance(function, type) or getattr(function, "__module__", "") == "cmath":
        return None
    return ctx.error(
        MissingRuleError,
        f"{name} of complex numbers is not supported",
        instead=next(
            (text for start, text in REMEDIES.items() if name.startswith(start)),
            "write it with real and imaginary parts: z.real, z.imag",
        ),
    )


# -- NumPy functions with a meaning of their own on complex numbers


@handles(np.vdot)
def _vdot(ctx: Context, a: Value, b: Value) -> Value:
    x, y = (ravel(ctx, as_array(ctx, v)) for v in (a, b))
    return dot(ctx, conjugate(ctx, x), y)


@handles(np.linalg.norm)
def _norm(ctx: Context, x: Value, ord: Value = create.NONE, axis: Value = create.NONE) -> Value:
    """Norms of absolute values: all but those by singular values."""
    a = as_array(ctx, x)
    plain = create.is_none(ord) or (isinstance(ord, Static) and ord.value == "fro")
    along = len(a.shape) == 1 or (isinstance(axis, Static) and isinstance(axis.value, int))
    if not plain and not along:
        ctx.error(
            MissingRuleError,
            "np.linalg.norm of complex matrices is supported for Frobenius norms only",
            instead="leave out ord",
        )
    named = {k: v for k, v in (("ord", ord), ("axis", axis)) if not create.is_none(v)}
    return numpy_call(ctx, np.linalg.norm, [numpy_call(ctx, np.abs, [a], {})], named)


def _matrix(ctx: Context, a: Value, name: str) -> VirtualArray:
    found = as_array(ctx, a)
    if len(found.shape) != 2:
        ctx.error(
            MissingRuleError,
            f"{name} of a stack of complex matrices is not supported",
            instead="loop over them",
        )
    return create.converted(ctx, found, found.dtype if found.dtype in PARTS else "complex128")


@handles(np.linalg.inv)
def _inv(ctx: Context, a: Value) -> Value:
    matrix = _matrix(ctx, a, "np.linalg.inv")
    found = as_array(
        ctx,
        numpy_call(ctx, np.linalg.inv, [real_blocks(ctx, fill.in_memory(ctx, as_array(ctx, matrix)))], {}),
    )
    even, odd = Static(slice(0, None, 2)), Static(slice(1, None, 2))
    both = [as_array(ctx, indexing.getitem(ctx, found, Sequence_((rows, even)))) for rows in (even, odd)]
    return fill.materialise(ctx, combined(ctx, both[0], both[1], matrix.dtype))


@handles(np.linalg.solve)
def _solve(ctx: Context, a: Value, b: Value) -> Value:
    """The real system of twice the size, of which one column gives both parts."""
    matrix, right = _matrix(ctx, a, "np.linalg.solve"), as_array(ctx, b)
    dtype = result_type(ctx, (matrix, right))
    matrix, right = create.converted(ctx, matrix, dtype), create.converted(ctx, right, dtype)
    if len(right.shape) not in (1, 2):
        ctx.error(
            MissingRuleError,
            "np.linalg.solve of a stack of complex systems is not supported",
            instead="loop over them",
        )
    parts = [as_array(ctx, part(ctx, right, name)) for name in ("real", "imag")]
    n = right.shape[0]
    rest = right.shape[1:]
    sides = fill.allocate(ctx, (linear.times(ctx.b, n, TWO), *rest), PARTS[dtype])
    for k, side in enumerate(parts):
        rows = Static(slice(k, None, 2))
        store.setitem(ctx, sides, rows, side)
    found = as_array(
        ctx,
        numpy_call(
            ctx, np.linalg.solve, [real_blocks(ctx, fill.in_memory(ctx, as_array(ctx, matrix))), sides], {}
        ),
    )
    both = [indexing.getitem(ctx, found, Static(slice(k, None, 2))) for k in (0, 1)]
    return fill.materialise(ctx, combined(ctx, as_array(ctx, both[0]), as_array(ctx, both[1]), dtype))


@handles(np.isclose)
def _isclose(ctx: Context, a: Value, b: Value, rtol: Value = RTOL, atol: Value = ATOL) -> Value:
    gap = numpy_call(ctx, np.abs, [elementwise.binary(ctx, "sub", a, b)], {})
    size = elementwise.binary(ctx, "mul", rtol, numpy_call(ctx, np.abs, [b], {}))
    near = elementwise.binary(ctx, "le", gap, elementwise.binary(ctx, "add", atol, size))
    near = numpy_call(ctx, np.logical_and, [near, numpy_call(ctx, np.isfinite, [b], {})], {})
    return numpy_call(ctx, np.logical_or, [near, elementwise.binary(ctx, "eq", a, b)], {})


@handles(np.allclose)
def _allclose(ctx: Context, a: Value, b: Value, rtol: Value = RTOL, atol: Value = ATOL) -> Value:
    return numpy_call(ctx, np.all, [_isclose(ctx, a, b, rtol, atol)], {})


# -- parts, and questions about types


def _operand(ctx: Context, x: Value) -> Value:
    return x if is_number(x) else as_array(ctx, x)


@builtin(np.real)
def _real(ctx: Context, val: Value) -> Value:
    return part(ctx, _operand(ctx, val), "real")


@builtin(np.imag)
def _imag(ctx: Context, val: Value) -> Value:
    return part(ctx, _operand(ctx, val), "imag")


@builtin(np.conjugate)
def _conjugate(ctx: Context, x: Value) -> Value:
    return conjugate(ctx, _operand(ctx, x))


@builtin(np.angle)
def _angle(ctx: Context, z: Value, deg: Value = NO) -> Value:
    """In radians or degrees; that of a real number is 0 or pi, with derivative zero."""
    found = angle_of(ctx, z)
    return numpy_call(ctx, np.degrees, [found], {}) if constant(ctx, deg, "deg") else found


@builtin(np.iscomplexobj)
def _iscomplexobj(ctx: Context, x: Value) -> Value:
    return Static(is_complex(x))


@builtin(np.isrealobj)
def _isrealobj(ctx: Context, x: Value) -> Value:
    return Static(not is_complex(x))


@builtin(np.iscomplex)
def _iscomplex(ctx: Context, x: Value) -> Value:
    return numpy_call(ctx, np.not_equal, [_imag(ctx, x), Static(0)], {})


@builtin(np.isreal)
def _isreal(ctx: Context, x: Value) -> Value:
    return numpy_call(ctx, np.equal, [_imag(ctx, x), Static(0)], {})


# -- cmath: the argument becomes complex, the result is a Python number


def weak(value: Value) -> Value:
    from ..python_builtins import weak as python_number

    return python_number(value)


def _number(ctx: Context, z: Value, function: str) -> Value:
    found = elementwise.number_of(ctx, z)
    if is_array(found):
        ctx.error(InferenceError, f"cmath.{function} takes a number", instead=f"use np.{function}")
    return convert(ctx, found, "complex128")


def _of_cmath(op: str, ctx: Context, z: Value) -> Value:
    return weak(elementwise_of(ctx, op, _number(ctx, z, op)))


for _name in (
    *("exp", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
):
    builtin(getattr(cmath, _name))(partial(_of_cmath, _name))
for _name in ("isnan", "isinf", "isfinite"):
    builtin(getattr(cmath, _name))(
        partial(lambda ufunc, ctx, z: numpy_call(ctx, ufunc, [z], {}), getattr(np, _name))
    )


@builtin(cmath.log)
def _log(ctx: Context, z: Value, base: Value | None = None) -> Value:
    found = _of_cmath("log", ctx, z)
    return found if base is None else elementwise.binary(ctx, "div", found, _of_cmath("log", ctx, base))


@builtin(cmath.phase)
def _phase(ctx: Context, z: Value) -> Value:
    return weak(angle_of(ctx, _number(ctx, z, "angle")))


@builtin(cmath.polar)
def _polar(ctx: Context, z: Value) -> Value:
    return Sequence_((weak(numpy_call(ctx, np.abs, [_number(ctx, z, "abs")], {})), _phase(ctx, z)))


@builtin(cmath.rect)
def _rect(ctx: Context, r: Value, phi: Value) -> Value:
    parts = [elementwise.binary(ctx, "mul", r, numpy_call(ctx, f, [phi], {})) for f in (np.cos, np.sin)]
    return make(ctx, *parts)


GATES.append(admit)
