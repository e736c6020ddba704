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


SESSION = """
import pdb
import numpy as np
import adjit


def walk(x):
    total = 1.0
    for i in range(x.shape[0]):
        factor = np.sin(x[i])
        total = total * factor + x[i]
    return total


def pick(x, error):
    y = x * 2.0
    return y[error] * x[0]


def stopping(x):
    pdb.set_trace()
    return x[0]


def debugger(*commands):
    made = pdb.Pdb(nosigint=True, readrc=False)
    made.rcLines = [*commands, "q"]
    return made


x = np.array([0.5, 1.0, 1.5])
gradient = adjit.value_and_grad(walk)
path = gradient.path(x)
at = next(k for k, line in enumerate(open(path), start=1) if line.lstrip().startswith("ct_factor = "))
debugger(
    f"b {path}:{at}", "c", "l", "p ('here', i_1, ct_total, total_1)", "n", "n", "p ct_factor", "w",
    "c", "p ('then', i_1, ct_total, factor)",
).runcall(gradient, x)
try:
    adjit.grad(pick)(x, 7)
except IndexError as error:
    after = debugger("w", "l", "p ('kept', x, error)")
    after.reset()
    after.interaction(None, error.__traceback__)
try:
    adjit.grad(stopping)(x)
except adjit.MissingRuleError as error:
    print(error)
"""


def test_a_debugger_at_work(tmp_path: Path) -> None:
    script = tmp_path / "walking.py"
    script.write_text(SESSION, encoding="utf-8")
    env = {**os.environ, "ADJIT_DISABLE_JIT": "1", "ADJIT_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env=env,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    here, then = done.stdout.split(
        "('here', 2, np.float64(1.0), "
    )  # the reverse sweep starts at the last pass
    stepped, failed = then.split("('then', 1, ")
    totals = [(np.sin(0.5) + 0.5).item()]
    totals.append((totals[0] * np.sin(1.0) + 1.0).item())
    assert "# total = total * factor + x[i]" in here  # as `l` lists the file
    assert stepped.startswith(f"np.float64({totals[1]!r})") and f"\nnp.float64({totals[1]!r})\n" in stepped
    assert "walk_gradient(" in stepped and str(tmp_path / "cache") in stepped
    assert failed.startswith(f"np.float64({np.sin(1.5).item()!r}), np.float64({np.sin(1.0).item()!r}))")
    assert "walking.py(17)pick()" in failed and "->\t    return y[error] * x[0]" in failed
    assert "('kept', array([0.5, 1. , 1.5]), np.int64(7))" in failed
    assert "pdb.set_trace is not supported" in failed and "ADJIT_DISABLE_JIT=1" in failed
