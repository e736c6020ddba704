"""Programs for the GPU: each kind of kernel that adjit makes, as users write it.

`SAMPLES` are functions with generators of their arguments; `n` is about the number of elements. The tests run
them in the simulator, compile their kernels to PTX, and `gpu` runs them on hardware. Non-goals: the language,
which `tests/support/programs` covers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Generator = np.random.Generator


@dataclass(frozen=True)
class Sample:
    """`wrt` are the differentiated positions; `arrays` counts the passes over memory that the gradient needs
    at least, in arrays of n elements, where that bounds its speed. `others` are the libraries that can run
    the function as it is written, with their own functions in the place of NumPy's.
    """

    function: Callable[..., Any]
    args: Callable[[Generator, int], tuple[Any, ...]]
    wrt: tuple[int, ...] = (0,)
    arrays: int = 0
    others: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.function.__name__


SAMPLES: dict[str, Sample] = {}
BOTH = ("jax", "torch")


def sample(args: Callable[[Generator, int], tuple[Any, ...]], **more: Any) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        made = Sample(function, args, **more)
        SAMPLES[made.name] = made
        return function

    return register


def side(n: int) -> int:
    return max(int(math.sqrt(n)), 4)


@sample(lambda r, n: (r.normal(size=n), r.normal(size=n)), wrt=(0, 1), arrays=4, others=BOTH)
def elementwise(x: Any, y: Any) -> Any:
    return np.sum(np.tanh(x) * np.exp(-y * y) + x / (1.0 + y * y))


@sample(
    lambda r, n: (r.normal(size=(side(n), side(n))), r.normal(size=(side(n), side(n)))),
    arrays=4,
    others=BOTH,
)
def hdiff(x: Any, coeff: Any) -> Any:
    """Horizontal diffusion, as in weather models: a stencil of a stencil."""
    lap = 4.0 * x[1:-1, 1:-1] - x[2:, 1:-1] - x[:-2, 1:-1] - x[1:-1, 2:] - x[1:-1, :-2]
    flux = lap[1:, 1:-1] - lap[:-1, 1:-1]
    return np.sum((x[2:-2, 2:-2] - coeff[2:-2, 2:-2] * (flux[1:] - flux[:-1])) ** 2)


@sample(lambda r, n: tuple(r.uniform(0.1, 1.0, n) for _ in range(4)), wrt=(0, 1, 2, 3), arrays=8, others=BOTH)
def arc_distance(t1: Any, p1: Any, t2: Any, p2: Any) -> Any:
    a = np.sin(0.5 * (t2 - t1)) ** 2 + np.cos(t1) * np.cos(t2) * np.sin(0.5 * (p2 - p1)) ** 2
    return np.sum(2.0 * np.arctan2(np.sqrt(a), np.sqrt(1.0 - a)))


@sample(
    lambda r, n: (r.normal(size=(side(n), side(n))), r.normal(size=side(n)), r.normal(size=side(n))),
    others=BOTH,
)
def layernorm(x: Any, gain: Any, bias: Any) -> Any:
    d = x - np.mean(x, axis=1)[:, None]
    v = np.mean(d * d, axis=1)
    return np.sum((d / np.sqrt(v[:, None] + 1e-5) * gain + bias) ** 3)


@sample(
    lambda r, n: (
        0.1 * r.normal(size=(side(n // 16), side(n // 16))),
        0.1 * r.normal(size=(side(n // 16), 8)),
        r.normal(size=(side(n // 16), side(n // 16))),
        r.normal(size=(side(n // 16), 8)),
    ),
    wrt=(0, 1),
    others=BOTH,
)
def mlp2(w1: Any, w2: Any, x: Any, y: Any) -> Any:
    r = np.tanh(x @ w1) @ w2 - y
    return np.mean(r * r)


@sample(lambda r, n: tuple(r.normal(size=(side(n // 4), 16)) for _ in range(3)), wrt=(0, 1, 2), others=BOTH)
def attention(q: Any, k: Any, v: Any) -> Any:
    s = q @ k.T / 4.0
    e = np.exp(s - np.amax(s, axis=1)[:, None])
    return np.sum((e / np.sum(e, axis=1)[:, None]) @ v)


@sample(lambda r, n: (r.normal(size=n), r.integers(0, max(n // 4, 1), n)), others=BOTH)
def scattered(x: Any, i: Any) -> Any:
    return np.sum(np.sin(x[i]) * x)


@sample(lambda r, n: (r.uniform(0.5, 1.0, size=max(n // 8, 8)), 10))
def recurrences(x: Any, steps: int) -> Any:
    """A recurrence of its own for each element."""
    total = 0.0
    for k in range(len(x)):
        s = x[k]
        for _ in range(steps):
            s = s + 0.3 * s * (1.0 - s)
        total += s
    return total


@sample(lambda r, n: (r.normal(size=max(n // 8, 8)), 10))
def heat(u: Any, steps: int) -> Any:
    """Time steps on the host, each a kernel."""
    for _ in range(steps):
        v = u.copy()
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - 0.01 * u[1:-1] ** 3
        u = v
    return np.sum(u * u)


@sample(lambda r, n: (r.normal(size=n),))
def until_small(x: Any) -> Any:
    """A loop whose number of passes only the device knows."""
    s = np.sum(x * x)
    passes = 0
    while s > 0.1 and passes < 20:
        s = s / (1.0 + s)
        passes += 1
    return s + np.sum(x) * 0.01
