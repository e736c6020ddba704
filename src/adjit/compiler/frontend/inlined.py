"""Calls of a transform inside a user's function: the transform's program becomes part of the one being made.

Input: an object with a method `program(arguments) -> Program`, and the values of its arguments. Output: the
value of the call; the statements of the program with variables of their own. Invariants: two parameters
never share memory: an array that is passed twice and written is passed once (`SameAs`), other overlaps with
a write are refused. Non-goals: making the program (the transform's).
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ...errors import InferenceError, MissingRuleError, OverwriteError
from ..complexes import ARRAY_KEYS, NUMBER_KEYS, PARTS, ComplexArray, kind_of_number
from ..ir.instantiate import instantiate
from ..ir.nodes import Operand, Var
from ..ir.types import Array, is_float
from ..program import ArraySpec, NodeSpec, Program, ResultLeaf, SameAs, ScalarSpec, Spec, StaticSpec
from . import resolve
from .arrays import as_variable, full, linear, materialise
from .arrays.promote import dtype_of, is_number, is_weak, operand
from .arrays.view import is_one
from .carry import kind_of
from .local_functions import Outer
from .structure import node
from .values import (
    ArrayValue,
    Choice,
    Closure,
    Mapping_,
    OrNone,
    Record,
    ScalarValue,
    Sequence_,
    Static,
    Value,
    VirtualArray,
)

if TYPE_CHECKING:
    from .specialise import Specialiser


class Transform(Protocol):
    def program(self, arguments: tuple[Spec, ...]) -> Program: ...


class Specifications:
    """Specifications and operands of the leaves of values."""

    def __init__(self, ctx: Specialiser) -> None:
        self.ctx = ctx
        self.operands: list[Operand] = []
        self.arrays: list[ArrayValue] = []

    def spec(self, value: Value, alias: bool) -> Spec:
        ctx = self.ctx
        match value:
            case VirtualArray():
                return self.spec(materialise(ctx, value, "a"), alias)
            case ArrayValue():
                return self.array(value, alias)
            case Sequence_(items=items, kind=kind):
                return NodeSpec(kind, tuple(range(len(items))), tuple(self.spec(v, alias) for v in items))
            case Mapping_(items=entries):
                return NodeSpec(dict, tuple(entries), tuple(self.spec(v, alias) for v in entries.values()))
            case Record(cls=cls, items=fields):
                return NodeSpec(cls, tuple(fields), tuple(self.spec(v, alias) for v in fields.values()))
            case Closure():
                ctx.error(
                    InferenceError,
                    "an inner function cannot be passed to a transformed function",
                    "a function inside another holds variables of this call; what is transformed, or has a "
                    "rule of its own, sees only its arguments",
                    "define the function in the module, pass it by its name and its variables as arguments",
                )
        if is_number(value):
            dtype = dtype_of(ctx, value)
            if dtype in PARTS:
                x = operand(ctx, value, dtype)
                self.operands.extend(ctx.b.op(part, x) for part in NUMBER_KEYS)
                leaf = ScalarSpec(PARTS[dtype], is_weak(value))
                return NodeSpec(kind_of_number(dtype), NUMBER_KEYS, (leaf, leaf))
            self.operands.append(operand(ctx, value, dtype))
            return ScalarSpec(dtype, is_weak(value) or dtype == "bool")
        if isinstance(value, Static):
            return StaticSpec(value.value)
        if isinstance(value, Choice | OrNone):
            ctx.error(
                InferenceError,
                f"{kind_of(value)} cannot be passed to a transformed function",
                "which one it is is known at run time only",
                "call it once for each, in the branches of an `if`",
            )
        return ctx.error(InferenceError, "this value cannot be passed to a transformed function")

    def array(self, value: ArrayValue, alias: bool) -> Spec:
        ctx = self.ctx
        whole = value.dtype in PARTS
        for k, other in enumerate(self.arrays):
            if alias and other.base is value.base and other.axes == value.axes and other.fixed == value.fixed:
                return NodeSpec(ComplexArray, ARRAY_KEYS, (SameAs(k),)) if whole else SameAs(k)
        var = as_variable(ctx, value)
        self.arrays.append(value)
        self.operands.append(var)
        layout = var.type.layout if isinstance(var.type, Array) else "A"
        ones = tuple(k for k, n in enumerate(value.shape) if is_one(n))
        roots = ctx.b.origin(var)
        readonly = bool(roots & (set(ctx.readonly) | set(ctx.globals)))
        unsure = tuple(k for k, n in enumerate(value.shape) if k not in ones and linear.may_be_one(ctx.b, n))
        if whole:
            leaf = ArraySpec(PARTS[value.dtype], len(value.shape) + 1, layout, readonly, ones, unsure)
            return NodeSpec(ComplexArray, ARRAY_KEYS, (leaf,))
        return ArraySpec(value.dtype, len(value.shape), layout, readonly, ones, unsure)


def call(ctx: Specialiser, transform: Transform, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """The value of `transform(*args, **kwargs)`."""
    values = bound(ctx, transform, args, kwargs)
    program, operands, arrays = program_for(ctx, transform, values)
    _overlaps(ctx, program, operands)
    for var in _written(program, operands):
        ctx.before_write(var)
    return inline(ctx, program, operands, arrays)


def bound(
    ctx: Specialiser, transform: object, args: Sequence[Value], kwargs: dict[str, Value]
) -> list[Value]:
    """One value per parameter, in order."""
    signature: inspect.Signature = getattr(transform, "signature", None) or inspect.signature(transform)  # type: ignore[arg-type]
    try:
        found = signature.bind(*args, **kwargs)
    except TypeError as error:
        ctx.error(InferenceError, str(error))
    values: list[Value] = []
    for name, parameter in signature.parameters.items():
        if name not in found.arguments:
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                values.append(Sequence_(()))
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                values.append(Mapping_({}))
            else:
                default = parameter.default
                values.append(default if isinstance(default, Value) else resolve.constant(default))
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            values.append(Sequence_(tuple(found.arguments[name])))
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            values.append(Mapping_(dict(found.arguments[name])))
        else:
            values.append(found.arguments[name])
    return values


def program_for(
    ctx: Specialiser, transform: Transform, values: Sequence[Value]
) -> tuple[Program, list[Operand], list[ArrayValue]]:
    """The program for these arguments; an array passed twice is one parameter if memory is written."""
    for alias in (False, True):
        arguments = Specifications(ctx)
        specs = tuple(arguments.spec(v, alias) for v in values)
        try:
            program = transform.program(specs)
        except MissingRuleError as error:
            if error.location is not None:
                raise
            ctx.error(MissingRuleError, error.message, error.why, error.hint)
        if not program.written:
            break
    return program, arguments.operands, arguments.arrays


def _written(program: Program, operands: Sequence[Operand]) -> list[Var]:
    found = [operands[k] for k in sorted(program.written) if k < len(operands)]
    return [v for v in found if isinstance(v, Var)]


def _overlaps(ctx: Specialiser, program: Program, operands: Sequence[Operand]) -> None:
    for v in _written(program, operands):
        for other in operands:
            array = isinstance(other, Var) and isinstance(other.type, Array)
            if array and other is not v and ctx.b.origin(other) & ctx.b.origin(v):  # type: ignore[arg-type]
                ctx.error(
                    OverwriteError,
                    "a transformed function writes an argument that overlaps another one",
                    "the two would have to share their derivative",
                    "pass a copy",
                )


def inline(
    ctx: Specialiser, program: Program, operands: Sequence[Operand], arrays: Sequence[ArrayValue]
) -> Value:
    """The program's statements here, and what it returns."""
    results = instantiate(ctx.b, program.function, [*operands, *hidden_operands(ctx, program)])
    return result_value(ctx, program.result, results)


def hidden_operands(ctx: Specialiser, program: Program) -> list[Operand]:
    """What a program reads from global and closure variables, here; its constants are guarded here too."""
    hidden: list[Operand] = []
    for h in program.hidden:
        if isinstance(h.fetch, Outer):
            hidden.append(h.fetch.operand)
            continue
        value = resolve.hidden_again(ctx, h)
        hidden.append(
            as_variable(ctx, value) if isinstance(value, ArrayValue) else operand(ctx, value, h.spec.dtype)
        )
    for g in program.guards:
        if g not in ctx.guards:
            ctx.guards.append(g)
    return hidden


def result_value(ctx: Specialiser, tree: object, results: Sequence[Operand]) -> Value:
    match tree:
        case ResultLeaf(index=index):
            x = results[index]
            if isinstance(x, Var) and isinstance(x.type, Array):
                return full(ctx, x)
            return ScalarValue(x)
        case NodeSpec(kind=kind, keys=keys, children=children):
            return node(kind, keys, [result_value(ctx, c, results) for c in children], ctx)
        case StaticSpec(value=value):
            return resolve.constant(value)
    return Static(tree)


__all__ = ["Specifications", "call", "inline", "instantiate", "is_float"]
