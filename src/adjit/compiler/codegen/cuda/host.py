"""The host's program as lines of Python: allocations, launches, arithmetic on lengths.

Input: the host function of a plan. Output: lines, as `Statements` makes them. Arrays are on the device;
`launch` starts a kernel, `summed` one that also adds up sums, `read` waits for the device and fetches one
element. Non-goals: kernels.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from ...ir.nodes import Alloc, Call, Dim, Function, Load, Op, Operand, Stmt, Var, View
from ...ir.types import grows
from ...kernels.assembly import Kernel
from ...ops.special import NAMES as SPECIAL
from ..expressions import Expressions, call, dtype, literal, name
from ..linemap import Site
from ..statements import Statements

OWNERS = {**dict.fromkeys(SPECIAL, "special"), **dict.fromkeys(("maximum", "minimum", "smul"), "support")}


class _Qualifying(ast.NodeTransformer):
    """`maximum(a, b)` as `support.maximum(a, b)`: the bare names are those of kernels."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in OWNERS:
            node.func = ast.Attribute(name(OWNERS[node.func.id]), node.func.id, ast.Load())
        return node


class HostExpressions(Expressions):
    """Expressions of the host: the only elements it reads are those of cells."""

    def applied(self, stmt: Op) -> ast.expr:
        made = _Qualifying().visit(super().applied(stmt))
        assert isinstance(made, ast.expr)
        return made

    def computed(self, stmt: Op | Load | Dim) -> ast.expr:
        if isinstance(stmt, Load):
            return call("read", name(self.names[stmt.array]))
        return super().computed(stmt)


class HostStatements(Statements):
    def __init__(
        self, fn: Function, kernels: Mapping[str, Kernel], taken: Sequence[str], sites: list[Site]
    ) -> None:
        super().__init__(fn, taken, precise=True)
        self.kernels = kernels
        self.expressions = HostExpressions(fn, self.names, self.folded, precise=True)
        self.sites = sites

    def statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, View):
            self.assign(stmt.out, self.view(stmt))
        else:
            super().statement(stmt)

    def alloc(self, stmt: Alloc) -> None:
        function = "zeros" if stmt.zeroed else "empty"
        shape = self.tuple(stmt.shape) if not grows(stmt.out.type) else ast.Tuple([literal(0)], ast.Load())
        self.assign(stmt.out, call(function, shape, dtype(stmt.out.type.dtype)))

    def view(self, stmt: View) -> ast.expr:
        """`view(a, (axis, start, length, step), …, fixed=((axis, index), …))`; a new axis is None."""
        axes: list[ast.expr] = []
        for s in stmt.axes:
            axis = ast.Constant(s.axis)
            axes.append(ast.Tuple([axis, *(self.of(x) for x in (s.start, s.length, s.step))], ast.Load()))
        made = call("view", name(self.names[stmt.array]), *axes)
        if stmt.fixed:
            pairs: list[ast.expr] = [
                ast.Tuple([literal(axis), self.of(i)], ast.Load()) for axis, i in stmt.fixed
            ]
            made.keywords.append(ast.keyword("fixed", ast.Tuple(pairs, ast.Load())))
        return made

    def routine(self, stmt: Call) -> None:
        if stmt.name == "grown":
            array = stmt.args[0]
            assert isinstance(array, Var)
            self.assign(array, call("grown", *(self.of(a) for a in stmt.args)))
            return
        if stmt.name not in self.kernels:
            super().routine(stmt)
            return
        count, sums = (a for a in stmt.attrs if isinstance(a, int))
        kernel = name(stmt.name)
        extents = self.plain(stmt.args[:count])
        cells = self.plain(stmt.args[count : count + sums])
        rest = [self.of(a) for a in stmt.args[count + sums :]]
        if sums:
            self.put(ast.Expr(call("summed", kernel, extents, cells, *rest)))
        else:
            self.put(ast.Expr(call("launch", kernel, extents, *rest)))

    def plain(self, xs: Sequence[Operand]) -> ast.expr:
        return ast.Tuple([self.of(x) for x in xs], ast.Load())
