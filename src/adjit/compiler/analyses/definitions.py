"""Where statements and variables stand: definitions, enclosing loops and branches, conditions that hold.

Input: a function. Output: `Definitions`, tables that describe that one function (functions are
immutable, so they never go stale). Conditions are those of enclosing branches, and of `Check`
statements that were passed before.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..ir.nodes import Block, Check, Const, For, Function, If, Operand, Stmt, Var, While
from ..ir.visitor import block_params, block_reads, blocks, defined, operands
from .memory import Table

Loop = For | While


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """A condition known to be `holds`, and the guards known before it."""

    cond: Operand
    holds: bool
    before: Guard | None


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """`chain` are the enclosing control statements, outermost first, each with the number of the block
    inside it.
    """

    order: int
    loops: tuple[Loop, ...]
    chain: tuple[tuple[Stmt, int], ...]
    guard: Guard | None


class Definitions(Table):
    """`maker` is the statement that defines a variable (a loop for its parameters, None for the function's);
    `scope` are the loops around the definition, the defining loop included for its parameters."""

    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.place: dict[Stmt, Place] = {}
        self.maker: dict[Var, Stmt | None] = dict.fromkeys(fn.params)
        self.scope: dict[Var, tuple[Loop, ...]] = dict.fromkeys(fn.params, ())
        self.uses: dict[Var, int] = {}
        self.stmts: list[Stmt] = []
        for r in fn.results:
            self._use(r)
        self._block(fn.body, (), (), None)

    def _use(self, x: Operand) -> None:
        if isinstance(x, Var):
            self.uses[x] = self.uses.get(x, 0) + 1

    def _block(
        self, block: Block, loops: tuple[Loop, ...], chain: tuple[tuple[Stmt, int], ...], guard: Guard | None
    ) -> None:
        for stmt in block.stmts:
            self.place[stmt] = Place(len(self.stmts), loops, chain, guard)
            self.stmts.append(stmt)
            for x in (*operands(stmt), *block_reads(stmt)):
                self._use(x)
            inner = (*loops, stmt) if isinstance(stmt, For | While) else loops
            for v in block_params(stmt):
                self.maker[v] = stmt
                self.scope[v] = inner
            for k, child in enumerate(blocks(stmt)):
                known = Guard(stmt.cond, k == 0, guard) if isinstance(stmt, If) else guard
                self._block(child, inner, (*chain, (stmt, k)), known)
            for v in defined(stmt):
                self.maker[v] = stmt
                self.scope[v] = loops
            if isinstance(stmt, Check) and not isinstance(stmt.cond, Const):
                guard = Guard(stmt.cond, True, guard)

    def common(self, a: Stmt, b: Stmt) -> tuple[Loop, ...]:
        """The loops around both statements."""
        x, y = self.place[a].loops, self.place[b].loops
        n = 0
        while n < len(x) and n < len(y) and x[n] is y[n]:
            n += 1
        return x[:n]

    def exclusive(self, a: Stmt, b: Stmt) -> bool:
        """Whether the two stand in different branches of one `If`, so that one pass executes one of them
        at most.
        """
        for (s, k), (t, m) in zip(self.place[a].chain, self.place[b].chain, strict=False):
            if s is not t:
                return False
            if k != m:
                return isinstance(s, If)
        return False

    def inside(self, stmt: Stmt, outer: Stmt) -> bool:
        """Whether `stmt` stands in a block of `outer`."""
        return any(s is outer for s, _ in self.place[stmt].chain)
