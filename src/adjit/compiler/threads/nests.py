"""Which loops several threads divide among them, and what becomes of the memory and the sums that their
passes share.

Input: a finished function. Output: `Nest` per chosen loop. A loop is chosen if the order of its passes does
not matter: then each thread takes a run of passes. Of outer and inner loops the outermost is taken. Carried
values must be sums: each thread has a partial sum. Accumulations: where different passes add to different
elements, threads add directly; else the array is *private*, each thread but the first adds to a copy of its
own. Invariants: whatever is not understood stays as it is. Non-goals: when it pays (`cost`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..analyses.accumulators import is_sum
from ..analyses.dependence import Dependence
from ..ir.nodes import Block, Call, Check, Dim, For, Function, If, Mark, Stmt, Var, While
from ..ir.types import Array, grows
from ..ir.visitor import all_defined, all_reads, blocks, free_vars, int_const, walk
from ..kernels.grid import contended
from . import cost

SUMMED = ("float32", "float64", "int64")
FEW = 8  # passes that are not worth dividing
LIGHTEST = 5  # operations: a loop whose passes do less moves memory and little else
CALLS = ("gemm",)  # routines that cannot fail


@dataclass(frozen=True, eq=False)
class Nest:
    """A loop to be divided, whose carried values are sums, and the arrays of which each thread has a copy."""

    loop: For
    private: tuple[Var, ...]
    work: cost.Work


def nests(fn: Function) -> dict[For, Nest]:
    """The loops to be divided."""
    return _Choosing(fn).run()


class _Choosing:
    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.facts = Dependence(fn)
        self.found: dict[For, Nest] = {}

    def run(self) -> dict[For, Nest]:
        self.block(self.fn.body)
        return self.found

    def block(self, block: Block) -> None:
        for stmt in block.stmts:
            nest = self.nest(stmt) if isinstance(stmt, For) else None
            if nest is not None:
                self.found[nest.loop] = nest
            elif isinstance(stmt, For | If | While):
                for inner in blocks(stmt)[isinstance(stmt, While) :]:
                    self.block(inner)

    def nest(self, loop: For) -> Nest | None:
        if loop.trips is not None or loop.stop is not None or _few(loop):
            return None
        if not all(map(dividable, walk(loop.body))) or not self.plain(loop):
            return None
        inside = {loop.iv, *loop.args, *all_defined(loop.body)}
        work = cost.work(loop.body, inside)
        if cost.weight(work) < LIGHTEST or not self.facts.order_free(loop):
            return None
        if not all(is_sum(self.facts.definitions, loop, k) for k in range(len(loop.args))):
            return None
        private = self.private(loop)
        if private is None:
            return None
        return Nest(loop, private, work)

    def plain(self, loop: For) -> bool:
        """Whether the carried values are of kinds that are summed, and no array is of a kind that lies in one
        place only.
        """
        if any(isinstance(a.type, Array) or a.type.dtype not in SUMMED for a in loop.args):
            return False
        if any(y is a for y, a in zip(loop.body.yields, loop.args, strict=True)):
            return False
        arrays = [v for v in free_vars(Block((loop,))) if isinstance(v.type, Array)]
        return not any(grows(v.type) or v.type.ndim == 0 for v in arrays if isinstance(v.type, Array))

    def private(self, loop: For) -> tuple[Var, ...] | None:
        """The arrays to which different passes add in the same places; None where threads cannot have copies
        of them.
        """
        outside = [v for v in free_vars(Block((loop,))) if isinstance(v.type, Array)]
        roots = self.facts.roots
        found: dict[Var, None] = {}
        for s in contended(self.facts, (loop,)):
            base = [v for v in outside if not roots[v].isdisjoint(roots[s.array])]
            if len(base) != 1 or base[0].type.dtype not in SUMMED:
                return None
            found[base[0]] = None
        for v in found:
            for s in walk(loop.body):
                for access in self.facts.accesses(s):
                    if not access.accumulate and not roots[access.array].isdisjoint(roots[v]):
                        return None
        return tuple(v for v in outside if v in found)


def dividable(stmt: Stmt) -> bool:
    """Whether a thread can run the statement itself."""
    match stmt:
        case Call(name=name):
            return name in CALLS
        case Mark():
            return False
        case Check(values=values):
            return not values
        case Dim():
            return True
        case _:
            return not any(isinstance(x, Var) and grows(x.type) for x in all_reads(stmt))


def _few(loop: For) -> bool:
    lo, hi = int_const(loop.lo), int_const(loop.hi)
    return lo is not None and hi is not None and (hi - lo) / loop.step <= FEW


__all__ = ["Nest", "nests"]
