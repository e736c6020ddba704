"""Runs the tests of `simulated` in a process of their own, where Numba's CUDA simulator is on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "simulated"
ROOT = FOLDER.parent.parent.parent


@pytest.mark.parametrize("path", sorted(FOLDER.glob("test_*.py")), ids=lambda p: p.stem)
def test_in_the_simulator(path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(path)]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "ADJIT_DISABLE_JIT": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=1200
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
