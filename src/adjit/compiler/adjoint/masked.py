"""Values that count only where the data is not missing: their cotangent may be zero beside a NaN.

    y = x * x
    s = s + (0.0 if np.isnan(y) else y)        y is masked: where it is NaN its cotangent is zero
    if not np.isnan(y): s = s + y              and so it is here

Input: a function and its seeded results. Output: the scalars that reach no result except through a choice
of that kind: a `select` or a branch whose condition asks for NaN or infinity or is an element of a mask, or
a load at a place that such a branch has listed (`x[mask]`). The products of the reverse sweep with partials
of these are guarded, since a partial of missing data is NaN. Non-goals: choices by comparisons of floats,
which do not tell missing data; library calls, whose products are not guarded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..ir.nodes import Accumulate, For, Function, If, Load, Op, Operand, Stmt, Store, Var, While
from ..ir.types import BOOL, INT, is_float
from ..ir.visitor import blocks, defined, walk
from ..ops.arithmetic import PRODUCTS_WITH_ZERO
from .activity import Activity, Marks, Roots, spread_backward, to_fixed_point

ASKING = frozenset(("isnan", "isinf", "isfinite"))
COMBINING = frozenset(("not", "and", "or", "bitand", "bitor", "bitxor", "invert", "cast"))


def masked(fn: Function, active: Activity, results: Iterable[Operand]) -> frozenset[Var]:
    """The active scalars that no result depends on except through choices for missing data."""
    stmts = list(walk(fn.body))
    asking = _asking(stmts)
    if not asking:
        return frozenset()
    inside = _inside(stmts, asking)
    listed = _listed(stmts, inside, active.roots)
    counting = Marks(active.roots)
    for r in results:
        counting.add(r)

    def spread(stmt: Stmt, counting: Marks) -> None:
        if isinstance(stmt, Op) and stmt.op == "select" and stmt.args[0] in asking:
            return
        if isinstance(stmt, Load) and not listed.isdisjoint(stmt.index):
            return
        if isinstance(stmt, Op) and stmt.op in PRODUCTS_WITH_ZERO and stmt.out in counting:
            counting.add(stmt.args[0])
            return
        counting.within = inside.get(stmt)
        spread_backward(stmt, counting)

    to_fixed_point(stmts[::-1], counting, spread)
    return active.scalars - counting.found


def _asking(stmts: Iterable[Stmt]) -> set[Operand]:
    """Conditions that tell missing data."""
    found: set[Operand] = set()
    for s in stmts:
        match s:
            case Op(op=op, args=args):
                compared = op in ("eq", "ne") and is_float(args[0].type) and args[0] is args[1]
                if op in ASKING or compared or (op in COMBINING and any(a in found for a in args)):
                    found.add(s.out)
            case Load(out=out) if out.type == BOOL:
                found.add(out)
    return found


def _inside(stmts: Iterable[Stmt], asking: set[Operand]) -> dict[Stmt, frozenset[Var]]:
    """For each statement in a branch on such a condition, and for the branch, what is defined in there."""
    found: dict[Stmt, frozenset[Var]] = {}
    for s in stmts:
        if isinstance(s, If) and s.cond in asking:
            parts = [p for b in blocks(s) for p in walk(b)]
            loops = [p for p in parts if isinstance(p, For | While)]
            own = {v for p in parts for v in defined(p)} | {v for loop in loops for v in loop.args}
            found.update(dict.fromkeys((s, *parts), frozenset(own)))
    return found


def _listed(stmts: Sequence[Stmt], inside: Mapping[Stmt, frozenset[Var]], roots: Roots) -> frozenset[Operand]:
    """Elements of integer arrays that only such branches fill."""
    loads = [s for s in stmts if isinstance(s, Load) and s.out.type == INT]
    stores = [s for s in stmts if isinstance(s, Store | Accumulate) and s.array.type.dtype == INT.dtype]
    within = {r for s in stores if s in inside for r in roots[s.array]}
    without = {r for s in stores if s not in inside for r in roots[s.array]}
    return frozenset(s.out for s in loads if roots[s.array] <= within - without)
