"""What each NumPy function becomes.

Looked up in this order: builtins of this half (creation, shapes, products, library routines), elementwise
rows, definitions over loops. Keywords that are not in a builtin's or a definition's own signature are
refused by name, never ignored. Input: the function object and its arguments as values. Output: a value.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

import numpy as np

from ....errors import InferenceError, MissingRuleError, UnsupportedSyntaxError
from ...definitions import DEFINITIONS, ELEMENTWISE, OPS, ROUTINES, arguments_marked
from ...ir.builder import const
from ...ir.types import FLOATS, PARTS
from ...library import ROUTINES as LIBRARY
from ..values import ArrayValue, Mapping_, Record, ScalarValue, Sequence_, Static, Value, VirtualArray
from . import create, elementwise, fill, shapes, store, view
from .broadcast import unsure_of
from .context import Context
from .names import name_of
from .promote import dtype_name, is_array, is_number, is_weak, kind, operand, resolve, result_type, value_of
from .remedies import instead_of, instead_of_argument
from .scalars import BY_FUNCTION, Elementwise

Handler = Callable[..., Value]
F = TypeVar("F", bound=Handler)

BUILTINS: dict[object, Handler] = {}
GATES: list[Callable[..., Handler | None]] = []  # what may refuse a call or answer it instead


def builtin(*functions: object) -> Callable[[F], F]:
    """Decorator: `handler(ctx, *arguments)` with NumPy's own parameter names."""

    def decorate(handler: F) -> F:
        for f in functions:
            BUILTINS[f] = handler
        return handler

    return decorate


def numpy_call(ctx: Context, function: object, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The value of `function(*args, **kwargs)`."""
    try:
        known = hash(function) is not None
    except TypeError:
        known = False
    for gate in GATES:
        own = gate(ctx, function, args, kwargs) if known else None
        if own is not None:
            found = bound(ctx, function, own, (ctx, *args), kwargs)
            return own(*found.args, **found.kwargs)
    if known and function in BUILTINS:
        handler = BUILTINS[function]
        found = bound(ctx, function, handler, (ctx, *args), kwargs)
        return handler(*found.args, **found.kwargs)
    if known and function in BY_FUNCTION and _fits(function, args):
        return _elementwise(ctx, function, BY_FUNCTION[function], args, kwargs)
    if known and function in ELEMENTWISE:
        return _by_scalars(ctx, function, ELEMENTWISE[function], args, kwargs)
    if known and function in DEFINITIONS:
        return defined(ctx, function, DEFINITIONS[function], args, kwargs)
    if known and function in OPS:
        return _op(ctx, OPS[function], args)
    if known and function in ROUTINES:
        return _routine(ctx, ROUTINES[function], args)
    body = getattr(getattr(function, "_dispatcher", None), "py_func", None)
    if body is not None and type(function).__name__ == "DUFunc":
        return _vectorized(ctx, function, body, args, kwargs)
    if isinstance(function, type) and issubclass(function, np.generic | bool | int | float | complex):
        return _converted(ctx, function, args, kwargs)
    return _unknown(ctx, function)


def _fits(function: object, args: Sequence[Value]) -> bool:
    """Whether the elementwise row is meant: `math.hypot` of three numbers, say, is a definition."""
    return function not in DEFINITIONS or len(args) == BY_FUNCTION[function].arity


def knows(function: object) -> bool:
    """Whether `numpy_call` has an answer for the function."""
    try:
        return any(function in t for t in (BUILTINS, BY_FUNCTION, ELEMENTWISE, DEFINITIONS, OPS, ROUTINES))
    except TypeError:
        return False


def _unknown(ctx: Context, function: object) -> Value:
    why = "adjit has neither a definition over loops nor a rule for it"
    return ctx.error(MissingRuleError, f"{name_of(function)} is not supported", why, instead_of(function))


def bound(
    ctx: Context, function: object, handler: Handler, args: Sequence[object], kwargs: Mapping[str, Value]
) -> inspect.BoundArguments:
    """The arguments as the handler takes them, defaults filled in; an unknown keyword is refused by name."""
    signature = inspect.signature(handler)
    for name in kwargs:
        if name not in signature.parameters:
            _refuse_argument(ctx, function, name)
    try:
        found = signature.bind(*args, **kwargs)
    except TypeError as error:
        ctx.error(InferenceError, f"{name_of(function)}: {error}")
    found.apply_defaults()
    return found


# -- elementwise functions


def _elementwise(
    ctx: Context, function: object, row: Elementwise, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    out = kwargs.get("out")
    _only(ctx, function, kwargs, ("out",))
    if len(args) == row.arity + 1 and out is None and isinstance(function, np.ufunc):
        *args, out = args
    if function is math.log and len(args) == 2:
        over, base = (_elementwise(ctx, function, row, [v], {}) for v in args)
        return elementwise.binary(ctx, "div", over, base)
    if len(args) != row.arity:
        ctx.error(InferenceError, f"{name_of(function)} takes {row.arity} arguments, not {len(args)}")
    operands = [v if is_array(v) or is_number(v) else shapes.as_array(ctx, v) for v in args]
    scalar = getattr(function, "__module__", "") == "math"
    if row.name == "pow":
        result = elementwise.power(ctx, *operands)
    else:
        result = elementwise.apply(ctx, row, operands)
    if scalar:
        return _python_number(ctx, function, result)
    return result if out is None or create.is_none(out) else _into(ctx, out, result)


def _only(ctx: Context, function: object, kwargs: Mapping[str, Value], allowed: Sequence[str]) -> None:
    for name in kwargs:
        if name not in allowed:
            _refuse_argument(ctx, function, name)


def _refuse_argument(ctx: Context, function: object, name: str) -> NoReturn:
    what = f"the argument {name!r} of {name_of(function)} is not supported"
    ctx.error(UnsupportedSyntaxError, what, instead=instead_of_argument(function, name))


def _python_number(ctx: Context, function: object, result: Value) -> Value:
    """What a function of `math` gives: a Python number, hence weak; `floor` and its kin give integers."""
    name = getattr(function, "__name__", "")
    if name in ("floor", "ceil", "trunc"):
        result = convert(ctx, result, "int64")
    if isinstance(result, ScalarValue):
        return ScalarValue(result.operand, weak=True)
    if isinstance(result, Static) and isinstance(result.value, np.generic):
        return Static(result.value.item())
    return result


def _into(ctx: Context, out: Value, result: Value) -> Value:
    """`out=`: the result is written to the array given, which is the value of the call."""
    if isinstance(out, Sequence_) and len(out.items) == 1:
        out = out.items[0]
    store.setitem(ctx, out, Static(Ellipsis), result)
    return out


def _by_scalars(
    ctx: Context,
    function: object,
    scalar: Callable[..., object],
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
) -> Value:
    """A function of scalars on every element, by inlining it where the element is needed."""
    values = [elementwise.number_of(ctx, v) for v in bound(ctx, function, scalar, args, kwargs).args]  # type: ignore[arg-type]
    if isinstance(function, np.ufunc) and function.nout == 1:
        dtypes, out = resolve(ctx, function, [kind(ctx, v) for v in values])
    else:
        common = result_type(ctx, values)
        dtypes = (common if common in FLOATS else "float64",) * len(values)
        out = ""
    return _on_elements(ctx, scalar, values, dtypes, out)


def _on_elements(
    ctx: Context,
    scalar: Callable[..., object],
    values: Sequence[Value],
    dtypes: Sequence[str],
    out: str,
) -> Value:
    """`scalar` inlined for every element, arguments cast to `dtypes`, the result to `out` (or as it is)."""

    def element(*operands: object) -> object:
        inlined = ctx.call(scalar, [ScalarValue(x) for x in operands], {})  # type: ignore[arg-type]
        return operand(ctx, inlined, out or dtypes[0])

    if not any(is_array(v) for v in values):
        numbers = [operand(ctx, v, d) for v, d in zip(values, dtypes, strict=True)]
        inlined = ctx.call(scalar, [ScalarValue(x) for x in numbers], {})
        return convert(ctx, inlined, out) if out else inlined
    return elementwise.mapped(ctx, element, values, dtypes, out or dtypes[0], elementwise.EXPENSIVE)  # type: ignore[arg-type]


def _vectorized(
    ctx: Context,
    function: Any,
    body: Callable[..., object],
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
) -> Value:
    """A ufunc made by `numba.vectorize`: its function of scalars at every element, in the dtype that the
    declared signatures give, or in that of the arguments where there are none."""
    _only(ctx, function, kwargs, ())
    values = [elementwise.number_of(ctx, v) for v in args]
    if not function._frozen and not any(is_array(v) for v in values):
        return ctx.call(body, values, {})
    common = result_type(ctx, values)
    loops = [common]
    if function._frozen:
        uniform = [t for t in function.types if len(set(t.replace("->", ""))) == 1]
        loops = [d for d in (np.dtype(t[0]).name for t in uniform) if np.can_cast(common, d)]
    if not loops or loops[0] not in FLOATS:
        ctx.error(
            UnsupportedSyntaxError,
            f"{name_of(function)} has no signature of one float dtype for these arguments",
            "a function made by numba.vectorize is read for arguments of one float dtype",
            "convert the arguments, or call the function of scalars in a loop",
        )
    return _on_elements(ctx, body, values, (loops[0],) * len(values), loops[0])


# -- definitions


def defined(
    ctx: Context,
    function: object,
    definition: Callable[..., object],
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
) -> Value:
    """A definition over loops, inlined; what it declares to be arrays is made one first."""
    signature = inspect.signature(definition)
    _only(ctx, function, kwargs, tuple(signature.parameters))
    try:
        found = signature.bind(*args, **kwargs)
    except TypeError as error:
        ctx.error(InferenceError, f"{name_of(function)}: {error}")
    once, arrays = (arguments_marked(definition, mark) for mark in ("once", "arrays"))
    single = arguments_marked(definition, "array")
    passed: list[Value] = []
    named: dict[str, Value] = {}
    variadic = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in signature.parameters.values())
    for name, value in found.arguments.items():
        parameter = signature.parameters[name]
        many = parameter.kind is inspect.Parameter.VAR_POSITIONAL
        for v in value if many else (value,):
            if name in single:
                v = shapes.as_array(ctx, v)
                v = v if name in once and not unsure_of(v) else fill.in_memory(ctx, v)
            elif name in arrays:
                v = _each_array(ctx, v, name in once)
            if variadic and parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
                passed.append(v)
            else:
                named[name] = v  # by name: what was left out before it takes its default
    result = ctx.call(definition, passed, named)
    return _python_number(ctx, function, result) if getattr(function, "__module__", "") == "math" else result


def _each_array(ctx: Context, value: Value, once: bool) -> Value:
    if isinstance(value, ArrayValue | VirtualArray):
        n = value.shape[0] if value.shape else None
        length = getattr(n, "value", None)
        if length is None:
            ctx.error(InferenceError, "a tuple or list of arrays is needed here, not one array")
        rows = [view.without_axis(ctx, value, 0, ctx.b.const(k)) for k in range(int(length))]
        return Sequence_(tuple(rows))
    if not isinstance(value, Sequence_):
        ctx.error(InferenceError, "a tuple or list of arrays is needed here")
    items = [shapes.as_array(ctx, v) for v in value.items]
    return Sequence_(tuple(v if once and not unsure_of(v) else fill.in_memory(ctx, v) for v in items))


def _op(ctx: Context, op: str, args: Sequence[Value]) -> Value:
    """A core op by its name, on numbers or arrays of their common dtype; of a structure, leaf by leaf."""
    match args:
        case [Sequence_(items=items, kind=kind)]:
            return Sequence_(tuple(_op(ctx, op, [v]) for v in items), kind)
        case [Mapping_(items=found)]:
            return Mapping_({k: _op(ctx, op, [v]) for k, v in found.items()})
        case [Record(cls=cls, items=fields)]:
            return Record(cls, {k: _op(ctx, op, [v]) for k, v in fields.items()})
    numbers = [elementwise.number_of(ctx, v) for v in args]
    dtype = result_type(ctx, numbers)
    if any(is_array(v) for v in numbers):
        kinds = [dtype] * len(numbers)
        return elementwise.mapped(ctx, lambda *xs: ctx.b.op(op, *xs), numbers, kinds, dtype, 1)
    weak = all(is_weak(v) for v in numbers)
    return value_of(ctx.b.op(op, *(operand(ctx, v, dtype) for v in numbers)), weak=weak)


def _routine(ctx: Context, name: str, args: Sequence[Value]) -> Value:
    """A library routine by its name; the arrays that it writes are the caller's."""
    routine = LIBRARY[name]
    written = {k: store.memory(ctx, shapes.as_array(ctx, args[k])) for k in routine.writes}
    operands = []
    for k, value in enumerate(args):
        a = written.get(k) or fill.in_memory(ctx, shapes.as_array(ctx, value))
        for other, target in written.items():
            if other != k and ctx.b.origin(target.base) & ctx.b.origin(a.base):
                a = fill.materialise(ctx, a)
        operands.append(view.as_variable(ctx, a))
    for target in written.values():
        view.announce_write(ctx, target.base)
    ctx.b.call(name, *operands)
    return Static(None)


# -- conversions


def convert(ctx: Context, value: Value, dtype: str) -> Value:
    """A number as one of the dtype given."""
    value = elementwise.number_of(ctx, value)
    if is_array(value):
        ctx.error(InferenceError, "only arrays of rank 0 can be converted to Python scalars")
    if (
        isinstance(value, Static)
        and isinstance(value.value, float | np.floating)
        and dtype not in (*FLOATS, *PARTS, "bool")
    ):
        if not np.isfinite(value.value):
            ctx.error(InferenceError, f"cannot convert {value.value} to an integer")
        value = Static(int(value.value))
    return value_of(operand(ctx, value, dtype))


def _converted(ctx: Context, function: type, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`np.float32(x)` and the like: of an array, elementwise."""
    _only(ctx, function, kwargs, ())
    dtype = dtype_name(ctx, function)
    if not args:
        return value_of(const(0, dtype))
    value = args[0]
    if is_number(value) or (is_array(value) and not value.shape):  # type: ignore[union-attr]
        return convert(ctx, value, dtype)
    return create.converted(ctx, shapes.as_array(ctx, value), dtype)
