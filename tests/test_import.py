"""Importing adjit: without warnings, without Numba, and little slower than Numba where it is needed."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

EVERYTHING = "import adjit; [getattr(adjit, n) for n in adjit.__all__]"


def run(*arguments: str, **environment: str) -> str:
    env = {**os.environ, **environment}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("what", ["import adjit", EVERYTHING, "import adjit.shell"])
def test_no_warnings(what: str) -> None:
    assert run("-W", "error", "-c", what) == ""


def test_the_package_alone_loads_no_compiler() -> None:
    heavy = "numba", "llvmlite", "scipy", "numpy", "rich", "torch", "jax"
    run("-c", f"import sys, adjit; assert not [m for m in {heavy!r} if m in sys.modules]")


def test_transforms_load_no_tools_that_they_do_not_need() -> None:
    heavy = "rich", "torch", "jax", "matplotlib", "autograd", "playwright"
    compiler = tuple(
        f"adjit.compiler.{name}" for name in ("pipeline", "frontend.specialise", "definitions", "ir.nodes")
    )
    unwanted = (*heavy, *compiler, "scipy.special", "scipy.linalg", "scipy.sparse")
    run("-c", f"{EVERYTHING}; import sys; assert not [m for m in {unwanted!r} if m in sys.modules]")


@pytest.mark.slow
def test_time_beside_numbas(tmp_path: Path) -> None:
    """CPU time that adjit adds to an import of Numba, over that import's own in the same process: the
    median of several processes, since both are disturbed by other work on the machine alike.
    """
    kept = {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}

    def added(what: str) -> float:
        clock = "time.process_time()"
        code = f"import time; a = {clock}; import numba; b = {clock}; {what}; print(({clock} - b) / (b - a))"
        return float(run("-c", code, **kept))

    bounds = {"import adjit": 0.1, "import adjit; adjit.grad": 0.3, EVERYTHING: 0.5}
    for what in bounds:
        added(what)  # it writes the byte code
    found = {what: statistics.median(added(what) for _ in range(9)) for what in bounds}
    assert all(found[what] < bounds[what] for what in bounds), found
