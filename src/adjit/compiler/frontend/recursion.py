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
left to `resuming`. Functions within the function are called where they stand and not handed on, so that each
reads the names of the pass that it was made in. Non-goals: recursion inside loops, functions that call each
other.
"""

from __future__ import annotations

import ast
import copy
import functools
import types
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ..opaque import read_outside
from . import effects
from .nodes import append, located, named, own_parts, returns, tupled
from .normalise import ends
from .resuming import Other, Resuming
from .source import plain_function

if TYPE_CHECKING:
    from .specialise import Frame, Specialiser


def as_loop(function: types.FunctionType, node: ast.AST) -> ast.FunctionDef | str:
    """The function's definition with a loop, where its form is known; else why not, if it calls itself."""
    if (
        not isinstance(node, ast.FunctionDef)
        or plain_function(function.__globals__.get(node.name)) is not function
    ):
        return ""
    return _of_module(function, node)


@functools.lru_cache(maxsize=256)
def _of_module(function: types.FunctionType, node: ast.FunctionDef) -> ast.FunctionDef | str:
    return _rewritten(function, node, {})


def local_as_loop(ctx: Specialiser, outer: Frame, node: ast.AST) -> ast.FunctionDef | str:
    """The same for a function that is defined in another one, whose frame is `outer`."""
    if not isinstance(node, ast.FunctionDef) or bindings(outer.source.node, node.name) != [node.name]:
        return ""
    names: set[str] = set()
    at: Frame | None = outer
    while at is not None:
        names |= set(at.locals)
        at = at.outer
    return _rewritten(outer.source.function, node, {n: effects.pure_value(ctx, n, outer) for n in names})


def bindings(node: ast.AST, name: str) -> list[str]:
    """The name once for each place in the text where it is bound."""
    return [name for n in ast.walk(node) if _bound(n) == name]


def _bound(n: ast.AST) -> str | None:
    match n:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
            return name
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return name
    return None


def _rewritten(
    function: types.FunctionType, node: ast.FunctionDef, around: dict[str, bool]
) -> ast.FunctionDef | str:
    """`around` are the names of functions around this one: whether they stand for what only computes."""
    if not any(isinstance(n, ast.Name) and n.id == node.name for n in ast.walk(node)):
        return ""
    try:
        worker = _Worker(function, node, around)
        with suppress(Other):
            return worker.looping() if worker.tail else worker.collecting()
        return worker.resuming()
    except Other as other:
        return str(other)


HANDED_ON = "a function within it is handed on, not just called"
INNER = ast.FunctionDef | ast.Lambda
Term = tuple[list[ast.expr], list[ast.expr], ast.expr, bool]  # factors, divisors, value, negative


class _Worker:
    def __init__(self, function: types.FunctionType, node: ast.FunctionDef, around: dict[str, bool]) -> None:
        node = copy.copy(node)
        node.decorator_list = []  # they ran when the function was defined
        self.function, self.node, self.name, self.around = function, node, node.name, around
        a = node.args
        if a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs:
            raise Other("it has other than plain parameters")
        self.params = [x.arg for x in a.args]
        self.calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and self.is_call(n)]
        named = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == self.name]
        if len(named) != len(self.calls):
            raise Other("it is handed on as a value")
        if any(not self.plain(c) for c in self.calls):
            raise Other("a call of it leaves out or names a parameter, or has another such call as argument")
        stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.stored = stored
        self.moving = [
            p
            for k, p in enumerate(self.params)
            if p in stored or any(not self.same(c.args[k], p) for c in self.calls)
        ]
        if not self.moving:
            raise Other("its calls of itself change no argument")
        if self.endless(node.body):
            raise Other("it calls itself on every path, so that it never ends")
        if self.writes(function, stored):
            raise Other("it may write an array, draw, print or call what does so")
        self.tail = all(self.is_call(r.value) or not self.has_call(r) for r in self.returns()) and len(
            self.calls
        ) == sum(self.is_call(r.value) for r in self.returns())
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

    def endless(self, statements: Sequence[ast.stmt]) -> bool:
        """Whether a call of this function is on every path through the statements, as far as can be told
        without loops.
        """
        for s in statements:
            match s:
                case ast.If(test, body, orelse):
                    ways = (body, orelse)
                    if self.always(test) or all(map(self.endless, ways)):
                        return True
                    if any(_leaves(way) and not self.endless(way) for way in ways):
                        return False
                case (
                    ast.Return() | ast.Raise() | ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Expr()
                ):
                    if self.always(s) or isinstance(s, ast.Return | ast.Raise):
                        return self.always(s)
                case _ if _leaves([s]):
                    return False
        return False

    def always(self, n: ast.AST) -> bool:
        """Whether a call of this function is among what the expressions of a node always compute."""
        match n:
            case ast.IfExp(test, body, orelse):
                return self.always(test) or (self.always(body) and self.always(orelse))
            case ast.BoolOp(values=[first, *_]):
                return self.always(first)
            case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return False
        return self.is_call(n) or any(map(self.always, ast.iter_child_nodes(n)))

    def plain(self, call: ast.AST) -> bool:
        assert isinstance(call, ast.Call)
        simple = not call.keywords and len(call.args) == len(self.params)
        return simple and not any(isinstance(a, ast.Starred) or self.has_call(a) for a in call.args)

    def returns(self) -> list[ast.Return]:
        return [n for n in own_parts(self.node) if isinstance(n, ast.Return)]

    def helpers(self) -> list[ast.FunctionDef | ast.Lambda]:
        """The functions within this one."""
        return [n for n in own_parts(self.node) if isinstance(n, INNER)]

    def helpers_stay(self) -> set[str]:
        """The names of the functions within this one, which are called and nothing else."""
        given = {
            id(n.value): n.targets[0].id
            for n in own_parts(self.node)
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and len(n.targets) == 1
        }
        names = []
        for h in self.helpers():
            name = h.name if isinstance(h, ast.FunctionDef) else given.get(id(h))
            hands_on = any(isinstance(n, INNER) and n is not h for n in ast.walk(h))
            if self.has_call(h):
                raise Other("a function within it calls it")
            if name is None or (isinstance(h, ast.FunctionDef) and h.decorator_list) or hands_on:
                raise Other(HANDED_ON)
            names.append(name)
        for name in names:
            read = [n for n in ast.walk(self.node) if isinstance(n, ast.Name) and n.id == name]
            called = [
                n
                for n in ast.walk(self.node)
                if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name
            ]
            loaded = sum(isinstance(n.ctx, ast.Load) for n in read)
            if loaded != len(called) or len(bindings(self.node, name)) != names.count(name):
                raise Other(HANDED_ON)
        return set(names)

    def writes(self, function: types.FunctionType, stored: set[str]) -> bool:
        helpers = self.helpers_stay()
        bound = stored | set(self.params) | set(self.around) | helpers
        if any(effects.body_writes(h, function, bound) for h in self.helpers()):
            return True
        for n in ast.walk(self.node):
            if isinstance(n, ast.Name | ast.Attribute) and _last(n) in ("random", "print"):
                return True
            if isinstance(n, ast.Global | ast.Nonlocal):
                return True
        for n in own_parts(self.node):
            if isinstance(n, ast.Return | ast.Assign) and n.value is not None and self.out_of_order(n.value):
                return True
            if isinstance(n, ast.Subscript | ast.Attribute) and isinstance(n.ctx, ast.Store):
                return True
            known = (
                not isinstance(n, ast.Call) or self.is_call(n) or self.given(n) or self.computes(n, helpers)
            )
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

    def computes(self, n: ast.Call, helpers: set[str]) -> bool:
        """A call of a function within this one, or of one of those around it that only compute."""
        name = n.func.id if isinstance(n.func, ast.Name) else ""
        own = name in self.stored or name in self.params
        return name in helpers or (not own and self.around.get(name, False))

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
            exits = returns(s)
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
            raise Other("its results are not only added, and it draws, prints or calls a parameter")
        rewritten = copy.deepcopy(self.node)
        return self.made(Resuming(rewritten, self.is_call, self.moving, self.stored, self.free).definition())

    def made(self, body: list[ast.stmt]) -> ast.FunctionDef:
        new = copy.copy(self.node)
        new.body = [located(s, self.node.body[0]) for s in body]
        return new


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    """Whether there is a way out of the function in these statements."""
    return any(isinstance(n, ast.Return | ast.Raise) for s in statements for n in ast.walk(s))


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
