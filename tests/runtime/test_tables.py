"""The table of saved values: formulas against the numbers, reasons, and the predicted memory against what a
call takes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import adjit


def stencil(x, steps, c):  # type: ignore[no-untyped-def]
    u = x.copy()
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            u[i] = u[i] + c["k"][i] * np.sin(u[i - 1]) * u[i + 1]
    return np.sum(u * u)


def network(p, x):  # type: ignore[no-untyped-def]
    h = np.tanh(x @ p["w"])
    return np.sum(np.tanh(h @ p["v"]))


def growing(x):  # type: ignore[no-untyped-def]
    s = x
    while s < 100.0:
        s = s * s + np.exp(-s)
    return s


def test_formulas_give_the_numbers() -> None:
    for n, steps in ((10, 5), (7, 1), (40, 3)):
        x, c = np.ones(n), {"k": np.full(n, 0.1)}
        for row in adjit.grad(stencil).saved(x, steps, c).rows:
            if row.owned:
                assert eval(row.formula) == row.nbytes, row
    x, p = np.ones((6, 3)), {"w": np.ones((3, 4)), "v": np.ones((4, 2))}
    for table in (adjit.grad(network).saved(p, x), adjit.jit(network).saved(p, x)):
        for row in table.rows:
            assert not row.owned or eval(row.formula) == row.nbytes, row


def test_rows_say_where_and_why() -> None:
    rows = adjit.grad(stencil).saved(np.ones(10), 5, {"k": np.ones(10)}).rows
    by_reason = {row.why: row for row in rows}
    sine = by_reason["`sin` costs more than reading its result"]
    assert sine.shape == (5, 8) and "np.sin(u[i - 1])" in sine.needed_by
    assert sine.reader == stencil.__code__.co_firstlineno + 4 and sine.line == sine.reader
    assert any(row.of == "u" and row.why == "the element of `u` is overwritten later" for row in rows)
    kept = [row for row in rows if row.name == "c_k"]
    assert kept and not kept[0].owned and kept[0].nbytes == 0
    text = str(adjit.grad(stencil).saved(np.ones(10), 5, {"k": np.ones(10)}))
    assert "needed by the adjoint of line" in text and "8 * max(steps, 0)" in text


def test_sizes_that_only_a_run_can_tell() -> None:
    table = adjit.grad(growing).saved(1.5)
    assert table.peak is None and table.nbytes > 0
    assert any("as many as the run needs" in row.formula for row in table.rows)


@pytest.mark.compiled
def test_tables_of_what_an_earlier_process_compiled(compiled: None) -> None:
    x, p = np.ones((6, 3)), {"w": np.ones((3, 4)), "v": np.ones((4, 2))}
    first = [str(t.saved(p, x)) for t in (adjit.grad(network), adjit.jit(network))]
    del network.__adjit__  # type: ignore[attr-defined]
    assert [str(t.saved(p, x)) for t in (adjit.grad(network), adjit.jit(network))] == first


SCRIPT = """
import sys
import numpy as np
import adjit
sys.path.insert(0, sys.argv[1])
from programs import {name} as f

small, args = {small}, {large}
g = adjit.value_and_grad(f)
g(*small)
predicted = adjit.grad(f).saved(*args).peak
g(*args)
result = g(*args)
# What the call asked its workspace for; its first word counts it.
(used,) = {{8 * int(w[0]) for entry in g.entries.values() for e in entry for w in e.runner.pool.idle}}
gradients = result[1].values() if isinstance(result[1], dict) else [result[1]]
print(predicted, used + sum(x.nbytes for x in gradients))
"""

RESIDENT = """
import sys
import numpy as np
import adjit
from adjit.bench.measure import peak_growth
sys.path.insert(0, sys.argv[1])
from programs import {name} as f

small, args = {small}, {large}
g = adjit.value_and_grad(f)
g(*small)
predicted = adjit.grad(f).saved(*args).peak

def twice():
    g(*args)
    g(*args)

print(predicted, peak_growth(twice))
"""

PROGRAMS = """
import numpy as np

def network(p, x):
    h = np.tanh(x @ p["w"])
    return np.sum(np.tanh(h @ p["v"]))

def wave(c, steps):
    u, v = np.zeros(c.shape[0]), np.zeros(c.shape[0])
    u[c.shape[0] // 2] = 1.0
    for _ in range(steps):
        for i in range(1, c.shape[0] - 1):
            v[i] += c[i] * c[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        for i in range(1, c.shape[0] - 1):
            u[i] += v[i]
    return np.sum(u * u)

def logistic(x):
    y = x.copy()
    for _ in range(10):
        y = 3.7 * y * (1.0 - y)
    return np.sum(np.tanh(y))
"""

CASES = {
    "network": (
        "({'w': np.ones((3, 4)), 'v': np.ones((4, 2))}, np.ones((6, 3)))",
        "({'w': np.ones((300, 400)), 'v': np.ones((400, 200))}, np.full((20000, 300), 0.01))",
    ),
    "wave": ("(np.full(9, 0.3), 2)", "(np.full(20001, 0.3), 400)"),
    "logistic": ("(np.full(9, 0.3),)", "(np.full(1_000_000, 0.3),)"),
}


def predicted_and_measured(script: str, name: str, folder: Path) -> tuple[float, float]:
    (folder / "programs.py").write_text(PROGRAMS, encoding="utf-8")
    small, large = CASES[name]
    path = folder / "script.py"
    path.write_text(script.format(name=name, small=small, large=large), encoding="utf-8")
    environment = {**os.environ, "ADJIT_DISABLE_JIT": "0", "ADJIT_CACHE_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, str(path), str(folder)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    predicted, measured = (float(x) for x in done.stdout.split())
    return predicted, measured


@pytest.mark.compiled
@pytest.mark.parametrize("name", CASES)
def test_the_predicted_memory_is_what_a_call_takes(name: str, tmp_path: Path) -> None:
    predicted, measured = predicted_and_measured(SCRIPT, name, tmp_path)
    assert predicted > 50e6
    assert abs(predicted - measured) < 0.05 * measured, (predicted, measured)


@pytest.mark.compiled
@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="needs Linux's figures")
@pytest.mark.parametrize("name", ["wave", "logistic"])
def test_the_predicted_memory_is_what_the_process_takes(name: str, tmp_path: Path) -> None:
    predicted, measured = predicted_and_measured(RESIDENT, name, tmp_path)
    assert abs(predicted - measured) < 0.05 * measured, (predicted, measured)
