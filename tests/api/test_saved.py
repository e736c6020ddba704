"""`saved` in a process that finds the program in the cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import numpy as np
import adjit


def walk(x):
    s = 1.0
    for i in range(x.shape[0]):
        s = s * np.sin(x[i]) + x[i]
    return s


x = np.linspace(0.1, 1.0, 10)
adjit.vjp(walk, x)
print(adjit.value_and_grad(walk).saved(x).nbytes)
"""


def test_saved_in_a_second_process(tmp_path: Path) -> None:
    script = tmp_path / "walking.py"
    script.write_text(PROGRAM, encoding="utf-8")
    env = {**os.environ, "ADJIT_CACHE_DIR": str(tmp_path / "cache"), "ADJIT_DISABLE_JIT": "1"}

    def run() -> str:
        command = [sys.executable, str(script)]
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = run()
    assert int(first) >= 80
    assert run() == first
