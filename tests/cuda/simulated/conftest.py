"""Tests of this folder run under Numba's CUDA simulator, which is chosen before Numba is imported."""

from __future__ import annotations

import os
import sys

if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1":
    sys.setswitchinterval(2e-5)  # the simulator waits for its threads in a busy loop
else:
    collect_ignore_glob = ["test_*.py"]
