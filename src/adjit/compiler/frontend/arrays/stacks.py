"""Functions of a matrix where an argument is a stack of matrices: the definitions over the stack.

Input: a call. Output: a handler that takes the place of the function's own, or None. Non-goals: complex
numbers, which have functions of their own.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache

from ...definitions import STACKED
from ..values import Static, Value
from .context import Context
from .numpy_table import GATES, Handler, defined
from .promote import is_array


def admit(
    ctx: Context, function: object, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Handler | None:
    given = [*args, *kwargs.values()]
    if function not in STACKED or not any(is_array(v) and len(v.shape) > 2 for v in given):  # type: ignore[union-attr]
        return None
    return _handler(function)


@cache
def _handler(function: object) -> Handler:
    """With the parameters of the definition."""
    definition = STACKED[function]

    def handler(ctx: Context, *args: Value, **kwargs: Value) -> Value:
        return defined(ctx, function, definition, args, kwargs)

    context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_ONLY)
    own = inspect.signature(definition).parameters.values()
    given = [p if p.default is p.empty else p.replace(default=Static(p.default)) for p in own]
    handler.__signature__ = inspect.Signature([context, *given])  # type: ignore[attr-defined]
    return handler


GATES.append(admit)
