"""What branches and loops share: blocks that are gone on with, memory that is copied, frozen, or made
earlier.

Input: blocks of the builder, arrays, pairs of storage and contents. Output: statements. Invariants: copies
that mean "all at once" are put in an order, or through temporaries. Non-goals: which names are joined
(`branches`, `passes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from ...errors import InferenceError
from ..ir.nodes import Dim, Op, Operand, Stmt, Var
from ..ir.visitor import defined, operands
from . import carry
from .arrays import copy_into, materialise
from .arrays.broadcast import require_equal
from .arrays.view import is_whole, reads
from .values import ArrayValue, Mapping_, Maybe, Record, Sequence_, Value, VirtualArray

if TYPE_CHECKING:
    from ..ir.builder import _Scope
    from .specialise import Frame, Specialiser

Key = tuple["Frame", str]


@contextmanager
def reopened(ctx: Specialiser, scope: _Scope) -> Iterator[None]:
    """Go on in a block that was closed."""
    ctx.b.scopes.append(scope)
    try:
        yield
    finally:
        ctx.b.scopes.pop()


@contextmanager
def outside(ctx: Specialiser) -> Iterator[None]:
    """Go on, for a moment, in the block around the innermost one."""
    scope = ctx.b.scopes.pop()
    try:
        yield
    finally:
        ctx.b.scopes.append(scope)


def undoing(ctx: Specialiser) -> Callable[[], None]:
    """What drops the names, and the statements of the present block, that come after this place."""
    scope, kept = ctx.b.scopes[-1], ctx.snapshot()
    count, known, facts = len(scope.stmts), dict(scope.known), dict(scope.facts)

    def undo() -> None:
        ctx.restore(kept)
        del scope.stmts[count:]
        scope.known, scope.facts = known, facts

    return undo


def names_now(ctx: Specialiser) -> dict[Key, Value]:
    return {(f, name): v for f in ctx.reachable() for name, v in f.names.items()}


def arrays_in(value: Value) -> Iterator[ArrayValue]:
    match value:
        case ArrayValue():
            yield value
        case Sequence_() | Mapping_() | Record():
            for v in carry.parts(value):
                yield from arrays_in(v)
        case Maybe(value=inner):
            yield from arrays_in(inner)


def is_own(ctx: Specialiser, value: ArrayValue) -> bool:
    """Whether a value is the whole of memory that the function has made."""
    roots = ctx.b.origin(value.base)
    return not roots & ctx.parameters and value.base not in ctx.b.origins and is_whole(ctx.b, value)


def freeze(ctx: Specialiser, copy: Var, roots: frozenset[Var], reason: str) -> None:
    """From here on a write to the copy or to what it was copied from is refused."""
    ctx.frozen[copy] = reason
    for root in roots:
        ctx.frozen[root] = reason


def called(ctx: Specialiser, root: Var) -> str:
    """An array in the user's words: by its own name, or that of a variable that sees it."""
    names = [
        (name, root in ctx.b.origin(value.base))
        for frame in ctx.reachable()
        for name, value in frame.names.items()
        if isinstance(value, ArrayValue) and not name.startswith("@")
    ]
    own = next((name for name, _ in names if name == root.name), None)
    name = own or next((name for name, sees in names if sees), None)
    return f"the array {name!r}" if name else "an array that an expression chose"


@contextmanager
def thawed(ctx: Specialiser, base: Var) -> Iterator[None]:
    """The compiler's own copies may write what others may not."""
    reason = ctx.frozen.pop(base, None)
    before = base in ctx.written
    try:
        yield
    finally:
        if not before:
            ctx.written.discard(base)
        if reason is not None:
            ctx.frozen[base] = reason


def require_lengths(
    ctx: Specialiser,
    place: ArrayValue,
    value: Value,
    what: str,
    remedy: str,
    unproved: set[Operand] | None = None,
) -> None:
    """What is to be copied has the shape of its place; only lengths in `unproved`, if given, are asked."""
    assert isinstance(value, ArrayValue | VirtualArray)
    for axis, (n, m) in enumerate(zip(place.shape, value.shape, strict=True)):
        if unproved is None or m in unproved:
            require_equal(ctx, n, m, f"axis {axis} of {place.base.name!r} {what}", remedy)


def copy_all(ctx: Specialiser, pairs: list[tuple[ArrayValue, Value]]) -> None:
    """Copies that mean "all at once": one whose target others read comes after them."""
    rest = list(pairs)
    while rest:
        place, value = next((p for p in rest if not _read_by_others(ctx, p, rest)), (None, None))
        if place is None or value is None:
            target, source = rest[0]
            rest[0] = (target, materialise(ctx, source, target.base.name))
            continue
        rest = [p for p in rest if p[0] is not place]
        assert isinstance(value, ArrayValue | VirtualArray)
        with thawed(ctx, place.base):
            copy_into(ctx, place, value)


def _read_by_others(
    ctx: Specialiser, pair: tuple[ArrayValue, Value], rest: list[tuple[ArrayValue, Value]]
) -> bool:
    memory = ctx.b.origin(pair[0].base)
    return any(
        p is not pair and any(ctx.b.origin(r) & memory for r in reads(ctx.b, p[1]))  # type: ignore[arg-type]
        for p in rest
    )


def _definition(scope: _Scope, x: Operand) -> Stmt | None:
    return next((s for s in scope.stmts if x in defined(s)), None) if isinstance(x, Var) else None


def can_hoist(scope: _Scope, x: Operand) -> bool:
    """Whether a length that a block computes could be computed before the block."""
    s = _definition(scope, x)
    if s is None:
        return True
    if not isinstance(s, Op | Dim) or (isinstance(s, Op) and s.op in ("floordiv", "mod")):
        return False
    return all(can_hoist(scope, y) for y in operands(s))


def unknown_length(ctx: Specialiser, where: str) -> NoReturn:
    ctx.error(
        InferenceError,
        f"the length of an array that leaves the {where} is known only inside it",
        "its memory has to be there before",
        f"make the array before the {where}",
    )


def hoisted(ctx: Specialiser, scope: _Scope, x: Operand, where: str) -> Operand:
    """A length that a block computes, computed before the block instead."""
    s = _definition(scope, x)
    if s is None:
        return x
    if not can_hoist(scope, x):
        unknown_length(ctx, where)
    for y in operands(s):
        hoisted(ctx, scope, y, where)
    scope.stmts.remove(s)
    ctx.b.emit(s)
    ctx.b.scopes[-1].known.update({k: v for k, v in scope.known.items() if v is x})
    return x


__all__ = [
    "Key",
    "arrays_in",
    "can_hoist",
    "copy_all",
    "freeze",
    "hoisted",
    "is_own",
    "names_now",
    "outside",
    "reopened",
    "require_lengths",
    "thawed",
    "undoing",
    "unknown_length",
]
