"""Walks over core IR: what a statement reads and defines, its blocks, and rebuilding with other operands.

A pass maps blocks to blocks; `rebuild` keeps identity where nothing changed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from .nodes import (
    Accumulate,
    Alloc,
    Block,
    Bounds,
    Call,
    Check,
    Const,
    Dim,
    For,
    Function,
    If,
    Load,
    Mark,
    Op,
    Operand,
    Reshape,
    Slice,
    Stmt,
    Store,
    Var,
    View,
    While,
)

# Walks ask these of every statement, so each is a table by kind: what is in no table has none of it.
_DEFINED: dict[type[Stmt], Callable[[Any], tuple[Var, ...]]] = {
    **dict.fromkeys((Op, Load, Alloc, Dim, View, Reshape), lambda s: (s.out,)),
    **dict.fromkeys((For, While), lambda s: s.outs if s.trips is None else (*s.outs, s.trips)),
    If: lambda s: s.outs,
    Mark: lambda s: () if s.out is None else (s.out,),
}
_OPERANDS: dict[type[Stmt], Callable[[Any], tuple[Operand, ...]]] = {
    **dict.fromkeys((Op, Call), lambda s: s.args),
    Load: lambda s: (s.array, *s.index),
    **dict.fromkeys((Store, Accumulate), lambda s: (s.array, *s.index, s.value)),
    Alloc: lambda s: s.shape,
    Dim: lambda s: (s.array,),
    View: lambda s: (
        s.array,
        *(x for a in s.axes for x in (a.start, a.length, a.step)),
        *(i for _, i in s.fixed),
    ),
    Reshape: lambda s: (s.array, *s.shape),
    For: lambda s: (s.lo, s.hi, *s.inits),
    While: lambda s: s.inits,
    If: lambda s: (s.cond,),
    Check: lambda s: (s.cond, *s.values),
    Bounds: lambda s: (s.array, s.index),
    Mark: lambda s: (s.value,),
}
_BLOCKS: dict[type[Stmt], Callable[[Any], tuple[Block, ...]]] = {
    For: lambda s: (s.body,),
    While: lambda s: (s.cond, s.body),
    If: lambda s: (s.then, s.orelse),
}
_BLOCK_PARAMS: dict[type[Stmt], Callable[[Any], tuple[Var, ...]]] = {
    For: lambda s: (s.iv, *s.args),
    While: lambda s: s.args,
}


def defined(stmt: Stmt) -> tuple[Var, ...]:
    """The variables that a statement defines for what follows it in its block."""
    found = _DEFINED.get(type(stmt))
    return found(stmt) if found else ()


def operands(stmt: Stmt) -> tuple[Operand, ...]:
    """What a statement itself reads, its blocks apart."""
    return _OPERANDS[type(stmt)](stmt)


def blocks(stmt: Stmt) -> tuple[Block, ...]:
    found = _BLOCKS.get(type(stmt))
    return found(stmt) if found else ()


def block_params(stmt: Stmt) -> tuple[Var, ...]:
    """Variables that the blocks of a statement get from it."""
    found = _BLOCK_PARAMS.get(type(stmt))
    return found(stmt) if found else ()


def block_reads(stmt: Stmt) -> tuple[Operand, ...]:
    """What is read at the end of a statement's blocks: yields and the stop flag."""
    inner = blocks(stmt)
    if not inner:
        return ()
    found = tuple(y for b in inner for y in b.yields)
    return (*found, stmt.stop) if isinstance(stmt, For | While) and stmt.stop is not None else found


def walk(block: Block) -> Iterator[Stmt]:
    """Every statement of a block and of the blocks inside it, outer before inner."""
    pending = list(reversed(block.stmts))
    while pending:
        stmt = pending.pop()
        yield stmt
        for inner in reversed(blocks(stmt)):
            pending.extend(reversed(inner.stmts))


def every_block(block: Block) -> Iterator[Block]:
    """A block and the blocks inside it."""
    yield block
    for stmt in walk(block):
        yield from blocks(stmt)


def all_defined(block: Block) -> Iterator[Var]:
    """Every variable that a block or a block inside it defines."""
    for stmt in walk(block):
        yield from defined(stmt)
        yield from block_params(stmt)


def all_reads(stmt: Stmt) -> Iterator[Operand]:
    """Everything that a statement and the blocks inside it read."""
    yield from operands(stmt)
    yield from block_reads(stmt)
    for inner in blocks(stmt):
        for child in inner.stmts:
            yield from all_reads(child)


def makers(stmts: Sequence[Stmt], wanted: Iterable[Operand]) -> list[Stmt]:
    """Those of some statements, in order, that operands are computed from."""
    reached = set(wanted)
    found: list[Stmt] = []
    for stmt in reversed(stmts):
        if not reached.isdisjoint(defined(stmt)):
            found.append(stmt)
            reached.update(operands(stmt))
    return found[::-1]


def free_vars(block: Block) -> dict[Var, None]:
    """Variables from outside that a block reads, in order of first use."""
    inside = set(all_defined(block))
    found: dict[Var, None] = {}
    reads = [x for s in block.stmts for x in all_reads(s)]
    for x in (*reads, *block.yields):
        if isinstance(x, Var) and x not in inside:
            found[x] = None
    return found


Rename = Callable[[Operand], Operand]


def renamer(mapping: Mapping[Var, Operand]) -> Rename:
    return lambda x: mapping.get(x, x) if isinstance(x, Var) else x


def with_operands(stmt: Stmt, f: Rename) -> Stmt:
    """The same statement reading `f(x)` for each operand x of its own (blocks, yields and stop flags
    untouched).
    """

    def array(x: Var) -> Var:
        y = f(x)
        assert isinstance(y, Var)
        return y

    def many(xs: tuple[Operand, ...]) -> tuple[Operand, ...]:
        return tuple(f(x) for x in xs)

    match stmt:
        case Op(args=args):
            return replace(stmt, args=many(args))
        case Call(args=args):
            return replace(stmt, args=many(args))
        case Load(array=a, index=index):
            return replace(stmt, array=array(a), index=many(index))
        case Store(array=a, index=index, value=value):
            return replace(stmt, array=array(a), index=many(index), value=f(value))
        case Accumulate(array=a, index=index, value=value):
            return replace(stmt, array=array(a), index=many(index), value=f(value))
        case Alloc(shape=shape):
            return replace(stmt, shape=many(shape))
        case Dim(array=a):
            return replace(stmt, array=array(a))
        case View(array=a, axes=axes, fixed=fixed):
            moved = tuple(Slice(s.axis, f(s.start), f(s.length), f(s.step)) for s in axes)
            return replace(stmt, array=array(a), axes=moved, fixed=tuple((k, f(i)) for k, i in fixed))
        case Reshape(array=a, shape=shape):
            return replace(stmt, array=array(a), shape=many(shape))
        case For(lo=lo, hi=hi, inits=inits):
            return replace(stmt, lo=f(lo), hi=f(hi), inits=many(inits))
        case While(inits=inits):
            return replace(stmt, inits=many(inits))
        case If(cond=cond):
            return replace(stmt, cond=f(cond))
        case Check(cond=cond):
            return replace(stmt, cond=f(cond), values=many(stmt.values))
        case Bounds(array=a, index=i):
            return replace(stmt, array=array(a), index=f(i))
        case Mark(value=value):
            return replace(stmt, value=f(value))
        case _:
            raise AssertionError(f"no such statement: {type(stmt).__name__}")


def with_blocks(stmt: Stmt, f: Callable[[Block], Block]) -> Stmt:
    """The same statement with `f` applied to each of its blocks."""
    match stmt:
        case For(body=body):
            new = f(body)
            return stmt if new is body else replace(stmt, body=new)
        case While(cond=cond, body=body):
            return replace(stmt, cond=f(cond), body=f(body))
        case If(then=then, orelse=orelse):
            return replace(stmt, then=f(then), orelse=f(orelse))
        case _:
            return stmt


def without(block: Block, gone: Collection[Stmt]) -> Block:
    """The block without some statements, wherever they stand, and without loops that are empty then."""

    def kept(stmt: Stmt) -> Stmt | None:
        new = with_blocks(stmt, lambda b: without(b, gone))
        empty = new is not stmt and isinstance(new, For) and not new.body.stmts and not new.outs
        return None if stmt in gone or empty else new

    stmts = tuple(s for s in map(kept, block.stmts) if s is not None)
    same = len(stmts) == len(block.stmts) and all(a is b for a, b in zip(stmts, block.stmts, strict=True))
    return block if same else Block(stmts, block.yields)


def substitute(block: Block, f: Rename) -> Block:
    """The block with every read operand x, inner blocks, yields and stop flags included, replaced by
    `f(x)`.
    """

    def one(stmt: Stmt) -> Stmt:
        new = with_blocks(with_operands(stmt, f), lambda b: substitute(b, f))
        if isinstance(new, For | While) and new.stop is not None:
            new = replace(new, stop=f(new.stop))
        return new

    return Block(tuple(one(s) for s in block.stmts), tuple(f(y) for y in block.yields))


def max_number(fn: Function) -> int:
    """The largest number of a variable, for fresh ones above it."""
    numbers = [v.number for v in fn.params]
    numbers.extend(v.number for v in all_defined(fn.body))
    return max(numbers, default=-1)


def is_zero_store(stmt: Stmt) -> TypeGuard[Store]:
    """Whether a statement sets an element to zero."""
    return isinstance(stmt, Store) and isinstance(stmt.value, Const) and stmt.value.value == 0


def int_const(x: Operand) -> int | None:
    """The value of an integer constant, else None."""
    if isinstance(x, Const) and isinstance(x.value, int) and not isinstance(x.value, bool):
        return x.value
    return None
