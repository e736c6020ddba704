"""One program put to the test: value, side effects and gradient against the uncompiled original.

Input: a plain function, its arguments, the differentiated positions. Output: a `Verdict`. Invariants: the
original never sees adjit's memory, nor the other way round; whatever is not one of adjit's own errors is a
fault. Non-goals: speed.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import oracles, trees


@dataclass(frozen=True)
class Verdict:
    """`kind`: right, unsure (differences say nothing), refused, wrong, or crash."""

    kind: str
    message: str = ""

    @property
    def bad(self) -> bool:
        return self.kind in ("wrong", "crash")


def check(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    argnums: tuple[int, ...],
    *,
    seed: int = 0,
    rtol: float = 1e-6,
    tangent: bool = True,
    second: bool = False,
    **options: Any,
) -> Verdict:
    """Gradient of `function` by adjit at `args`, judged. `tangent`: the dot-product test with `jvp` as well.
    `second`: also the gradient's own directional derivative by `hvp`. `options` are those of the
    transforms."""
    import adjit

    own = adjit.jit(function, **options) if options else function

    rng = np.random.default_rng(seed)
    wanted = oracles.plain(function, args)
    cotangent = None if np.ndim(wanted) == 0 else rng.normal(size=np.shape(wanted))
    try:
        given = trees.fresh(args)
        value, gradients = gradient(own, given, argnums, cotangent)
        trouble = _value_and_effects(function, args, given, value, wanted, rtol)
        if not trouble:
            again = gradient(own, trees.fresh(args), argnums, cotangent)[1]
            if not all(map(_same, gradients, again)):
                trouble = "a second call gave another gradient"
        if not trouble:
            trouble = _shapes(args, argnums, gradients)
        verdict = (
            Verdict("wrong", trouble)
            if trouble
            else _gradients(function, args, argnums, gradients, cotangent, rng, rtol)
        )
        if verdict.kind == "right" and tangent:
            verdict = _tangent(own, args, argnums, gradients, cotangent, rng, rtol)
        if verdict.kind == "right" and second and cotangent is None:
            verdict = _second(own, args, argnums, rng, rtol)
    except adjit.AdjitError as error:
        if isinstance(error, adjit.errors.InternalError):
            return Verdict("crash", f"InternalError: {error}")
        return Verdict("refused", f"{type(error).__name__}: {error}")
    except Exception as error:  # anything else is a fault of ours
        return Verdict("crash", f"{type(error).__name__}: {error}")
    return verdict


def gradient(
    function: Callable[..., Any], args: tuple[Any, ...], argnums: tuple[int, ...], cotangent: Any
) -> tuple[Any, tuple[Any, ...]]:
    """(value, one gradient for each of `argnums`)."""
    import adjit

    if cotangent is None:
        value, gradients = adjit.value_and_grad(function, argnums=argnums)(*args)
    else:
        value, pullback = adjit.vjp(function, *args, argnums=argnums)
        value = trees.fetched(value)
        gradients = pullback(np.asarray(cotangent, dtype=np.asarray(value).dtype))
    return trees.fetched(value), trees.fetched(tuple(gradients))


def _same(a: Any, b: Any) -> bool:
    return all(
        np.allclose(x, trees.get(b, path), rtol=1e-12, atol=1e-13, equal_nan=True)
        for path, x in trees.float_leaves(a)
    )


def _carried(function: Callable[..., Any], value: Any, wanted: Any) -> bool:
    """Whether a value may be wider than NumPy's: what starts from a Python float and is carried by a loop is
    a float64 in adjit, as in Numba, and so is what is made of it.
    """
    if np.result_type(value) != np.float64 or np.result_type(wanted) != np.float32:
        return False
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return any(isinstance(node, ast.For | ast.While) for node in ast.walk(tree))


def _value_and_effects(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    given: tuple[Any, ...],
    value: Any,
    wanted: Any,
    rtol: float,
) -> str:
    if not np.allclose(value, wanted, rtol=max(rtol * 1e-3, 1e-9), atol=max(rtol * 1e-3, 1e-9)):
        return f"value {value}, expected {wanted}"
    if np.asarray(value).dtype != np.asarray(wanted).dtype and not _carried(function, value, wanted):
        return f"value of type {np.asarray(value).dtype}, expected {np.asarray(wanted).dtype}"
    expected = trees.fresh(args)
    with np.errstate(all="ignore"):
        function(*expected)
    for k, (have, want) in enumerate(zip(given, expected, strict=True)):
        for path, leaf in trees.float_leaves(want):
            if not np.allclose(trees.get(have, path), leaf, rtol=max(rtol * 1e-3, 1e-9), atol=1e-4 * rtol):
                return f"argument {k} after the call is {trees.get(have, path)}, expected {leaf}"
    return ""


def _shapes(args: tuple[Any, ...], argnums: tuple[int, ...], gradients: tuple[Any, ...]) -> str:
    for position, got in zip(argnums, gradients, strict=True):
        for path, leaf in trees.float_leaves(args[position]):
            have = trees.get(got, path)
            if np.shape(have) != np.shape(leaf):
                return f"gradient {position}: shape {np.shape(have)}, expected {np.shape(leaf)}"
            if isinstance(leaf, (np.ndarray, np.floating)) and np.asarray(have).dtype != leaf.dtype:
                return f"gradient {position}: dtype {np.asarray(have).dtype}, expected {leaf.dtype}"
    return ""


def _widened(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """float32 as float64, so that differences have digits."""
    out = list(trees.fresh(args))
    for k, value in enumerate(out):
        for path, leaf in trees.float_leaves(value):
            if isinstance(leaf, (np.ndarray, np.floating)) and leaf.dtype == np.float32:
                out[k] = trees.put(out[k], path, leaf.astype(np.float64))
    return tuple(out)


def _gradients(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    argnums: tuple[int, ...],
    gradients: tuple[Any, ...],
    cotangent: Any,
    rng: np.random.Generator,
    rtol: float,
) -> Verdict:
    wide = _widened(args)
    unsure = False
    for position, got in zip(argnums, gradients, strict=True):
        if any(wide[position] is wide[other] for other in argnums if other < position):
            continue  # the same array again: its whole gradient was judged at the first
        for _ in range(2):
            direction = oracles.random_direction(wide[position], rng)
            estimate = oracles.directional(function, wide, position, direction, cotangent)
            shared = [g for p, g in zip(argnums, gradients, strict=True) if wide[p] is wide[position]]
            have = sum(oracles.inner(direction, g) for g in (shared if len(shared) > 1 else [got]))
            scale = max(1.0, abs(estimate.value))
            if estimate.error > 1e-3 * scale:
                unsure = True
            elif not abs(have - estimate.value) <= rtol * scale + 20.0 * estimate.error:
                return Verdict(
                    "wrong",
                    f"gradient {position}: along a direction {have:.10g}, differences give "
                    f"{estimate.value:.10g} (error {estimate.error:.1e})",
                )
    return Verdict("unsure" if unsure else "right")


def _tangent(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    argnums: tuple[int, ...],
    gradients: tuple[Any, ...],
    cotangent: Any,
    rng: np.random.Generator,
    rtol: float,
) -> Verdict:
    """`<J v, u> == <v, J^T u>`."""
    import adjit

    tangents: list[Any] = [None] * len(args)
    for position in argnums:
        known = [tangents[p] for p in argnums if args[p] is args[position] and tangents[p] is not None]
        if known:  # the same array again moves as the first does
            tangents[position] = known[0]
            continue
        direction = oracles.random_direction(args[position], rng)
        for path, leaf in trees.float_leaves(args[position]):
            if isinstance(leaf, np.ndarray):
                cast = trees.get(direction, path).astype(leaf.dtype)
                direction = trees.put(direction, path, cast)
        tangents[position] = direction
    given = [
        None if t is None else oracles.without_constants(t, a) for t, a in zip(tangents, args, strict=True)
    ]
    _, moved = adjit.jvp(function, trees.fresh(args), tuple(given))
    forward = oracles.scalar_of(trees.fetched(moved), cotangent)
    backward = sum(oracles.inner(tangents[p], g) for p, g in zip(argnums, gradients, strict=True))
    tolerance = max(rtol, 1e-9) * 1e-1 * max(1.0, abs(forward), abs(backward))
    if not abs(forward - backward) <= tolerance:
        return Verdict("wrong", f"dot product: tangent {forward:.12g}, cotangent {backward:.12g}")
    return Verdict("right")


def _second(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    argnums: tuple[int, ...],
    rng: np.random.Generator,
    rtol: float,
) -> Verdict:
    """`hvp` and the gradient of a directional gradient against differences of the gradient."""
    import adjit

    position = argnums[0]
    first = adjit.grad(function, argnums=position)
    direction = oracles.random_direction(args[position], rng)
    product = adjit.hvp(function, trees.fresh(args), direction, argnums=position)
    probe = oracles.random_direction(args[position], rng)

    def along(*values: Any) -> float:
        return oracles.inner(trees.fetched(first(*values)), probe)

    estimate = oracles.extrapolate(lambda step: along(*oracles.moved(args, position, direction, step)))
    have = oracles.inner(trees.fetched(product), probe)
    scale = max(1.0, abs(estimate.value))
    if estimate.error > 1e-3 * scale:
        return Verdict("unsure")
    if not abs(have - estimate.value) <= 10 * rtol * scale + 20.0 * estimate.error:
        return Verdict("wrong", f"second order: {have:.10g}, differences give {estimate.value:.10g}")
    return Verdict("right")
