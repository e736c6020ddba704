"""Programs with vector functions across processes, threads and machines without libmvec; `precise=True`."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import adjit
from adjit.runtime import libmvec
from tests.support import oracles

SCRIPT = """
import numpy as np
import adjit
from adjit.runtime import libmvec
from model import f
x = np.linspace(0.1, 1.0, 37)
value, gradient = adjit.value_and_grad(f)(x)
right = 1 + np.cos(x) / np.exp(x) - np.sin(x) / np.exp(x)
assert np.allclose(gradient, right, rtol=1e-13, atol=0), gradient - right
print(len(libmvec.VARIANTS) > 0)
"""

MODEL = """
import numpy as np


def f(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += np.sin(x[i]) * np.exp(-x[i]) + np.log(np.exp(x[i]))
    return s
"""


def ran(folder: Path, **changes: str) -> tuple[str, str]:
    """What a process says that differentiates the model: its output and adjit's log."""
    environment = {
        **os.environ,
        "ADJIT_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": str(Path(adjit.__file__).parent.parent),
        "ADJIT_DISABLE_JIT": "0",
        "ADJIT_LOG": "1",
        **changes,
    }
    command = [sys.executable, "use.py"]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


@pytest.mark.compiled
def test_other_processes_load_the_machine_code(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(SCRIPT)
    (tmp_path / "model.py").write_text(MODEL)
    here = str(len(libmvec.VARIANTS) > 0)
    first, log = ran(tmp_path)
    assert first == here and "adjit: compiled" in log
    second, log = ran(tmp_path)
    assert second == here and "loaded from the cache" in log
    # Without libmvec the machine code of before must not be loaded, and its own is.
    third, log = ran(tmp_path, ADJIT_NO_LIBMVEC="1")
    assert third == "False" and ("adjit: compiled" in log or here == "False")
    fourth, log = ran(tmp_path, ADJIT_NO_LIBMVEC="1")
    assert fourth == "False" and "loaded from the cache" in log


REGISTERS = """
import numba
import numpy as np
from adjit.runtime import vector


def loop(function):
    @numba.njit(error_model="numpy")
    def run(x, out):
        for i in range(x.shape[0]):
            out[i] = function(x[i])
    return run


for kind, unit in ((np.float64, 2.0**-52), (np.float32, 2.0**-23)):
    x = np.linspace(0.01, 0.99, 203).astype(kind)
    for function in (vector.exp, vector.log, vector.tan, vector.tanh, vector.arcsin, vector.cbrt):
        out = np.empty_like(x)
        loop(function)(x, out)
        right = function(x.astype(np.float64))
        assert np.all(np.abs(out - right) <= 5 * unit * np.abs(right)), (kind, function)
print("right")
"""


@pytest.mark.compiled
def test_narrow_registers(tmp_path: Path) -> None:
    """Compiled for the oldest x86-64, whose vectors are half as long; elsewhere for whatever is generic."""
    (tmp_path / "use.py").write_text(REGISTERS)
    features = "+sse2" if platform.machine() in ("x86_64", "AMD64") else ""
    said, _ = ran(tmp_path, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES=features)
    assert said == "right"


def mixture(x: np.ndarray, a: float) -> float:
    s = 0.0
    for i in range(x.shape[0]):
        s += np.log1p(np.exp(a * x[i])) * np.tanh(x[i]) + (1.0 + x[i] * x[i]) ** a
    return s


@pytest.mark.compiled
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_precise_calls_numpys(kind: type, compiled: None) -> None:
    x = np.linspace(-1.0, 1.0, 29).astype(kind)
    a = kind(0.7)
    fast, precise = adjit.value_and_grad(mixture), adjit.value_and_grad(mixture, precise=True)
    sources = [re.sub("#.*", "", g.source(x, a)) for g in (fast, precise)]
    assert "np.tanh" not in sources[0] and "adjit.runtime.vector" in sources[0]
    assert "np.tanh" in sources[1] and "adjit.runtime.vector" not in sources[1]
    direction = np.cos(np.arange(29.0))
    estimate = oracles.directional(mixture, (x.astype(np.float64), 0.7), 0, direction)
    for gradient in (fast, precise):
        _, d = gradient(x, a)
        assert abs(float(d @ direction) - estimate.value) < (1e-7 if kind is np.float64 else 1e-3)


@pytest.mark.compiled
def test_threads(compiled: None) -> None:
    gradient = adjit.value_and_grad(mixture)
    xs = [np.linspace(-1.0, 1.0, n) for n in (5, 64, 999, 1000)]
    expected = [gradient(x, 0.7)[1] for x in xs]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(50):
            if not np.array_equal(gradient(xs[k], 0.7)[1], expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k % 4,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def decided(x: np.ndarray, c: np.ndarray) -> float:
    """Which side a pass takes depends on the last bit of an exponential."""
    s = 0.0
    y = 1.0
    for i in range(x.shape[0]):
        if np.exp(x[i]) > c[i]:
            y = 2.0 * y + x[i] * x[i]
        else:
            y = 0.5 * y - x[i] * x[i]
        s += y * y
    return s


@pytest.mark.compiled
def test_both_sweeps_take_the_same_side(compiled: None) -> None:
    """The value says which side was taken in each pass; the gradient must be that side's."""
    x = np.linspace(-1.0, 1.0, 23)
    for c in (np.exp(x), np.nextafter(np.exp(x), 0.0), np.nextafter(np.exp(x), 9.0)):
        for k in range(len(x)):
            # One pass at a time is undecided, the others are far from it.
            bound = np.where(np.arange(len(x)) % 3 == 0, 0.0, 9.0)
            bound[k] = c[k]
            value, d = adjit.value_and_grad(decided)(x, bound)
            sides = [decided(x, np.where(np.arange(len(x)) == k, side, bound)) for side in (0.0, 9.0)]
            taken = int(abs(value - sides[1]) < abs(value - sides[0]))
            bound[k] = (0.0, 9.0)[taken]
            expected = adjit.value_and_grad(decided)(x, bound)[1]
            assert np.array_equal(d, expected)


def recurrence(x: np.ndarray, a: float) -> float:
    """Saves a number per pass, in a workspace."""
    s, y = 0.0, 1.0
    for i in range(x.shape[0]):
        y = np.sin(y * x[i]) + a
        s += y * y
    return s


@pytest.mark.compiled
@pytest.mark.parametrize("function", [mixture, recurrence])
def test_inside_the_users_own_compiled_functions(function: Any, compiled: None) -> None:
    x = np.linspace(-1.0, 1.0, 29)
    gradient = adjit.value_and_grad(function)
    value, d = gradient(x, 0.7)
    inner = gradient.compiled

    @numba.njit
    def total(x):
        value, d = inner(x, 0.7)
        return value + np.sum(d)

    assert abs(total(x) - (value + d.sum())) < 1e-12
