"""Array lowering without a front end: a function over frontend values, built and run by the IR interpreter.

>>> import numpy as np
>>> lowered(lambda ctx, a: arrays.binary(ctx, "add", a, a), np.arange(3.0)).tolist()
[0.0, 2.0, 4.0]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from adjit.compiler.frontend import arrays
from adjit.compiler.frontend.values import ArrayValue, ScalarValue, Sequence_, Static, Value, VirtualArray
from adjit.compiler.ir.builder import Builder, Names, const
from adjit.compiler.ir.nodes import Function, Var
from adjit.compiler.ir.types import Array, Scalar
from adjit.compiler.ir.verify import verify
from adjit.compiler.library import ROUTINES
from adjit.compiler.program import ArraySpec
from adjit.options import DEFAULT
from adjit.runtime import routines
from tests.support.interpret import run


class Plain:
    """A context without names: errors are raised as they are, nothing is pending."""

    def __init__(self) -> None:
        self.b = Builder(Names())
        self.options = DEFAULT
        self.written: list[Var] = []

    def error(self, cls: type[Exception], what: str, why: str = "", instead: str = "") -> NoReturn:
        raise cls(what)

    def call(self, function: object, args: list[Value], kwargs: dict[str, Value]) -> Value:
        raise AssertionError(f"{function} would be inlined")

    def before_write(self, base: Var) -> None:
        self.written.append(base)


Lowering = Callable[..., Value | None]


def built(body: Lowering, *args: Any, sizes: bool = False) -> Function:
    """The core function of `body(ctx, *values)`; the results are the arrays and numbers that it returns."""
    ctx = Plain()
    params, values = [], []
    for k, a in enumerate(args):
        if isinstance(a, np.ndarray):
            var = ctx.b.fresh(
                "abcdefgh"[k], Array(a.dtype.name, a.ndim, "C" if a.flags.c_contiguous else "A")
            )
            ones = tuple(axis for axis, n in enumerate(a.shape) if n == 1)
            values.append(arrays.parameter(ctx, var, ArraySpec(a.dtype.name, a.ndim, ones=ones)))
        else:
            dtype = np.asarray(a).dtype.name
            var = ctx.b.fresh("abcdefgh"[k], Scalar(dtype))
            values.append(ScalarValue(var, weak=not isinstance(a, np.generic)))
        params.append(var)
    result = body(ctx, *values)
    results = tuple(_operand(ctx, v) for v in _leaves(result))
    fn = Function("lowered", tuple(params), ctx.b.finish(), results)
    verify(fn)
    return fn


def _leaves(value: Value | None) -> list[Value]:
    if value is None or (isinstance(value, Static) and value.value is None):
        return []
    if isinstance(value, Sequence_):
        return [leaf for v in value.items for leaf in _leaves(v)]
    return [value]


def _operand(ctx: Plain, value: Value) -> Any:
    if isinstance(value, VirtualArray):
        return arrays.materialise(ctx, value).base
    if isinstance(value, ArrayValue):
        return arrays.as_variable(ctx, value)
    return arrays.scalar(ctx, value)


def executed(fn: Function, *args: Any) -> Any:
    calls = {name: found for name in ROUTINES if (found := getattr(routines, name, None)) is not None}
    found = run(fn, *args, calls=calls)
    return found[0] if len(found) == 1 else found


def lowered(body: Lowering, *args: Any) -> Any:
    """What the lowered function returns for these arguments."""
    return executed(built(body, *args), *args)


__all__ = ["Plain", "built", "const", "executed", "lowered"]
