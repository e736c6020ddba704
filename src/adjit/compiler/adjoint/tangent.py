"""Tangent mode: a core function to the core function that also returns directional derivatives.

Every active scalar gets a tangent beside it, every active array a tangent array; the statements of the primal
stay as they are and each is followed by that of its tangent. The partials are those of the reverse pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..analyses.alias import roots
from ..ir.builder import Builder, Names, const
from ..ir.nodes import (
    Accumulate,
    Alloc,
    Block,
    Call,
    Const,
    For,
    Function,
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
from ..ir.types import Array, Scalar, is_float
from ..ir.visitor import walk
from ..library import ROUTINES
from ..ops import TABLE
from ..ops.arithmetic import PRODUCTS_WITH_ZERO
from .activity import Activity, activity
from .copying import copy_array, shape_of
from .needs import active_positions
from .partials import trace


def tangent(fn: Function, wrt: Sequence[int]) -> Function:
    """Parameters: those of `fn`, then one tangent per parameter in `wrt`. Results: those of `fn`, then the
    tangents of its float results.
    """
    return along(fn, wrt, TangentMode, "tangent")


def along(fn: Function, wrt: Sequence[int], kind: type[TangentMode], suffix: str) -> Function:
    """`fn` with what a mode computes beside each value, from one parameter more per parameter in `wrt`."""
    parameters = [fn.params[k] for k in wrt]
    floats = [r for r in fn.results if is_float(r.type)]
    b = Builder(Names.above(fn), fn.loc)
    mode = kind(b, activity(fn, roots(fn), parameters, floats))
    directions = [mode.direction(v) for v in parameters]
    mode.start(fn, dict(zip(parameters, directions, strict=True)))
    for stmt in fn.body.stmts:
        mode.statement(stmt)
    results = [mode.result(r, directions) for r in floats]
    return replace(
        fn,
        name=f"{fn.name}_{suffix}",
        params=(*fn.params, *directions),
        body=Block(tuple(b.stmts)),
        results=(*fn.results, *results),
    )


class TangentMode:
    dtype: str | None = None  # of tangents, where it is not that of the primal
    prefix = "t"  # of their names

    def __init__(self, b: Builder, active: Activity) -> None:
        self.b, self.active = b, active
        self.of: dict[Var, Operand] = {}

    def direction(self, v: Var) -> Var:
        """The parameter beside a parameter."""
        kind = self.dtype or v.type.dtype
        type_ = Array(kind, v.type.ndim, "A") if isinstance(v.type, Array) else Scalar(kind)
        return self.b.fresh(f"{self.prefix}_{v.name}", type_)

    def start(self, fn: Function, given: dict[Var, Var]) -> None:
        """Tangents of the parameters; a copy where the function writes the parameter, so that the caller's
        stays.
        """
        written = self._written(fn)
        for v in fn.params:
            if v not in self.active and v not in given:
                continue
            if not isinstance(v.type, Array):
                if v in given:
                    self.of[v] = given[v]
            elif v in given and v not in written:
                self.of[v] = given[v]
            elif v in self.active:
                kind = self.dtype or v.type.dtype
                fresh = self.b.alloc(shape_of(self.b, v), kind, f"t_{v.name}", zeroed=v not in given)
                if v in given:
                    copy_array(self.b, given[v], fresh)
                self.of[v] = fresh

    def _written(self, fn: Function) -> set[Var]:
        found: set[Var] = set()
        for stmt in walk(fn.body):
            match stmt:
                case Store(array=array) | Accumulate(array=array):
                    found |= self.active.roots[array]
                case Call(name=name, args=args):
                    for k in ROUTINES[name].writes:
                        a = args[k]
                        assert isinstance(a, Var)
                        found |= self.active.roots[a]
        return found

    def tangent(self, x: Operand) -> Operand:
        """The tangent of a scalar; the constant zero where it is inactive."""
        if isinstance(x, Var) and x in self.active and x in self.of:
            return self.of[x]
        return const(0, x.type.dtype)

    def array(self, x: Var) -> Var:
        found = self.of[x]
        assert isinstance(found, Var)
        return found

    def result(self, r: Operand, directions: list[Var]) -> Operand:
        if not isinstance(r.type, Array):
            return self.tangent(r)
        assert isinstance(r, Var)
        if r in self.active and self.of[r] not in directions:
            return self.of[r]
        out = self.b.alloc(shape_of(self.b, r), r.type.dtype, f"t_{r.name}", zeroed=r not in self.of)
        if r in self.of:
            copy_array(self.b, self.array(r), out)
        return out

    def statement(self, stmt: Stmt) -> None:
        with self.b.at(stmt.loc):
            match stmt:
                case For() | While():
                    self._loop(stmt)
                case If():
                    self._branch(stmt)
                case Mark(value=value, out=out):
                    if out is not None:
                        self.b.emit(Op(out, "cast", (value,), loc=stmt.loc))
                        self.simple(stmt)
                case _:
                    self.b.emit(stmt)
                    self.simple(stmt)

    def simple(self, stmt: Stmt) -> None:
        b = self.b
        match stmt:
            case Op(out=out) if out in self.active:
                self.of[out] = self._op(stmt)
            case Load(out=out, array=array, index=index) if out in self.active:
                self.of[out] = b.load(self.array(array), index, hint=f"t_{out.name}")
            case Store(array=array, index=index, value=value) if array in self.active:
                b.store(self.array(array), index, self.tangent(value))
            case Accumulate(array=array, index=index, value=value) if (
                array in self.active and value in self.active
            ):
                b.accumulate(self.array(array), index, self.tangent(value))
            case Alloc(out=out, shape=shape) if out in self.active:
                hint = f"t_{out.name}"
                growing = isinstance(out.type, Array) and out.type.growing
                dtype = out.type.dtype
                self.of[out] = b.growing(dtype, hint) if growing else b.alloc(shape, dtype, hint, zeroed=True)
            case View(out=out, array=array, axes=axes, fixed=fixed) if out in self.active:
                self.of[out] = b.view(self.array(array), axes, fixed, f"t_{out.name}")
            case Reshape(out=out, array=array, shape=shape) if out in self.active:
                self.of[out] = b.reshape(self.array(array), shape, f"t_{out.name}")
            case Mark(value=value, out=out) if out is not None and out in self.active:
                self.of[out] = self.tangent(value)
            case Call():
                self._call(stmt)

    def _call(self, stmt: Call) -> None:
        tangents: dict[int, Var | None] = {}
        primal: dict[int, Var] = {}
        for k, a in enumerate(stmt.args):
            if isinstance(a, Var) and isinstance(a.type, Array):
                primal[k] = a
                tangents[k] = self.array(a) if a in self.active else None
        routine = ROUTINES[stmt.name]
        if routine.constant(stmt, self.active):
            routine.forget(self.b, tangents)
        elif any(tangents[k] is not None for k in routine.writes):
            routine.jvp(self.b, stmt, tangents, primal)

    def _op(self, stmt: Op) -> Operand:
        b = self.b
        hint = f"t_{stmt.out.name}"
        if stmt.op == "select":
            return b.op(
                "select", stmt.args[0], self.tangent(stmt.args[1]), self.tangent(stmt.args[2]), hint=hint
            )
        if stmt.op == "cast":
            return b.cast(self.tangent(stmt.args[0]), stmt.out.type.dtype, hint=hint)
        partials = trace(b, stmt.op, stmt.args, stmt.out)
        total: Operand | None = None
        for k in active_positions(stmt, self.active):
            partial = partials[k]
            if partial is None:
                continue
            t = self.tangent(stmt.args[k])
            # where the cotangent of a product with one is zero, no change of the partial counts
            if stmt.op in PRODUCTS_WITH_ZERO and k == 1:
                t, partial = partial, t
            term = self._product(stmt, t, partial, hint)
            total = term if total is None else b.op("add", total, term, hint=hint)
        return const(0, stmt.out.type.dtype) if total is None else total

    def _product(self, stmt: Op, t: Operand, partial: Operand, hint: str) -> Operand:
        if isinstance(partial, Const) and partial.value == -1:
            return self.b.op("neg", t, hint=hint)
        singular = TABLE[stmt.op].singular and not isinstance(partial, Const)
        return self.b.op("smul" if singular else "mul", t, partial, hint=hint)

    # -- control
    def _extra(self, variables: Sequence[Var]) -> list[int]:
        return [k for k, v in enumerate(variables) if v in self.active]

    def fresh(self, v: Var) -> Var:
        return self.b.fresh(f"t_{v.name}", v.type)

    def _carried(self, x: Operand) -> Operand:
        if isinstance(x.type, Array):
            assert isinstance(x, Var)
            return self.of[x]
        return self.tangent(x)

    def _loop(self, stmt: For | While) -> None:
        extra = self._extra(stmt.args)
        inits = tuple(self._carried(stmt.inits[k]) for k in extra)
        args = tuple(self.fresh(stmt.args[k]) for k in extra)
        outs = tuple(self.fresh(stmt.outs[k]) for k in extra)
        self.of.update(zip((stmt.args[k] for k in extra), args, strict=True))
        body = self._block(stmt.body, extra)
        self.of.update(zip((stmt.outs[k] for k in extra), outs, strict=True))
        new = replace(
            stmt, args=(*stmt.args, *args), inits=(*stmt.inits, *inits), body=body, outs=(*stmt.outs, *outs)
        )
        self.b.emit(new)

    def _branch(self, stmt: If) -> None:
        extra = self._extra(stmt.outs)
        then, orelse = self._block(stmt.then, extra), self._block(stmt.orelse, extra)
        outs = tuple(self.fresh(stmt.outs[k]) for k in extra)
        self.of.update(zip((stmt.outs[k] for k in extra), outs, strict=True))
        self.b.emit(replace(stmt, then=then, orelse=orelse, outs=(*stmt.outs, *outs)))

    def _block(self, block: Block, extra: list[int]) -> Block:
        with self.b.block() as inner:
            for stmt in block.stmts:
                self.statement(stmt)
        return Block(tuple(inner), (*block.yields, *(self._carried(block.yields[k]) for k in extra)))
