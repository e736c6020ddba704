"""Move what does not change in a loop to before it.

    for i in range(n): t = a * b; y[i] = x[i] * t + c[0]     =>      t = a * b; c_0 = c[0]
                                                                      for i in range(n): y[i] = x[i] * t + c_0

Input and output: core IR. Integer arithmetic, comparisons and cheap float arithmetic leave branches
too; other float ops, lengths, loads and allocations leave only what every pass executes. A load leaves
a loop in which nothing writes its element, if its index is in range even when the loop makes no pass;
with `guarded`, others leave under the condition that there is a pass. An allocation leaves (with
`allocations`) if its shape is known before the loop; if it was zeroed, it is zeroed in place. Division
of integers stays unless its divisor is a constant.
"""

from __future__ import annotations

from dataclasses import replace

from ..analyses.dependence import Dependence
from ..ir.builder import const
from ..ir.nodes import (
    Alloc,
    Block,
    Bounds,
    Check,
    Const,
    Dim,
    For,
    Function,
    If,
    Load,
    Op,
    Operand,
    Stmt,
    Var,
    View,
    While,
)
from ..ir.types import BOOL, INT, grows, is_float
from ..ir.visitor import block_params, defined, int_const, operands, walk
from .rewrite import Rewriter, cleared

CHEAP = {
    "add",
    "sub",
    "mul",
    "neg",
    "cast",
    "select",
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
    "not",
    "and",
    "or",
    "abs",
    "wrap",
}
CHEAP |= {"maximum", "minimum", "larger", "smaller", "trips", "smul", "umul", "pmul"}


def hoist(fn: Function, *, guarded: bool = False, allocations: bool = False) -> Function:
    """Move loop-invariant statements outwards as far as they can go."""
    return _Hoisting(fn, guarded, allocations).run()


class _Level:
    """A loop body being built: what is defined inside, and the list of statements before the loop."""

    def __init__(self, loop: For | While, before: list[Stmt]) -> None:
        self.loop = loop
        self.before = before
        self.inside: set[Var] = set(block_params(loop))
        self.shares = False  # passes use the same temporary memory


class _Hoisting(Rewriter):
    def __init__(self, fn: Function, guarded: bool, allocations: bool) -> None:
        super().__init__(fn)
        self.facts = Dependence.about(fn)
        self.guarded = guarded
        self.allocations = allocations
        self.levels: list[_Level] = []
        self.filled: dict[Var, int] = {}  # moved allocations that so many loops fill with zeros
        self.branches: list[int] = [0]  # branches open within the innermost loop

    def inner(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, For | While):
            self.levels.append(_Level(stmt, self.out))
            self.branches.append(0)
            made = super().inner(stmt)
            self.branches.pop()
            level = self.levels.pop()
            shares = level.shares and isinstance(made, For) and made.independent
            return replace(made, independent=False) if shares else made  # type: ignore[call-arg]
        if isinstance(stmt, If):
            self.branches[-1] += 1
            made = super().inner(stmt)
            self.branches[-1] -= 1
            return made
        return stmt

    def visit(self, stmt: Stmt) -> None:
        target = self.target(stmt)
        if target == len(self.levels):
            super().visit(stmt)
            self.define(defined(stmt), target)
            return
        if isinstance(stmt, Alloc):
            self.move_alloc(stmt, target)
        elif isinstance(stmt, Load):
            self.move_load(stmt, target)
        else:
            self.levels[target].before.append(stmt)
            self.define(defined(stmt), target)

    def define(self, made: tuple[Var, ...], target: int) -> None:
        """The variables now stand inside the first `target` loops."""
        if target:
            self.levels[target - 1].inside.update(made)

    # -- how far out may a statement go? 0: before the outermost loop; len(levels): not at all
    def target(self, stmt: Stmt) -> int:
        here = len(self.levels)
        if not here:
            return here
        match stmt:
            case Op(op=op, out=out, args=args):
                if op in ("floordiv", "mod") and not is_float(out.type) and not int_const(args[1]):
                    return here
                if (
                    op not in CHEAP
                    and not (self.unconditional() and is_float(out.type))
                    and out.type not in (INT, BOOL)
                ):
                    return here
                return self.invariant(stmt)
            case Dim(array=array) if not grows(array.type):
                return self.invariant(stmt)
            case View(fixed=()) if self.unconditional():
                return self.invariant(stmt)
            case Alloc() if self.allocations and self.unconditional() and not grows(stmt.out.type):
                return self.invariant(stmt)
            case Load() if self.unconditional():
                return self.load_target(stmt)
            case _:
                return here

    def unconditional(self) -> bool:
        """Whether each pass of the innermost loop executes the statements now visited."""
        return not self.branches[-1]

    def invariant(self, stmt: Stmt) -> int:
        """The number of loops that a statement must stay in for its operands to be defined."""
        read = [x for x in operands(stmt) if isinstance(x, Var)]
        for k in range(len(self.levels), 0, -1):
            if any(v in self.levels[k - 1].inside for v in read):
                return k
            if (
                self.branches[k]
                and not (isinstance(stmt, Op) and stmt.op in CHEAP)
                and not isinstance(stmt, Dim)
            ):
                return k
        return 0

    def load_target(self, stmt: Load) -> int:
        here = len(self.levels)
        target = max(self.invariant(stmt), *(self.filled.get(r, 0) for r in self.facts.roots[stmt.array]))
        if target == here or grows(stmt.array.type):
            return here
        access = self.facts.accesses(stmt)[0]
        writes = [w for r in self.facts.roots[access.array] for w in self.facts.writes.get(r, ())]
        conditions: list[Operand] = []
        for k in range(here, target, -1):
            loop = self.levels[k - 1].loop
            outside = len(self.facts.definitions.place[loop].loops)
            inside = [w for w in writes if self.facts.definitions.inside(w.stmt, loop)]
            if any(self.facts.clash(access, w, outside) for w in inside):
                return k
            if any(c in self.levels[k - 1].inside for c in conditions):
                return k
            if not self.in_range(stmt, k - 1):
                if not self.guarded or not isinstance(loop, For) or self.checked(stmt, loop):
                    return k
                conditions += [loop.lo, loop.hi]
        return target

    def checked(self, stmt: Load, loop: For) -> bool:
        """Whether the loop contains a check that may have to come before the load."""
        return any(
            isinstance(s, Check)
            or (
                isinstance(s, Bounds)
                and not self.facts.roots[s.array].isdisjoint(self.facts.roots[stmt.array])
            )
            for s in walk(loop.body)
        )

    def in_range(self, stmt: Load, level: int) -> bool:
        loop = self.levels[level].loop
        place = self.facts.definitions.place[loop]
        for axis, i in enumerate(stmt.index):
            form = self.facts.forms.of(i)
            room = (self.facts.forms.dim(stmt.array, axis) - form).shifted(-1)
            for f in (form, room):
                if not self.facts.ranges.proves_in(place.loops, place.guard, f):
                    return False
        return True

    # -- moves that need more than the statement itself
    def move_alloc(self, stmt: Alloc, target: int) -> None:
        self.levels[target].before.append(replace(stmt, zeroed=False))
        self.define((stmt.out,), target)
        if stmt.zeroed:
            self.out.append(cleared(stmt, self.names))
            self.filled[stmt.out] = len(self.levels)
        for level in self.levels[target:]:
            level.shares = True

    def move_load(self, stmt: Load, target: int) -> None:
        """Each loop before which the index is not known to be in range adds the condition that it makes a
        pass.
        """
        needed = [k for k in range(target, len(self.levels)) if not self.in_range(stmt, k)]
        before = self.levels[target].before
        self.define((stmt.out,), target)
        if not needed:
            before.append(stmt)
            return
        conds: list[Stmt] = []
        cond: Operand | None = None
        for k in needed:
            loop = self.levels[k].loop
            assert isinstance(loop, For)
            test = self.names.fresh("any", BOOL)
            a, b = (loop.lo, loop.hi) if loop.step > 0 else (loop.hi, loop.lo)
            conds.append(Op(test, "lt", (a, b), loc=stmt.loc))
            if cond is not None:
                both = self.names.fresh("any", BOOL)
                conds.append(Op(both, "and", (cond, test), loc=stmt.loc))
                test = both
            cond = test
        assert cond is not None
        inner = self.names.fresh(stmt.out.name, stmt.out.type)
        zero = Const(0.0, stmt.out.type) if is_float(stmt.out.type) else const(0, stmt.out.type.dtype)
        then = Block((replace(stmt, out=inner),), (inner,))
        before += [*conds, If(cond, then, Block((), (zero,)), (stmt.out,), loc=stmt.loc)]
