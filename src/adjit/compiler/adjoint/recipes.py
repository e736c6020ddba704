"""How a value of the forward sweep can be had again in the reverse sweep.

Input: a function and its facts. Output, per variable: the variables from which it can be computed again in
the prologue of a reversed block, or that there is no such way.

The reverse sweep sees memory as it is at the end of the forward sweep. So a load can be repeated if its
element is not written any more; and a value that was stored, and still stands there, has a *home*. An
element of an array that a cheap nest has filled is what that nest stored there (`producers`). Values of the
outermost block stay alive and are free; so are loop indices.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..analyses.dependence import Dependence
from ..ir.nodes import (
    Alloc,
    Block,
    Dim,
    For,
    Function,
    If,
    Load,
    Op,
    Operand,
    Reshape,
    Stmt,
    Store,
    Var,
    View,
    While,
)
from ..ir.types import Array
from ..ir.visitor import operands
from ..ops import TABLE
from .activity import Roots
from .placement import Placement
from .producers import Producer, Producers


@dataclass(frozen=True)
class Recipe:
    """`via` is the statement to repeat (or the store whose place holds the value, or what stored it
    there).
    """

    via: Stmt | Producer | None
    needs: tuple[Var, ...]


FREE = Recipe(None, ())


def variables(xs: tuple[Operand, ...]) -> tuple[Var, ...]:
    return tuple(x for x in xs if isinstance(x, Var) and not isinstance(x.type, Array))


class Recipes:
    def __init__(self, fn: Function, place: Placement, memory: Roots) -> None:
        self.place = place
        self.roots = memory
        self.dependence = Dependence.about(fn)
        self.known: dict[Var, Recipe | None] = {}
        self.homes = self._stores()
        self.producers = Producers(self)
        self.kept_conditions = self._choosing_conditions()

    def _stores(self) -> dict[Var, list[Store]]:
        found: dict[Var, list[Store]] = {}
        for stmt, block in self.place.block_with.items():
            if (
                isinstance(stmt, Store)
                and isinstance(stmt.value, Var)
                and self.place.block_of[stmt.value] is block
            ):
                found.setdefault(stmt.value, []).append(stmt)
        return found

    def _choosing_conditions(self) -> set[Operand]:
        """Conditions that choose among references: needed before anything of their block can be computed
        again.
        """
        return {
            s.cond
            for s in self.place.block_with
            if isinstance(s, If) and any(isinstance(o.type, Array) for o in s.outs)
        }

    def of(self, v: Var) -> Recipe | None:
        """The recipe of a scalar variable; None if it must be saved."""
        if v not in self.known:
            self.known[v] = None  # a cycle has no recipe
            self.known[v] = self._find(v)
        return self.known[v]

    def _find(self, v: Var) -> Recipe | None:
        if self.place.is_top(v):
            return FREE
        stmt = self.place.definition[v]
        if isinstance(stmt, For) and v is stmt.iv:
            return FREE
        if v in self.kept_conditions:
            return None
        again, home = self._again(v, stmt), self._home(v)
        if again is None or home is None:
            return again or home or self._produced(stmt)
        return again if all(self._free(x) for x in again.needs) else home

    def _free(self, v: Var) -> bool:
        """Whether a variable can be had without saving anything."""
        recipe = self.of(v)
        return recipe is not None and all(self._free(x) for x in recipe.needs)

    def _again(self, v: Var, stmt: Stmt | None) -> Recipe | None:
        match stmt:
            case Op(op=op, args=args):
                return None if TABLE[op].expensive else Recipe(stmt, variables(args))
            case Load(array=array):
                inputs = self.reference(array)
                if inputs is None or not self.dependence.element_survives(stmt):
                    return None
                return Recipe(stmt, (*variables(operands(stmt)), *inputs))
            case Dim(array=array):
                inputs = self.reference(array)
                return None if inputs is None else Recipe(stmt, inputs)
            case If(outs=outs) if v in outs:
                leaves = self._branch_leaves(stmt, outs.index(v))
                return None if leaves is None else Recipe(stmt, leaves)
            case _:
                return None

    def _home(self, v: Var) -> Recipe | None:
        for store in self.homes.get(v, ()):
            inputs = self.reference(store.array)
            if inputs is not None and self.dependence.store_survives(store):
                return Recipe(store, (*variables(store.index), *inputs))
        return None

    def _produced(self, stmt: Stmt | None) -> Recipe | None:
        """An element that can be computed again where it was stored from."""
        if not isinstance(stmt, Load):
            return None
        producer = self.producers.of(stmt, stmt.array)
        if producer is None:
            return None
        return Recipe(producer, (*variables(stmt.index), *self.needs_of(producer)))

    def needs_of(self, producer: Producer) -> tuple[Var, ...]:
        """Scalars from which a nest's contents can be computed again."""
        found = dict.fromkeys(variables(producer.outside()))
        for stmt in producer.steps:
            if isinstance(stmt, Load):
                found.update(dict.fromkeys(self.reference(stmt.array) or ()))
        return tuple(found)

    def reference(self, array: Var) -> tuple[Var, ...] | None:
        """Scalars from which an array reference can be had again; None if its memory is gone by then."""
        if self.place.is_top(array):
            return ()
        stmt = self.place.definition[array]
        match stmt:
            case Alloc() | None:
                return None
            case View(array=base) | Reshape(array=base):
                inputs = self.reference(base)
                return None if inputs is None else (*variables(operands(stmt)), *inputs)
            case If(cond=cond, then=then, orelse=orelse, outs=outs):
                k = outs.index(array)
                sides = [self.reference(y) for y in (then.yields[k], orelse.yields[k]) if isinstance(y, Var)]
                if None in sides:
                    return None
                return (*variables((cond,)), *(x for side in sides for x in side or ()))
            case For() | While():
                return () if self.outlives(array) else None
            case _:
                return None

    def outlives(self, array: Var) -> bool:
        """Whether all memory that a reference may mean is made in the outermost block."""
        return all(self.place.is_top(r) for r in self.roots[array])

    # -- branches that can be run again
    def _branch_leaves(self, stmt: If, k: int) -> tuple[Var, ...] | None:
        """What result k of a branch needs from outside, if all it takes is cheap and survives."""
        leaves: dict[Var, None] = dict.fromkeys(variables((stmt.cond,)))
        for block in (stmt.then, stmt.orelse):
            if not self._slice(block, block.yields[k], stmt, leaves):
                return None
        return tuple(leaves)

    def _slice(self, block: Block, x: Operand, stmt: If, leaves: dict[Var, None]) -> bool:
        if not isinstance(x, Var):
            return True
        if not self.place.inside(self.place.block_of[x], stmt):
            leaves[x] = None
            return True
        recipe = self.of(x)
        if recipe is None or isinstance(recipe.via, Store | Producer):
            return False
        return all(self._slice(block, n, stmt, leaves) for n in recipe.needs)

    def shape(self, array: Var) -> tuple[Var, ...]:
        """Scalars from which the shape of an array can be had again."""
        stmt = self.place.definition[array]
        match stmt:
            case _ if self.place.is_top(array):
                return ()
            case Alloc(shape=lengths) | Reshape(shape=lengths):
                return variables(lengths)
            case View(axes=axes):
                return variables(tuple(a.length for a in axes))
            case _:
                return self.reference(array) or ()
