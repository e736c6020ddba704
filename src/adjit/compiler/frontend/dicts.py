"""Dicts with constant keys: their methods, and entries for one of several keys.

Input and output: frontend values. Invariants: keys are known; a key that is one of several constants is
looked up for each of them, and what the dict lacks is a check. Non-goals: making, storing (`containers`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InferenceError, UnsupportedSyntaxError
from . import choices, containers
from .values import Choice, Mapping_, Sequence_, Static, Value

if TYPE_CHECKING:
    from .specialise import Specialiser


def looked_up(ctx: Specialiser, entries: dict[object, Value], which: Choice) -> Value:
    """The entry of a dict for one of several keys; a check for those that it does not have."""
    lacking = [k for k, v in enumerate(which.among) if v not in entries]
    if len(lacking) == len(which.among):
        ctx.error(InferenceError, f"the dict has no key {choices.listed(which.among)}")
    for k in lacking:
        differs = ctx.b.op("not", choices.is_one(ctx, which, k))
        ctx.b.check(differs, "KeyError", str(which.among[k]))
    return ctx.by_alternative(which, lambda one: entries.get(containers.key(ctx, one)))


def method(ctx: Specialiser, owner: Mapping_, name: str, args: list[Value]) -> Value:
    """Methods of dicts."""
    match name, len(args):
        case "keys", 0:
            return Sequence_(tuple(Static(k) for k in owner.items))
        case "values", 0:
            return Sequence_(tuple(owner.items.values()))
        case "items", 0:
            return Sequence_(tuple(Sequence_((Static(k), v)) for k, v in owner.items.items()))
        case "get", 1 | 2 if isinstance(args[0], Choice):
            rest = args[1:]
            return ctx.by_alternative(args[0], lambda one: method(ctx, owner, name, [one, *rest]))
        case "get", 1 | 2:
            return owner.items.get(containers.key(ctx, args[0]), args[1] if len(args) == 2 else Static(None))
        case "copy", 0:
            return Mapping_(dict(owner.items))
        case "update", 1 if isinstance(args[0], Mapping_):
            new = {k: ctx.settled(v, "item") for k, v in args[0].items.items()}
            containers.changed(ctx, owner, Mapping_({**owner.items, **new}))
            return Static(None)
        case "pop", 1 if containers.key(ctx, args[0]) in owner.items:
            wanted = containers.key(ctx, args[0])
            containers.changed(ctx, owner, Mapping_({k: v for k, v in owner.items.items() if k != wanted}))
            return owner.items[wanted]
    return ctx.error(UnsupportedSyntaxError, f"the dict method {name!r} is not supported in this form")


__all__ = ["looked_up", "method"]
