"""adjit's functions among JAX's: jit, grad, vmap, structures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import adjit
from adjit.interop.jax import wrap
from tests.support import oracles

from . import functions


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def test_jit_and_grad(rng: np.random.Generator) -> None:
    x = rng.normal(size=6)
    loss = wrap(functions.recurrence)
    value, gradient = jax.jit(jax.value_and_grad(loss))(x, 0.8)
    assert np.isclose(value, functions.recurrence(x, 0.8))
    direction = rng.normal(size=6)
    estimate = oracles.directional(functions.recurrence, (x, 0.8), 0, direction)
    assert abs(float(gradient @ direction) - estimate.value) < 1e-6


def test_inside_a_larger_program(rng: np.random.Generator) -> None:
    x, y = rng.normal(size=(7, 3)), rng.normal(size=7)
    p = {"weight": rng.normal(size=3), "bias": 0.3}  # JAX sorts the keys
    loss = wrap(functions.fit)

    def total(p):
        return jax.numpy.exp(loss({"weight": 2.0 * p["weight"], "bias": p["bias"]}, x, y))

    def theirs(p):
        r = jax.numpy.tanh(x @ (2.0 * p["weight"])) + p["bias"] - y
        return jax.numpy.exp(jax.numpy.mean(r * r))

    ours, wanted = jax.jit(jax.grad(total))(p), jax.grad(theirs)(p)
    np.testing.assert_allclose(ours["weight"], wanted["weight"], rtol=1e-9)
    np.testing.assert_allclose(ours["bias"], wanted["bias"], rtol=1e-9)


def test_vmap(rng: np.random.Generator) -> None:
    x = rng.normal(size=(5, 6))
    loss = wrap(functions.recurrence)
    values = jax.vmap(loss, in_axes=(0, None))(x, 0.8)
    np.testing.assert_allclose(values, [functions.recurrence(row, 0.8) for row in x], rtol=1e-12)
    gradients = jax.jit(jax.vmap(jax.grad(loss), in_axes=(0, None)))(x, 0.8)
    single = adjit.grad(functions.recurrence)
    np.testing.assert_allclose(gradients, [single(row, 0.8) for row in x], rtol=1e-12)


def test_structures_and_integers(rng: np.random.Generator) -> None:
    x = rng.normal(size=4)
    f = wrap(functions.several)
    found, at = jax.jit(f)(x, 3)
    np.testing.assert_allclose(found["square"], x * x)
    assert int(at) == int(np.argmax(x))
    gradient = jax.grad(lambda x: f(x, 3)[0]["square"].sum() + f(x, 3)[0]["sum"])(x)
    np.testing.assert_allclose(gradient, 2.0 * x + 3.0)


def test_single_precision(rng: np.random.Generator) -> None:
    x = jax.numpy.asarray(rng.normal(size=4), jax.numpy.float32)
    assert jax.grad(wrap(functions.recurrence))(x, np.float32(0.8)).dtype == np.float32


def test_writes_are_refused() -> None:
    with pytest.raises(adjit.OverwriteError, match="copy"):
        wrap(functions.doubled)(np.ones(3))


def test_a_wrong_shape_is_an_error(rng: np.random.Generator) -> None:
    with pytest.raises(Exception, match=r"shape|Shape"):
        wrap(functions.several, result=jax.ShapeDtypeStruct((3,), np.float64))(rng.normal(size=4), 3)


def test_complex_arguments_and_results(rng: np.random.Generator) -> None:
    def f(z: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.exp(z * x) + x * 1j

    z, x = rng.normal(size=3) + 1j * rng.normal(size=3), rng.normal(size=3)
    ct = jax.numpy.asarray(rng.normal(size=3) - 1j * rng.normal(size=3))
    want, there = jax.vjp(
        lambda z, x: jax.numpy.exp(z * x) + x * 1j, jax.numpy.asarray(z), jax.numpy.asarray(x)
    )
    got, back = jax.vjp(wrap(f), jax.numpy.asarray(z), jax.numpy.asarray(x))
    np.testing.assert_allclose(got, want, rtol=1e-6)
    for a, b in zip(back(ct.astype(got.dtype)), there(ct.astype(want.dtype)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
