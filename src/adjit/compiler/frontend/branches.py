"""Branches: both sides are walked in blocks of their own, then each name that differs is joined.

Input: a run-time condition and two walks. Output: an `If` (or `select`s), names rebound to its results.
Invariants: memory that a side allocates never leaves it: storage is made before the branch and filled on
each side; storage that stands for memory which is visible under another name too must not be written
afterwards (`freeze`). Non-goals: conditions known at compile time (`statements`, `expressions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..ir.nodes import Block, Op, Operand, Stmt, Var
from ..ir.types import Array, Type
from ..ir.visitor import defined
from . import carry, exchanges, growth, lists, optionals, sharing
from .arrays import as_variable, full
from .arrays.linear import equal
from .blocks import (
    Key,
    arrays_in,
    can_hoist,
    copy_all,
    freeze,
    hoisted,
    is_own,
    names_now,
    reopened,
    require_lengths,
    unknown_length,
)
from .carry import Copies
from .slots import Items, Listed, Optional_, Part, Place, Reference, Same, Slot, Storage
from .values import ArrayValue, Item, ListValue, Maybe, ScalarValue, Static, Value, VirtualArray

if TYPE_CHECKING:
    from ..ir.builder import _Scope
    from .specialise import Specialiser

CHEAP = frozenset(
    ("add", "sub", "neg", "cast", "select", "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not")
)


DIFFERS = "differs between the two sides of a branch"
ONE_LENGTH = "give it one length on both sides, with zeros where there is less"
INSIDE = -1
HELD = ("@over", "@held", "@items", "@at")  # names of the frontend's own, needed as long as they are there
Pair = tuple[Value | None, Value | None]


@dataclass
class Side:
    """A walked block: its statements, the names at its end, whether the end is never reached."""

    scope: _Scope
    names: dict[Key, Value]
    dead: bool

    def local(self) -> set[Var]:
        return {v for s in self.scope.stmts for v in defined(s)}


def side(ctx: Specialiser, *walks: Callable[[], None]) -> Side:
    with ctx.b.block():
        scope = ctx.b.scopes[-1]
        ctx.dead = False
        try:
            for walk in walks:
                walk()
        except sharing.Short as short:
            sharing.ends_here(ctx, short)
        return Side(scope, names_now(ctx), ctx.dead)


def branch(
    ctx: Specialiser,
    cond: Operand,
    then: Callable[[], None],
    orelse: Callable[[], None],
    keep: Callable[[str], bool],
) -> None:
    """Walk both sides and join them; of the current frame's names those that `keep` wants are joined."""

    def walk() -> None:
        before = ctx.snapshot()
        first = side(ctx, lambda: optionals.assume(ctx, cond), then)
        ctx.restore(before)
        second = side(ctx, lambda: optionals.assume(ctx, cond, False), orelse)
        ctx.restore(before)
        _Merge(ctx, cond, first, second, keep).run()

    ctx.retrying(walk)


class _Merge:
    def __init__(
        self, ctx: Specialiser, cond: Operand, then: Side, orelse: Side, keep: Callable[[str], bool]
    ) -> None:
        self.ctx, self.cond, self.then, self.orelse, self.keep = ctx, cond, then, orelse, keep
        self.locals = (then.local(), orelse.local())
        self.unproved: set[Operand] = set()
        self.groups: list[tuple[list[int], frozenset[object]]] = []

    def run(self) -> None:
        ctx = self.ctx
        if not (self.then.dead or self.orelse.dead):
            before = names_now(ctx)
            ends = [(before.get(k), s.names.get(k)) for s in (self.then, self.orelse) for k in s.names]
            growth.move(ctx, ctx.b.scopes[-1], ends)
        pairs = self.pairs()
        wished = [self.slot(p) for p in pairs]
        self.permuted = self.exchanges(wished, pairs)
        slots = [
            self.settle(s, *p, n in self.permuted) for n, (s, p) in enumerate(zip(wished, pairs, strict=True))
        ]
        pairs = [self.viewed(s, *p) for s, p in zip(slots, pairs, strict=True)]
        hints = [
            next(key[1].lstrip("@") for key, k in self.wanted.items() if k == n) for n in range(len(pairs))
        ]
        rows = zip(slots, pairs, hints, strict=True)
        places = [self.places(s, a, b, hint, n) for n, (s, (a, b), hint) in enumerate(rows)]
        ops = [self.end(k, pairs, slots, places) for k in (0, 1)]
        outs = self.emit(ops)
        self.note_exchanges(slots, outs)
        built = []
        rest = iter(outs)
        for slot, (a, b), place in zip(slots, pairs, places, strict=True):
            like = b if carry.missing(a) or self.then.dead else a
            built.append(carry.build(ctx, slot, like, rest, iter(place), "?"))
        self.part(pairs, built)
        for (frame, name), k in self.wanted.items():
            value = built[k]
            frame.names[name] = _named(value, name)
        for frame, name in self.dropped:
            frame.names.pop(name, None)
        ctx.dead = self.then.dead and self.orelse.dead
        if self.then.dead or self.orelse.dead:
            optionals.assume(ctx, self.cond, self.orelse.dead)

    def part(self, pairs: Sequence[Pair], built: Sequence[Value]) -> None:
        """Which list or object a name sees may depend on the side: none of them changes afterwards."""
        sides = [self.owners(s) for s in (self.then, self.orelse)]
        for n, (pair, value) in enumerate(zip(pairs, built, strict=True)):
            if pair[0] is pair[1]:
                continue
            parts = [(k, p) for k, v in enumerate(pair) for p in sharing.changeable(v)]
            if any(sides[k].get(id(p), {n}) != {n} or id(p) in self.ctx.aliased for k, p in parts):
                sharing.keep(self.ctx, (*pair, value), "a branch")

    def owners(self, s: Side) -> dict[int, set[int]]:
        """The pairs that see each list or object at the end of a side; INSIDE for other names."""
        found: dict[int, set[int]] = {}
        for key, value in s.names.items():
            if key[0] is not self.ctx.frame or self.keep(key[1]):
                for part in sharing.changeable(value):
                    found.setdefault(id(part), set()).add(self.wanted.get(key, INSIDE))
        return found

    def note_exchanges(self, slots: Sequence[Slot], outs: Sequence[Operand]) -> None:
        """The results of a branch that exchanges arrays are those arrays in another order."""
        at, first = 0, []
        for slot in slots:
            first.append(at)
            at += len(list(carry.variables(slot, "")))
        for group, references in self.groups:
            found = [outs[first[n]] for n in group]
            exchanges.record(
                self.ctx,
                [x for x in found if isinstance(x, Var)],
                [x for x in references if isinstance(x, Var)],
            )

    def pairs(self) -> list[Pair]:
        """The different pairs of values; names that share both values share one pair."""
        before = names_now(self.ctx)
        found: list[Pair] = []
        index: dict[tuple[int, int], int] = {}
        self.wanted: dict[Key, int] = {}
        self.dropped: list[Key] = []
        for key in dict.fromkeys([*self.then.names, *self.orelse.names]):
            a, b = self.then.names.get(key), self.orelse.names.get(key)
            if a is b and a is before.get(key):
                continue
            if key[0] is self.ctx.frame and not (self.keep(key[1]) or key[1].startswith(HELD)):
                self.dropped.append(key)
                continue
            identity = (id(a), id(b))
            if identity not in index:
                index[identity] = len(found)
                found.append((a, b))
            self.wanted[key] = index[identity]
        return found

    def slot(self, pair: Pair) -> Slot:
        a, b = pair
        if self.then.dead or self.orelse.dead:
            only, k = (b, 1) if self.then.dead else (a, 0)
            outer = isinstance(only, Static) or self.outer(only, k)
            outer = outer or (isinstance(only, ScalarValue) and only.operand not in self.locals[k])
            return Same() if outer else carry.alone(self.ctx, only)
        return carry.join(self.ctx, a, b)

    def exchanges(self, slots: Sequence[Slot], pairs: Sequence[Pair]) -> set[int]:
        """Pairs that are the same arrays on both sides, under other names."""
        ctx = self.ctx
        rows: dict[int, tuple[object, object]] = {}
        for n, (slot, (a, b)) in enumerate(zip(slots, pairs, strict=True)):
            if isinstance(slot, Reference) and isinstance(a, ArrayValue) and isinstance(b, ArrayValue):
                tokens = exchanges.token(ctx, a, self.then.scope), exchanges.token(ctx, b, self.orelse.scope)
                if None not in tokens:
                    rows[n] = tokens
        found: set[int] = set()
        for group in exchanges.groups(ctx, rows):
            sides = [exchanges.reduced(ctx, [rows[n][k] for n in group]) for k in (0, 1)]
            distinct = all(len({rows[n][k] for n in group}) == len(group) for k in (0, 1))
            if distinct and sides[0] == sides[1] and not sides[0] & (self.locals[0] | self.locals[1]):
                found.update(group)
                self.groups.append((group, sides[0]))
        return found

    def viewed(self, slot: Slot, a: Value | None, b: Value | None) -> Pair:
        """Parts of arrays between which a branch chooses are variables before the branch."""
        if not isinstance(slot, Reference):
            return a, b
        found = []
        for v, s in ((a, self.then), (b, self.orelse)):
            assert isinstance(v, ArrayValue)
            whole = exchanges.token(self.ctx, v, s.scope) is not None
            found.append(v if whole else full(self.ctx, as_variable(self.ctx, v)))
        return found[0], found[1]

    def settle(self, slot: Slot, a: Value | None, b: Value | None, permuted: bool = False) -> Slot:
        """References only to arrays that exist before the branch; the others become storage."""
        match slot:
            case Optional_(inner=inner):
                return Optional_(self.settle(inner, _held(a), _held(b)))
            case Items(kind=kind, keys=keys, slots=slots):
                pairs = zip(slots, carry.fields(slot, a), carry.fields(slot, b), strict=True)
                return Items(kind, keys, tuple(self.settle(s, x, y) for s, x, y in pairs))
            case Reference(dtype=dtype, ndim=ndim):
                ok = permuted or all(self.outer(v, k) for k, v in enumerate((a, b)))
                return slot if ok else Storage(dtype, ndim)
            case Part(like=like):
                ok = like.base not in self.locals[0] | self.locals[1]
                return slot if ok else Storage(like.dtype, len(like.axes))
        return slot

    def outer(self, value: Value | None, k: int) -> bool:
        """Whether a view can be taken before the branch."""
        if not isinstance(value, ArrayValue):
            return False
        return not ({value.base, *carry.numbers(value)} & self.locals[k])

    def places(self, slot: Slot, a: Value | None, b: Value | None, hint: str, pair: int) -> list[Place]:
        """Storage for the arrays of a pair; items of structures (pair INSIDE) get memory of their own."""
        match slot:
            case Optional_(inner=inner):
                return self.places(inner, _held(a), _held(b), hint, pair)
            case Items(slots=slots):
                pairs = zip(slots, carry.fields(slot, a), carry.fields(slot, b), strict=True)
                return [p for s, x, y in pairs for p in self.places(s, x, y, hint, INSIDE)]
            case Storage(dtype=dtype, ndim=ndim):
                found = self.reusable(a, b, dtype, pair) if pair != INSIDE else None
                if found is not None:
                    return [found]
                shape = [self.length(a, b, k) for k in range(ndim)]
                return [full(self.ctx, self.ctx.b.alloc(shape, dtype, hint))]
            case Listed(item=item):
                free = pair != INSIDE and self.reusable_list(a, b, item, pair)
                return [free or lists.make(self.ctx, item, hint)]
        return []

    def reusable_list(self, a: Value | None, b: Value | None, item: Item, pair: int) -> ListValue | None:
        """The list of one side, where no other name sees it."""
        for value, k in ((a, 0), (b, 1)):
            if not isinstance(value, ListValue) or value.item != item or value.count in self.locals[k]:
                continue
            if not any(self.seen_list(value, s, pair) for s in (self.then, self.orelse)):
                return value
        return None

    def seen_list(self, value: Value, s: Side, pair: int) -> bool:
        """Whether a name needed later, other than those of the pair, sees a list at a side's end."""
        return any(
            (key[0] is not self.ctx.frame or self.keep(key[1]) or key[1].startswith("@"))
            and self.wanted.get(key) != pair
            and (growth.holds(v, value) if isinstance(value, ListValue) else v is value)
            for key, v in s.names.items()
        )

    def reusable(self, a: Value | None, b: Value | None, dtype: str, pair: int) -> ArrayValue | None:
        """The array of one side, where no other name sees it: the other side may write into it."""
        for value, other, k in ((a, b, 0), (b, a, 1)):
            if not isinstance(value, ArrayValue) or not isinstance(other, ArrayValue | VirtualArray):
                continue
            fits = value.dtype == dtype and all(
                equal(self.ctx.b, n, m) for n, m in zip(value.shape, other.shape, strict=True)
            )
            if (
                fits
                and self.outer(value, k)
                and is_own(self.ctx, value)
                and not self.seen(value, (self.then, self.orelse), pair)
            ):
                return value
        return None

    def seen(self, value: ArrayValue, sides: Sequence[Side], pair: int) -> bool:
        """Whether a name needed later, other than those of the pair, sees the same memory at a side's end."""
        roots = self.ctx.b.origin(value.base)
        for s in sides:
            for key, v in s.names.items():
                gone = key[0] is self.ctx.frame and not self.keep(key[1])
                if gone or self.wanted.get(key) == pair:
                    continue
                if any(self.ctx.b.origin(a.base) & roots for a in arrays_in(v)):
                    return True
        return False

    def length(self, a: Value | None, b: Value | None, axis: int) -> Operand:
        """The length of an axis on the side that is taken, before the branch. Where that of one side cannot
        be known, it has to be that of the other: a check when the storage is filled.
        """
        found: list[Operand] = []
        for value, s in ((a, self.then), (b, self.orelse)):
            if isinstance(value, ArrayValue | VirtualArray) and not s.dead:
                n = value.shape[axis]
                if can_hoist(s.scope, n):
                    found.append(hoisted(self.ctx, s.scope, n, "branch"))
                else:
                    self.unproved.add(n)
        if not found:
            unknown_length(self.ctx, "branch")
        if len(found) == 1 or equal(self.ctx.b, found[0], found[1]):
            return found[0]
        return self.ctx.b.op("select", self.cond, found[0], found[1], hint="n")

    def end(
        self,
        k: int,
        pairs: Sequence[Pair],
        slots: Sequence[Slot],
        places: Sequence[list[Place]],
    ) -> list[Operand]:
        """The yields of one side, after it has filled the storage."""
        ctx, this = self.ctx, (self.then, self.orelse)[k]
        out: list[Operand] = []
        kept = ctx.snapshot()
        for key, v in this.names.items():
            if key in self.wanted:
                key[0].names.pop(key[1], None)
            else:
                key[0].names[key[1]] = v
        pairs_to_copy: list[tuple[ArrayValue, Value]] = []
        owners: list[int] = []
        moving: list[tuple[int, ListValue, Value]] = []
        with reopened(ctx, this.scope):
            for n, (pair, slot, place) in enumerate(zip(pairs, slots, places, strict=True)):
                copies = Copies(iter(place), [])
                if this.dead:
                    out.extend(self.unreached(slot, pair[1 - k], copies))
                else:
                    out.extend(carry.yields(ctx, slot, pair[k], copies))
                pairs_to_copy.extend(copies.pairs)
                owner = INSIDE if isinstance(slot, Items) else n
                owners.extend(owner for _ in copies.pairs)
                moving.extend((owner, a, v) for a, v in copies.lists)
            growth.copy_all(ctx, [(a, v) for _, a, v in moving])
            for target, source in pairs_to_copy:
                require_lengths(ctx, target, source, DIFFERS, ONE_LENGTH, self.unproved)
            copy_all(ctx, pairs_to_copy)
        for n, (target, source) in zip(owners, pairs_to_copy, strict=True):
            self.protect(target, source, this, n)
        for n, a, v in moving:
            if self.seen_list(v, this, n):
                both = [a, v] if isinstance(v, ListValue) else [a]
                growth.freeze(ctx, both, "a branch decides which list it is, so a copy stands for it")
        ctx.restore(kept)
        return out

    def unreached(self, slot: Slot, other: Value | None, copies: Copies) -> Iterator[Operand]:
        if isinstance(slot, Reference | Part):
            return iter(())
        return carry.yields(self.ctx, slot, None, copies)

    def protect(self, place: ArrayValue, source: Value, this: Side, pair: int) -> None:
        """A copy must not be written while what it is a copy of is visible, nor the other way round."""
        if not isinstance(source, ArrayValue):
            return
        roots = self.ctx.b.origin(source.base)
        if roots & self.ctx.parameters or self.seen(source, (this,), pair):
            freeze(self.ctx, place.base, roots, "a branch decides which array it is, so a copy stands for it")

    def share_lengths(self, out: Var, choices: tuple[Var, Var]) -> None:
        """Where all arrays that a reference may be have equal lengths, its own are the same operands."""
        b = self.ctx.b
        assert isinstance(out.type, Array)
        for axis in range(out.type.ndim):
            lengths = []
            for v, s in zip(choices, (self.then, self.orelse), strict=True):
                local = v in self.locals[0] | self.locals[1]
                lengths.append(s.scope.known.get(("dim", v, axis)) if local else b.dim(v, axis))
            n, m = lengths
            if (
                n is not None
                and m is not None
                and equal(b, n, m)
                and n not in self.locals[0] | self.locals[1]
            ):
                b.scopes[-1].known["dim", out, axis] = n

    def emit(self, ops: list[list[Operand]]) -> list[Operand]:
        b = self.ctx.b
        stmts = [self.then.scope.stmts, self.orelse.scope.stmts]
        scalars = not any(isinstance(x.type, Array) for x in ops[0])
        if scalars and all(_cheap(s) for block in stmts for s in block):
            for scope in (self.then.scope, self.orelse.scope):
                for s in scope.stmts:
                    b.emit(s)
                b.scopes[-1].known.update(scope.known)
            return [b.op("select", self.cond, x, y) for x, y in zip(*ops, strict=True)]
        outs = []
        for x, y in zip(*ops, strict=True):
            out = b.fresh(_name(x, y), either(x, y))
            if isinstance(x, Var) and isinstance(y, Var) and isinstance(x.type, Array):
                b.origins[out] = b.origin(x) | b.origin(y)
                self.share_lengths(out, (x, y))
            outs.append(out)
        blocks = [Block(tuple(s), tuple(o)) for s, o in zip(stmts, ops, strict=True)]
        if outs or any(stmts):
            b.if_(self.cond, blocks[0], blocks[1], outs)
        return list(outs)


def either(x: Operand, *others: Operand) -> Type:
    """The type of one of several operands; the layout of arrays is known where it is that of all."""
    if isinstance(x.type, Array) and any(getattr(y.type, "layout", "") != x.type.layout for y in others):
        return replace(x.type, layout="A")
    return x.type


def _name(x: Operand, y: Operand) -> str:
    return next((v.name for v in (x, y) if isinstance(v, Var)), "t")


def _cheap(s: Stmt) -> bool:
    return isinstance(s, Op) and (s.op in CHEAP or (s.out.type.dtype == "int64" and s.op in ("mul", "wrap")))


def _held(value: Value | None) -> Value | None:
    return value.value if isinstance(value, Maybe) else value


def _named(value: Value, name: str) -> Value:
    return Maybe(value.value, value.bound, name) if isinstance(value, Maybe) and value.name != name else value


__all__ = ["Side", "branch", "either"]
