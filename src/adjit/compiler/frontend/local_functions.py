"""Inner functions that a transform is applied to inside a user's function: `adjit.grad(lambda t: t * b)(x)`.

Input: a closure of the walk under way. Output: an object that looks like a Python function to a transform,
and whose program has the variables that the closure sees as hidden arguments; `inlined` gives them their
values again. Invariants: captured arrays are only read. Non-goals: transforms of module functions (they need
none of this).
"""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from ..complexes import NUMBER_KEYS, PARTS
from ..ir.nodes import Operand, Var
from ..ir.types import Array
from ..program import ArraySpec, Hidden, ScalarSpec
from . import choices, optionals, resolve
from .arrays import as_variable, linear, materialise
from .arrays.promote import is_weak
from .arrays.view import is_one
from .scope import reads
from .source import Source
from .values import (
    ArrayValue,
    Choice,
    Closure,
    Mapping_,
    Maybe,
    Method,
    OrNone,
    Record,
    ScalarValue,
    Sequence_,
    Value,
    VirtualArray,
)

if TYPE_CHECKING:
    from inspect import _ParameterKind

    from .specialise import Frame, Specialiser


@dataclass(frozen=True, eq=False)
class Outer:
    """Stands where a hidden argument is fetched: its operand in the walk around."""

    operand: Operand

    def __call__(self) -> NoReturn:
        raise AssertionError("a variable of an enclosing function has a value only while it is walked")


class LocalFunction:
    """A closure with the name and signature of a function."""

    def __init__(self, ctx: Specialiser, closure: Closure) -> None:
        self.ctx, self.closure = ctx, closure
        node = closure.node
        self.__name__ = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
        self.__qualname__ = self.__name__
        self.__doc__ = None
        self.__signature__ = _signature(closure)

    def __call__(self, *args: object) -> NoReturn:
        raise TypeError(f"{self.__name__} is a local function of a function that is being compiled")

    @property
    def source(self) -> Source:
        outer: Frame = self.closure.scope  # type: ignore[assignment]
        return Source(outer.source.function, self.closure.node, outer.source.file, self.__name__)

    def seen_from(self, ctx: Specialiser) -> Closure:
        """The closure; in a walk of its own, what it captures are hidden arguments."""
        return self.closure if ctx is self.ctx else _Translation(self.ctx, ctx).closure(self.closure)


def _signature(closure: Closure) -> inspect.Signature:
    a = closure.node.args
    positional = [*a.posonlyargs, *a.args]
    keyword = [x for x, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None]
    with_default = [*positional[len(positional) - len(a.defaults) :], *keyword]
    defaults = dict(zip((x.arg for x in with_default), closure.defaults, strict=True))
    kinds = inspect.Parameter
    rows: list[tuple[ast.arg, _ParameterKind]] = [(x, kinds.POSITIONAL_ONLY) for x in a.posonlyargs]
    rows += [(x, kinds.POSITIONAL_OR_KEYWORD) for x in a.args]
    rows += [(a.vararg, kinds.VAR_POSITIONAL)] if a.vararg is not None else []
    rows += [(x, kinds.KEYWORD_ONLY) for x in a.kwonlyargs]
    rows += [(a.kwarg, kinds.VAR_KEYWORD)] if a.kwarg is not None else []
    return inspect.Signature(
        [kinds(x.arg, kind, default=defaults.get(x.arg, kinds.empty)) for x, kind in rows]
    )


class _Translation:
    """Values of one walk as values of another, whose hidden arguments they become."""

    def __init__(self, old: Specialiser, new: Specialiser) -> None:
        self.old, self.new = old, new
        self.frames: dict[object, Frame] = {}
        self.values: dict[int, tuple[Value, Value]] = {}

    def closure(self, closure: Closure) -> Closure:
        defaults = tuple(self.value(v, "default") for v in closure.defaults)
        return Closure(closure.node, self.frame(closure.scope, reads(closure.node)), defaults)  # type: ignore[arg-type]

    def frame(self, frame: Frame, wanted: set[str]) -> Frame:
        """The frame with the names that are wanted; more may be asked for later."""
        if frame not in self.frames:
            outer = self.frame(frame.outer, set()) if frame.outer is not None else None
            self.frames[frame] = self.new.new_frame(
                frame.source, frame.facts, frame.stops, frame.locals, outer, frame.quiet
            )
        made = self.frames[frame]
        for name in sorted(wanted & set(frame.names) - set(made.names)):
            made.names[name] = Maybe(ScalarValue(self.new.b.const(0.0)), self.new.b.const(False), name)
            made.names[name] = self.value(frame.names[name], name)
        if frame.outer is not None:
            self.frame(frame.outer, wanted - set(frame.names))
        return made

    def value(self, value: Value, name: str) -> Value:
        if id(value) not in self.values:
            self.values[id(value)] = (value, self.translated(value, name))
        return self.values[id(value)][1]

    def translated(self, value: Value, name: str) -> Value:
        match value:
            case ScalarValue(operand=x):
                if not isinstance(x, Var):
                    return value
                if value.dtype in PARTS:
                    return self.complex_number(value, name)
                return self.hidden(name, x, ScalarSpec(value.dtype, is_weak(value)))
            case VirtualArray():
                return self.translated(materialise(self.old, value, name), name)
            case ArrayValue():
                var = as_variable(self.old, value)
                assert isinstance(var.type, Array)
                ones = tuple(k for k, n in enumerate(value.shape) if is_one(n))
                unsure = tuple(
                    k for k, n in enumerate(value.shape) if k not in ones and linear.may_be_one(self.old.b, n)
                )
                spec = ArraySpec(value.dtype, len(value.shape), var.type.layout, True, ones, unsure)
                if value.dtype in PARTS:
                    spec = replace(spec, dtype=PARTS[value.dtype], ndim=spec.ndim + 1)
                    return resolve.hidden_argument(self.new, Hidden(name, Outer(var), spec), whole=True)
                return self.hidden(name, var, spec)
            case Sequence_(items=items, kind=kind):
                return Sequence_(tuple(self.value(v, f"{name}_{k}") for k, v in enumerate(items)), kind)
            case Mapping_(items=entries):
                return Mapping_({k: self.value(v, f"{name}_{k}") for k, v in entries.items()})
            case Record(cls=cls, items=fields):
                return Record(cls, {k: self.value(v, f"{name}_{k}") for k, v in fields.items()})
            case Closure():
                return self.closure(value)
            case Method(owner=owner, name=method):
                return Method(self.value(owner, name), method)
            case Choice(among=among, which=which):
                number = self.value(ScalarValue(which), name)
                assert isinstance(number, ScalarValue)
                return choices.made(among, number.operand)
            case OrNone(value=number, given=given):
                flag = self.value(ScalarValue(given), f"{name}_given")
                return optionals.made(self.new, flag, self.value(number, name))
            case Maybe(value=inner, bound=bound):
                self.old.b.check(bound, "NameResolutionError", f"the variable {name!r} has no value here")
                return self.value(inner, name)
        return value

    def complex_number(self, value: ScalarValue, name: str) -> Value:
        """A complex number, whose parts are the hidden arguments; made at the start of the other walk."""
        spec = ScalarSpec(PARTS[value.dtype], value.weak)
        found = [
            self.hidden(f"{name}_{part}", self.old.b.op(part, value.operand), spec) for part in NUMBER_KEYS
        ]
        b = self.new.b
        scopes, b.scopes = b.scopes, b.scopes[:1]
        try:
            made = b.op("complex", *(v.operand for v in found if isinstance(v, ScalarValue)))
        finally:
            b.scopes = scopes
        return ScalarValue(made, value.weak)

    def hidden(self, name: str, x: Operand, spec: ArraySpec | ScalarSpec) -> Value:
        return resolve.hidden_argument(self.new, Hidden(name, Outer(x), spec))


__all__ = ["LocalFunction", "Outer"]
