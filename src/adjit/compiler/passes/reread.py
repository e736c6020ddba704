"""What is about to be overwritten is read from a copy of it, so that the overwriting can join the reading.

    for i in range(n): h[p + i] = y[i]               for i in range(n): h[p + i] = y[i]
    for i in range(n): z[i] = y[i] + y[n - 1 - i]    =>  for i in range(n): z[i] = h[p + i] + h[p + n - 1 - i]
    for i in range(n): y[i] = z[i]                   for i in range(n): y[i] = z[i]

Input and output: core IR, before loops are fused. The copy is what the forward sweep saves; nothing writes
to the two arrays between the copying and the reading. Non-goals: copies that are made under a condition;
reads that have nothing to join.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..analyses.boxes import Boxes
from ..ir.nodes import Accumulate, Block, For, Function, Load, Op, Operand, Stmt, Store, Var
from ..ir.visitor import every_block, makers, walk
from .clone import clone, mapped
from .rewrite import Rewriter


def reread(fn: Function) -> Function:
    """Read copies where their originals are overwritten next."""
    if sum(isinstance(s, For) for s in walk(fn.body)) < 3:
        return fn
    found = _Finder(fn).found
    return _Writing(fn, found).run() if found else fn


@dataclass(frozen=True, eq=False)
class _Copy:
    """`store` puts what `load` reads elsewhere; `index` computes the place."""

    load: Load
    store: Store
    index: list[Stmt]


class _Finder:
    """`found` has the loads that change, each with the copy to read."""

    def __init__(self, fn: Function) -> None:
        self.boxes = Boxes.about(fn)
        self.facts = self.boxes.facts
        self.found: dict[Stmt, _Copy] = {}
        for block in every_block(fn.body):
            for k, nest in enumerate(block.stmts):
                for copy in self.copies(nest) if isinstance(nest, For) else ():
                    self.follow(nest, copy, block.stmts[k + 1 :])

    def copies(self, nest: For) -> Iterator[_Copy]:
        for s in walk(Block((nest,))):
            if not isinstance(s, Store) or not isinstance(s.value, Var):
                continue
            load = self.facts.definitions.maker[s.value]
            if isinstance(load, Load) and self.facts.definitions.inside(load, nest):
                index = self.index(nest, s)
                chain = self.boxes.place[s].chain
                if index is not None and chain == self.boxes.place[load].chain and self.boxes.box(load, nest):
                    yield _Copy(load, s, index)

    def index(self, nest: For, s: Store) -> list[Stmt] | None:
        """The arithmetic inside a nest that makes the indices of a store."""
        made = makers(list(walk(nest.body)), s.index)
        return made if all(isinstance(x, Op) for x in made) else None

    def follow(self, nest: Stmt, copy: _Copy, after: tuple[Stmt, ...]) -> None:
        boxes, array = self.boxes, copy.load.array
        depth = len(boxes.place[nest].loops)
        box = boxes.box(copy.load, nest)
        if box is None or self.facts.may_alias(array, copy.store.array, depth):
            return
        if boxes.touching((nest,), array, depth) != [copy.load] or not self.apart(nest, copy, depth):
            return
        for k, reader in enumerate(after):
            loads = boxes.touching((reader,), array, depth)
            writes = boxes.touching((reader,), copy.store.array, depth)
            if writes or not all(isinstance(s, Load) for s in loads):
                return
            new = bool(loads) and self.found.keys().isdisjoint(loads)
            if new and all(boxes.within(s, box) for s in loads) and self.joins(reader, array, after[k + 1 :]):
                self.found.update(dict.fromkeys(loads, copy))

    def apart(self, nest: Stmt, copy: _Copy, depth: int) -> bool:
        """Whether each element of the box has a place of its own in the copy, which nothing else in the nest
        touches.
        """
        if self.boxes.touching((nest,), copy.store.array, depth) != [copy.store]:
            return False
        forms = self.boxes.forms
        axes = [{s for s in forms.of(x).terms if s.depth > depth} for x in copy.store.index]
        own = [form for iv in copy.load.index for form in forms.of(iv).terms]
        return all({s} in axes for s in own) and set().union(*axes) == set(own)

    def joins(self, reader: Stmt, array: Var, after: tuple[Stmt, ...]) -> bool:
        """Whether the next nest that touches an array updates it, element by element, with what `reader`
        makes.
        """
        boxes, depth = self.boxes, len(self.boxes.place[reader].loops)
        writer = next((s for s in after if boxes.touching((s,), array, depth)), None)
        if writer is None:
            return False
        updates = boxes.touching((writer,), array, depth)
        first = updates[0]
        if not isinstance(first, Store | Accumulate) or not all(boxes.same(first, s) for s in updates):
            return False
        box = boxes.box(first, writer)
        stores = [s for s in walk(Block((reader,))) if isinstance(s, Store)]
        return any(
            boxes.equal(box, boxes.box(s, reader)) and boxes.touching((writer,), s.array, depth)
            for s in stores
        )


class _Writing(Rewriter):
    def __init__(self, fn: Function, found: dict[Stmt, _Copy]) -> None:
        super().__init__(fn)
        self.found = found

    def visit(self, stmt: Stmt) -> None:
        copy = self.found.get(self.original) if self.original is not None else None
        if copy is None:
            super().visit(stmt)
            return
        assert isinstance(stmt, Load)
        mapping: dict[Var, Operand] = dict(self.map)
        for iv, x in zip(copy.load.index, stmt.index, strict=True):
            assert isinstance(iv, Var)
            mapping[iv] = x
        self.out += clone(copy.index, mapping, self.names)
        index = tuple(mapped(i, mapping) for i in copy.store.index)
        self.out.append(Load(stmt.out, self.array_of(copy.store.array), index, loc=stmt.loc))
