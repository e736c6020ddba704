"""Which statement is to blame for a derivative that `check_grads` found wrong.

Input: a function, its arguments, a direction. The program runs three times, at the point and a step to
either side, statement by statement. For each scalar operation the differences of its operands, weighted
with its local partials, must be the difference of its result: the dot-product test on one statement. A
rule of the user's (`custom_vjp`, `custom_jvp`) is one such operation.
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
from ..compiler.ir.nodes import Call, Function, Op
from ..compiler.ir.types import Array, is_float
from ..compiler.library import ROUTINES
from ..compiler.library.rules import Rule, is_rule, rule_of
from ..compiler.ops import TABLE
from ..errors import source_line
from ..runtime import routines

Run = list[tuple[Op | Call, list[Any], Any]]
TOLERANCE = 1e-3


def _recorded(fn: Function, arguments: Sequence[Any]) -> Run:
    found: Run = []
    own = [a.copy(order="K") if isinstance(a, np.ndarray) else a for a in arguments]

    def note(stmt: Op | Call, args: list[Any], out: Any) -> None:
        if isinstance(stmt, Op):
            found.append((stmt, args, out))
        elif is_rule(stmt):
            found.append((stmt, [np.array(a) for a in args], None))

    machine.run(fn, *own, calls=_calls(), observe=note)
    return found


def _calls() -> dict[str, Any]:
    """The routines, and calls of rules, which copy what the function computed."""

    def copied(*values: Any) -> None:
        rule: Rule = values[-1]
        for out, y in zip(values[: rule.outs], values[rule.outs : 2 * rule.outs], strict=True):
            out[...] = y

    return {name: getattr(routines, name, copied) for name in ROUTINES}


def _partials(op: Op, args: list[Any], out: Any) -> list[float]:
    if op.op == "cast":
        return [1.0]
    if op.op == "select":
        return [0.0, 1.0, 0.0] if args[0] else [0.0, 0.0, 1.0]
    rule = TABLE[op.op].partials
    if rule is None:  # a result that does not vary but jumps, as that of `floor`
        return [0.0] * len(args)
    return [0.0 if p is None else float(p) for p in rule(*map(float, args), float(out))]  # type: ignore[arg-type]


def _disagrees(op: Op, here: Any, up: Any, down: Any, h: float) -> tuple[float, float] | None:
    """What the partials give and what the differences are, where these differ."""
    able = op.args if TABLE[op.op].partials is None else differentiable_args(op)
    if not able or not is_float(op.out.type):
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


def _rule_disagrees(rule: Rule, here: Any, up: Any, down: Any, h: float) -> tuple[float, float] | None:
    """What a rule gives and what the differences of its results are, where these differ."""
    n, m = rule.outs, rule.outs * 2 + rule.flows
    first = m + rule.fixed
    given = here[first : first + rule.arrays + rule.numbers]
    moved = [(a - b) / (2.0 * h) for a, b in zip(up, down, strict=True)]
    wanted = float(sum(np.sum(y) for y in moved[n : 2 * n]))
    if rule.push is not None:
        results: Sequence[Any] = machine.run(
            rule.push, *_shaped(rule.push, [*given, *moved[2 * n : m]]), calls=_calls()
        )
        got = float(sum(np.sum(results[k]) for k in rule.pushed if k is not None))
    elif rule.pull is not None:
        ones = [np.ones_like(y) for y in here[n : 2 * n]]
        results = machine.run(rule.pull, *_shaped(rule.pull, [*given, *ones]), calls=_calls())
        pairs = zip(rule.pulled, moved[2 * n : m], strict=True)
        got = float(sum(np.sum(results[k] * d) for k, d in pairs if k is not None))
    else:
        return None
    size = max(abs(got), abs(wanted), 1e-6)
    return (got, wanted) if abs(got - wanted) > TOLERANCE * size else None


def _shaped(fn: Function, values: Sequence[Any]) -> list[Any]:
    """Arrays as a rule's function takes them: some are numbers."""
    return [v if isinstance(p.type, Array) else v[()] for v, p in zip(values, fn.params, strict=True)]


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
            if isinstance(op, Call):
                word, found = (
                    f"rule of `{rule_of(op).name}`",
                    _rule_disagrees(rule_of(op), here[0], above[0], below[0], h),
                )
            else:
                word, found = f"`{op.op}`", _disagrees(op, here, above, below, h)
        if found is not None:
            got, wanted = found
            return (
                f"the statement to look at is line {op.loc.line}, `{_text(op)}`: its "
                f"{word} gives {got:.6g} by its partials, {wanted:.6g} by finite differences"
            )
    return ""


def _text(op: Op | Call) -> str:
    return source_line(op.loc).strip()


__all__ = ["suspect"]
