"""What the forward sweep saves and what the reverse sweep computes again.

Input: a core function, its activity. Output: `Plan`: the scalars to save (by minimum cut), the arrays to
copy (`snapshots` before a loop, `kept` before a library call) or to fill again (`produced`), and per block
the values that the prologue of its reverse makes available, in forward order. An array of the function's
own that would be kept for such values alone has a price in the cut: a condition is a byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..analyses.effects import writes
from ..ir.nodes import Alloc, Block, Call, For, Function, Load, Operand, Stmt, Store, Var, While
from ..ir.types import Array
from ..ir.visitor import operands, walk
from ..library import ROUTINES
from .activity import Activity, is_active
from .cut import minimum_cut
from .estimates import Estimates
from .fusion import Fusion
from .hull import Hull, hull
from .needs import all_needs
from .placement import Placement
from .producers import Producer
from .recipes import Recipe, Recipes, variables

KEPT = 0.45  # a byte of an array that is kept, in bytes that are saved: these are stored once more


@dataclass(frozen=True)
class Snapshot:
    """The contents of `array` (of its `hull`) just before `loop`, in which nothing writes it."""

    array: Var
    loop: For | While
    hull: Hull

    def operands(self) -> tuple[Operand, ...]:
        """What start and length of the hull are made of."""
        return tuple(x for interval in self.hull if interval is not None for x in interval.operands())

    def shape(self) -> tuple[Operand, ...]:
        """What the room for it is made of."""
        return tuple(x for interval in self.hull if interval is not None for x in interval.shape())


@dataclass(frozen=True)
class Plan:
    place: Placement
    recipes: Recipes
    saved: frozenset[Var]
    snapshots: dict[Load, Snapshot]
    kept: frozenset[tuple[Call, int]]
    produced: dict[tuple[Call, int], Producer]
    again: dict[Block, tuple[Var, ...]]
    fusion: Fusion


def make_plan(fn: Function, active: Activity, fusion: Fusion) -> Plan:
    place = Placement(fn, fusion.bodies)
    recipes = Recipes(fn, place, active.roots)
    return _Planner(fn, place, recipes, active, fusion).plan()


class _Planner:
    def __init__(
        self, fn: Function, place: Placement, recipes: Recipes, active: Activity, fusion: Fusion
    ) -> None:
        self.fn, self.place, self.recipes, self.active, self.fusion = fn, place, recipes, active, fusion
        self.estimates = Estimates(place)
        self.candidates: dict[Load, Snapshot] = {}
        self.taken: dict[tuple[Var, For | While], Snapshot] = {}
        self.kept: set[tuple[Call, int]] = set()
        results = (x for x in fn.results if isinstance(x, Var))
        self.anyway = {r for x in results for r in recipes.roots.get(x, ())}  # arrays that stand anyhow
        self.produced: dict[tuple[Call, int], Producer] = {}

    def plan(self) -> Plan:
        wanted = self._wanted()
        saved, snapshots = self._cut(wanted)
        again = self._again(wanted, saved, snapshots)
        return Plan(
            self.place,
            self.recipes,
            frozenset(saved),
            snapshots,
            frozenset(self.kept),
            self.produced,
            again,
            self.fusion,
        )

    # -- what is wanted
    def _wanted(self) -> list[Var]:
        found: dict[Var, None] = dict.fromkeys(all_needs(self.fn, self.active))
        for stmt in walk(self.fn.body):
            if isinstance(stmt, Call) and is_active(stmt, self.active):
                found.update(dict.fromkeys(self._call_needs(stmt)))
        return [v for v in found if not self._free(v)]

    def _call_needs(self, call: Call) -> Iterable[Var]:
        needed = ROUTINES[call.name].needed(call, self.active)
        for k, a in enumerate(call.args):
            if not isinstance(a, Var) or not isinstance(a.type, Array):
                continue
            reference = self.recipes.reference(a)
            if k in needed:
                if reference is None or not self.recipes.dependence.contents_survive(call, a):
                    yield from self.recipes.shape(a)
                    producer = self.recipes.producers.of(call, a)
                    if producer is None:
                        self.kept.add((call, k))
                    else:
                        self.produced[call, k] = producer
                        yield from self.recipes.needs_of(producer)
                    continue
                self.anyway |= self.recipes.roots[a]
                yield from reference

    def _free(self, v: Var) -> bool:
        recipe = self.recipes.of(v)
        return recipe is not None and recipe.via is None

    # -- the cut
    def _cut(self, wanted: list[Var]) -> tuple[set[Var], dict[Load, Snapshot]]:
        sources: list[object] = []
        graph: dict[object, list[object]] = {}
        price: dict[object, float] = {}
        queue = list(wanted)
        while queue:
            v = queue.pop()
            if v in price:
                continue
            price[v] = self._price(v)
            recipe = self.recipes.of(v)
            if recipe is None:
                snapshot = self._snapshot(v)
                if snapshot is None:
                    sources.append(v)
                    continue
                stmt = self.place.definition[v]
                assert isinstance(stmt, Load)
                self.candidates[stmt] = snapshot
                inputs = (*variables(stmt.index), *variables(snapshot.operands()))
                graph.setdefault(v, []).append(snapshot)
                if snapshot not in price:
                    price[snapshot] = self._snapshot_price(snapshot)
                    sources.append(snapshot)
            else:
                inputs = recipe.needs
                for memory in self._standing(recipe) if self._far(v) else ():
                    graph.setdefault(v, []).append(memory)
                    if memory not in price:
                        price[memory] = self._memory_price(memory)
                        sources.append(memory)
            for x in inputs:
                if not self._free(x):
                    graph.setdefault(v, []).append(x)
                    queue.append(x)
        chosen = minimum_cut(sources, graph, wanted, price)
        saved = {v for v in chosen if isinstance(v, Var) and not isinstance(v.type, Array)}
        return saved, {s: c for s, c in self.candidates.items() if c in chosen and s.out not in saved}

    def _price(self, v: Var) -> float:
        """Bytes times executions; of equal cuts the one nearer to the wanted values' inputs is as good, so
        prefer small numbers.
        """
        return self.estimates.saved(v) * (1.0 + 1e-6 * self.place.order[v])

    # -- arrays that stand until the reverse sweep
    def _far(self, v: Var) -> bool:
        """Whether all of the forward sweep lies between the value and its reverse."""
        return self.place.tops.isdisjoint(self.place.outwards(self.place.block_of[v])[:-1])

    def _standing(self, recipe: Recipe) -> Iterable[Var]:
        """The function's own arrays that a recipe reads, and nothing else keeps."""
        match recipe.via:
            case Load(array=array) | Store(array=array):
                for root in self.recipes.roots[array]:
                    if isinstance(self.place.definition.get(root), Alloc) and root not in self.anyway:
                        yield root

    def _memory_price(self, array: Var) -> float:
        made = self.place.definition[array]
        assert isinstance(made, Alloc)
        return KEPT * self.estimates.array(array, made.shape)

    # -- snapshots
    def _snapshot(self, v: Var) -> Snapshot | None:
        stmt = self.place.definition[v]
        if not isinstance(stmt, Load) or v is not stmt.out or stmt.array.type.growing:  # type: ignore[union-attr]
            return None
        loop = self.recipes.dependence.outermost_unwritten(stmt)
        if loop is None:
            return None
        home = self.place.block_of[stmt.array]
        if self.place.inside(home, loop) or not self.place.loops(self.place.block_with[loop]):
            return None
        if not self.recipes.outlives(stmt.array):
            return None
        loops = self._same_contents(stmt.array, loop)
        key = (stmt.array, loops[0])
        if key not in self.taken:
            self.taken[key] = Snapshot(stmt.array, loops[0], hull(self.place, stmt.array, loops))
        return self.taken[key]

    def _same_contents(self, array: Var, loop: For | While) -> list[For | While]:
        """The loops of the block that read the array in the state in which `loop` reads it."""
        found: list[For | While] = []
        for stmt in self.place.block_with[loop].stmts:
            if self._may_write(stmt, array):
                if loop in found:
                    break
                found.clear()
            elif isinstance(stmt, For | While) and any(
                isinstance(s, Load) and s.array is array for s in walk(Block((stmt,)))
            ):
                found.append(stmt)
        return found

    def _may_write(self, stmt: Stmt, array: Var) -> bool:
        if isinstance(stmt, For | While):
            return self.recipes.dependence.written_within(stmt, array)
        memory = self.recipes.roots
        return any(
            not memory[a].isdisjoint(memory[array]) for inner in walk(Block((stmt,))) for a in writes(inner)
        )

    def _snapshot_price(self, snapshot: Snapshot) -> float:
        return 1.01 * self.estimates.copies(
            snapshot.array, snapshot.hull, self.place.block_with[snapshot.loop]
        )

    # -- prologues
    def _again(
        self, wanted: list[Var], saved: set[Var], snapshots: dict[Load, Snapshot]
    ) -> dict[Block, tuple[Var, ...]]:
        found: set[Var] = set()
        queue = list(wanted)
        while queue:
            v = queue.pop()
            if v in found or self._free(v):
                continue
            found.add(v)
            if v not in saved:
                queue.extend(self._inputs(v, snapshots))
        by_block: dict[Block, list[Var]] = {}
        for v in sorted(found, key=lambda v: self.place.order[v]):
            by_block.setdefault(self.place.block_of[v], []).append(v)
        return {block: tuple(vs) for block, vs in by_block.items()}

    def _inputs(self, v: Var, snapshots: dict[Load, Snapshot]) -> tuple[Var, ...]:
        stmt: Stmt | None = self.place.definition[v]
        if isinstance(stmt, Load) and stmt in snapshots:
            return (*variables(operands(stmt)), *variables(snapshots[stmt].operands()))
        recipe = self.recipes.of(v)
        assert recipe is not None, f"{v!r} has neither recipe nor place"
        return recipe.needs
