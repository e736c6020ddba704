"""Local names whose gradient is asked for.

Input: a name of the user's function and the value that it is bound to. Output: the value that the name
stands for from then on; a `Mark` says where it was bound. A variable `h` of a function `helper` that is
called is `helper.h`. Non-goals: one gradient per pass of a loop (`adjoint.marks`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import NameResolutionError, NotDifferentiableError
from ..ir.nodes import Block, Mark
from ..ir.types import is_float
from ..ir.visitor import walk
from .arrays import as_variable, materialise
from .values import ArrayValue, ScalarValue, Static, Value, VirtualArray

if TYPE_CHECKING:
    from .specialise import Specialiser


def intermediate(ctx: Specialiser, name: str, value: Value) -> Value:
    b = ctx.b
    if isinstance(value, Static) and isinstance(value.value, float):
        value = ScalarValue(b.const(value.value), weak=True)
    if isinstance(value, VirtualArray):
        value = materialise(ctx, value, name.rpartition(".")[2])
    if isinstance(value, ScalarValue) and is_float(value.operand.type):
        out = b.fresh(name.rpartition(".")[2], value.operand.type)
        b.emit(Mark(name, value.operand, out, loc=b.loc))
        return ScalarValue(out, value.weak)
    if not isinstance(value, ArrayValue) or not is_float(value.base.type):
        ctx.error(
            NotDifferentiableError,
            f"the intermediate `{name}` is neither a float nor an array of floats",
            "only these have a gradient",
            "name the variables that it is made of",
        )
    b.emit(Mark(name, as_variable(ctx, value), loc=b.loc))
    return value


def check_all_marked(ctx: Specialiser, function: str) -> None:
    """Every name that was asked for must have been assigned."""
    whole = Block(tuple(ctx.b.scopes[0].stmts))
    marked = {s.name for s in walk(whole) if isinstance(s, Mark)}
    missing = [name for name in ctx.options.intermediates if name not in marked]
    if missing:
        names = ", ".join(f"`{name}`" for name in missing)
        ctx.error(
            NameResolutionError,
            f"the intermediate {names} is not assigned in {function}",
            "intermediates are local variables",
            "name a variable that the function assigns, or `helper.h` for one of a function it calls",
        )
