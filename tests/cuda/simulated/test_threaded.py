"""Kernels that a user has written: what Numba's simulator makes of a launch is what adjit has to reproduce,
and differences of launches are the gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import cuda

import adjit

pytestmark = pytest.mark.filterwarnings("ignore:.adjit-cuda-copy")
rng = np.random.default_rng(3)
KERNELS: dict[str, tuple[Any, tuple[int, ...], tuple[int, ...], Any]] = {}


def kernel(x: tuple[int, ...], y: tuple[int, ...], launch: Any = (2, 4)) -> Callable[[Any], Any]:
    """Register a kernel of arrays of these shapes and a launch of enough threads."""

    def register(function: Any) -> Any:
        KERNELS[function.__name__] = (function, x, y, launch)
        return function

    return register


@kernel((7,), (7,))
def guarded(x: Any, y: Any) -> None:
    i = cuda.grid(1)
    if i < x.shape[0]:
        y[i] = 2.0 * x[i] * x[i]


@kernel((7,), (7,))
def leaving_early(x: Any, y: Any) -> None:
    """The index by its formula, two ways out."""
    n = len(x)
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    if i >= n:
        return
    if x[i] < 0.0:
        y[i] = -1.0
        return
    y[i] = math.sqrt(x[i])


@kernel((7,), (7,))
def own_names(x: Any, y: Any) -> None:
    """Each thread has its own `s`."""
    s = 1.0
    i = cuda.grid(1)
    if i < x.size:
        s += x[i]
        y[i] = s * s


@kernel((7,), (7,))
def neighbours(x: Any, y: Any) -> None:
    i = cuda.grid(1)
    if 1 <= i < len(x) - 1:
        y[i] = x[i - 1] * x[i + 1] - x[i] ** 2


@kernel((3, 4), (3, 4), ((2, 2), (2, 2)))
def of_two_indices(x: Any, y: Any) -> None:
    i, j = cuda.grid(2)
    if i >= x.shape[0] or j >= x.shape[1]:
        return
    s = 0.0
    for k in range(x.shape[1]):
        if k == 3:
            break
        s += x[i, k] * x[i, j]
    y[i, j] = s


@kernel((4, 4), (4, 4), ((2, 2), (2, 2)))
def below_the_diagonal(x: Any, y: Any) -> None:
    i = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < x.shape[0] and j <= i:
        y[i, j] = x[i, j] * x[j, i]


@kernel((7,), (2,))
def meeting(x: Any, y: Any) -> None:
    """Threads that add to the same element."""
    i = cuda.grid(1)
    if i < len(x):
        cuda.atomic.add(y, i % 2, x[i] ** 3)


@kernel((7,), (1,), (2, 2))
def in_steps(x: Any, y: Any) -> None:
    start = cuda.grid(1)
    step = cuda.gridsize(1)
    s = 0.0
    for i in range(start, x.shape[0], step):
        powers = cuda.local.array(2, np.float64)
        powers[0] = x[i]
        powers[1] = x[i] * x[i]
        s += powers[0] * powers[1]
    cuda.atomic.add(y, 0, s)


@kernel((3, 5), (3, 5), ((1, 2), (2, 2)))
def in_steps_of_two(x: Any, y: Any) -> None:
    a, b = cuda.grid(2)
    da, db = cuda.gridsize(2)
    for i in range(a, x.shape[0], da):
        for j in range(b, x.shape[1], db):
            y[i, j] = math.exp(x[i, j])


@kernel((5,), (5,), (1, 1))
def what_one_thread_carries(x: Any, y: Any) -> None:
    s = 0.0
    for i in range(cuda.grid(1), len(x), cuda.gridsize(1)):
        s = 0.5 * s + x[i] * x[i]
        y[i] = s


@kernel((5,), (5,), (1, 1))
def until_it_is_large(x: Any, y: Any) -> None:
    for i in range(cuda.grid(1), len(x), cuda.gridsize(1)):
        if x[i] > 1.2:
            break
        y[i] = x[i] * x[i]


def launched(function: Any, launch: Any, x: Any, y: Any) -> Any:
    """What the kernel leaves in y, by Numba's simulator."""
    there = cuda.to_device(y)
    cuda.jit(function)[launch](cuda.to_device(x), there)
    return there.copy_to_host()


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("name", KERNELS)
def test_kernel(name: str, target: str) -> None:
    function, shape, out, launch = KERNELS[name]
    x, y, seed = rng.uniform(0.5, 1.5, size=shape), rng.normal(size=out), rng.normal(size=out)
    step = 1e-6
    along = rng.normal(size=shape)
    slope = (
        launched(function, launch, x + step * along, y) - launched(function, launch, x - step * along, y)
    ) / (2.0 * step)
    own = adjit.jit(cuda.jit(function), target=target)
    value, pullback = adjit.vjp(own, x, y.copy(), outputs=("y",))
    gradient, _ = pullback(seed)
    if target == "cuda":
        gradient = gradient.copy_to_host()
    np.testing.assert_allclose(value, launched(function, launch, x, y), rtol=1e-12)
    np.testing.assert_allclose(np.sum(gradient * along), np.sum(seed * slope), rtol=1e-6)


def unless_small(x: Any, y: Any) -> None:
    i = cuda.grid(1)
    if i >= y.shape[0] or x[0] <= 1.0:
        return
    y[i] = x[i] * x[i]


def test_the_opposite_of_a_comparison_with_nan() -> None:
    """`nan <= 1.0` is false, so the threads go on."""
    x = np.array([np.nan, 1.5, 2.5])
    value, _ = adjit.vjp(adjit.jit(unless_small, target="cuda"), x, np.zeros(3), outputs=("y",))
    np.testing.assert_array_equal(value, launched(unless_small, (2, 2), x, np.zeros(3)))


def test_another_thing_that_is_called_cuda() -> None:
    class Grid(NamedTuple):
        grid: Any

    def named(x: Any) -> Any:
        cuda = Grid(x)
        return np.sum(cuda.grid * cuda.grid)

    np.testing.assert_allclose(adjit.grad(named, target="cuda")(np.ones(2)).copy_to_host(), [2.0, 2.0])


def without_a_bound(x: Any, y: Any) -> None:
    i = cuda.grid(1)
    y[i] = x[i]


def with_another_guard(x: Any, y: Any) -> None:
    i = cuda.grid(1)
    if i != 3:
        y[i] = x[i]


def bound_by_itself(x: Any, y: Any) -> None:
    i = cuda.grid(1)
    if i < 2 * i:
        y[i] = x[i]


def behind_the_guard(x: Any, y: Any) -> None:
    i = cuda.grid(1)
    if i < len(x):
        y[i] = x[i]
    y[0] = 1.0


def sharing(x: Any, y: Any) -> None:
    i = cuda.grid(1)
    s = cuda.shared.array(4, np.float64)
    if i < len(x):
        s[cuda.threadIdx.x] = x[i]
        cuda.syncthreads()
        y[i] = s[0]


def leaving_an_inner_loop(x: Any, y: Any) -> None:
    i = cuda.grid(1)
    if i < len(x):
        for k in range(3):
            if x[k] > 0.0:
                return
            y[i] += x[k]


def steps_as_numbers(x: Any, y: Any) -> None:
    i = cuda.grid(1)
    for k in range(i, len(x), cuda.gridsize(1)):
        y[k] = x[k] * i


def exchanging(x: Any, y: Any) -> None:
    i = cuda.grid(1)
    if i < len(x):
        y[i] = cuda.atomic.add(x, 0, 1.0)


def renewing_a_parameter(x: Any, y: Any, a: Any = 2.0) -> None:
    i = cuda.grid(1)
    if i < len(x):
        a = a * x[i]
        y[i] = a


def adding_to_a_parameter(x: Any, y: Any, a: Any = 2.0) -> None:
    i = cuda.grid(1)
    if i >= len(x):
        return
    if x[i] > 0.0:
        a += x[i]
    y[i] = a


def renewing_in_steps(x: Any, y: Any, a: Any = 2.0) -> None:
    for i in range(cuda.grid(1), len(x), cuda.gridsize(1)):
        a = a * 1.1
        y[i] = a * x[i]


def the_same_index_twice(x: Any, y: Any) -> None:
    i = cuda.grid(1)
    j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < len(x) and j < len(x):
        y[i] += x[j]


def one_axis_in_two_loops(x: Any, y: Any) -> None:
    for i in range(cuda.grid(1), len(x), cuda.gridsize(1)):
        for j in range(cuda.grid(1), len(x), cuda.gridsize(1)):
            y[i] += x[j]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (renewing_a_parameter, "a new value for the parameter 'a'"),
        (adding_to_a_parameter, "a new value for the parameter 'a'"),
        (renewing_in_steps, "a new value for the parameter 'a'"),
        (the_same_index_twice, "asked for twice"),
        (one_axis_in_two_loops, "asked for twice"),
        (without_a_bound, "no bound that is read"),
        (with_another_guard, "no bound that is read"),
        (bound_by_itself, "no bound that is read"),
        (behind_the_guard, "no bound that is read"),
        (sharing, "`cuda.shared.array` in a kernel"),
        (leaving_an_inner_loop, "ends inside a loop"),
        (steps_as_numbers, "outside `range"),
        (exchanging, "`cuda.atomic` is for kernels"),
    ],
)
def test_what_is_refused(function: Any, message: str) -> None:
    with pytest.raises(adjit.UnsupportedSyntaxError, match=message) as found:
        adjit.jit(function, target="cuda")(np.ones(4), np.ones(4))
    assert "test_threaded.py" in str(found.value)


def test_a_function_that_hands_out_indices_is_refused() -> None:
    def place() -> Any:
        return cuda.grid(1)

    def indirect(x: Any, y: Any) -> None:
        i = place()
        if i < len(x):
            y[i] = x[i]

    with pytest.raises(adjit.UnsupportedSyntaxError, match="no bound that is read"):
        adjit.jit(indirect, target="cuda")(np.ones(4), np.ones(4))


def test_a_launch_inside_a_function_is_refused() -> None:
    own = cuda.jit(guarded)

    def launching(x: Any, y: Any) -> Any:
        own[1, 32](x, y)
        return np.sum(y)

    with pytest.raises(adjit.AdjitError):
        adjit.grad(launching, target="cuda")(np.ones(4), np.ones(4))
