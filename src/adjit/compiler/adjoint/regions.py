"""Reversing loops and branches.

Input: the reverse sweep at a loop or branch. Output: the reversed loop or branch, emitted there; positions
of saved values, references and cotangents are handed in and out as carried values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.builder import const
from ..ir.nodes import Block, For, If, Operand, Var, While
from ..ir.types import INT, Array, Type
from ..ir.visitor import renamer, substitute
from .activity import has_active
from .cotangents import COLLECTED
from .references import resolve
from .storage import ONE

if TYPE_CHECKING:
    from .sweep import ReverseSweep


class _Carried:
    """Values that a reversed loop carries, in the order: positions, references, shadows, cotangents."""

    def __init__(self, sweep: ReverseSweep, stmt: For | While) -> None:
        self.stmt = stmt
        again, b = sweep.again, sweep.b
        self.sites = sweep.forward.sites_within(stmt)
        handed_on = [k for k, o in enumerate(stmt.outs) if isinstance(o.type, Array)]
        self.shadowed = [k for k in handed_on if stmt.outs[k] in sweep.active]
        self.arrays = [
            k for k in handed_on if sweep.plan.recipes.outlives(stmt.outs[k])
        ]  # others are never read
        self.scalars = [
            k for k, a in enumerate(stmt.args) if not isinstance(a.type, Array) and a in sweep.active
        ]
        carried = set(stmt.args)
        self.outside = [v for v in sweep.contributed(stmt.body) if v not in carried]
        self.inits: list[Operand] = [again.positions[s] for s in self.sites]
        self.inits += [again.array(stmt.outs[k]) for k in self.arrays]
        self.inits += [again.shadow(stmt.outs[k]) for k in self.shadowed]
        finished = (sweep.ct.take(stmt.outs[k]) for k in self.scalars)
        self.inits += [
            ct if ct is not None else const(0, stmt.args[k].type.dtype)
            for k, ct in zip(self.scalars, finished, strict=True)
        ]
        self.inits += [sweep.ct.start(v) for v in self.outside]
        names: list[tuple[str, Type]] = [("position", INT)] * len(self.sites)
        names += [(stmt.args[k].name, _reference(stmt.args[k])) for k in self.arrays]
        names += [(f"ct_{stmt.args[k].name}", _reference(stmt.args[k])) for k in self.shadowed]
        names += [(f"ct_{stmt.args[k].name}", stmt.args[k].type) for k in self.scalars]
        names += [(f"ct_{v.name}", COLLECTED) for v in self.outside]
        self.params = [b.fresh(name, type_) for name, type_ in names]

    def split(
        self, values: list[Operand]
    ) -> tuple[list[Operand], list[Operand], list[Operand], list[Operand], list[Operand]]:
        parts, start = [], 0
        for group in (self.sites, self.arrays, self.shadowed, self.scalars, self.outside):
            parts.append(values[start : start + len(group)])
            start += len(group)
        return parts[0], parts[1], parts[2], parts[3], parts[4]


def _reference(v: Var) -> Array:
    assert isinstance(v.type, Array)
    return v.type


def reverse_loop(sweep: ReverseSweep, stmt: For | While) -> None:
    b, again = sweep.b, sweep.again
    lo, hi, step = _reversed_range(sweep, stmt)
    carried = _Carried(sweep, stmt)
    iv = b.fresh(stmt.iv.name if isinstance(stmt, For) else "k", INT)
    with b.block() as inner, again.region():
        if isinstance(stmt, For):
            again.values[stmt.iv] = iv
        yields = _body(sweep, stmt, carried)
    kept = [n for n, (p, y) in enumerate(zip(carried.params, yields, strict=True)) if p is not y]
    outs: list[Operand] = list(carried.inits)
    if len(kept) < len(outs):
        fixed = {carried.params[n]: carried.inits[n] for n in range(len(outs)) if n not in kept}
        block = substitute(Block(tuple(inner), tuple(yields)), renamer(fixed))
        inner, yields = list(block.stmts), list(block.yields)
    new = [b.fresh(carried.params[n].name, carried.params[n].type) for n in kept]
    for n, o in zip(kept, new, strict=True):
        outs[n] = o
    if inner or kept:
        params, inits = tuple(carried.params[n] for n in kept), tuple(carried.inits[n] for n in kept)
        body = Block(tuple(inner), tuple(yields[n] for n in kept))
        promised = isinstance(stmt, For) and stmt.promised
        b.emit(For(iv, lo, hi, step, params, inits, body, tuple(new), promised=promised, loc=stmt.loc))
    _after(sweep, stmt, carried, outs)


def _body(sweep: ReverseSweep, stmt: For | While, carried: _Carried) -> list[Operand]:
    again, ct = sweep.again, sweep.ct
    positions, arrays, shadows, scalars, outside = carried.split(list(carried.params))
    again.positions.update(zip(carried.sites, positions, strict=True))
    sweep.moved_back(stmt.body)
    own_arrays = {stmt.body.yields[k]: r for k, r in zip(carried.arrays, arrays, strict=True)}
    own_shadows = {stmt.body.yields[k]: r for k, r in zip(carried.shadowed, shadows, strict=True)}
    resolve(sweep, stmt.body, own_arrays, own_shadows)
    handed = dict(zip(carried.outside, outside, strict=True))
    with ct.region(ct.within(stmt.body, handed)):
        for k, x in zip(carried.scalars, scalars, strict=True):
            ct.add(stmt.body.yields[k], x)
        sweep.block(stmt.body)
        yields: list[Operand] = [again.positions[s] for s in carried.sites]
        yields += [again.array(stmt.args[k]) for k in carried.arrays]
        yields += [again.shadow(stmt.args[k]) for k in carried.shadowed]
        yields += [ct.get(stmt.args[k]) for k in carried.scalars]
        yields += [ct.finished(v, x) for v, x in handed.items()]
    return yields


def _after(sweep: ReverseSweep, stmt: For | While, carried: _Carried, outs: list[Operand]) -> None:
    positions, _, _, scalars, outside = carried.split(outs)
    sweep.again.positions.update(zip(carried.sites, positions, strict=True))
    for v, x in zip(carried.outside, outside, strict=True):
        sweep.ct.sums[v] = x
    for k, x in zip(carried.scalars, scalars, strict=True):
        sweep.ct.add(stmt.inits[k], x)


def _reversed_range(sweep: ReverseSweep, stmt: For | While) -> tuple[Operand, Operand, int]:
    """Bounds of the loop that runs through the same indices backwards."""
    b, value = sweep.b, sweep.again.value
    if isinstance(stmt, While):
        assert stmt.trips is not None
        return b.op("sub", value(stmt.trips), ONE), const(-1), -1
    lo, hi, step = value(stmt.lo), value(stmt.hi), stmt.step
    one = const(1 if step > 0 else -1)
    if stmt.stop is None and abs(step) == 1:
        return b.op("sub", hi, one), b.op("sub", lo, one), -step
    count = b.op("trips", lo, hi, const(step)) if stmt.stop is None else value(_trips(stmt))
    last = b.op("add", lo, b.op("mul", b.op("sub", count, ONE), const(step)))
    return last, b.op("sub", lo, one), -step


def _trips(stmt: For) -> Var:
    assert stmt.trips is not None
    return stmt.trips


def reverse_branch(sweep: ReverseSweep, stmt: If) -> None:
    b, again, ct = sweep.b, sweep.again, sweep.ct
    results = [(k, ct.take(o)) for k, o in enumerate(stmt.outs) if not isinstance(o.type, Array)]
    outside = list(dict.fromkeys([*sweep.contributed(stmt.then), *sweep.contributed(stmt.orelse)]))
    before = {v: ct.sums[v] for v in outside if v in ct.sums}
    sites = sweep.forward.sites_within(stmt)
    start = {s: again.positions[s] for s in sites}
    sides: list[tuple[list, dict[Var, Operand], dict]] = []  # type: ignore[type-arg]
    for block in (stmt.then, stmt.orelse):
        again.positions.update(start)
        with b.block() as inner, again.region(), ct.region(before) as sums:
            for k, x in results:
                if x is not None:
                    ct.add(block.yields[k], x)
            if has_active(block, sweep.active) or any(x is not None for _, x in results):
                sweep.block(block)
            for v in outside:
                if v in ct.sums and v not in before:
                    ct.sums[v] = ct.get(v)
            sums = dict(ct.sums)
        sides.append((inner, sums, {s: again.positions[s] for s in sites}))
    again.positions.update(start)
    _join(sweep, stmt, outside, before, sites, sides)


def _join(sweep, stmt: If, outside, before, sites, sides) -> None:  # type: ignore[no-untyped-def]
    b = sweep.b
    (then, then_sums, then_at), (orelse, else_sums, else_at) = sides
    changed = [
        v for v in outside if then_sums.get(v) is not before.get(v) or else_sums.get(v) is not before.get(v)
    ]
    moved = [s for s in sites if then_at[s] is not else_at[s]]
    outs = [b.fresh(f"ct_{v.name}", before[v].type if v in before else v.type) for v in changed]
    outs += [b.fresh("position", INT) for _ in moved]
    if not then and not orelse and not outs:
        return
    yields = []
    for sums, at in ((then_sums, then_at), (else_sums, else_at)):
        yields.append((*(sums.get(v, const(0, v.type.dtype)) for v in changed), *(at[s] for s in moved)))
    cond = sweep.again.value(stmt.cond)
    b.emit(
        If(cond, Block(tuple(then), yields[0]), Block(tuple(orelse), yields[1]), tuple(outs), loc=stmt.loc)
    )
    for v, o in zip(changed, outs, strict=False):
        sweep.ct.sums[v] = o
    for s in sites:
        sweep.again.positions[s] = outs[len(changed) + moved.index(s)] if s in moved else then_at[s]
