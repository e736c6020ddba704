"""Compiled evaluations of special functions against SciPy's, run as plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import special

from adjit.compiler.ops.special import NAMES
from adjit.runtime import evaluations
from adjit.runtime import special as runtime_special

RNG = np.random.default_rng(7)
REAL = np.concatenate(
    [RNG.normal(size=200) * 3, RNG.normal(size=50) * 8, [0, 1, -1, 1e-10, -1e-10, 1e-300, 40, -40]]
)
TINY = 10.0 ** RNG.uniform(-300, -1, size=60)
UNIT = np.concatenate([RNG.random(200), TINY, 1 - 10.0 ** RNG.uniform(-14, -1, size=60), [0.0, 0.5, 1.0]])
GAMMA = np.concatenate(
    [RNG.random(150) * 20, RNG.random(50) * 1e-5, -RNG.random(100) * 20, 10.0 ** RNG.uniform(0, 2, 30)]
)


def mills(x: np.ndarray) -> np.ndarray:
    return np.sqrt(2 / np.pi) / special.erfcx(-x / np.sqrt(2))


ROWS: dict[str, tuple[Callable[..., np.ndarray], np.ndarray, float]] = {
    "erf": (special.erf, REAL, 1e-15),
    "erfc": (special.erfc, REAL, 1e-12),
    "erfcx": (special.erfcx, REAL, 2e-13),
    "erfinv": (special.erfinv, np.concatenate([2 * UNIT - 1, TINY, -TINY]), 1e-14),
    "gamma": (special.gamma, GAMMA, 1e-14),
    "gammaln": (special.gammaln, GAMMA, 2e-13),
    "digamma": (special.digamma, GAMMA, 5e-13),
    "ndtr": (special.ndtr, REAL, 2e-12),
    "log_ndtr": (special.log_ndtr, REAL, 2e-12),
    "ndtri": (special.ndtri, UNIT, 1e-13),
    "logit": (special.logit, UNIT, 1e-14),
    "log_expit": (special.log_expit, REAL, 1e-14),
    "expit": (special.expit, REAL, 1e-14),
    "mills": (mills, REAL, 1e-12),
}


def test_every_special_function_has_a_row() -> None:
    assert set(ROWS) | {"polygamma"} == set(NAMES)
    assert all(callable(getattr(runtime_special, name)) for name in NAMES)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_accuracy(name: str) -> None:
    reference, points, bound = ROWS[name]
    evaluation = getattr(evaluations, name).py_func
    with np.errstate(all="ignore"):
        expected = reference(points)
        for x, want in zip(points, expected, strict=True):
            try:
                got = evaluation(float(x))
            except (
                ZeroDivisionError,
                ValueError,
                OverflowError,
            ):  # Python raises where compiled code gives infinity
                assert not math.isfinite(want)
                continue
            assert got == pytest.approx(want, rel=bound, abs=1e-305, nan_ok=True), x


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_polygamma(n: int) -> None:
    for x in GAMMA:
        got = evaluations.polygamma.py_func(float(n), float(x))
        assert got == pytest.approx(float(special.polygamma(n, x)), rel=1e-12)


def test_plain_calls_keep_float32() -> None:
    for name in NAMES:
        function = getattr(runtime_special, name)
        x = np.float32(0.3)
        result = function(np.float32(1.0), x) if name == "polygamma" else function(x)
        assert result.dtype == np.float32


@pytest.mark.compiled
def test_compiled_code_calls_the_evaluation(compiled: None) -> None:
    import numba

    erf, polygamma = runtime_special.erf, runtime_special.polygamma

    @numba.njit(error_model="numpy")
    def both(x):  # type: ignore[no-untyped-def]
        return erf(x), polygamma(x / x, x)

    assert both(0.3) == pytest.approx((special.erf(0.3), float(special.polygamma(1, 0.3))))
    both(np.float32(0.3))
    assert str(both.nopython_signatures[1].return_type) == "UniTuple(float32 x 2)"
