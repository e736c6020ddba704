"""One kernel under construction, and the finished form of kernels and of the whole plan.

Input: statements, one after the other. Output: `Kernel`: a core function whose parameters are what the
statements read from outside. A scalar that another kernel or the host needs is stored in a *cell*, an
array of one element, at the end of the kernel that computes it. Invariants: a kernel defines each variable
once, under the name that it has in the function. Non-goals: the order of kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..ir.builder import Names, const
from ..ir.nodes import Block, Bounds, Check, For, Function, Load, Location, Operand, Stmt, Store, Var
from ..ir.types import INT, Array
from ..ir.visitor import defined, free_vars, walk

ZERO = const(0)


@dataclass(frozen=True, eq=False)
class Kernel:
    """`grid` are the loops that are spread over threads, outermost first; none: one thread runs it.

    `sums` are the first parameters: per carried value of the outermost loop the array of the blocks'
    sums. `atomic` are the accumulations in which threads may meet. `status`, the last one, takes failures.
    """

    fn: Function
    grid: tuple[For, ...] = ()
    sums: tuple[Var, ...] = ()
    atomic: frozenset[Stmt] = frozenset()
    status: Var | None = None


@dataclass(frozen=True, eq=False)
class Plan:
    """`host` calls the kernels by name: `Call(kernel, (*extents, *cells of sums, *arguments),
    (number of extents, number of sums))`; further calls are the library's and `checked`.
    """

    host: Function
    kernels: tuple[Kernel, ...]


@dataclass(eq=False)
class Draft:
    """A kernel under construction."""

    name: str
    loc: Location
    stmts: list[Stmt] = field(default_factory=list)
    known: set[Var] = field(default_factory=set)
    cells: dict[Var, Var] = field(default_factory=dict)  # what it stores at its end
    grid: tuple[For, ...] = ()
    extents: tuple[Operand, ...] = ()
    sums: tuple[tuple[Var, Var], ...] = ()  # cell of the sum, array of the blocks' sums
    atomic: frozenset[Stmt] = frozenset()
    arguments: tuple[Var, ...] = ()

    def add(self, stmt: Stmt) -> None:
        self.stmts.append(stmt)
        self.known.update(defined(stmt))

    @property
    def checks(self) -> bool:
        return any(isinstance(s, Check | Bounds) for s in walk(Block(tuple(self.stmts))))

    def finished(self, status: Var | None) -> Kernel:
        stores = [Store(cell, (ZERO,), v, loc=self.loc) for v, cell in self.cells.items()]
        body = Block((*self.stmts, *stores))
        own = status if self.checks else None
        self.arguments = tuple(v for v in free_vars(body))
        sums = tuple(part for _, part in self.sums)
        params = (*sums, *self.arguments, *(() if own is None else (own,)))
        return Kernel(Function(self.name, params, body, (), self.loc), self.grid, sums, self.atomic, own)


def cell(names: Names, v: Var, hint: str | None = None) -> Var:
    """A new array of one element for a scalar."""
    return names.fresh(hint or v.name, Array(v.type.dtype, 1))


def load(v: Var, at: Var, loc: Location) -> Load:
    return Load(v, at, (ZERO,), loc=loc)


def status_array(names: Names) -> Var:
    return names.fresh("status", Array(INT.dtype, 1))


def arrays(xs: Sequence[Operand]) -> list[Var]:
    return [x for x in xs if isinstance(x, Var) and isinstance(x.type, Array)]
