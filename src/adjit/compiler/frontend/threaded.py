"""Kernels written by hand (`i = cuda.grid(1)`) as loops over the indices that their threads have.

    i = cuda.grid(1)                      for i in prange(len(x)):
    if i < len(x):               =>           y[i] = 2.0 * x[i]
        y[i] = 2.0 * x[i]

Input: a function's definition. Output: the definition with loops whose passes are free of order, as the
threads of a kernel are; one that asks for no index is returned as it is. Read are indices from `cuda.grid`,
or from `threadIdx`, `blockIdx` and `blockDim`, with a guard behind them (`if i < n:` around the rest, or `if
i >= n: return`); loops in steps of `cuda.gridsize`; `cuda.atomic.add`; `cuda.local.array`. Invariants: the
guard gives each index its bound, so the loops do what a launch of enough threads does; a loop in steps of the
grid does what a launch of one thread does. Non-goals: threads that share memory or wait for each other.
"""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

import numba
import numpy as np

from ...errors import UnsupportedSyntaxError
from .source import Source

AXES = ("x", "y", "z")
PLACES = ("grid", "gridsize", "threadIdx", "blockIdx", "blockDim")
ATOMIC: dict[str, type[ast.operator]] = {"atomic.add": ast.Add, "atomic.sub": ast.Sub}
OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


def as_loops(source: Source) -> Source:
    """The definition, with loops in the place of threads."""
    node = source.node
    if isinstance(node, ast.Lambda) or not any(_place(source, n) for n in ast.walk(node)):
        return source
    made = copy.copy(node)
    made.body = _Kernel(source).loops(node.body)
    return replace(source, node=ast.fix_missing_locations(made))


def spelled(source: Source, node: ast.AST) -> str:
    """`atomic.add` for `cuda.atomic.add` where `cuda` is Numba's module; nothing for anything else."""
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.insert(0, node.attr)
        node = node.value
    if not path or not isinstance(node, ast.Name) or node.id in source.function.__code__.co_varnames:
        return ""
    cell = source.cells.get(node.id)
    try:
        found = source.globals.get(node.id) if cell is None else cell.cell_contents
    except ValueError:  # a closure variable without a value
        return ""
    name = found.__name__ if isinstance(found, types.ModuleType) else ""
    if name == "numba" and path[0] == "cuda":
        return ".".join(path[1:])
    return ".".join(path) if name == "numba.cuda" else ""


def _place(source: Source, node: ast.AST) -> str:
    """What of a thread's place an expression asks for: `grid`, `threadIdx.x`, …"""
    name = spelled(source, node)
    return name if name.partition(".")[0] in PLACES else ""


class _Kernel:
    """One kernel on its way to loops."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.parameters = {a.arg for a in ast.walk(source.node.args) if isinstance(a, ast.arg)}

    def refuse(self, node: ast.AST, what: str, why: str, instead: str) -> NoReturn:
        raise UnsupportedSyntaxError(what, self.source.location(node), why, instead)

    def unread(self, node: ast.AST) -> NoReturn:
        self.refuse(
            node,
            "the indices of this kernel have no bound that is read here",
            "which threads have work to do is not known without it",
            "write `i = cuda.grid(1)`, and behind it `if i < n:` around the rest or `if i >= n: return`",
        )

    def loops(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        nodes = [n for s in statements for n in ast.walk(s)]
        for node in nodes:
            name = spelled(self.source, node)
            if name.partition(".")[0] in ("shared", "syncthreads", "syncwarp", "cg"):
                self.refuse(
                    node,
                    f"`cuda.{name}` in a kernel that is differentiated",
                    "threads that exchange values have no order in which they could run one after the other",
                    "write the loops over all indices; sums and matrix products share memory by themselves",
                )
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in self.parameters:
                self.refuse(
                    node,
                    f"a new value for the parameter {node.id!r} of a kernel",
                    "each thread has parameters of its own, and the threads become passes of one loop",
                    "give the value another name",
                )
        if any(_place(self.source, n) == "gridsize" for n in nodes):
            return self.in_steps(statements)
        return self.guarded(statements)

    # -- indices with a guard
    def guarded(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        rest, names, first, axes = list(statements), list[str](), list[ast.stmt](), list[str]()
        while rest:
            found = self.indices(rest[0])
            if not found and not _sets_a_name(rest[0], names):
                break
            if not set(axes).isdisjoint(found.values()):
                self.twice(rest[0])
            axes += found.values()
            names += found
            first += [] if found else [rest[0]]
            del rest[0]
        if not names or not rest:
            self.unread(rest[0] if rest else statements[-1])
        head = rest[0]
        conditions, inside = self.guard(names, rest)
        limits = self.limits(names, conditions, head)
        body = [*first, *_Body(self, leave=ast.Continue).statements(inside)]  # each thread has its own names
        left = [c for c in conditions if c not in [at for _, at, _ in limits]]
        if left:
            test = left[0] if len(left) == 1 else ast.BoolOp(ast.And(), left)
            body = [ast.copy_location(ast.If(test, body, []), head)]
        for name, _, limit in reversed(limits):
            over = ast.Call(_known(numba.prange), [limit], [])
            body = [ast.copy_location(ast.For(ast.Name(name, ast.Store()), over, body, []), head)]
        return [*first, *body]

    def guard(self, names: list[str], rest: list[ast.stmt]) -> tuple[list[ast.expr], list[ast.stmt]]:
        """The conditions under which a thread works, and what it does then."""
        head = rest[0]
        if isinstance(head, ast.If) and len(rest) == 1 and not head.orelse:
            return _parts(head.test, ast.And), head.body
        conditions: list[ast.expr] = []
        for k, stmt in enumerate(rest):
            if all(any(_limit(c, n) for c in conditions) for n in names):
                return conditions, rest[k:]
            leaves = isinstance(stmt, ast.If) and [type(s) for s in stmt.body] == [ast.Return]
            if not isinstance(stmt, ast.If) or not leaves or stmt.orelse:
                break
            stays = [_negated(part, names) for part in _parts(stmt.test, ast.Or)]
            conditions += [c for part in stays for c in _parts(part, ast.And)]
        return self.unread(head)

    def limits(
        self, names: list[str], conditions: list[ast.expr], head: ast.stmt
    ) -> list[tuple[str, ast.expr, ast.expr]]:
        """Per index, outermost first: its name, the condition that bounds it, the bound."""
        found: list[tuple[str, ast.expr, ast.expr]] = []
        for k, name in enumerate(names):
            later = set(names[k:])
            for at in conditions:
                limit = _limit(at, name)
                if limit is not None and not any(
                    isinstance(n, ast.Name) and n.id in later for n in ast.walk(limit)
                ):
                    found.append((name, at, limit))
                    break
            else:
                self.unread(head)
        return found

    def twice(self, node: ast.AST) -> NoReturn:
        self.refuse(
            node,
            "the index of a thread along one axis, asked for twice",
            "each index becomes a loop, and these would be two",
            "take the index once and use its name",
        )

    def indices(self, stmt: ast.stmt) -> dict[str, str]:
        """The names that a statement makes indices of, with the axis of each."""
        if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
            return {}
        target = stmt.targets[0]
        elements = target.elts if isinstance(target, ast.Tuple) else [target]
        names = [n.id for n in elements if isinstance(n, ast.Name)]
        axes = AXES[: self.asked(stmt.value, "grid")] or self.formula(stmt.value)
        return dict(zip(names, axes, strict=True)) if len(names) == len(elements) == len(axes) else {}

    def asked(self, node: ast.AST, what: str) -> int:
        """k for `cuda.grid(k)` or `cuda.gridsize(k)`."""
        if not isinstance(node, ast.Call) or spelled(self.source, node.func) != what or len(node.args) != 1:
            return 0
        count = node.args[0].value if isinstance(node.args[0], ast.Constant) else 0
        return count if isinstance(count, int) and count in (1, 2, 3) else 0

    def formula(self, node: ast.expr) -> tuple[str, ...]:
        """The axis of `cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x`, in any order."""
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
            return ()
        for product, rest in ((node.left, node.right), (node.right, node.left)):
            if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult):
                found = {spelled(self.source, n) for n in (product.left, product.right)}
                own = spelled(self.source, rest)
                for a in AXES:
                    if own == f"threadIdx.{a}" and found == {f"blockIdx.{a}", f"blockDim.{a}"}:
                        return (a,)
        return ()

    # -- loops in steps of the grid
    def in_steps(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        starts: dict[str, str] = {}
        steps: dict[str, str] = {}
        rest: list[ast.stmt] = []
        for stmt in statements:
            found = self.indices(stmt)
            widths = self.sizes(stmt)
            starts.update(found)
            steps.update(zip(widths, AXES, strict=False))
            if not found and not widths:
                rest.append(stmt)
        made = _Steps(self, starts, steps).statements(rest)
        for node in (n for s in made for n in ast.walk(s)):
            named = isinstance(node, ast.Name) and node.id in (*starts, *steps)
            if named or _place(self.source, node):
                self.refuse(
                    node,
                    "the place of a thread outside `range(cuda.grid(1), n, cuda.gridsize(1))`",
                    "what it means depends on how many threads are launched",
                    "take it as the start and the step of a loop only",
                )
        return made

    def sizes(self, stmt: ast.stmt) -> list[str]:
        """The names that a statement makes steps of."""
        if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
            return []
        target = stmt.targets[0]
        elements = target.elts if isinstance(target, ast.Tuple) else [target]
        names = [n.id for n in elements if isinstance(n, ast.Name)]
        return names if len(names) == len(elements) == self.asked(stmt.value, "gridsize") else []


class _Body(ast.NodeTransformer):
    """What one thread does; it leaves by `leave`."""

    def __init__(self, kernel: _Kernel, leave: type[ast.stmt]) -> None:
        self.kernel, self.leave, self.depth = kernel, leave, 0

    def statements(self, found: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [self.visit(copy.deepcopy(s)) for s in found]

    def visit_For(self, node: ast.For) -> ast.AST:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        return node

    visit_While = visit_For  # type: ignore[assignment]

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if self.depth:
            self.kernel.refuse(
                node,
                "a thread that ends inside a loop",
                "the threads become passes of a loop, and this would leave two",
                "leave the inner loop by `break`",
            )
        return ast.copy_location(self.leave(), node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        operation = ATOMIC.get(spelled(self.kernel.source, call.func)) if isinstance(call, ast.Call) else None
        if operation is None or not isinstance(call, ast.Call) or len(call.args) != 3:
            self.generic_visit(node)
            return node
        array, index, value = (self.visit(a) for a in call.args)
        target = ast.copy_location(ast.Subscript(array, index, ast.Store()), node)
        return ast.copy_location(ast.AugAssign(target, operation(), value), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if spelled(self.kernel.source, node.func) == "local.array":
            node.func = ast.copy_location(_known(np.empty), node.func)
        self.generic_visit(node)
        return node


class _Steps(_Body):
    """The same for loops in steps of the grid: one thread makes all passes."""

    def __init__(self, kernel: _Kernel, starts: dict[str, str], steps: dict[str, str]) -> None:
        super().__init__(kernel, ast.Return)
        self.starts, self.steps = starts, steps
        self.around: list[str] = []  # axes of the loops around a statement

    def axis(self, node: ast.expr, names: dict[str, str], what: str) -> str | None:
        if isinstance(node, ast.Name):
            return names.get(node.id)
        return AXES[0] if self.kernel.asked(node, what) == 1 else None

    def visit_For(self, node: ast.For) -> ast.AST:
        over = node.iter
        if isinstance(over, ast.Call) and len(over.args) == 3 and getattr(over.func, "id", "") == "range":
            start = self.axis(over.args[0], self.starts, "grid")
            if start is not None and start == self.axis(over.args[2], self.steps, "gridsize"):
                if start in self.around:
                    self.kernel.twice(node)
                made = ast.Call(_known(numba.prange), [over.args[1]], [])
                node.iter = ast.copy_location(made, over)
                self.around.append(start)
                found = super().visit_For(node)
                self.around.pop()
                return found
        return super().visit_For(node)


def _known(value: object) -> ast.expr:
    """A node that stands for an object."""
    return ast.Constant(value)  # type: ignore[arg-type]


def _sets_a_name(stmt: ast.stmt, indices: Sequence[str]) -> bool:
    """Whether a statement only gives a name a value that is the same in every thread, or is a text."""
    if isinstance(stmt, ast.Expr):
        return isinstance(stmt.value, ast.Constant)
    if not isinstance(stmt, ast.Assign) or not all(isinstance(t, ast.Name | ast.Tuple) for t in stmt.targets):
        return False
    nodes = list(ast.walk(stmt))
    stores = any(isinstance(n, ast.Subscript | ast.Attribute) and isinstance(n.ctx, ast.Store) for n in nodes)
    return not stores and not any(isinstance(n, ast.Name) and n.id in indices for n in nodes)


def _parts(test: ast.expr, op: type[ast.boolop]) -> list[ast.expr]:
    """The conditions that `and` (or `or`) joins; `0 <= i < n` is two that `and` joins."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, op):
        return [p for v in test.values for p in _parts(v, op)]
    if isinstance(test, ast.Compare) and op is ast.And:
        sides = [test.left, *test.comparators]
        return [
            ast.copy_location(ast.Compare(a, [o], [b]), test)
            for a, o, b in zip(sides, test.ops, sides[1:], strict=False)
        ]
    return [test]


def _negated(test: ast.expr, names: Sequence[str]) -> ast.expr:
    """The opposite; a bound of an index stays a comparison (of others, NaN would be on neither side)."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in OPPOSITE:
        turned = ast.Compare(test.left, [OPPOSITE[type(test.ops[0])]()], test.comparators)
        if any(_limit(turned, n) is not None for n in names):
            return ast.copy_location(turned, test)
    return ast.copy_location(ast.UnaryOp(ast.Not(), test), test)


def _limit(test: ast.expr, name: str) -> ast.expr | None:
    """n for `i < n`, `n > i`, and n + 1 for `i <= n`."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    left, op, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(op, ast.Gt | ast.GtE):
        left, op, right = right, ast.Lt() if isinstance(op, ast.Gt) else ast.LtE(), left
    if not isinstance(left, ast.Name) or left.id != name or not isinstance(op, ast.Lt | ast.LtE):
        return None
    if isinstance(op, ast.LtE):
        return ast.copy_location(ast.BinOp(right, ast.Add(), ast.Constant(1)), right)
    return right
