"""NumPy's functions on complex arrays: values, dtypes and derivatives, and what is refused."""

from __future__ import annotations

import cmath
import copy

import numpy as np
import pytest
from scipy import special

import adjit
from adjit.compiler.frontend.arrays import complex_functions
from adjit.errors import AdjitError, InferenceError, MissingRuleError

RNG = np.random.default_rng(5)


def normal(*shape: int):
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


Z, W, X = normal(4), normal(4), RNG.normal(size=4)
A, B, C = normal(3, 4), normal(4, 3), normal(3, 3)
K = np.array([2, 0, 1])
MASK = np.array([True, False, True, True])


def accumulated(z, w):
    out = np.zeros(3, complex)
    np.add.at(out, K, w[:3])
    np.subtract.at(out, np.array([0, 0]), z[:2])
    return out


def copied_into(z):
    out = np.zeros((2, 4), dtype=complex)
    np.copyto(out, z)
    np.fill_diagonal(out, 1j)
    np.put(out, [0, 3], z[:2] * 2)
    return out


CASES = {
    "full": (lambda z: np.full((2, 2), z[0]), (Z,)),
    "likes": (lambda z: (np.zeros_like(z) + z, np.ones_like(z) * z, np.full_like(z, 2j) * z), (Z,)),
    "empty_like": (lambda z: np.copy(np.empty_like(z)) * 0 + z[0], (Z,)),
    "array": (lambda z: (np.array([z[0], 1.0]), np.asarray(z), np.asanyarray(z), np.array(z, np.complex64)),
    (Z,)),
    "contiguous": (lambda a: np.ascontiguousarray(a.T) * 2, (A,)),
    "copyto": (copied_into, (Z,)),
    "transposes": (lambda a: (np.transpose(a), np.permute_dims(a, (1, 0)), np.matrix_transpose(a), a.mT),
    (A,)),
    "linalg_transpose": (lambda a: np.linalg.matrix_transpose(a), (A,)),
    "axes": (lambda a: (np.swapaxes(a, 0, 1), np.moveaxis(a, 0, 1), np.rollaxis(a, 1)), (A,)),
    "expand": (lambda z: (np.expand_dims(z, 0), np.squeeze(z[None]), np.atleast_1d(z)), (Z,)),
    "atleast": (lambda z: (np.atleast_2d(z), np.atleast_3d(z)), (Z,)),
    "reshape": (lambda z: (np.reshape(z, (2, 2)), np.ravel(z.reshape(2, 2)), z.reshape(2, 2).flatten()),
    (Z,)),
    "broadcast": (lambda z: (np.broadcast_to(z, (2, 4)), np.broadcast_arrays(z, z[:, None])[1]), (Z,)),
    "questions": (lambda z: z * np.size(z) * np.ndim(z) * np.shape(z)[0] + np.isscalar(z[0]), (Z,)),
    "where": (lambda z, x: np.where(x > 0, z, x), (Z, X)),
    "result_type": (lambda z: z.astype(np.result_type(z, np.complex64)), (Z,)),
    "astype": (lambda z, x: (np.astype(np.astype(x, complex), complex) * z, x.astype(np.complex64),
    z.astype(np.complex64)), (Z, X)),
    "nonzero": (lambda z: z[np.nonzero(z)] * np.flatnonzero(z), (Z,)),
    "extract": (lambda z: np.extract(MASK, z), (Z,)),
    "diagonals": (lambda z, c: (np.diag(z), np.diag(c), np.diagonal(c), np.diagflat(z)), (Z, C)),
    "linalg_diagonal": (lambda c: (np.linalg.diagonal(c), np.linalg.trace(c), np.trace(c)), (C,)),
    "triangles": (lambda c: (np.tril(c), np.triu(c, 1)), (C,)),
    "meshgrid": (lambda z, x: np.meshgrid(z, x[:2])[0], (Z, X)),
    "joined": (lambda z, w: (np.concatenate((z, w)), np.stack((z, w), 1), np.hstack((z, w))), (Z, W)),
    "joined_mixed": (lambda z, x: (np.vstack((z, x)), np.dstack((z, x)), np.column_stack((x, z))), (Z, X)),
    "append": (lambda z, x: (np.append(z, x), np.tile(z, 2), np.repeat(z, 2)), (Z, X)),
    "turned": (lambda a: (np.roll(a, 1, 0), np.flip(a), np.fliplr(a), np.flipud(a), np.rot90(a)), (A,)),
    "diff": (lambda z: (np.diff(z), np.take(z, K), np.split(z, 2)[1], np.hsplit(z, 2)[0]), (Z,)),
    "vsplit": (lambda a: np.vsplit(a, 3)[1], (A,)),
    "sums": (lambda a: (np.sum(a), np.sum(a, 0), a.mean(), np.mean(a, 1), a.sum(1, keepdims=True)), (A,)),
    "products": (lambda a: (np.prod(a), np.prod(a, 0), np.cumsum(a), np.cumprod(a[0]), a.cumsum(0)), (A,)),
    "spread": (lambda a: (np.var(a), np.std(a), np.var(a, 0, ddof=1), a.std(axis=1, keepdims=True)), (A,)),
    "matmul": (lambda a, b: (a @ b, np.matmul(a, b[:, 0]), np.linalg.matmul(a, b), a[0] @ b), (A, B)),
    "matmul_mixed": (lambda a, x: (a @ x, np.dot(a, x), x @ a.T, np.outer(x, x) @ a.T), (A, X)),
    "batched": (lambda a, b: np.stack((a, 1j * a)) @ b, (A, B)),
    "dots": (lambda z, w: (np.dot(z, w), np.inner(z, w), np.vdot(z, w), np.outer(z, w), z.dot(w)), (Z, W)),
    "vdot_mixed": (lambda z, x: (np.vdot(z, x), np.vdot(x, z)), (Z, X)),
    "linalg_outer": (lambda z, w: np.linalg.outer(z, w), (Z, W)),
    "tensordot": (lambda a, b: (np.tensordot(a, b, 1), np.kron(a, b)), (A, B)),
    "linalg_tensordot": (lambda a, b: np.linalg.tensordot(a, b, axes=1), (A, B)),
    "einsum": (lambda a, b: (np.einsum("ij,jk->ik", a, b), np.einsum("ij,ij->i", a, b.T)), (A, B)),
    "polyval": (lambda z, w: (np.polyval(z, w), np.polyval(z, 0.5)), (Z, W)),
    "made": (lambda z: np.complex128(0.5) * z + np.complex64(2.5) + complex(0.25) + np.complex128(3), (Z,)),
    "convolve": (lambda z, x: (np.convolve(z, x), np.convolve(x, z, "same")), (Z, X)),
    "select": (lambda z, x: np.select([x > 0.5, x > 0], [z, 1j * z], 2.0), (Z, X)),
    "changed": (lambda z: (np.insert(z, 1, 2j), np.delete(z, 0), np.pad(z, 1), np.vander(z, 3)), (Z,)),
    "trapezoid": (lambda z, x: np.trapezoid(z, x), (Z, X)),
    "powers": (lambda c: np.linalg.matrix_power(c, 3), (C,)),
    "multi_dot": (lambda a, b: np.linalg.multi_dot([a, b, a]), (A, B)),
    "ufunc_outer": (lambda z, w: (np.add.outer(z, w), np.subtract.outer(z, w), np.multiply.outer(z, w)), (Z,
    W)),
    "divide_outer": (lambda z, w: (np.divide.outer(z, w), np.subtract.outer(z, w)), (Z, W)),
    "reduce": (lambda a: (np.add.reduce(a), np.multiply.reduce(a), np.add.accumulate(a[0])), (A,)),
    "accumulate": (lambda z: np.multiply.accumulate(z), (Z,)),
    "at": (accumulated, (Z, W)),
    "parts": (lambda z: (np.real(z), np.imag(z), np.conj(z), np.conjugate(z), z.conj(), np.angle(z)), (Z,)),
    "degrees": (lambda z: (np.angle(z, deg=True), np.angle(z[0], True)), (Z,)),
    "norms": (lambda z, a: (np.linalg.norm(z), np.linalg.norm(a), np.linalg.norm(a, axis=0)), (Z, A)),
    "norm_one": (lambda z: np.linalg.norm(z, 1), (Z,)),
    "solve": (lambda c, z: (np.linalg.solve(c, z[:3]), np.linalg.solve(c, c.T), np.linalg.inv(c)), (C, Z)),
    "solve_mixed": (lambda c, x: (np.linalg.solve(c, x[:3]), np.linalg.solve(c.real, c[0])), (C, X)),
}  # fmt: skip
if hasattr(np, "unstack"):  # NumPy 2.1
    CASES["unstack"] = (lambda a: np.unstack(np.stack((a[0], 2j * a[1])))[1], (C,))
TESTS = {
    "equality": lambda z, w: (z == w, z != z, np.array_equal(z, z), z[0] == z[0], np.equal(z, 1j)),
    "finite": lambda z, w: (np.isnan(z), np.isinf(z), np.isfinite(z / 0.0), np.isnan(z * np.nan)),
    "truth": lambda z, w: (np.any(z), np.all(z * 0), np.count_nonzero(z), bool(z[0]), not z[1]),
    "close": lambda z, w: (
        np.isclose(z, z * (1 + 1e-9)),
        np.allclose(z, w),
        np.isclose(z, w, atol=9.0),
        np.isclose(z, w / 0.0),
    ),
    "types": lambda z, w: (np.iscomplexobj(z), np.isrealobj(z), np.iscomplex(z), np.isreal(z)),
    "cmath": lambda z, w: (cmath.isnan(z[0]), cmath.isinf(z[0]), cmath.isfinite(z[0])),
}


def leaves(value):
    return [x for v in value for x in leaves(v)] if isinstance(value, tuple | list) else [np.asarray(value)]


def same(got, want, rtol=1e-12):
    got, want = leaves(got), leaves(want)
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        single = a.dtype in (np.complex64, np.float32)
        np.testing.assert_allclose(a, b, rtol=1e-6 if single else rtol, atol=1e-6 if single else rtol)


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name: str) -> None:
    function, args = CASES[name]
    same(adjit.jit(function)(*copy.deepcopy(args)), function(*copy.deepcopy(args)))
    single = name in ("array", "astype")
    adjit.check_grads(function, args, order=1, tolerance=1e-3 if single else None)


@pytest.mark.parametrize("name", TESTS)
def test_questions(name: str) -> None:
    same(adjit.jit(TESTS[name])(Z, W), TESTS[name](Z, W))


UNARY = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "square", "reciprocal", "negative")
TURNS = (
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "arcsin",
    "arccos",
    "arctan",
    "arcsinh",
    "arccosh",
    "arctanh",
)


@pytest.mark.parametrize("name", (*UNARY, *TURNS, "positive", "absolute", "conjugate"))
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_ufuncs(name: str, dtype: type) -> None:
    ufunc = getattr(np, name)
    z = normal(6).astype(dtype)
    same(adjit.jit(lambda z: ufunc(z))(z), ufunc(z))
    same(adjit.jit(lambda z: ufunc(z))(z[0]), ufunc(z[0]))
    if dtype is np.complex128:
        adjit.check_grads(lambda z: ufunc(z), (z,), order=1)


@pytest.mark.parametrize("name", ["exp", "log", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos",
"atan", "sinh",
                                  "cosh", "tanh", "asinh", "acosh", "atanh", "phase", "polar"])  # fmt: skip
def test_cmath(name: str) -> None:
    function = getattr(cmath, name)
    for z in (0.3 - 0.8j, -1.2 + 0.4j, -0.7, 2.5, np.complex64(0.3 - 2j)):
        same(adjit.jit(lambda z: function(z))(z), function(z))
    adjit.check_grads(lambda z: function(z), (0.3 - 0.8j,), order=1)


def test_log_in_a_base() -> None:
    adjit.check_grads(lambda z, w: cmath.log(z, w), (0.3 - 0.8j, 1.0 + 2.0j), order=1)
    adjit.check_grads(lambda r, phi: cmath.rect(r, phi), (0.3, 0.8), order=1)


def test_every_function_that_is_kept_has_a_case() -> None:
    seen: set[object] = set()

    def note(ctx, function, args, kwargs):
        if any(complex_functions.is_complex(v) for v in (*args, *kwargs.values())):
            seen.add(function)

    complex_functions.GATES.insert(0, note)
    try:
        for function, args in CASES.values():
            adjit.jit(lambda *a, f=function: f(*a), cache=False).source(*args)
        for function in TESTS.values():
            adjit.jit(lambda *a, f=function: f(*a), cache=False).source(Z, W)
    finally:
        complex_functions.GATES.remove(note)
    missing = {getattr(f, "__name__", str(f)) for f in complex_functions.KEPT - seen}
    assert missing <= {"result_type"}  # asked of dtypes


REFUSED = {
    "np.sort": (lambda z: np.sort(z), "argsort"),
    "np.argsort": (lambda z: np.argsort(z), "z.real"),
    "np.max": (lambda z: np.max(z), "absolute values"),
    "np.argmin": (lambda z: np.argmin(z), "absolute values"),
    "np.fft.fft": (lambda z: np.fft.fft(z), "outer"),
    "np.linalg.det": (lambda z: np.linalg.det(np.outer(z, z)), "real matrix"),
    "np.linalg.eigvals": (lambda z: np.linalg.eigvals(np.outer(z, z)), "real matrix"),
    "np.clip": (lambda z: np.clip(z, 0, 1), "real and imaginary"),
    "np.sinc": (lambda z: np.sinc(z), "real and imaginary"),
    "np.median": (lambda z: np.median(z), "real and imaginary"),
    "np.nan_to_num": (lambda z: np.nan_to_num(z), "real and imaginary"),
    "np.correlate": (lambda z: np.correlate(z, z), "convolve"),
    "np.interp": (lambda z: np.interp(0.5, np.arange(4.0), z), "parts"),
    "np.linspace": (lambda z: np.linspace(z[0], z[1], 3), "real number"),
    "gamma": (lambda z: special.gamma(z), "real and imaginary"),
    "sign": (lambda z: np.sign(z), "real and imaginary"),
    "rint": (lambda z: np.rint(z), "real and imaginary"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    function, remedy = REFUSED[name]
    with pytest.raises(MissingRuleError) as error:
        adjit.jit(function)(Z)
    text = str(error.value)
    assert name in text and remedy in text and "line" in text


@pytest.mark.parametrize(
    "function",
    [
        lambda z: z < 1.0,
        lambda z: z[0] >= z[1],
        lambda z: np.maximum(z, 0),
        lambda z: max(z[0], 1.0),
        lambda z: np.greater(z, z),
    ],
)
def test_order_is_refused(function) -> None:
    with pytest.raises(InferenceError, match="no order"):
        adjit.jit(function)(Z)


def stored(z):
    x = np.zeros(4)
    x[1] = z[0]
    return x


def filled(z):
    x = np.zeros(4)
    x[:] = z
    return x


def added(z):
    x = np.zeros(4)
    x[0] += z[0]
    return x


def in_place(z):
    x = np.zeros(4)
    x *= z
    return x


@pytest.mark.parametrize(
    "function",
    [
        stored,
        filled,
        added,
        in_place,
        lambda z: float(z[0]),
        lambda z: int(z[0]),
        lambda z: z.astype(np.float64),
        lambda z: np.array(z, dtype=float),
        lambda z: np.float32(z[0]),
        lambda z: np.sum(z, dtype=float),
        lambda z: np.full(2, z[0], dtype=float),
        lambda z: np.add(z, z, out=np.zeros(4)),
        lambda z: round(z[0]),
    ],
)
def test_an_imaginary_part_is_never_dropped(function) -> None:
    with pytest.raises(AdjitError) as error:
        adjit.jit(function)(Z)
    assert "complex128" in str(error.value) and "Instead" in str(error.value)


def test_math_takes_no_complex_number() -> None:
    import math

    with pytest.raises(InferenceError, match=r"math\.sqrt takes no complex number"):
        adjit.jit(lambda z: math.sqrt(z[0]))(Z)
    with pytest.raises(InferenceError, match="takes a number"):
        adjit.jit(lambda z: cmath.exp(z))(Z)
