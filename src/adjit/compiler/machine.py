"""Core IR run statement by statement on NumPy memory: the meaning that passes must keep.

Input: a function and its arguments (arrays are written as the function says). Output: the tuple of
results; who observes sees each scalar operation. Invariants: loops are bounded, checks raise their errors,
uninitialised memory is NaN (or a large integer), so that a read of it shows. Non-goals: speed.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable

import numpy as np

from .. import errors
from .ir.nodes import (
    Accumulate,
    Alloc,
    Block,
    Bounds,
    Call,
    Check,
    Dim,
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
from .ops import TABLE

LIMIT = 1_000_000


def _gemm(out: np.ndarray, a: np.ndarray, b: np.ndarray, *attrs: object) -> None:
    out[...] = a @ b + (out if attrs and attrs[0] else 0)


CALLS: dict[str, Callable[..., None]] = {"gemm": _gemm}


Observer = Callable[[Op | Call, list[object], object], None]  # an operation, its operands, its result


def run(
    fn: Function,
    *args: object,
    calls: dict[str, Callable[..., None]] | None = None,
    observe: Observer | None = None,
) -> tuple[object, ...]:
    """The results of the function; arrays may grow, so they are looked up at the end."""
    machine = _Machine({**CALLS, **(calls or {})}, observe)
    for p, a in zip(fn.params, args, strict=True):
        machine.env[p] = a if isinstance(a, np.ndarray | _Growing) else np.dtype(p.type.dtype).type(a)
    with np.errstate(all="ignore"):
        machine.block(fn.body)
        return tuple(machine.value(r) for r in fn.results)


class _Growing:
    """An array that becomes longer where it is written."""

    def __init__(self, dtype: str) -> None:
        self.data = np.zeros(0, dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    def __getitem__(self, index: tuple[int]) -> object:
        return self.data[index] if index[0] < len(self.data) else self.data.dtype.type(0)

    def __setitem__(self, index: tuple[int], value: object) -> None:
        if index[0] >= len(self.data):
            self.data = np.concatenate([self.data, np.zeros(index[0] + 1 - len(self.data), self.data.dtype)])
        self.data[index] = value


class _Machine:
    def __init__(self, calls: dict[str, Callable[..., None]], observe: Observer | None) -> None:
        self.observe = observe
        self.env: dict[Var, object] = {}
        self.calls = calls
        self.steps = 0

    def limit(self) -> None:
        if self.steps >= LIMIT:
            raise RuntimeError("too many steps")

    def value(self, x: Operand) -> object:
        return self.env[x] if isinstance(x, Var) else np.dtype(x.type.dtype).type(x.value)

    def index(self, array: object, index: tuple[Operand, ...]) -> tuple[int, ...]:
        found = tuple(int(self.value(i)) for i in index)  # type: ignore[call-overload]
        grows = isinstance(array, _Growing)
        for i, n in zip(found, array.shape, strict=True):  # type: ignore[attr-defined]
            assert i >= 0 and (grows or i < n), f"index {found} is out of bounds for shape {array.shape}"  # type: ignore[attr-defined]
        return found

    def block(self, block: Block) -> list[object]:
        for stmt in block.stmts:
            self.statement(stmt)
        return [self.value(y) for y in block.yields]

    def statement(self, stmt: Stmt) -> None:
        self.steps += 1
        self.limit()
        match stmt:
            case Op(out=out, op=op, args=args):
                operands = [self.value(a) for a in args]
                self.env[out] = self.op(out, op, operands)
                if self.observe is not None:
                    self.observe(stmt, operands, self.env[out])
            case Load(out=out, array=array, index=index):
                a = self.value(array)
                self.env[out] = a[self.index(a, index)]  # type: ignore[index]
            case Store(array=array, index=index, value=value):
                a = self.value(array)
                a[self.index(a, index)] = self.value(value)  # type: ignore[index]
            case Accumulate(array=array, index=index, value=value):
                a = self.value(array)
                place = self.index(a, index)
                a[place] = a[place] + self.value(value)  # type: ignore[index]
            case Bounds(array=array, axis=axis, index=i):
                n = self.value(array).shape[axis]  # type: ignore[attr-defined]
                if not 0 <= self.value(i) < n:  # type: ignore[operator]
                    raise IndexError(f"index {self.value(i)} is out of bounds for axis {axis} with size {n}")
            case Check(cond=cond, error=error, message=message, values=values):
                if not self.value(cond):
                    message = message.format(*map(self.value, values)) if values else message
                    raise (getattr(errors, error, None) or getattr(builtins, error))(message)
            case Call(name=name, args=args, attrs=attrs):
                given = [self.value(a) for a in args]
                self.calls[name](*given, *attrs)
                if self.observe is not None:
                    self.observe(stmt, given, None)
            case Mark(value=value, out=out):
                if out is not None:
                    self.env[out] = self.value(value)
            case For() | While() | If():
                self.control(stmt)
            case _:
                self.memory(stmt)

    def op(self, out: Var, op: str, args: list[object]) -> object:
        type_ = np.dtype(out.type.dtype).type
        if op in ("floordiv", "mod") and out.type.dtype.startswith("int") and args[1] == 0:
            return type_(0)
        return type_(args[0] if op == "cast" else TABLE[op].evaluate(*args))

    def memory(self, stmt: Stmt) -> None:
        match stmt:
            case Alloc(out=out, shape=shape, zeroed=zeroed):
                dtype = np.dtype(out.type.dtype)
                if getattr(out.type, "growing", False):
                    self.env[out] = _Growing(out.type.dtype)
                    return
                made = np.zeros([int(self.value(n)) for n in shape], dtype)  # type: ignore[call-overload]
                if not zeroed:
                    made[...] = np.nan if dtype.kind == "f" else False if dtype.kind == "b" else 99
                self.env[out] = made
            case Dim(out=out, array=array, axis=axis):
                self.env[out] = np.int64(self.value(array).shape[axis])  # type: ignore[attr-defined]
            case View(out=out, array=array, axes=axes, fixed=fixed):
                a = self.value(array)
                offset = [0] * a.ndim  # type: ignore[attr-defined]
                for k, i in fixed:
                    offset[k] = int(self.value(i))  # type: ignore[call-overload]
                lengths: list[int] = []
                strides: list[int] = []
                for s in axes:
                    lengths.append(int(self.value(s.length)))  # type: ignore[call-overload]
                    strides.append(0 if s.axis is None else a.strides[s.axis] * int(self.value(s.step)))  # type: ignore
                    if s.axis is not None:
                        offset[s.axis] = int(self.value(s.start))  # type: ignore[call-overload]
                start = a[tuple(slice(o, None) for o in offset)]  # type: ignore[index]
                self.env[out] = np.lib.stride_tricks.as_strided(start, lengths, strides)
            case Reshape(out=out, array=array, shape=shape):
                self.env[out] = self.value(array).reshape([int(self.value(n)) for n in shape])  # type: ignore
            case _:
                raise AssertionError(f"no such statement: {type(stmt).__name__}")

    def control(self, stmt: For | While | If) -> None:
        if isinstance(stmt, If):
            found = self.block(stmt.then if self.value(stmt.cond) else stmt.orelse)
            self.env.update(zip(stmt.outs, found, strict=True))
            return
        carried = [self.value(i) for i in stmt.inits]
        trips = 0
        if isinstance(stmt, For):
            span = iter(range(int(self.value(stmt.lo)), int(self.value(stmt.hi)), stmt.step))  # type: ignore
        while True:
            self.steps += 1
            self.limit()
            self.env.update(zip(stmt.args, carried, strict=True))
            if isinstance(stmt, For):
                iv = next(span, None)
                if iv is None:
                    break
                self.env[stmt.iv] = np.int64(iv)
            elif not self.block(stmt.cond)[0]:
                break
            carried = self.block(stmt.body)
            trips += 1
            if stmt.stop is not None and self.value(stmt.stop):
                break
        self.env.update(zip(stmt.outs, carried, strict=True))
        if stmt.trips is not None:
            self.env[stmt.trips] = np.int64(trips)
