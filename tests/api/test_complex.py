"""Complex arguments and results of every transform: JAX's convention, dtypes, memory, refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import adjit
from adjit.errors import MissingRuleError, NotDifferentiableError, OverwriteError, SeedError

Z = np.array([0.3 - 1.2j, -0.7 + 0.2j, 1.5j, -0.4])
M = np.arange(1.0, 7.0).reshape(2, 3) * (1 - 0.5j)


def size(z: Any) -> Any:
    return np.sum(np.abs(z) ** 2)


def test_the_convention_of_the_gradient() -> None:
    """df/dx - i df/dy, so that the first-order change is Re(g dz)."""
    assert adjit.grad(lambda z: z.real)(1 + 2j) == 1
    assert adjit.grad(lambda z: z.imag)(1 + 2j) == -1j
    np.testing.assert_allclose(adjit.grad(size)(Z), 2 * np.conj(Z))
    value, (gz, gx) = adjit.value_and_grad(lambda z, x: (z * x).imag, argnums=(0, 1))(2 + 3j, 4.0)
    assert (value, gz, gx) == (12.0, -4j, 3.0) and type(gz) is complex and type(gx) is float


def test_dtypes_of_gradients() -> None:
    assert adjit.grad(size)(Z.astype(np.complex64)).dtype == np.complex64
    assert type(adjit.grad(lambda z: abs(z) ** 2)(np.complex64(1j))) is np.complex64
    assert type(adjit.grad(lambda z: abs(z) ** 2)(np.complex128(1j))) is complex
    assert type(adjit.jit(lambda z: z * z)(np.complex64(1j))) is np.complex64
    assert adjit.jit(lambda x: x * np.complex64(1j))(np.ones(2, np.float32)).dtype == np.complex64


def test_pullbacks_of_holomorphic_functions_multiply_by_the_derivative() -> None:
    value, pullback = adjit.vjp(lambda z: z * z * z, Z)
    np.testing.assert_allclose(value, Z**3)
    ct = np.array([1.0, 1j, 2 - 1j, -0.5])
    np.testing.assert_allclose(pullback(ct)[0], 3 * Z**2 * ct)
    _, tangent = adjit.jvp(lambda z: z * z * z, (Z,), (ct,))
    np.testing.assert_allclose(tangent, 3 * Z**2 * ct)


def test_pullbacks_of_other_functions_keep_the_real_pairing() -> None:
    def f(z: Any, x: Any) -> Any:
        return np.conj(z) * x + 1j * np.abs(z), z.real @ x

    rng = np.random.default_rng(3)
    x, dz, dx = rng.normal(size=4), rng.normal(size=4) + 1j * rng.normal(size=4), rng.normal(size=4)
    _, (dw, dr) = adjit.jvp(f, (Z, x), (dz, dx))
    _, pullback = adjit.vjp(f, Z, x)
    ct = rng.normal(size=4) - 1j * rng.normal(size=4)
    gz, gx = pullback((ct, 0.7))
    assert np.sum((ct * dw).real) + 0.7 * dr == pytest.approx(np.sum((gz * dz).real) + gx @ dx)


def test_real_seeds_are_taken_for_complex_ones() -> None:
    _, pullback = adjit.vjp(lambda z: 1j * z, Z, retain=True)
    np.testing.assert_allclose(pullback(np.ones(4))[0], np.full(4, 1j))
    np.testing.assert_allclose(pullback(np.ones(4, np.complex64))[0], np.full(4, 1j))
    assert adjit.vjp(lambda z: 1j * z, 2.0 + 1j)[1](1)[0] == 1j
    assert adjit.jvp(lambda z: 1j * z, (2.0 + 1j,), (3,))[1] == 3j


@pytest.mark.parametrize(
    ("seed", "words"),
    [
        (np.ones(3), "shape (3,), but (4,) is expected"),
        (1j, "shape (), but (4,) is expected"),
        (np.ones(4, np.clongdouble), "dtype complex256"),
        ("x", "dtype <U1"),
    ],
)
def test_seeds_that_do_not_fit(seed: Any, words: str) -> None:
    with pytest.raises(SeedError) as caught:
        adjit.vjp(lambda z: 1j * z, Z)[1](seed)
    assert words in str(caught.value)
    with pytest.raises(SeedError, match="a complex array of shape"):
        adjit.vjp(lambda z: 1j * z, Z)[1]()


def test_no_complex_seed_for_a_real_result() -> None:
    with pytest.raises(SeedError, match="complex128"):
        adjit.vjp(size, Z)[1](1j)
    with pytest.raises(SeedError, match="complex128"):
        adjit.jvp(lambda x: x * 1j, (1.0,), (1j,))


def test_a_gradient_is_that_of_a_real_number() -> None:
    for f, x in ((lambda z: z * z, 1j), (lambda x: x * 1j, 2.0), (lambda z: z, Z)):
        with pytest.raises(NotDifferentiableError, match=r"returns a complex (number|array)") as caught:
            adjit.grad(f)(x)
        assert ".real" in str(caught.value)


def test_second_order() -> None:
    def f(z: Any) -> Any:
        return np.sum(np.abs(z) ** 4) + (z[0] * z[1]).imag

    v = np.array([1.0, 1j, -2.0, 0.5 - 1j])
    h = 1e-5
    step = (adjit.grad(f)(Z + h * v) - adjit.grad(f)(Z - h * v)) / (2 * h)
    np.testing.assert_allclose(adjit.hvp(f, (Z,), v), step, rtol=1e-8)
    adjit.check_grads(f, (Z,))


def test_jacobians() -> None:
    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(adjit.jacfwd(lambda x: x * x * 1j)(x), np.diag([2j, 4j]))
    np.testing.assert_allclose(adjit.jacrev(lambda x: np.abs(x * 1j) ** 2)(x), np.diag([2.0, 4.0]))
    for make, f, a in (
        (adjit.jacfwd, lambda z: z * z, Z),
        (adjit.jacrev, lambda z: np.abs(z), Z),
        (adjit.jacrev, lambda x: x * 1j, x),
        (adjit.hessian, size, Z),
        (adjit.sparse_jacobian, lambda x: x * 1j, x),
        (adjit.vmap, lambda z: z * z, Z),
        (adjit.vmap, lambda x: x * 1j, x),
    ):
        with pytest.raises(MissingRuleError, match="no form for complex numbers"):
            make(f)(a)
    np.testing.assert_allclose(adjit.vmap(lambda x: abs(x * 1j) ** 2)(x), [1.0, 4.0])


@pytest.mark.parametrize("z", [M.T, M[::-1, ::2], np.asfortranarray(M), M[0, 0:0], np.array(1 + 1j), M[:, 1]])
def test_memory_of_any_layout(z: Any) -> None:
    np.testing.assert_allclose(adjit.grad(size)(z), 2 * np.conj(z))
    np.testing.assert_allclose(adjit.jit(lambda z: z * 1j)(z), z * 1j)


def test_the_callers_array_is_written() -> None:
    def f(z: Any) -> Any:
        z[1] = z[0] * 1j
        z.imag[2] = 5.0
        return size(z)

    z = Z.copy()
    g = adjit.grad(f)(z)
    np.testing.assert_allclose(z, [Z[0], Z[0] * 1j, 5j, Z[3]])
    np.testing.assert_allclose(g, [4 * np.conj(Z[0]), 0, 0, 2 * np.conj(Z[3])])
    with pytest.raises(OverwriteError, match="overlap"):
        adjit.grad(lambda z, w: f(z) + size(w))(z, z[1:])
    g = adjit.grad(lambda z, w: f(z) + size(w))(Z.copy(), Z)
    np.testing.assert_allclose(g[3], 2 * np.conj(Z[3]))


def test_the_same_array_twice() -> None:
    def f(z: Any, w: Any) -> Any:
        z[0] = w[1] * 1j
        return size(z) + w[0].real

    z = Z.copy()
    g, h = adjit.grad(f, argnums=(0, 1))(z, z)
    np.testing.assert_allclose(
        g + h, [0, 4 * np.conj(Z[1]) - 1j * 0 + 1j, 2 * np.conj(Z[2]), 2 * np.conj(Z[3])]
    )


@dataclass
class Wave:
    amplitude: Any
    phase: float


def test_structures() -> None:
    def f(wave: Any, extra: Any) -> Any:
        return size(wave.amplitude * np.exp(1j * wave.phase) + extra["z"])

    args = Wave(Z, 0.3), {"z": 1j, "n": 3}
    found, more = adjit.grad(f, argnums=(0, 1))(*args)
    assert type(found) is Wave and type(more["z"]) is complex and more["n"] is None
    adjit.check_grads(f, args, order=1)
    assert adjit.jit(lambda w: {"a": w.amplitude * 2, "b": (w.phase * 1j,)})(args[0])["b"] == (0.3j,)


def test_has_aux_and_buffers() -> None:
    assert adjit.grad(lambda x: (x * x, 1j * x), has_aux=True)(2.0) == (4.0, 2j)
    buffer = adjit.zeros_like(Z)
    assert buffer.dtype == complex
    value = adjit.value_and_grad(size).accumulate(buffer, Z)
    adjit.value_and_grad(size).accumulate(buffer, Z)
    assert value == pytest.approx(size(Z))
    np.testing.assert_allclose(buffer, 4 * np.conj(Z))


def test_constants_are_results_too() -> None:
    assert adjit.jit(lambda x: 1j)(2.0) == 1j
    assert adjit.jit(lambda x: (x, np.complex64(2j)))(2.0) == (2.0, 2j)
    assert adjit.jit(lambda x: abs(np.complex128(3 + 4j)) * x)(2.0) == 10.0


def test_kinds_of_arguments_are_told_apart() -> None:
    f = adjit.jit(lambda z: z * 2)
    for z in (1.0, 1j, np.complex64(1j), np.complex128(1j), Z, Z.real, Z.astype(np.complex64)):
        got = f(z)
        assert np.result_type(got) == np.result_type(z * 2)
        np.testing.assert_allclose(got, z * 2)


def test_explain_and_saved_name_complex_arguments() -> None:
    g = adjit.grad(lambda z, x: np.sum(np.abs(np.exp(z * x))))
    assert "z" in g.explain("z", Z, 2.0)
    assert g.saved(Z, 2.0).nbytes >= 0


@pytest.mark.compiled
def test_the_short_way(compiled: None) -> None:
    f = adjit.value_and_grad(lambda z, w, x: np.sum(np.abs(z * w) ** 2) * x, argnums=(0, 1))
    for k in range(1, 4):
        value, (gz, gw) = f(Z * k, 2j, 0.5)
        np.testing.assert_allclose(value, 2 * size(Z * k))
        np.testing.assert_allclose(gz, 4 * np.conj(Z * k))
        np.testing.assert_allclose(gw, size(Z * k) * -2j)
    assert f.fast is not None
    np.testing.assert_allclose(f(Z[::2], 2j, 0.5)[0], 2 * size(Z[::2]))
    np.testing.assert_allclose(f(Z.real, 2j, 0.5)[0], 2 * size(Z.real))
    np.testing.assert_allclose(f(Z, np.complex128(2j), 0.5)[0], 2 * size(Z))


@pytest.mark.compiled
def test_pullbacks_compiled(compiled: None) -> None:
    value, pullback = adjit.vjp(lambda z, x: np.exp(z * x), Z, 0.3)
    np.testing.assert_allclose(value, np.exp(Z * 0.3))
    gz, gx = pullback(np.ones(4))
    np.testing.assert_allclose(gz, 0.3 * np.exp(Z * 0.3))
    np.testing.assert_allclose(gx, np.sum(Z * np.exp(Z * 0.3)).real)
