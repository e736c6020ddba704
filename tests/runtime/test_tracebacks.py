"""Errors from generated programs end at the user's line; a debugger steps through the adjoint."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import adjit
from adjit.runtime.tracebacks import raised_at


def shifted(x, i):
    return x[i + 5]


def outside(x):
    s = 0.0
    for i in range(3):
        s += shifted(x, i) * x[i]
    return s


def refusing(x):
    if x[0] > 0.0:
        raise ValueError("only negative numbers")
    return x[0]


def asserting(x):
    assert x[0] < 0.0, "only negative numbers"
    return x[0]


def misfit(x):
    y = x[:2]
    return np.sum(y + x)


def singular(x):
    a = np.zeros((4, 4)) * x[0]
    return np.sum(np.linalg.solve(a, x))


def twice_singular(x):
    a = np.zeros((4, 4)) * x[0]
    y = np.linalg.solve(a, x)
    b = np.linalg.cholesky(a)
    return np.sum(y) + np.sum(b)


CASES = [
    (outside, IndexError, "return x[i + 5]", shifted),
    (refusing, ValueError, 'raise ValueError("only negative numbers")', refusing),
    (asserting, AssertionError, "assert x[0] < 0.0", asserting),
    (misfit, ValueError, "return np.sum(y + x)", misfit),
    (singular, np.linalg.LinAlgError, "return np.sum(np.linalg.solve(a, x))", singular),
]


def last_entry(call: Callable[[], object], kind: type[Exception]) -> traceback.FrameSummary:
    with pytest.raises(kind) as caught:
        call()
    return traceback.extract_tb(caught.value.__traceback__)[-1]


def check(fun: Callable[..., object], kind: type[Exception], line: str, home: Callable[..., object]) -> None:
    gradient = adjit.value_and_grad(fun)
    for _ in range(2):  # the second call takes the short way
        entry = last_entry(lambda: gradient(np.ones(4)), kind)
        assert entry.filename == __file__ and entry.name == home.__name__
        assert (entry.line or "").startswith(line)
        lines, start = inspect.getsourcelines(home)
        assert start <= entry.lineno < start + len(lines)


@pytest.mark.parametrize(("fun", "kind", "line", "home"), CASES)
def test_uncompiled(fun, kind, line, home) -> None:
    check(fun, kind, line, home)


@pytest.mark.compiled
@pytest.mark.parametrize(("fun", "kind", "line", "home"), CASES)
def test_compiled(fun, kind, line, home, compiled: None) -> None:
    check(fun, kind, line, home)


@pytest.mark.compiled
@pytest.mark.skipif(sys.version_info < (3, 11), reason="errors have no notes before Python 3.11")
def test_several_library_calls_are_named(compiled: None) -> None:
    with pytest.raises(np.linalg.LinAlgError) as caught:
        adjit.grad(twice_singular)(np.ones(4))
    (note,) = caught.value.__notes__
    assert note.count(__file__) >= 2


def test_what_has_no_place_stays() -> None:
    error = KeyError("x")
    assert raised_at(error, None) is error and error.__traceback__ is None


SCRIPT = """
import pdb
import numpy as np
import adjit


def walk(x):
    total = 1.0
    for i in range(x.shape[0]):
        factor = np.sin(x[i])
        total = total * factor + x[i]
    return total


x = np.array([0.5, 1.0, 1.5])
gradient = adjit.value_and_grad(walk)
path = gradient.path(x)
lines = open(path).read().splitlines()
down = max(k for k, line in enumerate(lines) if line.lstrip().startswith("for i in range"))
first = next(k for k in range(down + 1, len(lines)) if not lines[k].lstrip().startswith("#"))
print(path, lines[down])
debugger = pdb.Pdb(nosigint=True, readrc=False)
debugger.rcLines = [f"b {path}:{first + 1}", "c", "p ('here', i, ct_total)", "n", "w", "q"]
debugger.runcall(gradient, x)
"""


def test_a_debugger_steps_through_the_adjoint(tmp_path: Path) -> None:
    script = tmp_path / "walking.py"
    script.write_text(SCRIPT, encoding="utf-8")
    env = {**os.environ, "ADJIT_DISABLE_JIT": "1", "ADJIT_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env=env,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert "('here', 2, " in done.stdout  # the reverse sweep starts at the last pass
    assert "walk_gradient(" in done.stdout and str(tmp_path / "cache") in done.stdout
