"""Calls of generated programs by code that Numba compiled, whose errors surface as the user's.

`called(program, origin, arguments)` calls the compiled function `program`. Where a check of it fails, the
error that a call from Python would raise is made at once and kept, and compiled code raises a `Surfaced`
with its number; when that leaves compiled code, Numba makes an exception of the class and its arguments,
and gets the kept one. Input: a function compiled by Numba, the `Origin` of its text. Output: what it
returns. Invariants: between the two, compiled code may catch the error, and another thread may meet one of
its own; Numba keeps no file of code with such a call, which would know nothing of changes of the user's
function. Non-goals: what the error says (`dispatch`).
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.callconv import excinfo_ptr_t
from numba.core.types.misc import unliteral
from numba.extending import lower_builtin, models, register_model, type_callable

from ..compiler.codegen.linemap import Text
from ..errors import AdjitError, where
from . import tracebacks
from .dispatch import failure
from .failure import Failure

MOST_KEPT = 1000  # errors that compiled code caught stay until as many others have come
INT64: Any = ir.IntType(64)

FORGOTTEN = RuntimeError("a program failed, and its error is not known any more")

_numbers = itertools.count(1)
_kept: OrderedDict[int, BaseException] = OrderedDict()


@dataclass(frozen=True, eq=False)
class Origin:
    """Where a program comes from."""

    text: Text

    @property
    def _numba_type_(self) -> Any:
        return OriginType(self)


class OriginType(types.Opaque):
    """The type of one origin."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        super().__init__(f"origin of {origin.text.name} at {id(origin):#x}")


register_model(OriginType)(models.OpaqueModel)


class Surfaced(Exception):
    """Calling the class with a number gives the error that was kept under it."""

    def __new__(cls, number: int = 0) -> Any:
        return _kept.get(number, FORGOTTEN)


def kept(origin: Origin, kind: type[BaseException], value: object) -> int:
    """Keep the error that a program of this origin stopped with; its number."""
    error = value
    if not isinstance(error, BaseException):  # Python makes the exception later
        error = kind() if value is None else kind(*value) if isinstance(value, tuple) else kind(value)
    if isinstance(error, Failure):
        place = origin.text.sites[error.args[0]].location
        error = failure(error, origin.text)
        if not isinstance(error, AdjitError) and hasattr(error, "add_note"):  # adjit's own say it themselves
            error.add_note(f"  {where(place)}")
    elif isinstance(error, Exception):
        error = tracebacks.located(error, origin.text)
    number = next(_numbers)
    _kept[number] = error
    while len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)
    return number


def called(program: Any, origin: Origin, arguments: tuple[Any, ...]) -> Any:
    """The results of a generated program."""
    return program(*arguments)


def _signature(context: Any, program: Any, arguments: Any) -> Any:
    return program.get_call_type(context, tuple(map(unliteral, arguments)), {})


@type_callable(called)  # type: ignore[untyped-decorator]
def _typed(context: Any) -> Any:
    def typer(program: Any, origin: Any, arguments: Any) -> Any:
        return _signature(context, program, arguments).return_type

    return typer


def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    program, origin, given = sig.args
    called_as = _signature(context.typing_context, program, given)
    compiled = program.dispatcher.get_compile_result(called_as)
    context.add_linking_libs([compiled.library])
    function = context.declare_function(builder.module, compiled.fndesc)
    parts = cgutils.unpack_tuple(builder, args[2], len(given))
    values = [context.cast(builder, *x) for x in zip(parts, given, called_as.args, strict=True)]
    status, value = context.call_conv.call_function(
        builder, function, called_as.return_type, called_as.args, values
    )
    address = _address(context, builder, origin.origin)
    with cgutils.if_unlikely(builder, status.is_error):
        keep = _keeper(context, builder.module)
        number = builder.call(keep, [address, status.code, status.excinfoptr])
        context.call_conv.return_dynamic_user_exc(builder, Surfaced, (number,), (types.int64,))
    return value


def _address(context: Any, builder: Any, origin: Origin) -> Any:
    """The address of the origin. Numba keeps no file of code that has one; it stays in the code even where
    the optimiser finds that there is no error."""
    address = context.add_dynamic_addr(builder, id(origin), info="the origin of an adjit program")
    builder.module.globals[f"numba.dynamic.globals.{id(origin):x}"].linkage = "weak"
    return address


def _keeper(context: Any, module: Any) -> Any:
    """The function that keeps the error of a status: its number, or zero where there is none to be had."""
    name = "adjit.keep"
    if name in module.globals:
        return module.globals[name]
    kind = ir.FunctionType(INT64, [cgutils.voidptr_t, ir.IntType(32), excinfo_ptr_t])
    made = ir.Function(module, kind, name)
    made.linkage = "internal"
    made.attributes.add("noinline")
    made.attributes.add("cold")
    builder = ir.IRBuilder(made.append_basic_block("entry"))
    api = context.get_python_api(builder)
    gil = api.gil_ensure()
    result = cgutils.alloca_once_value(builder, INT64(0))
    origin, code, info = made.args
    status = context.call_conv._get_return_status(builder, code, info)
    context.call_conv.raise_error(builder, api, status)
    slots = [cgutils.alloca_once(builder, api.pyobj) for _ in range(3)]
    api.err_fetch(*slots)
    kind, value, traceback = map(builder.load, slots)
    shown = builder.select(cgutils.is_null(builder, value), api.borrow_none(), value)
    keep = api.unserialize(api.serialize_object(kept))
    found = api.call_function_objargs(keep, (builder.bitcast(origin, api.pyobj), kind, shown))
    with builder.if_else(cgutils.is_null(builder, found)) as (lost, known):
        with lost:
            api.err_clear()
        with known:
            builder.store(api.long_as_longlong(found), result)
    for owned in (kind, value, traceback, keep, found):
        api.decref(owned)
    api.gil_release(gil)
    builder.ret(builder.load(result))
    return made


_TUPLE: Any = types.BaseTuple  # type: ignore[attr-defined]
lower_builtin(called, types.Dispatcher, OriginType, _TUPLE)(_lower)

__all__ = ["Origin", "called"]
