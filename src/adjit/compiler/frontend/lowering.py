"""The frontend's last step: complex numbers become pairs of real ones.

Input: a function in core IR whose values may have complex dtypes. Output: the same function with real ones
only: a complex scalar is two scalars, a complex array the real array with one more axis of length two, an op
what `formulas` makes of it. Invariants: a function without complex values comes back as it is; parameters
and results stay in place (complex scalars are neither). Non-goals: how such values cross the boundary
(`complexes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...errors import MissingRuleError
from ..adjoint.checkpoints import Region
from ..ir.builder import Builder, Names, const
from ..ir.nodes import (
    Accumulate,
    Alloc,
    Block,
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
from ..ir.types import PARTS, Array, Scalar
from ..ir.visitor import block_params, block_reads, defined, operands, walk, with_operands
from . import formulas
from .formulas import FORMULAS, Pair

ZERO, ONE, TWO = const(0), const(1), const(2)


def is_complex(x: Operand) -> bool:
    return x.type.dtype in PARTS


def lowered(fn: Function, names: Names, halves: Mapping[Var, tuple[Var, int]]) -> Function:
    """The function without complex values. `halves` are the arrays that are all real or imaginary parts of a
    complex one, with that one and 0 or 1.
    """
    if not any(is_complex(v) for v in fn.params) and not _has_complex(fn.body):
        return fn
    made = _Lowering(names, halves)
    params = tuple(made.array(p) if is_complex(p) else p for p in fn.params)
    for s in fn.body.stmts:
        made.statement(s)
    results = tuple(made.one(r) for r in fn.results)
    return replace(fn, params=params, body=made.b.finish(), results=results)


def _has_complex(block: Block) -> bool:
    for s in walk(block):
        if any(map(is_complex, (*defined(s), *block_params(s), *operands(s), *block_reads(s)))):
            return True
    return False


def _again(call: Call) -> bool:
    """Whether a call runs a part again, whose program is lowered already."""
    return any(isinstance(a, Region) for a in call.attrs)


class _Lowering:
    def __init__(self, names: Names, halves: Mapping[Var, tuple[Var, int]]) -> None:
        self.b = Builder(names)
        self.halves = halves
        self.sizes: dict[Operand, Pair] = {}  # absolute values, with the parts of what they are of
        self.pairs: dict[Var, Pair] = {}
        self.real: dict[Var, Operand] = {}  # what a variable of real or array type has become

    # -- operands
    def one(self, x: Operand) -> Operand:
        return self.real.get(x, x) if isinstance(x, Var) else x

    def many(self, xs: Sequence[Operand]) -> tuple[Operand, ...]:
        return tuple(self.one(x) for x in xs)

    def pair(self, x: Operand) -> Pair:
        if isinstance(x, Const):
            value, dtype = complex(x.value), PARTS[x.type.dtype]
            return const(value.real, dtype), const(value.imag, dtype)
        return self.pairs[x]

    def flat(self, xs: Sequence[Operand]) -> tuple[Operand, ...]:
        """Operands that are carried: both parts of complex scalars."""
        found: list[Operand] = []
        for x in xs:
            scalar = is_complex(x) and isinstance(x.type, Scalar)
            found.extend(self.pair(x) if scalar else (self.one(x),))
        return tuple(found)

    def array(self, v: Var) -> Var:
        """The real array in place of a complex one."""
        assert isinstance(v.type, Array)
        made = self.b.fresh(v.name, Array(PARTS[v.type.dtype], v.type.ndim + 1, v.type.layout))
        self.real[v] = made
        return made

    def variables(self, vs: Sequence[Var]) -> tuple[Var, ...]:
        """Variables that a loop or branch defines."""
        found: list[Var] = []
        for v in vs:
            if not is_complex(v):
                found.append(v)
            elif isinstance(v.type, Array):
                found.append(self.array(v))
            else:
                dtype = Scalar(PARTS[v.type.dtype])
                made = self.b.fresh(f"{v.name}_re", dtype), self.b.fresh(f"{v.name}_im", dtype)
                self.pairs[v] = made
                found.extend(made)
        return tuple(found)

    def place(self, array: Var, index: Sequence[Operand]) -> tuple[Var, tuple[Operand, ...]]:
        """Where a real element lies: that of a part lies in the memory of the whole."""
        at = self.many(index)
        if array in self.halves:
            array, k = self.halves[array]
            at = (*at, const(k))
        found = self.one(array)
        assert isinstance(found, Var)
        return found, at

    # -- statements
    def block(self, block: Block) -> Block:
        with self.b.block() as stmts:
            for s in block.stmts:
                self.statement(s)
        return Block(tuple(stmts), self.flat(block.yields))

    def statement(self, s: Stmt) -> None:
        self.b.loc = s.loc
        match s:
            case Op():
                self.op(s)
            case Load() | Store() | Accumulate():
                self.access(s)
            case Alloc() | View() | Reshape() | Dim():
                self.memory(s)
            case For() | While() | If():
                self.control(s)
            case Call(args=args) if any(is_complex(x) for x in args) and not _again(s):
                raise MissingRuleError(
                    f"{s.name!r} takes no complex numbers",
                    s.loc,
                    hint="pass real and imaginary parts: z.real, z.imag",
                )
            case Mark(value=value) if is_complex(value):
                raise MissingRuleError(
                    "intermediates are real", s.loc, hint="name the real and imaginary part"
                )
            case Check(values=values):
                shown = tuple(x for v in values for x in (self.flat((v,))[:1]))
                self.b.emit(replace(s, cond=self.one(s.cond), values=shown))
            case _:
                self.b.emit(with_operands(s, self.one))

    def op(self, s: Op) -> None:
        b, out = self.b, s.out
        if not is_complex(out) and not any(is_complex(x) for x in s.args):
            if s.op == "mul" and s.args[0] is s.args[1] and s.args[0] in self.sizes:
                self.real[out] = formulas.square_of_size(b, self.sizes[s.args[0]])
                return
            b.emit(new := replace(s, args=self.many(s.args)))
            b.definitions[out] = new
            return
        since = b.names.next
        found = self.formula(s)
        if not isinstance(found, tuple):
            self.real[out] = found
            if s.op == "abs":
                self.sizes[out] = self.pair(s.args[0])
            b.name(found, out.name, since)
            return
        self.pairs[out] = found
        if out.name != "t":
            for x, part in zip(found, ("re", "im"), strict=True):
                b.name(x, f"{out.name}_{part}", since)

    def formula(self, s: Op) -> Pair | Operand:
        b, args = self.b, s.args
        match s.op:
            case "complex":
                return self.one(args[0]), self.one(args[1])
            case "select":
                cond = self.one(args[0])
                x, y = self.pair(args[1]), self.pair(args[2])
                return b.op("select", cond, x[0], y[0]), b.op("select", cond, x[1], y[1])
            case "cast":
                dtype = PARTS[s.out.type.dtype]
                if not is_complex(args[0]):
                    return b.cast(self.one(args[0]), dtype), const(0.0, dtype)
                real, imag = self.pair(args[0])
                return b.cast(real, dtype), b.cast(imag, dtype)
        return FORMULAS[s.op](b, *(self.pair(x) for x in args))

    def access(self, s: Load | Store | Accumulate) -> None:
        b = self.b
        array, at = self.place(s.array, s.index)
        if isinstance(s, Load):
            if is_complex(s.out):
                names = f"{s.out.name}_re", f"{s.out.name}_im"
                self.pairs[s.out] = b.load(array, (*at, ZERO), names[0]), b.load(array, (*at, ONE), names[1])
            else:
                b.emit(replace(s, array=array, index=at))
            return
        put = b.store if isinstance(s, Store) else b.accumulate
        if is_complex(s.value):
            real, imag = self.pair(s.value)
            put(array, (*at, ZERO), real)
            put(array, (*at, ONE), imag)
        else:
            put(array, at, self.one(s.value))

    def memory(self, s: Alloc | View | Reshape | Dim) -> None:
        b = self.b
        if isinstance(s, View) and is_complex(s.array) != is_complex(s.out):
            self.reinterpreted(s)
            return
        if not is_complex(s.out):
            if isinstance(s, Dim) and s.array in self.halves:
                s = replace(s, array=self.halves[s.array][0])
            b.emit(with_operands(s, self.one))
            return
        assert isinstance(s.out.type, Array)
        new = with_operands(s, self.one)
        out = self.array(s.out)
        match new:
            case Alloc(shape=shape):
                b.emit(replace(new, out=out, shape=(*shape, TWO)))
            case Reshape(shape=shape):
                b.emit(replace(new, out=out, shape=(*shape, TWO)))
            case View(array=array, axes=axes):
                assert isinstance(array.type, Array)
                last = Slice(array.type.ndim - 1, ZERO, TWO, ONE)
                b.emit(replace(new, out=out, axes=(*axes, last)))

    def reinterpreted(self, s: View) -> None:
        """A part of a complex array, or a real array as the parts of a complex one."""
        memory = self.one(s.array)
        assert isinstance(memory, Var)
        if is_complex(s.out):
            self.real[s.out] = memory
            return
        self.b.emit(with_operands(s, self.one))

    def control(self, s: For | While | If) -> None:
        b = self.b
        if isinstance(s, If):
            cond = self.one(s.cond)
            then, orelse = self.block(s.then), self.block(s.orelse)
            b.loc = s.loc
            b.emit(replace(s, cond=cond, then=then, orelse=orelse, outs=self.variables(s.outs)))
            return
        inits = self.flat(s.inits)
        args = self.variables(s.args)
        if isinstance(s, For):
            body = self.block(s.body)
            stop = None if s.stop is None else self.one(s.stop)
            lo, hi = self.one(s.lo), self.one(s.hi)
            new: Stmt = replace(
                s, lo=lo, hi=hi, args=args, inits=inits, body=body, stop=stop, outs=self.variables(s.outs)
            )
        else:
            first, body = self.block(s.cond), self.block(s.body)
            stop = None if s.stop is None else self.one(s.stop)
            new = replace(
                s, args=args, inits=inits, cond=first, body=body, stop=stop, outs=self.variables(s.outs)
            )
        b.loc = s.loc
        b.emit(new)


__all__ = ["lowered"]
