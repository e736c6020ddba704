"""Buffers for gradients: zeros in the structure of parameters, accumulation over micro-batches."""

from __future__ import annotations

import numpy as np

import adjit


def loss(p, x, y):  # type: ignore[no-untyped-def]
    r = np.tanh(x @ p["w"]) * p["scale"] - y
    return np.sum(r * r)


def test_zeros_have_the_structure_of_the_parameters() -> None:
    p = {"w": np.ones((3, 2), np.float32), "scale": 2.0, "rest": [np.ones(1), (np.float32(1), 3, None, "a")]}
    z = adjit.zeros_like(p)
    assert z["w"].dtype == np.float32 and z["w"].shape == (3, 2) and not z["w"].any()
    assert z["scale"].shape == () and z["scale"].dtype == np.float64
    assert z["rest"][1][0].dtype == np.float32 and z["rest"][1][1:] == (None, None, None)


def test_micro_batches_equal_the_batch(rng: np.random.Generator) -> None:
    p = {"w": rng.normal(size=3), "scale": 1.5}
    x, y = rng.normal(size=(12, 3)), rng.normal(size=12)
    f = adjit.value_and_grad(loss)
    whole, gradient = f(p, x, y)
    buffers = adjit.zeros_like(p)
    total = sum(f.accumulate(buffers, p, x[k : k + 4], y[k : k + 4]) for k in range(0, 12, 4))
    np.testing.assert_allclose(total, whole, rtol=1e-13)
    np.testing.assert_allclose(buffers["w"], gradient["w"], rtol=1e-13)
    np.testing.assert_allclose(buffers["scale"], gradient["scale"], rtol=1e-13)
    f.accumulate(buffers, p, x, y)  # nothing was cleared: twice the gradient
    np.testing.assert_allclose(buffers["w"], 2.0 * gradient["w"], rtol=1e-13)
    np.testing.assert_allclose(buffers["scale"], 2.0 * gradient["scale"], rtol=1e-13)
    f.into(buffers, p, x, y)
    np.testing.assert_allclose(buffers["w"], gradient["w"], rtol=1e-13)
