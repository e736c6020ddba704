"""`compare`: one function, adjit's gradient of it, and those of other tools.

Input: a function that returns a number, its arguments, the tools. Output: a `Comparison`. Invariants: a
tool whose gradient differs from adjit's is shown with its deviation, one that fails is named with its
error. Non-goals: judging.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import console
from ..api.gradient import value_and_grad
from . import measure
from .comparison import Comparison, Row
from .peers import PEERS, Contender, Skipped, Task, adjit_itself, finite_differences, known, plain

DIFFERENCES_AT_MOST = 2000  # numbers; for more, finite differences are not run but estimated


def deviation(found: Sequence[Any], wanted: Sequence[Any]) -> float:
    """The largest difference, relative to the largest entry."""
    if len(found) != len(wanted):
        return float("inf")
    worst, scale = 0.0, 0.0
    for a, b in zip(found, wanted, strict=True):
        if np.shape(a) != np.shape(b):
            return float("inf")
        if np.size(b):
            worst = max(worst, float(np.max(np.abs(np.asarray(a, dtype=float) - b))))
            scale = max(scale, float(np.max(np.abs(b))))
    return worst / scale if scale else worst


class _Measured:
    """A contender that runs, with what was found out before the timing."""

    def __init__(self, contender: Contender, wanted: Sequence[Any] | None) -> None:
        self.contender = contender
        self.compile: float | None = None
        self.memory: int | None = None
        compiles = contender.name in ("adjit", "jax")
        with contender.within():
            start = time.process_time()
            contender.compile()
            if compiles:
                self.compile = time.process_time() - start
            contender.function()
            self.skips = contender.gradient_calls > 2 * DIFFERENCES_AT_MOST
            if not self.skips:
                self.memory = measure.peak_growth(contender.gradient)
                self.leaves = contender.leaves()
            else:
                self.leaves = list(wanted or [])
        self.deviation = float("nan") if self.skips else deviation(self.leaves, wanted or self.leaves)

    def calls(self) -> list[Callable[[], Any]]:
        """The function, and the gradient unless finite differences would take too long."""
        inner = [self.contender.function]
        if not self.contender.gradient_calls:
            inner.append(self.contender.gradient)

        def within(call: Callable[[], Any]) -> Callable[[], Any]:
            def run() -> Any:
                with self.contender.within():
                    return call()

            return run

        return [within(c) for c in inner] if self.contender.name == "jax" else inner

    def row(self, times: Sequence[float]) -> Row:
        one = self.contender
        gradient = times[1] if len(times) > 1 else times[0] * one.gradient_calls
        estimated = len(times) == 1
        return Row(
            one.name, times[0], gradient, self.memory, self.compile, self.deviation, estimated, one.note
        )


def compare(
    fun: Callable[..., Any],
    *args: Any,
    against: Sequence[str] = ("numpy-fd", "autograd", "jax", "torch"),
    argnums: int | str | Sequence[int | str] = 0,
    versions: dict[str, Callable[..., Any]] | None = None,
    seconds: float = 2.0,
) -> Comparison:
    """Time `fun` and its gradient at `args`, by adjit and by other tools.

    `versions` holds the function as written for a tool, `{"jax": loss_jax}`; without one, autograd and jax
    are tried on `fun` with `np` bound to their own NumPy. Tools that are not installed are skipped by name.
    Times are CPU time, medians of interleaved blocks, about `seconds` of measuring for each tool. The
    result prints as a table and has `.json()` and `.plot(path)`.
    """
    known(against)
    known(tuple(versions or ()))
    own: Any = value_and_grad(fun, argnums=argnums)
    own.needs_plain_parameters("compare")
    task = Task(fun, own.bound(args, {}), argnums, own.chosen, dict(versions or {}))
    running: list[_Measured] = []
    skipped: dict[str, str] = {}
    name = getattr(plain(fun), "__name__", "function")
    with console.steps(len(against) + 1 + measure.MOST_ROUNDS) as bar:
        bar.step("compiling with adjit")
        running.append(_Measured(adjit_itself(task), None))
        for peer in against:
            bar.step(f"preparing {peer}")
            try:
                make = finite_differences if peer == "numpy-fd" else PEERS[peer]
                running.append(_Measured(make(task), running[0].leaves))
            except Skipped as reason:
                skipped[peer] = str(reason)
            except Exception as error:  # another tool's own trouble is reported, not ours to raise
                lines = str(error).strip().splitlines() or [""]
                skipped[peer] = f"it raised {type(error).__name__}: {lines[0][:160]}"
        calls = [m.calls() for m in running]
        flat = [c for group in calls for c in group]
        times = iter(measure.medians(flat, seconds, lambda k: bar.step(f"measuring, round {k + 1}")))
    rows = tuple(m.row([next(times) for _ in group]) for m, group in zip(running, calls, strict=True))
    count = sum(int(np.size(x)) for x in running[0].leaves)
    return Comparison(name, rows, skipped, count)
