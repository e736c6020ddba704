"""Importing adjit: without warnings, without Numba, and little slower than Numba where it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "what", ["import adjit", "import adjit; adjit.grad; adjit.compare", "import adjit.shell"]
)
def test_no_warnings(what: str) -> None:
    assert run("-W", "error", "-c", what) == ""


def test_the_package_alone_loads_no_compiler() -> None:
    heavy = "numba", "llvmlite", "scipy", "numpy", "rich", "torch", "jax"
    run("-c", f"import sys, adjit; assert not [m for m in {heavy!r} if m in sys.modules]")


def test_transforms_load_no_tools_that_they_do_not_need() -> None:
    heavy = "rich", "torch", "jax", "matplotlib", "autograd", "playwright"
    run(
        "-c",
        f"import sys, adjit; adjit.value_and_grad; assert not [m for m in {heavy!r} if m in sys.modules]",
    )


@pytest.mark.slow
def test_time_beside_numbas() -> None:
    """CPU time of importing adjit, in turns with that of Numba alone; the least of several
    counts.
    """

    def seconds(what: str) -> float:
        return float(run("-c", f"{what}; import time; print(time.process_time())"))

    rows = [
        [seconds(x) for x in ("import adjit", "import adjit; adjit.grad", "import numba")] for _ in range(6)
    ]
    package, transforms, numba = (min(column) for column in zip(*rows, strict=True))
    assert package < 1.3 * numba, rows
    assert transforms < 2.0 * numba, rows  # 1.5 when this was written: Numba and what compiling needs of it
