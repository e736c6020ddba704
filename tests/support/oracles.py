"""What gradients are compared with: the uncompiled original, differenced.

Input: the user's function as plain Python, its arguments, the differentiated positions. Output: derivatives
with an estimate of their own error. Invariants: the arguments given are never changed; the same array passed
twice is moved as one. What differences cannot see: saturated regions, ties and kinks (there the estimate of
the error is large and the comparison says so), coarse floats. Such points have closed forms in `tests/cases`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import trees

STEPS = (4e-3, 1e-3, 2.5e-4, 6e-5, 1.5e-5, 4e-6)


@dataclass(frozen=True)
class Estimate:
    value: float
    error: float


def plain(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The original's result on copies of the arguments."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*trees.fresh(args))


def scalar_of(result: Any, cotangent: Any = None) -> float:
    """The result, or its product with a cotangent where it is not a scalar."""
    if cotangent is None:
        return float(result)
    if isinstance(result, tuple):
        return sum(scalar_of(r, c) for r, c in zip(result, cotangent, strict=True))
    return float(np.sum(np.asarray(result, dtype=np.float64) * np.asarray(cotangent, dtype=np.float64)))


def extrapolate(at: Callable[[float], float]) -> Estimate:
    """Derivative of `at` at 0 by central differences of shrinking step, extrapolated.

    Of all pairs of neighbouring steps the one whose results agree best wins. A kink further away than the
    smallest step does no harm; one at the point itself makes the error large.
    """
    central = [(at(h) - at(-h)) / (2.0 * h) for h in STEPS]
    best = Estimate(central[-1], np.inf)
    for k in range(len(STEPS) - 1):
        ratio = (STEPS[k] / STEPS[k + 1]) ** 2
        better = (ratio * central[k + 1] - central[k]) / (ratio - 1.0)
        error = abs(better - central[k + 1]) + 1e-15 / STEPS[k + 1]
        if not np.isfinite(error):
            continue
        if error < best.error:
            best = Estimate(better, error)
    one_sided = [(at(s * STEPS[-1]) - at(0.0)) / (s * STEPS[-1]) for s in (1.0, -1.0)]
    gap = abs(one_sided[0] - one_sided[1])
    curvature = 1e-3 * max(1.0, abs(best.value))
    return best if gap < curvature + 1e3 * STEPS[-1] else Estimate(best.value, max(best.error, gap))


def moved(args: tuple[Any, ...], argnum: int, direction: Any, step: float) -> tuple[Any, ...]:
    """The arguments with `step * direction` added to one of them, leaf by leaf."""
    out = list(trees.fresh(args))
    for path, leaf in trees.float_leaves(args[argnum]):
        shift = trees.get(direction, path)
        if isinstance(leaf, np.ndarray):
            target = trees.get(out[argnum], path)
            writeable = target.flags.writeable
            target.flags.writeable = True
            target += (step * np.asarray(shift)).astype(target.dtype)
            target.flags.writeable = writeable
        else:
            out[argnum] = trees.put(out[argnum], path, type(leaf)(leaf + step * shift))
    return tuple(out)


def directional(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    argnum: int,
    direction: Any,
    cotangent: Any = None,
) -> Estimate:
    """Derivative of the result along `direction`, which has the structure of the argument."""
    return extrapolate(
        lambda step: scalar_of(plain(function, moved(args, argnum, direction, step)), cotangent)
    )


def entries(
    function: Callable[..., Any], args: tuple[Any, ...], argnum: int, cotangent: Any = None
) -> list[tuple[trees.Path, tuple[int, ...], Estimate]]:
    """The derivative in each entry of each float leaf of one argument."""
    out = []
    for path, leaf in trees.float_leaves(args[argnum]):
        for position in np.ndindex(np.shape(leaf)):
            direction = unit(args[argnum], path, position)
            out.append((path, position, directional(function, args, argnum, direction, cotangent)))
    return out


def unit(value: Any, path: trees.Path, position: tuple[int, ...]) -> Any:
    """Zero in every float leaf but for one entry."""
    for other, leaf in list(trees.float_leaves(value)):
        zero = np.zeros(np.shape(leaf)) if isinstance(leaf, np.ndarray) else 0.0
        if other == path:
            if isinstance(zero, np.ndarray):
                zero[position] = 1.0
            else:
                zero = 1.0
        value = trees.put(value, other, zero)
    return value


def random_direction(value: Any, rng: np.random.Generator) -> Any:
    for path, leaf in list(trees.float_leaves(value)):
        shift = rng.normal(size=np.shape(leaf)) if isinstance(leaf, np.ndarray) else float(rng.normal())
        value = trees.put(value, path, shift)
    return value


def without_constants(direction: Any, value: Any) -> Any:
    """The direction with None for each leaf of `value` that is no float: the form in which a tangent is
    given."""
    if trees.is_float(value):
        return direction
    parts = trees.children(value)
    if not parts:
        return None
    inner_parts = {k: without_constants(trees.get(direction, (k,)), v) for k, v in parts}
    return trees.rebuild(value, inner_parts)


def inner(a: Any, b: Any) -> float:
    """Sum of the products of corresponding float leaves."""
    total = 0.0
    for path, leaf in trees.float_leaves(a):
        total += float(np.sum(np.asarray(leaf, dtype=np.float64) * np.asarray(trees.get(b, path))))
    return total


def complex_step(function: Callable[..., Any], args: tuple[Any, ...], argnum: int, direction: Any) -> float:
    """Derivative along `direction` without cancellation, for analytic functions that keep complex numbers."""
    step = 1e-30
    out = list(trees.fresh(args))
    for path, leaf in trees.float_leaves(args[argnum]):
        out[argnum] = trees.put(out[argnum], path, leaf + 1j * step * trees.get(direction, path))
    return float(np.imag(function(*out)) / step)
