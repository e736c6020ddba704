"""Names of a function: which are needed later, which a statement assigns, how often one is read.

Input: normalised statements. Output: `Facts`, by statement. Invariants: the live sets are supersets of what
can be read; names that an inner function reads count as live everywhere. Non-goals: values and types; memory
of arrays.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .normalise import RESULT, Normal

METADATA = frozenset(("shape", "ndim", "dtype", "size"))
MUTATORS = frozenset(
    ("append", "extend", "insert", "pop", "remove", "clear", "update", "reverse", "setdefault")
)
Path = tuple[ast.AST, ...]
_EMPTY: frozenset[str] = frozenset()


@dataclass
class Facts:
    """`after`: names live after a compound statement; `head`: names live before each pass of a loop;
    `entered`: those of them that a pass may read; `assigned`: names bound in a statement, in order; `loads`:
    the loops around each read of a name (metadata apart); `paths`: the loops around each statement; `bound`:
    all names that the function assigns.
    """

    after: dict[ast.stmt, frozenset[str]] = field(default_factory=dict)
    head: dict[ast.stmt, frozenset[str]] = field(default_factory=dict)
    entered: dict[ast.stmt, frozenset[str]] = field(default_factory=dict)
    assigned: dict[ast.stmt, tuple[str, ...]] = field(default_factory=dict)
    captured: frozenset[str] = _EMPTY
    bound: frozenset[str] = _EMPTY
    loads: dict[str, list[Path]] = field(default_factory=dict)
    paths: dict[ast.stmt, Path] = field(default_factory=dict)

    def virtual_may_stay(self, name: str, at: ast.stmt | None) -> bool:
        """Whether an unmaterialised array bound to `name` at a statement is read at most once for each
        binding.
        """
        loads = self.loads.get(name, [])
        here = self.paths.get(at, ()) if at is not None else ()
        return len(loads) <= 1 and all(set(path) <= set(here) for path in loads)

    def read_once(self, name: str) -> bool:
        return len(self.loads.get(name, [])) <= 1


def analyse(normal: Normal) -> Facts:
    names = Facts()
    names.captured = frozenset(_captured(normal.body))
    _Liveness(names, normal).block(normal.body, frozenset((RESULT,)) | names.captured)
    _Loads(names).block(normal.body, ())
    names.bound = frozenset(_bound(normal.body))
    return names


def _captured(statements: Sequence[ast.stmt]) -> Iterator[str]:
    for s in statements:
        for node in ast.walk(s):
            if isinstance(node, ast.FunctionDef | ast.Lambda):
                yield from reads(node)


def reads(*nodes: ast.AST | None) -> set[str]:
    """All names read inside, comprehension variables included."""
    return {
        n.id
        for node in nodes
        if node is not None
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and _is_load(n)
    }


def _is_load(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def targets(node: ast.AST) -> Iterator[str]:
    """Names that a target or a walrus inside an expression binds, and containers that a method changes."""
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            yield n.id
        elif isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in MUTATORS:
            if isinstance(n.func.value, ast.Name):
                yield n.func.value.id
        elif isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name):
            yield n.value.id


def assigned(statements: Sequence[ast.stmt]) -> Iterator[str]:
    for s in statements:
        match s:
            case ast.FunctionDef():
                yield s.name
            case ast.For():
                yield from targets(s.target)
                yield from targets(s.iter)
                yield from assigned(s.body)
            case ast.While() | ast.If():
                yield from targets(s.test)
                yield from assigned(s.body)
                yield from assigned(s.orelse)
            case _:
                yield from _without_scopes(s)


def last_binding(node: object, name: str) -> ast.AST:
    """The last assignment to a name inside a statement; the statement itself where there is none."""
    found = (
        [s for s in ast.walk(node) if isinstance(s, ast.Assign | ast.AugAssign)]
        if isinstance(node, ast.AST)
        else []
    )
    named = [s for s in found if name in set(targets(s))]
    return named[-1] if named else ast.Pass()


def _without_scopes(s: ast.stmt) -> Iterator[str]:
    """Targets of a simple statement; the variables of a comprehension are its own."""
    own = {
        name
        for n in ast.walk(s)
        if isinstance(n, ast.ListComp | ast.GeneratorExp | ast.DictComp)
        for g in n.generators
        for name in targets(g.target)
    }
    direct = {n.id for t in _assigned_targets(s) for n in ast.walk(t) if isinstance(n, ast.Name)}
    yield from (name for name in targets(s) if name not in own or name in direct)


def _assigned_targets(s: ast.stmt) -> Sequence[ast.expr]:
    if isinstance(s, ast.Assign):
        return s.targets
    return [s.target] if isinstance(s, ast.AugAssign | ast.AnnAssign) else []


def _bound(statements: Sequence[ast.stmt]) -> Iterator[str]:
    """Names that are local variables of the function because it binds them."""
    for s in statements:
        match s:
            case ast.FunctionDef():
                yield s.name
            case ast.For() | ast.While() | ast.If():
                head = s.iter if isinstance(s, ast.For) else s.test
                yield from (n.target.id for n in ast.walk(head) if isinstance(n, ast.NamedExpr))
                if isinstance(s, ast.For):
                    yield from _stored(s.target)
                yield from _bound(s.body)
                yield from _bound(s.orelse)
            case _:
                yield from (n.target.id for n in ast.walk(s) if isinstance(n, ast.NamedExpr))
                for t in _assigned_targets(s):
                    yield from _stored(t)


def _stored(target: ast.AST) -> Iterator[str]:
    for n in ast.walk(target):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            yield n.id


class _Liveness:
    def __init__(self, names: Facts, normal: Normal) -> None:
        self.names = names
        self.stops = normal.stops

    def block(self, statements: Sequence[ast.stmt], live: frozenset[str]) -> frozenset[str]:
        for s in reversed(statements):
            live = self.statement(s, live) | self.names.captured
        return live

    def statement(self, s: ast.stmt, live: frozenset[str]) -> frozenset[str]:
        match s:
            case ast.If():
                self.names.after[s] = live
                self.names.assigned[s] = tuple(dict.fromkeys(assigned([s])))
                return frozenset(reads(s.test)) | self.block(s.body, live) | self.block(s.orelse, live)
            case ast.For():
                return frozenset(reads(s.iter)) | self.loop(
                    s, live, frozenset(), frozenset(targets(s.target))
                )
            case ast.While():
                return self.loop(s, live, frozenset(reads(s.test)), frozenset())
            case ast.Assign(targets=ts, value=value):
                killed = {t.id for t in ts if isinstance(t, ast.Name)}
                for t in ts:
                    if isinstance(t, ast.Tuple | ast.List):
                        killed |= {
                            e.id
                            for e in ast.walk(t)
                            if isinstance(e, ast.Name) and isinstance(e.ctx, ast.Store)
                        }
                return (live - killed) | reads(value, *ts)
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
                return (live - {name}) | reads(value)
            case ast.AugAssign(target=target, value=value):
                kept = {target.id} if isinstance(target, ast.Name) else set()
                return live | kept | reads(target, value)
            case ast.FunctionDef(name=name):
                return (live - {name}) | reads(s)
            case ast.AnnAssign(value=value):
                return live | reads(value, s.target)
            case _:
                return live | reads(s)

    def loop(
        self, s: ast.For | ast.While, after: frozenset[str], test: frozenset[str], target: frozenset[str]
    ) -> frozenset[str]:
        stop = frozenset((self.stops[s],)) if s in self.stops else frozenset()
        head = after | test
        while True:
            entered = (self.block(s.body, head | stop) - stop - target) | test
            wider = head | entered
            if wider == head:
                break
            head = wider
        self.names.after[s], self.names.head[s], self.names.entered[s] = after, head, entered
        self.names.assigned[s] = tuple(dict.fromkeys(assigned([s])))
        return head


class _Loads:
    """Loops around each read of a name."""

    def __init__(self, names: Facts) -> None:
        self.names = names

    def block(self, statements: Sequence[ast.stmt], path: Path) -> None:
        for s in statements:
            self.names.paths[s] = path
            match s:
                case ast.If():
                    self.expression(s.test, path)
                    self.block(s.body, path)
                    self.block(s.orelse, path)
                case ast.For():
                    self.expression(s.iter, path)
                    self.block(s.body, (*path, s))
                case ast.While():
                    self.expression(s.test, (*path, s))
                    self.block(s.body, (*path, s))
                case ast.FunctionDef():
                    self.expression(s, (*path, s))
                case ast.AugAssign(target=ast.Name(id=name)):
                    self.names.loads.setdefault(name, []).append(path)
                    self.expression(s.value, path)
                case _:
                    self.expression(s, path)

    def expression(self, node: ast.AST, path: Path) -> None:
        match node:
            case ast.Attribute(value=ast.Name(), attr=attr) if attr in METADATA:
                return
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name()]):
                return
            case ast.Name(id=name, ctx=ast.Load()):
                self.names.loads.setdefault(name, []).append(path)
                return
            case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
                self.expression(node.generators[0].iter, path)
                inner = (*path, node)
                for child in ast.iter_child_nodes(node):
                    if not isinstance(child, ast.comprehension):
                        self.expression(child, inner)
                for k, g in enumerate(node.generators):
                    for part in (*(() if k == 0 else (g.iter,)), *g.ifs):
                        self.expression(part, inner)
                return
            case ast.Lambda():
                path = (*path, node)
        for child in ast.iter_child_nodes(node):
            self.expression(child, path)


__all__ = ["MUTATORS", "Facts", "analyse", "assigned", "last_binding", "reads", "targets"]
