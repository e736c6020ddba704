"""Calls: user functions are inlined, with names of their own; the rest is looked up.

Input: a callable as a value or Python object, and arguments as values. Output: the value of the call.
Invariants: arguments are evaluated left to right; a function's text is read once; a function that calls
itself is inlined only as deep as compile-time values say. Non-goals: what NumPy functions mean (`arrays`),
builtins (`python_builtins`).
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InferenceError, MissingRuleError, UnsupportedSyntaxError
from ..definitions import COMPILE_TIME, arguments_marked
from ..fetching import Default, Held
from ..ir.nodes import Location
from . import (
    arrays,
    bindings,
    constructing,
    containers,
    depths,
    dicts,
    directional,
    fence,
    inlined,
    jitclasses,
    list_methods,
    lists,
    opaque,
    optionals,
    printing,
    python_builtins,
    python_types,
    recomputed,
    recursion,
    resolve,
    sharing,
    standard,
    texts,
    threaded,
)
from .arrays.promote import is_array, is_number
from .arrays.remedies import instead_of_argument
from .local_functions import LocalFunction
from .nodes import has_stars
from .normalise import RESULT, Normal, normalise
from .scope import Facts, analyse
from .source import FunctionNode, Source, plain_function, source_of
from .values import Choice, Closure, ListValue, Mapping_, Method, Record, Sequence_, Static, Value

if TYPE_CHECKING:
    from .specialise import Frame, Specialiser

API = __name__.split(".", 1)[0] + ".api"
TAKING_NUMBERS = [abs, complex, divmod, float, int, max, min, pow, range]  # and never None
OWN = __name__.rsplit(".", 2)[0] + ".definitions"


@dataclass(frozen=True)
class Prepared:
    """A function's text, read."""

    normal: Normal
    facts: Facts
    locals: frozenset[str]


@functools.lru_cache(maxsize=1024)
def prepared(node: FunctionNode, file: str, name: str) -> Prepared:
    fence.check(node, file, name)
    normal = normalise(node)
    facts = analyse(normal)
    return Prepared(normal, facts, frozenset(facts.bound) | frozenset(_parameters(node)))


def _parameters(node: FunctionNode) -> list[str]:
    a = node.args
    rest = [x.arg for x in (a.vararg, a.kwarg) if x is not None]
    return [*(x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)), *rest]


@functools.lru_cache(maxsize=1024)
def capture(function: types.FunctionType) -> Source:
    """The definition of a function, within the fence."""
    source = threaded.as_loops(source_of(function))
    prepared(source.node, source.file, source.name)
    return source


def enter_local(ctx: Specialiser, function: LocalFunction, values: Sequence[Value]) -> Value:
    """Walk an inner function that is specialised by itself."""
    closure = function.seen_from(ctx)
    return _closure(ctx, closure, values, {})


# -- call expressions


def expression(ctx: Specialiser, node: ast.Call) -> Value:
    """The value of a call in the user's text."""
    function = ctx.eval(node.func)
    if isinstance(function, Static) and function.value is print and not has_stars(node):
        return printing.call(ctx, node)
    if isinstance(function, Method) and sharing.can_change(function.owner, or_list=True):
        (function,), (args, kwargs) = sharing.holding(ctx, [function], lambda: _arguments(ctx, node))
    else:
        args, kwargs = _arguments(ctx, node)
    with ctx.at(node):
        return call(ctx, function, args, kwargs)


def _arguments(ctx: Specialiser, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:
    if not has_stars(node):
        values = ctx.spread([*node.args, *(k.value for k in node.keywords)])
        named = zip(node.keywords, values[len(node.args) :], strict=True)
        return values[: len(node.args)], {str(k.arg): v for k, v in named}
    args = ctx.spread(node.args)
    kwargs: dict[str, Value] = {}
    for k in node.keywords:
        value = ctx.eval(k.value)
        if k.arg is not None:
            kwargs[k.arg] = value
        elif isinstance(value, Mapping_):
            kwargs.update({str(name): v for name, v in value.items.items()})
        else:
            ctx.error(InferenceError, "only a dict with constant keys can be passed with **")
    return args, kwargs


def call(ctx: Specialiser, function: object, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """The value of `function(*args, **kwargs)`; `function` is a value or a Python object."""
    if isinstance(function, Closure):
        return _closure(ctx, function, args, kwargs)
    if isinstance(function, Method):
        return _method(ctx, function, list(args), kwargs)
    if isinstance(function, Static):
        function = function.value
    elif is_number(function) or is_array(function) or isinstance(function, Sequence_ | Mapping_):  # type: ignore[arg-type]
        ctx.error(InferenceError, f"{containers.describe(function)} is not callable")  # type: ignore[arg-type]
    elif isinstance(function, Record):
        return _call_object(ctx, function, args, kwargs)
    return _object(ctx, function, args, kwargs)


def _object(ctx: Specialiser, function: object, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    function = jitclasses.as_written(bindings.source_of(function))
    if standard.holds(function):
        return standard.called(ctx, function, lambda: _known(ctx, function, args, kwargs))
    return _known(ctx, function, args, kwargs)


def _known(ctx: Specialiser, function: object, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    if args and isinstance(args[0], Choice) and function in (bool, isinstance, len):
        rest = args[1:]
        return ctx.by_alternative(args[0], lambda one: _known(ctx, function, [one, *rest], kwargs))
    if function in TAKING_NUMBERS:
        args = [optionals.definite(ctx, v) for v in args]
    if _hashable(function) and function in COMPILE_TIME:
        return compile_time(ctx, function, args, kwargs)
    handler = python_builtins.handler(function)
    if handler is not None:
        return handler(ctx, args, kwargs)
    if args and function in list_methods.JOINING and list_methods.is_open(ctx, args[0]):
        return list_methods.joined(ctx, function, args, kwargs)
    if arrays.knows(function):
        if _computes(function):
            given = getattr(function, "nin", len(args))
            args = [*(optionals.definite(ctx, v) for v in args[:given]), *args[given:]]
        named = {k: optionals.told(ctx, v) for k, v in kwargs.items()}
        return arrays.numpy_call(ctx, function, [lists.plain(ctx, v) for v in args], named)
    if _own(function):
        return _transform(ctx, function, args, kwargs)
    if hasattr(function, "inlined"):  # a function with a rule of its own
        found: Value = function.inlined(ctx, list(args), kwargs)
        return found
    if hasattr(function, "program") and not hasattr(function, "py_func"):  # a transform of adjit
        return inlined.call(ctx, function, args, kwargs)
    if isinstance(function, functools.partial):
        first = [resolve.lift(ctx, "partial", v, Held(v)) for v in function.args]
        named = {k: resolve.lift(ctx, k, v, Held(v)) for k, v in function.keywords.items()}
        return call(ctx, function.func, [*first, *args], {**named, **kwargs})
    if isinstance(function, functools._lru_cache_wrapper):  # a function of its arguments all the same
        return call(ctx, function.__wrapped__, args, kwargs)
    if isinstance(function, types.MethodType):
        if _foreign(function.__func__):
            return arrays.numpy_call(ctx, function, list(args), kwargs)
        return _known(ctx, function.__func__, [Static(function.__self__), *args], kwargs)
    called = inspect.getattr_static(type(function), "__call__", None)
    if isinstance(called, types.FunctionType) and not _foreign(called) and not hasattr(function, "py_func"):
        return call(ctx, called, [Static(function), *args], kwargs)
    if isinstance(function, type) and not _is_number_type(function):
        return constructing.call(ctx, function, args, kwargs)
    if isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, str):
        if function.__name__ == "format":
            return Static(texts.by_format(ctx, function.__self__, args, kwargs))
        return compile_time(ctx, function, args, kwargs)
    if arrays.is_gufunc(function):
        return arrays.gufunc_call(ctx, function, list(args), kwargs)
    called_as_is = opaque.call(ctx, function, args, kwargs)
    if called_as_is is not None:
        return called_as_is
    plain = plain_function(function)
    if isinstance(plain, types.FunctionType) and not _foreign(plain):
        return enter(ctx, plain, args, kwargs)
    return arrays.numpy_call(ctx, function, list(args), kwargs)


def _computes(function: object) -> bool:
    """A function that makes a number of numbers, and raises if given None."""
    if isinstance(function, np.ufunc):
        return any(t.endswith("->d") for t in function.types)
    return getattr(function, "__module__", "") == "math"


def _own(function: object) -> bool:
    """One of the functions that adjit offers."""
    if not isinstance(function, types.FunctionType) or not function.__module__.startswith(API):
        return False
    return vars(sys.modules[function.__module__]).get(function.__name__) is function


def _transform(ctx: Specialiser, function: object, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """`adjit.grad(f)` and the like inside a user's function: the transform is made now."""
    name = getattr(function, "__name__", "")
    if hasattr(function, "inside"):
        return directional.call(ctx, function.inside, args, kwargs)
    if name not in ("grad", "value_and_grad", "jit", "vmap", "checkpoint"):
        ctx.error(
            UnsupportedSyntaxError,
            f"adjit.{name} is not supported inside a differentiated function",
            instead="use adjit.grad, adjit.value_and_grad, adjit.jvp or adjit.vmap there",
        )
    if name == "jit" and len(args) == 1:
        return args[0]
    if name == "checkpoint" and args and recomputed.is_header(args[0]):
        return recomputed.header(ctx, args, kwargs)
    plain: list[object] = []
    for value in args:
        known = (LocalFunction(ctx, value),) if isinstance(value, Closure) else containers.plain_object(value)
        if known is None:
            ctx.error(InferenceError, f"the arguments of adjit.{name} must be known at compile time")
        plain.append(known[0])
    named = {k: containers.plain_object(v) for k, v in kwargs.items()}
    assert callable(function)
    made = function(*plain, **{k: v[0] for k, v in named.items() if v is not None})
    return Static(made)


def _hashable(function: object) -> bool:
    try:
        hash(function)
    except TypeError:
        return False
    return True


def _is_number_type(cls: type) -> bool:
    return issubclass(cls, np.generic)


def _foreign(function: object) -> bool:
    """Functions of NumPy, SciPy and the debugger are not inlined: their text is not written for it."""
    module = str(getattr(function, "__module__", ""))
    return module.split(".")[0] in ("numpy", "scipy", "math", "numba", "pdb")


def compile_time(
    ctx: Specialiser, function: object, args: Sequence[Value], kwargs: dict[str, Value]
) -> Value:
    """One of adjit's own helpers that runs now, on what is known now."""
    plain = [containers.plain_object(v) for v in args]
    named = {k: containers.plain_object(v) for k, v in kwargs.items()}
    if None in plain or None in named.values():
        name = getattr(function, "__name__", "")
        ctx.error(
            InferenceError, "an axis, a dtype or an option must be known at compile time", f"(in {name})"
        )
    try:
        assert callable(function)
        found = function(
            *(p[0] for p in plain if p is not None), **{k: v[0] for k, v in named.items() if v is not None}
        )
    except NotImplementedError as error:
        ctx.error(
            UnsupportedSyntaxError, f"{error} is not supported", instead="write the computation as loops"
        )
    except (TypeError, ValueError, IndexError) as error:
        ctx.error(InferenceError, str(error))
    return resolve.constant(found)


def _call_object(ctx: Specialiser, owner: Record, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    method = containers.attribute(ctx, owner, "__call__")
    return call(ctx, method, args, kwargs)


def _method(ctx: Specialiser, method: Method, args: list[Value], kwargs: dict[str, Value]) -> Value:
    owner, name = method.owner, method.name
    if name == python_builtins.PARTIAL:
        assert isinstance(owner, Sequence_)
        function, first, named = owner.items
        assert isinstance(first, Sequence_) and isinstance(named, Mapping_)
        given = {str(k): v for k, v in named.items.items()}
        return call(ctx, function, [*first.items, *args], {**given, **kwargs})
    if is_array(owner) or is_number(owner):
        args = [optionals.told(ctx, v) for v in args]
        return arrays.method(ctx, owner, name, args, {k: optionals.told(ctx, v) for k, v in kwargs.items()})
    if isinstance(owner, Record):
        if name == "_replace":
            return Record(owner.cls, {**owner.items, **kwargs})
        if name == "_asdict":
            return Mapping_({str(name): v for name, v in owner.items.items()})
        return call(ctx, getattr(owner.cls, name), [owner, *args], kwargs)
    if isinstance(owner, Mapping_) and name == "update" and not args:
        args, kwargs = [Mapping_(dict(kwargs.items()))], {}
    if kwargs:
        of_class = getattr(dict if isinstance(owner, Mapping_) else list, name, None)
        ctx.error(
            UnsupportedSyntaxError,
            f"keyword arguments of the method {name!r} are not supported",
            instead=instead_of_argument(of_class, next(iter(kwargs))),
        )
    if isinstance(owner, ListValue):
        return list_methods.method(ctx, owner, name, args)
    if isinstance(owner, Sequence_):
        return list_methods.of_sequence(ctx, owner, name, args)
    assert isinstance(owner, Mapping_)
    return dicts.method(ctx, owner, name, args)


# -- inlining


def enter(
    ctx: Specialiser,
    function: types.FunctionType,
    args: Sequence[object],
    kwargs: dict[str, Value] | None = None,
) -> Value:
    """Inline a Python function."""
    if function.__code__.co_flags & 0x2A0:
        ctx.error(UnsupportedSyntaxError, f"{function.__name__!r} is a generator or coroutine")
    source = capture(function)
    values = [v if isinstance(v, Value) else Static(v) for v in args]
    known_ways = (*ctx.loopable, *ctx.inlined)
    loop = recursion.as_loop(function, source.node) if source.node not in known_ways else ""
    if isinstance(loop, ast.FunctionDef):
        return depths.recursive(ctx, source, loop, lambda: enter(ctx, function, args, kwargs))
    if loop:
        ctx.no_loop[source.node] = loop
    if source.node in ctx.loops_for:
        source = replace(source, node=ctx.loops_for[source.node])
    known = depths.checked(ctx, function.__name__, source.node, values)
    found = prepared(source.node, source.file, source.name)
    quiet = function.__module__.startswith(OWN)
    frame = ctx.new_frame(source, found.facts, found.normal.stops, found.locals, None, quiet)
    frame.known = known
    frame.once = arguments_marked(function, "once") if quiet else frozenset()
    defaults = _function_defaults(ctx, function)
    names = _bound(ctx, source.node, source.name, values, kwargs or {}, defaults)
    return _walk(ctx, frame, found.normal, names)


def enter_top(ctx: Specialiser, function: types.FunctionType, given: Mapping[str, Value]) -> Value:
    """Walk the function that is specialised; `given` has values by parameter name, `*args` as a tuple."""
    source = capture(function)
    found = prepared(source.node, source.file, source.name)
    frame = ctx.new_frame(source, found.facts, found.normal.stops, found.locals, None, False)
    a = source.node.args
    star = {x.arg: Sequence_(()) for x in (a.vararg,) if x is not None}
    names: dict[str, Value] = {**star, **({a.kwarg.arg: Mapping_({})} if a.kwarg is not None else {})}
    ctx.frames.append(frame)  # defaults are looked up on behalf of the function
    names.update(_function_defaults(ctx, function))
    ctx.frames.pop()
    names.update(given)
    for p in _parameters(source.node):
        if p not in names:
            ctx.b.loc = source.location(source.node)
            ctx.error(InferenceError, f"{source.name}() missing a required argument: {p!r}")
    return _walk(ctx, frame, found.normal, names)


def _function_defaults(ctx: Specialiser, function: types.FunctionType) -> dict[str, Value]:
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    values = function.__defaults__ or ()
    found: dict[str, object] = dict(zip(positional[len(positional) - len(values) :], values, strict=True))
    found.update(function.__kwdefaults__ or {})
    return {k: resolve.lifted(ctx, id(function), f"{k}", v, Default(function, k)) for k, v in found.items()}


def _closure(ctx: Specialiser, closure: Closure, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    outer: Frame = closure.scope  # type: ignore[assignment]
    node = closure.node
    name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
    source = Source(outer.source.function, node, outer.source.file, name)
    known_ways = (*ctx.loopable, *ctx.inlined)
    loop = recursion.local_as_loop(ctx, outer, node) if node not in known_ways else ""
    if isinstance(loop, ast.FunctionDef):
        return depths.recursive(ctx, source, loop, lambda: _closure(ctx, closure, args, kwargs))
    if loop:
        ctx.no_loop[node] = loop
    node = ctx.loops_for.get(node, node)
    source = replace(source, node=node)
    known = depths.checked(ctx, name, node, args)
    found = prepared(node, outer.source.file, name)
    frame = ctx.new_frame(source, found.facts, found.normal.stops, found.locals, outer, outer.quiet)
    frame.known = known
    a = node.args
    keyword = [x.arg for x, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None]
    positional = [x.arg for x in (*a.posonlyargs, *a.args)]
    with_default = [*positional[len(positional) - len(a.defaults) :], *keyword]
    defaults = dict(zip(with_default, closure.defaults, strict=True))
    names = _bound(ctx, node, name, list(args), kwargs, defaults)
    return _walk(ctx, frame, found.normal, names)


def _walk(ctx: Specialiser, frame: Frame, normal: Normal, names: dict[str, Value]) -> Value:
    site: Location = ctx.b.loc
    frame.site = site if ctx.frames else None
    path = ctx.path
    ctx.path = (*path, site.file, site.line, site.column, frame.source.node, len(ctx.frames))
    ctx.frames.append(frame)
    try:
        for name, value in names.items():
            ctx.bind(name, value)
        ctx.run(normal.body)
        with ctx.b.at(site):
            result = Static(None) if ctx.dead and RESULT not in frame.names else ctx.load(RESULT)
    finally:
        ctx.frames.remove(frame)
        ctx.path = path
        ctx.b.loc = site
    return result


def _bound(
    ctx: Specialiser,
    node: FunctionNode,
    name: str,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    defaults: dict[str, Value],
) -> dict[str, Value]:
    """Arguments by parameter name, as Python binds them."""
    a = node.args
    positional = [x.arg for x in (*a.posonlyargs, *a.args)]
    found: dict[str, Value] = dict(zip(positional, args, strict=False))
    extra = list(args[len(positional) :])
    if extra and a.vararg is None:
        ctx.error(
            InferenceError,
            f"{name}() takes {len(positional)} positional arguments but {len(args)} were given",
        )
    if a.vararg is not None:
        found[a.vararg.arg] = Sequence_(tuple(extra))
    only_positional = {x.arg for x in a.posonlyargs}
    named = [*(p for p in positional if p not in only_positional), *(x.arg for x in a.kwonlyargs)]
    rest: dict[object, Value] = {}
    for k, v in kwargs.items():
        if k in named and k in found:
            ctx.error(InferenceError, f"{name}() got multiple values for argument {k!r}")
        if k in named:
            found[k] = v
        elif a.kwarg is not None:
            rest[k] = v
        else:
            ctx.error(InferenceError, f"{name}() got an unexpected keyword argument {k!r}")
    if a.kwarg is not None:
        found[a.kwarg.arg] = Mapping_(rest)
    for p in (*positional, *(x.arg for x in a.kwonlyargs)):
        if p not in found:
            if p not in defaults:
                ctx.error(InferenceError, f"{name}() missing a required argument: {p!r}")
            found[p] = defaults[p]
    return found


__all__ = ["MissingRuleError", "call", "capture", "enter", "expression", "python_types"]
