"""Recursion of any form as a loop over frames that wait: a rewrite of a function's text.

    def tree(i):                                value, waiting = 0, [(i, 0, 0, 0)]
        if left[i] < 0:                         while waiting:
            return leaf[i]                          i, step, first, second = waiting.pop()
        return tree(left[i]) * tree(right[i])       if step == 1: first = value
                                                    elif step == 2: second = value
                                                    if left[i] < 0: value = leaf[i]; continue
                                                    if step < 1:
                                                        waiting.append((i, 1, first, second))
                                                        waiting.append((left[i], 0, first, second)); continue
                                                    if step < 2: ...
                                                    value = first * second

A frame has the arguments, how many of its calls are done, and their results. It is walked from its beginning
each time, so what stands before a call is computed again. Input: a function whose form `recursion` has read.
Output: its definition without calls of itself. Invariants: the function writes nothing; calls are made in
the same order. Non-goals: calls inside loops, comprehensions and conditional expressions; results that are
not numbers, which the walk refuses.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from .nodes import append, located, named, returns, tupled
from .normalise import ends

CONDITIONAL = "a call of it stands inside a comprehension, or where it is not always made"


class Other(Exception):
    """The function is of another form, as the argument says."""


class Resuming:
    """`is_call` tells the function's calls of itself; `moving` are the parameters that change, `stored` the
    names that it binds. `free` makes a name that is not in use.
    """

    def __init__(
        self,
        node: ast.FunctionDef,
        is_call: Callable[[ast.AST | None], bool],
        moving: Sequence[str],
        stored: set[str],
        free: Callable[[str], str],
    ) -> None:
        self.node, self.is_call, self.moving = node, is_call, moving
        self.params = [a.arg for a in node.args.args]
        self.value, self.waiting, self.step = (free(n) for n in ("value", "waiting", "step"))
        self.given = {p: free(f"{p}_given") if p in stored else p for p in moving}
        count = sum(is_call(n) for n in ast.walk(node))
        self.found = [free(f"result{k + 1}") for k in range(count)]
        self.done = 0

    def definition(self) -> list[ast.stmt]:
        """The new body."""
        if not ends(self.node.body):
            raise Other("it does not return a value at each end")
        body = self.block(self.node.body)
        pop = ast.Call(ast.Attribute(named(self.waiting), "pop", ast.Load()), [], [])
        first = tupled([*map(named, self.moving), *(ast.Constant(0) for _ in range(len(self.found) + 1))])
        places = [*self.given.values(), self.step, *self.found]
        targets = tupled([named(p, ast.Store()) for p in places], ast.Store())
        again: list[ast.stmt] = [
            ast.Assign([named(p, ast.Store())], named(given)) for p, given in self.given.items() if p != given
        ]
        return [
            ast.Assign([named(self.value, ast.Store())], ast.Constant(0)),
            ast.Assign([named(self.waiting, ast.Store())], ast.List([first], ast.Load())),
            ast.While(named(self.waiting), [ast.Assign([targets], pop), *self.returned(), *again, *body], []),
            ast.Return(named(self.value)),
        ]

    def returned(self) -> list[ast.stmt]:
        """The result of the call that is done last goes to its place."""
        out: list[ast.stmt] = []
        for k, name in reversed(list(enumerate(self.found, start=1))):
            test = ast.Compare(named(self.step), [ast.Eq()], [ast.Constant(k)])
            out = [ast.If(test, [ast.Assign([named(name, ast.Store())], named(self.value))], out)]
        return out

    def has_call(self, n: ast.AST) -> bool:
        return any(self.is_call(x) for x in ast.walk(n))

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for s in statements:
            if isinstance(s, ast.Return):
                return out + self.result(s)
            leaves = returns(s)
            if isinstance(s, ast.If) and (leaves or self.has_call(s)):
                before, test = self.taken_out(s.test, s)
                out += [*before, located(ast.If(test, self.block(s.body), self.block(s.orelse)), s)]
            elif isinstance(s, ast.Assign | ast.AugAssign) and self.has_call(s):
                before, value = self.taken_out(s.value, s)
                new = (
                    ast.Assign(s.targets, value)
                    if isinstance(s, ast.Assign)
                    else ast.AugAssign(s.target, s.op, value)
                )
                out += [*before, located(new, s)]
            elif leaves or self.has_call(s):
                raise Other("a call of it, or a return, stands inside a loop")
            else:
                out.append(s)
        return out

    def result(self, s: ast.Return) -> list[ast.stmt]:
        value = s.value
        if value is None:
            raise Other("it does not return a value at each end")
        if isinstance(value, ast.IfExp) and self.has_call(value):
            before, test = self.taken_out(value.test, s)
            sides = (self.result(located(ast.Return(v), s)) for v in (value.body, value.orelse))
            return [*before, located(ast.If(test, *sides), s)]
        before, value = self.taken_out(value, s)
        end = [ast.Assign([named(self.value, ast.Store())], value), ast.Continue()]
        return [*before, *(located(e, s) for e in end)]

    def taken_out(self, value: ast.expr, at: ast.stmt) -> tuple[list[ast.stmt], ast.expr]:
        """The calls of an expression as statements, and the expression with their results."""
        before: list[ast.stmt] = []
        outer = self

        class Take(ast.NodeTransformer):
            def visit(self, n: ast.AST) -> ast.AST:
                if not outer.has_call(n):
                    return n
                if outer.is_call(n):
                    assert isinstance(n, ast.Call)
                    name = outer.found[outer.done]
                    before.append(located(outer.called(n), at))
                    return ast.copy_location(named(name), n)
                if isinstance(n, ast.IfExp | ast.BoolOp | ast.Lambda | ast.ListComp | ast.GeneratorExp):
                    raise Other(CONDITIONAL)
                if isinstance(n, ast.DictComp | ast.NamedExpr) or (
                    isinstance(n, ast.Compare) and len(n.ops) > 1
                ):
                    raise Other(CONDITIONAL)
                made: ast.AST = self.generic_visit(n)
                return made

        rest = Take().visit(value)
        assert isinstance(rest, ast.expr)
        return before, rest

    def called(self, call: ast.Call) -> ast.stmt:
        """Where a call is not done yet, the frame waits for it."""
        self.done += 1
        kept = [named(self.given[p]) for p in self.moving]
        own = [a for p, a in zip(self.params, call.args, strict=True) if p in self.moving]
        results = list(map(named, self.found))
        return ast.If(
            ast.Compare(named(self.step), [ast.Lt()], [ast.Constant(self.done)]),
            [
                append(self.waiting, tupled([*kept, ast.Constant(self.done), *results])),
                append(self.waiting, tupled([*own, ast.Constant(0), *map(named, self.found)])),
                ast.Continue(),
            ],
            [],
        )


__all__ = ["Other", "Resuming"]
