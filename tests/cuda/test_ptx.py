"""A fixed sample of kernels compiled to PTX by the real compiler, for three generations of GPUs; no GPU
needed.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TOOLKIT = all(importlib.util.find_spec(m) is not None for m in ("numba_cuda", "cuda"))
SCRIPT = """
import re, sys
import numpy as np
import adjit
from adjit.runtime.cuda import ptx
from adjit.testing.samples import SAMPLES

capability = tuple(map(int, sys.argv[1].split(".")))
count = 0
for sample in SAMPLES.values():
    f = adjit.value_and_grad(sample.function, argnums=sample.wrt, target="cuda")
    entry, _ = f.prepare(f.bound(sample.args(np.random.default_rng(0), 64), {}))
    for name, text in ptx.compile_all(entry.runner.text, capability).items():
        assert re.search(rf"\\.target sm_{capability[0]}{capability[1]}\\b", text), name
        assert ".visible .entry" in text, name
        count += 1
print(count)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not TOOLKIT, reason="numba-cuda and its toolkit are not installed: pip install adjit[cuda]"
)
@pytest.mark.parametrize("capability", ["7.5", "8.0", "9.0"])
def test_kernels_compile_to_ptx(capability: str) -> None:
    environment = {
        k: v for k, v in os.environ.items() if k not in ("NUMBA_ENABLE_CUDASIM", "ADJIT_DISABLE_JIT")
    }
    command = [sys.executable, "-c", SCRIPT, capability]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert int(done.stdout.split()[-1]) >= 20
