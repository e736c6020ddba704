"""Sizes of a program's memory before it runs: as numbers for given arguments, and as formulas.

Input: a core function; for numbers also its arguments (arrays count by their shape alone, but for integers
that bounds are loaded from). Output: lengths, bytes, the most memory that a call has at one time beyond its
arguments; formulas are Python expressions over the arguments. Invariants: what depends on values that only
a run has (the passes of a `while`, a growing buffer) is `Unknown`, never guessed. Non-goals: scratch memory
of LAPACK and BLAS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from ..ir.nodes import (
    Alloc,
    Block,
    Const,
    Dim,
    For,
    Function,
    If,
    Load,
    Op,
    Operand,
    Reshape,
    Stmt,
    Store,
    Var,
    View,
    While,
)
from ..ir.types import Array, Scalar, is_integer, itemsize
from ..ir.visitor import all_defined, block_params, blocks, defined, walk
from ..ops.core import TABLE, fold
from .alias import roots
from .effects import writes

SIGNS = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//"}
MOST_PASSES = 100_000
CALLS = {"maximum": "max", "minimum": "min"}


class Unknown(Exception):
    """A size that only a run can tell."""


class Sizes:
    """Lengths in one function; `arguments` are those of the core function, `names` their Python spelling."""

    def __init__(
        self, fn: Function, arguments: Sequence[object] = (), names: Mapping[Var, str] | None = None
    ) -> None:
        self.fn, self.names = fn, names or {}
        self.given: dict[Operand, Any] = dict(zip(fn.params, arguments, strict=False))
        self.definition: dict[Var, Stmt] = {}
        for s in walk(fn.body):
            for v in (*defined(s), *block_params(s)):
                self.definition[v] = s
        self.written = {a for s in walk(fn.body) for a in writes(s)}
        self.known: dict[Var, Const] = {}

    # -- numbers
    def value(self, x: Operand) -> int:
        """An integer (or a condition) of the program."""
        return int(self.constant(x).value)

    def constant(self, x: Operand) -> Const:
        if isinstance(x, Const):
            return x
        if x not in self.known:
            self.known[x] = self._found(x)
        return self.known[x]

    def _found(self, x: Var) -> Const:
        if x in self.given:
            value = np.dtype(x.type.dtype).type(self.given[x]).item()
            return Const(value, x.type)
        match self.definition.get(x):
            case Op(op="cast", args=args):
                value = np.dtype(x.type.dtype).type(self.constant(args[0]).value).item()
                return Const(value, x.type)
            case Op(op=op, args=args):
                operands = tuple(self.constant(a) for a in args)
                found = fold(op, operands, TABLE[op].result(*(a.type for a in args)))
                if isinstance(found, Const):
                    return found
            case Dim(array=array, axis=axis):
                return Const(self.length(array, axis), Scalar("int64"))
            case Load(array=array, index=index) if array in self.given and array not in self.written:
                at = tuple(self.value(i) for i in index)
                held = np.asarray(self.given[array])[at].item()
                return Const(held, x.type)
            case Load(array=array) if array in self.definition:
                return self._kept(array)
            case If(cond=cond, then=then, orelse=orelse, outs=outs) if x in outs:
                block = then if self.value(cond) else orelse
                return self.constant(block.yields[outs.index(x)])
            case For(outs=outs, stop=None) | While(outs=outs, stop=None) as loop if x in outs and is_integer(
                x.type
            ):
                return self._counted(loop, outs.index(x))
        raise Unknown(x.name)

    def _kept(self, array: Var) -> Const:
        """What each element of an array of the program is, where all that is stored there is one number."""
        memory = roots(self.fn)
        writers = [s for s in walk(self.fn.body) if any(array in memory[a] for a in writes(s))]
        made = self.definition[array]
        if isinstance(made, Alloc) and not made.zeroed and is_integer(array.type):
            values = {self.constant(s.value) for s in writers if isinstance(s, Store) and s.array is array}
            if len(values) == 1 and all(isinstance(s, Store) and s.array is array for s in writers):
                return values.pop()
        raise Unknown(array.name)

    def _counted(self, loop: For | While, k: int) -> Const:
        """What a loop that only counts arrives at."""
        inner = {*block_params(loop), *(v for b in blocks(loop) for v in all_defined(b))}
        integers = [
            j for j, a in enumerate(loop.args) if is_integer(a.type) and not isinstance(a.type, Array)
        ]
        state = {j: self.constant(loop.inits[j]) for j in integers}

        def forget() -> None:
            for v in inner:
                self.known.pop(v, None)

        def start_pass() -> None:
            forget()
            self.known.update((loop.args[j], c) for j, c in state.items())

        for iv in self._passes(loop, start_pass):
            if isinstance(loop, For):
                self.known[loop.iv] = Const(iv, Scalar("int64"))
            state = {j: self.constant(loop.body.yields[j]) for j in integers}
        forget()
        return state[k]

    def _passes(self, loop: For | While, start_pass: Callable[[], None]) -> Iterator[int]:
        """The passes of a loop, each after its start."""
        wanted = (
            range(self.value(loop.lo), self.value(loop.hi), loop.step) if isinstance(loop, For) else count()
        )
        for n, iv in enumerate(wanted):
            if n > MOST_PASSES:
                raise Unknown(loop.outs[0].name)
            start_pass()
            if isinstance(loop, While) and not self.value(loop.cond.yields[0]):
                return
            yield iv

    def length(self, array: Var, axis: int) -> int:
        if array in self.given:
            return int(np.shape(self.given[array])[axis])
        return self.value(self.extent(array, axis))

    def extent(self, array: Var, axis: int) -> Operand:
        """The operand that an axis of an array is as long as."""
        match self.definition.get(array):
            case Alloc(shape=shape) | Reshape(shape=shape) if shape:
                return shape[axis]
            case View(axes=axes):
                return axes[axis].length
            case For(inits=inits, outs=outs, args=args) | While(inits=inits, outs=outs, args=args):
                start = inits[(outs if array in outs else args).index(array)]
                assert isinstance(start, Var)
                return self.extent(start, axis) if start not in self.fn.params else self._dim(start, axis)
        return self._dim(array, axis)

    def _dim(self, array: Var, axis: int) -> Operand:
        if array not in self.fn.params:
            raise Unknown(array.name)
        for v, s in self.definition.items():
            if isinstance(s, Dim) and s.array is array and s.axis == axis:
                return v
        raise Unknown(array.name)

    def bytes_of(self, stmt: Alloc) -> int:
        if not stmt.shape and isinstance(stmt.out.type, Array) and stmt.out.type.growing:
            raise Unknown(stmt.out.name)
        count = itemsize(stmt.out.type.dtype)
        for n in stmt.shape:
            count *= max(self.value(n), 0)
        return count

    # -- formulas
    def formula(self, x: Operand) -> str:
        """A length as a Python expression over the arguments; the variable's own name where only a run can
        tell.
        """
        if isinstance(x, Const):
            return repr(x.value)
        if x in self.names:
            return self.names[x]
        match self.definition.get(x):
            case Dim(array=array, axis=axis) if array in self.names:
                return f"{self.names[array]}.shape[{axis}]"
            case Dim(array=array, axis=axis):
                try:
                    return self.formula(self.extent(array, axis))
                except Unknown:
                    return f"{array.name}.shape[{axis}]"
            case Op(op="trips", args=(lo, hi, Const(value=step))) if step in (1, -1):
                first, last = (lo, hi) if step == 1 else (hi, lo)
                from_zero = isinstance(first, Const) and first.value == 0
                text = self.formula(last) if from_zero else self._sum(last, "-", first)
                return text if from_zero and self._is_length(last) else f"max({text}, 0)"
            case Op(op="trips", args=(lo, hi, step)):
                return f"len(range({self.formula(lo)}, {self.formula(hi)}, {self.formula(step)}))"
            case Op(op=op, args=(a, b)) if op in SIGNS:
                return self._sum(a, SIGNS[op], b)
            case Op(op=op, args=(a, b)) if op in CALLS:
                return f"{CALLS[op]}({self.formula(a)}, {self.formula(b)})"
        return x.name

    def _sum(self, a: Operand, sign: str, b: Operand) -> str:
        left, right = self.formula(a), self.formula(b)
        compound = any(c in right for c in "+-*/ ") and not right.endswith((")", "]"))
        return f"({left} {sign} ({right}))" if compound else f"({left} {sign} {right})"

    def _is_length(self, x: Operand) -> bool:
        return isinstance(self.definition.get(x), Dim) if isinstance(x, Var) else x.value >= 0

    def formula_of(self, array: Var) -> str:
        """The bytes of an array as a formula."""
        stmt = self.definition.get(array)
        size = str(itemsize(array.type.dtype))
        if not isinstance(stmt, Alloc):
            return "?" if isinstance(array.type, Array) else size
        if not stmt.shape and isinstance(array.type, Array) and array.type.growing:
            return f"{size} * (as many as the run needs)"
        return " * ".join([size, *(self.formula(n) for n in stmt.shape)])

    # -- the whole
    def peak(self) -> int:
        """The most bytes that arrays of a call take at one time, its results included."""
        return self._block(self.fn.body)

    def _block(self, block: Block) -> int:
        """Arrays of a block last until its end; those of a loop's pass are gone when the next one starts."""
        total = most = 0
        for stmt in block.stmts:
            if isinstance(stmt, Alloc):
                total += self.bytes_of(stmt)
            inner = max((self._block(b) for b in blocks(stmt)), default=0)
            most = max(most, total + inner)
        return max(most, total)


__all__ = ["Sizes", "Unknown"]
