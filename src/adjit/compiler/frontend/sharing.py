"""Lists, dicts and objects that several names see, where control flow or evaluation gives them new values.

Such a value is replaced under every name that sees it when it changes. That works by identity, so whatever
builds values anew (a loop, a branch) has to keep names together that belong together, and to refuse where it
cannot. Input: values by name, before and after. Output: which names share, errors, values that must not
change any more. Non-goals: arrays, which are memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from ...errors import OverwriteError
from ..ir.builder import const
from .structure import is_namedtuple
from .values import ListValue, Mapping_, Maybe, Method, Record, Sequence_, Value

if TYPE_CHECKING:
    from .blocks import Key
    from .specialise import Specialiser

Result = TypeVar("Result")
REMEDY = "make a copy, such as list(x) or dict(x), or use an array"


class Short(Exception):
    """Something that is known at compile time, such as a list that is too short, makes a path raise."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(message)
        self.error, self.message = error, message


def too_short(ctx: Specialiser, error: str, message: str) -> None:
    """Inside a loop or a branch it may be otherwise, a list longer, when that path is taken: then it is
    walked
    again.
    """
    if len(ctx.b.scopes) > 1:
        raise Short(error, message)


def ends_here(ctx: Specialiser, short: Short) -> None:
    """Nothing comes after this place."""
    ctx.b.check(const(False), short.error, short.message)
    ctx.loops = [one for one in ctx.loops if one.scope in ctx.b.scopes]
    ctx.dead = True


def changeable(value: Value | None) -> Iterator[Value]:
    """The lists, dicts and objects in a value, itself included."""
    match value:
        case Sequence_(items=items, kind=kind):
            if kind is list:
                yield value
            parts: Iterable[Value] = items
        case Mapping_(items=found):
            yield value
            parts = found.values()
        case Record(cls=cls, items=fields):
            if not is_namedtuple(cls):
                yield value
            parts = fields.values()
        case Maybe(value=inner) | Method(owner=inner):
            parts = (inner,)
        case _:
            return
    for part in parts:
        yield from changeable(part)


def can_change(value: Value | None, *, or_list: bool = False) -> bool:
    """Whether something in a value can be replaced; `or_list`: by a list of wider items, too."""
    return next(changeable(value), None) is not None or (or_list and isinstance(value, ListValue))


def leaders(before: Mapping[Key, Value], apart: frozenset[Key]) -> dict[Key, Key]:
    """For each name that sees the same list or object as an earlier one, that one."""
    first: dict[int, Key] = {}
    found: dict[Key, Key] = {}
    for key, value in before.items():
        if key in apart or not can_change(value):
            continue
        leader = first.setdefault(id(value), key)
        if leader != key:
            found[key] = leader
    return found


def changed(ctx: Specialiser, value: Value | None) -> bool:
    """Whether something in a value has been changed since it was made."""
    return any(id(v) in ctx.mutated for v in changeable(value))


def inner_names(ctx: Specialiser, values: Mapping[Key, Value], first: Mapping[Key, Key]) -> Value | None:
    """A list or object that has been changed and that two names see, one of them inside something else."""
    seen: dict[int, Key] = {}
    for key, value in values.items():
        for part in changeable(value):
            if id(part) not in ctx.mutated:
                continue
            other = seen.setdefault(id(part), key)
            if other != key and first.get(key, key) != first.get(other, other):
                return part
    return None


def followed(
    ctx: Specialiser,
    starts: Mapping[Key, Value],
    ends: Mapping[Key, Value | None],
    first: Mapping[Key, Key],
    apart: frozenset[Key],
    visible: frozenset[Key],
) -> tuple[set[Key], frozenset[Key]]:
    """At the end of a pass: names that have come to see one list or object, and names that no longer do. In
    either case it must not have been changed, since the other name might have seen that.
    """
    if inner_names(ctx, {k: v for k, v in starts.items() if k in visible}, first):
        refuse(ctx, "a list or object", "a loop")
    parted = frozenset(k for k, f in first.items() if ends.get(k) is not ends.get(f))
    met: dict[int, Key] = {}
    joined: set[Key] = set()
    for key, end in ends.items():
        if key in visible and end is not None and can_change(end):
            other = met.setdefault(id(end), key)
            if starts[other] is not starts[key] or key in apart:
                joined |= {other, key}
            if any(id(part) in ctx.aliased for part in changeable(end)):  # a branch of the pass chose it
                joined.add(key)
    for key in (*parted, *(first[k] for k in parted), *joined):
        if changed(ctx, starts[key]):
            refuse(ctx, key[1].lstrip("@"), "a loop")
    return joined, parted


def refuse(ctx: Specialiser, name: str, where: str) -> None:
    ctx.error(
        OverwriteError,
        f"{name!r} is changed in {where} and seen under another name too",
        "which names see one list or object must not depend on the path taken",
        REMEDY,
    )


def keep(ctx: Specialiser, values: Iterable[Value | None], where: str) -> None:
    """From here on a change of these lists and objects is refused."""
    reason = f"{where} decides which names see it"
    for value in values:
        for part in changeable(value):
            ctx.aliased[id(part)] = (part, reason)


def holding(
    ctx: Specialiser, values: Sequence[Value], run: Callable[[], Result]
) -> tuple[list[Value], Result]:
    """The value of `run`, and `values` as they are after it: it may change lists that they contain."""
    names = [ctx.fresh_name("held") for _ in values]
    frame = ctx.frame
    for name, value in zip(names, values, strict=True):
        frame.names[name] = value.owner if isinstance(value, Method) else value
    result = run()
    now = [frame.names.pop(name) for name in names]
    return [
        Method(n, v.name) if isinstance(v, Method) else n for n, v in zip(now, values, strict=True)
    ], result


__all__ = [
    "Short",
    "can_change",
    "changeable",
    "changed",
    "ends_here",
    "followed",
    "holding",
    "inner_names",
    "keep",
    "leaders",
    "refuse",
    "too_short",
]
