"""Arrays as views of array variables: elements, whole arrays, slices, axis orders. Views never reach the IR
unless a library call needs a variable.

Input: `ArrayValue` or `VirtualArray` and indices as operands, one per axis, known to lie in range. Output:
operands (elements) or values (views). Invariant: no view here copies or emits a load, `element` and `load`
apart. Non-goals: what a user's index means (`indexing`), stores (`store`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ....errors import OverwriteError
from ...ir.builder import Builder, const
from ...ir.nodes import Const, Operand, Slice, Var
from ...ir.types import Array
from ..values import ArrayValue, VirtualArray
from . import linear
from .context import Context
from .promote import AnyArray

Index = Sequence[Operand]

ZERO, ONE = const(0), const(1)


@dataclass
class StandIn:
    """A copy in place of a possible view: the memory it copies, the blocks open when it was made, where it
    was read.
    """

    origins: frozenset[Var]
    scopes: tuple[object, ...]
    reads: list[tuple[object, ...]] = field(default_factory=list)
    stale: bool = False


def full(ctx: Context, var: Var) -> ArrayValue:
    """The whole of an array variable."""
    assert isinstance(var.type, Array)
    return ArrayValue(var, tuple(Slice(k, ZERO, ctx.b.dim(var, k), ONE) for k in range(var.type.ndim)))


def is_one(x: Operand) -> bool:
    return isinstance(x, Const) and x.value == 1


def is_zero(x: Operand) -> bool:
    return isinstance(x, Const) and x.value == 0


def is_whole(b: Builder, a: ArrayValue) -> bool:
    """Whether the view is its base: every axis in order, from end to end."""
    if a.fixed or len(a.axes) != getattr(a.base.type, "ndim", -1):
        return False
    return all(
        s.axis == k and is_zero(s.start) and is_one(s.step) and linear.equal(b, s.length, b.dim(a.base, k))
        for k, s in enumerate(a.axes)
    )


def base_index(b: Builder, a: ArrayValue, index: Index) -> tuple[Operand, ...]:
    """The index into the base of element `index` of the view."""
    found: dict[int, Operand] = dict(a.fixed)
    for s, i in zip(a.axes, index, strict=True):
        if s.axis is not None:
            found[s.axis] = along(b, s, i)
    return tuple(found[k] for k in range(len(found)))


def along(b: Builder, s: Slice, i: Operand) -> Operand:
    """Where element `i` of an axis lies on its base axis."""
    return linear.plus(b, s.start, linear.times(b, i, s.step))


def element(ctx: Context, a: AnyArray, index: Index) -> Operand:
    """The element at an index that is in range."""
    if isinstance(a, VirtualArray):
        return a.element(index)
    note_read(ctx, a.base)
    return ctx.b.load(a.base, base_index(ctx.b, a, index))


def reads(b: Builder, a: AnyArray) -> frozenset[Var]:
    """The memory that the array's elements depend on."""
    return a.reads if isinstance(a, VirtualArray) else b.origin(a.base)


def as_variable(ctx: Context, a: ArrayValue) -> Var:
    """A variable whose elements are those of the view."""
    note_read(ctx, a.base)
    if is_whole(ctx.b, a):
        return a.base
    return ctx.b.view(a.base, a.axes, a.fixed)


# -- copies that NumPy might have made views


def surely_copied(b: Builder, a: ArrayValue) -> bool:
    """Whether a reshape of this view is a copy whatever the lengths: never certain where an axis may have
    length one.
    """
    return all(
        s.axis is not None and isinstance(s.length, Const) and s.length.value > 1 for s in a.axes
    ) and any(s.axis != k for k, s in enumerate(a.axes))


def stand_in(ctx: Context, copy: Var, source: Var) -> None:
    """Note that `copy` holds what NumPy may give as a view of `source`."""
    b = ctx.b
    b.copies[copy] = StandIn(b.origin(source), tuple(b.scopes))


def note_read(ctx: Context, array: Var) -> None:
    standing = ctx.b.copies.get(array) if ctx.b.copies else None
    if isinstance(standing, StandIn):
        if standing.stale:
            _refuse(ctx, "is read after the array it was made from was written")
        standing.reads.append(tuple(ctx.b.scopes))


def announce_write(ctx: Context, array: Var) -> None:
    """To be called before each store: pending virtual arrays are forced, stand-ins of the memory become
    stale.
    """
    b = ctx.b
    written = b.origin(array)
    for copy, standing in b.copies.items():
        assert isinstance(standing, StandIn)
        if b.origin(copy) & written:
            _refuse(ctx, "is written")
        if standing.origins & written:
            standing.stale = True
            depth = len(standing.scopes)
            inner = b.scopes[depth] if len(b.scopes) > depth else None
            if inner is not None and any(any(s is inner for s in r) for r in standing.reads):
                _refuse(ctx, "is read in a loop that writes the array it was made from")
    ctx.before_write(array)


def _refuse(ctx: Context, what: str) -> None:
    ctx.error(
        OverwriteError,
        f"a reshaped array {what}",
        "whether NumPy gives a view or a copy here depends on the strides at run time",
        "copy the array before it is reshaped",
    )


# -- views of views


def derived(
    source: VirtualArray, shape: tuple[Operand, ...], element: Callable[[Index], Operand]
) -> VirtualArray:
    """A virtual array that consists of elements of another one."""
    return replace(source, shape=shape, element=element)


def remap(
    ctx: Context,
    a: AnyArray,
    shape: tuple[Operand, ...],
    to_old: Callable[[Index], Index],
    axes: Callable[[tuple[Slice, ...]], tuple[Slice, ...]],
) -> AnyArray:
    """The array whose element `i` is `a[to_old(i)]`; `axes` says the same about the axes of a view."""
    if isinstance(a, VirtualArray):
        source = a
        return derived(source, shape, lambda index: source.element(to_old(index)))
    return ArrayValue(a.base, axes(a.axes), a.fixed)


def permuted(ctx: Context, a: AnyArray, order: Sequence[int]) -> AnyArray:
    """Axis k of the result is axis `order[k]`."""
    where = [list(order).index(k) for k in range(len(order))]
    shape = tuple(a.shape[k] for k in order)
    return remap(ctx, a, shape, lambda i: [i[w] for w in where], lambda s: tuple(s[k] for k in order))


def transposed(ctx: Context, a: AnyArray) -> AnyArray:
    return permuted(ctx, a, range(len(a.shape))[::-1])


def with_new_axis(ctx: Context, a: AnyArray, at: int) -> AnyArray:
    """A new axis of length one at position `at`."""
    fresh = Slice(None, ZERO, ONE, ONE)
    shape = (*a.shape[:at], ONE, *a.shape[at:])
    return remap(ctx, a, shape, lambda i: [*i[:at], *i[at + 1 :]], lambda s: (*s[:at], fresh, *s[at:]))


def without_axis(ctx: Context, a: AnyArray, at: int, index: Operand = ZERO) -> AnyArray:
    """Axis `at` dropped by taking `index` on it."""
    shape = (*a.shape[:at], *a.shape[at + 1 :])
    if isinstance(a, VirtualArray):
        source = a
        return derived(source, shape, lambda i: source.element([*i[:at], index, *i[at:]]))
    s = a.axes[at]
    fixed = a.fixed if s.axis is None else (*a.fixed, (s.axis, along(ctx.b, s, index)))
    return ArrayValue(a.base, (*a.axes[:at], *a.axes[at + 1 :]), fixed)


def sliced(ctx: Context, a: AnyArray, at: int, start: Operand, length: Operand, step: Operand) -> AnyArray:
    """`length` elements of axis `at`, `step` apart from `start` on."""
    b = ctx.b
    shape = (*a.shape[:at], length, *a.shape[at + 1 :])
    part = Slice(at, start, length, step)
    return remap(
        ctx,
        a,
        shape,
        lambda i: [*i[:at], along(b, part, i[at]), *i[at + 1 :]],
        lambda s: (*s[:at], _slice_of(b, s[at], start, length, step), *s[at + 1 :]),
    )


def _slice_of(b: Builder, s: Slice, start: Operand, length: Operand, step: Operand) -> Slice:
    if s.axis is None:
        return Slice(None, ZERO, length, ONE)
    return Slice(s.axis, along(b, s, start), length, linear.times(b, s.step, step))


def broadcast(ctx: Context, a: AnyArray, shape: tuple[Operand, ...]) -> AnyArray:
    """The array seen with a shape that it is known to broadcast to: axes of length one repeat."""
    lead = len(shape) - len(a.shape)
    repeats = [is_one(n) and not is_one(m) for n, m in zip(a.shape, shape[lead:], strict=True)]
    if lead == 0 and not any(repeats):
        return a

    def axes(s: tuple[Slice, ...]) -> tuple[Slice, ...]:
        old = [
            Slice(None, ZERO, m, ONE) if r else x for x, m, r in zip(s, shape[lead:], repeats, strict=True)
        ]
        return (*(Slice(None, ZERO, m, ONE) for m in shape[:lead]), *old)

    def to_old(i: Index) -> Index:
        return [ZERO if r else x for x, r in zip(i[lead:], repeats, strict=True)]

    if isinstance(a, ArrayValue) and any(repeats):
        fixed = [(s.axis, s.start) for s, r in zip(a.axes, repeats, strict=True) if r and s.axis is not None]
        return ArrayValue(a.base, axes(a.axes), (*a.fixed, *fixed))
    return remap(ctx, a, shape, to_old, axes)
