"""Walks over core IR: what a statement reads and defines, its blocks, and rebuilding with other operands.

A pass maps blocks to blocks; `rebuild` keeps identity where nothing changed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import TypeGuard

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


def defined(stmt: Stmt) -> tuple[Var, ...]:
    """The variables that a statement defines for what follows it in its block."""
    match stmt:
        case Op(out=out) | Load(out=out) | Alloc(out=out) | Dim(out=out) | View(out=out) | Reshape(out=out):
            return (out,)
        case For(outs=outs, trips=trips) | While(outs=outs, trips=trips):
            return outs if trips is None else (*outs, trips)
        case If(outs=outs):
            return outs
        case Mark(out=out) if out is not None:
            return (out,)
        case _:
            return ()


def operands(stmt: Stmt) -> tuple[Operand, ...]:
    """What a statement itself reads, its blocks apart."""
    match stmt:
        case Op(args=args) | Call(args=args):
            return args
        case Load(array=array, index=index):
            return (array, *index)
        case Store(array=array, index=index, value=value) | Accumulate(array=array, index=index, value=value):
            return (array, *index, value)
        case Alloc(shape=shape):
            return shape
        case Dim(array=array):
            return (array,)
        case View(array=array, axes=axes, fixed=fixed):
            return (array, *(x for a in axes for x in (a.start, a.length, a.step)), *(i for _, i in fixed))
        case Reshape(array=array, shape=shape):
            return (array, *shape)
        case For(lo=lo, hi=hi, inits=inits):
            return (lo, hi, *inits)
        case While(inits=inits):
            return inits
        case If(cond=cond):
            return (cond,)
        case Check(cond=cond, values=values):
            return (cond, *values)
        case Bounds(array=array, index=index):
            return (array, index)
        case Mark(value=value):
            return (value,)
        case _:
            raise AssertionError(f"no such statement: {type(stmt).__name__}")


def blocks(stmt: Stmt) -> tuple[Block, ...]:
    match stmt:
        case For(body=body):
            return (body,)
        case While(cond=cond, body=body):
            return (cond, body)
        case If(then=then, orelse=orelse):
            return (then, orelse)
        case _:
            return ()


def block_params(stmt: Stmt) -> tuple[Var, ...]:
    """Variables that the blocks of a statement get from it."""
    match stmt:
        case For(iv=iv, args=args):
            return (iv, *args)
        case While(args=args):
            return args
        case _:
            return ()


def block_reads(stmt: Stmt) -> tuple[Operand, ...]:
    """What is read at the end of a statement's blocks: yields and the stop flag."""
    found = tuple(y for b in blocks(stmt) for y in b.yields)
    match stmt:
        case For(stop=stop) | While(stop=stop) if stop is not None:
            return (*found, stop)
        case _:
            return found


def walk(block: Block) -> Iterator[Stmt]:
    """Every statement of a block and of the blocks inside it, outer before inner."""
    for stmt in block.stmts:
        yield stmt
        for inner in blocks(stmt):
            yield from walk(inner)


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
