"""Functions that compiled code reaches as functions compiled apart, and kept on disk.

Input: a plain function, and the types that it is compiled for, given those of the arguments. Generated code
that calls the function calls the compiled one. There is no wrapper between: Numba optimises whatever a
function links once more, in each function that links it. Invariants: arguments are converted as in an
assignment. Non-goals: results (what is computed goes to array arguments).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numba
from numba import types
from numba.extending import lower_builtin, type_callable

Types = Sequence[Any]


def exact(given: Types) -> Types:
    """A compiled function for each kind of arguments."""
    return [types.unliteral(t) for t in given]


def of_any_layout(given: Types) -> Types:
    """One compiled function for arrays of all layouts."""
    return [t.copy(layout="A") if isinstance(t, types.Array) else t for t in exact(given)]


COMPILED: dict[Callable[..., Any], Any] = {}  # by the plain functions


def compiled_apart(function: Callable[..., Any], wanted: Callable[[Types], Types] = exact) -> None:
    """Let compiled code call `function` so."""
    COMPILED[function] = numba.njit(function, cache=True, nogil=True, error_model="numpy")
    dispatcher = types.Dispatcher(COMPILED[function])

    @type_callable(function)
    def _typed(context):  # type: ignore[no-untyped-def]
        def typer(*given):  # type: ignore[no-untyped-def]
            return context.resolve_function_type(dispatcher, tuple(wanted(given)), {}).return_type

        typer.pysig = inspect.signature(function)  # type: ignore[attr-defined]
        return typer

    @lower_builtin(function, types.VarArg(types.Any))
    def _lowered(context, builder, signature, args):  # type: ignore[no-untyped-def]
        given = wanted(signature.args)
        made = context.typing_context.resolve_function_type(dispatcher, tuple(given), {})
        values = [context.cast(builder, *x) for x in zip(args, signature.args, given, strict=True)]
        defaults = len(made.args) - len(values)  # constants of their types
        values += [context.get_dummy_value()] * defaults
        context.get_function(dispatcher, made)(builder, values)
        return context.get_dummy_value()
