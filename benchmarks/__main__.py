"""Generated adjoints against hand-written ones: `python -m benchmarks [--quick] [--only a,b] [--jax]`.

Each program runs in a child process pinned to one core, its systems interleaved, CPU time counted. A gradient
that differs from the hand-written one by more than 1e-8 is reported as wrong. The hand-written adjoints are
compiled with fastmath, so adjit's are too. A second child makes the first call from the cache. `--json`
writes the figures, `--plot` draws them. At full sizes the ratios are compared with those of an earlier JSON
file, which is `baseline.json` here unless `--baseline` names another. The exit status is 1 unless every
program is right. `python -m benchmarks.compiling` is about compile time.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import measure

OTHERS = ("jax", "torch", "autograd")
BASELINE = str(Path(__file__).with_name("baseline.json"))


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
    parser.add_argument("--plot", help="draw the ratios to a file (needs matplotlib)")
    parser.add_argument(
        "--baseline", default=BASELINE, help="a JSON file of an earlier run to compare ratios with"
    )
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--cached", action="store_true", help=argparse.SUPPRESS)
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
    if options.cached:
        reference = measure.flat(workload.hand(*args))
        return {form: generated(workload, form, args, reference).seconds for form in options.forms}
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
    found: dict[str, Generated] = {}
    reference = measure.flat(workload.hand(*args))
    for form in options.forms:
        if form == "numpy" and workload.numpy is None:
            continue
        found[form] = generated(workload, form, args, reference)
        if found[form].call is not None:
            systems[f"adjit_{form}"] = found[form].call
    return {
        "name": name,
        "bound": workload.bound,
        "ms": measure.measure(systems, options.rounds),
        "first_s": {form: g.seconds for form, g in found.items()},
        "wrong": {form: g.trouble for form, g in found.items() if g.trouble},
        "saved": {form: g.saved for form, g in found.items()},
        "temporary": {form: g.temporary() for form, g in found.items()},
        "hand_saved": workload.saved(*args),
    }


@dataclass
class Generated:
    """What the first call of a generated gradient showed, and the call to time."""

    trouble: str
    seconds: float
    saved: int | None = None
    call: Callable[[], Any] | None = None
    gradient: Any = None

    def temporary(self) -> int | None:
        """Bytes of the workspace, saved values and temporaries together; asked for after a few calls."""
        if self.gradient is None:
            return None
        pools = [e.runner.pool for entries in self.gradient.entries.values() for e in entries]
        return sum(words.nbytes for pool in pools if pool is not None for words in pool.idle)


def generated(workload: Any, form: str, args: Any, reference: Any) -> Generated:
    import adjit

    gradient = adjit.value_and_grad(workload.form(form), argnums=workload.argnums, fastmath=True)
    start = time.perf_counter()
    try:
        result = gradient(*args)
    except Exception as error:  # reported in the table, not hidden
        return Generated(f"{type(error).__name__}: {str(error).splitlines()[0]}", math.nan)
    seconds = time.perf_counter() - start
    off = measure.deviation(measure.flat(result), reference)
    trouble = "" if off < 1e-8 else f"WRONG by {off:.1e}"
    return Generated(trouble, seconds, saved_bytes(gradient, args), lambda: gradient(*args), gradient)


def saved_bytes(gradient: Any, args: Any) -> int | None:
    """Bytes that live from the forward into the reverse sweep of the generated program."""
    try:
        return int(gradient.saved(*args).nbytes)
    except AttributeError:
        return None


CELL = 54


def header(forms: list[str]) -> str:
    names = "hand primal | first s, cached | saved, work MB"
    return f"{'program':14} {'hand ms':>9} {'saved MB':>9}" + "".join(
        f" {f'{form}: {names}':>{CELL}}" for form in forms
    )


def line(row: dict[str, Any], forms: list[str]) -> str:
    """One program's figures: times over that of the hand-written adjoint and of the function, seconds of the
    first call cold and from the cache, megabytes. Other systems on lines of their own.
    """
    hand, cells = row["ms"]["hand"], ""
    for form in forms:
        if form in row["wrong"]:
            cells += " " + row["wrong"][form][:CELL].rjust(CELL)
        elif f"adjit_{form}" in row["ms"]:
            ms = row["ms"][f"adjit_{form}"]
            times = f"{ms / hand:6.2f}x {ms / row['ms']['primal']:6.2f}x"
            first = f"{row['first_s'][form]:6.1f} {row['cached_s'].get(form, math.nan):5.2f}"
            memory = f"{megabytes(row['saved'][form]):>7} {megabytes(row['temporary'][form]):>7}"
            cells += " " + f"{times} | {first} | {memory}".rjust(CELL)
        else:
            cells += " " + "as loops".rjust(CELL)
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


def ratios(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    """Time over that of the hand-written adjoint, by program and form."""
    return {
        (row["name"], system[6:]): ms / row["ms"]["hand"]
        for row in rows
        for system, ms in row["ms"].items()
        if system.startswith("adjit_")
    }


def compare(rows: list[dict[str, Any]], path: str) -> None:
    """Say which ratios differ from those of an earlier run by more than a tenth."""
    before = ratios(json.loads(Path(path).read_text(encoding="utf-8")))
    for key, now in ratios(rows).items():
        if key in before and not 0.9 < now / before[key] < 1.1:
            print(f"{key[0]}, {key[1]}: {before[key]:.2f}x before, {now:.2f}x now")


def plot(rows: list[dict[str, Any]], path: str) -> None:
    """Bars of the ratios."""
    from matplotlib import pyplot

    found = ratios(rows)
    names = [row["name"] for row in rows]
    forms = list(dict.fromkeys(form for _, form in found))
    figure, axes = pyplot.subplots(figsize=(10, 4), layout="constrained")
    for k, form in enumerate(forms):
        places = [n + (k - (len(forms) - 1) / 2) * 0.4 for n in range(len(names))]
        axes.bar(places, [found.get((name, form), math.nan) for name in names], width=0.4, label=form)
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_ylabel("time / hand-written adjoint")
    axes.legend()
    figure.savefig(path, dpi=150)


def run(name: str, folder: str, *extra: str) -> dict[str, Any] | str:
    """The result of a child process, or the last line of its complaint."""
    command = [sys.executable, "-m", "benchmarks", "--child", name, *extra, *sys.argv[1:]]
    environment = {**measure.environment(), "ADJIT_CACHE_DIR": folder}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    results = [text for text in done.stdout.splitlines() if text.startswith("RESULT ")]
    if results:
        found: dict[str, Any] = json.loads(results[0][7:])
        return found
    return (done.stderr.strip().splitlines() or ["no output"])[-1]


def main() -> int:
    options = parse()
    if options.child:
        print("RESULT " + json.dumps(child(options.child, options)))
        return 0
    from .baselines import WORKLOADS

    names = [n for n in WORKLOADS if not options.only or n in options.only.split(",")]
    rows = []
    print(header(options.forms))
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            row = run(name, folder)
            if isinstance(row, str):
                print(f"{name}: the child failed: {row}", flush=True)
                continue
            cached = {} if options.quick else run(name, folder, "--cached")
            row["cached_s"] = cached if isinstance(cached, dict) else {}
            rows.append(row)
            print(line(row, options.forms), flush=True)
    right = summary(rows, options.forms, len(names))
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    if not options.quick:
        compare(rows, options.baseline)
    if options.plot:
        plot(rows, options.plot)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
