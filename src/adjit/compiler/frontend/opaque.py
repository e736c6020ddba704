"""Functions compiled by Numba in the code of a rule whose text adjit does not read: called as they are.

Input: a dispatcher and the values of its arguments, while the code of a `custom_vjp` or `custom_jvp` is
walked. Output: the value of the call, or None where the function is read like any other, or is of a form that
cannot be called. Invariants: whether a function can be read is found by reading it, alone; its result is
copied to memory of the program's own; what it may write are copies, and a check tells that it did not.
Non-goals: derivatives (`library.opaque`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import AdjitError
from .. import opaque as known
from ..fetching import Applied, Named
from ..ir.builder import const
from ..ir.nodes import Operand, Var
from ..ir.types import DTYPES, Array
from ..library.blocks import each, shape
from ..library.opaque import Argument, Constant, Opaque, Path, routine
from . import effects, inlined, resolve
from .arrays import as_variable, full, materialise
from .arrays.promote import dtype_of, is_number, operand
from .ruling import Ruling
from .values import ArrayValue, ScalarValue, Sequence_, Static, Value, VirtualArray

if TYPE_CHECKING:
    from .specialise import Specialiser


class _Other(Exception):
    """An argument or a result of a kind that is not passed."""


def call(ctx: Specialiser, function: Any, args: Sequence[Value], kwargs: dict[str, Value]) -> Value | None:
    """The value of a call of a function that is not read."""
    ruling = ctx.ruling
    if not isinstance(ruling, Ruling) or not ruling.depth or not hasattr(function, "py_func"):
        return None
    if not hasattr(function, "targetoptions"):
        return None
    values = [ctx.settled(v, "argument") for v in inlined.bound(ctx, function, args, kwargs)]
    if _is_read(ctx, ruling, function, values):
        return None
    try:
        return _Call(ctx, function, values).value()
    except _Other:
        return None


def _is_read(ctx: Specialiser, ruling: Ruling, function: Any, values: Sequence[Value]) -> bool:
    """Whether the function can be inlined, for arguments of these kinds."""
    from .specialise import specialise

    try:
        given = inlined.Specifications(ctx)
        specs = tuple(given.spec(v, False) for v in values)
        key = (id(function), repr(specs))
        if key not in ruling.read:
            ruling.read[key] = True  # if it calls itself
            ruling.read[key] = _succeeds(lambda: specialise(function, specs, ctx.options, True, ruling))
        return ruling.read[key]
    except AdjitError:
        return True


def _succeeds(walk: Callable[[], object]) -> bool:
    try:
        walk()
    except AdjitError:
        return False
    return True


class _Call:
    def __init__(self, ctx: Specialiser, function: Any, values: Sequence[Value]) -> None:
        self.ctx, self.function = ctx, function
        self.given: list[Operand] = []
        self.types: list[Any] = []
        self.arguments = tuple(self._argument(v, self.types) for v in values)

    # -- arguments
    def _argument(self, value: Value, types: list[Any]) -> Argument:
        import numba

        ctx = self.ctx
        if isinstance(value, VirtualArray):
            value = materialise(ctx, value, "argument")
        if isinstance(value, ArrayValue) and value.dtype in DTYPES and value.shape:
            types.append(numba.types.Array(_number_type(value.dtype), len(value.shape), "C"))
            return self._passed(as_variable(ctx, value))
        if is_number(value) and dtype_of(ctx, value) in DTYPES:
            types.append(_number_type(dtype_of(ctx, value)))
            return self._passed(operand(ctx, value, dtype_of(ctx, value)))
        if isinstance(value, Sequence_) and value.kind is tuple:
            inner: list[Any] = []
            items = tuple(self._argument(v, inner) for v in value.items)
            types.append(numba.types.BaseTuple.from_types(inner))
            return items
        if isinstance(value, Static) and isinstance(value.value, None | bool | int | float | str):
            types.append(numba.typeof(value.value))
            return Constant(value.value)
        raise _Other

    def _passed(self, x: Operand) -> int:
        self.given.append(x)
        return len(self.given) - 1

    # -- results
    def value(self) -> Value:
        ctx, b, function = self.ctx, self.ctx.b, self.function
        returned = self._returned()
        leaves: list[tuple[Path, Any]] = []
        _leaves(returned, (), leaves)
        name = known.registered(function)
        resolve.guard(ctx, f"the compiled {name}", Applied(known.registered, Named(function)), name)
        only_computes = effects.pure(function)
        given = self.given if only_computes else self._copies()
        results = tuple((path, getattr(t, "ndim", None)) for path, t in leaves)
        kinds = "".join("a" if isinstance(x.type, Array) else "n" for x in given)
        made = Opaque(name, function.py_func.__name__, self.arguments, results, kinds, not only_computes)
        written: list[Var] = []
        for _, t in leaves:
            if hasattr(t, "ndim"):
                written += [b.growing(_dtype(t.dtype), "flat"), b.alloc((const(t.ndim),), "int64", "lengths")]
            else:
                written.append(b.alloc((), _dtype(t), "result"))
        b.call(routine(made), *written, *given, attrs=(made,))
        if not only_computes:
            self._unchanged(given)
        found = iter(written)
        return self._built(returned, found)

    def _returned(self) -> Any:
        """Numba's type of the result."""
        from numba.core.errors import NumbaError
        from numba.core.registry import cpu_target
        from numba.core.types import Dispatcher

        try:
            signature = Dispatcher(self.function).get_call_type(
                cpu_target.typing_context, tuple(self.types), {}
            )
        except NumbaError as error:
            raise _Other from error
        assert signature is not None
        return signature.return_type

    def _built(self, t: Any, written: Any) -> Value:
        from numba import types

        b = self.ctx.b
        if isinstance(t, types.BaseTuple):
            return Sequence_(tuple(self._built(inner, written) for inner in t), tuple)
        if isinstance(t, types.NoneType):
            return Static(None)
        if not isinstance(t, types.Array):
            return ScalarValue(b.load(next(written), ()))
        flat, lengths = next(written), next(written)
        own = [b.load(lengths, (const(k),)) for k in range(t.ndim)]
        out = b.alloc(own, _dtype(t.dtype), self.function.py_func.__name__)
        each(b, own, lambda index: b.store(out, index, b.load(flat, (self._place(index, own),))))
        return full(self.ctx, out)

    def _place(self, index: Sequence[Operand], lengths: Sequence[Operand]) -> Operand:
        b, place = self.ctx.b, index[0]
        for i, n in zip(index[1:], lengths[1:], strict=True):
            place = b.op("add", b.op("mul", place, n), i)
        return place

    # -- what the function may write
    def _copies(self) -> list[Operand]:
        b = self.ctx.b
        copies: list[Operand] = []
        for x in self.given:
            if isinstance(x, Var) and isinstance(x.type, Array):
                copies.append(_copied(b, x))
            else:
                copies.append(x)
        return copies

    def _unchanged(self, copies: Sequence[Operand]) -> None:
        b = self.ctx.b
        for x, copy in zip(self.given, copies, strict=True):
            if x is copy:
                continue
            assert isinstance(x, Var) and isinstance(copy, Var)
            changed = b.alloc((), "int64", "changed", zeroed=True)

            def compare(index: Sequence[Operand], x: Var = x, copy: Var = copy, cell: Var = changed) -> None:
                old, new = b.load(x, index), b.load(copy, index)
                number = b.op("or", b.op("eq", old, old), b.op("eq", new, new))  # two NaN are the same
                differs = b.op("and", b.op("ne", old, new), number)
                b.accumulate(cell, (), b.cast(differs, "int64"))

            each(b, shape(b, x), compare)
            name = self.function.py_func.__name__
            text = f"{name!r}, which is called as it is, writes its argument {x.name!r}"
            b.check(b.op("eq", b.load(changed, ()), const(0)), "OverwriteError", text)


def _copied(b: Any, x: Var) -> Var:
    out: Var = b.alloc(shape(b, x), x.type.dtype, x.name)
    each(b, shape(b, x), lambda index: b.store(out, index, b.load(x, index)))
    return out


def _leaves(t: Any, path: Path, found: list[tuple[Path, Any]]) -> None:
    from numba import types

    if isinstance(t, types.BaseTuple) and not isinstance(t, types.BaseNamedTuple):
        for k, inner in enumerate(t):
            _leaves(inner, (*path, k), found)
    elif (isinstance(t, types.Array) and t.ndim and _dtype(t.dtype) in DTYPES) or (
        isinstance(t, types.Number | types.Boolean) and _dtype(t) in DTYPES
    ):
        found.append((path, t))
    elif not isinstance(t, types.NoneType):
        raise _Other


def _number_type(dtype: str) -> Any:
    from numba import types

    return types.boolean if dtype == "bool" else getattr(types, dtype)


def _dtype(t: Any) -> str:
    return str(t)


__all__ = ["call"]
