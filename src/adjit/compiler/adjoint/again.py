"""Primal values and references at a place of the reverse sweep.

Input: a plan, what the forward sweep left behind, and a builder at the place. Output: operands for primal
values (repeated, fetched from a buffer, or still alive) and references to primal and shadow memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from ...errors import NotDifferentiableError
from ..ir.builder import Builder, const
from ..ir.nodes import (
    Alloc,
    Block,
    Call,
    Const,
    Dim,
    For,
    If,
    Load,
    Op,
    Operand,
    Reshape,
    Slice,
    Stmt,
    Store,
    Var,
    View,
    While,
)
from ..ir.types import Array
from ..passes.clone import clone, mapped
from .copying import elements, exchanged, flat_index, nest, rank, shape_of
from .forward import Site, Trail
from .hull import extents, starts
from .plan import Plan, Snapshot
from .producers import Producer
from .storage import ZERO, slot


class Again:
    def __init__(self, b: Builder, plan: Plan, trail: Trail) -> None:
        self.b, self.plan, self.place, self.trail = b, plan, plan.place, trail
        self.values: dict[Var, Operand] = {}
        self.references: dict[Var, Var] = {}
        self.shadows: dict[Var, Var] = {}
        self.positions: dict[Site, Operand] = {}

    @contextmanager
    def region(self) -> Iterator[None]:
        """What is made available inside a block is forgotten after it."""
        kept = dict(self.values), dict(self.references), dict(self.shadows)
        try:
            yield
        finally:
            self.values, self.references, self.shadows = kept

    # -- scalars
    def value(self, x: Operand) -> Operand:
        if isinstance(x, Const):
            return x
        if x in self.values:
            return self.values[x]
        if self.place.is_top(x):
            return x
        raise AssertionError(f"{x!r} is not available in the reverse sweep")

    def index(self, xs: tuple[Operand, ...]) -> tuple[Operand, ...]:
        return tuple(self.value(x) for x in xs)

    def prologue(self, block: Block) -> None:
        """Make available all that the reverse of the block and of its inner blocks reads."""
        for v in self.plan.again.get(block, ()):
            with self.b.at(self._location(v)):
                self.ensure(v)

    def _location(self, v: Var):  # type: ignore[no-untyped-def]
        stmt = self.place.definition[v]
        return self.b.loc if stmt is None else stmt.loc

    def materialise(self, v: Var) -> Operand:
        if v in self.plan.saved:
            return self._fetch(v)
        stmt = self.place.definition[v]
        if isinstance(stmt, Load) and stmt in self.plan.snapshots:
            return self._from_snapshot(self.plan.snapshots[stmt], stmt)
        recipe = self.plan.recipes.of(v)
        assert recipe is not None and recipe.via is not None
        if isinstance(recipe.via, Producer):
            assert isinstance(stmt, Load)
            return self._element(recipe.via, self._around(recipe.via), self.index(stmt.index))
        return self._repeat(v, recipe.via)

    def _repeat(self, v: Var, stmt: Stmt) -> Operand:
        b = self.b
        match stmt:
            case Op(op="cast", args=args):
                return b.cast(self.value(args[0]), v.type.dtype, hint=v.name)
            case Op(op=op, args=args):
                return b.op(op, *self.index(args), hint=v.name)
            case Load(array=array, index=index) | Store(array=array, index=index):
                return b.load(self.array(array), self.index(index), hint=v.name)
            case Dim(array=array, axis=axis):
                return b.dim(self.array(array), axis)
            case If():
                return self._branch_again(v, stmt)
            case _:
                raise AssertionError(f"{type(stmt).__name__} cannot be repeated")

    def _around(self, producer: Producer) -> dict[Var, Operand]:
        """What a nest reads from outside, as it is here."""
        outside = producer.outside()
        return {x: self.array(x) if isinstance(x.type, Array) else self.value(x) for x in outside}

    def _element(
        self, producer: Producer, around: Mapping[Var, Operand], index: Sequence[Operand]
    ) -> Operand:
        """What a nest has stored at `index`."""
        mapping = {**around, **dict(zip(producer.ivs, index, strict=True))}
        for stmt in clone([replace(s, loc=self.b.loc) for s in producer.steps], mapping, self.b.names):
            self.b.emit(stmt)
        return mapped(producer.value, mapping)

    def _branch_again(self, v: Var, stmt: If) -> Operand:
        k = stmt.outs.index(v)
        sides = []
        for block in (stmt.then, stmt.orelse):
            with self.b.block() as inner, self.region():
                y = self.ensure(block.yields[k])
            sides.append(Block(tuple(inner), (y,)))
        out = self.b.fresh(v.name, v.type)
        self.b.if_(self.value(stmt.cond), sides[0], sides[1], (out,))
        return out

    def ensure(self, x: Operand) -> Operand:
        """The value of `x`, made available with all that it takes if it is not yet."""
        if not isinstance(x, Var) or x in self.values or self.place.is_top(x):
            return self.value(x)
        if x not in self.plan.saved:
            recipe = self.plan.recipes.of(x)
            for n in recipe.needs if recipe is not None else ():
                self.ensure(n)
        self.values[x] = self.materialise(x)
        return self.values[x]

    # -- buffers
    def slots(self, block: Block) -> tuple[Operand, ...]:
        where = self.trail.layouts[block]
        return slot(self.b, where, self.value, ZERO if where.site is None else self.positions[where.site])

    def _fetch(self, v: Var) -> Operand:
        if v in self.trail.exports:
            return self.trail.exports[v]
        return self.b.load(self.trail.buffers[v], self.slots(self.place.block_of[v]), hint=v.name)

    def _from_snapshot(self, snapshot: Snapshot, load: Load) -> Operand:
        b = self.b
        buffer = self.trail.buffers[snapshot]
        first = starts(b, snapshot.hull, self.value)
        index = tuple(b.op("sub", i, s) for i, s in zip(self.index(load.index), first, strict=True))
        if snapshot not in self.positions:
            slots = self.slots(self.place.block_with[snapshot.loop])
            return b.load(buffer, (*slots, *index), hint=load.out.name)
        shape = self.extents(snapshot)
        position = b.op("add", self.positions[snapshot], flat_index(b, shape, index))
        return b.load(buffer, (position,), hint=load.out.name)

    def step_back(self, snapshot: Snapshot) -> None:
        """The position of a snapshot, from behind the copy of this pass to its beginning."""
        if snapshot in self.positions:
            count = elements(self.b, self.extents(snapshot))
            self.positions[snapshot] = self.b.op("sub", self.positions[snapshot], count, hint="position")

    def extents(self, snapshot: Snapshot) -> list[Operand]:
        return extents(self.b, snapshot.hull, self.shape(snapshot.array), self.value)

    def kept(self, call: Call, k: int) -> Var:
        """The contents that an array argument of a library call had, as a fresh array."""
        b = self.b
        array = call.args[k]
        assert isinstance(array, Var)
        shape = self.shape(array)
        position = b.op("sub", self.positions[call], elements(b, shape), hint="position")
        self.positions[call] = position
        copy = b.alloc(shape, array.type.dtype, array.name)
        buffer = self.trail.buffers[call, k]
        nest(
            b,
            shape,
            lambda index: b.store(
                copy, index, b.load(buffer, (b.op("add", position, flat_index(b, shape, index)),))
            ),
        )
        return copy

    def produced(self, call: Call, k: int) -> Var:
        """The same, filled as it was filled in the forward sweep."""
        b, array = self.b, call.args[k]
        assert isinstance(array, Var)
        shape = self.shape(array)
        again = b.alloc(shape, array.type.dtype, array.name)
        producer = self.plan.produced[call, k]
        around = self._around(producer)
        nest(b, shape, lambda index: b.store(again, index, self._element(producer, around, index)))
        return again

    # -- references
    def shape(self, array: Var) -> list[Operand]:
        stmt = self.place.definition[array]
        match stmt:
            case Alloc(shape=lengths) | Reshape(shape=lengths) if array not in self.references:
                return list(self.index(lengths))
            case View(axes=axes) if array not in self.references:
                return [self.value(a.length) for a in axes]
            case _:
                return shape_of(self.b, self.array(array))

    def array(self, x: Var) -> Var:
        """The primal reference `x`."""
        if x in self.references:
            return self.references[x]
        if self.place.is_top(x):
            return x
        found = self._rebuilt(x, self.array)
        self.references[x] = found
        return found

    def shadow(self, x: Var) -> Var:
        """The shadow of the reference `x`."""
        if x not in self.shadows:
            self.shadows[x] = self._rebuilt(x, self.shadow)
        return self.shadows[x]

    def _rebuilt(self, x: Var, of) -> Var:  # type: ignore[no-untyped-def]
        stmt = self.place.definition[x]
        hint = f"ct_{x.name}" if of == self.shadow else x.name
        match stmt:
            case View(array=base, axes=axes, fixed=fixed):
                v = self.ensure
                moved = [Slice(a.axis, v(a.start), v(a.length), v(a.step)) for a in axes]
                return self.b.view(of(base), moved, [(k, v(i)) for k, i in fixed], hint)
            case Reshape(array=base, shape=shape):
                return self.b.reshape(of(base), [self.ensure(n) for n in shape], hint)
            case If(cond=cond, then=then, orelse=orelse, outs=outs):
                k = outs.index(x)
                a, c = then.yields[k], orelse.yields[k]
                assert isinstance(a, Var) and isinstance(c, Var)
                out = self.b.fresh(hint, Array(x.type.dtype, rank(x), "A"))
                self.b.if_(self.ensure(cond), Block((), (of(a),)), Block((), (of(c),)), (out,))
                return out
            case For() | While():
                return self._exchanged(stmt, x, of)
            case _:
                raise AssertionError(f"the reference {x!r} cannot be made again")

    def _exchanged(self, stmt: For | While, x: Var, of) -> Var:  # type: ignore[no-untyped-def]
        """What `x`, a result of a loop that exchanges arrays, means after as many exchanges."""
        if x not in stmt.outs:  # what a pass of the loop carries
            raise self._nested_exchange(stmt)
        arrays = [stmt.outs.index(x)]
        while (y := stmt.body.yields[arrays[-1]]) in stmt.args and y is not stmt.args[arrays[0]]:
            arrays.append(_position(stmt, y))
        inits: list[Operand] = [of(stmt.inits[k]) for k in arrays]
        outs = self.exchange(stmt, arrays, inits, backwards=False)
        return outs[arrays.index(stmt.outs.index(x))]

    @staticmethod
    def _nested_exchange(stmt: Stmt) -> NotDifferentiableError:
        return NotDifferentiableError(
            "arrays are exchanged in a loop, under a condition or in a loop of its own, inside another loop",
            location=stmt.loc,
            hint="copy the contents (`a[:] = b`) instead of exchanging the names",
        )

    def exchange(
        self, stmt: For | While, swapped: list[int], inits: list[Operand], *, backwards: bool
    ) -> list[Var]:
        """The references `inits` after all exchanges of a loop, or before them."""
        b = self.b
        source = {stmt.args[k]: n for n, k in enumerate(swapped)}
        yields = [stmt.body.yields[k] for k in swapped]
        if any(y not in source for y in yields):
            raise self._nested_exchange(stmt)
        if stmt.trips is not None:
            count = self.ensure(stmt.trips)
        else:
            assert isinstance(stmt, For)
            count = b.op("trips", self.ensure(stmt.lo), self.ensure(stmt.hi), const(stmt.step), hint="trips")
        order = [source[y] for y in yields if isinstance(y, Var)]
        if backwards:
            order = [order.index(n) for n in range(len(order))]
        with b.at(stmt.loc):
            return exchanged(b, count, order, inits, [stmt.args[k] for k in swapped])


def _position(stmt: For | While, y: Operand) -> int:
    assert isinstance(y, Var)
    return stmt.args.index(y)
