"""Exchanges of arrays between names: which statements permute references, and what a set of references was
before.

Input: loops and branches as they are emitted, whose array results are their array operands in another order.
Output: the set of references before, for a set of references now. Invariant: a record is a permutation on
every path. Non-goals: references that are merely one of several arrays.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from ..ir.nodes import Var
from .arrays.view import is_one, is_zero
from .values import ArrayValue

if TYPE_CHECKING:
    from ..ir.builder import _Scope
    from .specialise import Specialiser

K = TypeVar("K", bound=Hashable)


def record(ctx: Specialiser, outs: Iterable[Var], references: Iterable[Var]) -> None:
    """The variables `outs` stand for the arrays `references`, in some order."""
    found, before = frozenset(outs), frozenset(references)
    if found and len(found) == len(before):
        ctx.exchanges.append((found, before))


def reduced(ctx: Specialiser, tokens: Iterable[object]) -> frozenset[object]:
    """The references that a set of references was before all exchanges that cover it."""
    found = set(tokens)
    for outs, before in reversed(ctx.exchanges):
        if outs <= found:
            found = (found - outs) | before
    return frozenset(found)


def token(ctx: Specialiser, value: ArrayValue, inside: _Scope | None = None) -> Var | None:
    """What stands for a whole array: its variable; None for a part of one. `inside`: a closed block that may
    have made it. Nothing is emitted."""
    scopes = [*ctx.b.scopes, *([inside] if inside is not None else [])]
    if value.fixed or len(value.axes) != getattr(value.base.type, "ndim", -1):
        return None
    for k, s in enumerate(value.axes):
        known = next(
            (sc.known["dim", value.base, k] for sc in scopes if ("dim", value.base, k) in sc.known), None
        )
        if s.axis != k or not is_zero(s.start) or not is_one(s.step) or known is None or known != s.length:
            return None
    return value.base


def groups(ctx: Specialiser, rows: Mapping[K, Sequence[object]]) -> list[list[K]]:
    """Keys whose tokens are linked, by each other or by exchanges."""
    parent: dict[object, object] = {}

    def root(x: object) -> object:
        while parent.setdefault(x, x) is not x:
            x = parent[x]
        return x

    for outs, before in ctx.exchanges:
        first, *rest = list[object]([*outs, *before])
        for x in rest:
            parent[root(x)] = root(first)
    for tokens in rows.values():
        for x in tokens[1:]:
            parent[root(x)] = root(tokens[0])
    found: dict[object, list[K]] = {}
    for key, tokens in rows.items():
        found.setdefault(root(tokens[0]), []).append(key)
    return list(found.values())


def permuted(ctx: Specialiser, before: Sequence[object], after: Sequence[object]) -> bool:
    """Whether `after` are the references `before`, each once, possibly through exchanges."""
    distinct = len(set(before)) == len(before) == len(after) == len(set(after))
    return distinct and reduced(ctx, after) == frozenset(before)


__all__ = ["groups", "permuted", "record", "reduced", "token"]
