"""Recursion whose depth is known at run time only, as loops: a rewrite of a function's text.

A function whose calls of itself are all returned as they are becomes a `while` loop. One whose results are
sums of its own results times factors keeps the arguments that still wait, with their factors, in a list:

    def area(f, a, b, n):                          total, waiting = 0, [(a, b, n, 1)]
        if n == 0:                                 while waiting:
            return f(a) * (b - a)                      a, b, n, weight = waiting.pop()
        m = (a + b) / 2                                if n == 0: total += weight * f(a) * (b - a); continue
        return area(f, a, m, n - 1) + ...              m = ...; waiting.append((m, b, n - 1, weight)); ...

Input: a function and its definition. Output: a definition without calls of itself, or None. Invariants: calls
are made in the same order; sums are added in another one. Only functions that write nothing. Other forms are
left to `resuming`. Non-goals: recursion inside loops.
"""

from __future__ import annotations

import ast
import copy
import functools
import types
from collections.abc import Sequence
from contextlib import suppress

from ..opaque import read_outside
from . import effects
from .nodes import append, located, named, tupled
from .normalise import ends
from .resuming import Other, Resuming
from .source import plain_function


def as_loop(function: types.FunctionType, node: ast.AST) -> ast.FunctionDef | None:
    """The function's definition with a loop, where its form is known."""
    if (
        not isinstance(node, ast.FunctionDef)
        or plain_function(function.__globals__.get(node.name)) is not function
    ):
        return None
    return _rewritten(function, node)


@functools.lru_cache(maxsize=256)
def _rewritten(function: types.FunctionType, node: ast.FunctionDef) -> ast.FunctionDef | None:
    try:
        worker = _Worker(function, node)
    except Other:
        return None
    forms = (worker.looping if worker.tail else worker.collecting, worker.resuming)
    for form in forms:
        with suppress(Other):
            return form()
    return None


Term = tuple[list[ast.expr], list[ast.expr], ast.expr, bool]  # factors, divisors, value, negative


class _Worker:
    def __init__(self, function: types.FunctionType, node: ast.FunctionDef) -> None:
        self.function, self.node, self.name = function, node, node.name
        a = node.args
        if a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs:
            raise Other
        self.params = [x.arg for x in a.args]
        self.calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and self.is_call(n)]
        named = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == self.name]
        if len(named) != len(self.calls) or any(not self.plain(c) for c in self.calls):
            raise Other
        stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.moving = [
            p
            for k, p in enumerate(self.params)
            if p in stored or any(not self.same(c.args[k], p) for c in self.calls)
        ]
        if not self.moving or self.writes(function, stored):
            raise Other
        self.tail = all(self.is_call(r.value) or not self.has_call(r) for r in self.returns()) and len(
            self.calls
        ) == sum(self.is_call(r.value) for r in self.returns())
        self.stored = stored
        self.used = stored | set(self.params) | {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        self.total, self.weight, self.waiting = map(self.free, ("total", "weight", "waiting"))

    def free(self, name: str) -> str:
        while name in self.used:
            name += "_"
        return name

    @staticmethod
    def same(argument: ast.expr, name: str) -> bool:
        return isinstance(argument, ast.Name) and argument.id == name

    def is_call(self, n: ast.AST | None) -> bool:
        return isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == self.name

    def has_call(self, n: ast.AST) -> bool:
        return any(self.is_call(x) for x in ast.walk(n))

    def plain(self, call: ast.AST) -> bool:
        assert isinstance(call, ast.Call)
        simple = not call.keywords and len(call.args) == len(self.params)
        return simple and not any(isinstance(a, ast.Starred) or self.has_call(a) for a in call.args)

    def returns(self) -> list[ast.Return]:
        return [n for n in ast.walk(self.node) if isinstance(n, ast.Return)]

    def writes(self, function: types.FunctionType, stored: set[str]) -> bool:
        bound = stored | set(self.params)
        for n in ast.walk(self.node):
            if isinstance(n, ast.Return | ast.Assign) and n.value is not None and self.out_of_order(n.value):
                return True
            if isinstance(n, ast.Name | ast.Attribute) and _last(n) in ("random", "print"):
                return True
            if isinstance(n, ast.Subscript | ast.Attribute) and isinstance(n.ctx, ast.Store):
                return True
            if isinstance(n, ast.FunctionDef | ast.Lambda | ast.Global | ast.Nonlocal) and n is not self.node:
                return True
            known = not isinstance(n, ast.Call) or self.is_call(n) or self.given(n)
            if not known and effects.call_writes(n, function, bound):  # type: ignore[arg-type]
                return True
        return False

    def out_of_order(self, value: ast.expr) -> bool:
        """Whether a function that is passed on, and may do anything, is called beside a call of this one."""
        inner = [n for n in ast.walk(value) if isinstance(n, ast.Call)]
        return self.has_call(value) and any(self.given(n) for n in inner)

    def given(self, n: ast.Call) -> bool:
        """A call of a function that is passed on unchanged; only its arguments that are numbers count
        here.
        """
        return isinstance(n.func, ast.Name) and n.func.id in self.params and n.func.id not in self.moving

    # -- statements
    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        later: dict[str, ast.expr] = {}
        for s in statements:
            if isinstance(s, ast.Return):
                return out + self.result(_inserted(s.value, later), s)
            match s:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if self.has_call(value):
                    later[name] = _inserted(value, later)
                    continue
                case ast.If() if not self.has_call(s.test) and not later:
                    out.append(located(ast.If(s.test, self.block(s.body), self.block(s.orelse)), s))
                    continue
            exits = any(isinstance(n, ast.Return) for n in ast.walk(s))
            if later or exits or self.has_call(s):
                raise Other
            out.append(s)
        if later:
            raise Other
        return out

    def result(self, value: ast.expr, at: ast.stmt) -> list[ast.stmt]:
        if isinstance(value, ast.IfExp) and self.has_call(value) and not self.has_call(value.test):
            sides = self.result(value.body, at), self.result(value.orelse, at)
            return [located(ast.If(value.test, *sides), at)]
        if self.tail:
            return self.again(value, at)
        calls: list[ast.stmt] = []
        rest: list[ast.stmt] = []
        for term in self.terms(value):
            factor = _product(term, self.weight)
            if self.is_call(term[2]):
                assert isinstance(term[2], ast.Call)
                items = [a for p, a in zip(self.params, term[2].args, strict=True) if p in self.moving]
                calls.append(append(self.waiting, tupled([*items, factor])))
            else:
                whole = ast.BinOp(factor, ast.Mult(), term[2])
                rest.append(ast.AugAssign(named(self.total, ast.Store()), ast.Add(), whole))
        return [located(s, at) for s in (*rest, *calls[::-1], ast.Continue())]

    def again(self, value: ast.expr, at: ast.stmt) -> list[ast.stmt]:
        if not self.is_call(value):
            return [located(ast.Return(value), at)]
        assert isinstance(value, ast.Call)
        items = [a for p, a in zip(self.params, value.args, strict=True) if p in self.moving]
        targets = tupled([named(p, ast.Store()) for p in self.moving], ast.Store())
        return [located(ast.Assign([targets], tupled(items)), at), located(ast.Continue(), at)]

    def terms(self, e: ast.expr) -> list[Term]:
        """A result as a sum of products, each with at most one call."""
        if self.is_call(e) or not self.has_call(e):
            return [([], [], e, False)]
        match e:
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                second = self.terms(right)
                if isinstance(e.op, ast.Sub):
                    second = [(f, d, v, not n) for f, d, v, n in second]
                return [*self.terms(left), *second]
            case ast.BinOp(left=left, op=ast.Mult(), right=right) if not self.has_call(left):
                return [([left, *f], d, v, n) for f, d, v, n in self.terms(right)]
            case ast.BinOp(left=left, op=ast.Mult(), right=right) if not self.has_call(right):
                return [([right, *f], d, v, n) for f, d, v, n in self.terms(left)]
            case ast.BinOp(left=left, op=ast.Div(), right=right) if not self.has_call(right):
                return [(f, [right, *d], v, n) for f, d, v, n in self.terms(left)]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return [(f, d, v, not n) for f, d, v, n in self.terms(operand)]
        raise Other

    # -- the whole
    def looping(self) -> ast.FunctionDef:
        body = self.block(self.node.body)
        if not ends(body):
            body.append(located(ast.Return(ast.Constant(None)), self.node.body[-1]))
        return self.made([ast.While(ast.Constant(True), body, [])])

    def collecting(self) -> ast.FunctionDef:
        body = self.block(self.node.body)
        if not ends(body):
            raise Other
        first = tupled([*(named(p) for p in self.moving), ast.Constant(1)])
        targets = tupled([named(p, ast.Store()) for p in (*self.moving, self.weight)], ast.Store())
        pop = ast.Call(ast.Attribute(named(self.waiting), "pop", ast.Load()), [], [])
        return self.made(
            [
                ast.Assign([named(self.total, ast.Store())], ast.Constant(0)),
                ast.Assign([named(self.waiting, ast.Store())], ast.List([first], ast.Load())),
                ast.While(named(self.waiting), [ast.Assign([targets], pop), *body], []),
                ast.Return(named(self.total)),
            ]
        )

    def resuming(self) -> ast.FunctionDef:
        given = any(isinstance(n, ast.Call) and self.given(n) for n in ast.walk(self.node))
        if given or not _repeatable(self.function, set()):
            raise Other
        rewritten = copy.deepcopy(self.node)
        return self.made(Resuming(rewritten, self.is_call, self.moving, self.stored, self.free).definition())

    def made(self, body: list[ast.stmt]) -> ast.FunctionDef:
        new = copy.copy(self.node)
        new.body = [located(s, self.node.body[0]) for s in body]
        return new


def _repeatable(function: types.FunctionType, seen: set[object]) -> bool:
    """Whether walking a function again neither prints nor draws; it writes nothing."""
    if function in seen:
        return True
    seen.add(function)
    if {"random", "print"} & {*function.__code__.co_names}:
        return False
    for _, found in read_outside(function):
        plain = plain_function(found)
        if type(found).__module__.startswith(("numpy.random", "random")):
            return False
        if isinstance(plain, types.FunctionType) and not _repeatable(plain, seen):
            return False
    return True


def _inserted(value: ast.expr | None, later: dict[str, ast.expr]) -> ast.expr:
    """An expression with results of calls in place of the names they were given; each is used once."""
    if value is None:
        raise Other
    used = [n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n.id in later]
    if len(set(used)) != len(used):
        raise Other

    class Insert(ast.NodeTransformer):
        def visit_Name(self, n: ast.Name) -> ast.expr:
            return later.get(n.id, n)

    made: ast.expr = Insert().visit(copy.deepcopy(value)) if used else value
    return made


def _product(term: Term, weight: str) -> ast.expr:
    found: ast.expr = named(weight)
    for f in term[0]:
        found = ast.BinOp(found, ast.Mult(), f)
    for d in term[1]:
        found = ast.BinOp(found, ast.Div(), d)
    return ast.UnaryOp(ast.USub(), found) if term[3] else found


def _last(n: ast.Name | ast.Attribute) -> str:
    return n.id if isinstance(n, ast.Name) else n.attr


__all__ = ["as_loop"]
