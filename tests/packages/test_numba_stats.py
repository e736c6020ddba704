"""Statistics: densities and distribution functions of numba-stats, which call SciPy's special functions
through pointers."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

pytest.importorskip("numba_stats", reason="the extra `packages` is not installed")

import adjit

from .judged import Case, check

pytestmark = pytest.mark.slow

REAL = np.array([-1.3, -0.2, 0.4, 1.1, 2.3])
POSITIVE = np.array([0.3, 0.9, 1.7, 2.6])
UNIT = np.array([0.12, 0.35, 0.66, 0.9])
COUNTS = np.array([0.0, 1.0, 2.0, 5.0])

# Module: points and parameters.
LAWS: dict[str, tuple[np.ndarray, tuple[float, ...]]] = {
    "norm": (REAL, (0.2, 1.3)),
    "expon": (POSITIVE, (0.1, 1.3)),
    "laplace": (REAL, (0.17, 1.3)),
    "lognorm": (POSITIVE, (0.8, 0.1, 1.3)),
    "truncnorm": (POSITIVE, (0.0, 3.0, 0.3, 1.4)),
    "truncexpon": (POSITIVE, (0.0, 3.0, 0.1, 1.4)),
    "crystalball": (REAL, (1.2, 2.4, 0.2, 1.3)),
    "crystalball_ex": (REAL, (1.2, 2.4, 1.1, 1.3, 2.6, 0.9, 0.2)),
    "cruijff": (REAL, (0.1, 0.2, 0.15, 1.1, 1.3)),
    "cmsshape": (POSITIVE, (0.4, 0.3, 0.2)),
    "argus": (POSITIVE / 3.0, (1.3, 0.95, 0.6)),
    "tsallis": (POSITIVE, (3.2, 1.1, 2.3)),
    "gamma": (POSITIVE, (2.3, 0.1, 1.3)),
    "chi2": (POSITIVE, (3.3, 0.1, 1.2)),
    "skewnorm": (REAL, (0.7, 0.2, 1.3)),
    "exponnorm": (REAL, (0.7, 0.2, 1.3)),
    "poisson": (COUNTS, (2.3,)),
}
FUNCTIONS = ("_logpdf", "_pdf", "_logpmf", "_pmf", "_cdf", "_ppf", "_density", "_integral")
DISCRETE = ("poisson",)


def cases(law: str) -> list[Case]:
    module = importlib.import_module(f"numba_stats.{law}")
    points, parameters = LAWS[law]
    first = 1 if law in DISCRETE else 0
    argnums = tuple(range(first, 1 + len(parameters)))
    return [
        Case(getattr(module, name), (UNIT if name == "_ppf" else points, *parameters), argnums)
        for name in FUNCTIONS
        if hasattr(module, name)
    ]


@pytest.mark.parametrize("law", LAWS)
def test_gradient(law: str) -> None:
    found = cases(law)
    assert found
    for case in found:
        check(case)


def test_degrees_of_freedom_are_refused() -> None:
    module = importlib.import_module("numba_stats.t")
    check(Case(module._cdf, (REAL, 3.4, 0.2, 1.3), (0, 2, 3)))
    with pytest.raises(adjit.errors.NotDifferentiableError, match="degrees of freedom"):
        adjit.vjp(module._cdf, REAL, 3.4, 0.2, 1.3, argnums=1)
