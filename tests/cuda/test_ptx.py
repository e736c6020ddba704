"""A fixed sample of kernels compiled to PTX by the real compiler, for three generations of GPUs, and those of
all programs for one of them; no GPU needed.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .selection import ALL

ROOT = Path(__file__).parent.parent.parent
TOOLKIT = all(importlib.util.find_spec(m) is not None for m in ("numba_cuda", "cuda"))
SCRIPT = """
import re, sys
import numba
import numpy as np
from numba import cuda
import adjit
from adjit.api.vjp import Vjp
from adjit.options import Options
from adjit.runtime.cuda import device, products, ptx
from adjit.testing.samples import SAMPLES
from tests.support.programs import load

capability = tuple(map(int, sys.argv[1].split(".")))
count = 0


def compiled(text):
    global count
    for name, made in ptx.compile_all(text, capability).items():
        looked_at(made, name)


def looked_at(made, name):
    global count
    assert re.search(rf"\\.target sm_{capability[0]}{capability[1]}\\b", made), name
    assert ".visible .entry" in made, name
    count += 1


def samples():
    for sample in SAMPLES.values():
        f = adjit.value_and_grad(sample.function, argnums=sample.wrt, target="cuda")
        entry, _ = f.prepare(f.bound(sample.args(np.random.default_rng(0), 64), {}))
        compiled(entry.runner.text)


def programs():
    for program in load().values():
        f = Vjp(program.function, program.wrt, options=Options(target="cuda"))
        halves, _ = f.prepare(f.bound(program.make_args(), {}))
        compiled(halves.kept.forward[1])
        compiled(halves.kept.backward[1])


def own():
    '''Kernels that adjit brings with it.'''
    for name, kernel in products.TILED.items():
        matrix = numba.types.Array(getattr(numba, name), 2, "A")
        made(kernel, (matrix, matrix, matrix, numba.boolean, numba.int64))
    for name, kernel in device.TOTALS.items():
        vector = numba.types.Array(getattr(numba, name), 1, "C")
        made(kernel, (vector, vector))


def made(kernel, types):
    with ptx.device_of(capability):
        text, _ = cuda.compile_ptx(kernel.py_func, numba.types.void(*types), cc=capability)
        looked_at(text, kernel.__name__)


for part in sys.argv[2:]:
    globals()[part]()
print(count)
"""


def compiled(capability: str, *parts: str) -> int:
    """How many kernels were compiled, in a process of its own."""
    dropped = ("NUMBA_ENABLE_CUDASIM", "ADJIT_DISABLE_JIT")
    environment = {k: v for k, v in os.environ.items() if k not in dropped}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), environment.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", SCRIPT, capability, *parts]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=1800
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return int(done.stdout.split()[-1])


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not TOOLKIT, reason="numba-cuda and its toolkit are not installed: pip install adjit[cuda]"
    ),
]


@pytest.mark.parametrize("capability", ["7.5", "8.0", "9.0"])
def test_kernels_compile_to_ptx(capability: str) -> None:
    assert compiled(capability, "samples", "own") >= 25


@pytest.mark.skipif(not ALL, reason="takes minutes: python -m tests.cuda")
def test_all_programs_compile_to_ptx() -> None:
    assert compiled("8.0", "programs") >= 1000
