"""Update rules against their formulas in NumPy, and training that overfits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjit
from adjit import train


def formulas(name: str, p: Any, gs: list[Any], rate: float) -> Any:
    """The rule written out, in float64."""
    p = np.array(p, dtype=np.float64)
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gs, 1):
        g = np.asarray(g, dtype=np.float64)
        if name == "sgd":
            p = p - rate * g
        elif name == "momentum":
            m = 0.9 * m + g
            p = p - rate * m
        elif name == "nesterov":
            m = 0.9 * m + g
            p = p - rate * (g + 0.9 * m)
        else:
            if name == "adamw":
                p = p * (1.0 - rate * 0.01)
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
            p = p - rate * (m / (1.0 - 0.9**t)) / (np.sqrt(v / (1.0 - 0.999**t)) + 1e-8)
    return p


RULES = {
    "sgd": train.sgd(0.1),
    "momentum": train.momentum(0.1),
    "nesterov": train.momentum(0.1, nesterov=True),
    "adam": train.adam(0.1),
    "adamw": train.adamw(0.1),
}


def follow(name: str, rng: np.random.Generator, dtype: Any, tolerance: float) -> None:
    start = {"w": rng.normal(size=(4, 3)).astype(dtype), "rest": [np.array(0.5, dtype)]}
    p = {"w": start["w"].copy(), "rest": [start["rest"][0].copy()]}
    w, number = p["w"], p["rest"][0]
    gs = [{"w": rng.normal(size=(4, 3)).astype(dtype), "rest": [rng.normal()]} for _ in range(5)]
    rule = RULES[name]
    state = rule.init(p)
    for g in gs:
        rule.update(p, g, state)
    assert p["w"] is w and p["rest"][0] is number and w.dtype == dtype
    expected = formulas(name, start["w"], [g["w"] for g in gs], 0.1)
    np.testing.assert_allclose(w, expected, rtol=tolerance, atol=tolerance)
    expected = formulas(name, start["rest"][0], [g["rest"][0] for g in gs], 0.1)
    np.testing.assert_allclose(number, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", RULES)
def test_rules(name: str, rng: np.random.Generator) -> None:
    follow(name, rng, np.float64, 1e-13)
    follow(name, rng, np.float32, 1e-5)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["sgd", "adamw"])
def test_rules_compiled(name: str, rng: np.random.Generator, compiled: None) -> None:
    follow(name, rng, np.float64, 1e-13)
    follow(name, rng, np.float32, 1e-5)


def test_strides_and_missing_gradients(rng: np.random.Generator) -> None:
    whole = rng.normal(size=(6, 4))
    p = {"part": whole[::2, 1:3], "order": np.asfortranarray(rng.normal(size=(3, 2))), "fixed": np.ones(2)}
    g = {"part": rng.normal(size=(3, 2)), "order": rng.normal(size=(3, 2)), "fixed": None}
    before, expected, order = whole.copy(), p["part"] - 0.5 * g["part"], p["order"] - 0.5 * g["order"]
    rule = train.sgd(0.25)
    rule.update(p, g, rule.init(p), rate=0.5)
    np.testing.assert_allclose(whole[::2, 1:3], expected)
    np.testing.assert_allclose(p["order"], order)
    np.testing.assert_array_equal(whole[1::2], before[1::2])
    np.testing.assert_array_equal(p["fixed"], np.ones(2))


def test_clipping(rng: np.random.Generator) -> None:
    g = {"a": rng.normal(size=5), "b": [rng.normal(size=(2, 2)).astype(np.float32)]}
    norm = np.sqrt(np.sum(g["a"] ** 2) + np.sum(g["b"][0].astype(float) ** 2))
    before = g["a"].copy()
    assert np.isclose(train.clip_by_global_norm(g, 2.0 * norm), norm)
    np.testing.assert_array_equal(g["a"], before)
    assert np.isclose(train.clip_by_global_norm(g, 0.5), norm)
    np.testing.assert_allclose(g["a"], before * 0.5 / norm, rtol=1e-12)
    assert np.isclose(train.clip_by_global_norm(g, 1.0), 0.5, rtol=1e-6)
    g["a"][0] = np.inf
    assert train.clip_by_global_norm(g, 1.0) == np.inf and g["a"][1] == before[1] * 0.5 / norm


def test_refusals() -> None:
    rule = train.adam()
    with pytest.raises(adjit.SeedError, match="cannot be changed in place"):
        rule.update({"a": 0.5}, {"a": 1.0}, rule.init({"a": 0.5}))
    p = {"a": np.ones(2), "b": np.ones(3)}
    with pytest.raises(adjit.SeedError, match=r"params\['b'\] has shape \(3,\)"):
        rule.update(p, {"a": np.ones(2), "b": np.ones(2)}, rule.init(p))
    np.testing.assert_array_equal(p["a"], np.ones(2))
    with pytest.raises(adjit.SeedError, match="dict of 2"):
        rule.update(p, {"a": np.ones(2)}, rule.init(p))


def network(p, x, y):  # type: ignore[no-untyped-def]
    h = np.maximum(x @ p["hidden"] + p["bias"], 0.0)
    r = h @ p["out"] - y
    return np.mean(r * r)


def test_a_network_overfits_four_samples() -> None:
    rng = np.random.default_rng(3)
    p = {"hidden": rng.normal(size=(2, 8)), "bias": np.zeros(8), "out": 0.3 * rng.normal(size=8)}
    x, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0.0, 1.0, 1.0, 0.0])
    f, rule = adjit.value_and_grad(network), train.adam(0.03)
    state = rule.init(p)
    for _ in range(400):
        _, g = f(p, x, y)
        rule.update(p, g, state)
    assert network(p, x, y) < 1e-4
