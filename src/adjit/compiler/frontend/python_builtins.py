"""Python's builtin functions on frontend values.

Input: a builtin and the values of its arguments. Output: a value. Results of numbers are Python numbers,
hence weak. Invariants: a builtin that is not in the table is refused. Non-goals: NumPy functions of the same
name (`arrays`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InferenceError, UnsupportedSyntaxError
from ..ir.builder import const
from ..ir.nodes import Const, Operand
from . import arrays, containers, lists, operators, sharing, texts
from .arrays.promote import dtype_of, is_array, is_number, is_weak, operand, value_of
from .arrays.remedies import instead_of_argument
from .values import (
    ArrayValue,
    CheckpointedValue,
    IndexSpace,
    ListValue,
    Mapping_,
    RangeValue,
    ScalarValue,
    Sequence_,
    Static,
    Stream,
    Value,
)

if TYPE_CHECKING:
    from .specialise import Specialiser

Handler = Callable[["Specialiser", Sequence[Value], dict[str, Value]], Value]
TABLE: dict[object, Handler] = {}


def handler(function: object) -> Handler | None:
    try:
        return TABLE.get(function)
    except TypeError:
        return None


def define(*functions: object) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Decorator over `f(ctx, *args, **kwargs)`."""

    def decorate(f: Callable[..., Value]) -> Callable[..., Value]:
        def run(ctx: Specialiser, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
            try:
                return f(ctx, *args, **kwargs)
            except TypeError as error:
                if "argument" not in str(error) or "_" + getattr(functions[0], "__name__", "") not in str(
                    error
                ):
                    raise
                return ctx.error(
                    InferenceError,
                    f"{getattr(functions[0], '__name__', '')}: these arguments are not supported",
                )

        for function in functions:
            TABLE[function] = run
        return f

    return decorate


NONE = Static(None)
PARTIAL = "functools.partial"
ZERO, ONE = Static(0), Static(1)


def weak(value: Value) -> Value:
    """A number as a Python number."""
    if isinstance(value, ScalarValue):
        return (
            value_of(value.operand, weak=True)
            if isinstance(value.operand, Const)
            else ScalarValue(value.operand, True)
        )
    if isinstance(value, Static) and isinstance(value.value, np.generic):
        return Static(value.value.item())
    return value


def integer(ctx: Specialiser, value: Value) -> Value:
    """A number that can count: as an index."""
    if not (is_number(value) or is_array(value)) or dtype_of(ctx, value).startswith("float"):
        ctx.error(InferenceError, f"an integer is needed here, not {containers.describe(value)}")
    return weak(arrays.convert(ctx, value, "int64"))


# -- ranges and iteration


@define(range)
def _range(ctx: Specialiser, a: Value, b: Value | None = None, step: Value = ONE) -> Value:
    lo, hi = (ZERO, a) if b is None else (a, b)
    return RangeValue(integer(ctx, lo), integer(ctx, hi), integer(ctx, step))


def _prange(ctx: Specialiser, a: Value, b: Value | None = None, step: Value = ONE) -> Value:
    lo, hi = (ZERO, a) if b is None else (a, b)
    return RangeValue(integer(ctx, lo), integer(ctx, hi), integer(ctx, step), promised=True)


@define(np.ndindex)
def _ndindex(ctx: Specialiser, *shape: Value) -> Value:
    found = list(shape)
    if len(shape) == 1 and not is_number(shape[0]):
        found = containers.items(ctx, shape[0])
    return IndexSpace(tuple(arrays.scalar(ctx, integer(ctx, v)) for v in found))


@define(np.ndenumerate)
def _ndenumerate(ctx: Specialiser, array: Value) -> Value:
    stored = arrays.materialise(ctx, array, "items") if not isinstance(array, ArrayValue) else array
    return IndexSpace(stored.shape, stored)


def stream(ctx: Specialiser, value: Value) -> Sequence_ | Stream:
    """Something to loop over: its items where their number is known, else their number and how to get one."""
    if isinstance(value, Stream):
        return value
    if isinstance(value, CheckpointedValue):
        ctx.error(
            InferenceError,
            f"{containers.describe(value)} stands inside another call",
            "the loop that is run again has to be seen",
            "loop over checkpoint(range(n)) or enumerate(checkpoint(range(n))), and index",
        )
    if isinstance(value, ListValue):
        return Stream(lists.length(ctx, value), lists.item_at(ctx, value), (value,))
    if isinstance(value, RangeValue):
        found = containers.known_items(ctx, value)
        if found is not None:
            return Sequence_(tuple(found))
        length = trips(ctx, value)
        return Stream(length, lambda i: range_item(ctx, value, i))
    if is_array(value):
        length, entry = arrays.iterate(ctx, value)
        if isinstance(length, Const) and length.value <= 16:
            return Sequence_(tuple(entry(const(k)) for k in range(int(length.value))))
        return Stream(length, entry, (value,))
    return Sequence_(tuple(containers.items(ctx, value)))


def trips(ctx: Specialiser, r: RangeValue) -> Operand:
    """The length of a range."""
    lo, hi, step = (arrays.scalar(ctx, v) for v in (r.lo, r.hi, r.step))
    if isinstance(step, Const):
        if step.value == 1:
            return ctx.b.op("maximum", ctx.b.op("sub", hi, lo), const(0), hint="n")
    else:
        ctx.b.check(ctx.b.op("ne", step, const(0)), "ValueError", "range() arg 3 must not be zero")
    return ctx.b.op("trips", lo, hi, step, hint="n")


def range_item(ctx: Specialiser, r: RangeValue, i: Operand) -> Value:
    lo, step = arrays.scalar(ctx, r.lo), arrays.scalar(ctx, r.step)
    return ScalarValue(ctx.b.op("add", lo, ctx.b.op("mul", i, step), hint="i"), weak=True)


def shorter(ctx: Specialiser, lengths: Sequence[Operand]) -> Operand:
    found = lengths[0]
    for n in lengths[1:]:
        if n != found:
            found = ctx.b.op("minimum", found, n, hint="n")
    return found


@define(enumerate)
def _enumerate(ctx: Specialiser, iterable: Value, start: Value = ZERO) -> Value:
    if isinstance(iterable, CheckpointedValue) and iterable.counted is None:
        return replace(iterable, counted=start)
    found = stream(ctx, iterable)
    if isinstance(found, Sequence_):
        counts = [arrays.binary(ctx, "add", start, Static(k)) for k in range(len(found.items))]
        return Sequence_(tuple(Sequence_(pair) for pair in zip(counts, found.items, strict=True)))
    first = arrays.scalar(ctx, integer(ctx, start))

    def entry(i: Operand) -> Value:
        return Sequence_((ScalarValue(ctx.b.op("add", i, first), weak=True), found.element(i)))

    return Stream(found.length, entry, found.over)


@define(zip)
def _zip(ctx: Specialiser, *iterables: Value, strict: Value = Static(False)) -> Value:  # noqa: B008
    found = [stream(ctx, v) for v in iterables]
    fixed = [s for s in found if isinstance(s, Sequence_)]
    open_ = [s for s in found if isinstance(s, Stream)]
    if not open_:
        return Sequence_(tuple(Sequence_(row) for row in zip(*(s.items for s in fixed), strict=False)))
    if fixed:
        n = min(len(s.items) for s in fixed)
        for s in open_:
            enough = ctx.b.op("ge", s.length, const(n))
            ctx.b.check(enough, "ShapeError", "zip of an array with a longer tuple or list is not supported")
        rows = [
            Sequence_(tuple(s.items[k] if isinstance(s, Sequence_) else s.element(const(k)) for s in found))
            for k in range(n)
        ]
        return Sequence_(tuple(rows))
    over = tuple(v for s in open_ for v in s.over)
    length = shorter(ctx, [s.length for s in open_])
    return Stream(length, lambda i: Sequence_(tuple(s.element(i) for s in open_)), over)


@define(reversed)
def _reversed(ctx: Specialiser, sequence: Value) -> Value:
    if isinstance(sequence, RangeValue):
        step = containers.static_int(sequence.step)
        if step in (1, -1):
            lo, hi = sequence.lo, sequence.hi
            one = Static(step)
            first = arrays.binary(ctx, "sub", hi, one)
            return RangeValue(first, arrays.binary(ctx, "sub", lo, one), Static(-step))
    found = stream(ctx, sequence)
    if isinstance(found, Sequence_):
        return Sequence_(found.items[::-1])
    last = ctx.b.op("sub", found.length, const(1))
    return Stream(found.length, lambda i: found.element(ctx.b.op("sub", last, i)), found.over)


@define(len)
def _len(ctx: Specialiser, value: Value) -> Value:
    if isinstance(value, ListValue):
        return ScalarValue(lists.length(ctx, value), weak=True)
    if is_array(value):
        shape = value.shape  # type: ignore[union-attr]
        if not shape:
            ctx.error(InferenceError, "len() of a 0-d array")
        return value_of(shape[0], weak=True)
    if isinstance(value, RangeValue):
        return value_of(trips(ctx, value), weak=True)
    if isinstance(value, Mapping_):
        return Static(len(value.items))
    if isinstance(value, Static) and hasattr(value.value, "__len__"):
        return Static(len(value.value))
    of_class = operators.special(ctx, value, "len")
    if of_class is not None:
        return of_class
    if is_number(value):
        ctx.error(InferenceError, f"{containers.describe(value)} has no len()")
    return Static(len(containers.items(ctx, value)))


# -- numbers


@define(int)
def _int(ctx: Specialiser, value: Value = ZERO) -> Value:
    return weak(arrays.convert(ctx, value, "int64"))


@define(float)
def _float(ctx: Specialiser, value: Value = ZERO) -> Value:
    if isinstance(value, Static) and isinstance(value.value, str):
        return Static(float(value.value))
    return weak(arrays.convert(ctx, value, "float64"))


@define(complex)
def _complex(ctx: Specialiser, real: Value = ZERO, imag: Value | None = None) -> Value:
    if isinstance(real, Static) and isinstance(real.value, str):
        return Static(complex(real.value))
    if imag is None:
        return weak(arrays.convert(ctx, real, "complex128"))
    return arrays.make_complex(ctx, arrays.number(ctx, real), arrays.number(ctx, imag))


@define(bool)
def _bool(ctx: Specialiser, value: Value = ZERO) -> Value:
    return ctx.truth(value)


@define(abs)
def _abs(ctx: Specialiser, value: Value) -> Value:
    of_class = operators.special(ctx, value, "abs")
    return of_class if of_class is not None else arrays.unary(ctx, "abs", value)


@define(pow)
def _pow(ctx: Specialiser, base: Value, exponent: Value, mod: Value = NONE) -> Value:
    if not (isinstance(mod, Static) and mod.value is None):
        ctx.error(
            UnsupportedSyntaxError, "pow of three arguments is not supported", instead="write (a**b) % c"
        )
    return arrays.binary(ctx, "pow", base, exponent)


@define(divmod)
def _divmod(ctx: Specialiser, a: Value, b: Value) -> Value:
    return Sequence_((arrays.binary(ctx, "floordiv", a, b), arrays.binary(ctx, "mod", a, b)))


@define(round)
def _round(ctx: Specialiser, value: Value, digits: Value = NONE) -> Value:
    """Half to even; without digits an integer. The derivative is zero."""
    if isinstance(digits, Static) and digits.value is None:
        if not is_array(value) and not dtype_of(ctx, value).startswith("float"):
            return weak(arrays.convert(ctx, value, "int64"))
        rounded = arrays.numpy_call(ctx, np.rint, [value], {})
        return weak(arrays.convert(ctx, rounded, "int64")) if not is_array(rounded) else rounded
    found = arrays.numpy_call(ctx, np.round, [value, digits], {})
    return weak(found) if is_weak(value) else found


def _extremum(ctx: Specialiser, op: str, values: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    if kwargs:
        ctx.error(
            UnsupportedSyntaxError,
            f"the argument {next(iter(kwargs))!r} of max and min is not supported",
            instead=instead_of_argument(max if op == "maximum" else min, next(iter(kwargs))),
        )
    values = [lists.plain(ctx, v) for v in values]
    if len(values) == 1:
        if is_array(values[0]):
            if len(values[0].shape) > 1:  # type: ignore[union-attr]
                ctx.error(
                    InferenceError, "the truth value of an array with more than one element is ambiguous"
                )
            return arrays.numpy_call(ctx, np.max if op == "maximum" else np.min, list(values), {})
        values = containers.items(ctx, values[0])
    if not values:
        sharing.too_short(ctx, "ValueError", "max and min of nothing")
        ctx.error(InferenceError, "max and min of nothing")
    found = values[0]
    for v in values[1:]:
        found = two_extremum(ctx, op, found, v)
    return found


def two_extremum(ctx: Specialiser, op: str, a: Value, b: Value) -> Value:
    """Python's `max` or `min` of two numbers: ties share the derivative; NaN as in Python's comparison."""
    if any(is_array(v) and v.shape for v in (a, b)):  # type: ignore[union-attr]
        ctx.error(
            InferenceError,
            "the truth value of an array with more than one element is ambiguous",
            "max and min compare numbers",
            "use np.maximum or np.minimum",
        )
    if isinstance(a, Static) and isinstance(b, Static):
        chosen: Any = max if op == "maximum" else min
        return Static(texts.static(ctx, chosen, a.value, b.value))
    return arrays.binary(ctx, "larger" if op == "maximum" else "smaller", a, b)


TABLE[max] = lambda ctx, args, kwargs: _extremum(ctx, "maximum", args, kwargs)
TABLE[min] = lambda ctx, args, kwargs: _extremum(ctx, "minimum", args, kwargs)


@define(sum, math.fsum)
def _sum(ctx: Specialiser, values: Value, start: Value = ZERO) -> Value:
    values = lists.plain(ctx, values)
    if is_array(values) and len(values.shape) == 1:  # type: ignore[union-attr]
        total = arrays.numpy_call(ctx, np.sum, [values], {})
        return (
            total
            if isinstance(start, Static) and start.value == 0
            else arrays.binary(ctx, "add", start, total)
        )
    total = start
    for v in containers.items(ctx, values):
        total = arrays.binary(ctx, "add", total, v)
    return total


@define(math.prod)
def _prod(ctx: Specialiser, values: Value) -> Value:
    values = lists.plain(ctx, values)
    if is_array(values):
        return arrays.numpy_call(ctx, np.prod, [values], {})
    total: Value = ONE
    for v in containers.items(ctx, values):
        total = arrays.binary(ctx, "mul", total, v)
    return total


def _quantified(ctx: Specialiser, values: Value, wanted: bool) -> Value:
    values = lists.plain(ctx, values)
    if is_array(values):
        return arrays.numpy_call(ctx, np.any if wanted else np.all, [values], {})
    found: Operand = const(not wanted)
    for v in containers.items(ctx, values):
        truth = ctx.truth(v)
        if isinstance(truth, Static):
            if bool(truth.value) is wanted:
                return Static(wanted)
            continue
        x = arrays.scalar(ctx, truth)
        found = x if isinstance(found, Const) else ctx.b.op("or" if wanted else "and", found, x)
    return value_of(found)


@define(any)
def _any(ctx: Specialiser, values: Value) -> Value:
    return _quantified(ctx, values, True)


@define(all)
def _all(ctx: Specialiser, values: Value) -> Value:
    return _quantified(ctx, values, False)


def _operator(name: str) -> Handler:
    def run(ctx: Specialiser, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
        if kwargs or len(args) != 2:
            ctx.error(InferenceError, f"operator.{name} takes two arguments")
        return arrays.binary(ctx, name, args[0], args[1])

    return run


for _name, _function in (
    ("add", operator.add),
    ("sub", operator.sub),
    ("mul", operator.mul),
    ("div", operator.truediv),
    ("pow", operator.pow),
    ("floordiv", operator.floordiv),
    ("mod", operator.mod),
):
    TABLE[_function] = _operator(_name)

try:
    import numba

    define(numba.prange)(_prange)
    TABLE[numba.get_num_threads] = lambda ctx, args, kwargs: Static(1)  # loops run in one thread, the first
    TABLE[numba.get_thread_id] = lambda ctx, args, kwargs: Static(0)
    TABLE[numba.literally] = lambda ctx, args, kwargs: args[0]
    TABLE[numba.literal_unroll] = lambda ctx, args, kwargs: args[0]
except ImportError:  # pragma: no cover
    pass

__all__ = ["TABLE", "handler", "operand", "range_item", "stream", "trips", "weak"]
