"""Runs the tests of `simulated` in a process of their own, where Numba's CUDA simulator is on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "simulated"
ROOT = FOLDER.parent.parent.parent


def test_in_the_simulator() -> None:
    """One process: each would import Numba's two halves anew."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(FOLDER)]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "ADJIT_DISABLE_JIT": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=3600
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
