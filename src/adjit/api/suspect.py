"""Which statement is to blame for a derivative that `check_grads` found wrong.

Input: a function, its arguments, a direction. The program runs three times, at the point and a step to
either side, statement by statement. For each scalar operation the differences of its operands, weighted
with its local partials, must be the difference of its result: the dot-product test on one statement.
Output: the
first one that fails, or that is not the same in all three runs, in words. Non-goals: library routines,
programs of more than a million steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..compiler import machine
from ..compiler.adjoint.activity import differentiable_args
from ..compiler.ir.nodes import Function, Op
from ..compiler.library import ROUTINES
from ..compiler.ops import TABLE
from ..errors import source_line
from ..runtime import routines

Run = list[tuple[Op, list[Any], Any]]
TOLERANCE = 1e-3


def _recorded(fn: Function, arguments: Sequence[Any]) -> Run:
    found: Run = []
    own = [a.copy(order="K") if isinstance(a, np.ndarray) else a for a in arguments]
    calls = {name: getattr(routines, name) for name in ROUTINES if hasattr(routines, name)}
    machine.run(fn, *own, calls=calls, observe=lambda op, args, out: found.append((op, args, out)))
    return found


def _partials(op: Op, args: list[Any], out: Any) -> list[float]:
    if op.op in ("cast", "stop_gradient"):
        return [1.0 if op.op == "cast" else 0.0]
    if op.op == "select":
        return [0.0, 1.0, 0.0] if args[0] else [0.0, 0.0, 1.0]
    rule = TABLE[op.op].partials
    assert rule is not None
    return [0.0 if p is None else float(p) for p in rule(*map(float, args), float(out))]  # type: ignore[arg-type]


def _disagrees(op: Op, here: Any, up: Any, down: Any, h: float) -> tuple[float, float] | None:
    """What the partials give and what the differences are, where these differ."""
    able = op.args if op.op == "stop_gradient" else differentiable_args(op)
    if not able:
        return None
    try:
        partials = _partials(op, here[0], here[1])
    except (TypeError, ZeroDivisionError, ValueError, OverflowError):
        return None
    got = 0.0
    for k, a in enumerate(op.args):
        if any(a is b for b in able):
            got += partials[k] * (float(up[0][k]) - float(down[0][k])) / (2.0 * h)
    wanted = (float(up[1]) - float(down[1])) / (2.0 * h)
    if not (np.isfinite(got) and np.isfinite(wanted)):
        return (got, wanted) if np.isfinite(wanted) else None
    size = max(abs(got), abs(wanted), abs(float(here[1])) * 1e-9 / h)
    return (got, wanted) if abs(got - wanted) > TOLERANCE * max(size, 1e-6) else None


def suspect(fn: Function, point: Sequence[Any], up: Sequence[Any], down: Sequence[Any], h: float) -> str:
    """A sentence about the first statement that disagrees; empty where there is none or it cannot be told."""
    try:
        with np.errstate(all="ignore"):
            runs = [_recorded(fn, arguments) for arguments in (point, up, down)]
    except Exception:  # the check has failed already; this only helps to find out why
        return ""
    for (op, *here), (op_up, *above), (op_down, *below) in zip(*runs, strict=False):
        if not op is op_up is op_down:
            return f"a condition before line {op.loc.line} changes within a step: `{_text(op)}`"
        with np.errstate(all="ignore"):
            found = _disagrees(op, here, above, below, h)
        if found is not None:
            got, wanted = found
            return (
                f"the statement to look at is line {op.loc.line}, `{_text(op)}`: its "
                f"`{op.op}` gives {got:.6g} by its partials, {wanted:.6g} by finite differences"
            )
    return ""


def _text(op: Op) -> str:
    return source_line(op.loc).strip()


__all__ = ["suspect"]
