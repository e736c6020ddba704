"""The body of a kernel as lines of Python for `numba.cuda`.

Input: a `Kernel`. Output: lines, as `Statements` makes them. Loops of the grid run over the passes that
belong to the thread, so any grid of threads is right; sums of threads are added up per block; accumulations
in which threads may meet are atomic; a failed check is noted in `status`, and the thread ends. NumPy's
functions get the names that `adjit.runtime.cuda.device` gives them. Non-goals: launching.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir.nodes import Accumulate, Alloc, Bounds, Check, Const, For, Op, Operand, Stmt, Var
from ...ir.visitor import int_const
from ...kernels.assembly import Kernel
from ...ops.special import NAMES as SPECIAL
from .. import printing
from ..expressions import NARROW, Expressions, call, dtype, literal, name
from ..linemap import Site
from ..statements import PASS, Statements, negated, two_integers

WIDENING = ("floor", "ceil", "trunc", "rint", "sign", "exp2")  # the device computes them in a type of its own
AXES = ("x", "y", "z")


class _Renaming(ast.NodeTransformer):
    """`np.exp(x)` as `exp(x)`."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        f = node.func
        if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id == "np":
            if f.attr.startswith(("float", "int", "uint", "bool")):
                return node
            node.func = name(f.attr)
        return node


class DeviceExpressions(Expressions):
    """Expressions inside a kernel."""

    def index(self, x: Operand) -> ast.expr:
        return self.of(x)

    def applied(self, stmt: Op) -> ast.expr:
        made = _Renaming().visit(super().applied(stmt))
        assert isinstance(made, ast.expr)
        kind = stmt.out.type.dtype
        again = stmt.op in WIDENING or (stmt.op in SPECIAL and kind != "float64")
        return call(dtype(kind), made) if again and kind not in NARROW else made


class KernelStatements(Statements):
    def __init__(self, kernel: Kernel, taken: Sequence[str], sites: list[Site]) -> None:
        super().__init__(kernel.fn, taken, precise=True)
        self.kernel = kernel
        self.expressions = DeviceExpressions(kernel.fn, self.names, self.folded, precise=True)
        self.sites = sites

    def run(self) -> None:
        if len(self.kernel.grid) > 1:
            axes = ", ".join(AXES[: len(self.kernel.grid)])
            steps = ", ".join(f"d{a}" for a in AXES[: len(self.kernel.grid)])
            self.text(f"{axes} = cuda.grid({len(self.kernel.grid)})")
            self.text(f"{steps} = cuda.gridsize({len(self.kernel.grid)})")
        self.block(self.fn.body)
        for out, part in zip(
            self.kernel.grid[0].outs if self.kernel.grid else (), self.kernel.sums, strict=True
        ):
            self.text(f"sum_{out.type.dtype}({self.names[out]}, {self.names[part]})")
        if not self.lines:
            self.put(PASS)

    # -- threads
    def axis(self, loop: For) -> int:
        return len(self.kernel.grid) - 1 - self.kernel.grid.index(loop)

    def for_(self, stmt: For) -> None:
        if stmt not in self.kernel.grid:
            super().for_(stmt)
            return
        for node in self.moves(stmt.args, stmt.inits):
            self.put(node)
        if len(self.kernel.grid) == 1:
            first, stride = "cuda.grid(1)", "cuda.gridsize(1)"
        else:
            first, stride = AXES[self.axis(stmt)], f"d{AXES[self.axis(stmt)]}"
        start, by = ast.parse(first, mode="eval").body, ast.parse(stride, mode="eval").body
        if stmt.step != 1:
            start = ast.BinOp(start, ast.Mult(), literal(stmt.step))
            by = ast.BinOp(by, ast.Mult(), literal(stmt.step))
        if not (isinstance(stmt.lo, Const) and stmt.lo.value == 0):
            start = ast.BinOp(self.of(stmt.lo), ast.Add(), start)
        target = ast.Name(self.names[stmt.iv], ast.Store())
        head = ast.For(target, call("range", start, self.of(stmt.hi), by), [PASS], [])
        self.text(printing.header(head))
        self.nested(stmt.body, self.end_of_pass(stmt))

    # -- memory
    def make_room(self, array: Var, index: Operand) -> None:
        """The host has seen to it before the launch."""

    def statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, Accumulate) and stmt in self.kernel.atomic:
            self.atomic(stmt)
        else:
            super().statement(stmt)

    def atomic(self, stmt: Accumulate) -> None:
        index = [self.of(i) for i in stmt.index]
        inside = index[0] if len(index) == 1 else ast.Tuple(index, ast.Load())
        add = ast.parse("cuda.atomic.add", mode="eval").body
        node = ast.Expr(call(add, name(self.names[stmt.array]), inside, self.of(stmt.value)))
        self.text(printing.statement(node) + "  # other threads may add to this element")

    def alloc(self, stmt: Alloc) -> None:
        lengths = [literal(int_const(n) or 0) for n in stmt.shape]
        shape = lengths[0] if len(lengths) == 1 else ast.Tuple(list(lengths), ast.Load())
        array = ast.parse("cuda.local.array", mode="eval").body
        self.assign(stmt.out, call(array, shape, dtype(stmt.out.type.dtype)))
        if not stmt.zeroed:
            return
        indices: list[str] = []
        for n in stmt.shape:
            iv = f"{self.names[stmt.out]}_{len(indices)}"
            self.text(f"for {iv} in range({int_const(n)}):")
            self.depth += 1
            indices.append(iv)
        self.text(f"{self.names[stmt.out]}[{', '.join(indices)}] = 0")
        self.depth -= len(indices)

    # -- checks
    def noted(self, *parts: ast.expr) -> None:
        assert self.kernel.status is not None
        self.depth += 1
        self.put(ast.Expr(call("note", name(self.names[self.kernel.status]), *parts)))
        self.text("return")
        self.depth -= 1

    def bounds(self, stmt: Bounds) -> None:
        index, length = self.of(stmt.index), self.expressions.dim(stmt.array, stmt.axis)
        inside = ast.Compare(literal(0), [ast.LtE(), ast.Lt()], [index, length])
        self.text(printing.header(ast.If(negated(inside), [PASS], [])))
        site = self.site("OutOfBoundsError", "", self.names[stmt.array], stmt.axis)
        self.noted(site, index, length)

    def check(self, stmt: Check) -> None:
        self.text(printing.header(ast.If(negated(self.of(stmt.cond)), [PASS], [])))
        shown = [self.of(v) for v in stmt.values] if two_integers(stmt) else [literal(0), literal(-1)]
        site = self.site(stmt.error, stmt.message, places=len(stmt.values), remedy=stmt.remedy)
        self.noted(site, *shown)
