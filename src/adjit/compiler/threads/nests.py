"""Which loops several threads divide among them, and what becomes of the memory and the sums that their
passes share.

Input: a finished function. Output: `Nest` per chosen loop. A loop is chosen if the order of its passes does
not matter: then each thread takes a run of passes. Of outer and inner loops the outermost is taken. Carried
values must be sums: each thread has a partial sum. Accumulations: where different passes add to different
elements, threads add directly. Where only passes less than a few apart meet, as in the adjoint of a
stencil, they add directly too, but the last few passes of each thread, the *seam*, wait until all others
are done. Else the array is *private*: each thread but the first adds to a copy of its own. Invariants:
whatever is not understood stays as it is. Non-goals: when it pays (`cost`).
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from ..analyses.accumulators import is_sum
from ..analyses.dependence import Dependence
from ..ir.nodes import Accumulate, Block, Call, Check, Dim, For, Function, If, Mark, Op, Stmt, Var, While
from ..ir.types import Array, grows
from ..ir.visitor import all_defined, all_reads, blocks, free_vars, int_const, walk
from ..kernels.grid import contended
from . import cost

SUMMED = ("float32", "float64", "int64")
FEW = 8  # passes that are not worth dividing
LIGHTEST = 5  # operations: a loop whose passes do less moves memory and little else
WIDEST = 16  # passes of a seam
CALLS = ("gemm",)  # routines that cannot fail


@dataclass(frozen=True, eq=False)
class Nest:
    """A loop to be divided, whose carried values are sums; the arrays of which each thread has a copy; the
    passes of a seam, and the arrays for which there is one. `again`: it is a short one within a loop, so
    that it stands in its old place too, for when threads do not pay.
    """

    loop: For
    private: tuple[Var, ...]
    seam: int
    seamed: tuple[Var, ...]
    work: cost.Work
    again: bool = False


def nests(fn: Function) -> dict[For, Nest]:
    """The loops to be divided."""
    return _Choosing(fn).run()


class _Choosing:
    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.facts = Dependence.about(fn)
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
        inside = {loop.iv, *loop.args, *all_defined(loop.body)}
        if not all(dividable(s, inside) for s in walk(loop.body)) or not self.plain(loop):
            return None
        work = cost.work(loop.body, inside)
        if cost.weight(work) < LIGHTEST or self.short(loop, work) or not self.free(loop):
            return None
        if not all(is_sum(self.facts.definitions, loop, k) for k in range(len(loop.args))):
            return None
        met = self.met(loop)
        if met is None:
            return None
        seams = {v: self.seam(loop, adds) for v, adds in met.items()}
        private = tuple(v for v, width in seams.items() if width is None)
        seamed = tuple(v for v in seams if v not in private)
        width = max((n for n in seams.values() if n), default=0)
        around = self.facts.definitions.place[loop].loops
        again = bool(around) and not any(isinstance(s, For | While) for s in walk(loop.body))
        return Nest(loop, private, width, seamed, work, again)

    def free(self, loop: For) -> bool:
        return self.facts.order_free(loop) or self.facts.order_free_as_promised(loop)

    def short(self, loop: For, work: cost.Work) -> bool:
        """Whether a loop is known to do too little: one over a strip."""
        end = self.facts.definitions.maker.get(loop.hi) if isinstance(loop.hi, Var) else None
        if any(work) or not isinstance(end, Op) or end.op != "minimum":
            return False
        lo = self.facts.forms.of(loop.lo)
        passes = [(self.facts.forms.of(a) - lo).constant for a in end.args]
        return any(n is not None and n * work.get((), 0.0) < cost.WORTH for n in passes)

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

    def met(self, loop: For) -> dict[Var, list[Accumulate]] | None:
        """The arrays to which different passes add in the same places, with all that is added to them; None
        where something else is done to one of them.
        """
        outside = [v for v in free_vars(Block((loop,))) if isinstance(v.type, Array)]
        roots = self.facts.roots
        found: dict[Var, list[Accumulate]] = {}
        for add in contended(self.facts, (loop,)):
            base = [v for v in outside if not roots[v].isdisjoint(roots[add.array])]
            if len(base) != 1 or base[0].type.dtype not in SUMMED:
                return None
            found[base[0]] = []
        for s in walk(loop.body):
            for access in self.facts.accesses(s):
                for v in (v for v in found if not roots[access.array].isdisjoint(roots[v])):
                    if not isinstance(s, Accumulate):
                        return None
                    found[v].append(s)
        return {v: found[v] for v in outside if v in found}

    def seam(self, loop: For, adds: list[Accumulate]) -> int | None:
        """The most passes by which two that meet are apart, if that is known and small."""
        if abs(loop.step) != 1 or any(s.array is not adds[0].array for s in adds):
            return None
        forms = self.facts.forms
        iteration = forms.iteration.get(loop)
        around = len(self.facts.definitions.place[loop].loops)
        for index in zip(*(s.index for s in adds), strict=True):
            found = [forms.of(x) for x in index]
            along = found[0].terms.get(iteration, 0) if iteration is not None else 0
            apart = [(f - found[0]).constant for f in found]
            known = [c for c in apart if c is not None]
            plain = all(s is iteration or s.depth <= around for f in found for s in f.terms)
            if along and plain and len(known) == len(apart):
                width = (max(known) - min(known)) // abs(along)
                return width if width <= WIDEST else None
        return None


def dividable(stmt: Stmt, inside: Container[Var]) -> bool:
    """Whether a thread can run the statement itself, with the variables that are `inside` its loop."""
    match stmt:
        case Call(name=name):
            return name in CALLS
        case Mark():
            return False
        case Check(values=values):
            return len(values) in (0, 2)
        case Dim():
            return True
        case _:
            return all(x in inside for x in all_reads(stmt) if isinstance(x, Var) and grows(x.type))


def _few(loop: For) -> bool:
    lo, hi = int_const(loop.lo), int_const(loop.hi)
    return lo is not None and hi is not None and (hi - lo) / loop.step <= FEW


__all__ = ["Nest", "nests"]
