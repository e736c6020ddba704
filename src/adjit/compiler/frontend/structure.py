"""Arguments and results taken apart into leaves and put together again.

Input: specifications of arguments, or the value that a function returns. Output: parameters of the core
function and frontend values; the tree of a result and its operands. Invariants: leaves are numbered depth
first, as in `program`. Non-goals: Python objects at call time (the runtime's).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import InferenceError, OverwriteError
from ..complexes import (
    ARRAY_KEYS,
    ARRAYS,
    CONJUGATED,
    NUMBER_KEYS,
    PARTS,
    ComplexArray,
    is_complex,
    kind_of_number,
)
from ..ir.nodes import Operand, Var
from ..ir.types import WHOLES, Array, Scalar
from ..program import ArraySpec, NodeSpec, ResultLeaf, SameAs, ScalarSpec, Spec, StaticSpec
from . import choices
from .arrays import as_variable, full, materialise, parameter
from .arrays.complexes import conjugate
from .arrays.promote import dtype_of, is_number, is_weak, operand
from .arrays.view import is_whole
from .source import Source
from .values import (
    DIFFERENT_RESULTS,
    NO_NONE,
    ArrayValue,
    Choice,
    ListValue,
    Mapping_,
    Maybe,
    OrNone,
    RangeValue,
    Record,
    ScalarValue,
    Sequence_,
    Static,
    Undefined,
    Value,
    VirtualArray,
)

if TYPE_CHECKING:
    from .specialise import Specialiser

NONE_RETURNED = "the function returns None here, and a number on another path"


def parameter_names(source: Source, skip: int = 0) -> tuple[str, ...]:
    """The names of a function's parameters in the order of `inspect.signature`, `*args` and `**kwargs`
    included.
    """
    a = source.node.args
    star = [x.arg for x in (a.vararg,) if x is not None]
    double = [x.arg for x in (a.kwarg,) if x is not None]
    positional = [x.arg for x in (*a.posonlyargs, *a.args)][skip:]
    return (*positional, *star, *(x.arg for x in a.kwonlyargs), *double)


class _Leaves:
    def __init__(self, ctx: Specialiser) -> None:
        self.ctx = ctx
        self.params: list[Var] = []
        self.arrays: list[Value] = []

    def array(self, spec: ArraySpec, name: str) -> Value:
        ctx = self.ctx
        var = ctx.b.fresh(name, Array(spec.dtype, spec.ndim, spec.layout))
        self.params.append(var)
        ctx.parameters.add(var)
        if spec.readonly:
            ctx.readonly[var] = f"the argument {name!r}"
        found: Value = parameter(ctx, var, spec)
        self.arrays.append(found)
        return found

    def complex_array(self, spec: Spec, name: str) -> Value:
        """The array whose parts are the leaf `spec`."""
        if isinstance(spec, ArraySpec):
            return self.array(whole_spec(spec), name)
        assert isinstance(spec, SameAs)
        return self.same(spec, True)

    def same(self, spec: SameAs, whole: bool) -> Value:
        found = self.arrays[spec.leaf]
        if isinstance(found, ArrayValue) and (found.dtype in PARTS) != whole:
            self.ctx.error(
                OverwriteError,
                "an array that is written is passed twice, as complex and as real numbers",
                instead="pass a copy",
            )
        return found

    def value(self, spec: Spec, name: str) -> Value:
        ctx = self.ctx
        match spec:
            case ArraySpec():
                return self.array(spec, name)
            case ScalarSpec(dtype=dtype, weak=weak):
                number = ctx.b.fresh(name, Scalar(dtype))
                self.params.append(number)
                return ScalarValue(number, weak)
            case StaticSpec(value=value):
                return Static(value)
            case SameAs():
                return self.same(spec, False)
            case NodeSpec(kind=kind, children=children) if kind in ARRAYS:
                return self.complex_array(children[0], name)
            case NodeSpec(kind=kind, keys=keys, children=children):
                labels = keys or range(len(children))
                items = [self.value(c, f"{name}_{_label(k)}") for k, c in zip(labels, children, strict=True)]
                return node(kind, keys, items, ctx)
        raise AssertionError(f"no such specification: {spec}")


def _label(key: object) -> str:
    return "".join(c if c.isalnum() else "_" for c in str(key))


def whole_spec(spec: ArraySpec) -> ArraySpec:
    """The complex array that a real one with an axis of length two more holds the parts of."""
    layout = "C" if spec.layout == "C" else "A"
    return replace(spec, dtype=WHOLES[spec.dtype], ndim=spec.ndim - 1, layout=layout)


def complex_number(ctx: Specialiser, kind: type, items: Sequence[Value]) -> Value:
    """A complex number, or an array, of what stands for its parts."""
    first = items[0]
    if kind in ARRAYS:
        assert isinstance(first, ArrayValue)
        found: Value = full(ctx, ctx.b.whole(as_variable(ctx, first)))
    else:
        dtype = dtype_of(ctx, first)
        real, imag = (operand(ctx, v, dtype) for v in items)
        found = ScalarValue(ctx.b.op("complex", real, imag), is_weak(first))
    return conjugate(ctx, found) if kind in CONJUGATED else found


def node(kind: type, keys: tuple[object, ...], items: list[Value], ctx: Specialiser | None = None) -> Value:
    """A structure from its kind and items."""
    if is_complex(kind):
        assert ctx is not None
        return complex_number(ctx, kind, items)
    if kind is dict:
        return Mapping_(dict(zip(keys, items, strict=True)))
    if kind in (tuple, list):
        return Sequence_(tuple(items), kind)
    return Record(kind, {str(k): v for k, v in zip(keys, items, strict=True)})


def children(value: Value) -> tuple[Value, ...] | None:
    match value:
        case Sequence_(items=items):
            return items
        case Mapping_(items=entries):
            return tuple(entries.values())
        case Record(items=fields):
            return tuple(fields.values())
    return None


def form(value: Value) -> tuple[type, tuple[object, ...]]:
    """The kind and the keys of a structure, as in `NodeSpec`."""
    match value:
        case Sequence_(items=items, kind=kind):
            return kind, tuple(range(len(items)))
        case Mapping_(items=entries):
            return dict, tuple(entries)
        case Record(cls=cls, items=fields):
            return cls, tuple(fields)
    raise AssertionError("not a structure")


def with_children(value: Value, items: Sequence[Value]) -> Value:
    kind, keys = form(value)
    return node(kind, keys, list(items))


def arguments(
    ctx: Specialiser, specs: tuple[Spec, ...], names: tuple[str, ...]
) -> tuple[list[Var], list[Value]]:
    """The parameters of the core function, and the values of the Python function's parameters."""
    leaves = _Leaves(ctx)
    values = [leaves.value(spec, name) for spec, name in zip(specs, names, strict=False)]
    return leaves.params, values


def results(ctx: Specialiser, value: Value) -> tuple[object, list[Operand]]:
    """The tree of a result and the operands of its leaves."""
    found: list[Operand] = []
    return _result(ctx, value, found), found


def _result(ctx: Specialiser, value: Value, found: list[Operand]) -> object:
    match value:
        case Maybe(value=inner):
            return _result(ctx, inner, found)
        case ArrayValue() | VirtualArray():
            leaf = _leaf(found, _array(ctx, value))
            return NodeSpec(ComplexArray, ARRAY_KEYS, (leaf,)) if value.dtype in PARTS else leaf  # type: ignore[arg-type]
        case Sequence_(items=items, kind=kind):
            return NodeSpec(kind, tuple(range(len(items))), tuple(_result(ctx, v, found) for v in items))  # type: ignore[misc]
        case Mapping_(items=entries):
            children = tuple(_result(ctx, v, found) for v in entries.values())
            return NodeSpec(dict, tuple(entries), children)  # type: ignore[arg-type]
        case Record(cls=cls, items=fields):
            children = tuple(_result(ctx, v, found) for v in fields.values())
            return NodeSpec(cls, tuple(fields), children)  # type: ignore[arg-type]
        case Undefined(reason=reason):
            ctx.error(InferenceError, DIFFERENT_RESULTS, reason)
        case OrNone(value=number, given=given):
            ctx.b.check(given, "InferenceError", NONE_RETURNED, remedy=NO_NONE)
            return _result(ctx, number, found)
        case Choice(among=among):
            reason = f"it is {choices.listed(among)}, which is known at run time only"
            ctx.error(InferenceError, DIFFERENT_RESULTS, reason, "return a number in place of the constants")
        case RangeValue():
            ctx.error(InferenceError, "a range cannot be returned", instead="return a tuple or an array")
    if is_number(value):
        return _number(found, ctx, value)
    if isinstance(value, Static):
        return StaticSpec(value.value)
    if isinstance(value, ListValue):
        what = "a list whose length is known at run time only cannot be returned"
        ctx.error(InferenceError, what, "compiled code gives arrays", "return np.array of it")
    return ctx.error(
        InferenceError, f"a {type(value).__name__.lower()} cannot be returned", instead="return its values"
    )


def _number(found: list[Operand], ctx: Specialiser, value: Value) -> object:
    dtype = dtype_of(ctx, value)
    x = operand(ctx, value, dtype)
    if dtype not in PARTS:
        return _leaf(found, x)
    leaves = tuple(_leaf(found, ctx.b.op(part, x)) for part in NUMBER_KEYS)
    return NodeSpec(kind_of_number(dtype), NUMBER_KEYS, leaves)  # type: ignore[arg-type]


def _leaf(found: list[Operand], x: Operand) -> ResultLeaf:
    found.append(x)
    return ResultLeaf(len(found) - 1)


def _array(ctx: Specialiser, value: ArrayValue | VirtualArray) -> Operand:
    """An array variable: parameters and allocations as they are, parts of them as copies."""
    if isinstance(value, ArrayValue) and is_whole(ctx.b, value):
        return value.base
    return as_variable(ctx, materialise(ctx, value, "result"))


def is_namedtuple(cls: object) -> bool:
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def is_record(cls: object) -> bool:
    return is_namedtuple(cls) or (isinstance(cls, type) and dataclasses.is_dataclass(cls))


def field_names(cls: type) -> tuple[str, ...]:
    if is_namedtuple(cls):
        return tuple(cls._fields)  # type: ignore[attr-defined]
    return tuple(f.name for f in dataclasses.fields(cls))


__all__ = [
    "arguments",
    "children",
    "field_names",
    "form",
    "is_namedtuple",
    "is_record",
    "node",
    "parameter_names",
    "results",
    "with_children",
]
