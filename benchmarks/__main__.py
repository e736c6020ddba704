"""Generated adjoints against hand-written ones: `python -m benchmarks [--quick] [--only a,b] [--jax] [--json
FILE]`.

Each program runs in a child process pinned to one core, its systems interleaved, CPU time counted. A gradient
that differs from the hand-written one by more than 1e-8 is reported as wrong. The hand-written adjoints are
compiled with fastmath, so adjit's are too. The exit status is 1 unless every program is right.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from . import measure

OTHERS = ("jax", "torch", "autograd")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, few rounds: does it run and is it right?"
    )
    parser.add_argument("--only", default="", help="comma-separated names")
    parser.add_argument("--form", default="loops,numpy")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--variants", action="store_true", help="other hand-written adjoints too")
    for other in OTHERS:
        parser.add_argument(f"--{other}", action="store_true", help=f"compare with {other}, where installed")
    parser.add_argument("--json", help="write the figures to a file")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.forms = options.form.split(",")
    if options.quick:
        options.rounds = min(options.rounds, 3)
    return options


def child(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Figures of one program."""
    measure.pin()
    from .baselines import WORKLOADS

    workload = WORKLOADS[name]
    args = workload.arguments(options.quick)
    systems: dict[str, Any] = {
        "primal": lambda: workload.primal(*args),
        "hand": lambda: workload.hand(*args),
    }
    if options.variants:
        systems |= {f"hand_{k}": (lambda f=f: f(*args)) for k, f in workload.variants.items()}
    for other in OTHERS:
        if getattr(options, other):
            versions = importlib.import_module(f"benchmarks.baselines.{other}_versions").VERSIONS
            systems |= versions.get(name, lambda _args: {})(args)
    wrong, first, saved = {}, {}, {}
    reference = measure.flat(workload.hand(*args))
    for form in options.forms:
        if form == "numpy" and workload.numpy is None:
            continue
        trouble, seconds, bytes_saved, call = generated(workload, form, args, reference)
        first[form], saved[form] = seconds, bytes_saved
        if trouble:
            wrong[form] = trouble
        if call:
            systems[f"adjit_{form}"] = call
    ms = measure.measure(systems, options.rounds)
    kept = {"saved": saved, "hand_saved": workload.saved(*args)}
    return {"name": name, "bound": workload.bound, "ms": ms, "first_s": first, "wrong": wrong, **kept}


def generated(workload: Any, form: str, args: Any, reference: Any) -> tuple[str, float, int | None, Any]:
    """(trouble, seconds of the first call, saved bytes, the call to time)."""
    import adjit

    gradient = adjit.value_and_grad(workload.form(form), argnums=workload.argnums, fastmath=True)
    start = time.perf_counter()
    try:
        result = gradient(*args)
    except Exception as error:  # reported in the table, not hidden
        return f"{type(error).__name__}: {str(error).splitlines()[0]}", math.nan, None, None
    seconds = time.perf_counter() - start
    off = measure.deviation(measure.flat(result), reference)
    trouble = "" if off < 1e-8 else f"WRONG by {off:.1e}"
    return trouble, seconds, saved_bytes(gradient, args), lambda: gradient(*args)


def saved_bytes(gradient: Any, args: Any) -> int | None:
    """Bytes that live from the forward into the reverse sweep of the generated program."""
    try:
        return int(gradient.saved(*args).nbytes)
    except AttributeError:
        return None


def header(forms: list[str]) -> str:
    cells = "".join(f" {form + ': ratio, first s, saved MB':>32}" for form in forms)
    return f"{'program':14} {'hand ms':>9} {'saved MB':>9}{cells}"


def line(row: dict[str, Any], forms: list[str]) -> str:
    """One program's figures; other systems on lines of their own."""
    hand, cells = row["ms"]["hand"], ""
    for form in forms:
        if form in row["wrong"]:
            cells += " " + row["wrong"][form][:60].rjust(32)
        elif f"adjit_{form}" in row["ms"]:
            ratio = row["ms"][f"adjit_{form}"] / hand
            cells += f" {ratio:9.2f}x {row['first_s'][form]:8.1f} s {megabytes(row['saved'][form]):>10}"
        else:
            cells += " " + "as loops".rjust(32)
    text = f"{row['name']:14} {hand:9.4f} {megabytes(row['hand_saved']):>9}{cells}"
    for system, ms in row["ms"].items():
        if system not in ("hand", "primal") and not system.startswith("adjit"):
            text += f"\n    {system:20} {ms / hand:9.2f}x"
    return text


def summary(rows: list[dict[str, Any]], forms: list[str], expected: int) -> bool:
    """Geometric means over the programs that are bound by work; whether all is right."""
    for form in forms:
        ratios = [
            row["ms"][f"adjit_{form}"] / row["ms"]["hand"]
            for row in rows
            if row["bound"] != "calls" and form not in row["wrong"] and f"adjit_{form}" in row["ms"]
        ]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"{form}: geometric mean {mean:.2f}x the hand-written adjoint, worst {max(ratios):.2f}x")
    lean = sum((row["saved"].get("loops") or 0) <= 1.2 * row["hand_saved"] + 65536 for row in rows)
    wrong = sum(len(row["wrong"]) for row in rows)
    print(f"{lean} programs keep at most 1.2 times what the hand-written adjoint keeps, and 64 KiB")
    print(f"{len(rows)} of {expected} programs ran, {wrong} results wrong")
    return len(rows) == expected and not wrong


def megabytes(count: int | None) -> str:
    return "?" if count is None else f"{count / 1e6:.2f}"


def main() -> int:
    options = parse()
    if options.child:
        print("RESULT " + json.dumps(child(options.child, options)))
        return 0
    from .baselines import WORKLOADS

    names = [n for n in WORKLOADS if not options.only or n in options.only.split(",")]
    rows = []
    print(header(options.forms))
    for name in names:
        command = [sys.executable, "-m", "benchmarks", "--child", name, *sys.argv[1:]]
        done = subprocess.run(command, env=measure.environment(), capture_output=True, text=True, check=False)
        results = [text for text in done.stdout.splitlines() if text.startswith("RESULT ")]
        if results:
            rows.append(json.loads(results[0][7:]))
            print(line(rows[-1], options.forms), flush=True)
        else:
            print(
                f"{name}: the child failed: {(done.stderr.strip().splitlines() or ['no output'])[-1]}",
                flush=True,
            )
    right = summary(rows, options.forms, len(names))
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
