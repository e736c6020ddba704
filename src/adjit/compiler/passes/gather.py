"""A nest of loops that scatters into neighbours becomes one in which each point collects from its neighbours.

    for i in range(1, n - 1):                 for i in range(2, n - 2):
        g = 0.5 * ct_b[i]                         ct_a[i] += 0.5 * ct_b[i + 1] + 0.5 * ct_b[i - 1]
        ct_a[i - 1] += g             =>       for i in the two rims: ct_a[i ± 1] += …, if not done above
        ct_a[i + 1] += g                      for i in range(1, n - 1): ct_b[i] = 0.0
        ct_b[i] = 0.0

Input and output: core IR. Accumulations into several neighbours keep a loop from being vectorised, the
collecting form is one store per point. Points that only some neighbours reach, on a rim as wide as the
offsets differ, are added to as before, by narrow loops. What else the nest does follows in a nest of its
own. Done for nests over a box whose accumulations walk along all axes with constant offsets. Non-goals:
nests whose passes depend on each other, strided accesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..analyses.dependence import Dependence
from ..ir.nodes import Accumulate, Block, Dim, For, Function, If, Load, Op, Operand, Stmt, Store, Var
from ..ir.types import INT, grows, is_float
from ..ir.visitor import defined, is_zero_store, makers, operands, with_operands
from ..ops.core import dear
from .clone import clone
from .rewrite import Rewriter
from .rim import Box, Rim, over

NEIGHBOURS = 3  # from so many places on collecting pays


def gather(fn: Function) -> Function:
    """Turn nests that scatter into neighbours around."""
    return _Gathering(fn).run()


@dataclass(eq=False)
class _Target:
    """Accumulations into one array: `axes` has per axis the loop that walks along it, or what stands for an
    index that does not change in the nest; `places` the offset of each accumulation per loop.
    """

    array: Var
    axes: tuple[object, ...]
    places: dict[Accumulate, tuple[int, ...]] = field(default_factory=dict)

    def reach(self) -> tuple[tuple[int, int], ...]:
        """The least and the largest offset per loop."""
        return tuple((min(c), max(c)) for c in zip(*self.places.values(), strict=True))


@dataclass(eq=False)
class _Nest:
    loops: list[For]  # outermost first
    shared: list[Stmt]  # arithmetic of the outer bodies
    body: tuple[Stmt, ...]
    targets: list[_Target]

    def everything(self) -> list[Stmt]:
        return [*self.shared, *self.body]


class _Gathering(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence.about(fn)
        self.cleared: dict[Stmt, _Nest] = {}  # emitted nests that only store zeros, at their own indices

    def visit(self, stmt: Stmt) -> None:
        loop = self.original
        nest = self.nest(loop) if isinstance(loop, For) else None
        if nest is None:
            super().visit(stmt)
            return
        groups: dict[object, list[_Target]] = {}
        for t in nest.targets:
            groups.setdefault(t.reach(), []).append(t)
        for targets in groups.values():
            _Collected(self, nest, targets).emit(self.before(nest, targets))
        self.rest(nest, {s for t in nest.targets for s in t.places})

    # -- which nests
    def nest(self, loop: For) -> _Nest | None:
        loops, shared = [loop], []
        while True:
            inner = [s for s in loops[-1].body.stmts if isinstance(s, For)]
            others = [s for s in loops[-1].body.stmts if not isinstance(s, For)]
            if not self.plain(loops[-1]):
                return None
            if not inner:
                break
            if len(inner) > 1 or not all(isinstance(s, Op | Dim) and s.out.type == INT for s in others):
                return None
            shared += others
            loops.append(inner[0])
        made = _Nest(loops, shared, loops[-1].body.stmts, [])
        inside = {loop.iv for loop in loops} | {v for s in shared for v in defined(s)}
        if any(x in inside for loop in loops for x in (loop.lo, loop.hi)) or not self.simple(made):
            return None
        made.targets = self.targets(made)
        return made if made.targets and self.separable(made) else None

    def plain(self, loop: For) -> bool:
        free = loop.stop is None and loop.trips is None and not loop.args and loop.step == 1
        return free and self.facts.order_free(loop)

    @staticmethod
    def simple(nest: _Nest) -> bool:
        several = sum(isinstance(s, Accumulate) for s in nest.body) >= NEIGHBOURS
        return several and all(isinstance(s, Op | Load | Store | Accumulate | Dim) for s in nest.body)

    def targets(self, nest: _Nest) -> list[_Target]:
        found: dict[Var, _Target] = {}
        spoilt: set[Var] = set()
        for s in nest.body:
            if isinstance(s, Accumulate):
                place = self.place(nest, s)
                if place is None or found.setdefault(s.array, _Target(s.array, place[0])).axes != place[0]:
                    spoilt.add(s.array)
                else:
                    found[s.array].places[s] = place[1]
        outside = self.depth(nest)
        good = []
        for t in found.values():
            others = [
                s.array for s in nest.body if isinstance(s, Load | Store | Accumulate) and s not in t.places
            ]
            apart = not any(self.facts.may_alias(t.array, a, outside) for a in others)
            if t.array not in spoilt and apart and len(set(t.places.values())) >= NEIGHBOURS:
                good.append(t)
        return good

    def place(self, nest: _Nest, s: Accumulate) -> tuple[tuple[object, ...], tuple[int, ...]] | None:
        """What walks along each axis and the offset per loop; None if the accumulation does not walk along
        with the nest.
        """
        if grows(s.array.type) or not is_float(s.value.type):
            return None
        axes: list[object] = []
        offsets: dict[For, int] = {}
        for x in s.index:
            form = self.facts.forms.of(x)
            along = [loop for loop in nest.loops if self.facts.forms.counter(loop) in form.terms]
            if not along:
                axes.append(form.key())
                if isinstance(x, Var) and self.facts.forms.depth(x) > self.depth(nest):
                    return None
                continue
            offset = self.facts.forms.offset(x, along[0])
            if offset is None or along[0] in offsets:
                return None
            axes.append(along[0])
            offsets[along[0]] = offset
        if len(offsets) < len(nest.loops) or any(abs(c) > 4 for c in offsets.values()):
            return None
        return tuple(axes), tuple(offsets[loop] for loop in nest.loops)

    def depth(self, nest: _Nest) -> int:
        return len(self.facts.definitions.place[nest.loops[0]].loops)

    def separable(self, nest: _Nest) -> bool:
        """Whether collecting first and the rest afterwards means the same, and costs little more."""
        moved = [s for t in nest.targets for s in t.places]
        needed = {s: self.needed(nest, [s]) for s in moved}
        counts: dict[Stmt, int] = {}
        for slice_ in needed.values():
            for x in slice_:
                counts[x] = counts.get(x, 0) + 1
        if any(n > 1 and isinstance(s, Op) and dear(s.op, s.out.type) for s, n in counts.items()):
            return False
        if sum(counts.values()) > 4 * len(nest.body):
            return False
        at = {s: k for k, s in enumerate(nest.body)}
        shared = len(self.facts.definitions.place[nest.body[0]].loops)
        effects = [s for s in nest.body if isinstance(s, Store | Accumulate) and s not in needed]
        return not any(
            isinstance(x, Load)
            and at[x] > at[e]
            and self.facts.clash(self.facts.accesses(x)[0], self.facts.accesses(e)[0], shared)
            for x in counts
            for e in effects
        )

    def needed(self, nest: _Nest, wanted_by: list[Stmt]) -> list[Stmt]:
        """What of the nest these statements need, in order, themselves left out."""
        return makers(nest.everything(), (x for s in wanted_by for x in operands(s)))

    # -- the rest of the nest
    def rest(self, nest: _Nest, without: set[Stmt]) -> None:
        effects = [s for s in nest.body if isinstance(s, Store | Accumulate) and s not in without]
        if not effects:
            return
        chosen = [*self.needed(nest, list(effects)), *effects]
        order = [s for s in nest.everything() if s in set(chosen)]
        made = over(self.names, nest.loops, self.box(nest), lambda ivs: self.again(nest, order, ivs))
        self.out.append(made)
        own = [loop.iv for loop in nest.loops]
        if all(is_zero_store(s) and list(s.index) == own for s in order):
            self.cleared[made] = replace(nest, shared=[], body=tuple(order), targets=[])

    def again(self, nest: _Nest, order: Sequence[Stmt], ivs: tuple[Var, ...]) -> list[Stmt]:
        return clone(order, self.mapping(nest, ivs), self.names)

    def mapping(self, nest: _Nest, ivs: tuple[Var, ...]) -> dict[Var, Operand]:
        """What the statements of a nest read, in a nest with other loop variables."""
        return {**self.map, **dict(zip((loop.iv for loop in nest.loops), ivs, strict=True))}

    def box(self, nest: _Nest) -> Box:
        return [(self.get(loop.lo), self.get(loop.hi)) for loop in nest.loops]

    def before(self, nest: _Nest, targets: list[_Target]) -> _Nest | None:
        """A nest over the same box just before this one that sets only targets to zero; it is taken back."""
        last = next(
            (k for k in range(len(self.out) - 1, -1, -1) if not isinstance(self.out[k], Op | Dim)), None
        )
        found = None if last is None else self.cleared.get(self.out[last])
        if found is None or self.box(found) != self.box(nest):
            return None
        if not all(least <= 0 <= most for least, most in targets[0].reach()):
            return None  # what is collected lies partly outside the box
        axes = {self.get(t.array): t.axes for t in targets}
        for s in found.body:
            if not isinstance(s, Store) or axes.get(self.get(s.array)) != tuple(nest.loops):
                return None
        assert last is not None
        del self.out[last]
        return found


class _Collected:
    """Writes the collecting nest and its rims for targets of equal reach."""

    def __init__(self, owner: _Gathering, nest: _Nest, targets: list[_Target]) -> None:
        self.owner, self.nest, self.targets = owner, nest, targets
        self.names, self.forms = owner.names, owner.facts.forms
        self.reach = targets[0].reach()
        self.edge = Rim(owner, [loop.iv.name for loop in nest.loops], nest.loops[0].loc)
        self.new: set[Var] = set()  # targets that hold nothing yet

    def emit(self, zeros: _Nest | None) -> None:
        """`zeros` would have set targets to zero just before, over the same box."""
        boxes = self.owner.box(self.nest)
        inner = [
            (self.edge.plus(lo, most), self.edge.plus(hi, least))
            for (lo, hi), (least, most) in zip(boxes, self.reach, strict=True)
        ]
        if zeros is not None:
            clearing = zeros
            self.new = {self.owner.array_of(s.array) for s in zeros.body if isinstance(s, Store)}
            self.edge.nest(boxes, inner, lambda ivs: self.owner.again(clearing, clearing.body, ivs))
        self.owner.out.append(over(self.names, self.nest.loops, inner, self.collect))
        edges = [
            (self.edge.plus(lo, most - least), self.edge.plus(hi, least - most))
            for (lo, hi), (least, most) in zip(boxes, self.reach, strict=True)
        ]
        self.edge.nest(boxes, edges, lambda ivs: self.scatter(ivs, inner))

    # -- bodies
    def collect(self, ivs: tuple[Var, ...]) -> list[Stmt]:
        kept, self.owner.out = self.owner.out, []
        for t in self.targets:
            total: Operand | None = None
            for s, offset in t.places.items():
                value = self.shifted(s, ivs, offset)
                total = value if total is None else self.edge.op("add", total, value)
            s = next(iter(t.places))
            at = dict(zip(self.nest.loops, ivs, strict=True))
            index = tuple(
                at[loop] if isinstance(loop, For) else self.owner.get(x)
                for x, loop in zip(s.index, t.axes, strict=True)
            )
            assert total is not None
            array = self.owner.array_of(t.array)
            kind = Store if array in self.new else Accumulate
            self.owner.out.append(kind(array, index, total, loc=s.loc))
        made, self.owner.out = self.owner.out, kept
        return made

    def shifted(self, stmt: Accumulate, ivs: tuple[Var, ...], offset: tuple[int, ...]) -> Operand:
        """The value that the pass `offset` before this one adds."""
        mapping: dict[Var, Operand] = {}
        places = {loop.iv: (iv, -c) for loop, iv, c in zip(self.nest.loops, ivs, offset, strict=True)}

        def known(x: Operand) -> Operand:
            if not isinstance(x, Var):
                return x
            if x not in mapping:
                if x.type == INT:
                    self.integer(x, places, mapping)
                if x not in mapping:
                    return self.owner.get(x)
            return mapping[x]

        for s in self.owner.needed(self.nest, [stmt]):
            if all(v in mapping or (v.type == INT and self.integer(v, places, mapping)) for v in defined(s)):
                continue
            new = with_operands(s, known)
            for v in defined(s):
                out = self.names.fresh(v.name, v.type)
                mapping[v] = out
                new = replace(new, out=out)  # type: ignore[call-arg]
            self.owner.out.append(new)
        return known(stmt.value)

    def integer(self, x: Var, places: dict[Var, tuple[Var, int]], mapping: dict[Var, Operand]) -> bool:
        """Write an integer as loop variable plus constant where it is that."""
        for loop in self.nest.loops:
            offset = self.forms.offset(x, loop)
            if offset is not None:
                iv, c = places[loop.iv]
                mapping[x] = self.edge.plus(iv, offset + c)
                return True
        return False

    def scatter(self, ivs: tuple[Var, ...], inner: Box) -> list[Stmt]:
        """The accumulations as they were, as far as they do not reach the collecting nest."""
        kept, self.owner.out = self.owner.out, []
        mapping = self.owner.mapping(self.nest, ivs)
        moved: list[Stmt] = [s for t in self.targets for s in t.places]
        self.owner.out += clone(self.owner.needed(self.nest, moved), mapping, self.names)
        for t in self.targets:
            for s, offset in t.places.items():
                inside: Operand | None = None
                for iv, c, (lo, hi) in zip(ivs, offset, inner, strict=True):
                    at = self.edge.plus(iv, c)
                    for test in (self.edge.compare("le", lo, at), self.edge.compare("lt", at, hi)):
                        inside = test if inside is None else self.edge.compare("and", inside, test)
                assert inside is not None
                added = Block(tuple(clone([s], mapping, self.names)))
                self.owner.out.append(If(inside, Block(), added, (), loc=s.loc))
        made, self.owner.out = self.owner.out, kept
        return made
