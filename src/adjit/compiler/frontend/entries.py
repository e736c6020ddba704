"""What a transform is applied to, ready to be walked: a function, or another object that can be called.

Input: a plain or jitted function, a bound method, a `functools.partial`, a cached function, an object with
`__call__`, a function with a rule. Output: `Entry`: the text that stands for it in errors, its parameters,
and the walk. Invariants: nothing of the user's is run. Non-goals: calls inside functions (`calls`).
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import UnsupportedSyntaxError
from . import calls
from .arrays.names import name_of
from .local_functions import LocalFunction
from .source import Source, plain_function
from .structure import parameter_names
from .values import Mapping_, Sequence_, Static, Value

if TYPE_CHECKING:
    from .specialise import Frame, Specialiser

Walk = Callable[["Specialiser", Mapping[str, Value]], Value]


@dataclass(frozen=True)
class Entry:
    source: Source
    names: tuple[str, ...]
    walk: Walk


def entry(fun: object) -> Entry:
    """`fun` may be an entry itself."""
    if isinstance(fun, Entry):
        return fun
    if isinstance(fun, LocalFunction):
        local = fun
        return Entry(
            local.source,
            parameter_names(local.source),
            lambda ctx, given: calls.enter_local(ctx, local, list(given.values())),
        )
    if not _called_as_object(fun):
        function = plain_function(fun)
        if isinstance(function, types.FunctionType):
            return _of_function(function, fun)
    return _of_object(fun)


def _of_function(function: types.FunctionType, fun: object) -> Entry:
    source = calls.capture(function)
    if not isinstance(fun, types.MethodType):
        return Entry(
            source, parameter_names(source), lambda ctx, given: calls.enter_top(ctx, function, given)
        )
    first = source.node.args
    name, owner = [*first.posonlyargs, *first.args][0].arg, Static(fun.__self__)
    return Entry(
        source,
        parameter_names(source, skip=1),
        lambda ctx, given: calls.enter_top(ctx, function, {**given, name: owner}),
    )


def _called_as_object(fun: object) -> bool:
    """Whether more is to be done than to walk the text of a function."""
    return hasattr(fun, "inlined") or isinstance(fun, functools.partial)


def underlying(fun: object) -> types.FunctionType:
    """The function whose text stands for an object that can be called."""
    seen = fun
    for _ in range(20):
        if isinstance(seen, functools.partial):
            seen = seen.func
            continue
        plain = plain_function(seen)
        if isinstance(plain, types.FunctionType):
            return plain
        inner = getattr(plain, "__wrapped__", None) or getattr(plain, "fun", None)
        if inner is None:
            inner = inspect.getattr_static(type(plain), "__call__", None)
        if not callable(inner) or inner is seen:
            break
        seen = inner
    raise no_text(fun)


def no_text(fun: object) -> UnsupportedSyntaxError:
    name = name_of(fun)
    return UnsupportedSyntaxError(
        f"{name} is not a Python function",
        None,
        "adjit transforms the source of functions written in Python",
        f"wrap it: lambda x: {name}(x)",
    )


def _of_object(fun: object) -> Entry:
    assert callable(fun)
    source = calls.capture(underlying(fun))
    signature = inspect.signature(fun)

    def walk(ctx: Specialiser, given: Mapping[str, Value]) -> Value:
        args: list[Value] = []
        kwargs: dict[str, Value] = {}
        for name, parameter in signature.parameters.items():
            value = given.get(name)
            if value is None:
                continue
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                assert isinstance(value, Sequence_)
                args += value.items
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                assert isinstance(value, Mapping_)
                kwargs.update({str(k): v for k, v in value.items.items()})
            elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                kwargs[name] = value
            else:
                args.append(value)
        ctx.frames.append(base_frame(ctx, source, given))
        try:
            with ctx.b.at(source.location(source.node)):
                return calls.call(ctx, Static(fun), args, kwargs)
        finally:
            ctx.frames.pop()

    return Entry(source, tuple(signature.parameters), walk)


def base_frame(ctx: Specialiser, source: Source, given: Mapping[str, Value]) -> Frame:
    """A frame that holds the arguments, below that of the function."""
    found = calls.prepared(source.node, source.file, source.name)
    frame = ctx.new_frame(source, found.facts, {}, frozenset(given), None, False)
    frame.names.update(given)
    return frame


__all__ = ["Entry", "entry", "no_text", "underlying"]
