"""The specification of core IR as a check.

Input: a function. Output: nothing, or `InternalError` that names the statement and the clause it
breaks. Runs after each pass in tests. Non-goal: facts that need an analysis (overlap of arguments,
indices in range).

Clauses
- a variable is defined once, and read only where it is visible;
- operands have the types that the op table, the array or the statement asks for;
- there is one int64 index per axis;
- parameters, initial values, yields and results of a loop or branch agree in number and type;
- array yields of a loop are a permutation of its array parameters;
- a branch does not yield an array allocated in it; `stop` and conditions are boolean.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import InternalError
from ..ops import TABLE
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
    Stmt,
    Store,
    Var,
    View,
    While,
)
from .printer import line
from .types import BOOL, DTYPES, INT, Array, Scalar
from .visitor import block_params, blocks, defined, operands


def verify(fn: Function) -> None:
    """Raise `InternalError` unless the function is well formed."""
    _Verifier(fn).function()


def _rank(v: Var) -> int:
    return v.type.ndim if isinstance(v.type, Array) else -1


class _Verifier:
    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.visible: set[Var] = set()
        self.ever: set[Var] = set()
        self.numbers: set[int] = set()
        self.stmt: Stmt | None = None

    def fail(self, clause: str) -> None:
        where = f" in `{line(self.stmt)}` ({self.stmt.loc})" if self.stmt is not None else ""
        raise InternalError(f"ill-formed IR in function {self.fn.name}: {clause}{where}")

    def need(self, holds: bool, clause: str) -> None:
        if not holds:
            self.fail(clause)

    # -- scopes
    def define(self, v: Var) -> None:
        self.need(v not in self.ever, f"{v!r} is defined twice")
        self.need(v.number not in self.numbers, f"number {v.number} is used twice")
        self.need(v.type.dtype in DTYPES, f"{v!r} has no known dtype: {v.type}")
        self.ever.add(v)
        self.numbers.add(v.number)
        self.visible.add(v)

    def read(self, x: Operand) -> None:
        if isinstance(x, Var):
            self.need(
                x in self.visible,
                f"{x!r} is read but is not {'visible' if x in self.ever else 'defined'} here",
            )
        else:
            self.constant(x)

    def constant(self, x: Const) -> None:
        if isinstance(x.type, Array):
            self.fail("a constant has an array type")
        kind = bool if x.type == BOOL else float if x.type.dtype.startswith("float") else int
        self.need(type(x.value) is kind, f"constant {x.value!r} does not fit its type {x.type}")

    def typed(self, x: Operand, type_: Scalar, what: str) -> None:
        self.need(x.type == type_, f"{what} {x!r} has type {x.type}, not {type_}")

    # -- structure
    def function(self) -> None:
        for p in self.fn.params:
            self.define(p)
        self.block(self.fn.body)
        self.need(not self.fn.body.yields, "the outermost block yields values")
        self.stmt = None
        for r in self.fn.results:
            self.need(not isinstance(r, Var) or r in self.visible, f"result {r!r} is not visible at the end")
        # (the outermost block is left open so that results can be looked up)

    def block(self, block: Block) -> None:
        for stmt in block.stmts:
            self.stmt = stmt
            for x in operands(stmt):
                self.read(x)
            self.check(stmt)
            self.inner(stmt)
            self.stmt = stmt
            for v in defined(stmt):
                self.define(v)

    def inner(self, stmt: Stmt) -> None:
        kept = set(self.visible) if blocks(stmt) else self.visible
        for v in block_params(stmt):
            self.define(v)
        outer = set(self.visible) if blocks(stmt) else self.visible
        for block in blocks(stmt):
            self.visible = set(outer)
            self.block(block)
            self.stmt = stmt
            for y in block.yields:
                self.read(y)
            if isinstance(stmt, For | While) and block is stmt.body and stmt.stop is not None:
                self.read(stmt.stop)
        self.visible = kept

    # -- statements
    def check(self, stmt: Stmt) -> None:
        match stmt:
            case Op():
                self.op(stmt)
            case Load(out=out, array=a, index=index):
                self.element(a, index)
                self.typed(out, Scalar(a.type.dtype), "loaded value")
            case Store(array=a, index=index, value=value) | Accumulate(array=a, index=index, value=value):
                self.element(a, index)
                self.typed(value, Scalar(a.type.dtype), "stored value")
            case Alloc() | Dim() | View() | Reshape():
                self.array_statement(stmt)
            case Call(args=args):
                self.need(
                    any(isinstance(a.type, Array) for a in args), "a library call has no array argument"
                )
            case For() | While():
                self.loop(stmt)
            case If():
                self.branch(stmt)
            case Bounds(array=a, axis=axis, index=index):
                self.need(0 <= axis < _rank(a), f"{a!r} has no axis {axis}")
                self.typed(index, INT, "index")
            case Check(cond=cond):
                self.typed(cond, BOOL, "condition")
            case Mark(value=value, out=out):
                scalar = isinstance(value.type, Scalar)
                self.need(
                    scalar == (out is not None), "a marked scalar has another name, a marked array has none"
                )
                self.need(out is None or out.type == value.type, "a mark changes the type")
            case _:
                self.fail(f"no such statement: {type(stmt).__name__}")

    def op(self, stmt: Op) -> None:
        entry = TABLE.get(stmt.op)
        if entry is None:
            self.fail(f"no op is named {stmt.op!r}")
            return
        self.need(
            len(stmt.args) == entry.arity, f"{stmt.op} takes {entry.arity} operands, not {len(stmt.args)}"
        )
        types = [a.type for a in stmt.args]
        self.need(all(isinstance(t, Scalar) for t in types), f"an operand of {stmt.op} is an array")
        if stmt.op == "cast":
            self.need(isinstance(stmt.out.type, Scalar), "a cast gives an array")
            return
        try:
            result = entry.result(*types)
        except TypeError as error:
            self.fail(f"operands of {stmt.op} disagree: {error}")
            return
        if stmt.op in ("wrap", "trips"):
            self.need(all(t == INT for t in types), f"{stmt.op} needs int64 operands")
        if stmt.op == "select":
            self.need(types[0] == BOOL, "the condition of select is not boolean")
        self.need(
            stmt.out.type == result, f"{stmt.op} gives {result}, but its result has type {stmt.out.type}"
        )

    def element(self, a: Var, index: Sequence[Operand]) -> None:
        self.need(isinstance(a.type, Array), f"{a!r} is no array")
        self.need(len(index) == _rank(a), f"{a!r} has {_rank(a)} axes but {len(index)} indices are given")
        for i in index:
            self.typed(i, INT, "index")

    def array_statement(self, stmt: Alloc | Dim | View | Reshape) -> None:
        out = stmt.out
        if isinstance(stmt, Dim):
            self.need(0 <= stmt.axis < _rank(stmt.array), f"{stmt.array!r} has no axis {stmt.axis}")
            self.typed(out, INT, "length")
            return
        if not isinstance(out.type, Array):
            self.fail(f"{out!r} is no array")
            return
        if isinstance(stmt, Alloc):
            if out.type.growing:
                self.need(
                    not stmt.shape and stmt.zeroed and out.type.ndim == 1, "a growing array starts empty"
                )
                return
            self.need(len(stmt.shape) == out.type.ndim, "the shape does not fit the rank")
        else:
            self.need(isinstance(stmt.array.type, Array), f"{stmt.array!r} is no array")
            self.need(out.type.dtype == stmt.array.type.dtype, "a view changes the dtype")
        if isinstance(stmt, View):
            self.need(len(stmt.axes) == out.type.ndim, "the axes do not fit the rank")
            used = [s.axis for s in stmt.axes if s.axis is not None] + [k for k, _ in stmt.fixed]
            self.need(sorted(used) == list(range(_rank(stmt.array))), "a base axis is missing or used twice")
        elif isinstance(stmt, Reshape):
            self.need(len(stmt.shape) == out.type.ndim, "the shape does not fit the rank")
        for x in operands(stmt):
            if isinstance(x.type, Scalar):
                self.typed(x, INT, "length or index")

    # -- control
    def loop(self, stmt: For | While) -> None:
        n = len(stmt.args)
        counts = len(stmt.inits) == n and len(stmt.body.yields) == n and len(stmt.outs) == n
        self.need(counts, "a loop's parameters, initial values, yields and results differ in number")
        for a, i, y, o in zip(stmt.args, stmt.inits, stmt.body.yields, stmt.outs, strict=True):
            self.agree(a, (i, y, o))
        exchanged = {o for s in stmt.body.stmts if isinstance(s, For | While | If) for o in s.outs}
        arrays = {a for a in stmt.args if isinstance(a.type, Array)}
        yielded = [y for y in stmt.body.yields if isinstance(y.type, Array)]
        self.need(
            len(set(yielded)) == len(arrays) and all(y in arrays or y in exchanged for y in yielded),
            "array yields of a loop are not a permutation of its array parameters",
        )
        if stmt.stop is not None:
            self.typed(stmt.stop, BOOL, "stop flag")
        if stmt.trips is not None:
            self.typed(stmt.trips, INT, "trip count")
        if isinstance(stmt, For):
            self.need(
                stmt.step != 0 and isinstance(stmt.step, int), "the step of a loop is not a nonzero integer"
            )
            for x, what in ((stmt.iv, "loop variable"), (stmt.lo, "bound"), (stmt.hi, "bound")):
                self.typed(x, INT, what)
        else:
            ok = len(stmt.cond.yields) == 1 and stmt.cond.yields[0].type == BOOL
            self.need(ok, "the condition of a while loop does not yield one boolean")
            for inner in stmt.cond.stmts:
                self.need(
                    not isinstance(inner, Store | Accumulate | Call), "the condition of a while loop writes"
                )

    def branch(self, stmt: If) -> None:
        self.typed(stmt.cond, BOOL, "condition")
        for block in (stmt.then, stmt.orelse):
            self.need(len(block.yields) == len(stmt.outs), "yields and results of a branch differ in number")
            fresh = {v for s in block.stmts if isinstance(s, Alloc) for v in defined(s)}
            for y, o in zip(block.yields, stmt.outs, strict=True):
                self.agree(o, (y,))
                self.need(y not in fresh, f"a branch yields {y!r}, which is allocated in it")

    def agree(self, like: Var, others: Sequence[Operand]) -> None:
        for x in others:
            if isinstance(like.type, Array) and isinstance(x.type, Array):
                same = (like.type.dtype, like.type.ndim) == (x.type.dtype, x.type.ndim)
            else:
                same = like.type == x.type
            self.need(same, f"{like!r} of type {like.type} meets {x!r} of type {x.type}")
