"""`for` and `while`: what is looped over, and whether the passes are written out.

Input: a loop statement of the normalised text. Output: statements, names rebound. A loop over items of known
number that are of different kinds is written out pass by pass; so is one in which something has to be known
at compile time. Invariants: the loop variable keeps its last value. Non-goals: what is carried from pass to
pass (`passes`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from ...errors import InferenceError, OverwriteError
from ..adjoint.checkpointed_loops import mark
from ..ir.builder import const
from ..ir.nodes import Const, Operand, Var
from . import arrays, conditions, containers, lists, lookup, passes, recomputed
from .blocks import undoing
from .branches import branch
from .items import holding
from .passes import Conditional, Counted, Loop, Unrollable
from .python_builtins import integer, range_item, stream, trips
from .values import (
    CheckpointedValue,
    IndexSpace,
    ListValue,
    RangeValue,
    ScalarValue,
    Sequence_,
    Static,
    Stream,
    Value,
)

if TYPE_CHECKING:
    from .specialise import Specialiser

UNROLLED = 4096


def while_(ctx: Specialiser, node: ast.While) -> None:
    facts = ctx.frame.facts

    marks: list[Operand | None] = []

    def test() -> Operand:
        marks.clear()
        over = _tested(ctx, node)
        if isinstance(over, CheckpointedValue):
            marks.append(recomputed.condition(ctx, over))
            over = over.over
        found = ctx.truth(over)
        return const(bool(found.value)) if isinstance(found, Static) else arrays.scalar(ctx, found)

    def body() -> None:
        for snapshots in marks:
            mark(ctx.b, snapshots)
        ctx.run(node.body)

    loop = Loop(
        node,
        Conditional(test),
        body,
        facts.assigned[node],
        facts.head[node],
        facts.entered[node],
        ctx.frame.stops.get(node),
    )
    try:
        ctx.retrying(lambda: passes.run(ctx, loop))
    except Unrollable as error:
        _changes(ctx, error)


def _tested(ctx: Specialiser, node: ast.While) -> Value:
    """The value of a condition, which must leave arrays as they are."""
    log, ctx.written, first = ctx.written, set(), ctx.b.names.next
    found = conditions.tested(ctx, node.test)
    outside = any(r.number < first for r in ctx.written)
    ctx.written |= log
    if outside:
        ctx.error(
            OverwriteError,
            "the condition of a `while` writes an array",
            "it is evaluated once more than the body",
            "call it in the body, and test its result",
        )
    return found


def _changes(ctx: Specialiser, error: Unrollable) -> None:
    otherwise = (
        "keep its type and rank the same in each pass; lists hold numbers, tuples or arrays of one kind"
    )
    instead = lookup.remedy(error.reason, otherwise)
    ctx.error(InferenceError, f"{error.name!r} changes its kind in a loop", error.reason, instead)


def for_(ctx: Specialiser, node: ast.For) -> None:
    undo = undoing(ctx)
    over = ctx.eval(node.iter)
    if isinstance(over, CheckpointedValue):
        _checkpointed(ctx, node, over)
        return
    if isinstance(over, Stream) and any(isinstance(v, ListValue) for v in over.over):
        undo()
        ctx.retrying(lambda: _over_lists(ctx, node))
        return
    if not isinstance(over, ListValue) and not (isinstance(over, Sequence_) and over.kind is list):
        ctx.retrying(lambda: _for(ctx, node, over))
        return
    name = ctx.fresh_name("over")
    ctx.frame.names[name] = over
    ctx.retrying(lambda: _over_list(ctx, node, name))
    ctx.frame.names.pop(name, None)


def _checkpointed(ctx: Specialiser, node: ast.For, found: CheckpointedValue) -> None:
    over = found.over
    if not isinstance(over, RangeValue):
        ctx.error(
            InferenceError,
            f"a `for` loop over {containers.describe(over)} cannot be checkpointed",
            instead="loop over checkpoint(range(n)), and index",
        )
    snapshots = recomputed.snapshots(ctx, found)

    def body() -> None:
        mark(ctx.b, snapshots)
        ctx.run(node.body)

    counted = found.counted
    if counted is None:
        ctx.retrying(lambda: _counted(ctx, node, over, None, body))
    else:
        ctx.retrying(lambda: _enumerated(ctx, node, over, counted, body))


def _enumerated(
    ctx: Specialiser, node: ast.For, over: RangeValue, start: Value, body: Callable[[], None]
) -> None:
    """A loop over `enumerate(range, start)`, never written out."""
    first = arrays.scalar(ctx, integer(ctx, start))

    def assign(k: Operand) -> None:
        count = ScalarValue(ctx.b.op("add", k, first), weak=True)
        ctx.assign(node.target, Sequence_((count, range_item(ctx, over, k))))

    _run(ctx, node, Counted(const(0), trips(ctx, over), 1, "k", assign, over.promised), None, body)


def _over_lists(ctx: Specialiser, node: ast.For) -> None:
    """A loop over several lists, or their numbers: these are looked up again when the loop is walked
    again.
    """
    undo = undoing(ctx)
    try:
        _for(ctx, node, ctx.eval(node.iter))
    except Exception:
        undo()
        raise


def _over_list(ctx: Specialiser, node: ast.For, name: str) -> None:
    """A loop over a list. One that the loop changes is read anew in each pass, as Python does."""
    over = ctx.frame.names[name]
    if (node, ctx.path) in ctx.unroll:
        _while_items(ctx, node, name)
        return
    undo = undoing(ctx)
    try:
        _for(ctx, node, over, name)
        if _as_long(ctx.frame.names[name], over):
            return
    except _Changed:
        pass
    now = ctx.frame.names[name]
    undo()

    def prepare() -> None:
        ctx.unroll.add((node, ctx.path))
        item = holding(ctx, lists.movable(ctx, over), now)
        if isinstance(over, Sequence_) and item is not None:
            lists.moved(ctx, over, item)

    ctx.walk_again(ctx.b.scopes[-1], prepare)


def _as_long(now: Value, over: Value) -> bool:
    """Whether a list that is looped over still has its length, as far as that is known at compile time."""
    if isinstance(now, Sequence_) and isinstance(over, Sequence_):
        return len(now.items) == len(over.items)
    return now is over


def _while_items(ctx: Specialiser, node: ast.For, name: str) -> None:
    """`while at < len(x): target = x[at]; at += 1; …`"""
    names, facts, at = ctx.frame.names, ctx.frame.facts, ctx.fresh_name("at")
    if not isinstance(names[name], ListValue) or ctx.typed_lists:  # Numba's lists refuse it themselves
        _refuse_change(ctx)
    names[at] = Static(0)

    def test() -> Operand:
        x = ctx.frame.names[name]
        assert isinstance(x, ListValue)
        return ctx.b.op("lt", arrays.scalar(ctx, ctx.frame.names[at]), lists.length(ctx, x))

    def body() -> None:
        x, k = ctx.frame.names[name], arrays.scalar(ctx, ctx.frame.names[at])
        assert isinstance(x, ListValue)
        ctx.frame.names[at] = ScalarValue(ctx.b.op("add", k, const(1)), weak=True)
        ctx.assign(node.target, lists.get(ctx, x, k))
        ctx.run(node.body)

    own = frozenset((at, name))
    loop = Loop(
        node,
        Conditional(test),
        body,
        (*facts.assigned[node], at),
        facts.head[node] | own,
        facts.entered[node] | own,
        ctx.frame.stops.get(node),
    )
    try:
        passes.run(ctx, loop)
    except Unrollable as error:
        _changes(ctx, error)
    ctx.frame.names.pop(at, None)


def _item_now(ctx: Specialiser, name: str, items: list[Value], at: int) -> Value:
    now = ctx.frame.names[name]
    if not isinstance(now, Sequence_) or len(now.items) != len(items):
        raise _Changed
    return now.items[at]


class _Changed(Exception):
    """The list that is looped over changes."""


def _refuse_change(ctx: Specialiser) -> NoReturn:
    ctx.error(
        OverwriteError,
        "a list is changed while a loop runs over it",
        "how far the loop runs would depend on the changes",
        "write 'while i < len(x)' instead, or loop over a copy",
    )


def _for(ctx: Specialiser, node: ast.For, over: Value, name: str | None = None) -> None:
    if isinstance(over, IndexSpace):
        _nest(ctx, node, over)
        return
    if isinstance(over, RangeValue):
        found = containers.known_items(ctx, over)
        if found is None or (node, ctx.path) not in ctx.unroll:
            _counted(ctx, node, over, found)
            return
        _unrolled(ctx, node, found)
        return
    source = stream(ctx, over)
    if isinstance(source, Sequence_):
        _unrolled(ctx, node, list(source.items), name)
        return
    header = Counted(const(0), source.length, 1, "i", lambda iv: ctx.assign(node.target, source.element(iv)))
    _held(ctx, source.over, lambda: _run(ctx, node, header, None), direct=isinstance(over, ListValue))


def _held(ctx: Specialiser, over: Sequence[Value], walk: Callable[[], None], *, direct: bool = False) -> None:
    """While an array is looped over, its memory is in use; a list must keep its length."""
    names = [ctx.fresh_name("over") for _ in over]
    for name, value in zip(names, over, strict=True):
        ctx.frame.names[name] = value
    counts = {v.count for v in over if isinstance(v, ListValue)}
    written = ctx.written & counts
    ctx.written -= counts
    walk()
    if ctx.written & counts:
        if direct:
            raise _Changed
        _refuse_change(ctx)
    ctx.written |= written
    for name in names:
        ctx.frame.names.pop(name, None)


def _counted(
    ctx: Specialiser,
    node: ast.For,
    over: RangeValue,
    items: list[Value] | None,
    body: Callable[[], None] | None = None,
) -> None:
    lo, hi, step = (arrays.scalar(ctx, v) for v in (over.lo, over.hi, over.step))
    hint = node.target.id if isinstance(node.target, ast.Name) else "i"
    if isinstance(step, Const):
        if step.value == 0:
            ctx.error(InferenceError, "range() arg 3 must not be zero")
        header = Counted(
            lo,
            hi,
            int(step.value),
            hint,
            lambda iv: ctx.assign(node.target, ScalarValue(iv, weak=True)),
            over.promised,
        )
    else:
        header = Counted(
            const(0),
            trips(ctx, over),
            1,
            "k",
            lambda k: ctx.assign(node.target, range_item(ctx, over, k)),
            over.promised,
        )
    _run(ctx, node, header, items, body)


def _run(
    ctx: Specialiser,
    node: ast.For,
    header: Counted,
    items: list[Value] | None,
    body: Callable[[], None] | None = None,
) -> None:
    """The loop as one of core IR, or written out where its `items` are known and differ; `body` walks what
    is more than the statements.
    """
    facts = ctx.frame.facts
    loop = Loop(
        node,
        header,
        body or (lambda: ctx.run(node.body)),
        facts.assigned[node],
        facts.head[node],
        facts.entered[node],
        ctx.frame.stops.get(node),
        unrollable=items is not None,
    )
    kept = ctx.snapshot()
    try:
        passes.run(ctx, loop)
    except Unrollable as error:
        if items is None:
            _changes(ctx, error)
        ctx.restore(kept)
        ctx.unroll.add((node, ctx.path))
        assert items is not None
        _unrolled(ctx, node, items)


def _unrolled(ctx: Specialiser, node: ast.For, items: list[Value], name: str | None = None) -> None:
    """The passes one after the other; `name` is that of the list that is looped over."""
    path = ctx.path
    stop = ctx.frame.stops.get(node)
    facts = ctx.frame.facts
    live = facts.after[node] | facts.head[node]

    def rest(k: int) -> None:
        for at in range(k, len(items)):
            ctx.path = (*path, node, at)
            if stop is not None:
                ctx.frame.names[stop] = Static(False)
            ctx.assign(node.target, items[at] if name is None else _item_now(ctx, name, items, at))
            ctx.run(node.body)
            if ctx.dead or stop is None:
                if ctx.dead:
                    return
                continue
            ended = ctx.truth(ctx.load(stop))
            if isinstance(ended, Static):
                if ended.value:
                    return
                continue
            if at + 1 < len(items):
                x = arrays.scalar(ctx, ended)
                branch(ctx, x, lambda: None, lambda: rest(at + 1), lambda n: n in live or n == stop)  # noqa: B023
            return

    rest(0)
    ctx.path = path


def _nest(ctx: Specialiser, node: ast.For, space: IndexSpace) -> None:
    """`for index in np.ndindex(shape)`: loops in each other; an early exit leaves them all."""
    facts = ctx.frame.facts
    rank = len(space.shape)
    stop = ctx.frame.stops.get(node)
    flags = tuple(f"{stop}.{k}" if k < rank - 1 else stop for k in range(rank)) if stop is not None else ()
    found: list[Var] = []

    def innermost() -> None:
        index = Sequence_(tuple(ScalarValue(i, weak=True) for i in found))
        item = index if space.array is None else Sequence_((index, ctx.subscript(space.array, index)))
        ctx.assign(node.target, item)
        ctx.run(node.body)
        if stop is not None and not ctx.dead:
            for flag in flags[:-1]:
                ctx.frame.names[str(flag)] = ctx.frame.names[stop]

    def level(k: int) -> None:
        if k == rank:
            innermost()
            return

        def bind(iv: Var) -> None:
            del found[k:]
            found.append(iv)

        outer = tuple(str(f) for f in flags[:k])
        loop = Loop(
            (node, k),
            Counted(const(0), space.shape[k], 1, "ijklmn"[k] if k < 6 else f"i{k}", bind),
            lambda: level(k + 1),
            (*facts.assigned[node], *outer),
            facts.head[node] | frozenset(outer),
            facts.entered[node],
            flags[k] if flags else None,
        )
        ctx.retrying(lambda: passes.run(ctx, loop))

    try:
        level(0)
    except Unrollable as error:
        _changes(ctx, error)


__all__ = ["for_", "while_"]
