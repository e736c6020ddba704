"""Where statements run: on the host, in one thread of the device, or as a grid of threads.

Input: a finished function and its dependence facts. Output: `Placement`: which loops are worth a grid, which
control statements stay on the host, which scalars are known there. Arrays live on the device, so what is
computed from their elements does too; the host knows lengths, its own arguments and what follows from them.
Invariants: what a kernel contains is what `threadable` accepts. Non-goals: cutting the function.
"""

from __future__ import annotations

from math import prod

from ..analyses.dependence import Dependence
from ..ir.nodes import (
    Accumulate,
    Alloc,
    Block,
    Bounds,
    Call,
    Check,
    Dim,
    For,
    If,
    Load,
    Mark,
    Op,
    Operand,
    Reshape,
    Stmt,
    Store,
    Var,
    View,
    While,
)
from ..ir.types import Array, grows
from ..ir.visitor import all_reads, blocks, defined, int_const, operands, walk
from . import grid

FEW = 8  # passes that are not worth a grid of threads
LOCAL = 128  # elements of an array that one thread may have for itself
SUMMED = ("float32", "float64", "int64")
ATOMIC = ("float32", "float64", "int32", "int64", "uint32", "uint64")


def thread_local(stmt: Alloc) -> bool:
    """Whether an array is small and of constant shape, so that each thread can have its own."""
    lengths = [int_const(n) for n in stmt.shape]
    if grows(stmt.out.type) or any(n is None or n <= 0 for n in lengths):
        return False
    return prod(n for n in lengths if n is not None) <= LOCAL


def threadable(stmt: Stmt) -> bool:
    """Whether one thread of a kernel can run the statement with all that is inside."""
    for s in (stmt, *(t for b in blocks(stmt) for t in walk(b))):
        match s:
            case Call() | View() | Reshape() | Mark():
                return False
            case Alloc() if not thread_local(s):
                return False
            case Store(array=array) | Accumulate(array=array) if grows(array.type):
                return False
            case Dim(array=array) | Bounds(array=array) if grows(array.type):
                return False
            case For() | While() | If() if any(isinstance(v.type, Array) for v in s.outs):
                return False
            case _:
                continue
    return True


def few_passes(loop: For) -> bool:
    lo, hi = int_const(loop.lo), int_const(loop.hi)
    return lo is not None and hi is not None and (hi - lo) / loop.step <= FEW


class Placement:
    def __init__(self, facts: Dependence) -> None:
        self.facts = facts
        self.device: set[Var] = set()  # scalars that the host does not know
        self._wide: dict[Stmt, bool] = {}
        self._parallel: dict[For, bool] = {}
        self._scratch: dict[Stmt, bool] = {}
        before = -1
        while len(self.device) != before:
            before = len(self.device)
            self.block(facts.fn.body)

    # -- loops
    def parallel(self, loop: For) -> bool:
        """Whether each pass can be a thread of its own."""
        known = self._parallel.get(loop)
        if known is None:
            known = self._parallel[loop] = self._find_parallel(loop)
        return known

    def _find_parallel(self, loop: For) -> bool:
        if loop.trips is not None or not threadable(loop) or not self.facts.order_free(loop):
            return False
        if any(v.type.dtype not in SUMMED for v in loop.args):
            return False
        sums = [s for s in walk(loop.body) if isinstance(s, Accumulate)]
        if all(s.array.type.dtype in ATOMIC for s in sums):
            return True
        return all(s.array.type.dtype in ATOMIC for s in grid.contended(self.facts, (loop,)))

    def worthwhile(self, loop: For) -> bool:
        """Whether a loop is to be a grid: it, or a loop that is spread with it, makes many passes."""
        return self.parallel(loop) and any(not few_passes(one) for one in self.nest(loop))

    def nest(self, loop: For) -> tuple[For, ...]:
        """The loops of a nest that are spread over threads, outermost first."""
        return grid.nest(self.facts, self.parallel, loop)

    def wide(self, stmt: Stmt) -> bool:
        """Whether the host has to run a control statement itself: it contains a grid, or what no thread can
        do.
        """
        known = self._wide.get(stmt)
        if known is None:
            known = self._wide[stmt] = not threadable(stmt) or any(
                isinstance(s, For) and self.worthwhile(s) for b in blocks(stmt) for s in walk(b)
            )
        return known

    def scalar_only(self, stmt: Stmt) -> bool:
        """Whether a statement touches no memory and reads only what the host knows."""
        known = self._scratch.get(stmt)
        if known is None:
            inside = [s for b in blocks(stmt) for s in walk(b)]
            known = self._scratch[stmt] = all(
                isinstance(s, Op | Dim | Bounds | Check | For | While | If) for s in (stmt, *inside)
            )
        return known and not any(x in self.device for x in all_reads(stmt) if isinstance(x, Var))

    def on_host(self, stmt: Stmt) -> bool:
        """Whether the host runs a control statement."""
        if isinstance(stmt, For) and self.worthwhile(stmt):
            return False
        return self.wide(stmt) or self.scalar_only(stmt)

    # -- scalars
    def block(self, block: Block) -> None:
        for stmt in block.stmts:
            if isinstance(stmt, For | While | If):
                self.control(stmt)
            elif isinstance(stmt, Load):
                self.device.add(stmt.out)
            elif isinstance(stmt, Op | Mark) and self.unknown(operands(stmt)):
                self.device.update(defined(stmt))

    def unknown(self, xs: tuple[Operand, ...]) -> bool:
        return any(x in self.device for x in xs if isinstance(x, Var))

    def control(self, stmt: For | While | If) -> None:
        if not self.on_host(stmt):
            self.device.update(v for v in defined(stmt) if not isinstance(v.type, Array))
            return
        if isinstance(stmt, If):
            self.block(stmt.then)
            self.block(stmt.orelse)
            for v, a, b in zip(stmt.outs, stmt.then.yields, stmt.orelse.yields, strict=True):
                if self.unknown((a, b)):
                    self.device.add(v)
            return
        for v, x in zip(stmt.args, stmt.inits, strict=True):
            if self.unknown((x,)):
                self.device.add(v)
        if isinstance(stmt, While):
            self.block(stmt.cond)
        self.block(stmt.body)
        for v, out, y in zip(stmt.args, stmt.outs, stmt.body.yields, strict=True):
            if self.unknown((v, y)) and not isinstance(v.type, Array):
                self.device.update((v, out))
