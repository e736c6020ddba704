"""Loops under `checkpoint`: each runs on arrays of its own, before a call that its derivative goes through.

    for t in range(n):               w = u.copy(); start = u.copy()
        checkpointed_passes(20)      for t in range(n):
        u[1:] += u[:-1]         =>       w[1:] += w[:-1]
                                     passes_again(u, w, start, …)     copies w to u

Input: a function in which a `MARK` among the statements of a loop's body asks for it. Output: the function
without marks. Invariants: arrays hold after the loop what they held without the mark; names that
exchange their arrays do so. Non-goals: what the call does (`passes_again`); lists that grow in the loop,
intermediates and random draws in it, which are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

from ...errors import AdjitError, NotDifferentiableError, OverwriteError, UnsupportedSyntaxError
from ..analyses.alias import roots
from ..analyses.effects import lasting, writes
from ..ir.builder import Builder, Names, const
from ..ir.nodes import Block, Call, For, Function, Mark, Operand, Reshape, Stmt, Var, View, While
from ..ir.types import INT, Array
from ..ir.visitor import blocks, defined, free_vars, renamer, substitute, walk, with_blocks
from ..library.core import Routine, register
from ..passes.clone import clone, mapped, renamed
from . import checkpoints, passes_again, reverse, schedule
from .copying import copied, shape_of
from .keeping import Keeping, Online, Planned
from .states import States

MARK = register(Routine("checkpointed_passes", (), ())).name

Loop = For | While


def mark(b: Builder, snapshots: Operand | None) -> None:
    """Ask for it, in the body of a loop."""
    b.call(MARK, *(() if snapshots is None else (snapshots,)))


def unmarked(fn: Function) -> Function:
    """The function with plain loops."""
    return replace(fn, body=_without_marks(fn.body)) if any(map(_is_mark, walk(fn.body))) else fn


def converted(fn: Function) -> Function:
    """The function whose marked loops are run again in pieces."""
    while (loop := _innermost(fn.body)) is not None:
        fn = _Conversion(fn, loop).function()
    return fn


def nesting(fn: Function) -> list[Loop]:
    """The loops that it may pay to checkpoint, in the order of the program: the outermost ones, and those in
    them that have loops inside.
    """
    found: list[Loop] = []

    def visit(block: Block, outermost: bool) -> None:
        for s in block.stmts:
            loop = isinstance(s, For | While)
            if loop and (outermost or _has_loops(s)):
                found.append(s)  # type: ignore[arg-type]
            for inner in blocks(s):
                visit(inner, outermost and not loop)

    visit(fn.body, True)
    return found


def saving(fn: Function, wrt: Sequence[int], seeded: Sequence[int]) -> list[int]:
    """Those of the loops of `nesting`, by their number, inside which the gradient saves something."""
    made, loops = reverse.saving(fn, wrt, seeded)
    return [k for k, loop in enumerate(nesting(made)) if loop in loops]


def _has_loops(stmt: Stmt) -> bool:
    return any(isinstance(s, For | While) for inner in blocks(stmt) for s in walk(inner))


def checkpointed(fn: Function, choice: Mapping[int, Operand]) -> Function:
    """The function in which some loops, by their number in `nesting`, have so many snapshots."""
    loops = nesting(fn)
    wanted = {loops[k]: n for k, n in choice.items()}

    def block(inner: Block) -> Block:
        return Block(tuple(map(one, inner.stmts)), inner.yields)

    def one(stmt: Stmt) -> Stmt:
        new = with_blocks(stmt, block)
        if stmt in wanted and isinstance(new, For | While):
            asked = Call(MARK, (wanted[stmt],), loc=stmt.loc)
            return replace(new, body=Block((asked, *new.body.stmts), new.body.yields))
        return new

    return converted(replace(fn, body=block(fn.body)))


def _is_mark(stmt: Stmt) -> bool:
    return isinstance(stmt, Call) and stmt.name == MARK


def _without_marks(block: Block) -> Block:
    stmts = tuple(with_blocks(s, _without_marks) for s in block.stmts if not _is_mark(s))
    return Block(stmts, block.yields)


def _innermost(block: Block) -> Loop | None:
    """A marked loop without marked loops inside."""
    for stmt in block.stmts:
        for inner in blocks(stmt):
            if (found := _innermost(inner)) is not None:
                return found
        if isinstance(stmt, For | While) and any(map(_is_mark, stmt.body.stmts)):
            return stmt
    return None


class _Conversion:
    """One loop of a function."""

    def __init__(self, fn: Function, loop: Loop) -> None:
        self.fn, self.loop = fn, loop
        self.memory = roots(fn)
        self.definition = {v: s for s in walk(fn.body) for v in defined(s)}
        (self.mark,) = (s for s in loop.body.stmts if _is_mark(s))
        self.body = _without_marks(loop.body)
        arrays = [k for k, a in enumerate(loop.args) if isinstance(a.type, Array)]
        self.ends_early = isinstance(loop, While) or loop.stop is not None
        self.numbers = [k for k in range(len(loop.args)) if k not in arrays]
        self.names = arrays
        self.refuse()
        self.order = self.exchange()
        self.inits = [v for k in arrays if isinstance(v := loop.inits[k], Var)]
        self.bases: list[Var] = []  # arrays from outside that passes write
        self.parts: dict[Stmt, None] = {}  # the statements behind views of them
        for v in self.written_outside():
            self.follow(v)
        self.own = [*self.inits, *self.bases]
        self.refuse_overlaps()
        self.b = Builder(Names.above(fn), loop.loc)

    # -- what cannot be
    def error(
        self, cls: type[AdjitError], what: str, why: str, hint: str, at: Stmt | None = None
    ) -> NoReturn:
        raise cls(what, (at or self.loop).loc, why, hint)

    def refuse(self) -> None:
        loop = self.loop
        for s in walk(self.body):
            if isinstance(s, Mark):
                what = f"the intermediate `{s.name}` is assigned in a checkpointed loop"
                why = "what a pass computes is there for one pass at a time"
                self.error(NotDifferentiableError, what, why, "leave `checkpoint` out, or the name", s)
            if lasting(s):
                what = "a checkpointed loop draws random numbers, seeds them or prints"
                why = "the reverse sweep runs its passes again"
                self.error(UnsupportedSyntaxError, what, why, "draw the numbers before the loop", s)
        for v in (*loop.args, *self.read()):
            if isinstance(v.type, Array) and v.type.growing:
                what = "a checkpointed loop uses a list whose length is known at run time only"
                why = "the states that it keeps have one size"
                self.error(UnsupportedSyntaxError, what, why, "use an array of the length it will have")

    def exchange(self) -> tuple[int, ...]:
        """Which of the arrays each name has after a pass."""
        arrays = [self.loop.args[k] for k in self.names]
        yields = [self.loop.body.yields[k] for k in self.names]
        if set(yields) != set(arrays):
            self.error(
                OverwriteError,
                "a checkpointed loop exchanges arrays under a condition or in a loop of its own",
                "which names they have must be the same in each pass",
                "copy the contents (`a[:] = b`) instead of exchanging the names",
            )
        return tuple(arrays.index(y) for y in yields if isinstance(y, Var))

    def refuse_overlaps(self) -> None:
        called = [*(self.loop.args[k].name for k in self.names), *(v.name for v in self.bases)]
        for k, a in enumerate(self.own):
            for j, other in enumerate(self.own[:k]):
                loop = self.definition.get(a)
                apart = isinstance(loop, For | While) and self.definition.get(other) is loop
                if a is other or not (apart or self.memory[a].isdisjoint(self.memory[other])):
                    self.error(
                        OverwriteError,
                        f"`{called[j]}` and `{called[k]}` may share memory in a checkpointed loop",
                        "the loop runs on copies of the arrays that it writes, each by itself",
                        f"copy `{called[k]}` before the loop",
                    )

    def require_equal_shapes(self) -> None:
        """Of arrays that take each other's place: a state has room for each name."""
        called = [self.loop.args[k].name for k in self.names]
        for k, other in enumerate(self.order):
            shapes = (shape_of(self.b, v) for v in (self.inits[k], self.inits[other]))
            for x, y in zip(*shapes, strict=True) if k != other else ():
                self.b.check(
                    self.b.op("eq", x, y),
                    OverwriteError.__name__,
                    f"`{called[k]}` and `{called[other]}`, which a checkpointed loop exchanges, have "
                    "different shapes: {} and {} along one axis",
                    x,
                    y,
                    remedy="copy the contents (`a[:] = b`), or leave `checkpoint` or max_bytes out",
                )

    # -- what the loop works on
    def read(self) -> list[Var]:
        """What passes and condition read from outside."""
        loop = self.loop
        own = {loop.iv, *loop.args} if isinstance(loop, For) else set(loop.args)
        inner = [self.body] if isinstance(loop, For) else [self.body, loop.cond]
        return [v for v in dict.fromkeys(v for block in inner for v in free_vars(block)) if v not in own]

    def written_outside(self) -> Iterator[Var]:
        """Arrays from outside whose memory passes write or exchange."""
        touched = {r for s in walk(self.body) for a in writes(s) for r in self.memory[a]}
        touched.update(r for v in self.inits for r in self.memory[v])
        for v in self.read():
            if isinstance(v.type, Array) and not touched.isdisjoint(self.memory[v]):
                yield v

    def follow(self, v: Var) -> None:
        """The array that `v` is a part of, and how."""
        stmt = self.definition.get(v)
        if isinstance(stmt, View | Reshape):
            self.follow(stmt.array)
            self.parts.setdefault(stmt)
        elif v not in self.bases:
            self.bases.append(v)

    def step(self) -> Function:
        """One pass; see `passes_again.Passes`."""
        loop, b = self.loop, self.b
        iv = loop.iv if isinstance(loop, For) else b.fresh("k", INT)
        carried = [loop.args[k] for k in (*self.numbers, *self.names)]
        body = Block((*self.parts, *self.body.stmts))
        yields = tuple(self.body.yields[k] for k in (*self.numbers, *self.names))
        state = (iv, *carried, *self.bases)
        given = dict.fromkeys((*free_vars(body), *(y for y in yields if isinstance(y, Var))))
        inside = {*state, *(v for s in walk(body) for v in defined(s))}
        self.constants = [v for v in given if v not in inside]
        return Function(f"{self.fn.name}_pass", (*state, *self.constants), body, yields, loop.loc)

    # -- the loop and the call
    def function(self) -> Function:
        b, loop = self.b, self.loop
        self.require_equal_shapes()
        stride = loop.step if isinstance(loop, For) else 1
        of = passes_again.passes(self.step(), len(self.numbers), self.order, len(self.bases), stride)
        start = [copied(b, a) for a in self.own]
        work = [copied(b, a) for a in self.own]
        counted = None if self.ends_early else self.trips()
        slots = schedule.slots(b, counted, self.snapshots)
        entry = self.state(of, [*(loop.inits[k] for k in self.numbers), *self.own])
        states = States.room(b, slots, entry, of.step.params)
        states.keep(b, const(0), const(0), entry)
        keeping: Keeping = Online(b, states, slots) if counted is None else Planned(b, states, slots, counted)
        passes, outs, carried = self.forward(of, dict(zip(self.own, work, strict=True)), keeping)
        used = keeping.used(passes, carried)
        first = loop.lo if isinstance(loop, For) else const(0)
        numbers = [loop.inits[k] for k in self.numbers]
        arguments = [passes, slots, first, *numbers, *start, *self.constants, used, *states]
        targets = dict(enumerate(self.own, len(numbers)))
        found = checkpoints.emit(b, passes_again.loop(of), arguments, [*outs, *work], targets)
        new: dict[Var, Operand] = {loop.outs[k]: x for k, x in zip(self.numbers, found, strict=False)}
        named = passes_again.exchanged(b, passes, self.order, self.inits)
        new.update((loop.outs[k], v) for k, v in zip(self.names, named, strict=True))
        if loop.trips is not None:
            new[loop.trips] = passes
        body = substitute(self.in_place(self.fn.body), renamer(new))
        results = tuple(mapped(r, new) for r in self.fn.results)
        return replace(self.fn, body=body, results=results, notes=(*self.fn.notes, self.note()))

    @property
    def snapshots(self) -> Operand | None:
        return self.mark.args[0] if isinstance(self.mark, Call) and self.mark.args else None

    def note(self) -> str:
        """What the header of generated text says of it."""
        asked = self.snapshots
        if asked is None:
            count = str(schedule.ROOM) if self.ends_early else "some"
        else:
            count = asked.name if isinstance(asked, Var) else str(asked.value)
        return f"line {self.loop.loc.line}: passes are run again, from {count} kept states besides the first"

    def trips(self) -> Operand:
        assert isinstance(self.loop, For)
        return self.b.op("trips", self.loop.lo, self.loop.hi, const(self.loop.step), hint="passes")

    def state(self, of: passes_again.Passes, carried: Sequence[Operand]) -> dict[int, Operand]:
        """What is kept of a state, by the parameters of a pass."""
        return {k: carried[k - 1] for k in of.state}

    def forward(
        self, of: passes_again.Passes, mapping: dict[Var, Operand], keeping: Keeping
    ) -> tuple[Operand, list[Operand], list[Operand]]:
        """The loop on arrays of its own, which keeps states: how many passes it makes, the numbers that it
        arrives at, those of the keeping.
        """
        b, loop = self.b, self.loop
        mapping = dict(mapping)
        for s in clone(list(self.parts), mapping, b.names):
            b.emit(s)
        args = tuple(b.fresh(name, INT) for name in keeping.names)
        outs = tuple(b.fresh(name, INT) for name in keeping.names)
        carried = [loop.args[k] for k in (*self.numbers, *self.names)]
        with b.block() as stmts:
            new = keeping.before_pass(self.number(), self.state(of, [*carried, *self.bases]), args)
        trips = b.fresh("passes", INT) if self.ends_early else None
        kept = replace(
            loop,
            args=(*loop.args, *args),
            inits=(*loop.inits, *keeping.inits()),
            body=Block((*stmts, *self.body.stmts), (*self.body.yields, *new)),
            outs=(*loop.outs, *outs),
            trips=trips,
        )
        if isinstance(kept, For):  # each pass is told by the one before whether it is kept
            kept = replace(kept, independent=False, promised=False)
        (run,) = clone([kept], mapping, b.names)
        b.emit(run)
        passes = self.trips() if trips is None else renamed(trips, mapping)
        return (
            passes,
            [mapped(loop.outs[k], mapping) for k in self.numbers],
            [mapped(v, mapping) for v in outs],
        )

    def number(self) -> Operand:
        """That of the pass; of a `while`, nobody asks for it."""
        b, loop = self.b, self.loop
        if not isinstance(loop, For):
            return const(0)
        away = b.op("sub", loop.iv, loop.lo)
        return away if loop.step == 1 else b.op("floordiv", away, const(loop.step), hint="number")

    def in_place(self, block: Block) -> Block:
        """The block with the new statements where the loop stood."""
        stmts: list[Stmt] = []
        for s in block.stmts:
            stmts.extend(self.b.stmts if s is self.loop else [with_blocks(s, self.in_place)])
        return Block(tuple(stmts), block.yields)


__all__ = ["checkpointed", "converted", "mark", "nesting", "saving", "unmarked"]
