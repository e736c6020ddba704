"""States that a loop would copy into a buffer of saved values are computed there.

    for t in range(T):                          saved[0], saved[T + 1] = a, b
        saved[t] = a                            for t in range(T):
        for i in range(1, n - 1):                   a, new = saved[t], saved[t + 1]
            b[i] = f(a[i - 1], a[i + 1])    =>      old = saved[t - 1 if t >= 1 else T + 1]
        a, b = b, a                                 new[0], new[n - 1] = old[0], old[n - 1]
                                                    for i in range(1, n - 1):
                                                        new[i] = f(a[i - 1], a[i + 1])
                                                a, b = saved[T], saved[T - 1 if T >= 1 else T + 1]

Input and output: core IR that is not differentiated again. The loop carries arrays that change places; of
each pass one is saved, and another, which the pass does not read, takes its place in the next. Or a nest
changes the saved array in place, as the last to touch it in the pass. Only what a pass leaves of the old
contents is copied: the part outside a box that a nest fills. Done for loops of the outermost block, over
memory that nobody else looks at. Non-goal: arrays that several nests change in place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..analyses.affine import Affine
from ..analyses.dependence import Dependence
from ..ir.builder import Builder, const
from ..ir.nodes import (
    Accumulate,
    Alloc,
    Block,
    Bounds,
    Check,
    Dim,
    For,
    Function,
    Load,
    Op,
    Operand,
    Slice,
    Stmt,
    Store,
    Var,
    View,
)
from ..ir.types import Scalar
from ..ir.visitor import every_block, operands, substitute, walk, without
from .rewrite import Rewriter
from .rim import Box, Rim


def history(fn: Function) -> Function:
    """Compute saved states where they are saved."""
    if not any(map(_copies, every_block(fn.body))):
        return fn
    facts = Dependence(fn)
    found = [h for s in fn.body.stmts if isinstance(s, For) for h in _Finder(facts, s).all()]
    return _Writing(fn, found).run() if found else fn


def _copies(block: Block) -> bool:
    """Whether a block stores what it has just loaded."""
    loaded = {s.out for s in block.stmts if isinstance(s, Load)}
    return any(isinstance(s, Store) and s.value in loaded for s in block.stmts)


Copy = tuple[Load, Store]


@dataclass(eq=False)
class _History:
    """`copy` saves the state `group[0]`; `group[k]` takes the place of `group[k - 1]` in the
    next pass, so that `group[1]` becomes the next state; a group of one is changed in place. `filled` stores
    to the next state all over a box: per axis the loop that walks along it and what is added to its variable.
    """

    loop: For
    copy: Copy
    saved: Alloc
    group: list[Var]
    filled: tuple[tuple[For, int], ...]


class _Finder:
    """The histories of one loop."""

    def __init__(self, facts: Dependence, loop: For) -> None:
        self.facts, self.forms, self.loop = facts, facts.forms, loop
        self.maker = facts.definitions.maker

    def all(self) -> list[_History]:
        loop = self.loop
        if loop.stop is not None or loop.trips is not None or loop.step != 1:
            return []
        made = [self.of(s, *c) for s in loop.body.stmts if isinstance(s, For) for c in self.copied(s)]
        return [h for h in made if h is not None]

    def of(self, nest: For, copy: Copy, saved: Alloc, state: Var) -> _History | None:
        if state not in self.loop.args:
            filled = (
                self.changed(nest, state) if not self.forms.depth(state) and self.alone([state]) else None
            )
            return None if filled is None else _History(self.loop, copy, saved, [state], filled)
        group = self.group(state)
        if group is None or not (self.untouched(group) and self.alone(group)):
            return None
        filled = next((f for s in self.loop.body.stmts for f in [self.fills(s, group[1])] if f), None)
        return None if filled is None else _History(self.loop, copy, saved, group, filled)

    # -- the copy
    def copied(self, nest: For) -> list[tuple[Copy, Alloc, Var]]:
        """Buffers and arrays, if the nest puts all of the arrays in the pass's places of the buffers."""
        loops: list[For] = []
        stmts: tuple[Stmt, ...] = (nest,)
        while len(stmts) == 1 and isinstance(stmts[0], For) and not stmts[0].args and stmts[0].stop is None:
            loops.append(stmts[0])
            stmts = stmts[0].body.stmts
        ivs = tuple(loop.iv for loop in loops)
        loads = {s.out: s for s in stmts if isinstance(s, Load)}
        found: list[tuple[Copy, Alloc, Var]] = []
        for s in stmts if all(isinstance(s, Load | Store) for s in stmts) else ():
            load = loads.get(s.value) if isinstance(s, Store) and isinstance(s.value, Var) else None
            if load is None or load.index != ivs or s.index[1:] != ivs:  # type: ignore[attr-defined]
                continue
            assert isinstance(s, Store)
            saved, state = self.maker.get(s.array), load.array
            if not isinstance(saved, Alloc) or not self.covers(loops, state):
                continue
            if self.only(saved, s) and self.counted(saved, s.index[0], state):
                found.append(((load, s), saved, state))
        return found

    def covers(self, loops: list[For], state: Var) -> bool:
        whole = (self.forms.dim(state, d) for d in range(len(loops)))
        return all(
            loop.step == 1
            and self.same(loop.lo, const(0))
            and (self.forms.of(loop.hi).same(n) or self.checked(loops[0], self.forms.of(loop.hi), n))
            for loop, n in zip(loops, whole, strict=True)
        )

    def checked(self, nest: For, m: Affine, n: Affine) -> bool:
        """Whether the pass has checked, before the nest, that two lengths are equal."""
        stmts = self.loop.body.stmts
        tests = [self.maker.get(s.cond) for s in stmts[: stmts.index(nest)] if isinstance(s, Check)]  # type: ignore[arg-type]
        pairs = [tuple(map(self.forms.of, t.args)) for t in tests if isinstance(t, Op) and t.op == "eq"]
        return any((a.same(m) and b.same(n)) or (a.same(n) and b.same(m)) for a, b in pairs)

    def counted(self, saved: Alloc, place: Operand, state: Var) -> bool:
        """Whether the buffer has one place of the state's shape per pass, and `place` is the pass's."""
        loop, n = self.loop, saved.shape[0]
        trips = self.maker.get(n) if isinstance(n, Var) else None
        first = loop.inits[loop.args.index(state)] if state in loop.args else state
        made = self.maker.get(first) if isinstance(first, Var) else None
        return (
            isinstance(trips, Op)
            and trips.op == "trips"
            and all(self.same(a, b) for a, b in zip(trips.args, (loop.lo, loop.hi, const(1)), strict=True))
            and self.forms.of(place).same(self.forms.of(loop.iv) - self.forms.of(loop.lo))
            and isinstance(made, Alloc)
            and len(made.shape) == len(saved.shape) - 1
            and all(self.same(a, b) for a, b in zip(made.shape, saved.shape[1:], strict=True))
        )

    def same(self, a: Operand, b: Operand) -> bool:
        return self.forms.of(a).same(self.forms.of(b))

    def only(self, saved: Alloc, store: Stmt) -> bool:
        """Whether nothing else writes the buffer, which stays inside the function."""
        roots = self.facts.roots
        writes = self.facts.writes.get(saved.out, [])
        inside = all(saved.out not in roots.get(r, ()) for r in self.facts.fn.results if isinstance(r, Var))
        reads = [s for s in walk(self.loop.body) if saved.out in operands(s)]
        return inside and [w.stmt for w in writes] == [store] and reads == [store]

    # -- the arrays that change places
    def group(self, state: Var) -> list[Var] | None:
        """The arrays that change places with `state`, all different and of one shape."""
        loop, found = self.loop, [state]
        while (after := loop.body.yields[loop.args.index(found[-1])]) is not state:
            if after not in loop.args or not isinstance(after, Var) or after in found:
                return None
            found.append(after)
        made = [self.maker.get(self.init(v)) for v in found]
        first = made[0]
        if not isinstance(first, Alloc) or len(found) < 2 or not self.facts.distinct(loop):
            return None
        for m in made:
            if not isinstance(m, Alloc) or m.out.type != first.out.type:
                return None
            if not all(self.same(a, b) for a, b in zip(m.shape, first.shape, strict=True)):
                return None
        return found

    def init(self, v: Var) -> Var:
        first = self.loop.inits[self.loop.args.index(v)]
        assert isinstance(first, Var)
        return first

    def untouched(self, group: list[Var]) -> bool:
        """Whether the loop writes none of the group but the second, which it does not read."""
        for s in walk(self.loop.body):
            used = [v for v in group if v in operands(s)]
            if used == [group[1]]:
                if not isinstance(s, Store | Dim | Bounds):
                    return False
            elif used and not isinstance(s, Load | Dim | Bounds):
                return False
        return True

    def alone(self, group: list[Var]) -> bool:
        """Whether the memory of the group is seen after the loop only through what the loop leaves, and is
        not written any more.
        """
        place, roots, fn = self.facts.definitions.place, self.facts.roots, self.facts.fn
        memory = {r for v in group for r in roots[v]}
        if any(not memory.isdisjoint(roots.get(r, ())) for r in fn.results if isinstance(r, Var)):
            return False
        order = place[self.loop].order
        before = {v for v, found in roots.items() if found & memory and self.older(v, order)}
        if len(group) == 1 and group[0] not in self.loop.args:
            before -= {*group}  # its name goes on to the last state
            if before:
                return False
        for s in self.facts.definitions.stmts:
            if place[s].order > order and not self.facts.definitions.inside(s, self.loop):
                if any(x in before for x in operands(s)):
                    return False
                if any(a.write and not memory.isdisjoint(roots[a.array]) for a in self.facts.accesses(s)):
                    return False
        return True

    def older(self, v: Var, order: int) -> bool:
        made = self.maker.get(v)
        return made is None or (made is not self.loop and self.facts.definitions.place[made].order < order)

    def changed(self, copying: For, state: Var) -> tuple[tuple[For, int], ...] | None:
        """The same for a nest that changes `state` in place, which each of its passes reads at most where it
        writes; nothing touches the array later in the pass, or writes it earlier.
        """
        stmts = self.loop.body.stmts
        touching = [s for s in stmts if any(state in operands(t) for t in walk(Block((s,))))]
        nest = touching[-1]
        inside = [t for t in walk(Block((nest,))) if state in operands(t)]
        writes = [t for t in inside if isinstance(t, Store | Accumulate)]
        if len(writes) != 1 or stmts.index(copying) > stmts.index(nest):
            return None
        for s in touching[:-1]:
            if not all(isinstance(t, Load | Dim | Bounds) for t in walk(Block((s,))) if state in operands(t)):
                return None
        place = self.facts.definitions.place
        for t in inside:
            if isinstance(t, Load):
                here = place[t].loops == place[writes[0]].loops and place[t].order < place[writes[0]].order
                if not here or not all(
                    self.same(i, j) for i, j in zip(t.index, writes[0].index, strict=True)
                ):
                    return None
            elif t is not writes[0]:
                return None
        return self.fills(nest, state)

    def fills(self, stmt: Stmt, target: Var) -> tuple[tuple[For, int], ...] | None:
        """Per axis the loop of a nest that writes `target` at all of a box, known before the loop."""
        loops: list[For] = []
        while isinstance(stmt, For) and stmt.stop is None and stmt.step == 1:
            loops.append(stmt)
            inner = [s for s in stmt.body.stmts if isinstance(s, For)]
            if not inner:
                break
            stmt = inner[0]
        if not loops or any(self.forms.depth(x) for x in self.bounds(loops)):
            return None
        for s in loops[-1].body.stmts:
            if isinstance(s, Store | Accumulate) and s.array is target:
                walks = [w for x in s.index for w in [self.walk(loops, x)] if w is not None]
                if len({loop for loop, _ in walks}) == len(loops) == len(s.index) == len(walks):
                    return tuple(walks)
        return None

    def walk(self, loops: list[For], x: Operand) -> tuple[For, int] | None:
        """The loop whose variable an index is, and what is added to it."""
        found = ((loop, self.forms.offset(x, loop)) for loop in loops)
        return next(((loop, c) for loop, c in found if c is not None), None)

    @staticmethod
    def bounds(loops: list[For]) -> list[Var]:
        return [x for loop in loops for x in (loop.lo, loop.hi) if isinstance(x, Var)]


class _Writing(Rewriter):
    def __init__(self, fn: Function, found: list[_History]) -> None:
        super().__init__(fn)
        self.found = found
        self.buffers = {h.saved for h in found}
        self.next: dict[Var, Var] = {}  # states that are changed in place, and where the change goes

    def visit(self, stmt: Stmt) -> None:
        original = self.original
        mine = [h for h in self.found if h.loop is original]
        if isinstance(stmt, Alloc) and original in self.buffers:
            group = next(h.group for h in self.found if h.saved is original)
            more = self.op("add", stmt.shape[0], const(len(group)), hint="states", loc=stmt.loc)
            self.out.append(replace(stmt, shape=(more, *stmt.shape[1:])))
        elif mine:
            assert isinstance(stmt, For)
            self.rewritten(stmt, mine)
        elif isinstance(stmt, Store) and stmt.array in self.next:
            self.out.append(replace(stmt, array=self.next[stmt.array]))
        elif isinstance(stmt, Accumulate) and stmt.array in self.next:
            old = self.names.fresh(stmt.array.name, Scalar(stmt.array.type.dtype))
            self.out.append(Load(old, stmt.array, stmt.index, loc=stmt.loc))
            total = self.op("add", old, stmt.value, hint=old.name, loc=stmt.loc)
            self.out.append(Store(self.next[stmt.array], stmt.index, total, loc=stmt.loc))
        else:
            super().visit(stmt)

    def rewritten(self, loop: For, found: list[_History]) -> None:
        """Emit the loop over states in their buffers."""
        start: list[Stmt] = []
        views: dict[Var, Operand] = {}
        for h in found:
            b = Builder(self.names, loop.loc)
            for k, v in enumerate(h.group):
                first = loop.inits[loop.args.index(v)] if v in loop.args else self.get(v)
                assert isinstance(first, Var)
                self.copy(b, first, h, (self.place(b, h, const(0), k),))
            self.out += b.stmts
            start += self.states(h, loop, views)
        gone = [k for k, v in enumerate(loop.args) if v in views]
        rest = replace(
            without(loop.body, {s for h in found for s in h.copy}),
            yields=tuple(y for k, y in enumerate(loop.body.yields) if k not in gone),
        )
        inner = self.block(substitute(rest, lambda x: views.get(x, x) if isinstance(x, Var) else x))
        kept = [[x for k, x in enumerate(xs) if k not in gone] for xs in (loop.args, loop.inits, loop.outs)]
        args, inits, outs = map(tuple, kept)
        body = Block((*start, *inner.stmts), inner.yields)
        self.out.append(replace(loop, args=args, inits=inits, outs=outs, body=body))  # type: ignore[arg-type]
        for h in found:
            b = Builder(self.names, loop.loc)
            trips = h.saved.shape[0]
            for k, v in enumerate(h.group):
                out = loop.outs[loop.args.index(v)] if v in loop.args else v
                self.equate(out, self.view(b, h, self.place(b, h, self.get(trips), k), out.name))
            self.out += b.stmts

    def states(self, h: _History, loop: For, views: dict[Var, Operand]) -> list[Stmt]:
        """The start of a pass: views of the states, and what the next one keeps of the oldest."""
        b = Builder(self.names, loop.loc)
        number = b.op("sub", loop.iv, loop.lo, hint="number")
        made = [self.view(b, h, self.place(b, h, number, k), v.name) for k, v in enumerate(h.group)]
        new = self.view(b, h, b.op("add", number, const(1), hint="next"), h.group[-1].name)
        views.update({v: new if k == 1 else made[k] for k, v in enumerate(h.group)})
        if len(h.group) == 1:
            self.next[made[0]] = new
        kept, self.out = self.out, b.stmts
        self.leave(h, made[1 % len(made)], new)
        stmts, self.out = self.out, kept
        return stmts

    def copy(self, b: Builder, source: Var, h: _History, index: tuple[Operand, ...]) -> None:
        """Put an array in its place in the buffer."""
        axis = len(index)
        if axis > len(h.filled):
            b.store(h.saved.out, index, b.load(source, index[1:]))
            return
        with b.loop(const(0), self.get(h.saved.shape[axis]), h.filled[axis - 1][0].iv.name) as i:
            self.copy(b, source, h, (*index, i))

    def place(self, b: Builder, h: _History, number: Operand, k: int) -> Operand:
        """Where `group[k]` is at the start of a pass: so many states before the current one, those from
        before the loop last.
        """
        if k == 0:
            return number
        before = len(h.group) - k
        at = b.op("sub", number, const(before), hint="before")
        wrapped = b.op("add", at, b.op("add", self.get(h.saved.shape[0]), const(len(h.group))), hint="before")
        return b.op("select", b.op("ge", number, const(before)), at, wrapped, hint="before")

    def view(self, b: Builder, h: _History, number: Operand, name: str) -> Var:
        axes = tuple(Slice(d + 1, const(0), self.get(n), const(1)) for d, n in enumerate(h.saved.shape[1:]))
        out = self.names.fresh(name, h.group[0].type)
        b.emit(View(out, h.saved.out, axes, ((0, number),), loc=b.loc))
        return out

    def leave(self, h: _History, old: Var, new: Var) -> None:
        """Copy what the pass does not store."""
        box: Box = [(const(0), self.get(n)) for n in h.saved.shape[1:]]
        edge = Rim(self, [loop.iv.name for loop, _ in h.filled], h.copy[0].loc)
        inner: Box = [
            (edge.plus(self.get(loop.lo), c), edge.plus(self.get(loop.hi), c)) for loop, c in h.filled
        ]

        def one(ivs: tuple[Var, ...]) -> list[Stmt]:
            v = self.names.fresh(old.name, Scalar(old.type.dtype))
            return [Load(v, old, ivs, loc=h.copy[0].loc), Store(new, ivs, v, loc=h.copy[0].loc)]

        edge.nest(box, inner, one)
