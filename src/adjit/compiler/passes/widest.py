"""An array whose length changes with the loop that makes it is made once, as long as its longest.

    for k in range(1, n):                           a = empty(n - 1)
        a = empty(k)                                for k in range(1, n):
        for i in range(k): a[i] = x[k - i]    =>        for i in range(k): a[i] = x[k - i]

Input and output: core IR. Lengths follow the loop variable one for one; the array is used element by element.
Then it lies in the workspace, and no pass asks for memory. Non-goals: zeroed arrays, results, views.
"""

from __future__ import annotations

from dataclasses import replace

from ..analyses.dependence import Dependence
from ..ir.builder import const
from ..ir.nodes import Accumulate, Alloc, Dim, For, Function, Load, Operand, Stmt, Store, Var
from ..ir.types import grows
from ..ir.visitor import operands, walk
from .rewrite import Rewriter


def widest(fn: Function) -> Function:
    """Make such arrays before their loops."""
    inside = [
        loop for loop in walk(fn.body) if isinstance(loop, For) and any(map(_candidate, loop.body.stmts))
    ]
    if not inside:
        return fn
    facts = Dependence(fn)
    chosen = {
        s: loop for loop in inside for s in loop.body.stmts if _candidate(s) and _follows(facts, loop, s)
    }
    return _Widening(fn, facts, chosen).run() if chosen else fn


def _candidate(stmt: Stmt) -> bool:
    return isinstance(stmt, Alloc) and not stmt.zeroed and bool(stmt.shape) and not grows(stmt.out.type)


def _follows(facts: Dependence, loop: For, alloc: Stmt) -> bool:
    assert isinstance(alloc, Alloc)
    if abs(loop.step) != 1 or loop.independent or not facts.has_one_name(alloc.out):
        return False
    uses = [s for s in facts.definitions.stmts if alloc.out in operands(s)]
    if not all(isinstance(s, Load | Store | Accumulate | Dim) for s in uses):
        return False
    lengths = [_length(facts, loop, n) for n in alloc.shape]
    return None not in lengths and any(isinstance(n, int) for n in lengths)


def _length(facts: Dependence, loop: For, n: Operand) -> int | str | None:
    """What a length is more than the loop variable; "same" if the loop does not change it; None otherwise."""
    if facts.forms.counter(loop) in facts.forms.of(n).terms:
        return facts.forms.offset(n, loop)
    outside = not isinstance(n, Var) or facts.forms.depth(n) <= len(facts.definitions.place[loop].loops)
    return "same" if outside else None


class _Widening(Rewriter):
    def __init__(self, fn: Function, facts: Dependence, chosen: dict[Stmt, For]) -> None:
        super().__init__(fn)
        self.facts, self.chosen = facts, chosen
        self.shape = {s.out: s.shape for s in chosen if isinstance(s, Alloc)}

    def visit(self, stmt: Stmt) -> None:
        original = self.original
        if original in self.chosen:
            return
        if isinstance(stmt, Dim) and stmt.array in self.shape:
            self.equate(stmt.out, self.get(self.shape[stmt.array][stmt.axis]))
            return
        if isinstance(stmt, For):
            for s, loop in self.chosen.items():
                if loop is original:
                    assert isinstance(s, Alloc)
                    shape = tuple(self.longest(loop, n) for n in s.shape)
                    self.out.append(replace(s, shape=shape))
        super().visit(stmt)

    def longest(self, loop: For, n: Operand) -> Operand:
        more = _length(self.facts, loop, n)
        if not isinstance(more, int):
            return self.get(n)
        last = loop.lo
        if loop.step > 0:
            last, more = loop.hi, more - 1
        most = self.plus(self.get(last), more, hint="most", loc=loop.loc)
        return self.op("maximum", most, const(0), hint="most", loc=loop.loc)
