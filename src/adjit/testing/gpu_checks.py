"""What a GPU has to do besides computing gradients: streams, strides, memory, failures, other libraries.

`CHECKS` are functions by name; each raises where something is wrong, and returns what it could not look at,
or nothing. `gpu` runs them on hardware, the tests in the simulator. Non-goals: speed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda

import adjit
from adjit.runtime.cuda import arrays, memory, products
from adjit.runtime.cuda.simulated import SIMULATED

Check = Callable[[], "str | None"]
CHECKS: dict[str, Check] = {}


def check(function: Check) -> Check:
    CHECKS[function.__name__] = function
    return function


def cubes(x: Any) -> Any:
    return np.sum(x * x * x)


def product(a: Any, b: Any) -> Any:
    return np.sum((a @ b) ** 2)


def picked(x: Any, i: Any) -> Any:
    return np.sum(x[i])


def slopes(x: Any) -> Any:
    return 3.0 * x * x


def expect(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(arrays.fetched(found), wanted, rtol=1e-9)


@check
def arrays_of_the_host() -> None:
    x = np.linspace(-1.0, 2.0, 1000)
    expect(adjit.grad(cubes, target="cuda")(x), slopes(x))
    expect(adjit.grad(cubes, target="cuda")(x[::-3]), slopes(x[::-3]))


@check
def strided_arrays() -> None:
    x = np.random.default_rng(0).normal(size=(30, 40))
    for there in (cuda.to_device(x)[::2, 3:9], cuda.to_device(np.asfortranarray(x))):
        expect(adjit.grad(cubes, target="cuda")(there), slopes(arrays.fetched(there)))
        _, pullback = adjit.vjp(adjit.jit(cubes, target="cuda"), there)
        expect(pullback()[0], slopes(arrays.fetched(there)))


@check
def a_stream() -> None:
    """Each call waits for what is queued before it, on the stream of its argument."""
    stream = cuda.stream()
    x = np.linspace(-1.0, 2.0, 100_000 if not SIMULATED else 10)
    for k in range(5):
        there = cuda.to_device(x + k, stream=stream)
        found = adjit.grad(cubes, target="cuda")(there)
        assert SIMULATED or int(found.stream) == int(stream), "the result is on another stream"
        expect(found, slopes(x + k))


@check
def two_streams() -> None:
    x = np.linspace(-1.0, 2.0, 50)
    a, b = (cuda.to_device(x).bind(cuda.stream()) for _ in range(2))
    f = adjit.grad(lambda a, b: np.sum(a * a * b), argnums=(0, 1), target="cuda")
    for found, wanted in zip(f(a, b), (2.0 * x * x, x * x), strict=True):
        expect(found, wanted)


@check
def memory_is_used_again() -> None:
    f = adjit.value_and_grad(lambda x: np.sum(np.tanh(x) ** 2) ** 2, target="cuda")
    x = cuda.to_device(np.linspace(-1.0, 2.0, 1000))
    for _ in range(2):
        f(x)
    kept = memory.POOL.allocate

    def refused(size: int) -> Any:
        raise AssertionError(f"{size} bytes were allocated anew")

    memory.POOL.allocate = refused
    try:
        f(x)
    finally:
        memory.POOL.allocate = kept


@check
def an_index_out_of_bounds() -> None:
    try:
        adjit.grad(picked, target="cuda")(cuda.to_device(np.ones(4)), cuda.to_device(np.array([0, 9])))
    except adjit.OutOfBoundsError:
        return
    raise AssertionError("no error")


@check
def sums_in_one_order() -> None:
    x = cuda.to_device(np.random.default_rng(0).normal(size=1000) * 10.0 ** np.linspace(-50, 50, 1000))
    f = adjit.jit(lambda x: np.sum(x * 1.1), target="cuda")
    assert len({f(x) for _ in range(3)}) == 1


@check
def products_by_tiles() -> None:
    kept, products.CUPY = products.CUPY, None
    try:
        matrices()
    finally:
        products.CUPY = kept


@check
def products_by_cublas() -> str | None:
    if products.CUPY is None:
        return "CuPy is not installed"
    matrices()
    return None


def matrices() -> None:
    rng = np.random.default_rng(0)
    n, k, m = (70, 33, 51) if not SIMULATED else (5, 3, 4)
    for kind, digits in ((np.float64, 1e-9), (np.float32, 1e-3)):
        a, b = rng.normal(size=(n, k)).astype(kind), rng.normal(size=(k, m)).astype(kind)
        found = adjit.grad(product, argnums=(0, 1), target="cuda")(cuda.to_device(a), cuda.to_device(b))
        for have, want in zip(found, (2.0 * (a @ b) @ b.T, 2.0 * a.T @ (a @ b)), strict=True):
            np.testing.assert_allclose(arrays.fetched(have), want, rtol=digits, atol=digits)


@check
def every_transform() -> None:
    x, v = np.linspace(-1.0, 2.0, 20), np.linspace(1.0, 2.0, 20)
    f = adjit.jit(cubes, target="cuda")
    there, along = cuda.to_device(x), cuda.to_device(v)
    value, tangent = adjit.jvp(f, (there,), (along,))
    np.testing.assert_allclose([value, tangent], [np.sum(x**3), np.sum(slopes(x) * v)])
    expect(adjit.hvp(f, (there,), along), 6.0 * x * v)
    _, pullback = adjit.vjp(f, there, retain=True)
    for _ in range(2):
        expect(pullback(2.0)[0], 2.0 * slopes(x))


@check
def arrays_of_cupy() -> str | None:
    return foreign("cupy", lambda m, x: m.asarray(x), lambda a: a.get())


@check
def arrays_of_torch() -> str | None:
    return foreign("torch", lambda m, x: m.as_tensor(x, device="cuda"), lambda a: a.cpu().numpy())


def foreign(name: str, make: Callable[[Any, Any], Any], back: Callable[[Any], Any]) -> str | None:
    """Arrays of another library as arguments, and a gradient handed to it."""
    if SIMULATED:
        return "the simulator has no memory that others share"
    try:
        module = importlib.import_module(name)
    except ImportError:
        return f"{name} is not installed"
    x = np.linspace(-1.0, 2.0, 1000)
    gradient = adjit.grad(cubes, target="cuda")(make(module, x))
    np.testing.assert_allclose(back(make(module, gradient)), slopes(x), rtol=1e-9)
    return None
