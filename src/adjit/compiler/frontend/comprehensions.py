"""List, generator and dict comprehensions.

Over items whose number is known they are written out; over an open range they fill an array, which stands
for the list. Input: the node. Output: a `Sequence_`, a `Mapping_`, or an array that only indexing, iteration
and NumPy functions take. Invariants: variables of a comprehension do not leak. Where a condition decides at
run time whether there is an item, or the function changes the length later, the list grows (`lists`). Non-
goals: sets.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InferenceError, UnsupportedSyntaxError
from ..ir.nodes import Operand, Var
from ..ir.types import INT
from . import arrays, containers
from .arrays.promote import dtype_of, is_array, is_number
from .blocks import hoisted, undoing
from .branches import branch
from .passes import Counted, Loop
from .passes import run as run_loop
from .python_builtins import stream
from .scope import MUTATORS
from .structure import children, with_children
from .values import (
    ArrayValue,
    Closure,
    IndexSpace,
    Mapping_,
    Method,
    ScalarValue,
    Sequence_,
    Static,
    Stream,
    Value,
    VirtualArray,
)

if TYPE_CHECKING:
    from .specialise import Specialiser

Comprehension = ast.ListComp | ast.GeneratorExp | ast.DictComp


def evaluate(ctx: Specialiser, node: Comprehension) -> Value:
    kept = dict(ctx.frame.names)
    try:
        value = _evaluate(ctx, node)
        lambdas = frozenset(n for n in ast.walk(node) if isinstance(n, ast.Lambda))
        return _closed(ctx, node, value, lambdas) if lambdas else value
    finally:
        for g in node.generators:
            for name in (n.id for n in ast.walk(g.target) if isinstance(n, ast.Name)):
                ctx.frame.names.pop(name, None)
                if name in kept:
                    ctx.frame.names[name] = kept[name]


def _closed(ctx: Specialiser, node: Comprehension, value: Value, lambdas: frozenset[ast.Lambda]) -> Value:
    """The functions of a comprehension see its variables, as these are at its end."""
    frame = ctx.frame
    targets = [n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)]
    inner = ctx.new_frame(frame.source, frame.facts, frame.stops, frozenset(targets), frame, frame.quiet)
    inner.names = {k: ctx.settled(frame.names[k], k) for k in targets if k in frame.names}

    def visit(v: Value) -> Value:
        if isinstance(v, Closure) and v.node in lambdas and v.scope is frame:
            return Closure(v.node, inner, v.defaults)
        items = children(v)
        return v if items is None else with_children(v, [visit(x) for x in items])

    return visit(value)


def _evaluate(ctx: Specialiser, node: Comprehension) -> Value:
    if isinstance(node, ast.DictComp):
        pairs: dict[object, Value] = {}

        def keep() -> None:
            pairs[containers.key(ctx, ctx.eval(node.key))] = ctx.settled(ctx.eval(node.value), "item")

        _each(ctx, node, node.generators, keep)
        return Mapping_(pairs)
    over = _open(ctx, node) if not _changes_length(ctx, node) else None
    if over is not None:
        return _filled(ctx, node, over)
    undo = undoing(ctx)
    try:
        return _written_out(ctx, node)
    except _Grows:
        undo()
        return _collected(ctx, node)


class _Grows(Exception):
    """The length of the list is known at run time only."""


def _written_out(ctx: Specialiser, node: ast.ListComp | ast.GeneratorExp) -> Value:
    found: list[Value] = []
    single = len(node.generators) == 1

    def take() -> None:
        value = ctx.eval(node.elt)
        found.append(value if single and isinstance(node, ast.GeneratorExp) else ctx.settled(value, "item"))

    _each(ctx, node, node.generators, take)
    return Sequence_(tuple(found), tuple if isinstance(node, ast.GeneratorExp) else list)


def _each(
    ctx: Specialiser, node: ast.AST, generators: list[ast.comprehension], take: Callable[[], None]
) -> None:
    """Run `take` for each combination, written out."""
    if not generators:
        take()
        return
    g, *rest = generators
    path = ctx.path
    source = _source(ctx, ctx.eval(g.iter))
    items = containers.known_items(ctx, source)
    if items is None and isinstance(node, ast.ListComp | ast.GeneratorExp):
        raise _Grows
    for k, item in enumerate(containers.items(ctx, source) if items is None else items):
        ctx.path = (*path, node, k)
        ctx.assign(g.target, item)
        if _passes(ctx, g):
            _each(ctx, node, rest, take)
    ctx.path = path


def _source(ctx: Specialiser, value: Value) -> Value:
    if isinstance(value, IndexSpace):
        ctx.error(
            UnsupportedSyntaxError, "np.ndindex in a comprehension is not supported", instead="use a loop"
        )
    return value


def _passes(ctx: Specialiser, g: ast.comprehension) -> bool:
    for test in g.ifs:
        found = ctx.truth(ctx.eval(test))
        if not isinstance(found, Static):
            raise _Grows
        if not found.value:
            return False
    return True


def _changes_length(ctx: Specialiser, node: ast.ListComp | ast.GeneratorExp) -> bool:
    """Whether the list is given to a name whose list the function lengthens or shortens."""
    return (node.lineno, node.col_offset) in growing(ctx.frame.source.node)


@functools.lru_cache(maxsize=1024)
def growing(function: ast.AST) -> frozenset[tuple[int, int]]:
    """Places of the comprehensions that make lists of changing length."""
    names: set[str] = set()
    made: list[tuple[str, ast.ListComp]] = []
    for n in ast.walk(function):
        match n:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if attr in MUTATORS:
                names.add(name)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add()):
                names.add(name)
            case ast.Delete(targets=targets):
                found = [t.value for t in targets if isinstance(t, ast.Subscript)]
                names.update(v.id for v in found if isinstance(v, ast.Name))
            case ast.Assign(targets=targets, value=ast.ListComp() as value):
                made += [(t.id, value) for t in targets if isinstance(t, ast.Name)]
    return frozenset((value.lineno, value.col_offset) for name, value in made if name in names)


def _open(ctx: Specialiser, node: ast.ListComp | ast.GeneratorExp) -> Stream | None:
    """What the comprehension runs over, when its length is known at run time only."""
    g = node.generators[0]
    value = ctx.eval(g.iter)
    if containers.known_items(ctx, value) is not None if not isinstance(value, IndexSpace) else True:
        return None
    if len(node.generators) > 1 or g.ifs:
        return None
    found = stream(ctx, value)
    return found if isinstance(found, Stream) else None


def _collected(ctx: Specialiser, node: ast.ListComp | ast.GeneratorExp) -> Value:
    """A list that grows in loops, as if the comprehension were written as loops with `append`."""
    name = ctx.fresh_name("items")
    ctx.frame.names[name] = Sequence_((), list)

    def take() -> None:
        ctx.call(Method(ctx.frame.names[name], "append"), [ctx.eval(node.elt)])

    def level(k: int) -> None:
        if k == len(node.generators):
            take()
            return
        g = node.generators[k]
        source = _source(ctx, ctx.eval(g.iter))
        ctx.retrying(lambda: _passes_of(ctx, (node, k), g, source, lambda: level(k + 1)))

    level(0)
    return ctx.frame.names.pop(name)


def _passes_of(
    ctx: Specialiser, key: object, g: ast.comprehension, source: Value, inner: Callable[[], None]
) -> None:
    """One `for` of a comprehension around what stands inside it."""

    def tested(tests: list[ast.expr]) -> None:
        if not tests:
            inner()
            return
        cond = ctx.truth(ctx.eval(tests[0]))
        if isinstance(cond, Static):
            if cond.value:
                tested(tests[1:])
            return
        x = arrays.scalar(ctx, cond)
        branch(ctx, x, lambda: tested(tests[1:]), lambda: None, lambda name: True)

    over = stream(ctx, source)
    if isinstance(over, Sequence_):
        path = ctx.path
        for k, item in enumerate(over.items):
            ctx.path = (*path, key, k)
            ctx.assign(g.target, item)
            tested(g.ifs)
        ctx.path = path
        return
    element = over.element
    index: list[Operand] = [ctx.b.const(0)]

    def bind(i: Var) -> None:
        index[0] = i

    def body() -> None:
        ctx.assign(g.target, element(index[0]))
        tested(g.ifs)

    header = Counted(ctx.b.const(0), over.length, 1, "i", bind)
    run_loop(ctx, Loop(key, header, body, (), frozenset(), frozenset()))


def _filled(ctx: Specialiser, node: ast.ListComp | ast.GeneratorExp, over: Stream) -> Value:
    """An array with one entry per pass."""
    target = node.generators[0].target

    def element(i: Operand) -> Value:
        ctx.assign(target, over.element(i))
        return ctx.eval(node.elt)

    shape, dtype = ctx.retrying(lambda: _entry_kind(ctx, over, element))
    place = arrays.full(ctx, ctx.b.alloc((over.length, *shape), dtype, "items"))
    zero = ctx.b.const(0)

    def bind(i: Var) -> None:
        index[0] = i

    index: list[Operand] = [zero]

    def body() -> None:
        value = element(index[0])
        arrays.setitem(ctx, place, ScalarValue(index[0], weak=True), value)

    header = Counted(zero, over.length, 1, "i", bind)
    ctx.retrying(lambda: run_loop(ctx, Loop(node, header, body, (), frozenset(), frozenset())))
    ctx.lists.add(place.base)
    return place


def _entry_kind(
    ctx: Specialiser, over: Stream, element: Callable[[Operand], Value]
) -> tuple[tuple[Operand, ...], str]:
    """Shape and dtype of an entry, from a walk that is thrown away but for what computes the shape."""
    kept = ctx.snapshot()
    with ctx.b.block():
        scope = ctx.b.scopes[-1]
        iv = ctx.b.fresh("i", INT)
        ctx.b.iterates(iv, ctx.b.const(0), over.length, 1)
        value = element(iv)
    ctx.restore(kept)
    if is_number(value):
        return (), dtype_of(ctx, value)
    if isinstance(value, ArrayValue | VirtualArray):
        return tuple(hoisted(ctx, scope, n, "comprehension") for n in value.shape), value.dtype
    if isinstance(value, Sequence_) and value.items and all(is_number(v) for v in value.items):
        row = arrays.numpy_call(ctx, np.array, [value], {})
        assert is_array(row)
        return (ctx.b.const(len(value.items)),), row.dtype  # type: ignore[union-attr]
    return ctx.error(InferenceError, "the entries of this list are neither numbers nor arrays of one shape")


__all__ = ["evaluate"]
