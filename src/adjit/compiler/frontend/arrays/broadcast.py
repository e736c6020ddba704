"""Broadcasting: the common shape of several arrays, and each of them seen with it.

An axis repeats where its length is the constant 1; lengths of arguments that are 1 at the call are compiled
in as constants (`ArraySpec.ones`). Two other lengths are equal by proof, or by a check if neither can be 1.
Where one of them may turn out to be 1 only at run time (a slice's length, say), the pair is kept as
*unsure*: an element's index then depends on the outcome, and a nest over such an array is emitted twice,
for equal lengths with plain indices and for the rest (`versioned`), so that the usual case stays affine.
With `GUESS` such lengths are taken to be equal instead, under a check of the kind `UNEQUAL`: a program that
fails it is to be compiled anew without the guess and run again.
The same slice of two arrays is taken to mean arrays of equal length, and refused otherwise, even if one of
the slices has length 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar

from ....errors import ShapeError
from ...ir.nodes import UNEQUAL, Block, Const, Operand
from ..values import ArrayValue, VirtualArray
from . import linear, view
from .context import Context
from .promote import AnyArray

Shape = tuple[Operand, ...]
Pairs = tuple[tuple[Operand, Operand], ...]

GUESS: ContextVar[bool] = ContextVar("guess", default=False)
MISMATCH = "operands could not be broadcast together: lengths of axis {axis} differ"
ASSIGNMENT = "could not broadcast input array into the array assigned to: lengths of axis {axis} differ"


def shape_text(shape: Sequence[Operand]) -> str:
    """A shape as NumPy prints it; a length known only at run time by its name."""
    words = [str(n.value) if isinstance(n, Const) else n.name for n in shape]
    return f"({','.join(words)}{',' if len(words) == 1 else ''})"


def require_equal(ctx: Context, x: Operand, y: Operand, message: str, remedy: str = "") -> None:
    """Two lengths must agree: now, or by a check when the program runs."""
    b = ctx.b
    known = linear.difference(b, x, y)
    if known == 0:
        return
    if known is not None and isinstance(x, Const) and isinstance(y, Const):
        ctx.error(ShapeError, f"{message}: {x.value} and {y.value}", instead=remedy)
    b.check(b.op("eq", x, y), "ShapeError", f"{message}: {{}} and {{}}", x, y, remedy=remedy)
    linear.assume_equal(b, x, y)


def require_broadcast(ctx: Context, n: Operand, target: Operand, message: str) -> None:
    """An axis of length `n` must fit one of length `target`: equal, or 1 where that is possible."""
    b = ctx.b
    if view.is_one(n) or linear.equal(b, n, target):
        return
    require_counterparts(ctx, n, target, message)
    if linear.equal(b, n, target):
        return
    if not linear.may_be_one(b, n):
        require_equal(ctx, target, n, message)
        return
    if GUESS.get() and not linear.at_most_one(b, n):
        b.check(b.op("eq", n, target), UNEQUAL, message)
        linear.assume_equal(b, n, target)
        return
    fits = b.op("or", b.op("eq", n, target), b.op("eq", n, view.ONE))
    b.check(fits, "ShapeError", f"{message}: {{}} and {{}}", n, target)


def require_counterparts(ctx: Context, n: Operand, m: Operand, message: str) -> None:
    pair = linear.counterparts(ctx.b, n, m)
    if pair is not None:
        require_equal(ctx, *pair, message)


def common_shape(ctx: Context, shapes: Sequence[Shape]) -> Shape:
    """The shape that all of `shapes` broadcast to, with checks."""
    rank = max((len(s) for s in shapes), default=0)
    out: list[Operand] = []
    for axis in range(rank):
        lengths = [s[axis - rank + len(s)] for s in shapes if axis - rank + len(s) >= 0]
        known = [n for n in lengths if isinstance(n, Const) and not view.is_one(n)]
        if any(n.value != known[0].value for n in known):
            texts = " ".join(shape_text(s) for s in shapes)
            ctx.error(ShapeError, f"operands could not be broadcast together with shapes {texts}")
        out.append(_common_length(ctx, [n for n in lengths if not view.is_one(n)], axis))
    return tuple(out)


def _common_length(ctx: Context, lengths: list[Operand], axis: int) -> Operand:
    """The length of an axis on which the operands have these lengths, none of them the constant 1."""
    b = ctx.b
    if not lengths:
        return view.ONE
    message = MISMATCH.format(axis=axis)
    for n in lengths[1:]:
        if not linear.equal(b, lengths[0], n):
            require_counterparts(ctx, lengths[0], n, message)
    chosen: Operand | None = next((n for n in lengths if isinstance(n, Const)), None)
    chosen = chosen or next((n for n in lengths if not linear.may_be_one(b, n)), None)
    if chosen is None:
        chosen = lengths[0]
        for n in lengths[1:]:
            guessed = GUESS.get() and not linear.at_most_one(b, chosen)
            if not guessed and not linear.equal(b, chosen, n):
                chosen = b.op("select", b.op("eq", chosen, view.ONE), n, chosen)
    for n in lengths:
        if n is not chosen:
            require_broadcast(ctx, n, chosen, message)
    return chosen


def fit(ctx: Context, shape: Shape, target: Shape) -> int:
    """Check that an array of shape `shape` can be assigned to one of shape `target`.

    The result is the number of leading axes of length one that the source has too many.
    """
    extra = max(len(shape) - len(target), 0)
    if not all(view.is_one(n) for n in shape[:extra]):
        ctx.error(
            ShapeError,
            f"could not broadcast input array from shape {shape_text(shape)} into shape {shape_text(target)}",
        )
    kept = shape[extra:]
    lead = len(target) - len(kept)
    for axis, n in enumerate(kept, start=lead):
        require_broadcast(ctx, n, target[axis], ASSIGNMENT.format(axis=axis))
    return extra


# -- arrays seen with a larger shape


def expanded(ctx: Context, a: AnyArray, shape: Shape) -> AnyArray:
    """The array with a shape that it has been checked to broadcast to."""
    b = ctx.b
    lead = len(shape) - len(a.shape)
    unsure = tuple(
        (n, m)
        for n, m in zip(a.shape, shape[lead:], strict=True)
        if not view.is_one(n) and not linear.equal(b, n, m) and linear.may_be_one(b, n)
    )
    if not unsure:
        return view.broadcast(ctx, a, shape)
    source = a

    def element(index: view.Index) -> Operand:
        own = [
            _position(ctx, n, m, i) for n, m, i in zip(source.shape, shape[lead:], index[lead:], strict=True)
        ]
        return view.element(ctx, source, own)

    pairs, cost = unsure_of(a), a.cost if isinstance(a, VirtualArray) else 0
    return VirtualArray(shape, a.dtype, element, view.reads(b, a), cost, _joined(pairs, unsure))


def _position(ctx: Context, n: Operand, m: Operand, i: Operand) -> Operand:
    b = ctx.b
    if view.is_one(n):
        return view.ZERO if not view.is_one(m) else i
    if linear.equal(b, n, m) or not linear.may_be_one(b, n):
        return i
    return b.op("select", b.op("eq", n, view.ONE), view.ZERO, i)


def unsure_of(a: AnyArray) -> Pairs:
    return () if isinstance(a, ArrayValue) else a.unsure


def _joined(x: Pairs, y: Pairs) -> Pairs:
    return (*x, *(p for p in y if p not in x))


def together(pairs: Sequence[Pairs]) -> Pairs:
    found: Pairs = ()
    for p in pairs:
        found = _joined(found, p)
    return found


def versioned(ctx: Context, pairs: Pairs, emit: Callable[[], None]) -> None:
    """What `emit` emits; where pairs of lengths are unsure once for equal lengths and once for any."""
    b = ctx.b
    pairs = tuple((n, m) for n, m in pairs if not linear.equal(b, n, m))
    if not pairs:
        emit()
        return
    cond: Operand = b.const(True)
    for k, (n, m) in enumerate(pairs):
        same = b.op("eq", n, m)
        cond = b.op("and", cond, same) if k else same
    with b.block() as plain:
        for n, m in pairs:
            linear.assume_equal(b, n, m)
        emit()
    with b.block() as general:
        emit()
    b.if_(cond, Block(tuple(plain)), Block(tuple(general)), ())
