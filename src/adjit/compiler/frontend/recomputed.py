"""Calls of functions that the reverse sweep runs again: `adjit.checkpoint(f)`.

Input: the function and the values of its arguments. Output: the value of the call; the function's statements
stand here, inlined, and behind them the call that its derivative goes through (`adjoint.checkpoints`).
Invariants: the function writes none of its arguments. Non-goals: deciding what is run again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...errors import OverwriteError
from ..adjoint import checkpoints
from . import inlined
from .values import Value

if TYPE_CHECKING:
    from .specialise import Specialiser


def call(
    ctx: Specialiser, function: Callable[..., Any], args: Sequence[Value], kwargs: dict[str, Value]
) -> Value:
    """The value of `checkpoint(function)(*args, **kwargs)`."""
    from .specialise import specialise

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
    given = [*arguments.operands, *inlined.hidden_operands(ctx, program)]
    ys = inlined.instantiate(ctx.b, program.function, given)
    results = checkpoints.emit(ctx.b, checkpoints.Region(program.function), given, ys)
    return inlined.result_value(ctx, program.result, results)
