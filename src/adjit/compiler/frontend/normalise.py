"""Structured exits: `break`, `continue`, early `return` and loop `else` become conditions and flags.

Input: a function's syntax tree, within the fence. Output: statements in which a return is an assignment to
`@result`, and a loop that can end early has a flag, true at the end of the pass that is the last one.
Invariants: no Return, Break or Continue is left; the nodes of the input are not changed; names with `@`
cannot collide with the user's. Non-goals: anything inside an expression.

>>> import ast
>>> node = ast.parse("def f(x):\n    if x: return 1\n    return 2").body[0]
>>> print(ast.unparse(ast.Module(normalise(node).body, [])))
if x:
@result = 1
else:
@result = 2
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .source import FunctionNode

RESULT, RETURNED = "@result", "@returned"
DUPLICATED = 40  # statements up to this many nodes are written twice rather than put under a flag
SIMPLE_CALLS = frozenset(("abs", "len", "min", "max", "int", "float", "bool", "round", "checkpoint"))
SIMPLE_ATTRIBUTES = frozenset(
    (
        "sqrt",
        "exp",
        "log",
        "sin",
        "cos",
        "tan",
        "tanh",
        "abs",
        "fabs",
        "checkpoint",
        "isnan",
        "isfinite",
        "isinf",
        "floor",
        "ceil",
        "hypot",
    )
)


@dataclass
class Normal:
    """`stops` holds the flag of each loop that may end early; `test` the conditions of exits are plain names
    there.
    """

    body: list[ast.stmt]
    stops: dict[ast.stmt, str] = field(default_factory=dict)


class _Propagate(ast.stmt):
    """Leaves what encloses a loop in which the function has returned."""


@dataclass(frozen=True)
class _Way:
    """What an exit has to set where it stands."""

    stop: str | None = None
    broke: str | None = None
    skips: tuple[str, ...] = ()


def normalise(node: FunctionNode) -> Normal:
    worker = _Structurer()
    if isinstance(node, ast.Lambda):
        return Normal([_assign(RESULT, node.body, node.body)])
    last = node.body[-1]
    implicit = [] if ends(node.body) else [ast.copy_location(ast.Return(None), last)]
    body = worker.block([*node.body, *implicit], _Way())
    if worker.returns_in_loop:
        body.insert(0, _assign(RETURNED, ast.Constant(False), node.body[0]))
    return Normal(body, worker.stops)


# -- facts about statements


def exits(statements: Sequence[ast.stmt]) -> set[type]:
    """The kinds of exit (Return, Break, Continue) that can leave the statements."""
    found: set[type] = set()
    for s in statements:
        if isinstance(s, ast.Return | ast.Break | ast.Continue):
            found.add(type(s))
        elif isinstance(s, _Propagate):
            found.add(ast.Return)
        elif isinstance(s, ast.If):
            found |= exits(s.body) | exits(s.orelse)
        elif isinstance(s, ast.For | ast.While):
            found |= exits(s.body) & {ast.Return}
            found |= exits(s.orelse)
    return found


def ends(statements: Sequence[ast.stmt]) -> bool:
    """Whether what follows the statements is never reached."""
    for s in statements:
        if isinstance(s, ast.Return | ast.Break | ast.Continue | ast.Raise | _Propagate):
            return True
        if isinstance(s, ast.If) and s.orelse and ends(s.body) and ends(s.orelse):
            return True
        if isinstance(s, ast.While) and _always(s.test) and ast.Break not in exits(s.body):
            return True
    return False


def _always(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _small(statements: Sequence[ast.stmt]) -> bool:
    count = 0
    for s in statements:
        for node in ast.walk(s):
            count += 1
            if count > DUPLICATED or isinstance(node, ast.For | ast.While):
                return False
    return True


def _needs_statements(test: ast.expr) -> bool:
    """Whether a loop condition does more than compare numbers: it is then tested inside the loop."""
    for node in ast.walk(test):
        if isinstance(node, ast.NamedExpr | ast.ListComp | ast.GeneratorExp | ast.MatMult):
            return True
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", None)
            attribute = getattr(node.func, "attr", None)
            if name not in SIMPLE_CALLS and attribute not in SIMPLE_ATTRIBUTES:
                return True
    return False


# -- making nodes


def _assign(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    for part in (value,) if isinstance(value, ast.Constant) else ():
        ast.copy_location(part, at)
    target = ast.copy_location(ast.Name(name, ast.Store()), at)
    return ast.copy_location(ast.Assign([target], value), at)


def _flag(name: str, value: bool, at: ast.AST) -> ast.stmt:
    return _assign(name, ast.Constant(value), at)


def _read(name: str, at: ast.AST) -> ast.expr:
    return ast.copy_location(ast.Name(name, ast.Load()), at)


def _not(test: ast.expr) -> ast.expr:
    return ast.copy_location(ast.UnaryOp(ast.Not(), test), test)


def _if(test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], at: ast.AST) -> ast.If:
    filled = body or [ast.copy_location(ast.Pass(), at)]
    return ast.copy_location(ast.If(test, filled, orelse), at)


def _taken_out(target: ast.Subscript) -> ast.stmt:
    """`del a[k]` as `a.pop(k)`."""
    pop = ast.Call(ast.Attribute(target.value, "pop", ast.Load()), [target.slice], [])
    for made in (pop.func, pop):
        ast.copy_location(made, target)
    return ast.copy_location(ast.Expr(pop), target)


class _Structurer:
    def __init__(self) -> None:
        self.stops: dict[ast.stmt, str] = {}
        self.count = 0
        self.returns_in_loop = False

    def fresh(self, name: str) -> str:
        self.count += 1
        return f"@{name}{self.count}"

    def block(self, statements: Sequence[ast.stmt], way: _Way) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for k, s in enumerate(statements):
            rest = list(statements[k + 1 :])
            match s:
                case ast.Return() | ast.Break() | ast.Continue() | _Propagate():
                    return out + self.exit(s, way)
                case ast.Raise():
                    return [*out, s]
                case ast.If() if exits([s]) or (rest and (ends(s.body) or ends(s.orelse))):
                    return out + self.branch(s, rest, way)
                case ast.If():
                    out.append(_if(s.test, self.block(s.body, way), self.block(s.orelse, way), s))
                case ast.For() | ast.While():
                    before, loop, after = self.loop(s, rest)
                    out += [*before, loop]
                    if after is not None:
                        return out + self.block(after, way)
                case ast.Delete(targets=targets):
                    out += [_taken_out(t) for t in targets if isinstance(t, ast.Subscript)]
                case _:
                    out.append(s)
        return out

    def exit(self, s: ast.stmt, way: _Way) -> list[ast.stmt]:
        """What an exit becomes: the result, and the flags that skip the rest."""
        out: list[ast.stmt] = []
        if isinstance(s, ast.Return):
            value = s.value if s.value is not None else ast.copy_location(ast.Constant(None), s)
            out.append(_assign(RESULT, value, s))
            if way.stop is not None:
                self.returns_in_loop = True
                out.append(_flag(RETURNED, True, s))
        if not isinstance(s, ast.Continue) and way.stop is not None:
            out.append(_flag(way.stop, True, s))
        if isinstance(s, ast.Break) and way.broke is not None:
            out.append(_flag(way.broke, True, s))
        out.extend(_flag(name, True, s) for name in way.skips)
        return out

    def branch(self, s: ast.If, rest: list[ast.stmt], way: _Way) -> list[ast.stmt]:
        """A branch that may leave: what follows moves to the side that goes on."""
        then_ends, else_ends = ends(s.body), ends(s.orelse)
        if not rest or (then_ends and else_ends):
            return [_if(s.test, self.block(s.body, way), self.block(s.orelse, way), s)]
        if then_ends:
            return [_if(s.test, self.block(s.body, way), self.block([*s.orelse, *rest], way), s)]
        if else_ends:
            return [_if(s.test, self.block([*s.body, *rest], way), self.block(s.orelse, way), s)]
        if _small(rest):
            again = copy.deepcopy(rest)
            return [_if(s.test, self.block([*s.body, *rest], way), self.block([*s.orelse, *again], way), s)]
        skip = self.fresh("skip")
        inside = replace(way, skips=(*way.skips, skip))
        return [
            _flag(skip, False, s),
            _if(s.test, self.block(s.body, inside), self.block(s.orelse, inside), s),
            _if(_not(_read(skip, s)), self.block(rest, way), [], s),
        ]

    def loop(
        self, s: ast.For | ast.While, rest: list[ast.stmt]
    ) -> tuple[list[ast.stmt], ast.stmt, list[ast.stmt] | None]:
        """Statements before the loop, the loop, and what follows where that has changed."""
        found = exits(s.body)
        tested_inside = isinstance(s, ast.While) and not _always(s.test) and _needs_statements(s.test)
        stop = self.fresh("stop") if found & {ast.Break, ast.Return} or tested_inside else None
        broke = self.fresh("broke") if s.orelse and ast.Break in found else None
        body = self.block(s.body, _Way(stop, broke))
        new = copy.copy(s)
        if isinstance(new, ast.While) and tested_inside:
            assert stop is not None
            body = [_if(new.test, body, [_flag(stop, True, s)], s)]
            new.test = ast.copy_location(ast.Constant(True), s)
        new.body, new.orelse = body, []
        if stop is not None:
            self.stops[new] = stop
        before = [_flag(broke, False, s)] if broke is not None else []
        after: list[ast.stmt] | None = None
        if s.orelse:
            unless = (
                [_if(_not(_read(broke, s)), list(s.orelse), [], s)] if broke is not None else list(s.orelse)
            )
            after = [*unless, *rest]
        if ast.Return in found:
            gone: list[ast.stmt] = [ast.copy_location(_Propagate(), s)]
            after = [_if(_read(RETURNED, s), gone, after if after is not None else rest, s)]
        return before, new, after


__all__ = ["RESULT", "RETURNED", "Normal", "ends", "exits", "normalise"]
