"""Lists that change their length where passes or sides of control flow meet.

Input: values of names before a statement and at the ends of its blocks. Output: lists moved into memory
before the statement, which is walked again; storage for a name that comes to stand for another list, and
copies into it. Invariants: a copy that stands for a list is refused to change while another name sees the
original.
Non-goals: what a list is in memory (`lists`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...errors import OverwriteError
from ..ir.nodes import Const, Var
from . import items, lists, sharing
from .loop import Counted, Loop, Unrollable
from .structure import children
from .values import Item, ListValue, Mapping_, Maybe, Record, Sequence_, Value

if TYPE_CHECKING:
    from .blocks import Key
    from .specialise import Specialiser

WRITTEN_OUT = 16  # passes of a loop that is written out rather than keep a list in memory


# -- moving lists into memory


def resized(before: Value | None, end: Value | None) -> Iterator[tuple[Sequence_, Value]]:
    """Lists that a value has before a statement and whose place another length takes at its end."""
    if before is end or before is None or end is None:
        return
    if isinstance(before, Maybe) or isinstance(end, Maybe):
        inner = [v.value if isinstance(v, Maybe) else v for v in (before, end)]
        yield from resized(inner[0], inner[1])
    elif isinstance(before, Sequence_) and before.kind is list and _other_length(before, end):
        yield before, end
    elif isinstance(before, Sequence_ | Mapping_ | Record) and type(before) is type(end):
        old, new = children(before) or (), children(end) or ()
        if len(old) == len(new):
            for x, y in zip(old, new, strict=True):
                yield from resized(x, y)


def _other_length(before: Sequence_, end: Value) -> bool:
    return isinstance(end, ListValue) or (
        isinstance(end, Sequence_) and end.kind is list and len(end.items) != len(before.items)
    )


def move(ctx: Specialiser, scope: object, rows: Iterable[tuple[Value | None, Value | None]]) -> None:
    """Where lists change their length, have them in memory before the statement, and walk it again."""
    found: dict[int, tuple[Sequence_, Item]] = {}
    for before, end in rows:
        for old, new in resized(before, end):
            known = found[id(old)][1] if id(old) in found else lists.movable(ctx, old)
            item = items.holding(ctx, known, new)
            if item is not None:
                found[id(old)] = (old, item)
    if found:

        def prepare() -> None:
            for old, item in found.values():
                lists.moved(ctx, old, item)

        ctx.walk_again(scope, prepare)


def written_out(loop: Loop, before: Mapping[Key, Value], ends: Mapping[Key, Value | None]) -> None:
    """A short loop that only lengthens lists is written out pass by pass."""
    h = loop.header
    if not loop.unrollable or not isinstance(h, Counted):
        return
    if not isinstance(h.lo, Const) or not isinstance(h.hi, Const):
        return
    if len(range(int(h.lo.value), int(h.hi.value), h.step)) > WRITTEN_OUT:
        return
    for key, end in ends.items():
        if any(not isinstance(new, ListValue) for _, new in resized(before.get(key), end)):
            raise Unrollable(key[1], "its length changes")


# -- storage


def holds(value: Value | None, a: ListValue) -> bool:
    return any(v.count is a.count for v in lists.inside(value))


def storage(
    ctx: Specialiser, item: Item, own: Value | None, hint: str, scope: object, key: object
) -> ListValue:
    """Memory for a list that each pass makes anew: that of the list before the loop, where it is its
    `own`.
    """
    item = items.joined(item, ctx.list_items.get(key, item)) or item
    if isinstance(own, ListValue) and own.item == item:
        return own
    return lists.make(ctx, item, hint, scope, key)


def only_here(ctx: Specialiser, key: Key, value: ListValue, visible: Callable[[Key], bool]) -> bool:
    """Whether no other name sees a list."""
    everything = [((f, name), v) for f in ctx.reachable() for name, v in f.names.items()]
    others = ((k, v) for k, v in everything if k != key and (visible(k) or k[1].startswith("@")))
    return not any(holds(v, value) for _, v in others)


def freeze(ctx: Specialiser, found: Iterable[ListValue], reason: str) -> None:
    for a in found:
        for v in memory(a):
            ctx.frozen[v] = reason
            ctx.in_lists.add(v)


def check_unwritten(ctx: Specialiser, written: set[Var], mark: int) -> None:
    """What a pass puts into a list, or stands for a list by a copy, must not be written by another pass.
    `mark`: what has a lower number was there before the loop.
    """
    found = next((v for v in written & ctx.in_lists if v.number < mark), None)
    if found is not None:
        ctx.error(
            OverwriteError,
            f"{found.name.removeprefix('n_')!r} is written in the loop",
            ctx.frozen.get(found, "a list holds a copy of it"),
            "append or keep a copy of it",
        )


def memory(a: ListValue) -> tuple[Var, ...]:
    return (a.count, *a.columns)


def copy_all(ctx: Specialiser, pairs: Sequence[tuple[ListValue, Value]]) -> None:
    """Copies that mean "all at once"."""
    rest = list(pairs)
    if any(p is not q and holds(q[1], p[0]) for p in pairs for q in pairs):
        rest = [(place, _copy(ctx, source)) for place, source in pairs]
    for place, source in rest:
        reasons = {v: ctx.frozen.pop(v) for v in memory(place) if v in ctx.frozen}
        before = ctx.written & set(memory(place))
        lists.copy(ctx, place, source)
        ctx.written -= set(memory(place)) - before
        ctx.frozen.update(reasons)


def _copy(ctx: Specialiser, source: Value) -> Value:
    if not isinstance(source, ListValue):
        return source
    new = lists.make(ctx, source.item, "items")
    lists.copy(ctx, new, source)
    return new


def check_apart(
    ctx: Specialiser,
    pairs: Sequence[tuple[Key, ListValue, Value]],
    ends: Mapping[Key, Value | None],
    visible: Callable[[Key], bool],
    written: set[Var],
) -> None:
    """At the end of a pass a list that is copied into storage must not be seen under another name."""
    moving = {key for key, _, _ in pairs}
    for key, place, value in pairs:
        chosen = value.count in ctx.frozen if isinstance(value, ListValue) else id(value) in ctx.aliased
        if chosen and written & set(memory(place)):
            sharing.refuse(ctx, key[1].lstrip("@"), "a loop")
        if chosen:
            freeze(ctx, [place], "a branch in a loop decides which list it is, so a copy stands for it")
        for other, end in ends.items():
            if other == key or not (visible(other) or other in moving):
                continue
            shared = holds(end, value) if isinstance(value, ListValue) else end is value
            if shared or (holds(end, place) and not (other in moving and isinstance(end, ListValue))):
                ctx.error(
                    OverwriteError,
                    f"{key[1]!r} is another list after a pass of the loop, which {other[1]!r} sees too",
                    "a copy stands for it in the next pass",
                    sharing.REMEDY,
                )


__all__ = [
    "check_apart",
    "check_unwritten",
    "copy_all",
    "freeze",
    "holds",
    "move",
    "only_here",
    "resized",
    "storage",
    "written_out",
]
