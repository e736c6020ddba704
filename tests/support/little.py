"""A little language for tests of analyses and passes: Python text to raw core IR, without any folding.

Input: a Python function whose parameters are annotated "f8[:]", "f8[:,:]", "i8", "f8", "i8[:]" or "b1".
Statements: assignments (of several names too), `for i in range(...)`, `while`, `if`, `x[i] = v`, `x[i]
+= v`, `return`. Functions: op names, `alloc(...)`, `zeros(...)`, `dim(x, 0)`, `row(x, i)` (a view),
`bounds(x, 0, i)`, `check(c)`, `stop(c)` as the last statement of a loop, `gemm(...)` and other library
calls as statements, keywords being attributes. Loops carry exactly the names that were bound before and are
assigned inside.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable

from adjit.compiler.ir.builder import Names, const
from adjit.compiler.ir.nodes import (
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
    Op,
    Operand,
    Slice,
    Stmt,
    Store,
    Var,
    View,
    While,
)
from adjit.compiler.ir.types import BOOL, FLOAT64, INT, Array, Scalar
from adjit.compiler.ir.verify import verify
from adjit.compiler.ops import TABLE

NAMES = {"f8": "float64", "f4": "float32", "i8": "int64", "i4": "int32", "b1": "bool"}
OPS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
    ast.Eq: "eq", ast.NotEq: "ne", ast.USub: "neg", ast.Not: "not", ast.And: "and", ast.Or: "or",
}  # fmt: skip


def ir(fun: Callable[..., object]) -> Function:
    """Decorator: the function as IR, verified."""
    return read(inspect.getsource(fun))


def read(source: str) -> Function:
    """The text of a function as IR, verified."""
    fn = _Reader().function(ast.parse(textwrap.dedent(source)).body[0])
    verify(fn)
    return fn


def _assigned(stmts: list[ast.stmt]) -> list[str]:
    found = [
        n.id for s in stmts for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    return list(dict.fromkeys(found))


class _Reader:
    def __init__(self) -> None:
        self.names = Names()
        self.env: dict[str, Operand] = {}
        self.out: list[Stmt] = []
        self.stop: Operand | None = None

    def fresh(self, name: str, type_: Scalar | Array) -> Var:
        return self.names.fresh(name, type_)

    def function(self, node: ast.stmt) -> Function:
        assert isinstance(node, ast.FunctionDef)
        params = []
        for a in node.args.args:
            assert isinstance(a.annotation, ast.Constant)
            kind, _, rest = str(a.annotation.value).partition("[")
            dtype = NAMES[kind]
            params.append(self.fresh(a.arg, Array(dtype, rest.count(":")) if rest else Scalar(dtype)))
            self.env[a.arg] = params[-1]
        results: tuple[Operand, ...] = ()
        body = node.body
        if isinstance(body[-1], ast.Return):
            value = body[-1].value
            self.block(body[:-1])
            results = tuple(self.expr(e) for e in (value.elts if isinstance(value, ast.Tuple) else [value]))  # type: ignore[list-item]
        else:
            self.block(body)
        return Function(node.name, tuple(params), Block(tuple(self.out)), results)

    # -- statements
    def block(self, stmts: list[ast.stmt]) -> None:
        for s in stmts:
            self.statement(s)

    def nested(self, stmts: list[ast.stmt]) -> list[Stmt]:
        kept, self.out = self.out, []
        self.block(stmts)
        made, self.out = self.out, kept
        return made

    def statement(self, s: ast.stmt) -> None:
        if isinstance(s, ast.Assign):
            (target,) = s.targets
            if isinstance(target, ast.Tuple):
                values = [self.expr(v) for v in s.value.elts]  # type: ignore[attr-defined]
                for t, v in zip(target.elts, values, strict=True):
                    self.assign(t, v)
            else:
                self.assign(target, self.expr(s.value, target.id if isinstance(target, ast.Name) else "t"))
        elif isinstance(s, ast.AugAssign):
            self.augmented(s)
        elif isinstance(s, ast.For):
            self.for_(s)
        elif isinstance(s, ast.While):
            self.while_(s)
        elif isinstance(s, ast.If):
            self.if_(s)
        elif isinstance(s, ast.Expr) and isinstance(s.value, ast.Call):
            self.call(s.value)
        else:
            assert isinstance(s, ast.Pass), ast.dump(s)

    def assign(self, target: ast.expr, value: Operand) -> None:
        if isinstance(target, ast.Name):
            self.env[target.id] = value
        else:
            array, index = self.place(target)
            self.out.append(Store(array, index, self.fit(value, Scalar(array.type.dtype))))

    def augmented(self, s: ast.AugAssign) -> None:
        if isinstance(s.target, ast.Name):
            self.env[s.target.id] = self.binary(
                OPS[type(s.op)], self.env[s.target.id], self.expr(s.value), s.target.id
            )
        else:
            array, index = self.place(s.target)
            assert isinstance(s.op, ast.Add)
            self.out.append(Accumulate(array, index, self.fit(self.expr(s.value), Scalar(array.type.dtype))))

    def place(self, e: ast.expr) -> tuple[Var, tuple[Operand, ...]]:
        assert isinstance(e, ast.Subscript)
        array = self.expr(e.value)
        assert isinstance(array, Var)
        items = e.slice.elts if isinstance(e.slice, ast.Tuple) else [e.slice]
        return array, tuple(self.expr(i) for i in items)

    def carried(self, stmts: list[ast.stmt], skip: str = "") -> tuple[list[str], list[Operand], list[Var]]:
        names = [n for n in _assigned(stmts) if n in self.env and n != skip]
        inits = [self.env[n] for n in names]
        args = [self.fresh(n, i.type) for n, i in zip(names, inits, strict=True)]
        self.env.update(zip(names, args, strict=True))
        return names, inits, args

    def leave(self, names: list[str], inits: list[Operand], kept: dict[str, Operand]) -> tuple[Var, ...]:
        outs = tuple(self.fresh(n, i.type) for n, i in zip(names, inits, strict=True))
        self.env = {**kept, **dict(zip(names, outs, strict=True))}
        return outs

    def for_(self, s: ast.For) -> None:
        assert isinstance(s.iter, ast.Call) and isinstance(s.target, ast.Name)
        span = [self.expr(a) for a in s.iter.args]
        lo, hi = (const(0), span[0]) if len(span) == 1 else span[:2]
        step = int(ast.literal_eval(s.iter.args[2])) if len(span) == 3 else 1
        kept = dict(self.env)
        names, inits, args = self.carried(s.body, s.target.id)
        iv = self.fresh(s.target.id, INT)
        self.env[s.target.id] = iv
        self.stop = None
        body = self.nested(s.body)
        stop, self.stop = self.stop, None
        yields = tuple(self.env[n] for n in names)
        outs = self.leave(names, inits, kept)
        self.out.append(
            For(iv, lo, hi, step, tuple(args), tuple(inits), Block(tuple(body), yields), outs, stop)
        )

    def while_(self, s: ast.While) -> None:
        kept = dict(self.env)
        names, inits, args = self.carried(s.body)
        inner, self.out = self.out, []
        cond = self.expr(s.test)
        test = Block(tuple(self.out), (cond,))
        self.out = inner
        body = self.nested(s.body)
        stop, self.stop = self.stop, None
        yields = tuple(self.env[n] for n in names)
        outs = self.leave(names, inits, kept)
        self.out.append(While(tuple(args), tuple(inits), test, Block(tuple(body), yields), outs, stop))

    def if_(self, s: ast.If) -> None:
        cond = self.expr(s.test)
        kept = dict(self.env)
        names = [n for n in _assigned([*s.body, *s.orelse]) if n in kept]
        sides = []
        for stmts in (s.body, s.orelse):
            self.env = dict(kept)
            made = self.nested(stmts)
            sides.append(Block(tuple(made), tuple(self.env[n] for n in names)))
        outs = self.leave(names, [kept[n] for n in names], kept)
        self.out.append(If(cond, sides[0], sides[1], outs))

    # -- expressions
    def emit(self, op: str, args: tuple[Operand, ...], hint: str = "t") -> Var:
        out = self.fresh(hint, TABLE[op].result(*(a.type for a in args)))
        self.out.append(Op(out, op, args))
        return out

    @staticmethod
    def fit(x: Operand, type_: Scalar) -> Operand:
        return x if isinstance(x, Var) or x.type == type_ else const(x.value, type_.dtype)

    def binary(self, op: str, a: Operand, b: Operand, hint: str = "t") -> Var:
        like = a.type if isinstance(a, Var) else b.type
        assert isinstance(like, Scalar)
        return self.emit(op, (self.fit(a, like), self.fit(b, like)), hint)

    def expr(self, e: ast.expr, hint: str = "t") -> Operand:
        match e:
            case ast.Constant(value=value):
                assert isinstance(value, bool | int | float)
                return const(value)
            case ast.Name(id=name):
                return self.env[name]
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
                assert isinstance(value, int | float)
                return const(-value)
            case ast.UnaryOp(op=op, operand=x):
                return self.emit(OPS[type(op)], (self.expr(x),), hint)
            case ast.BinOp(left=a, op=op, right=b):
                return self.binary(OPS[type(op)], self.expr(a), self.expr(b), hint)
            case ast.BoolOp(op=op, values=[a, b]):
                return self.emit(OPS[type(op)], (self.expr(a), self.expr(b)), hint)
            case ast.Compare(left=a, ops=[op], comparators=[b]):
                return self.binary(OPS[type(op)], self.expr(a), self.expr(b), hint)
            case ast.Subscript():
                array, index = self.place(e)
                out = self.fresh(hint, Scalar(array.type.dtype))
                self.out.append(Load(out, array, index))
                return out
            case ast.Call():
                found = self.call(e, hint)
                assert found is not None
                return found
            case _:
                raise AssertionError(ast.dump(e))

    def call(self, e: ast.Call, hint: str = "t") -> Operand | None:
        assert isinstance(e.func, ast.Name)
        name, args = e.func.id, [self.expr(a) for a in e.args]
        first = args[0]
        if name in ("alloc", "zeros"):
            out = self.fresh(hint, Array("float64", len(args)))
            self.out.append(Alloc(out, tuple(args), name == "zeros"))
            return out
        if name in TABLE:
            like = next((a.type for a in args[::-1] if isinstance(a, Var)), first.type)
            assert isinstance(like, Scalar)
            if name != "select":
                args = [self.fit(a, like) for a in args]
            return self.emit(name, tuple(args), hint)
        if name in ("float", "int"):
            out = self.fresh(hint, FLOAT64 if name == "float" else INT)
            self.out.append(Op(out, "cast", (first,)))
            return out
        if name == "stop":
            self.stop = first
        elif name == "check":
            self.out.append(Check(first, "ValueError", "checked"))
        elif isinstance(first, Var) and name == "dim":
            out = self.fresh(hint, INT)
            self.out.append(Dim(out, first, ast.literal_eval(e.args[1])))
            return out
        elif isinstance(first, Var) and name == "row":
            return self.row(first, args[1], hint)
        elif isinstance(first, Var) and name == "bounds":
            self.out.append(Bounds(first, ast.literal_eval(e.args[1]), args[2]))
        else:
            attrs = tuple(ast.literal_eval(k.value) for k in e.keywords)
            self.out.append(Call(name, tuple(args), attrs))
        return None

    def row(self, array: Var, index: Operand, hint: str) -> Var:
        n = self.fresh("n", INT)
        self.out.append(Dim(n, array, 1))
        out = self.fresh(hint, Array(array.type.dtype, 1, "A"))
        self.out.append(View(out, array, (Slice(1, const(0), n, const(1)),), ((0, index),)))
        return out


__all__ = ["BOOL", "ir"]
