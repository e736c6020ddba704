"""Which parameters a function's decisions depend on: what must not be rounded.

    h = saved_h[i]
    if h > c: ct += ...        saved_h decides
    x = saved_x[i]
    ct *= x                    saved_x does not

Input: a function, its rules expanded. Output: the positions of parameters whose floats reach a comparison, a
conversion to an integer, an operation that jumps, or a library routine other than a product (one that
pivots or sorts, say). Rounding these a little may change the result by much; rounding others
changes it by as little. Method: from the decisions backwards, through values and through memory, until
nothing is added. Non-goals: how much a result changes.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.nodes import Accumulate, Call, For, Function, If, Load, Op, Operand, Stmt, Store, Var, While
from ..ir.types import Array, is_float
from ..ir.visitor import walk
from ..ops import TABLE
from .alias import roots
from .effects import reads, writes

JUMPS = frozenset(("floordiv", "mod", "fmod", "copysign", "share"))
SMOOTH = frozenset(("gemm",))


def deciding(fn: Function) -> frozenset[int]:
    """The positions of the parameters that decide."""
    found = _Deciding(fn).run()
    return frozenset(k for k, p in enumerate(fn.params) if p in found)


def jumps(op: Op) -> bool:
    """Whether the result may change by much where an operand changes by little."""
    if op.op == "cast":
        return not is_float(op.out.type)
    return op.op in JUMPS or (op.op != "stop_gradient" and TABLE[op.op].partials is None)


class _Deciding:
    """`found` has scalars, and arrays that own memory."""

    def __init__(self, fn: Function) -> None:
        self.stmts = list(walk(fn.body))
        self.memory = roots(fn)
        self.found: set[Var] = set()

    def run(self) -> set[Var]:
        before = -1
        while len(self.found) > before:
            before = len(self.found)
            for stmt in reversed(self.stmts):
                self.add(self.behind(stmt))
        return self.found

    def add(self, values: Iterable[Operand]) -> None:
        for x in values:
            if isinstance(x, Var):
                self.found |= self.memory[x] if isinstance(x.type, Array) else {x}

    def decides(self, *arrays: Var) -> bool:
        return any(not self.memory[a].isdisjoint(self.found) for a in arrays)

    def behind(self, stmt: Stmt) -> Iterable[Operand]:
        """What a statement makes something of that decides, or decides by itself."""
        match stmt:
            case Op(out=out, args=args) if out in self.found or jumps(stmt):
                return args
            case Load(out=out, array=array) if out in self.found:
                return (array,)
            case Store(array=array, value=value) | Accumulate(array=array, value=value):
                return (value,) if self.decides(array) else ()
            case Call(name=name) if name not in SMOOTH or self.decides(*writes(stmt)):
                return (*reads(stmt), *(a for a in stmt.args if not isinstance(a.type, Array)))
            case For(args=args, inits=inits, body=body, outs=outs):
                return self.carried(zip(args, inits, body.yields, outs, strict=True))
            case While(args=args, inits=inits, body=body, outs=outs):
                return self.carried(zip(args, inits, body.yields, outs, strict=True))
            case If(then=then, orelse=orelse, outs=outs):
                sides = zip(then.yields, orelse.yields, outs, strict=True)
                return [x for t, e, o in sides if o in self.found for x in (t, e)]
            case _:
                return ()

    def carried(self, values: Iterable[tuple[Var, Operand, Operand, Var]]) -> list[Operand]:
        return [x for a, i, y, o in values if a in self.found or o in self.found for x in (i, y)]


__all__ = ["deciding"]
