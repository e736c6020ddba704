"""Which values are written inside the expression that uses them instead of getting a line and a name.

Input: a core function. Output: `Folded`, a map from variable to the statement that computes it where it is
read. Invariants: a folded value is pure, is read exactly once, later in the same block, and no write that
could change it lies between; reads of memory and costly functions stay out of operands that Python
evaluates lazily, since the IR computes them always. Non-goals: changing what is computed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ..ir.nodes import (
    Accumulate,
    Alloc,
    Block,
    Call,
    Check,
    Const,
    Dim,
    For,
    Function,
    If,
    Load,
    Op,
    Operand,
    Reshape,
    Stmt,
    Store,
    Var,
    View,
    While,
)
from ..ir.types import Array
from ..ir.visitor import block_reads, blocks, operands, walk
from ..ops import TABLE

LARGEST = 14  # leaves of one expression
ANONYMOUS = ("t", "e", "a")


def anonymous(name: str) -> bool:
    """Whether a variable's name was made up rather than taken from the user's source."""
    for prefix in ("ct_", "t_"):
        while name.startswith(prefix) and name != prefix:
            name = name[len(prefix) :]
    return name in ANONYMOUS


def once(op: str, position: int) -> bool:
    """Whether the spelling of `op` evaluates that operand exactly once."""
    return TABLE[op].python.count(f"{{{position}}}") == 1


def lazy(op: str, position: int) -> bool:
    """Whether Python may leave that operand unevaluated."""
    return (op == "select" and position > 0) or (op in ("and", "or") and position > 0)


class Folded:
    """Values that stand where they are read; `leaves` looks through them."""

    def __init__(self) -> None:
        self.stmts: dict[Var, Op | Load | Dim] = {}

    def __contains__(self, x: object) -> bool:
        return x in self.stmts

    def leaves(self, xs: Iterable[Operand]) -> Iterator[Var]:
        """The variables that evaluating `xs` reads by name."""
        for x in xs:
            if not isinstance(x, Var):
                continue
            stmt = self.stmts.get(x)
            if stmt is None:
                yield x
            else:
                yield from self.leaves(operands(stmt))

    def kept(self, block: Block) -> list[Stmt]:
        """The statements of a block that get lines of their own."""
        return [s for s in block.stmts if not (isinstance(s, Op | Load | Dim) and s.out in self.stmts)]


def _uses(fn: Function) -> Counter[Var]:
    found: Counter[Var] = Counter()
    for stmt in walk(fn.body):
        found.update(x for x in (*operands(stmt), *block_reads(stmt)) if isinstance(x, Var))
    found.update(x for x in (*fn.body.yields, *fn.results) if isinstance(x, Var))
    return found


def _slots(stmt: Stmt) -> Sequence[tuple[Operand, bool]]:
    """Operands of a statement that may be expressions, with whether they are evaluated lazily."""
    match stmt:
        case Op(op=op, args=args):
            return [(x, lazy(op, k)) for k, x in enumerate(args) if once(op, k)]
        case Load(array=array, index=index) if isinstance(array.type, Array) and array.type.growing:
            return []
        case Load(index=index):
            return [(x, False) for x in index]
        case Store(array=array, index=index, value=value) | Accumulate(array=array, index=index, value=value):
            growing = isinstance(array.type, Array) and array.type.growing
            return [(value, False)] if growing else [*((x, False) for x in index), (value, False)]
        case Alloc(shape=shape) | Reshape(shape=shape):
            return [(x, False) for x in shape]
        case View(axes=axes):
            return [
                (s.length, False) for s in axes if isinstance(s.start, Const) and isinstance(s.step, Const)
            ]
        case For(lo=lo, hi=hi, inits=inits):
            return [(x, False) for x in (lo, hi, *inits)]
        case While(inits=inits):
            return [(x, False) for x in inits]
        case If(cond=cond) | Check(cond=cond):
            return [(cond, False)]
        case Call(args=args):
            return [(x, False) for x in args]
        case _:
            return []


def _written(stmt: Stmt) -> set[str]:
    """The dtypes of memory that a statement or the blocks inside it may write; "*" for any."""
    match stmt:
        case Store(array=array) | Accumulate(array=array):
            return {array.type.dtype}
        case Call():
            return {"*"}
        case _:
            return {d for b in blocks(stmt) for inner in b.stmts for d in _written(inner)}


class _Block:
    """Decides for one block, from its end backwards, so that the final place of each expression is known."""

    def __init__(self, block: Block, last: Sequence[Operand], uses: Counter[Var], folded: Folded) -> None:
        self.stmts = block.stmts
        self.uses = uses
        self.folded = folded
        self.consumer: dict[Var, tuple[int, bool]] = {}
        for at, stmt in enumerate(self.stmts):
            for x, is_lazy in _slots(stmt):
                if isinstance(x, Var):
                    self.consumer[x] = (at, is_lazy)
        for x in last:
            if isinstance(x, Var):
                self.consumer[x] = (len(self.stmts), False)
        self.final: dict[Var, tuple[int, bool]] = {}
        self.size: dict[int, int] = {}
        self.writes = [_written(s) for s in self.stmts]

    def run(self) -> None:
        for at in range(len(self.stmts) - 1, -1, -1):
            stmt = self.stmts[at]
            if isinstance(stmt, Op | Load | Dim):
                self.consider(at, stmt)

    def consider(self, at: int, stmt: Op | Load | Dim) -> None:
        if self.uses[stmt.out] != 1 or stmt.out not in self.consumer:
            return
        place, is_lazy = self.consumer[stmt.out]
        root = place
        if place < len(self.stmts):
            user = self.stmts[place]
            if isinstance(user, Op | Load) and user.out in self.folded:
                root, outer_lazy = self.final[user.out]
                is_lazy = is_lazy or outer_lazy
            if not self.wanted(stmt, user):
                return
        grown = self.size.get(root, 1) + len(stmt.args if isinstance(stmt, Op) else operands(stmt)) - 1
        if grown > LARGEST or not self.movable(at, stmt, root, is_lazy):
            return
        self.size[root] = grown
        self.folded.stmts[stmt.out] = stmt
        self.final[stmt.out] = (root, is_lazy)

    @staticmethod
    def wanted(stmt: Op | Load | Dim, user: Stmt) -> bool:
        """Names that the user gave are kept where the use is on another line."""
        if isinstance(stmt, Dim) or stmt.loc.line == user.loc.line or anonymous(stmt.out.name):
            return True
        return isinstance(stmt, Load) and stmt.out.name == stmt.array.name

    def movable(self, at: int, stmt: Op | Load | Dim, root: int, is_lazy: bool) -> bool:
        if isinstance(stmt, Op):
            return not (is_lazy and TABLE[stmt.op].expensive)
        array = stmt.array.type
        growing = isinstance(array, Array) and array.growing
        if isinstance(stmt, Dim):
            return not growing
        if is_lazy or growing:
            return False
        return not any({"*", array.dtype} & self.writes[k] for k in range(at + 1, root))


def fold(fn: Function) -> Folded:
    """Choose for a whole function."""
    uses = _uses(fn)
    folded = Folded()

    def visit(block: Block, last: Sequence[Operand]) -> None:
        _Block(block, last, uses, folded).run()
        for stmt in block.stmts:
            for inner in blocks(stmt):
                visit(inner, inner.yields)

    visit(fn.body, (*fn.body.yields, *fn.results))
    return folded
