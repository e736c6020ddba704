"""Changes of an array's contents: every one is noticed, equal contents are equal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adjit.runtime import fingerprint


def check(rng: np.random.Generator) -> None:
    for n in (0, 1, 7, 1000, 70_000):
        for dtype in (np.float64, np.float32, np.int8):
            a = rng.integers(0, 100, n).astype(dtype)
            known = fingerprint.mark(a)
            assert fingerprint.unchanged(a, known) and fingerprint.unchanged(a.copy(), known)
            for k in rng.integers(0, max(n, 1), 20 if n else 0):
                b = a.copy()
                b[k] += 1
                assert not fingerprint.unchanged(b, known)
            if n > 200:
                for apart in (1, 4, 8, 61, 64):  # two elements that change places
                    b = a.copy()
                    b[5], b[5 + apart] = 101, 102
                    c = b.copy()
                    c[5], c[5 + apart] = b[5 + apart], b[5]
                    assert not fingerprint.unchanged(c, fingerprint.mark(b))


def test_copies(rng: np.random.Generator) -> None:
    check(rng)


@pytest.mark.compiled
def test_hashes(rng: np.random.Generator, compiled: None) -> None:
    check(rng)


def test_bits_count_not_values() -> None:
    a = np.array([0.0, np.nan])
    known = fingerprint.mark(a)
    assert fingerprint.unchanged(a, known)
    a[0] = -0.0
    assert not fingerprint.unchanged(a, known)


@pytest.mark.parametrize("view", [lambda a: a[::2], lambda a: a.T, lambda a: a[:, 1:3]])
def test_views(view: Any) -> None:
    a = np.arange(48.0).reshape(6, 8)
    known = fingerprint.mark(view(a))
    assert fingerprint.unchanged(view(a), known)
    view(a)[1, 1] += 1
    assert not fingerprint.unchanged(view(a), known)
