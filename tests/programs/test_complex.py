"""Gradients of programs with complex numbers against finite differences of the functions themselves."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import adjit
from tests.programs.complex_programs import PROGRAMS
from tests.support.complex_oracles import gradient, is_inexact

NAMES = list(PROGRAMS)
COMPILED = ("mandelbrot", "thin_film", "split_step", "parts_are_views")


def close(got, want, single):
    rtol = 5e-3 if single else 2e-6
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("name", NAMES)
def test_gradients(name: str) -> None:
    function, args = PROGRAMS[name]
    wrt = tuple(k for k, a in enumerate(args) if is_inexact(a))
    value, found = adjit.value_and_grad(function, argnums=wrt)(*copy.deepcopy(args))
    single = name == "single_precision"
    np.testing.assert_allclose(value, function(*copy.deepcopy(args)), rtol=1e-5 if single else 1e-12)
    for k, g in zip(wrt, found, strict=True):
        assert np.result_type(g) == np.result_type(args[k])
        close(g, gradient(function, args, k), single)


@pytest.mark.parametrize("name", NAMES)
def test_both_modes(name: str) -> None:
    function, args = PROGRAMS[name]
    adjit.check_grads(function, args, order=1, tolerance=2e-2 if name == "single_precision" else None)


@pytest.mark.parametrize("name", ["mandelbrot", "quantum_steps", "overlap", "hermitian_form", "damped"])
def test_second_order(name: str) -> None:
    function, args = PROGRAMS[name]
    adjit.check_grads(function, args, order=2)


@pytest.mark.compiled
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name: str, compiled: None) -> None:
    function, args = PROGRAMS[name]
    wrt = tuple(k for k, a in enumerate(args) if is_inexact(a))
    made = adjit.value_and_grad(function, argnums=wrt)
    for _ in range(2):  # the second call takes the short way
        value, found = made(*copy.deepcopy(args))
        np.testing.assert_allclose(value, function(*copy.deepcopy(args)), rtol=1e-12)
        for k, g in zip(wrt, found, strict=True):
            close(g, gradient(function, args, k), False)
