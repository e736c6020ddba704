"""The forward sweep: the primal program with its saves.

Input: a function and a plan. Output: the same statements (variables unchanged) with stores into saved
buffers, running positions and the shadows of exchanged references carried through loops, and `Trail`: what
the reverse sweep has to find them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..ir.builder import Builder, const
from ..ir.nodes import Alloc, Block, Call, Const, For, If, Mark, Op, Operand, Reshape, Stmt, Var, View, While
from ..ir.types import INT, Array
from ..ir.visitor import blocks, defined, walk
from ..library.rules import copy_results, is_rule, rule_of
from .activity import Activity, is_active
from .capacity import Capacity
from .copying import elements, flat_index, nest, shape_of, store_flat
from .fusion import Trailing
from .hull import extents, room, starts
from .marks import Collected, allocate
from .plan import Plan, Snapshot
from .storage import ZERO, Layout, Lookup, layout, most_passes, size, slot, trips

Site = Block | Call | Snapshot  # the body of a box of loops, a library call, a copied array


class Reverser(Protocol):
    """The reverse sweep, as far as the forward sweep calls it for loops that are reversed pass by pass."""

    def before_fused(self, block: Block, trailing: Trailing) -> None: ...
    def fused(self, stmt: For) -> None: ...


@dataclass
class Trail:
    """What was left behind: buffers, shadows, values that left a branch."""

    buffers: dict[object, Var] = field(default_factory=dict)
    layouts: dict[Block, Layout] = field(default_factory=dict)
    shadows: dict[Var, Var] = field(default_factory=dict)
    exports: dict[Var, Operand] = field(default_factory=dict)
    marks: dict[str, Var] = field(default_factory=dict)


class ForwardSweep:
    def __init__(self, b: Builder, plan: Plan, active: Activity) -> None:
        self.b, self.plan, self.active, self.place = b, plan, active, plan.place
        self.trail = Trail()
        self.before_loop: dict[Stmt, list[Snapshot]] = {}
        for snapshot in dict.fromkeys(plan.snapshots.values()):
            self.before_loop.setdefault(snapshot.loop, []).append(snapshot)
        self.sites = self._find_sites()
        self.position: dict[Site, Operand] = dict.fromkeys(self.sites, ZERO)
        self.exchanged = self._exchanged()
        self.reverse: Reverser | None = None
        self.collected: list[Collected] = []  # intermediates bound inside loops and branches

    # -- preparation
    def layout(self, block: Block) -> Layout:
        if block not in self.trail.layouts:
            self.trail.layouts[block] = layout(self.place, block)
        return self.trail.layouts[block]

    def _find_sites(self) -> dict[Site, Layout]:
        found: dict[Site, Layout] = {}
        saving = [self.place.block_of[v] for v in sorted(self.plan.saved, key=lambda v: self.place.order[v])]
        for block in saving:
            where = self.layout(block)
            if where.site is not None:
                found[where.site] = where
        for call, _ in sorted(self.plan.kept, key=lambda c: c[1]):
            found[call] = self._own_layout(call)
        for snapshot in dict.fromkeys(self.plan.snapshots.values()):
            if not self.boxed(snapshot):
                found[snapshot] = self._own_layout(snapshot.loop)
        return found

    def _own_layout(self, stmt: Stmt) -> Layout:
        block = self.place.block_with[stmt]
        return Layout(tuple(self.place.loops(block)), (), owner=block)

    def boxed(self, snapshot: Snapshot) -> bool:
        """Whether the copies of a snapshot have one shape, known on top, and one slot per pass of a box."""
        top = all(isinstance(x, Const) or self.place.is_top(x) for x in snapshot.shape())
        return top and self.layout(self.place.block_with[snapshot.loop]).site is None

    def sites_within(self, stmt: Stmt) -> list[Site]:
        """Sites whose position moves inside the blocks of a statement."""
        return [
            site
            for site, where in self.sites.items()
            if where.owner is not None and self.place.inside(where.owner, stmt)
        ]

    def _exchanged(self) -> set[Var]:
        """Active roots that loops or branches hand on by reference: their shadows are made in the forward
        sweep.
        """
        found: set[Var] = set()
        for stmt in self.place.block_with:
            for out in stmt.outs if isinstance(stmt, For | While | If) else ():
                if isinstance(out.type, Array) and out in self.active:
                    found |= self.active.roots[out]
        return found

    # -- the walk
    def run(self, params: tuple[Var, ...]) -> None:
        for v in params:
            if v in self.exchanged and v not in self.trail.shadows:
                self._make_shadow(v)
        self.top_block(self.place.top)

    def top_block(self, block: Block) -> None:
        """The statements of the function, or of the body of a fused loop."""
        trailing = self.plan.fusion.of.get(block)
        for stmt in block.stmts:
            for one in self.collected if block is self.place.top else ():
                if one.first is stmt:
                    self.trail.marks[one.name] = allocate(self.b, self.place, one)
            if trailing is not None and stmt in trailing.loops:
                assert isinstance(stmt, For) and self.reverse is not None
                if stmt is trailing.loops[0]:
                    self.reverse.before_fused(block, trailing)
                self.reverse.fused(stmt)
            else:
                self._allocate_for(stmt)
                self._one(stmt)

    def _allocate_for(self, stmt: Stmt) -> None:
        """Buffers for all that is saved inside a statement of the outermost block."""
        inner = [s for child in blocks(stmt) for s in walk(child)]
        for s in (stmt, *inner):
            for block in blocks(s):
                for v in sorted(self.plan.saved, key=lambda v: self.place.order[v]):
                    if self.place.block_of[v] is block and self.place.loops(block):
                        self._scalar_buffer(v, block)
            for snapshot in self.before_loop.get(s, ()):
                self._array_buffer(snapshot)
            if isinstance(s, Call):
                self._argument_buffers(s)

    def _scalar_buffer(self, v: Var, block: Block) -> None:
        where = self.layout(block)
        hint = f"saved_{v.name}"
        if where.site is None:
            self.trail.buffers[v] = self.b.alloc([*map(self._room, where.box)], v.type.dtype, hint)
            return
        bounds = [x for s in where.box for x in (s.lo, s.hi)]
        self._flat_buffer(v, v.type.dtype, hint, where, lambda at: size(self.b, where, at), bounds)

    def _room(self, loop: For) -> Operand:
        """Slots for the passes of a loop: a strip has as many as the longest one."""
        most = most_passes(self.place, loop)
        return trips(self.b, loop, _same) if most is None else const(most)

    def _flat_buffer(
        self,
        key: object,
        dtype: str,
        hint: str,
        where: Layout,
        count: Callable[[Lookup], Operand],
        reads: list[Operand],
    ) -> None:
        total = Capacity(self.b, self.place).count(where.outer, count, reads)
        buffer = self.b.growing(dtype, hint) if total is None else self.b.alloc([total], dtype, hint)
        self.trail.buffers[key] = buffer

    def _array_buffer(self, snapshot: Snapshot) -> None:
        root = sorted(self.active.roots[snapshot.array], key=lambda r: self.place.order[r])[0]
        hint = f"saved_{snapshot.array.name}"
        dtype = snapshot.array.type.dtype
        whole = shape_of(self.b, root)
        if self.boxed(snapshot):
            passes = [trips(self.b, s, _same) for s in self.layout(self.place.block_with[snapshot.loop]).box]
            shape = [*passes, *room(self.b, snapshot.hull, whole, _same)]
            self.trail.buffers[snapshot] = self.b.alloc(shape, dtype, hint)
            return

        def count(at: Lookup) -> Operand:
            return elements(self.b, extents(self.b, snapshot.hull, whole, at))

        self._flat_buffer(snapshot, dtype, hint, self.sites[snapshot], count, list(snapshot.operands()))

    def _argument_buffers(self, call: Call) -> None:
        """One buffer per dtype for the arguments of a call that are kept; they share a running position."""
        places = [k for k in range(len(call.args)) if (call, k) in self.plan.kept]
        arrays = [_var(call.args[k]) for k in places]
        shapes = [self._lengths(a) for a in arrays]

        def count(at: Lookup) -> Operand:
            total: Operand = ZERO
            for shape in shapes:
                total = self.b.op("add", total, elements(self.b, [at(n) for n in shape or ()]), hint="size")
            return total

        known: dict[str, Var] = {}
        for k, a in zip(places, arrays, strict=True):
            dtype, hint = a.type.dtype, f"saved_{a.name}"
            if dtype in known:
                self.trail.buffers[call, k] = known[dtype]
            elif None in shapes:
                self.trail.buffers[call, k] = self.b.growing(dtype, hint)
            else:
                reads = [n for shape in shapes for n in shape or ()]
                self._flat_buffer((call, k), dtype, hint, self.sites[call], count, reads)
            known[dtype] = self.trail.buffers[call, k]

    def _lengths(self, array: Var) -> list[Operand] | None:
        """The lengths of an array as operands, where its definition says them."""
        match self.place.definition[array]:
            case Alloc(shape=shape) | Reshape(shape=shape):
                return list(shape)
            case View(axes=axes):
                return [a.length for a in axes]
            case None:
                return list(shape_of(self.b, array))
            case _:
                return None

    def _one(self, stmt: Stmt) -> None:
        b = self.b
        with b.at(stmt.loc):
            for snapshot in self.before_loop.get(stmt, ()):
                self._take(snapshot)
            if isinstance(stmt, Call):
                self._keep(stmt)
            match stmt:
                case Mark(value=value, out=out):
                    if out is not None:
                        b.emit(Op(out, "cast", (value,), loc=stmt.loc))
                case For() | While():
                    self._loop(stmt)
                case If():
                    self._branch(stmt)
                case Call() if is_rule(stmt) and rule_of(stmt).replaced and is_active(stmt, self.active):
                    copy_results(b, stmt)
                case _:
                    b.emit(stmt)
            if isinstance(stmt, Alloc) and stmt.out in self.exchanged and self.place.is_top(stmt.out):
                self._make_shadow(stmt.out)
            self._save(defined(stmt), self.place.block_with[stmt])
            self._move_on(stmt)

    def _block(self, block: Block, params: tuple[Var, ...] = ()) -> None:
        self._save(params, block)
        for stmt in block.stmts:
            self._one(stmt)
        self._move_on(block)

    def moved_by(self, mover: Stmt | Block) -> list[Site]:
        """Sites whose position moves on after an execution of `mover`."""
        return [site for site, where in self.sites.items() if where.mover is mover]

    def _move_on(self, mover: Stmt | Block) -> None:
        for site in self.moved_by(mover):
            self.position[site] = self.b.op(
                "add", self.position[site], size(self.b, self.sites[site], _same), hint="position"
            )

    # -- saves
    def _save(self, variables: tuple[Var, ...], block: Block) -> None:
        for v in variables:
            if v not in self.plan.saved:
                continue
            if not self.place.loops(block):
                self.trail.exports[v] = v
                continue
            self.b.store(self.trail.buffers[v], self._slot(block), v)

    def _slot(self, block: Block) -> tuple[Operand, ...]:
        where = self.layout(block)
        return slot(self.b, where, _same, ZERO if where.site is None else self.position[where.site])

    def _take(self, snapshot: Snapshot) -> None:
        b, buffer = self.b, self.trail.buffers[snapshot]
        shape = extents(b, snapshot.hull, shape_of(b, snapshot.array), _same)
        first = starts(b, snapshot.hull, _same)
        position = None if self.boxed(snapshot) else self.position[snapshot]
        slots = self._slot(self.place.block_with[snapshot.loop]) if position is None else ()

        def one(index: tuple[Operand, ...]) -> None:
            source = tuple(b.op("add", s, i) for s, i in zip(first, index, strict=True))
            target = (
                (*slots, *index)
                if position is None
                else (b.op("add", position, flat_index(b, shape, index)),)
            )
            b.store(buffer, target, b.load(snapshot.array, source))

        nest(b, shape, one)
        if position is not None:
            self.position[snapshot] = b.op("add", position, elements(b, shape), hint="position")

    def _keep(self, call: Call) -> None:
        for k, a in enumerate(call.args):
            if (call, k) in self.plan.kept:
                assert isinstance(a, Var)
                self.position[call] = store_flat(self.b, self.trail.buffers[call, k], a, self.position[call])

    def _make_shadow(self, v: Var) -> None:
        self.trail.shadows[v] = self.b.alloc(shape_of(self.b, v), v.type.dtype, f"ct_{v.name}")

    def _shadow(self, x: Operand) -> Var:
        """The shadow of a reference that is handed on; that of a part of an array is this part of its
        shadow.
        """
        v = _var(x)
        if v not in self.trail.shadows:
            match self.place.definition[v]:
                case View(array=base, axes=axes, fixed=fixed):
                    return self.b.view(self._shadow(base), axes, fixed, f"ct_{v.name}")
                case Reshape(array=base, shape=shape):
                    return self.b.reshape(self._shadow(base), shape, f"ct_{v.name}")
        return self.trail.shadows[v]

    # -- control
    def _carried_shadows(self, outs: tuple[Var, ...]) -> list[int]:
        """Exchanged references whose shadows the forward sweep hands on too: those to memory that outlives
        it. Those to memory of one pass are found again in the reverse of the pass.
        """
        return [
            k
            for k, o in enumerate(outs)
            if isinstance(o.type, Array) and o in self.active and self.plan.recipes.outlives(o)
        ]

    def _loop(self, stmt: For | While) -> None:
        b = self.b
        sites = self.sites_within(stmt)
        swapped = self._carried_shadows(stmt.outs)
        inits = [self.position[s] for s in sites] + [self._shadow(stmt.inits[k]) for k in swapped]
        args = [b.fresh("position", INT) for _ in sites]
        args += [b.fresh(f"ct_{stmt.args[k].name}", _fresh_type(stmt.args[k])) for k in swapped]
        outs = [b.fresh(x.name, x.type) for x in args]
        self.position.update(zip(sites, args, strict=False))
        self.trail.shadows.update(zip((stmt.args[k] for k in swapped), args[len(sites) :], strict=True))
        params = (stmt.iv, *stmt.args) if isinstance(stmt, For) else stmt.args
        with b.block() as inner:
            self._block(stmt.body, params)
            yields = [self.position[s] for s in sites]
            yields += [self._shadow(stmt.body.yields[k]) for k in swapped]
        self.position.update(zip(sites, outs, strict=False))
        self.trail.shadows.update(zip((stmt.outs[k] for k in swapped), outs[len(sites) :], strict=True))
        new = replace(
            stmt,
            args=(*stmt.args, *args),
            inits=(*stmt.inits, *inits),
            body=Block(tuple(inner), (*stmt.body.yields, *yields)),
            outs=(*stmt.outs, *outs),
        )
        b.emit(new)

    def _branch(self, stmt: If) -> None:
        b = self.b
        sites = self.sites_within(stmt)
        before = {s: self.position[s] for s in sites}
        swapped = self._carried_shadows(stmt.outs)
        sides: list[tuple[list[Stmt], list[Operand], dict[Var, Operand]]] = []
        for block in (stmt.then, stmt.orelse):
            self.position.update(before)
            kept, self.trail.exports = self.trail.exports, {}
            with b.block() as inner:
                self._block(block)
                yields = [self.position[s] for s in sites]
                yields += [self._shadow(block.yields[k]) for k in swapped]
            own, self.trail.exports = self.trail.exports, kept
            sides.append((inner, yields, own))
        outs = [b.fresh("position", INT) for _ in sites]
        outs += [b.fresh(f"ct_{stmt.outs[k].name}", _fresh_type(stmt.outs[k])) for k in swapped]
        self.position.update(zip(sites, outs, strict=False))
        self.trail.shadows.update(zip((stmt.outs[k] for k in swapped), outs[len(sites) :], strict=True))
        exported = [(v, n) for n, (_, _, own) in enumerate(sides) for v in own]
        leaving = [b.fresh(f"saved_{v.name}", v.type) for v, _ in exported]
        self.trail.exports.update(zip((v for v, _ in exported), leaving, strict=True))
        new = []
        for n, (inner, yields, own) in enumerate(sides):
            extra = [own[v] if side == n else const(0, v.type.dtype) for v, side in exported]
            block = (stmt.then, stmt.orelse)[n]
            new.append(Block(tuple(inner), (*block.yields, *yields, *extra)))
        b.emit(replace(stmt, then=new[0], orelse=new[1], outs=(*stmt.outs, *outs, *leaving)))


def _same(x: Operand) -> Operand:
    return x


def _var(x: Operand) -> Var:
    assert isinstance(x, Var)
    return x


def _fresh_type(v: Var) -> Array:
    assert isinstance(v.type, Array)
    return Array(v.type.dtype, v.type.ndim)
