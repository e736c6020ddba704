"""Local names whose gradient is asked for.

Input: a name of the user's function and the value that it is bound to. Output: the value that the name
stands for from then on; a `Mark` says where it was bound. Names bound inside loops or branches are refused:
they have no one value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import NameResolutionError, NotDifferentiableError, UnsupportedSyntaxError
from ..ir.nodes import Mark
from ..ir.types import is_float
from .arrays import as_variable, materialise
from .values import ArrayValue, ScalarValue, Static, Value, VirtualArray

if TYPE_CHECKING:
    from .specialise import Specialiser


def intermediate(ctx: Specialiser, name: str, value: Value) -> Value:
    b = ctx.b
    if len(b.scopes) > 1:
        ctx.error(
            UnsupportedSyntaxError,
            f"the intermediate `{name}` is assigned inside a loop or branch",
            "it has another value, and another gradient, in each pass",
            "name a variable that is assigned outside",
        )
    if isinstance(value, Static) and isinstance(value.value, float):
        value = ScalarValue(b.const(value.value), weak=True)
    if isinstance(value, VirtualArray):
        value = materialise(ctx, value, name)
    if isinstance(value, ScalarValue) and is_float(value.operand.type):
        out = b.fresh(name, value.operand.type)
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
    marked = {s.name for s in ctx.b.scopes[0].stmts if isinstance(s, Mark)}
    missing = [name for name in ctx.options.intermediates if name not in marked]
    if missing:
        names = ", ".join(f"`{name}`" for name in missing)
        ctx.error(
            NameResolutionError,
            f"the intermediate {names} is not assigned in {function}",
            "intermediates are local variables of the function itself",
            "use the name of a variable that the function assigns",
        )
