"""Compile time against program length: `python -m benchmarks.compiling [--lengths 25,50,100,200]`.

Functions of two kinds are generated, a chain of scalar statements and a sequence of small loops, and their
gradient is compiled without a cache, each length in a process of its own. The table has the lines of the
generated program, the seconds of adjit's steps and of Numba, by CPU time.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from . import measure

STEPS = ("capture", "adjoint", "codegen")  # what is not named is passes


def chain(length: int) -> str:
    lines = ["def f(x):", "    a, b = x[0], x[1]"]
    for k in range(length):
        lines.append(f"    {'ab'[k % 2]} = a * {1 + k % 7}.5 + sin(b) / (1.0 + a * a)")
    return "\n".join(["from numpy import sin", "", "", *lines, "    return a + b", ""])


def loops(length: int) -> str:
    lines = ["def f(x):", "    s = 0.0"]
    for k in range(length // 2):
        lines += [
            "    for i in range(1, x.shape[0]):",
            f"        s += x[i] * x[i - 1] * {1 + k % 5}.0 + s * 0.01",
        ]
    return "\n".join([*lines, "    return s", ""])


def child(kind: str, length: int) -> dict[str, Any]:
    import numba
    import numpy as np

    import adjit
    from adjit.compiler import pipeline

    numba.njit(lambda x: x + 1.0)(1.0)  # Numba's own tables
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(globals()[kind](length), encoding="utf-8")
        spec = importlib.util.spec_from_file_location("program", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        gradient = adjit.value_and_grad(module.f, cache=False)
        x = np.linspace(0.1, 0.9, 8)
        start = time.process_time()
        gradient(x)
        total = time.process_time() - start
        emitted = gradient.source(x).count("\n")
    own = dict(pipeline.seconds)
    found = {step: own.pop(step, 0.0) for step in STEPS}
    return {"lines": emitted, **found, "passes": sum(own.values()), "total": total}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compiling", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--lengths", default="25,50,100,200")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print("RESULT " + json.dumps(child(options.child[0], int(options.child[1]))))
        return 0
    columns = (*STEPS, "passes", "Numba and rest", "total")
    print(
        f"{'program':7} {'source':>6} {'lines':>6}" + "".join(f"{c:>16}" for c in columns) + "   ms per line"
    )
    for kind in ("chain", "loops"):
        for length in map(int, options.lengths.split(",")):
            command = [sys.executable, "-m", "benchmarks.compiling", "--child", kind, str(length)]
            done = subprocess.run(
                command, env=measure.environment(), capture_output=True, text=True, check=True
            )
            row = json.loads(done.stdout.split("RESULT ", 1)[1])
            own = [row[step] for step in (*STEPS, "passes")]
            cells = "".join(f"{c:16.2f}" for c in (*own, row["total"] - sum(own), row["total"]))
            per_line = 1e3 * row["total"] / row["lines"]
            print(f"{kind:7} {length:6} {row['lines']:6}{cells} {per_line:13.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
