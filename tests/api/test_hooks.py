"""Hooks on saved values: lower precision, memory maps, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import adjit


def f(x, w):  # type: ignore[no-untyped-def]
    return np.sum(np.exp(np.sin(x @ w)))


def exact(x: Any, w: Any) -> Any:
    z = x @ w
    return x.T @ (np.exp(np.sin(z)) * np.cos(z))


def data(rng: np.random.Generator) -> tuple[Any, Any]:
    return rng.normal(size=(6, 3)), rng.normal(size=(3, 4))


def test_half_precision(rng: np.random.Generator) -> None:
    x, w = data(rng)
    seen: list[Any] = []

    def pack(a: Any) -> Any:
        seen.append(a.copy())
        return a.astype(np.float16)

    with adjit.saved_hooks(pack, lambda a: a.astype(np.float64)):
        _, pullback = adjit.vjp(f, x, w, argnums="w", retain=True)
    assert seen and all(not np.array_equal(a, x) and not np.array_equal(a, w) for a in seen)
    for _ in range(2):  # outside of the block, and twice
        np.testing.assert_allclose(pullback()[0], exact(x, w), rtol=5e-3, atol=5e-3)
    assert not np.allclose(pullback()[0], exact(x, w), rtol=1e-9)
    _, pullback = adjit.vjp(f, x, w, argnums="w")
    np.testing.assert_allclose(pullback()[0], exact(x, w), rtol=1e-12)


def test_a_memory_map(rng: np.random.Generator, tmp_path: Path) -> None:
    x, w = data(rng)
    files: list[Path] = []

    def pack(a: Any) -> Any:
        files.append(tmp_path / f"{len(files)}.npy")
        np.save(files[-1], a)
        return files[-1]

    with adjit.saved_hooks(pack, lambda path: np.load(path, mmap_mode="r")):
        _, pullback = adjit.vjp(f, x, w)
    for _ in range(2):
        adjit.vjp(f, 2.0 * x, w)[1]()  # memory of the first is not used again
    np.testing.assert_allclose(pullback()[1], exact(x, w), rtol=1e-12)
    assert files


@pytest.mark.compiled
def test_compiled_hooks(rng: np.random.Generator, compiled: None) -> None:
    x, w = data(rng)

    @numba.njit
    def negated(a):  # type: ignore[no-untyped-def]
        return -a

    with adjit.saved_hooks(negated, negated):
        _, pullback = adjit.vjp(f, x, w)
    np.testing.assert_allclose(pullback()[1], exact(x, w), rtol=1e-12)


def test_wrong_shapes(rng: np.random.Generator) -> None:
    x, w = data(rng)
    with adjit.saved_hooks(lambda a: a, lambda a: a[:1]):
        _, pullback = adjit.vjp(f, x, w)
    with pytest.raises(adjit.ShapeError, match="unpack gave an array of shape"):
        pullback()


def test_hooks_nest_and_end(rng: np.random.Generator) -> None:
    x, w = data(rng)
    calls: list[str] = []
    with adjit.saved_hooks(lambda a: calls.append("outer") or a, lambda a: a):
        with adjit.saved_hooks(lambda a: calls.append("inner") or a, lambda a: a):
            adjit.vjp(f, x, w)[1]()
        assert set(calls) == {"inner"}
        adjit.vjp(f, x, w)[1]()
    assert set(calls) == {"inner", "outer"}
    count = len(calls)
    adjit.vjp(f, x, w)[1]()
    assert len(calls) == count
