"""The gallery's programs reach what they set out for, and their gradients agree with finite differences."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import norm

import adjit

FOLDER = Path(__file__).parent.parent.parent / "docs" / "gallery"


def program(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"gallery_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_garch() -> None:
    module = program("garch")
    found, returns = module.main(days=400)
    best = module.negative_log_likelihood(found, returns)
    assert best <= module.negative_log_likelihood(np.array([0.1, 0.12, 0.8]), returns)
    for step in np.eye(3) * 1e-3:
        assert best <= module.negative_log_likelihood(found + step, returns) + 1e-9


def test_orbit() -> None:
    found, truth = program("orbit").main(steps=200)
    np.testing.assert_allclose(found, truth, atol=5e-3)


def test_wave() -> None:
    found, truth = program("wave").main(width=5, steps=70)
    np.testing.assert_allclose(found[:3], truth[:3], atol=0.02)


def test_bundle() -> None:
    before, after = program("bundle").main(cameras=2, points=7)
    assert before > 1e-2 and after < 1e-8


def test_kalman() -> None:
    found, truth, errors = program("kalman").main(steps=200)
    assert np.all(np.abs(np.log(found / truth)) < 3.0 * errors)


def test_mixture() -> None:
    p, centres = program("mixture").main(count=60, steps=80)
    np.testing.assert_allclose(p["centre"], centres, atol=0.4)
    np.testing.assert_allclose(np.exp(p["log_spread"]), 0.5, atol=0.2)


def test_neural_ode() -> None:
    values = program("neural_ode").main(points=5, steps=40)
    assert values[-1] < 0.1 * values[0]


def test_lattice() -> None:
    """The European put has a closed form (Black and Scholes), which the tree comes near with more steps."""
    module = program("lattice")
    spot, vol, rate, strike, years = 100.0, 0.25, 0.05, 105.0, 1.0
    d1 = (math.log(spot / strike) + (rate + 0.5 * vol**2) * years) / (vol * math.sqrt(years))
    d2 = d1 - vol * math.sqrt(years)
    discounted = strike * math.exp(-rate * years)
    price, delta = discounted * norm.cdf(-d2) - spot * norm.cdf(-d1), -norm.cdf(-d1)
    exact = np.array(
        [price, delta, spot * norm.pdf(d1) * math.sqrt(years), -years * discounted * norm.cdf(-d2)]
    )
    errors = []
    for steps in (30, 60):
        found = module.main(steps)
        european, greeks = found[False]
        assert found[True][0] > european + 0.5
        errors.append(np.abs([european, *greeks] - exact))
    assert np.all(errors[1] < [0.04, 0.0015, 0.15, 0.12]), errors
    assert np.all(errors[1] < 0.8 * errors[0]), errors


@pytest.mark.parametrize(
    ("name", "function", "args"),
    [
        ("garch", "negative_log_likelihood", (np.array([0.2, 0.1, 0.7]), np.array([0.3, -1.0, 0.5, 0.1]))),
        ("wave", "misfit", (np.array([1.0, 1.2, 0.9]), np.linspace(0.0, 0.3, 30), 4, 0.5, 1.0)),
        ("kalman", "negative_log_likelihood", (np.array([-1.0, -0.2]), np.array([0.3, -1.0, 0.5, 0.1]))),
        ("lattice", "put", (100.0, 0.25, 0.05, 105.0, 1.0, 6, True)),
        (
            "mixture",
            "negative_log_likelihood",
            (
                {"logit": np.array([0.1, 0.3]), "centre": np.eye(2), "log_spread": np.array([0.0, -0.2])},
                np.array([[0.5, 0.2], [-0.3, 1.0]]),
            ),
        ),
    ],
)
def test_gradients(name: str, function: str, args: tuple[object, ...]) -> None:
    adjit.check_grads(getattr(program(name), function), args, order=1, modes=("rev",))
