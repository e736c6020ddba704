"""What each name carries from pass to pass, and how that widens after a walk of the body.

Input: the slot of a name and its values before the loop, at the start and at the end of a pass. Output: the
same slot, or a wider one to try. Invariants: widening ends (numbers widen in dtype, arrays go from
references to storage of their own, anything else to `Mixed`). Non-goals: emitting the loop (`passes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import carry, choices, exchanges, optionals
from .arrays.promote import article, is_number
from .blocks import Key
from .carry import missing
from .items import holding
from .loop import Loop
from .slots import (
    Chosen,
    Items,
    Listed,
    Mixed,
    Number,
    Optional_,
    Part,
    Reference,
    Same,
    Slot,
    Storage,
)
from .values import (
    ArrayValue,
    ListValue,
    Mapping_,
    Maybe,
    OrNone,
    Record,
    Sequence_,
    Undefined,
    Value,
    VirtualArray,
)

if TYPE_CHECKING:
    from .specialise import Specialiser


@dataclass(frozen=True)
class Guess:
    """A name that may be read before the loop has assigned it: taken for a float until its type is known."""


Plan = dict[Key, "Slot | Guess"]


def fits(slot: Slot | Guess, value: Value | None) -> bool:
    match slot:
        case Number():
            return value is not None and (missing(value) or is_number(value))
        case Reference(ndim=ndim):
            return isinstance(value, ArrayValue) and len(value.shape) == ndim
        case Storage(ndim=ndim):
            return isinstance(value, ArrayValue | VirtualArray) and len(value.shape) == ndim
        case Listed():
            return isinstance(value, ListValue)
        case Same():
            return not missing(value) and not (value is not None and is_number(value))
    return False


def started(ctx: Specialiser, loop: Loop) -> Plan:
    """The plan to try first."""
    known = ctx.plans.get(loop.key(ctx), {})
    assert isinstance(known, dict)
    plan: Plan = {}
    for name in dict.fromkeys([*loop.assigned, *known]):
        if name not in loop.head or name == loop.stop or _is_outer(ctx, name):
            continue
        value = ctx.frame.names.get(name)
        before = known.get(name)
        plan[ctx.frame, name] = (
            before if before is not None and fits(before, value) else _first(ctx, loop, name, value)
        )
    return plan


def _is_outer(ctx: Specialiser, name: str) -> bool:
    """Whether the function does not bind a name that a method may change: `np` in `np.append(…)`."""
    frame = ctx.frame
    return not (name in frame.names or name in frame.locals or name.startswith("@"))


def _first(ctx: Specialiser, loop: Loop, name: str, value: Value | None) -> Slot | Guess:
    if missing(value):
        return Guess() if name in loop.entered and not isinstance(value, Undefined) else Same()
    if value is not None and is_number(value):
        return carry.alone(ctx, value, strong=True)
    return Same()


def widened(
    ctx: Specialiser, slot: Slot, before: Value | None, entry: Value | None, end: Value | None
) -> Slot:
    """A slot that also holds the value at the end of a pass; `before` is the value before the loop, `entry`
    that at the start of the pass.
    """
    if mixed := carry.without_meaning(end):
        return mixed
    match slot:
        case Mixed():
            return slot
        case Number() if end is not None and optionals.may_be_none(end):
            return _number_or_none(ctx, slot, end)
        case Items(kind=kind, slots=(_, Number() as number)) if kind is OrNone and _may_be_number(end):
            return _number_or_none(ctx, number, end)
        case Chosen(among=among):
            if end is not None and (more := choices.with_more(among, end)):
                return Chosen(more)
        case Same():
            if (end is None and entry is None) or (
                end is not None and entry is not None and carry.same_value(entry, end)
            ):
                return slot
            return carry.join(ctx, before, end, strong=True)
        case Number(dtype=dtype, weak=weak):
            if end is not None and (is_number(end) or (isinstance(end, ArrayValue) and not end.shape)):
                found = carry.alone(ctx, end, strong=True)
                assert isinstance(found, Number)
                new = carry.promote((dtype, weak), (found.dtype, found.weak))
                return Number(new[0], new[1] and not new[0].startswith(("float", "complex")))
        case Optional_(inner=inner):
            if missing(end):
                return slot
            first, start, last = (v.value if isinstance(v, Maybe) else v for v in (before, entry, end))
            return carry.optional(widened(ctx, inner, first, start, last))
        case Items(kind=kind, keys=keys, slots=slots):
            if end is not None and _alike(slot, end):
                values = [carry.fields(slot, v) for v in (before, entry, end)]
                rows = zip(slots, *values, strict=True)
                return Items(kind, keys, tuple(widened(ctx, *row) for row in rows))
        case Part(like=like, varying=varying):
            if isinstance(end, ArrayValue):
                new_slot = carry.join(ctx, like, end)
                if isinstance(new_slot, Part):
                    both = zip(varying, new_slot.varying, strict=True)
                    return Part(like, tuple(a or b for a, b in both))
                return slot if isinstance(new_slot, Same) else _as_storage(new_slot)
        case Reference(dtype=dtype, ndim=ndim):
            if isinstance(end, ArrayValue | VirtualArray) and len(end.shape) == ndim:
                return slot if isinstance(end, ArrayValue) else Storage(_wider(dtype, end), ndim)
        case Storage(dtype=dtype, ndim=ndim):
            if isinstance(end, ArrayValue | VirtualArray) and len(end.shape) == ndim:
                return Storage(_wider(dtype, end), ndim)
        case Listed(item=item):
            wider = holding(ctx, item, end)
            if wider is not None:
                return Listed(wider)
    what = carry.kind_of(end) if end is not None else "unbound"
    return Mixed(f"it is {_slot_kind(slot)} before a pass of the loop and {what} after it")


def _may_be_number(value: Value | None) -> bool:
    return value is not None and (optionals.may_be_none(value) or is_number(value))


def _number_or_none(ctx: Specialiser, slot: Number, end: Value | None) -> Slot:
    """A slot that also holds a value that may be None."""
    number = optionals.number_in(end)
    wider = slot if number is None else widened(ctx, slot, None, None, number)
    return carry.number_or_none(wider) if isinstance(wider, Number) else wider


def exchanged(
    ctx: Specialiser,
    plan: Plan,
    before: Mapping[Key, Value],
    entries: Mapping[Key, Value | None],
    ends: Mapping[Key, Value | None],
) -> dict[Key, str]:
    """Names whose arrays at the end are those of such names at the start, each once, with their group."""
    starts: dict[Key, ArrayValue] = {}
    for key, end in ends.items():
        entry, slot = entries.get(key, before.get(key)), plan.get(key, Same())
        arrays = isinstance(entry, ArrayValue) and isinstance(end, ArrayValue)
        if isinstance(entry, ArrayValue) and arrays and isinstance(slot, Same | Reference | Part):
            starts[key] = entry
    rows: dict[Key, tuple[object, object]] = {}
    for key, start in starts.items():
        end = ends[key]
        assert isinstance(end, ArrayValue)
        if carry.same_value(start, end) and not isinstance(plan.get(key), Reference):
            continue
        where = next((k for k, v in starts.items() if carry.same_value(v, end)), None)
        now = exchanges.token(ctx, end) if where is None else _token(ctx, where, starts)
        if now is not None:
            rows[key] = (_token(ctx, key, starts), now)
    found: dict[Key, str] = {}
    for group in exchanges.groups(ctx, rows):
        kinds = {(starts[k].dtype, len(starts[k].shape)) for k in group}
        if len(kinds) == 1 and exchanges.permuted(
            ctx, [rows[k][0] for k in group], [rows[k][1] for k in group]
        ):
            found.update(dict.fromkeys(group, min(name for _, name in group)))
    return found


def _token(ctx: Specialiser, key: Key, starts: Mapping[Key, ArrayValue]) -> object:
    return exchanges.token(ctx, starts[key]) or key


def has_storage(slot: Slot) -> bool:
    match slot:
        case Storage() | Listed():
            return True
        case Optional_(inner=inner):
            return has_storage(inner)
        case Items(slots=slots):
            return any(has_storage(s) for s in slots)
    return False


def chooses(slot: Slot | Guess) -> bool:
    """Whether a constant or None is among what the slot holds."""
    match slot:
        case Chosen():
            return True
        case Optional_(inner=inner):
            return chooses(inner)
        case Items(kind=kind, slots=slots):
            return kind is OrNone or any(chooses(s) for s in slots)
    return False


def _as_storage(slot: Slot) -> Slot:
    return Storage(slot.dtype, slot.ndim) if isinstance(slot, Reference) else slot


def without_references(slot: Slot | Guess) -> Slot | Guess:
    """Arrays inside structures are not exchanged: each gets storage."""
    match slot:
        case Reference():
            return _as_storage(slot)
        case Optional_(inner=inner):
            return Optional_(without_references(inner))  # type: ignore[arg-type]
        case Items(kind=kind, keys=keys, slots=slots):
            return Items(kind, keys, tuple(without_references(s) for s in slots))  # type: ignore[misc]
    return slot


def _wider(dtype: str, value: ArrayValue | VirtualArray) -> str:
    return carry.promote((dtype, False), (value.dtype, False))[0]


def _alike(slot: Items, value: Value) -> bool:
    match value:
        case Sequence_(items=items, kind=kind):
            return kind is slot.kind and len(items) == len(slot.slots)
        case Mapping_(items=entries):
            return slot.kind is dict and tuple(entries) == slot.keys
        case Record(cls=cls):
            return cls is slot.kind
    return False


def _slot_kind(slot: Slot | Guess) -> str:
    match slot:
        case Number(dtype=dtype):
            return f"{article(dtype)} scalar"
        case Chosen(among=among):
            return choices.listed(among)
        case Items(kind=kind) if kind is OrNone:
            return "a number or None"
        case Items(kind=kind, slots=slots):
            return f"a {kind.__name__} of {len(slots)}"
        case Listed():
            return "a list"
        case Storage(ndim=ndim) | Reference(ndim=ndim):
            return f"a {ndim}-dimensional array"
    return "another value"


__all__ = [
    "Guess",
    "Plan",
    "chooses",
    "exchanged",
    "fits",
    "has_storage",
    "started",
    "widened",
    "without_references",
]
