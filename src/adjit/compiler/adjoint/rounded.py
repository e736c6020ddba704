"""A joint adjoint that keeps what it saves in two bytes a number.

    saved_h[t, i] = h                      saved_h[t, i] = to_bfloat16(h)
    ...                            =>      ...
    h = saved_h[t, i]                      h = from_bfloat16(saved_h[t, i])

Input: the sweeps of an adjoint, and a format. Output: the same sweeps, with the buffers of saved floats
rounded. Invariants: a buffer that a branch, an index or a maximum depends on stays as it is, so that
both sweeps take the same way; so does one that anything but loads and stores reads. A finite number beyond
the format is an error when the function runs, never an infinity. Non-goals: arrays of the function that the
reverse sweep reads where they lie; derivatives of the result, which know nothing of what was rounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..analyses.deciding import deciding
from ..ir.builder import Builder, Names, const
from ..ir.nodes import Alloc, Block, Dim, Function, Load, Op, Stmt, Store, Var
from ..ir.types import Array, is_float
from ..ir.visitor import block_reads, operands, walk, with_blocks
from ..ops.halves import LARGEST
from ..passes import expand_rules
from .checkpoints import expanded
from .reverse import Change, Halves, assembled


def rounding(form: str) -> Change:
    """What `joint` and `kept` do to their sweeps for saved floats in "float16" or "bfloat16"."""
    return lambda fn, halves: _rounded(fn, halves, form)


def _rounded(fn: Function, halves: Halves, form: str) -> Halves:
    made = assembled(fn, halves)
    buffers = [v for v in halves.saved if is_float(v.type)]
    apart = {*_decisive(made, buffers), *_read_otherwise(made)}
    work = _Rounding(made, [v for v in buffers if v not in apart], form)
    if not work.new:
        return halves
    forward = work.block(Block(tuple(halves.forward.stmts)))
    backward = work.block(Block(tuple(halves.backward.stmts)))
    known = halves.account.buffers
    known.update({new: known[old] for old, new in work.new.items()})
    return replace(
        halves,
        forward=_holding([*work.start, *forward.stmts, *work.check()], halves.forward),
        backward=_holding(backward.stmts, halves.backward),
        saved=[work.new.get(v, v) for v in halves.saved],
    )


def _holding(stmts: Iterable[Stmt], like: Builder) -> Builder:
    made = Builder(like.names, like.loc)
    for s in stmts:
        made.emit(s)
    return made


def _decisive(made: Function, buffers: Sequence[Var]) -> Iterable[Var]:
    """Buffers that decisions depend on."""

    def block(inner: Block) -> Block:
        kept = (s for s in inner.stmts if not (isinstance(s, Alloc) and s.out in buffers))
        return Block(tuple(with_blocks(s, block) for s in kept), inner.yields)

    given = replace(made, params=(*made.params, *buffers), body=block(made.body))
    found = deciding(expand_rules(expanded(given)))
    return (given.params[k] for k in found)


def _read_otherwise(made: Function) -> Iterable[Var]:
    """Arrays that are read or written otherwise than by element."""
    for s in walk(made.body):
        plain = s.array if isinstance(s, Load | Store | Dim) else None
        yield from (x for x in (*operands(s), *block_reads(s)) if isinstance(x, Var) and x is not plain)


class _Rounding:
    def __init__(self, made: Function, buffers: Iterable[Var], form: str) -> None:
        self.form, self.loc = form, made.loc
        self.names = Names.above(made)
        b = Builder(self.names, made.loc)
        self.lost = b.alloc((), "int64", "lost", zeroed=True)
        self.start = b.stmts
        self.new: dict[Var, Var] = {}
        for v in buffers:
            assert isinstance(v.type, Array)
            self.new[v] = b.fresh(v.name, replace(v.type, dtype="uint16"))

    def block(self, block: Block) -> Block:
        b = Builder(self.names, self.loc)
        for stmt in block.stmts:
            with b.at(stmt.loc):
                self.one(b, with_blocks(stmt, self.block))
        return Block(tuple(b.stmts), block.yields)

    def one(self, b: Builder, stmt: Stmt) -> None:
        match stmt:
            case Alloc(out=out) if out in self.new:
                b.emit(replace(stmt, out=self.new[out]))
            case Dim(array=array) if array in self.new:
                b.emit(replace(stmt, array=self.new[array]))
            case Store(array=array, index=index, value=value) if array in self.new:
                beyond = b.op("gt", b.op("abs", value), const(LARGEST[self.form], value.type.dtype))
                lost = b.op("and", beyond, b.op("isfinite", value))
                b.accumulate(self.lost, (), b.cast(lost, "int64"))
                b.store(self.new[array], index, b.op(f"to_{self.form}", b.cast(value, "float32")))
            case Load(out=out, array=array, index=index) if array in self.new:
                self.read(b, out, b.load(self.new[array], index, "bits"))
            case _:
                b.emit(stmt)

    def read(self, b: Builder, out: Var, bits: Var) -> None:
        """`out` from two bytes."""
        if out.type.dtype == "float32":
            b.emit(Op(out, f"from_{self.form}", (bits,), loc=b.loc))
        else:
            b.emit(Op(out, "cast", (b.op(f"from_{self.form}", bits),), loc=b.loc))

    def check(self) -> list[Stmt]:
        """That nothing was lost, behind the forward sweep."""
        b = Builder(self.names, self.loc)
        message = (
            f"a saved value is beyond {LARGEST[self.form]:.5g}, the largest number of {self.form}: leave "
            f"saved_as out" + (", or take bfloat16" if self.form == "float16" else "")
        )
        fits = b.op("eq", b.load(self.lost, ()), const(0))
        b.check(fits, "OverflowError", message)
        return b.stmts


__all__ = ["rounding"]
