"""Importing adjit: without warnings, without Numba, and little slower than Numba where it is needed."""

from __future__ import annotations

import os
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
    """CPU time of importing adjit, in turns with that of Numba alone; the least of several
    counts, more of them where other work on the machine disturbs.
    """
    kept = {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}

    def seconds(what: str) -> float:
        return float(run("-c", f"{what}; import time; print(time.process_time())", **kept))

    whats = ("import adjit", "import adjit; adjit.grad", EVERYTHING, "import numba")
    least = [seconds(x) for x in whats]  # it writes the byte code
    for _ in range(20):
        least = [min(a, seconds(x)) for a, x in zip(least, whats, strict=True)]
        package, gradient, everything, numba = least
        if package < 0.5 * numba and gradient < 1.3 * numba and everything < 1.5 * numba:
            return
    pytest.fail(f"{dict(zip(whats, least, strict=True))}")
