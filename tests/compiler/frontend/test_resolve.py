"""Globals and closure variables: guards, hidden arrays, modules, objects."""

from __future__ import annotations

import math

import numpy as np
import pytest

import adjit
from adjit.errors import NameResolutionError, NotDifferentiableError
from tests.support.capturing import agrees, captured

X = np.array([0.9, -0.4, 1.1, 1.3])
WEIGHTS = np.array([0.5, -1.25, 2.0, 0.75])
CONFIG = {"alpha": 0.3, "w": WEIGHTS}
LIST = [1.0, 2.0, 3.0]
SCALE = 1.5


def helper(x):
    return x * SCALE


def uses_globals(x):
    s = (x * WEIGHTS).sum() * CONFIG["alpha"] + CONFIG["w"][0] + LIST[1] + len(LIST)
    return s + helper(x[0]) * math.pi


def test_values():
    agrees(uses_globals, X)


def test_constants_are_guarded_and_arrays_hidden():
    program = captured(uses_globals, X)
    assert {"SCALE", "helper", "LIST"} <= {g.name for g in program.guards}
    assert [h.name for h in program.hidden] == ["WEIGHTS", "CONFIG['w']"]
    assert program.hidden[0].fetch() is WEIGHTS
    for g in program.guards:
        assert g.fetch() == g.value


def test_modules_of_numpy_are_not_guarded():
    program = captured(lambda x: np.sin(x) + math.pi + np.inf, 1.0)
    assert program.guards == ()


def test_closure_variables():
    a, w = 2.0, np.array([1.0, 2.0, 3.0, 4.0])

    def f(x):
        return np.sum(x * w) * a

    program = captured(f, X)
    assert [g.name for g in program.guards if g.name == "a"] == ["a"]
    assert [h.name for h in program.hidden] == ["w"]
    agrees(f, X)


def test_global_arrays_are_not_written():
    def f(x):
        WEIGHTS[0] = x[0]
        return x

    with pytest.raises(NotDifferentiableError, match="the global array 'WEIGHTS' is written"):
        captured(f, X)


def test_global_lists_are_not_changed():
    def f(x):
        LIST.append(x)
        return x

    with pytest.raises(NotDifferentiableError, match="the global 'LIST' is changed"):
        captured(f, 1.0)


def test_empty_cell():
    def outer():
        def f(x):
            return x * later

        captured(f, 1.0)
        later = 2.0
        return later

    with pytest.raises(NameResolutionError, match="the closure variable 'later' has no value yet"):
        outer()


def test_missing_attribute():
    with pytest.raises(NameResolutionError, match="the module 'math' has no attribute 'sine'"):
        captured(lambda x: math.sine(x), 1.0)


def chosen(function):
    return lambda x: function(x)


ACTIVATION = np.sin


def activated(x):
    return ACTIVATION(x)


def test_functions_of_numpy_in_closures_and_globals_are_told_apart(monkeypatch):
    for function in (np.sin, np.cos, math.exp, np.sum):
        assert adjit.jit(chosen(function))(0.5) == function(0.5)
        monkeypatch.setitem(globals(), "ACTIVATION", function)
        assert adjit.jit(activated)(0.5) == function(0.5)


POLES = np.array([[1.0, 2.0j], [0.5, -1.0]])[:, ::-1]
UNIT = 1j


def test_complex_globals():
    def f(x):
        return POLES * x, UNIT * x, POLES.real[0, 1] * x

    program = captured(f, 2.0)
    assert [h.name for h in program.hidden] == ["POLES"]
    assert program.hidden[0].spec.dtype == "float64"
    agrees(f, 2.0)
