"""Functions known by an address: SciPy's through pointers, others refused; ufuncs made by Numba."""

from __future__ import annotations

import ctypes
import ctypes.util
import math
from typing import Any

import numba
import numpy as np
import pytest
from numba.extending import get_cython_function_address
from scipy import special

import adjit
from adjit.compiler.frontend import bindings

HOME = "scipy.special.cython_special"
NUMBER = ctypes.c_double
bessel = ctypes.CFUNCTYPE(NUMBER, NUMBER)(get_cython_function_address(HOME, "j0"))
foreign = ctypes.CFUNCTYPE(NUMBER, NUMBER)(get_cython_function_address(HOME, "i0"))


class Wrapper(numba.types.WrapperAddressProtocol):  # type: ignore[misc]
    def __wrapper_address__(self) -> int:
        return int(get_cython_function_address(HOME, "gammainc"))

    def signature(self) -> Any:
        return numba.float64(numba.float64, numba.float64)


incomplete = Wrapper()


@numba.vectorize
def waved(a: float, b: float) -> float:
    return a * b + math.sin(a)


@numba.vectorize([numba.float64(numba.float64, numba.float64)])
def declared(a: float, b: float) -> float:
    return a / b


@numba.vectorize([numba.float32(numba.float64)])
def narrowing(a: float) -> float:
    return a


def test_a_ctypes_pointer_is_the_function_of_scipy() -> None:
    found = adjit.grad(lambda x: bessel(x) * x)(1.3)
    np.testing.assert_allclose(found, special.j0(1.3) - 1.3 * special.j1(1.3), rtol=1e-14)


def test_an_object_with_an_address_is_the_function_of_scipy() -> None:
    value, (by_a, by_x) = adjit.value_and_grad(lambda a, x: incomplete(a, x), argnums=(0, 1))(2.3, 1.7)
    np.testing.assert_allclose(value, special.gammainc(2.3, 1.7), rtol=1e-14)
    np.testing.assert_allclose(by_x, 1.7**1.3 * math.exp(-1.7) / special.gamma(2.3), rtol=1e-13)
    step = 1e-5
    slope = (special.gammainc(2.3 + step, 1.7) - special.gammainc(2.3 - step, 1.7)) / (2 * step)
    np.testing.assert_allclose(by_a, slope, rtol=1e-8)


def test_the_addresses_are_those_that_numba_finds() -> None:
    known = bindings.special_addresses()
    for name in ("j0", "gammainc", "owens_t"):
        assert known[name] == get_cython_function_address(HOME, name)


def test_any_other_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bindings, "_names", dict)
    with pytest.raises(adjit.errors.MissingRuleError):
        adjit.grad(lambda x: foreign(x) * x)(1.3)


def test_a_ufunc_of_numba_is_read_at_every_element() -> None:
    x = np.array([0.4, 1.2, 3.0])
    found = adjit.grad(lambda x: np.sum(waved(x, 2.0) * declared(x, 4)))(x)
    np.testing.assert_allclose(found, (2.0 + np.cos(x)) * x / 4 + (2.0 * x + np.sin(x)) / 4, rtol=1e-13)


def test_a_signature_of_several_dtypes_is_refused() -> None:
    with pytest.raises(adjit.UnsupportedSyntaxError, match="one float dtype"):
        adjit.grad(lambda x: np.sum(narrowing(x)))(np.ones(2))


@pytest.mark.compiled
def test_compiled_code_calls_the_entries_of_scipy(compiled: None) -> None:
    def f(x: Any) -> Any:
        return np.sum(special.gammainc(2.3, x) * special.jv(1.5, x) * special.betainc(1.2, 0.7, x / 9.0))

    def g(a: Any) -> Any:
        return np.sum(special.gammaincc(a, np.array([0.5, 1.2, 40.0])))

    x, step = np.array([0.4, 1.2, 3.0]), 1e-5
    for h in (f, g):
        value, found = adjit.value_and_grad(h)(x)
        np.testing.assert_allclose(value, h(x), rtol=1e-13)
        wanted = [(h(x + e) - h(x - e)) / (2 * step) for e in step * np.eye(3)]
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-10)
    single = adjit.grad(f)(x.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, adjit.grad(f)(x), rtol=1e-4)


def test_types_of_numba_are_those_of_numpy() -> None:
    def f(x: Any) -> Any:
        y = np.zeros(3, numba.float64)
        y[1] = numba.float64(x[0])
        return y[1] * numba.int32(3) * x[1]

    np.testing.assert_allclose(adjit.grad(f)(np.array([2.0, 5.0])), [15.0, 6.0])


def test_a_program_runs_in_the_first_of_one_thread() -> None:
    def f(x: Any) -> Any:
        parts = np.zeros(numba.get_num_threads())
        for i in numba.prange(x.size):
            parts[numba.get_thread_id()] += x[i] ** 2
        return np.sum(parts)

    np.testing.assert_allclose(adjit.grad(f)(np.array([2.0, 5.0])), [4.0, 10.0])


def test_typed_lists_are_lists() -> None:
    def f(x: Any) -> Any:
        first = numba.typed.List()
        second = numba.typed.List.empty_list(numba.float64)
        for i in range(2):
            first.append(x[i] ** 2)
            second.append(3.0 * x[i])
        return first[0] * second[1]

    np.testing.assert_allclose(adjit.grad(f)(np.array([2.0, 5.0])), [60.0, 12.0])


class Holder:
    def __init__(self) -> None:
        self.rule = lambda u: u * u


HOLDER = Holder()


def test_a_function_kept_by_an_object_is_not_bound_to_it() -> None:
    np.testing.assert_allclose(adjit.grad(lambda x: HOLDER.rule(x))(3.0), 6.0)
