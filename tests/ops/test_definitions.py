"""Definitions over loops, run as plain Python: value, shape and dtype are NumPy's."""

from __future__ import annotations

import functools
import inspect
import math
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from scipy import special

from adjit.compiler.definitions import DEFINITIONS, ELEMENTWISE, arguments_marked

from . import array_cases, cases, complex_cases, memory_cases, random_cases, stack_cases  # noqa: F401
from .rows import ROWS, Row


class Defined:
    """A namespace like NumPy in which defined functions are their definitions."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.module, name)
        if isinstance(found, types.ModuleType):
            return Defined(found)
        if isinstance(found, Callable) and not isinstance(found, type):  # type: ignore[arg-type]
            if found in DEFINITIONS:
                return converting(DEFINITIONS[found])
            if found in ELEMENTWISE:
                return lambda *args: lifted(found, *args)
        return found


MODULES = {"np": np, "special": special, "math": math, "scipy": scipy, "functools": functools}


def converting(definition: Callable[..., Any]) -> Callable[..., Any]:
    """The definition called as the frontend does: what is declared to be an array is made one."""
    signature = inspect.signature(definition)

    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            many = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            if name in arguments_marked(definition, "array"):
                bound.arguments[name] = tuple(map(np.asarray, value)) if many else np.asarray(value)
            elif name in arguments_marked(definition, "arrays"):
                bound.arguments[name] = tuple(map(np.asarray, value))
        return definition(*bound.args, **bound.kwargs)

    return call


DEFINED = {
    **{name: Defined(module) for name, module in MODULES.items()},
    **{f.__name__: converting(DEFINITIONS[f]) for f in (map, filter, sorted)},
}


def lifted(function: Any, *args: Any) -> Any:
    """A function of scalars on each element, with the dtypes that the frontend chooses."""
    scalar = ELEMENTWISE[function]
    arrays = np.broadcast_arrays(*args)
    common = np.result_type(*args)
    kinds: tuple[Any, ...] = (common if common.kind == "f" else np.dtype(float),) * (len(args) + 1)
    if isinstance(function, np.ufunc):
        kinds = function.resolve_dtypes((*(a.dtype for a in arrays), None))
    out = np.empty(arrays[0].shape, kinds[-1])
    for index in np.ndindex(out.shape):
        out[index] = scalar(*(k.type(a[index]) for k, a in zip(kinds, arrays, strict=False)))
    return out


def drawn(row: Row, seed: int = 3, single: bool = False) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    found = {name: generate(rng) for name, generate in row.arguments.items()}
    return {k: rounded(v) if single else v for k, v in found.items()}


def rounded(value: Any) -> Any:
    """Floats as float32."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return value.astype(np.float32)
    return np.float32(value) if isinstance(value, float) else value


CALLS = [(row, text) for row in ROWS for text in row.expressions]


def same(found: Any, expected: Any, single: bool) -> None:
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected)
        for f, e in zip(found, expected, strict=True):
            same(f, e, single)
        return
    assert np.shape(found) == np.shape(expected)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(
        found, expected, rtol=2e-5 if single else 1e-12, atol=2e-6 if single else 1e-14
    )


EXPRESSIONS = [(row, text) for row, text in CALLS if "return" not in text]


@pytest.mark.parametrize(("row", "text"), EXPRESSIONS, ids=[text for _, text in EXPRESSIONS])
def test_value_shape_and_dtype(row: Row, text: str) -> None:
    for single in (False, True) if row.single else (False,):
        arguments = drawn(row, single=single)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = eval(text, {**MODULES, **arguments})
            found = eval(text, {**DEFINED, **drawn(row, single=single)})
        same(found, expected, single)


def test_every_definition_has_a_row() -> None:
    rows = {row.function for row in ROWS}
    missing = [f for f in (*DEFINITIONS, *ELEMENTWISE) if f not in rows]
    assert not missing
