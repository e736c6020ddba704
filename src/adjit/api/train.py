"""Update rules for structures of parameters: each one pass over a leaf, compiled, in place.

Input: parameters and gradients of one structure, whose leaves are arrays of floats. Output: the parameters'
own arrays, changed; a rule's memory (`state`) is a structure too, made by `init`. Invariants: nothing is
written before all leaves have been looked at; leaves without a gradient (None) stay as they are. Non-goals:
schedules of the learning rate (pass `rate` to `update`), data, loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numba
import numpy as np

from ..errors import SeedError
from ..options import jit_disabled
from ..runtime import pytree
from .structures import zeros_like

Array = np.ndarray[Any, Any]


def _sgd(p: Any, g: Any, rate: Any) -> None:
    for k in range(p.size):
        p[k] -= rate * g[k]


def _momentum(p: Any, g: Any, m: Any, rate: Any, mass: Any, nesterov: Any) -> None:
    for k in range(p.size):
        m[k] = mass * m[k] + g[k]
        p[k] -= rate * (g[k] + mass * m[k] if nesterov else m[k])


def _adam(
    p: Any, g: Any, m: Any, v: Any, rate: Any, a: Any, b: Any, eps: Any, first: Any, second: Any, keep: Any
) -> None:
    one = a / a  # of the parameters' dtype
    for k in range(p.size):
        m[k] = a * m[k] + (one - a) * g[k]
        v[k] = b * v[k] + (one - b) * g[k] * g[k]
        p[k] = keep * p[k] - rate * (m[k] / first) / (np.sqrt(v[k] / second) + eps)


def _squares(g: Any) -> float:
    total = 0.0
    for k in range(g.size):
        total += np.float64(g[k]) * np.float64(g[k])
    return total


def _scale(g: Any, by: Any) -> None:
    for k in range(g.size):
        g[k] *= by


@cache
def _compiled(rule: Callable[..., Any]) -> Callable[..., Any]:
    made: Callable[..., Any] = numba.njit(nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})(
        rule
    )
    return made


def _run(rule: Callable[..., Any], *args: Any) -> Any:
    return (rule if jit_disabled() else _compiled(rule))(*args)


def _leaves(params: Any, others: tuple[Any, ...], where: str, found: list[tuple[Array, ...]]) -> None:
    """Matching leaves; refuses what does not fit before anything is written."""
    node = pytree.children(params)
    if node is not None:
        kind, keys, parts = node
        inner = [pytree.children(o) for o in others]
        for n in inner:
            if n is None or (set(n[1]) != set(keys)) or len(n[2]) != len(parts):
                raise SeedError(f"{where} is a {kind.__name__} of {len(parts)}, but its gradient is not")
        for key, part in zip(keys, parts, strict=True):
            below = tuple(dict(zip(n[1], n[2], strict=True))[key] for n in inner if n is not None)
            _leaves(part, below, f"{where}[{key!r}]", found)
        return
    if any(o is None for o in others):
        return
    if not isinstance(params, np.ndarray) or params.dtype.kind != "f":
        raise SeedError(
            f"{where} is a {type(params).__name__}, which cannot be changed in place",
            hint="parameters are arrays of floats; a number is np.array(0.5)",
        )
    for o in others:
        if np.shape(o) != params.shape:
            raise SeedError(f"{where} has shape {params.shape}, but its gradient has shape {np.shape(o)}")
    if not params.flags.writeable:
        raise SeedError(f"{where} is read-only")
    found.append((params, *(np.asarray(o) for o in others)))


def _flat(arrays: tuple[Array, ...]) -> Iterator[tuple[Array, ...]]:
    """The arrays as vectors that share their memory; copies, copied back, where strides forbid that."""
    if all(a.flags.c_contiguous for a in arrays):
        yield tuple(a.reshape(-1) for a in arrays)
    elif all(a.flags.f_contiguous for a in arrays):
        yield tuple(a.T.reshape(-1) for a in arrays)
    else:
        copies = tuple(a.reshape(-1).copy() for a in arrays)
        yield copies
        for a, c in zip(arrays, copies, strict=True):
            if a.flags.writeable:
                a[...] = c.reshape(a.shape)


def _each(params: Any, grads: Any, others: tuple[Any, ...], rule: Callable[..., Any], *numbers: Any) -> None:
    found: list[tuple[Array, ...]] = []
    _leaves(params, (grads, *others), "params", found)
    for arrays in found:
        kind = arrays[0].dtype.type
        cast = [x if isinstance(x, bool) else kind(x) for x in numbers]
        for flat in _flat(arrays):
            _run(rule, *flat, *cast)


@dataclass(frozen=True)
class Rule:
    """An update rule. `init` makes the state for parameters; `update` changes parameters and state in place.
    `rate` stands for the learning rate in one update.
    """

    rate: float

    def init(self, params: Any) -> dict[str, Any]:
        """The state before the first update."""
        return {"steps": 0}

    def update(self, params: Any, grads: Any, state: dict[str, Any], rate: float | None = None) -> None:
        """One step."""
        self._step(params, grads, state, self.rate if rate is None else rate)
        state["steps"] += 1

    def _step(self, params: Any, grads: Any, state: dict[str, Any], rate: float) -> None:
        _each(params, grads, (), _sgd, rate)


@dataclass(frozen=True)
class Momentum(Rule):
    mass: float
    nesterov: bool

    def init(self, params: Any) -> dict[str, Any]:
        return {"steps": 0, "mean": zeros_like(params)}

    def _step(self, params: Any, grads: Any, state: dict[str, Any], rate: float) -> None:
        _each(params, grads, (state["mean"],), _momentum, rate, self.mass, self.nesterov)


@dataclass(frozen=True)
class Adam(Rule):
    first: float
    second: float
    eps: float
    decay: float

    def init(self, params: Any) -> dict[str, Any]:
        return {"steps": 0, "mean": zeros_like(params), "square": zeros_like(params)}

    def _step(self, params: Any, grads: Any, state: dict[str, Any], rate: float) -> None:
        t = state["steps"] + 1
        numbers = (self.first, self.second, self.eps, 1.0 - self.first**t, 1.0 - self.second**t)
        moments = (state["mean"], state["square"])
        _each(params, grads, moments, _adam, rate, *numbers, 1.0 - rate * self.decay)


def sgd(rate: float) -> Rule:
    """`p -= rate * g`.

    >>> p = {"w": np.ones(2)}
    >>> rule = sgd(0.5)
    >>> rule.update(p, {"w": np.array([1.0, 2.0])}, rule.init(p))
    >>> p
    {'w': array([0.5, 0. ])}
    """
    return Rule(rate)


def momentum(rate: float, mass: float = 0.9, nesterov: bool = False) -> Momentum:
    """`m = mass * m + g`; `p -= rate * m`, or `rate * (g + mass * m)` with `nesterov`."""
    return Momentum(rate, mass, nesterov)


def adam(rate: float = 1e-3, first: float = 0.9, second: float = 0.999, eps: float = 1e-8) -> Adam:
    """Adam with bias correction (Kingma and Ba, 2015)."""
    return Adam(rate, first, second, eps, 0.0)


def adamw(
    rate: float = 1e-3, first: float = 0.9, second: float = 0.999, eps: float = 1e-8, decay: float = 1e-2
) -> Adam:
    """Adam with decoupled weight decay: `p *= 1 - rate * decay` in the same pass."""
    return Adam(rate, first, second, eps, decay)


def clip_by_global_norm(grads: Any, most: float) -> float:
    """Scale gradients in place so that the norm of all of them together is at most `most`; their norm before.
    Gradients whose norm is not finite stay as they are.

    >>> g = {"w": np.array([3.0, 0.0]), "b": np.array(4.0)}
    >>> clip_by_global_norm(g, 1.0), g["w"]
    (5.0, array([0.6, 0. ]))
    """
    found: list[tuple[Array, ...]] = []
    _leaves(grads, (grads,), "grads", found)
    total = 0.0
    for arrays in found:
        for flat in _flat(arrays[:1]):
            total += float(_run(_squares, flat[0]))
    norm = float(np.sqrt(total))
    if np.isfinite(norm) and norm > most:
        for arrays in found:
            for flat in _flat(arrays[:1]):
                _run(_scale, flat[0], arrays[0].dtype.type(most / norm))
    return norm


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = ["adam", "adamw", "clip_by_global_norm", "momentum", "sgd"]
