"""Workspaces: reuse, the bound, and giving memory back to the system, seen on the process's figures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import adjit
from adjit.runtime import workspace

SCRIPT = """
import gc
import numpy as np
import adjit
from adjit.runtime import workspace

def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096 / 2**20

def f(x):
    return np.sum(np.exp(np.sin(x)) * np.tanh(x))

small, x = np.linspace(0.0, 1.0, 100), np.linspace(0.0, 1.0, 5_000_000)  # above what malloc keeps to itself
adjit.vjp(f, small)[1]()
adjit.release()
def once():
    value, pullback = adjit.vjp(f, x)
    size = sum(v.nbytes for v in pullback._saved if isinstance(v, np.ndarray) and not np.may_share_memory(v,
    x))
    del value
    pullback()
    return size / 2**20
start = resident()
saved = once()
once()
idle = resident()
adjit.release()
gc.collect()
released = resident()
adjit.release(bound=2**20)
once(); once()
bounded = resident()
print(saved, idle - start, released - start, bounded - start, workspace.kept_bytes())
"""


@pytest.mark.compiled
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_goes_back_to_the_system(tmp_path: Path) -> None:
    """Saved buffers stay in the pool; `release` and the bound return them, as the resident size shows."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    environment = {**os.environ, "ADJIT_DISABLE_JIT": "0", "ADJIT_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    saved, idle, released, bounded, kept = (float(x) for x in done.stdout.split())
    assert saved > 60  # MiB
    assert idle > 0.9 * saved
    assert released < 0.2 * saved
    assert bounded < 0.2 * saved
    assert kept <= 2**20


@pytest.fixture
def bound():  # type: ignore[no-untyped-def]
    workspace.release()
    yield
    workspace.release(workspace.DEFAULT_BOUND)


def test_a_grown_workspace_is_used_again(bound: None) -> None:
    pool = workspace.Pool()
    words = pool.take()
    words[0] = 1000
    pool.give(words)
    again = pool.take()
    assert again.size >= 1000 and pool.held == again.size
    assert pool.take().size == workspace.EMPTY  # the grown one is out
    pool.give(again)
    assert pool.take() is again


def test_the_bound_holds_for_all_pools_together(bound: None) -> None:
    workspace.release(bound=8 * 3000)
    pools = [workspace.Pool() for _ in range(4)]
    for pool in pools:
        words = pool.take()
        words[0] = 1000
        pool.give(words)
    assert sum(p.held for p in pools) <= 3000
    assert [p.held > 0 for p in pools] == [True, True, False, False]
    workspace.release()
    assert workspace.kept_bytes() == 0


def test_what_is_looked_at_is_never_used_again(bound: None) -> None:
    def f(x):  # type: ignore[no-untyped-def]
        return np.sum(np.exp(x) * np.sin(x))

    x, y = np.linspace(0.0, 1.0, 500), np.linspace(2.0, 3.0, 500)
    for _ in range(3):
        _, pullback = adjit.vjp(f, x)
        saved = pullback.saved
        before = [np.copy(v) for v in saved if isinstance(v, np.ndarray)]
        pullback()
        for _ in range(2):
            adjit.vjp(f, y)[1]()
        after = [v for v in saved if isinstance(v, np.ndarray)]
        for a, b in zip(before, after, strict=True):
            np.testing.assert_array_equal(a, b)


def test_pullbacks_that_live_together_have_memory_of_their_own(bound: None) -> None:
    def f(x):  # type: ignore[no-untyped-def]
        return np.sum(np.exp(np.sin(x)))

    for _ in range(2):
        points = [np.linspace(0.0, k, 300) for k in range(1, 5)]
        pullbacks = [adjit.vjp(f, x)[1] for x in points]
        for x, pullback in zip(points, pullbacks, strict=True):
            np.testing.assert_allclose(pullback()[0], np.exp(np.sin(x)) * np.cos(x), rtol=1e-13)


def test_wrong_bounds() -> None:
    for bad in (-1, True, 1.5):
        with pytest.raises(TypeError, match="bound must be"):
            adjit.release(bound=bad)  # type: ignore[arg-type]
