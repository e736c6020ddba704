"""What the reverse sweep runs again: functions, `checkpoint(f)`, and loops, `for t in checkpoint(range(n))`.

Input: a function and the values of its arguments, or the header of a loop. Output: the value of the call;
the function's statements stand here, inlined, and behind them the call that its derivative goes through
(`adjoint.checkpoints`). Of a loop, a mark in its body (`adjoint.checkpointed_loops`). Invariants: the
function writes none of its arguments. Non-goals: deciding what is run again.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...errors import InferenceError, OverwriteError, UnsupportedSyntaxError
from ..adjoint import checkpointed_loops, checkpoints
from ..analyses.effects import lasting
from ..ir.builder import const
from ..ir.nodes import Const, Operand, Var
from ..ir.visitor import walk
from . import arrays, inlined, python_builtins
from .arrays.promote import is_array, is_number
from .local_functions import LocalFunction
from .values import (
    CheckpointedValue,
    IndexSpace,
    ListValue,
    RangeValue,
    Sequence_,
    Static,
    Stream,
    Value,
)

if TYPE_CHECKING:
    from .specialise import Specialiser

AGAIN: ContextVar[bool] = ContextVar("again", default=True)  # whether anything is run again


def call(
    ctx: Specialiser, function: Callable[..., Any], args: Sequence[Value], kwargs: dict[str, Value]
) -> Value:
    """The value of `checkpoint(function)(*args, **kwargs)`."""
    from . import calls
    from .specialise import specialise

    if not AGAIN.get():
        plain = function.seen_from(ctx) if isinstance(function, LocalFunction) else function
        return calls.call(ctx, plain, args, kwargs)
    values = inlined.bound(ctx, function, args, kwargs)
    arguments = inlined.Specifications(ctx)
    specs = tuple(arguments.spec(v, False) for v in values)
    program = specialise(function, specs, replace(ctx.options, intermediates=()))
    if program.written:
        ctx.error(
            OverwriteError,
            f"the checkpointed function `{program.function.name}` writes one of its arguments",
            "the reverse sweep runs it again from the arguments as they were",
            "copy the argument in the function",
        )
    if any(map(lasting, walk(program.function.body))):
        ctx.error(
            UnsupportedSyntaxError,
            f"the checkpointed function `{program.function.name}` draws random numbers, seeds them or prints",
            "the reverse sweep runs it again",
            "draw the numbers before the call",
        )
    given = [*arguments.operands, *inlined.hidden_operands(ctx, program)]
    ys = inlined.instantiate(ctx.b, program.function, given)
    results = checkpoints.emit(ctx.b, checkpoints.Region(program.function), given, ys)
    return inlined.result_value(ctx, program.result, results)


# -- loops
def is_header(value: Value) -> bool:
    """Whether `checkpoint(value)` is about a loop."""
    iterable = isinstance(value, RangeValue | Stream | Sequence_ | ListValue | IndexSpace)
    return iterable or is_number(value) or is_array(value)


def header(ctx: Specialiser, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """The value of `checkpoint(range(n), snapshots=20)` or `checkpoint(condition)`."""
    over, *rest = args
    if rest or set(kwargs) - {"snapshots"}:
        ctx.error(InferenceError, "adjit.checkpoint takes a range or a condition, and snapshots=")
    if ctx.options.target == "cuda":
        ctx.error(
            UnsupportedSyntaxError,
            'checkpointed loops do not run with target="cuda"',
            "which states are kept is found out on the way, which kernels cannot do",
            "checkpoint a function of some passes, and call it in a loop",
        )
    return CheckpointedValue(over, kwargs.get("snapshots", Static(None)))


def snapshots(ctx: Specialiser, found: CheckpointedValue) -> Operand | None:
    """How many states the loop may keep; None: adjit's choice."""
    given = found.snapshots
    if isinstance(given, Static) and given.value is None:
        return None
    if isinstance(given, Static) and (isinstance(given.value, bool) or not isinstance(given.value, int)):
        ctx.error(InferenceError, f"snapshots must be None or a number of states, not {given.value!r}")
    number = arrays.scalar(ctx, python_builtins.integer(ctx, given))
    if isinstance(number, Const) and number.value < 1:
        ctx.error(InferenceError, f"snapshots must be at least 1, not {number.value}")
    ctx.b.check(ctx.b.op("ge", number, const(1)), "ValueError", "snapshots must be at least 1")
    return number


def condition(ctx: Specialiser, found: CheckpointedValue) -> Operand | None:
    """The snapshots of a `while` loop, whose condition each pass evaluates."""
    number = snapshots(ctx, found)
    if isinstance(number, Var):
        ctx.error(
            InferenceError,
            "the snapshots of a `while` loop depend on values of the run",
            "room for them is made before the loop",
            "write a number, or a constant of the module",
        )
    return number


def tested(ctx: Specialiser, branch: ast.If, value: Value) -> Value:
    """The condition of a branch, which may be that of a `while` that is tested inside its body."""
    if not isinstance(value, CheckpointedValue):
        return value
    last = branch.orelse[-1] if branch.orelse else None
    target = last.targets[0] if isinstance(last, ast.Assign) else None
    if not (isinstance(target, ast.Name) and target.id in ctx.frame.stops.values()):
        ctx.error(
            UnsupportedSyntaxError,
            "adjit.checkpoint is around the condition of an `if`",
            "it is for functions and loops",
            "write it around the range of the `for` or the condition of the `while`",
        )
    checkpointed_loops.mark(ctx.b, condition(ctx, value))
    return value.over
