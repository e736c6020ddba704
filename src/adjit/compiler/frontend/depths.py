"""How deep calls go that are inlined: counted, refused when there are too many, or made loops.

Input: a call and what is known of its arguments at compile time. Output: errors; the walk of a function that
calls itself, as the loop that `recursion` makes of it where constants do not decide its depth. Non-goals:
the rewrite.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...errors import AdjitError, UnsupportedSyntaxError
from .blocks import undoing
from .source import Source
from .values import Mapping_, Record, Sequence_, Static, Value

if TYPE_CHECKING:
    from .specialise import Specialiser

DEPTH = 60  # of inlined calls within each other that differ in run-time values only
MOST = 300  # of all
CALLS = 64  # of a function that calls itself and could be a loop
ALIKE = 4  # of such calls within each other, with the same known at compile time


class TooDeep(Exception):
    """A function that calls itself can be written as a loop, and has to be."""


def recursive(
    ctx: Specialiser, source: Source, loop: ast.FunctionDef, inlined_: Callable[[], Value]
) -> Value:
    """A function that calls itself: inlined where constants decide how deep, else as the loop that it is."""
    undo = undoing(ctx)
    ctx.loopable[source.node] = 0
    try:
        return inlined_()
    except TooDeep as deep:
        if deep.args[0] is not source.node:
            raise
        undo()
        ctx.loops_for[source.node] = loop
        undo = undoing(ctx)
        try:
            return inlined_()
        except AdjitError as error:  # such as arguments of several kinds: then as deep as the calls go
            undo()
            ctx.no_loop[source.node] = f"that is refused: {error.message}"
            ctx.loops_for.pop(source.node)
            ctx.inlined.add(source.node)
            ctx.loopable.pop(source.node)
            return inlined_()
    finally:
        ctx.loopable.pop(source.node, None)


def checked(ctx: Specialiser, name: str, node: ast.AST, values: Sequence[object]) -> tuple[object, ...]:
    """What is known of a call's arguments at compile time; too many calls of a function that agree in it, or
    too many calls altogether, are refused.
    """
    known = tuple(_known(v) for v in values)
    same = sum(f.source.node is node and f.known == known for f in ctx.frames)
    if node in ctx.loopable:
        ctx.loopable[node] += 1
        if ctx.loopable[node] > CALLS or same >= ALIKE:
            raise TooDeep(node)
    if same >= DEPTH or len(ctx.frames) >= MOST:
        for frame in ctx.frames:
            if frame.source.node in ctx.loopable:
                raise TooDeep(frame.source.node)
        ctx.error(UnsupportedSyntaxError, f"the calls go too deep at {name!r}", *_advice(ctx, name, node))
    return known


def _advice(ctx: Specialiser, name: str, node: ast.AST) -> tuple[str, str]:
    """Why calls that go too deep are not made a loop, and what helps."""
    last = max((k for k, f in enumerate(ctx.frames) if f.source.node is node), default=None)
    if last is None:
        return "calls are inlined", "call fewer functions from each other"
    others = dict.fromkeys(f.source.name for f in ctx.frames[last + 1 :] if f.source.node is not node)
    if others:
        return (
            f"{name!r} and {' and '.join(map(repr, others))} call each other: they are inlined, so the depth "
            "must be known at compile time",
            "make one function of them, with a parameter that says which (a function that calls itself can "
            "run as a loop), or write the loop",
        )
    reason = ctx.no_loop.get(node, "")
    return (
        "a function that calls itself is inlined, so its depth must be known at compile time"
        + (f"; it cannot run as a loop, since {reason}" if reason else ""),
        "write the recursion as a loop, or let a constant of the module decide its depth, not an argument",
    )


def _known(value: object) -> object:
    match value:
        case Static(value=constant):
            return repr(constant)
        case Sequence_(items=items):
            return tuple(_known(v) for v in items)
        case Mapping_(items=entries):
            return tuple(_known(v) for v in entries.values())
        case Record(items=fields):
            return tuple(_known(v) for v in fields.values())
    return type(value).__name__


__all__ = ["TooDeep", "checked", "recursive"]
