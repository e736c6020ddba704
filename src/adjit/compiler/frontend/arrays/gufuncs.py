"""Functions made by `numba.guvectorize`: their kernels, inlined as users' functions are.

Input: the function and its arguments, arrays for results included or not. Output: what the call gives. The
dtypes are those of the first signature to which the arguments can be cast safely, as in NumPy. Non-goals:
the loop (`definitions.gufunc`); functions without signatures, whose results have no dtype.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....errors import InferenceError, ShapeError, UnsupportedSyntaxError
from ...definitions.gufunc import Place, gufunc
from ..values import Sequence_, Static, Value
from .context import Context
from .promote import dtype_of
from .shapes import as_array


def is_gufunc(function: object) -> bool:
    return type(function).__name__ == "GUFunc" and hasattr(function, "gufunc_builder")


def call(ctx: Context, function: Any, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    name, signature = function.__name__, function.gufunc_builder.signature
    if kwargs:
        what = f"the argument {next(iter(kwargs))!r} of {name} is not supported"
        ctx.error(UnsupportedSyntaxError, what, instead="pass arrays by position")
    ins, outs = (_cores(side) for side in signature.split("->"))
    if len(args) not in (len(ins), len(ins) + len(outs)):
        ctx.error(InferenceError, f"{name} takes {len(ins)} arguments, not {len(args)}")
    inputs = [as_array(ctx, v) for v in args[: len(ins)]]
    for a, core in zip(inputs, ins, strict=True):
        if len(a.shape) < len(core):
            ctx.error(ShapeError, f"{name}, of signature {signature}: an array has fewer axes than that")
    types = _types(ctx, function, [a.dtype for a in inputs])
    kinds = [np.dtype(str(getattr(t, "dtype", t)).replace("boolean", "bool")) for t in types]
    for v, kind in zip(args[len(ins) :], kinds[len(ins) :], strict=False):
        if dtype_of(ctx, v) != kind.name:
            ctx.error(InferenceError, f"{name} writes {kind.name}, not {dtype_of(ctx, v)}")
    places = _places(ins)
    if not {n for core in outs for n in core} <= places.keys():
        what = f"{name} has an axis of its results that is none of its arguments'"
        ctx.error(UnsupportedSyntaxError, what, instead="call the kernel with an array of that length")
    found = ctx.call(
        gufunc,
        [
            Static(function.gufunc_builder.py_func),
            Sequence_(tuple(inputs)),
            Sequence_(tuple(args[len(ins) :])),
            _constant(len(core) for core in (*ins, *outs)),
            _constant(kinds),
            _constant(not core and hasattr(t, "ndim") for core, t in zip((*ins, *outs), types, strict=True)),
            _constant((p[0], q) for p in places.values() for q in p[1:]),
            _constant([[places[n][0] for n in core] for core in outs]),
        ],
        {},
    )
    assert isinstance(found, Sequence_)
    return found.items[0] if len(outs) == 1 else Sequence_(found.items, tuple)


def _cores(side: str) -> list[tuple[str, ...]]:
    """The names of the kernel's axes, per operand."""
    found = re.findall(r"\(([^()]*)\)", side)
    return [tuple(n.strip() for n in core.split(",") if n.strip()) for core in found]


def _places(ins: Sequence[tuple[str, ...]]) -> dict[str, list[Place]]:
    """Where an axis of each name is."""
    found: dict[str, list[Place]] = {}
    for k, core in enumerate(ins):
        for axis, name in enumerate(core):
            found.setdefault(name, []).append((k, axis - len(core)))
    return found


def _types(ctx: Context, function: Any, dtypes: Sequence[str]) -> Sequence[Any]:
    """Numba's types of the kernel's parameters."""
    for loop, signature in zip(function.types, function.gufunc_builder._sigs, strict=False):
        wanted = loop.split("->")[0]
        if all(np.can_cast(d, np.dtype(w)) for d, w in zip(dtypes, wanted, strict=True)):
            return tuple(signature.args)
    return ctx.error(
        UnsupportedSyntaxError,
        f"{function.__name__} has no signature for arguments of dtype {', '.join(dtypes)}",
        "the dtypes of its results come from the signatures given to numba.guvectorize",
        "give it one, or call the kernel in a loop",
    )


def _constant(value: object) -> Value:
    if isinstance(value, bool | int | np.dtype):
        return Static(value)
    return Sequence_(tuple(_constant(v) for v in value))  # type: ignore[attr-defined]


__all__ = ["call", "is_gufunc"]
