"""Carried integers that count passes become expressions of the loop variable, and counting `while` loops
become `for` loops.

    k = 3
    for i in range(lo, hi): …; k = k + 2          =>      for i in range(lo, hi): k = 3 + 2 * (i - lo); …

    i = 0
    while i < n: …; i = i + 1                     =>      for i in range(0, n): …

Input and output: core IR. The value after the loop is computed from the number of passes, which is
counted where the loop has an exit. Non-goals: steps that vary, conditional increments.
"""

from __future__ import annotations

from dataclasses import replace

from ..analyses.affine import Forms
from ..analyses.definitions import Definitions
from ..ir.builder import const
from ..ir.nodes import Block, For, Function, Op, Operand, Stmt, Var, While
from ..ir.types import INT
from ..ops.comparison import MIRRORED
from .rewrite import Rewriter

BOUNDING = MIRRORED.keys() - {"eq"}  # conditions under which a loop that counts goes on


def closed_forms(fn: Function) -> Function:
    """Replace counters by their closed forms."""
    return _Closing(fn).run()


class _Closing(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.definitions = Definitions.about(fn)
        self.forms = Forms.about(fn)

    def visit(self, stmt: Stmt) -> None:
        if isinstance(stmt, While):
            self.visit_while(stmt)
        elif isinstance(stmt, For):
            self.visit_for(stmt)
        else:
            super().visit(stmt)

    def increment(self, arg: Var, y: Operand) -> int | None:
        """c where `y == arg + c`."""
        if arg.type != INT:
            return None
        return (self.forms.of(y) - self.forms.of(arg)).constant

    # -- for
    def visit_for(self, stmt: For) -> None:
        steps = {
            k: self.increment(a, y) for k, (a, y) in enumerate(zip(stmt.args, stmt.body.yields, strict=True))
        }
        counted = {k: c for k, c in steps.items() if c is not None}
        if not counted:
            super().visit(stmt)
            return
        trips = stmt.trips
        if stmt.stop is not None and trips is None:
            trips = self.names.fresh("trips", INT)
        loc = stmt.loc
        body, kept_out = stmt.body, self.out
        prelude: list[Stmt] = []
        self.out = prelude
        passed = self.passes_before(stmt)
        for k, c in counted.items():
            self.equate(stmt.args[k], self.along(stmt.inits[k], c, passed, stmt.args[k].name, stmt))
        inner = self.block(body)
        self.out = kept_out
        rest = [k for k in range(len(stmt.args)) if k not in counted]
        args, inits, outs, yields = (
            tuple(xs[k] for k in rest) for xs in (stmt.args, stmt.inits, stmt.outs, inner.yields)
        )
        stop = None if stmt.stop is None else self.get(stmt.stop)
        made = replace(
            stmt,
            args=args,  # type: ignore[arg-type]
            inits=inits,
            outs=outs,  # type: ignore[arg-type]
            body=Block((*prelude, *inner.stmts), yields),
            stop=stop,
            trips=trips,
        )
        self.out.append(made)
        total: Operand = (
            trips
            if trips is not None
            else self.op("trips", stmt.lo, stmt.hi, const(stmt.step), hint="trips", loc=loc)
        )
        for k, c in counted.items():
            self.equate(stmt.outs[k], self.along(stmt.inits[k], c, total, stmt.outs[k].name, stmt))

    def passes_before(self, stmt: For) -> Operand:
        """The number of passes made when the body runs."""
        loc = stmt.loc
        if stmt.step < 0:
            done = self.op("sub", stmt.lo, stmt.iv, hint="t", loc=loc)
        else:
            done = self.op("sub", stmt.iv, stmt.lo, hint="t", loc=loc)
        if abs(stmt.step) != 1:
            done = self.op("floordiv", done, const(abs(stmt.step)), hint="t", loc=loc)
        return done

    def along(self, init: Operand, c: int, passes: Operand, hint: str, stmt: Stmt) -> Operand:
        """`init + c * passes`"""
        if c == 0:
            return init
        scaled = self.op("mul", passes, const(c), hint="t", loc=stmt.loc)
        if self.get(init) is init and isinstance(init, Var):
            return self.op("add", init, scaled, hint=hint, loc=stmt.loc)
        return self.op("add", scaled, self.get(init), hint=hint, loc=stmt.loc)

    # -- while
    def visit_while(self, stmt: While) -> None:
        found = self.counter(stmt)
        if found is None:
            super().visit(stmt)
            return
        k, lo, hi, step = found
        iv = self.names.fresh(stmt.args[k].name, INT)
        self.equate(stmt.args[k], iv)
        trips = stmt.trips
        if stmt.stop is not None and trips is None:
            trips = self.names.fresh("trips", INT)
        rest = [j for j in range(len(stmt.args)) if j != k]
        body = self.block(stmt.body)
        args, inits, outs, yields = (
            tuple(xs[j] for j in rest) for xs in (stmt.args, stmt.inits, stmt.outs, body.yields)
        )
        stop = None if stmt.stop is None else self.get(stmt.stop)
        self.out.append(
            For(iv, lo, hi, step, args, inits, Block(body.stmts, yields), outs, stop, trips, loc=stmt.loc)  # type: ignore[arg-type]
        )
        total: Operand = (
            trips if trips is not None else self.op("trips", lo, hi, const(step), hint="trips", loc=stmt.loc)
        )
        self.equate(stmt.outs[k], self.along(lo, step, total, stmt.outs[k].name, stmt))

    def counter(self, stmt: While) -> tuple[int, Operand, Operand, int] | None:
        """The position of the carried value that counts, its first value, the bound and the step."""
        (cond,) = stmt.cond.yields
        if len(stmt.cond.stmts) != 1:
            return None
        test = stmt.cond.stmts[0]
        if not isinstance(test, Op) or test.op not in BOUNDING or test.out is not cond:
            return None
        a, b = test.args
        for name, x, bound in ((test.op, a, b), (MIRRORED[test.op], b, a)):
            if not isinstance(x, Var) or x not in stmt.args or bound in stmt.args or x.type != INT:
                continue
            k = stmt.args.index(x)
            step = self.increment(stmt.args[k], stmt.body.yields[k])
            bound = self.get(bound)
            if step and ((name in ("lt", "le") and step > 0) or (name in ("gt", "ge") and step < 0)):
                if name in ("le", "ge"):
                    bound = self.op("add", bound, const(1 if step > 0 else -1), hint="t", loc=stmt.loc)
                return k, stmt.inits[k], bound, step
        return None
