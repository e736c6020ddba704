"""Calls that stand for a rule of the user's become what they compute.

    rule_1_1_0(out, y, x)       =>      for i in range(len(out)): out[i] = y[i]

Input and output: core IR; no such call is left. It runs when nothing more is differentiated: the rules
themselves are lost. Non-goal: avoiding the copy (`forward_stores`, `dead_stores` do so for numbers).
"""

from __future__ import annotations

from ..ir.builder import Builder
from ..ir.nodes import Call, Function, Stmt
from ..ir.visitor import walk
from ..library.rules import copy_results, is_rule
from .rewrite import Rewriter


def expand_rules(fn: Function) -> Function:
    """The function without calls of rules."""
    if not any(is_rule(s) for s in walk(fn.body)):
        return fn
    return _Expanding(fn).run()


class _Expanding(Rewriter):
    def visit(self, stmt: Stmt) -> None:
        if not is_rule(stmt):
            self.out.append(self.inner(stmt))
            return
        assert isinstance(stmt, Call)
        b = Builder(self.names, stmt.loc)
        copy_results(b, stmt)
        self.out += b.stmts
