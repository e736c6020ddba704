"""Loops whose cotangents are known before they start: forward and reverse in one pass over the data.

Input: a function with a constant seed. Output: per block the trailing loops to fuse, and the scalar
statements behind them that are reversed before the first of them. The bodies of fused loops are searched in
turn.

A mean, a norm, a log-likelihood ends in loops that only sum. If nothing behind such a loop but scalar
arithmetic stands between it and the result, and that arithmetic's partials are known before the loop, then
so is the cotangent of every term of the sum. Each pass then computes its term, reverses itself, and saves
nothing.

A loop qualifies if it has no early exit, carries only sums (and what is inactive), and writes no memory
from outside; the arrays that it reads are not written behind it in its block.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..analyses.accumulators import is_sum
from ..analyses.definitions import Definitions
from ..analyses.effects import reads, writes
from ..ir.nodes import Alloc, Block, Const, For, Function, If, Op, Operand, Stmt, Var, While
from ..ir.types import Array
from ..ir.visitor import defined, free_vars, walk
from .activity import Activity, is_active
from .needs import active_positions
from .partials import reads as partial_reads

EARLY = frozenset(("cast", "add", "sub", "mul", "div", "neg"))


@dataclass(frozen=True)
class Trailing:
    loops: tuple[For, ...]
    behind: tuple[Stmt, ...]  # active scalar statements between and behind them, in order


@dataclass(frozen=True)
class Fusion:
    of: dict[Block, Trailing] = field(default_factory=dict)

    @property
    def bodies(self) -> tuple[Block, ...]:
        return tuple(loop.body for trailing in self.of.values() for loop in trailing.loops)


def early(fn: Function) -> Function:
    """Cheap arithmetic of the outermost block as soon as its operands are there: a mean's count is known
    before its loop.
    """
    made: dict[Var, int] = {}
    placed: list[list[Stmt]] = [[]]  # what follows the statement of that number; those of number 0 come first
    for stmt in fn.body.stmts:
        at = len(placed)
        if isinstance(stmt, Op) and stmt.op in EARLY:
            at = max((made.get(a, 0) for a in stmt.args if isinstance(a, Var)), default=0)
            placed[at].append(stmt)
        else:
            placed.append([stmt])
        made.update(dict.fromkeys(defined(stmt), at))
    return replace(fn, body=Block(tuple(s for group in placed for s in group), fn.body.yields))


def find(fn: Function, active: Activity) -> Fusion:
    """The largest sets of trailing loops that qualify; blocks without any are left out."""
    definitions = Definitions.about(fn)
    found: dict[Block, Trailing] = {}
    queue = [fn.body]
    while queue:
        block = queue.pop()
        # Arrays made in a fused body have no shadow before its reverse begins.
        local = set() if block is fn.body else {s.out for s in walk(block) if isinstance(s, Alloc)}
        trailing = _trailing(block, active, definitions, local)
        if trailing is not None:
            found[block] = trailing
            queue.extend(loop.body for loop in trailing.loops)
    return Fusion(found)


def _trailing(block: Block, active: Activity, definitions: Definitions, local: set[Var]) -> Trailing | None:
    loops: list[For] = []
    behind: list[Stmt] = []
    written = set(local)
    for stmt in reversed(block.stmts):
        if isinstance(stmt, For) and is_active(stmt, active):
            if not _qualifies(stmt, active, definitions, written):
                break
            loops.append(stmt)
        elif is_active(stmt, active):
            if not isinstance(stmt, Op):
                break
            behind.append(stmt)
        elif any(isinstance(s, Alloc) and s.out in active for s in walk(Block((stmt,)))):
            break
        for inner in walk(Block((stmt,))):
            written |= {r for a in writes(inner) for r in active.roots[a]}
    return _trimmed(block, loops[::-1], behind[::-1], active)


def _qualifies(loop: For, active: Activity, definitions: Definitions, written: set[Var]) -> bool:
    if loop.stop is not None or any(isinstance(a.type, Array) for a in loop.args):
        return False
    if any(a in active and not is_sum(definitions, loop, k) for k, a in enumerate(loop.args)):
        return False
    inside = {s.out for s in walk(loop.body) if isinstance(s, Alloc)}
    for stmt in walk(loop.body):
        if any(not active.roots[a] <= inside for a in writes(stmt)):
            return False
        if any(not active.roots[a].isdisjoint(written) for a in reads(stmt) if a in active):
            return False
        if isinstance(stmt, For | While | If) and any(isinstance(o.type, Array) for o in defined(stmt)):
            return False
    return True


def _trimmed(block: Block, loops: list[For], behind: list[Stmt], active: Activity) -> Trailing | None:
    """Drop leading loops until all that the scalar statements behind the first read is known before it."""
    position = {s: n for n, s in enumerate(block.stmts)}
    made = {v: position[s] for s in block.stmts for v in defined(s)}
    while loops:
        start = position[loops[0]]
        later = [s for s in behind if position[s] > start]
        needed = [
            x for s in later if isinstance(s, Op) for x in partial_reads(s, active_positions(s, active))
        ]
        # What a later loop reads of what comes behind the first has no cotangent before that loop has run.
        needed += [v for loop in loops[1:] for v in free_vars(loop.body) if _scalar(v) and v in active]
        if all(_known(x, made, start) for x in needed):
            return Trailing(tuple(loops), tuple(later))
        loops.pop(0)
    return None


def _scalar(v: Var) -> bool:
    return not isinstance(v.type, Array)


def _known(x: Operand, made: dict[Var, int], start: int) -> bool:
    return isinstance(x, Const) or made.get(x, -1) < start
