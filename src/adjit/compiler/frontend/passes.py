"""One loop of core IR from a walk of its body: what each name carries from pass to pass is found by trying.

Input: a `Loop`: its header, its body as a walk, the names that it assigns. Output: a `For` or `While`, names
rebound to its results. The body is walked into a block that is thrown away until the types at its end agree
with those at its start. Numbers widen; names that permute arrays carry references; a name that is bound to a
new array in each pass gets storage of its own, into which the pass copies at its end. Invariants: as in
`branches`. Non-goals: what is iterated over (`loops`), loops that are unrolled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ...errors import AdjitError, InferenceError, OverwriteError
from ..ir.builder import const
from ..ir.nodes import Block, Const, For, Operand, Var, While
from ..ir.types import INT, Array, Scalar
from . import carry, exchanges, growth, sharing
from .arrays import copy_into, full
from .arrays.linear import equal
from .blocks import (
    Key,
    arrays_in,
    copy_all,
    freeze,
    hoisted,
    is_own,
    names_now,
    outside,
    require_lengths,
    thawed,
)
from .branches import either
from .carry import Copies, missing
from .loop import ActiveLoop, Conditional, Counted, Loop, Unrollable
from .plan import Guess, Plan, chooses, exchanged, has_storage, started, widened, without_references
from .scope import last_binding
from .slots import GUESS, Items, Listed, Mixed, Optional_, Part, Place, Reference, Same, Slot, Storage
from .values import ArrayValue, Item, ListValue, Maybe, ScalarValue, Static, Undefined, Value, VirtualArray

if TYPE_CHECKING:
    from .specialise import Specialiser

LIMIT = 24
CHANGES = "changes its length from one pass of the loop to the next"
FULL_LENGTH = "make an array of the full length before the loop and write a part of it, V[:n] = …, or append \
to a list that is stacked after the loop, np.concatenate(parts)"


def run(ctx: Specialiser, loop: Loop) -> None:
    """Emit the loop."""

    plan = started(ctx, loop)
    apart: frozenset[Key] = frozenset()
    for _ in range(LIMIT):
        attempt = _Attempt(ctx, loop, plan, apart)
        if attempt.walk():
            ctx.plans[loop.key(ctx)] = {k[1]: s for k, s in plan.items() if k[0] is ctx.frame}
            return
        plan, apart = attempt.next, attempt.apart
    ctx.error(InferenceError, "no types can be found for the variables of this loop")


class _Attempt:
    """One walk of the body under a plan; `next` is the plan to try after a failure. Names that see one list
    or object before the loop do so in each pass, but for those in `apart`.
    """

    def __init__(self, ctx: Specialiser, loop: Loop, plan: Plan, apart: frozenset[Key]) -> None:
        self.ctx, self.loop, self.plan = ctx, loop, dict(plan)
        self.next: Plan = dict(plan)
        self.before = names_now(ctx)
        self.apart, self.first = apart, sharing.leaders(self.before, apart)
        self.scope = ctx.b.scopes[-1]
        self.places: dict[Key, list[Place]] = {}
        self.inits: dict[Key, list[Operand]] = {}
        self.args: dict[Key, list[Var]] = {}
        self.entry: dict[Key, Value | None] = {}
        self.ends: dict[Key, Value | None] = {}
        self.joined: set[Key] = set()  # names that come to see one list or object in a pass

    def walk(self) -> bool:
        ctx = self.ctx
        kept = ctx.snapshot()
        with ctx.b.block():
            pre = ctx.b.scopes[-1]
            done = self.inside()
        if not done:
            ctx.restore(kept)
            return False
        now = ctx.b.scopes[-1]
        now.stmts.extend(pre.stmts)
        now.known.update(pre.known)
        now.facts.update(pre.facts)
        return True

    def inside(self) -> bool:
        """The statements before the loop and the loop itself; whether the plan held."""
        ctx, loop = self.ctx, self.loop
        self.enter()
        kept = ctx.snapshot()
        cond = Block()
        if isinstance(loop.header, Conditional):
            with ctx.b.block() as stmts:
                self.bind()
                test = loop.header.test()
            cond = Block(tuple(stmts), (test,))
            ctx.restore(kept)
        log, ctx.written = ctx.written, set()
        self.mark = ctx.b.names.next
        with ctx.b.block() as stmts:
            self.bind()
            iv = self.start_pass()
            try:
                loop.body()
            except AdjitError:
                self.one_by_one()
                raise
            finally:
                written, ctx.written = ctx.written, log | ctx.written
            dead, ctx.dead = ctx.dead, False
            growth.check_unwritten(ctx, written, self.mark)
            if loop.unrollable:
                ctx.loops.pop()
            self.ends = {k: self.entry.get(k) if dead else v for k, v in self.end_names().items()}
            if not self.agree():
                ctx.restore(kept)
                return False
            stop = self.stop()
            yields = self.finish(written)
        flat = [x for k in self.plan for x in self.args[k]]
        outs = [ctx.b.fresh(a.name, a.type) for a in flat]
        inits = tuple(x for k in self.plan for x in self.inits[k])
        body = Block(tuple(stmts), tuple(yields))
        ctx.restore(kept)
        self.leave(outs)
        if isinstance(loop.header, Counted):
            h = loop.header
            shape = (iv, h.lo, h.hi, h.step, tuple(flat), inits, body, tuple(outs), stop)
            ctx.b.emit(For(*shape, promised=h.promised, loc=ctx.b.loc))
        else:
            ctx.b.emit(While(tuple(flat), inits, cond, body, tuple(outs), stop, loc=ctx.b.loc))
        self.rebind(outs)
        ctx.dead = (dead or stop is None) and cond.yields == (const(True),)  # nothing comes after it
        return True

    def one_by_one(self) -> None:
        """What is refused of one of several constants may be possible where the loop is written out."""
        for (_, name), slot in self.plan.items():
            if self.loop.unrollable and chooses(slot):
                raise Unrollable(name, "it is not one constant in all passes")

    # -- before the loop
    def enter(self) -> None:
        ctx = self.ctx
        for key, slot in self.plan.items():
            value = self.before.get(key)
            self.places[key] = self.storage(key, slot, value)
            if isinstance(slot, Guess):
                self.inits[key], self.args[key] = [], []
                continue
            copies = Copies(iter(self.places[key]), [])
            if missing(value):
                self.inits[key] = [const(0, t.dtype) for _, t in carry.variables(slot, "")]
            else:
                self.inits[key] = list(carry.yields(ctx, slot, value, copies))
            for target, source in copies.pairs:
                with thawed(ctx, target.base):
                    copy_into(ctx, target, source)  # type: ignore[arg-type]
            for a, b in copies.lists:
                growth.copy_all(ctx, [(a, b)])
                if isinstance(b, ListValue) and not growth.only_here(ctx, key, b, self.visible):
                    growth.freeze(ctx, (a, b), f"{_hint(key)!r} is it at first and another list after a pass")
            self.args[key] = [ctx.b.fresh(*v) for v in carry.variables(slot, _hint(key))]
        self.references()

    def storage(self, key: Key, slot: Slot | Guess, value: Value | None) -> list[Place]:
        """Memory for the arrays that a pass makes anew, holding what the name has before the loop."""
        ctx = self.ctx
        if missing(value):
            return []
        match slot:
            case Optional_(inner=inner):
                return self.storage(key, inner, value.value if isinstance(value, Maybe) else value)
            case Items(slots=slots):
                pairs = zip(slots, carry.fields(slot, value), strict=True)
                return [p for s, v in pairs for p in self.storage(key, s, v)]
            case Storage(dtype=dtype):
                assert isinstance(value, ArrayValue | VirtualArray)
                if isinstance(value, ArrayValue) and value.dtype == dtype and self.own(key, value):
                    return [value]
                place = full(ctx, ctx.b.alloc(value.shape, dtype, _hint(key)))
                if isinstance(value, ArrayValue) and not self.own(key, value):
                    reason = (
                        f"{_hint(key)!r} stands for another array at first and for a new one after each pass"
                    )
                    freeze(ctx, place.base, ctx.b.origin(value.base), reason)
                return [place]
            case Listed(item=item):
                return [self.list_storage(key, item, value)]
        return []

    def list_storage(self, key: Key, item: Item, value: Value | None) -> ListValue:
        own = isinstance(value, ListValue) and growth.only_here(self.ctx, key, value, self.visible)
        name = (self.loop.key(self.ctx), key[1])
        return growth.storage(self.ctx, item, value if own else None, _hint(key), self.scope, name)

    def own(self, key: Key, value: ArrayValue) -> bool:
        """Whether the memory was made here and no other name sees it."""
        ctx = self.ctx
        if not is_own(ctx, value):
            return False
        roots = ctx.b.origin(value.base)
        everything = [((f, name), v) for f in ctx.reachable() for name, v in f.names.items()]
        for other, v in everything:
            if other == key or not (self.visible(other) or other[1].startswith("@")):
                continue
            if any(ctx.b.origin(a.base) & roots for a in arrays_in(v)):
                return False
        return not any(
            a is not value and ctx.b.origin(a.base) & roots for a in arrays_in(self.before[key] or value)
        )

    def references(self) -> None:
        """An array parameter of the loop may be any of the arrays of its group that come in."""
        b = self.ctx.b
        members: dict[str, list[tuple[Key, Var]]] = {}
        for key, slot in self.plan.items():
            if isinstance(slot, Reference):
                for x in self.inits[key]:
                    assert isinstance(x, Var)
                    members.setdefault(slot.group, []).append((key, x))
        self.groups: list[tuple[list[Var], list[Var]]] = []
        for group in members.values():
            arrays = [x for _, x in group]
            memory = frozenset(r for x in arrays for r in b.origin(x))
            for key, _ in group:
                (old,) = self.args[key]
                arg = b.fresh(old.name, either(arrays[0], *arrays))
                self.args[key] = [arg]
                b.origins[arg] = memory
                self.lengths(arg, arrays)
            self.groups.append(([a for key, _ in group for a in self.args[key]], arrays))

    def lengths(self, arg: Var, arrays: list[Var]) -> None:
        """Equal lengths of all arrays that are exchanged are known of each."""
        b = self.ctx.b
        assert isinstance(arg.type, Array)
        for axis in range(arg.type.ndim):
            found = [b.dim(x, axis) for x in arrays]
            if all(equal(b, found[0], n) for n in found[1:]):
                b.scopes[-1].known["dim", arg, axis] = found[0]

    def bind(self) -> None:
        """Names at the start of a pass."""
        ctx = self.ctx
        for key in sorted(self.plan, key=lambda k: k in self.first):
            slot, (frame, name) = self.plan[key], key
            value = self.before.get(key)
            if isinstance(slot, Guess):
                self.entry[key] = frame.names[name] = Undefined(name, GUESS)
            elif missing(value) and not isinstance(slot, Optional_):
                self.entry[key] = value
                if isinstance(slot, Mixed):
                    self.entry[key] = frame.names[name] = Undefined(name, slot.reason)
            elif missing(value) and has_storage(slot):
                self.entry[key] = None  # its memory is made when its shape is known
            else:
                args, places = iter(self.args[key]), iter(self.places[key])
                built = carry.build(ctx, slot, value, args, places, name)
                self.entry[key] = frame.names[name] = self.one_of(key, built)

    def one_of(self, key: Key, built: Value) -> Value:
        """The value of the first of the names that see one list or object."""
        leader = self.first.get(key)
        value = self.entry.get(leader) if leader is not None else None
        return value if value is not None and self.plan.get(leader) == self.plan[key] else built  # type: ignore[arg-type]

    def start_pass(self) -> Var:
        ctx, loop = self.ctx, self.loop
        if loop.stop is not None:
            ctx.frame.names[loop.stop] = Static(False)
        if isinstance(loop.header, Conditional):
            return ctx.b.fresh("i", INT)
        h = loop.header
        iv = ctx.b.fresh(h.hint, INT)
        ctx.b.iterates(iv, h.lo, h.hi, h.step)
        if loop.unrollable:
            ctx.loops.append(ActiveLoop(iv, loop.key(ctx), self.scope))
        h.bind(iv)
        return iv

    # -- the end of a pass
    def end_names(self) -> Mapping[Key, Value | None]:
        """Values of the carried names at the end, and of others that have changed without an assignment."""
        now = names_now(self.ctx)
        found: dict[Key, Value | None] = {k: now.get(k) for k in self.plan}
        for key, value in self.before.items():
            frame, name = key
            bound_here = frame is self.ctx.frame and (name in self.loop.assigned or name == self.loop.stop)
            if key in self.plan or bound_here or now.get(key) is value:
                continue
            if isinstance(value, VirtualArray) and isinstance(now.get(key), ArrayValue):
                continue
            found[key] = now.get(key)
        return found

    def agree(self) -> bool:
        """Whether the plan held; else `next` is wider."""
        growth.written_out(self.loop, self.before, self.ends)
        growth.move(self.ctx, self.scope, [(self.before.get(k), end) for k, end in self.ends.items()])
        if not self.stay_together():
            return False
        moved = exchanged(self.ctx, self.plan, self.before, self.entry, self.ends)
        for key, end in self.ends.items():
            slot = self.plan.get(key, Same())
            new = self.revised(key, slot, end)
            if key not in moved:
                new = without_references(new)
            elif (
                key in moved and isinstance(new, Reference | Storage | Part) and not isinstance(slot, Storage)
            ):
                like = self.before[key]
                assert isinstance(like, ArrayValue)
                new = Reference(like.dtype, len(like.shape), moved[key])
            self.next[key] = new
            if isinstance(new, Mixed) and not isinstance(slot, Mixed):
                self.mixed(key, new)
        return self.next == self.plan

    def stay_together(self) -> bool:
        """Whether names that see one list or object still do so at the end; else some are `apart`."""
        starts = {k: v for k in (*self.before, *self.plan) if (v := self.entry.get(k, self.before.get(k)))}
        ends = {k: self.ends.get(k, v) for k, v in starts.items()}
        visible = frozenset(k for k in starts if self.visible(k))
        joined, parted = sharing.followed(self.ctx, starts, ends, self.first, self.apart, visible)
        self.joined |= joined
        self.apart |= parted
        return not parted

    def mixed(self, key: Key, slot: Mixed) -> None:
        if key[1] in self.loop.entered or key[0] is not self.ctx.frame or key[1] not in self.loop.assigned:
            raise Unrollable(key[1], slot.reason)

    def revised(self, key: Key, slot: Slot | Guess, end: Value | None) -> Slot | Guess:
        ctx, before = self.ctx, self.before.get(key)
        if isinstance(slot, Guess) or (missing(before) and isinstance(slot, Same)):
            if mixed := carry.without_meaning(before) or carry.without_meaning(end):
                return mixed
            if end is None or isinstance(end, Undefined):
                return Same()
            inner = carry.alone(ctx, end, strong=True)
            may_miss = (
                isinstance(slot, Guess) or isinstance(end, Maybe) or isinstance(self.loop.header, Conditional)
            )
            return carry.optional(inner) if may_miss else inner
        return widened(ctx, slot, before, self.entry.get(key), end)

    def stop(self) -> Operand | None:
        if self.loop.stop is None:
            return None
        found = self.ctx.frame.names[self.loop.stop]
        value = found.value if isinstance(found, Maybe) else found
        if isinstance(value, Static):
            return const(True) if value.value else None
        assert isinstance(value, ScalarValue)
        return value.operand

    def finish(self, written: set[Var]) -> list[Operand]:
        """The yields of the body, after it has copied new arrays into their storage."""
        ctx = self.ctx
        out: list[Operand] = []
        pairs: list[tuple[ArrayValue, Value]] = []
        owners: list[Key] = []
        moving: list[tuple[Key, ListValue, Value]] = []
        for key, slot in self.plan.items():
            end = self.ends[key]
            if isinstance(slot, Guess):
                continue
            if not self.places[key] and has_storage(slot):
                self.places[key] = self.late(key, slot, end)
            copies = Copies(iter(self.places[key]), [])
            out.extend(carry.yields(ctx, slot, end, copies))
            pairs.extend(copies.pairs)
            owners.extend(key for _ in copies.pairs)
            moving.extend((key, a, v) for a, v in copies.lists)
        growth.check_apart(ctx, moving, {**names_now(ctx), **self.ends}, self.visible, written)
        growth.copy_all(ctx, [(a, v) for _, a, v in moving])
        for key, (place, value) in zip(owners, pairs, strict=True):
            self.protect(key, place, value, written)
        for key, (place, value) in zip(owners, pairs, strict=True):
            with ctx.at(last_binding(self.loop.node, key[1])):
                require_lengths(ctx, place, value, CHANGES, FULL_LENGTH)
        copy_all(ctx, pairs)
        return out

    def late(self, key: Key, slot: Slot, end: Value | None) -> list[Place]:
        """Memory for an array that the loop binds first: before the loop, once its shape is known."""
        ctx = self.ctx
        match slot:
            case Optional_(inner=inner):
                return self.late(key, inner, end.value if isinstance(end, Maybe) else end)
            case Items(slots=slots):
                pairs = zip(slots, carry.fields(slot, end), strict=True)
                return [p for s, v in pairs for p in self.late(key, s, v)]
            case Storage(dtype=dtype):
                assert isinstance(end, ArrayValue | VirtualArray)
                body = ctx.b.scopes[-1]
                with outside(ctx):
                    shape = [hoisted(ctx, body, n, "loop") for n in end.shape]
                    return [full(ctx, ctx.b.alloc(shape, dtype, _hint(key)))]
            case Listed(item=item):
                with outside(ctx):
                    return [self.list_storage(key, item, None)]
        return []

    def protect(self, key: Key, place: ArrayValue, value: Value, written: set[Var]) -> None:
        """A copy must not be written while other names still see what it was copied from, nor must that
        memory.
        """
        ctx = self.ctx
        if not isinstance(value, ArrayValue):
            return
        roots = ctx.b.origin(value.base)
        others = {r for r in roots if r in ctx.parameters}
        for other, held in names_now(ctx).items():
            if other == key or not (other in self.plan or self.visible(other)):
                continue
            shared = frozenset(r for a in arrays_in(held) for r in ctx.b.origin(a.base)) & roots
            if shared and self.places.get(other):
                others |= {p.base for p in self.places[other] if isinstance(p, ArrayValue)}
            else:
                others |= {r for r in shared if r.number < self.mark}
        if not others:
            return
        reason = f"two names stand for one array at the end of a pass of the loop, {_hint(key)!r} among them"
        if (others | {place.base}) & written:
            ctx.error(
                OverwriteError, f"the array {_hint(key)!r} is written in the loop", reason, "copy the array"
            )
        freeze(ctx, place.base, frozenset(others), reason)

    def visible(self, key: Key) -> bool:
        return key[0] is not self.ctx.frame or key[1] in self.loop.head

    # -- after the loop
    def leave(self, outs: list[Var]) -> None:
        """What is known of the arrays after the loop."""
        b = self.ctx.b
        after = dict(zip((a for k in self.plan for a in self.args[k]), outs, strict=True))
        for args, arrays in self.groups:
            for a in args:
                b.origins[after[a]] = b.origin(a)
                self.lengths(after[a], arrays)
            exchanges.record(self.ctx, [after[a] for a in args], arrays)

    def rebind(self, outs: list[Var]) -> None:
        ctx = self.ctx
        rest: Iterator[Operand] = iter(outs)
        for key, slot in self.plan.items():
            frame, name = key
            before = self.before.get(key)
            if isinstance(slot, Guess):
                continue
            like = before if not missing(before) else self.ends[key]
            value = carry.build(ctx, slot, like, rest, iter(self.places[key]), name)
            if missing(before) and not isinstance(slot, Optional_) and not missing(value):
                value = self.if_entered(value, name)
            if missing(value) and not isinstance(slot, Mixed):
                frame.names.pop(name, None)
            else:
                frame.names[name] = value
        for (frame, name), leader in self.first.items():
            if (frame, name) in self.plan and self.plan.get(leader) == self.plan[frame, name]:
                frame.names[name] = leader[0].names[leader[1]]
        for name in self.loop.assigned:
            if name not in self.loop.head:
                ctx.frame.names.pop(name, None)
        sharing.keep(ctx, [f.names.get(n) for f, n in self.joined], "a loop")

    def if_entered(self, value: Value, name: str) -> Value:
        """A name that each pass binds is bound afterwards if there was a pass."""
        h = self.loop.header
        assert isinstance(h, Counted)
        some = self.ctx.b.op("lt", h.lo, h.hi) if h.step > 0 else self.ctx.b.op("gt", h.lo, h.hi)
        if isinstance(some, Const) and some.value:
            return value
        return Maybe(value, some, name)


def _hint(key: Key) -> str:
    return key[1].lstrip("@")


__all__ = ["ActiveLoop", "Conditional", "Counted", "Loop", "Scalar", "Unrollable", "run"]
