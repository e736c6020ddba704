"""`adjit.jvp(f, primals, tangents)` inside a user's function.

Input: the values of its arguments, and `made`, which makes of a function and the positions with a tangent a
transform whose arguments are the primals, then those tangents. Output: the tuple of value and tangent.
Invariants:
a tangent has the structure, shape and dtype of its primal; arrays of tangents are copied, so that what the
program returns or refers to is no array of the user's. Non-goals: the tangent program (`derived.tangent`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...errors import (
    InferenceError,
    NotDifferentiableError,
    OverwriteError,
    SeedError,
    UnsupportedSyntaxError,
)
from . import containers, inlined
from .arrays import broadcast, materialise
from .arrays.promote import dtype_of, is_array, is_number, operand
from .local_functions import LocalFunction
from .structure import node
from .values import ArrayValue, Closure, Mapping_, Record, ScalarValue, Sequence_, Static, Value, VirtualArray

if TYPE_CHECKING:
    from .specialise import Specialiser

Made = Callable[[object, tuple[int, ...]], inlined.Transform]
NAMES = ("fun", "primals", "tangents")


def call(ctx: Specialiser, made: Made, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """The value of `adjit.jvp(*args, **kwargs)`."""
    given = dict(zip(NAMES, args, strict=False)) | kwargs
    if len(args) > len(NAMES) or set(given) - set(NAMES):
        ctx.error(
            UnsupportedSyntaxError,
            "outputs and options of adjit.jvp are not supported inside a differentiated function",
            instead="pass the function, the primals and the tangents",
        )
    if len(given) < len(NAMES):
        ctx.error(InferenceError, "adjit.jvp takes a function, primals and tangents")
    fun = function(ctx, given["fun"])
    primals, tangents = entries(ctx, given["primals"]), entries(ctx, given["tangents"])
    if len(primals) != len(tangents):
        ctx.error(SeedError, f"{len(primals)} primals need as many tangents, not {len(tangents)}")
    chosen = tuple(k for k, t in enumerate(tangents) if not absent(t))
    transform = made(fun, chosen)
    kinds = {p.kind for p in inspect.signature(transform).parameters.values()}  # type: ignore[arg-type]
    if kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
        ctx.error(
            UnsupportedSyntaxError,
            "the function of adjit.jvp has *args or **kwargs, which is not supported inside a "
            "differentiated function",
            instead="name its parameters",
        )
    values = inlined.bound(ctx, transform, primals, {})
    own = [like(ctx, values[k], tangents[k]) for k in chosen]
    program, operands, arrays = inlined.program_for(ctx, transform, [*values, *own])
    if program.written:
        ctx.error(
            OverwriteError,
            "the function of adjit.jvp writes an argument, which is not supported inside a "
            "differentiated function",
            instead="copy the array in it first",
        )
    return inlined.inline(ctx, program, operands, arrays)


def function(ctx: Specialiser, value: Value) -> object:
    if isinstance(value, Closure):
        return LocalFunction(ctx, value)
    known = containers.plain_object(value)
    if known is None:
        ctx.error(InferenceError, "the function of adjit.jvp must be known at compile time")
    return known[0]


def entries(ctx: Specialiser, value: Value) -> tuple[Value, ...]:
    if not isinstance(value, Sequence_):
        ctx.error(
            SeedError, "primals and tangents are tuples, an entry per argument", "", "jvp(f, (x,), (t,))"
        )
    return tuple(value.items)


def absent(value: Value) -> bool:
    return isinstance(value, Static) and value.value is None


def like(ctx: Specialiser, primal: Value, tangent: Value) -> Value:
    """The tangent as an argument of its own, if it fits the primal."""
    if is_array(primal) and is_array(tangent):
        return array_like(ctx, primal, tangent)
    if is_number(primal) and is_number(tangent):
        floats(ctx, primal)
        return ScalarValue(operand(ctx, tangent, dtype_of(ctx, primal)))
    match primal, tangent:
        case Sequence_(items=p), Sequence_(items=t) if len(p) == len(t) and primal.kind is tangent.kind:
            parts = [like(ctx, a, b) for a, b in zip(p, t, strict=True)]
            return node(primal.kind, tuple(range(len(p))), parts)
        case Mapping_(items=m), Mapping_(items=t) if m.keys() == t.keys():
            return Mapping_({k: like(ctx, m[k], t[k]) for k in m})
        case Record(items=m), Record(items=t) if primal.cls is tangent.cls:
            return node(primal.cls, tuple(m), [like(ctx, m[k], t[k]) for k in m])
    return ctx.error(
        SeedError, "a tangent is not structured as its primal", "", "give both the same structure"
    )


def array_like(ctx: Specialiser, primal: Value, tangent: Value) -> Value:
    assert isinstance(primal, ArrayValue | VirtualArray) and isinstance(tangent, ArrayValue | VirtualArray)
    floats(ctx, primal)
    if primal.dtype != tangent.dtype:
        what = f"a tangent of dtype {tangent.dtype} is given for an array of dtype {primal.dtype}"
        ctx.error(SeedError, what, "", "convert it with astype")
    if len(primal.shape) != len(tangent.shape):
        ctx.error(SeedError, "a tangent has not as many dimensions as its primal")
    for axis, (n, m) in enumerate(zip(primal.shape, tangent.shape, strict=True)):
        broadcast.require_equal(ctx, n, m, f"a tangent's length of axis {axis} is not that of its primal")
    return materialise(ctx, tangent, "tangent")


def floats(ctx: Specialiser, primal: Value) -> None:
    if not dtype_of(ctx, primal).startswith("float"):
        ctx.error(
            NotDifferentiableError,
            "a tangent is given for an argument without floats",
            instead="pass None as its tangent",
        )
