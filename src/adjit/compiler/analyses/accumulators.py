"""Carried values that only collect a sum.

Input: a loop and the position of a carried value. Output: whether each pass adds to the value something
that does not depend on it: `yield = arg + e`, through inner loops, branches and selections too. Such a
loop may run its passes in any order as far as this value is concerned, up to rounding.
"""

from __future__ import annotations

from ..ir.nodes import For, If, Op, Operand, Var, While
from .definitions import Definitions, Loop


def is_sum(definitions: Definitions, loop: Loop, position: int) -> bool:
    """Whether carried value number `position` of a loop is a sum, or never changes."""
    arg, y = loop.args[position], loop.body.yields[position]
    if y is arg:
        return True
    consumed: dict[Var, int] = {}
    if not _leads(definitions, y, arg, consumed):
        return False
    return all(definitions.uses.get(v, 0) == n for v, n in consumed.items())


def _leads(d: Definitions, y: Operand, arg: Var, consumed: dict[Var, int]) -> bool:
    """Whether `y` is `arg` plus something; the uses of variables on the way are counted in `consumed`."""
    if not isinstance(y, Var):
        return False
    trial = dict(consumed)
    trial[y] = trial.get(y, 0) + 1
    if y is arg or y in consumed:
        found = True
    else:
        found = _through(d, y, arg, trial)
    if found:
        consumed.clear()
        consumed.update(trial)
    return found


def _through(d: Definitions, y: Var, arg: Var, consumed: dict[Var, int]) -> bool:
    stmt = d.maker[y]
    match stmt:
        case Op(op="add", args=(a, b)):
            return _leads(d, a, arg, consumed) or _leads(d, b, arg, consumed)
        case Op(op="sub", args=(a, _)):
            return _leads(d, a, arg, consumed)
        case Op(op="select", args=(_, a, b)):
            return _leads(d, a, arg, consumed) and _leads(d, b, arg, consumed)
        case If(then=then, orelse=orelse, outs=outs):
            k = outs.index(y)
            return _leads(d, then.yields[k], arg, consumed) and _leads(d, orelse.yields[k], arg, consumed)
        case For(outs=outs) | While(outs=outs) if y in outs:
            k = outs.index(y)
            return is_sum(d, stmt, k) and _leads(d, stmt.inits[k], arg, consumed)
        case _:
            return False
