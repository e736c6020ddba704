"""Loop nests that put arrays into memory.

Input: an array as a value. Output: statements that store each of its elements, and the memory as an
`ArrayValue`. A copy whose source may read the target's memory elsewhere than at the element being written
goes through a temporary, as in NumPy. Non-goals: casting rules of assignment (`store`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ....errors import ShapeError
from ...ir.nodes import Block, For, Load, Operand, Stmt, Var
from ...ir.types import INT
from ...ir.visitor import blocks
from ..values import ArrayValue, Sequence_, Static, Value, VirtualArray
from . import linear, view
from .broadcast import require_equal, unsure_of, versioned
from .context import Context
from .promote import AnyArray, cast, dtype_of, operand, result_type

HINTS = "ijklmn"

Body = Callable[[Sequence[Operand]], None]


def nest(ctx: Context, shape: Sequence[Operand], body: Body, *, independent: bool = True) -> None:
    """Loops over all indices of `shape` in C order around `body`; an axis of length one needs no loop."""
    b = ctx.b
    index: list[Operand] = []

    def level(k: int) -> None:
        if k == len(shape):
            body(tuple(index))
            return
        if view.is_one(shape[k]):
            index.append(view.ZERO)
            level(k + 1)
            index.pop()
            return
        loop = b.loop(view.ZERO, linear.trip(b, shape[k]), HINTS[k % len(HINTS)])
        loop.independent = independent
        with loop as iv:
            index.append(iv)
            level(k + 1)
            index.pop()

    level(0)


def carried_nest(
    ctx: Context,
    shape: Sequence[Operand],
    inits: Sequence[tuple[str, Operand]],
    body: Callable[[Sequence[Operand], Sequence[Operand]], Sequence[Operand]],
) -> list[Operand]:
    """Loops over all indices of `shape` that hand scalars on: `body(index, values)` gives the next values."""
    b = ctx.b
    index: list[Operand] = []

    def level(k: int, values: Sequence[Operand]) -> list[Operand]:
        if k == len(shape):
            return list(body(tuple(index), values))
        if view.is_one(shape[k]):
            index.append(view.ZERO)
            after = level(k + 1, values)
            index.pop()
            return after
        iv, hi = b.fresh(HINTS[k % len(HINTS)], INT), linear.trip(b, shape[k])
        b.iterates(iv, view.ZERO, hi, 1)
        args = tuple(b.fresh(name, x.type) for name, x in inits)
        with b.block() as stmts:
            index.append(iv)
            yields = tuple(level(k + 1, args))
            index.pop()
        outs = tuple(b.fresh(name, x.type) for name, x in inits)
        b.emit(For(iv, view.ZERO, hi, 1, args, tuple(values), Block(tuple(stmts), yields), outs, loc=b.loc))
        return list(outs)

    return level(0, [x for _, x in inits])


def store_elements(ctx: Context, target: ArrayValue, source: AnyArray) -> None:
    """`target[i] = source[i]` for all i; the shapes agree, and no element depends on what is written."""
    b = ctx.b
    view.announce_write(ctx, target.base)

    def body(index: Sequence[Operand]) -> None:
        value = cast(b, view.element(ctx, source, index), target.dtype)
        b.store(target.base, view.base_index(b, target, index), value)

    versioned(ctx, unsure_of(source), lambda: nest(ctx, target.shape, body))


def allocate(
    ctx: Context, shape: Sequence[Operand], dtype: str, hint: str = "a", *, zeroed: bool = False
) -> ArrayValue:
    return view.full(ctx, ctx.b.alloc(tuple(shape), dtype, hint, zeroed=zeroed))


def materialise(ctx: Context, value: Value, hint: str = "a") -> ArrayValue:
    """A fresh array with the elements of `value`."""
    if not isinstance(value, ArrayValue | VirtualArray):
        x = operand(ctx, value, dtype_of(ctx, value))
        out = allocate(ctx, (), x.type.dtype, hint)
        ctx.b.store(out.base, (), x)
        return out
    out = allocate(ctx, value.shape, value.dtype, hint)
    store_elements(ctx, out, value)
    return out


def from_items(ctx: Context, value: Value, dtype: str | None = None, hint: str = "a") -> ArrayValue:
    """`np.array` of a nested list or tuple of numbers and arrays, or of a constant."""
    value = _lifted(value)
    shape = _shape_of(ctx, value)
    wanted = dtype or _items_dtype(ctx, value)
    out = allocate(ctx, shape, wanted, hint)
    _fill_items(ctx, out, value, wanted)
    return out


def _lifted(value: Value) -> Value:
    """A constant list, tuple or array as a sequence of values."""
    if isinstance(value, Static) and isinstance(value.value, list | tuple | np.ndarray):
        if isinstance(value.value, np.ndarray) and not value.value.ndim:
            return Static(value.value[()])
        return Sequence_(tuple(_lifted(Static(v)) for v in value.value), list)
    if isinstance(value, Sequence_):
        return Sequence_(tuple(_lifted(v) for v in value.items), list)
    return value


def _shape_of(ctx: Context, value: Value) -> tuple[Operand, ...]:
    if isinstance(value, ArrayValue | VirtualArray):
        return value.shape
    if not isinstance(value, Sequence_):
        return ()
    length: Operand = ctx.b.const(len(value.items))
    if not value.items:
        return (length,)
    shapes = [_shape_of(ctx, v) for v in value.items]
    if len({len(s) for s in shapes}) > 1:
        ctx.error(ShapeError, "setting an array element with a sequence: the parts have different shapes")
    for s in shapes[1:]:
        for x, y in zip(shapes[0], s, strict=True):
            require_equal(
                ctx, x, y, "setting an array element with a sequence: the parts have different shapes"
            )
    return (length, *shapes[0])


def _leaves(value: Value) -> list[Value]:
    if isinstance(value, Sequence_):
        return [leaf for v in value.items for leaf in _leaves(v)]
    return [value]


def _items_dtype(ctx: Context, value: Value) -> str:
    leaves = _leaves(value)
    return result_type(ctx, leaves) if leaves else "float64"


def _fill_items(ctx: Context, out: ArrayValue, value: Value, dtype: str) -> None:
    if isinstance(value, Sequence_):
        for k, v in enumerate(value.items):
            part = view.without_axis(ctx, out, 0, ctx.b.const(k))
            assert isinstance(part, ArrayValue)
            _fill_items(ctx, part, v, dtype)
    elif isinstance(value, ArrayValue | VirtualArray):
        store_elements(ctx, out, value)
    else:
        ctx.b.store(out.base, view.base_index(ctx.b, out, ()), operand(ctx, value, dtype))


def in_memory(ctx: Context, value: AnyArray, hint: str = "a") -> ArrayValue:
    """The array itself if it is memory, else a fresh one."""
    return value if isinstance(value, ArrayValue) else materialise(ctx, value, hint)


def copy_into(ctx: Context, target: ArrayValue, source: AnyArray) -> None:
    """Overwrite `target` with `source`, of equal shape, as if the source were read before anything is
    written.
    """
    if may_disturb(ctx, target, source):
        source = materialise(ctx, source, target.base.name)
    store_elements(ctx, target, source)


def may_disturb(ctx: Context, target: ArrayValue, source: AnyArray) -> bool:
    """Whether storing `source` into `target` element by element may overwrite what a later element still
    reads.

    The element functions are tried at a general index, in a block that is thrown away: harmless are loads
    of exactly the element that is written, and loads that differ from every written element by a constant
    on some fixed axis.
    """
    b = ctx.b
    origins = b.origin(target.base)
    if not origins & view.reads(b, source):
        return False
    with b.block() as scratch:
        index = [b.fresh("i", view.ONE.type) for _ in target.shape]
        for iv, n in zip(index, target.shape, strict=True):
            b.iterates(iv, view.ZERO, linear.trip(b, n), 1)
        written = view.base_index(b, target, index)
        view.element(ctx, source, index)
        return any(
            b.origin(x.array) & origins and not _harmless(ctx, x, target.base, written, index)
            for x in _loads(scratch)
        )


def _loads(stmts: Sequence[Stmt]) -> list[Load]:
    found: list[Load] = []
    for s in stmts:
        if isinstance(s, Load):
            found.append(s)
        for inner in blocks(s):
            found.extend(_loads(inner.stmts))
    return found


def _harmless(ctx: Context, load: Load, base: Var, written: Sequence[Operand], index: Sequence[Var]) -> bool:
    if load.array is not base:
        return False
    apart = [linear.difference(ctx.b, x, y) for x, y in zip(load.index, written, strict=True)]
    if all(d == 0 for d in apart):
        return True
    moving = set(index)
    return any(
        d is not None and d != 0 and not _mentions(ctx, y, moving)
        for d, y in zip(apart, written, strict=True)
    )


def _mentions(ctx: Context, x: Operand, variables: set[Var]) -> bool:
    """Whether an index depends on the loop variables of the nest (an opaque term is taken to)."""
    for _, _, v in linear.linear(ctx.b, x).terms:
        if v in variables:
            return True
        if isinstance(v, Var) and v in ctx.b.definitions and ctx.b.definitions[v].__class__.__name__ == "Op":
            return True
    return False
