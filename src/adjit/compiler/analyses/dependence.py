"""Which accesses to memory can meet: the questions that saving, reordering and snapshots ask.

Input: a function. Output: `Dependence`, whose methods answer with False (or None) where nothing can be
proved. Two accesses meet if their arrays may be the same memory and the equations of their indices have
a solution within the loop bounds and conditions around them. "Later" is decided per enclosing loop:
passes of the outer ones equal, of this one strictly later. Non-goals: order of writes within library
routines; memory outside the function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..ir.nodes import Accumulate, Alloc, For, Function, Load, Operand, Reshape, Stmt, Store, Var, View, While
from ..ir.types import Array
from ..ir.visitor import walk
from .accumulators import is_sum
from .affine import Affine, Forms
from .alias import Aliases
from .definitions import Definitions, Loop
from .effects import reads, writes
from .feasible import Row
from .memory import Table
from .ranges import FIRST, SECOND, Ranges, minus, row

REGION = 1 << 20  # depth of symbols that no two accesses share

Levels = tuple[tuple[Var, tuple[Affine | None, ...]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """The elements of one array that a statement touches, under each name that the array has through views.

    `extra` bounds the symbols that stand for "any index" where the whole array is meant.
    """

    stmt: Stmt
    levels: Levels
    extra: tuple[Affine, ...]
    write: bool
    accumulate: bool

    @property
    def array(self) -> Var:
        return self.levels[0][0]


class Dependence(Table):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.definitions = Definitions.about(fn)
        self.forms = Forms.about(fn)
        self.ranges = Ranges(self.forms)
        aliases = Aliases.about(fn)
        self.roots, self.whole = aliases.roots, aliases.whole
        self._accesses: dict[Stmt, tuple[Access, ...]] = {}
        self._distinct: dict[Stmt, bool] = {}
        self._clash: dict[tuple[object, ...], bool] = {}
        self._survives: dict[object, bool] = {}
        self._within: dict[tuple[Loop, Var], bool] = {}
        self._free: dict[For, bool] = {}
        self.writes: dict[Var, list[Access]] = {}
        for stmt in self.definitions.stmts:
            for access in self.accesses(stmt):
                if access.write:
                    for r in self.roots[access.array]:
                        self.writes.setdefault(r, []).append(access)

    # -- accesses
    def accesses(self, stmt: Stmt) -> tuple[Access, ...]:
        """What a statement itself touches."""
        known = self._accesses.get(stmt)
        if known is None:
            known = self._accesses[stmt] = tuple(self._make(stmt))
        return known

    def _make(self, stmt: Stmt) -> list[Access]:
        match stmt:
            case Load(array=array, index=index) | Store(array=array, index=index):
                return [self._element(stmt, array, index)]
            case Accumulate(array=array, index=index):
                return [self._element(stmt, array, index)]
            case _:
                found = [self.region(stmt, a, write=True) for a in writes(stmt)]
                return found + [self.region(stmt, a) for a in reads(stmt)]

    def _element(self, stmt: Stmt, array: Var, index: tuple[Operand, ...]) -> Access:
        levels = self.forms.element(array, [self.forms.of(i) for i in index])
        return Access(stmt, tuple(levels), (), not isinstance(stmt, Load), isinstance(stmt, Accumulate))

    def region(self, stmt: Stmt, array: Var, *, write: bool = False) -> Access:
        """Any element of an array, as touched by a statement."""
        rank = array.type.ndim if isinstance(array.type, Array) else 0
        index: list[Affine | None] = []
        extra: list[Affine] = []
        for axis in range(rank):
            i = Affine({self.forms.symbol(f"any index of {array!r}", REGION): 1})
            index.append(i)
            extra += [i, (self.forms.dim(array, axis) - i).shifted(-1)]
        return Access(stmt, tuple(self.forms.element(array, index)), tuple(extra), write, False)

    # -- do two references mean the same memory?
    def origin(self, array: Var) -> Var:
        """The parameter, allocation or carried reference that an array is a view of."""
        stmt = self.definitions.maker[array]
        while isinstance(stmt, View | Reshape):
            array = stmt.array
            stmt = self.definitions.maker[array]
        return array

    def has_one_name(self, array: Var) -> bool:
        """Whether nothing else may be memory of an array."""
        return not any(array in found for v, found in self.roots.items() if v is not array)

    def may_alias(self, a: Var, b: Var, shared: int, apart: bool = False) -> bool:
        """Whether two references can share memory.

        The places agree in the passes of the `shared` outermost loops; if `apart`, they differ in the next.
        """
        a, b = self.origin(a), self.origin(b)
        if a is b:
            fresh = apart and isinstance(self.definitions.maker[a], Alloc)
            return not fresh or self.forms.depth(a) <= shared
        if self.roots[a].isdisjoint(self.roots[b]):
            return False
        loop = self.definitions.maker[a]
        if not isinstance(loop, For | While) or loop is not self.definitions.maker[b]:
            return True
        siblings = (a in loop.args) == (b in loop.args)
        return not (siblings and self.forms.depth(a) <= shared and self.distinct(loop))

    def distinct(self, loop: Loop) -> bool:
        """Whether the references that a loop carries are pairwise different memory within each pass."""
        known = self._distinct.get(loop)
        if known is None:
            depth = len(self.definitions.place[loop].loops)
            arrays = [i for i in loop.inits if isinstance(i, Var) and isinstance(i.type, Array)]
            pairs = [(a, b) for k, a in enumerate(arrays) for b in arrays[:k]]
            known = self._distinct[loop] = not any(self.may_alias(a, b, depth) for a, b in pairs)
        return known

    # -- do two accesses meet?
    def clash(self, x: Access, y: Access, shared: int, later: Loop | None = None) -> bool:
        """Whether the two can touch one element while the passes of the `shared` outermost loops are equal.

        If `later` is given (the next loop), y's pass of it comes strictly after x's.
        """
        key = (x, y, shared, later)
        known = self._clash.get(key)
        if known is None:
            known = self._clash[key] = self._clash_anew(x, y, shared, later)
        return known

    def _clash_anew(self, x: Access, y: Access, shared: int, later: Loop | None) -> bool:
        if not self.may_alias(x.array, y.array, shared, later is not None):
            return False
        equations = self._equations(x, y, shared)
        for terms, constant in equations:
            if not terms and constant:
                return False
        seeds = [row(f, FIRST, shared) for f in x.extra] + [row(f, SECOND, shared) for f in y.extra]
        if isinstance(later, For):
            forward = Affine({self.forms.counter(later): 1 if abs(later.step) > 1 or later.step > 0 else -1})
            seeds.append(minus(row(forward, SECOND, shared), row(forward, FIRST, shared), -1))
        rows = self.ranges.rows(x.stmt, FIRST, shared) + self.ranges.rows(y.stmt, SECOND, shared)
        return self.ranges.possible(equations, seeds, rows, shared)

    def ahead(self, x: Access, y: Access, first: For, second: For) -> bool:
        """Whether x, in a pass of `first`, can meet y in an earlier pass of `second`: two loops of one
        block with equal bounds.
        """
        shared = len(self.definitions.place[first].loops)
        if not self.may_alias(x.array, y.array, shared):
            return False
        equations = self._equations(x, y, shared)
        seeds = [row(f, FIRST, shared) for f in x.extra] + [row(f, SECOND, shared) for f in y.extra]
        one, two = (
            Affine({self.forms.counter(loop): 1 if abs(loop.step) > 1 or loop.step > 0 else -1})
            for loop in (first, second)
        )
        seeds.append(minus(row(one, FIRST, shared), row(two, SECOND, shared), -1))
        rows = self.ranges.rows(x.stmt, FIRST, shared) + self.ranges.rows(y.stmt, SECOND, shared)
        return self.ranges.possible(equations, seeds, rows, shared)

    def _equations(self, x: Access, y: Access, shared: int) -> list[Row]:
        """Equal indices, under a name for which indices of both accesses mean the same elements."""
        for a, i in reversed(x.levels):
            for b, j in reversed(y.levels):
                one = a is b and self.forms.depth(a) <= shared
                if one or (a in self.whole and b in self.whole):
                    pairs = zip(i, j, strict=True)
                    return [
                        minus(row(p, FIRST, shared), row(q, SECOND, shared))
                        for p, q in pairs
                        if p is not None and q is not None
                    ]
        return []

    # -- survival until the end of the function
    def element_survives(self, load: Load) -> bool:
        """Whether the loaded element still stands in memory, unchanged, when the function ends."""
        return self._survival(load, self.accesses(load)[0])

    def store_survives(self, store: Store) -> bool:
        """Whether the element just stored still stands in memory when the function ends."""
        return self._survival(store, self.accesses(store)[0])

    def contents_survive(self, stmt: Stmt, array: Var) -> bool:
        """Whether all of `array`, as `stmt` finds it, still stands in memory when the function ends."""
        key = (stmt, array)
        known = self._survives.get(key)
        if known is None:
            known = self._survives[key] = self._survival_anew(self.region(stmt, array))
        return known

    def _survival(self, key: Stmt, access: Access) -> bool:
        known = self._survives.get(key)
        if known is None:
            known = self._survives[key] = self._survival_anew(access)
        return known

    def _survival_anew(self, x: Access) -> bool:
        found = self.roots[x.array]
        if any(self.forms.depth(r) for r in found):  # the next pass makes the array anew
            return False
        others = {id(w): w for r in found for w in self.writes.get(r, ())}
        return not any(self.reaches(x, w) for w in others.values())

    def reaches(self, x: Access, w: Access) -> bool:
        """Whether w may touch, later on, the element that x touches."""
        common = self.definitions.common(x.stmt, w.stmt)
        follows = self.definitions.place[w.stmt].order > self.definitions.place[x.stmt].order
        if follows and not self.definitions.exclusive(x.stmt, w.stmt) and self.clash(x, w, len(common)):
            return True
        return any(self.clash(x, w, p, loop) for p, loop in enumerate(common))

    # -- snapshots
    def written_within(self, loop: Loop, array: Var) -> bool:
        """Whether a statement inside `loop` may write to `array`, in one execution of the loop."""
        key = (loop, array)
        known = self._within.get(key)
        if known is None:
            shared = len(self.definitions.place[loop].loops)
            mine = self.region(loop, array)
            others = (w for r in self.roots[array] for w in self.writes.get(r, ()))
            known = self._within[key] = any(
                self.definitions.inside(w.stmt, loop) and self.clash(mine, w, shared) for w in others
            )
        return known

    def outermost_unwritten(self, load: Load) -> Loop | None:
        """The outermost loop around a load in which nothing may write the loaded array, which is defined
        outside it.
        """
        loops = self.definitions.place[load].loops
        for loop in loops[self.forms.depth(load.array) :]:
            if not self.written_within(loop, load.array):
                return loop
        return None

    # -- order of passes
    def order_free(self, loop: For) -> bool:
        """Whether the passes of a loop may run in any order (sums may be reassociated)."""
        known = self._free.get(loop)
        if known is None:
            known = self._free[loop] = self._order_free(loop)
        return known

    def _order_free(self, loop: For) -> bool:
        if loop.stop is not None or any(isinstance(a.type, Array) for a in loop.args):
            return False
        return loop.independent or self._apart(loop, lambda x, y: False)

    def order_free_as_promised(self, loop: For) -> bool:
        """The same, where the user promises it by `prange`: accesses whose indices are read from memory are
        believed to be apart. Those that can be told from the loop variables are not.
        """
        if not loop.promised or loop.stop is not None or any(isinstance(a.type, Array) for a in loop.args):
            return False
        return self._apart(loop, lambda x, y: self._opaque(x, loop) or self._opaque(y, loop))

    def _opaque(self, x: Access, loop: For) -> bool:
        """Whether an index is a value of the pass that is none of the loop variables'."""
        depth = len(self.definitions.place[loop].loops)
        known = set(self.forms.iteration.values())
        index = x.levels[0][1]
        return not x.extra and any(
            i is None or any(s.depth > depth and s not in known for s in i.terms) for i in index
        )

    def _apart(self, loop: For, believed: Callable[[Access, Access], bool]) -> bool:
        if not all(is_sum(self.definitions, loop, k) for k in range(len(loop.args))):
            return False
        found: dict[object, Access] = {}
        for stmt in walk(loop.body):
            for a in self.accesses(stmt):
                place = self.definitions.place[stmt]
                index = tuple(None if i is None else i.key() for i in a.levels[0][1])
                found.setdefault(
                    (a.array, index, place.loops, place.guard, a.write, a.accumulate, bool(a.extra)), a
                )
        accesses = list(found.values())
        return not any(
            self.carried(x, y, loop)
            for k, x in enumerate(accesses)
            for y in accesses[: k + 1]
            if (x.write or y.write) and not believed(x, y)
        )

    def carried(self, x: Access, y: Access, loop: Loop) -> bool:
        """Whether different passes of a loop can meet in two of its accesses, accumulations with each
        other apart.
        """
        if (x.accumulate and y.accumulate) or self.roots[x.array].isdisjoint(self.roots[y.array]):
            return False
        outside = len(self.definitions.place[loop].loops)
        return self.clash(x, y, outside, loop) or (x is not y and self.clash(y, x, outside, loop))
