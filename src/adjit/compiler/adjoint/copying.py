"""Loop nests over whole arrays: fills, copies, copies into flat buffers.

Input: a builder and array references. Output: statements in the builder's open block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.builder import Builder, const
from ..ir.nodes import Block, For, Operand, Var
from ..ir.types import INT, Array


def rank(array: Var) -> int:
    assert isinstance(array.type, Array)
    return array.type.ndim


def shape_of(b: Builder, array: Var) -> list[Operand]:
    return [b.dim(array, axis) for axis in range(rank(array))]


def nest(b: Builder, shape: Sequence[Operand], body: Callable[[tuple[Operand, ...]], None]) -> None:
    """`for i0 in range(shape[0]): for i1 …: body((i0, i1, …))`."""

    def level(index: tuple[Operand, ...]) -> None:
        if len(index) == len(shape):
            body(index)
            return
        with b.loop(const(0), shape[len(index)], "ijkl"[len(index)] if len(index) < 4 else "i") as i:
            level((*index, i))

    level(())


def fill(b: Builder, array: Var, value: float = 0.0) -> None:
    nest(b, shape_of(b, array), lambda index: b.store(array, index, const(value, array.type.dtype)))


def copied(b: Builder, array: Var) -> Var:
    """A fresh copy."""
    made = b.alloc(shape_of(b, array), array.type.dtype, array.name)
    copy_array(b, array, made)
    return made


def exchanged(
    b: Builder, count: Operand, order: Sequence[int], arrays: Sequence[Operand], like: Sequence[Var]
) -> list[Var]:
    """References after `count` exchanges; `order` says which of them each name has after one. They are named
    and typed `like` these.
    """
    args = [b.fresh(v.name, v.type) for v in like]
    outs = [b.fresh(v.name, v.type) for v in like]
    body = Block((), tuple(args[n] for n in order))
    iv = b.fresh("swap", INT)
    b.emit(For(iv, const(0), count, 1, tuple(args), tuple(arrays), body, tuple(outs), loc=b.loc))
    return outs


def copy_array(b: Builder, source: Var, target: Var, slots: Sequence[Operand] = ()) -> None:
    """`target[slots] = source`."""
    nest(b, shape_of(b, source), lambda index: b.store(target, (*slots, *index), b.load(source, index)))


def add_array(b: Builder, source: Var, target: Var) -> None:
    """`target += source`."""
    nest(b, shape_of(b, source), lambda index: b.accumulate(target, index, b.load(source, index)))


def elements(b: Builder, shape: Sequence[Operand]) -> Operand:
    total: Operand = const(1)
    for n in shape:
        total = b.op("mul", total, n, hint="size")
    return total


def flat_index(b: Builder, shape: Sequence[Operand], index: Sequence[Operand]) -> Operand:
    offset: Operand = const(0)
    for n, i in zip(shape, index, strict=True):
        offset = b.op("add", b.op("mul", offset, n), i, hint="offset")
    return offset


def store_flat(b: Builder, buffer: Var, source: Var, start: Operand) -> Operand:
    """Put the elements of an array into a flat buffer from position `start` on; the next free position."""
    shape = shape_of(b, source)
    count = elements(b, shape)

    def one(index: tuple[Operand, ...]) -> None:
        b.store(buffer, (b.op("add", start, flat_index(b, shape, index)),), b.load(source, index))

    nest(b, shape, one)
    return b.op("add", start, count, hint="position")
