"""All that needs a GPU, in one go: `python -m adjit.testing.gpu` prints one table.

Each sample program: its gradient on the GPU against central differences of the plain Python function, then
its time on large arrays that are already there, first call apart, beside JAX and PyTorch where they are
installed and can run it as it is written, and, where memory bounds it, as a fraction of the bandwidth that a
copy reaches. Before that the checks of `gpu_checks`. `--seconds` bounds the whole run (default 220): what is
left then is not run. `--elements` sets the size; without it, as many as fit. Non-goals: the language, which
the test suite covers.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import types
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .samples import SAMPLES, Sample

SMALL = 40
STEP = 1e-5
LARGE = 1 << 26  # elements; calls on fewer are bound by the host's part in them
SHARE = 512  # bytes of free memory for each element: arguments, gradients, what is saved, in three libraries
Arguments = tuple[Any, ...]


def plain(sample: Sample, args: Arguments) -> float:
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    return float(sample.function(*copies))


def deviation(sample: Sample, run: Callable[[Arguments], tuple[Any, Sequence[Any]]]) -> float:
    """How far value and gradient are from the plain function and its central difference along a direction."""
    rng = np.random.default_rng(0)
    args = sample.args(rng, SMALL)
    value, gradients = run(args)
    wanted = plain(sample, args)
    worst = abs(float(value) - wanted) / max(1.0, abs(wanted))
    for k, gradient in zip(sample.wrt, gradients, strict=True):
        direction = rng.normal(size=args[k].shape)
        moved = [(*args[:k], args[k] + sign * STEP * direction, *args[k + 1 :]) for sign in (1, -1)]
        slope = (plain(sample, moved[0]) - plain(sample, moved[1])) / (2.0 * STEP)
        worst = max(worst, abs(float(np.sum(direction * gradient)) - slope) / max(1.0, abs(slope)))
    return worst


def median_time(run: Callable[[], Any], wait: Callable[[], Any], budget: float = 3.0) -> float:
    """Seconds of a call, the first one apart."""
    run()
    wait()
    times: list[float] = []
    until = time.perf_counter() + budget
    while len(times) < 3 or (len(times) < 20 and time.perf_counter() < until):
        start = time.perf_counter()
        run()
        wait()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


# -- the three systems: each takes a sample and arguments, and gives a function to time


def adjit_run(sample: Sample, args: Arguments) -> Callable[[], Any]:
    from numba import cuda

    import adjit

    f = adjit.value_and_grad(sample.function, argnums=sample.wrt, target="cuda")
    there = [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in args]
    return lambda: f(*there)


def adjit_result(sample: Sample, args: Arguments) -> tuple[Any, list[Any]]:
    value, gradients = adjit_run(sample, args)()
    return value, [g.copy_to_host() for g in gradients]


def jax_run(sample: Sample, args: Arguments) -> Callable[[], Any]:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # or it takes most of the memory
    import jax

    jax.config.update("jax_enable_x64", True)
    if jax.default_backend() != "gpu":
        raise RuntimeError("JAX has no GPU here")
    fun = with_numpy(sample.function, jax.numpy)
    f = jax.jit(jax.value_and_grad(fun, argnums=sample.wrt))
    there = [jax.numpy.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
    return lambda: jax.block_until_ready(f(*there))


def torch_run(sample: Sample, args: Arguments) -> Callable[[], Any]:
    import torch

    fun = with_numpy(sample.function, torch)
    there = [torch.as_tensor(a, device="cuda") if isinstance(a, np.ndarray) else a for a in args]
    chosen = [there[k].requires_grad_() for k in sample.wrt]

    def run() -> Any:
        found = torch.autograd.grad(fun(*there), chosen)
        torch.cuda.synchronize()
        return found

    return run


RUNS = {"jax": jax_run, "torch": torch_run}


def with_numpy(function: Any, module: Any) -> Any:
    """The function with another module in the place of NumPy."""
    return types.FunctionType(function.__code__, {**function.__globals__, "np": module}, function.__name__)


def milliseconds(library: str, sample: Sample, args: Arguments) -> float | None:
    """None where the library is absent or cannot run the program."""
    if library not in sample.others:
        return None
    try:
        return 1e3 * median_time(RUNS[library](sample, args), lambda: None)
    except Exception:
        return None


# -- the table


def copy_bandwidth(n: int, wait: Callable[[], Any]) -> float:
    """Bytes per second that a copy of n float64 reads and writes."""
    from numba import cuda

    a, b = cuda.device_array(n), cuda.device_array(n)
    return 16.0 * n / median_time(lambda: b.copy_to_device(a), wait)


def row(sample: Sample, n: int, bandwidth: float, wait: Callable[[], Any]) -> list[str]:
    off = deviation(sample, lambda args: adjit_result(sample, args))
    verdict = "right" if off < 1e-5 else f"WRONG ({off:.1e})"
    args = sample.args(np.random.default_rng(1), n)
    own = 1e3 * median_time(adjit_run(sample, args), wait)
    others = [milliseconds(library, sample, args) for library in RUNS]
    size = max(a.size for a in args if isinstance(a, np.ndarray))
    share = f"{sample.arrays * size * 8 / (own * 1e-3) / bandwidth:.0%}" if sample.arrays else "-"
    return [
        sample.name,
        str(size),
        verdict,
        f"{own:.3f}",
        share,
        *("-" if t is None else f"{t:.3f}" for t in others),
    ]


HEAD = ["program", "elements", "gradient", "adjit ms", "of copy", "JAX ms", "torch ms"]


def formatted(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(r[k]) for r in rows) for k in range(len(HEAD))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in rows)


def failed(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [""]
    return f"FAILED: {type(error).__name__}: {lines[0][:60]}"


def checked(until: float) -> tuple[list[str], bool]:
    """A line for each check, and whether all that ran went well."""
    from .gpu_checks import CHECKS

    lines, well = [], True
    for name, check in CHECKS.items():
        if time.perf_counter() > until:
            lines.append(f"{name}: not run, no time left")
            continue
        try:
            left_out = check()
            lines.append(f"{name}: " + (f"not looked at, {left_out}" if left_out else "right"))
        except Exception as error:
            well = False
            lines.append(f"{name}: {failed(error)}")
    return lines, well


def table(chosen: Sequence[Sample], n: int, bandwidth: float, wait: Callable[[], Any], until: float) -> Any:
    rows = [HEAD]
    for sample in chosen:
        if time.perf_counter() > until:
            rows.append([sample.name, "-", "not run: no time left", "-", "-", "-", "-"])
            continue
        try:
            rows.append(row(sample, n, bandwidth, wait))
        except Exception as error:
            rows.append([sample.name, "-", failed(error), "-", "-", "-", "-"])
    return rows


def fitting() -> int:
    """The number of elements for the memory that is free."""
    from numba import cuda

    return int(min(LARGE, cuda.current_context().get_memory_info().free // SHARE))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m adjit.testing.gpu", description=__doc__)
    parser.add_argument("--elements", type=int)
    parser.add_argument("--seconds", type=float, default=220.0)
    parser.add_argument("--only", nargs="*", default=list(SAMPLES), choices=list(SAMPLES))
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    from numba import cuda

    from adjit.runtime.cuda.simulated import SIMULATED

    if not SIMULATED and not cuda.is_available():
        print("no GPU is found: nothing was run", file=sys.stderr)
        return 2
    wait = (lambda: None) if SIMULATED else cuda.synchronize
    device = "Numba's simulator" if SIMULATED else cuda.get_current_device().name
    start = time.perf_counter()
    until = start + chosen.seconds
    lines, well = checked(until)
    n = chosen.elements or (SMALL if SIMULATED else fitting())
    bandwidth = copy_bandwidth(n, wait)
    rows = table([SAMPLES[name] for name in chosen.only], n, bandwidth, wait, until)
    spent = time.perf_counter() - start
    name = device.decode() if isinstance(device, bytes) else device  # Numba's older driver has bytes
    print(f"{name}; a copy moves {bandwidth / 1e9:.0f} GB/s; {spent:.0f} s in all\n")
    print(formatted(rows))
    print("\n" + "\n".join(lines))
    return 0 if well and all(r[2] == "right" for r in rows[1:]) else 1


if __name__ == "__main__":
    sys.exit(main())
