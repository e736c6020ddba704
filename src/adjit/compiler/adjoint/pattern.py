"""Which elements of the results depend on which elements of the arguments: tangent mode over sets.

Input: a core function and parameters. Output: a function with a mask of 64 bits beside every active scalar,
an array of masks beside every active array. A bit that is set in a parameter's mask is set in the mask of
everything that the index expressions of the program let depend on it. Invariants: never a bit too few along
the path that the program takes; library routines let everything that they write depend on all that they
read. Non-goals: numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..ir.builder import const
from ..ir.nodes import (
    Accumulate,
    Alloc,
    Call,
    Function,
    Load,
    Mark,
    Op,
    Operand,
    Reshape,
    Stmt,
    Store,
    Var,
    View,
)
from ..ir.types import INT, Array
from ..library import ROUTINES
from .activity import differentiable_args
from .copying import copy_array, nest, shape_of
from .tangent import TangentMode, along

MASK = "int64"


def pattern(fn: Function, wrt: Sequence[int]) -> Function:
    """Parameters: those of `fn`, then one mask (array) per parameter in `wrt`. Results: those of `fn`, then
    the masks of its float results.
    """
    return along(fn, wrt, _PatternMode, "pattern")


class _PatternMode(TangentMode):
    dtype = MASK
    prefix = "mask"

    def tangent(self, x: Operand) -> Operand:
        if isinstance(x, Var) and x in self.active and x in self.of:
            return self.of[x]
        return const(0)

    def fresh(self, v: Var) -> Var:
        type_ = replace(v.type, dtype=MASK) if isinstance(v.type, Array) else INT
        return self.b.fresh(f"mask_{v.name}", type_)

    def result(self, r: Operand, directions: list[Var]) -> Operand:
        if not isinstance(r.type, Array):
            return self.tangent(r)
        assert isinstance(r, Var)
        out = self.b.alloc(shape_of(self.b, r), MASK, f"mask_{r.name}", zeroed=r not in self.of)
        if r in self.of:
            copy_array(self.b, self.array(r), out)
        return out

    def simple(self, stmt: Stmt) -> None:
        b = self.b
        match stmt:
            case Op(out=out) if out in self.active:
                total: Operand = const(0)
                for a in differentiable_args(stmt):
                    total = self.union(total, self.tangent(a))
                self.of[out] = total
            case Load(out=out, array=array, index=index) if out in self.active:
                self.of[out] = b.load(self.array(array), index, hint=f"mask_{out.name}")
            case Store(array=array, index=index, value=value) if array in self.active:
                b.store(self.array(array), index, self.tangent(value))
            case Accumulate(array=array, index=index, value=value) if (
                array in self.active and value in self.active
            ):
                old = b.load(self.array(array), index)
                b.store(self.array(array), index, self.union(old, self.tangent(value)))
            case Alloc(out=out, shape=shape) if out in self.active:
                grows = isinstance(out.type, Array) and out.type.growing
                hint = f"mask_{out.name}"
                self.of[out] = b.growing(MASK, hint) if grows else b.alloc(shape, MASK, hint, zeroed=True)
            case View() | Reshape() | Mark():
                super().simple(stmt)
            case Call():
                self._everything(stmt)

    def union(self, a: Operand, x: Operand) -> Operand:
        zero = const(0)
        if a == zero or x == zero:
            return x if a == zero else a
        return self.b.op("bitor", a, x, hint="mask")

    def _everything(self, stmt: Call) -> None:
        """Each element that a routine writes depends on each that it reads."""
        b, routine = self.b, ROUTINES[stmt.name]
        targets = [a for k in routine.writes if isinstance(a := stmt.args[k], Var) and a in self.active]
        if not targets:
            return
        total = b.alloc((const(1),), MASK, "mask", zeroed=True)
        read = {k: a for k in (*routine.reads, *routine.writes) if isinstance(a := stmt.args[k], Var)}
        for a in read.values():
            if a in self.active and not routine.zero_derivative:
                source = self.array(a)

                def add(index: tuple[Operand, ...], source: Var = source) -> None:
                    one = (const(0),)
                    b.store(total, one, self.union(b.load(total, one), b.load(source, index)))

                nest(b, shape_of(b, source), add)
        for a in targets:
            target = self.array(a)

            def put(index: tuple[Operand, ...], target: Var = target) -> None:
                b.store(target, index, b.load(total, (const(0),)))

            nest(b, shape_of(b, target), put)
