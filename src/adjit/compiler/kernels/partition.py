"""Cut a core function into kernels and a program for the host that launches them.

    for i in range(n): y[i] = f(x[i])          launch(f_1, (n,), x, y, n)
    s = 0.0                              =>    summed(f_2, (n,), (s,), y, n)
    for i in range(n): s += y[i]               launch(f_3, (n,), y, s, n)
    for i in range(n): y[i] /= s

Input: a finished core function. Output: a `Plan`. A loop nest whose passes are free of order becomes one
kernel, a thread per pass; other statements that touch elements are gathered, as they come, into kernels of
one thread; a loop that has to stay in order and contains kernels runs on the host, and so do branches around
kernels. Scalars computed on the device stay there, in cells; arithmetic on them is done again by each kernel
that needs it. The host reads a cell only where a condition, a length or a result needs it. Invariants: the
host's program, its kernels put in, does what the function does. Non-goals: text, launching.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..analyses.dependence import Dependence
from ..ir.builder import Names, const
from ..ir.nodes import (
    Accumulate,
    Alloc,
    Block,
    Bounds,
    Call,
    Check,
    Const,
    Dim,
    For,
    Function,
    If,
    Load,
    Location,
    Op,
    Operand,
    Reshape,
    Stmt,
    Store,
    Var,
    View,
    While,
)
from ..ir.types import INT, Array, grows
from ..ir.visitor import (
    all_defined,
    blocks,
    defined,
    free_vars,
    operands,
    with_blocks,
    with_operands,
)
from ..passes.dce import dce
from . import grid
from .assembly import ZERO, Draft, Plan, cell, load, status_array
from .expand import expand
from .first import first_stores
from .gather import gather
from .placement import Placement
from .refusals import refuse
from .unmarked import without_marks

UNKNOWN = const(4096)  # passes to launch threads for where the host does not know their number


@dataclass(frozen=True, slots=True, eq=False)
class _Launch(Stmt):
    """Stands for the launch of a kernel that is not finished yet."""

    draft: Draft


def partition(fn: Function) -> Plan:
    """The plan for a finished function."""
    return _Partition(dce(first_stores(gather(expand(without_marks(fn)))))).run()


class _Partition:
    def __init__(self, fn: Function) -> None:
        refuse(fn)
        self.fn = fn
        self.names = Names.above(fn)
        self.facts = Dependence.about(fn)
        self.place = Placement(self.facts)
        self.home: dict[Var, Draft] = {}
        self.cells: dict[Var, Var] = {}
        self.floating: dict[Var, Op] = {}
        self.drafts: list[Draft] = []
        self.pending: Draft | None = None
        self.out: list[Stmt] = []

    def run(self) -> Plan:
        self.block(self.fn.body)
        self.flush()
        status = status_array(self.names)
        checks = any(d.checks for d in self.drafts)
        if checks:
            self.out.append(Call("checked", (status,)))
        results = tuple(self.host(r) for r in self.fn.results)
        kernels = tuple(d.finished(status) for d in self.drafts)
        cells = dict.fromkeys(self.cells.values())
        top: list[Stmt] = [Alloc(c, (const(1),), zeroed=False) for c in cells]
        if checks:
            top.append(Alloc(status, (const(4),), zeroed=True))
        body = self.launched(Block((*top, *self.out)), status)
        return Plan(replace(self.fn, body=body, results=results), kernels)

    def launched(self, block: Block, status: Var) -> Block:
        """The block with calls in the place of launches."""
        return Block(tuple(self.call(s, status) for s in block.stmts), block.yields)

    def call(self, stmt: Stmt, status: Var) -> Stmt:
        if not isinstance(stmt, _Launch):
            return with_blocks(stmt, lambda b: self.launched(b, status))
        d = stmt.draft
        cells = tuple(c for c, _ in d.sums)
        last = (status,) if d.checks else ()
        counts = (len(d.extents), len(cells))
        return Call(d.name, (*d.extents, *cells, *d.arguments, *last), counts, loc=d.loc)

    # -- scalars
    def on_device(self, x: Operand) -> bool:
        return isinstance(x, Var) and x in self.place.device

    def cell(self, v: Var) -> Var:
        """Where a scalar of the device is kept; the kernel that computes it stores it there."""
        found = self.cells.get(v)
        if found is None:
            found = self.cells[v] = cell(self.names, v)
            self.home[v].cells[v] = found
        return found

    def resolve(self, draft: Draft, xs: Iterable[Operand]) -> None:
        """Make scalars of the device known in a kernel."""
        for x in xs:
            if not isinstance(x, Var) or x in draft.known or not self.on_device(x):
                continue
            op = self.floating.get(x)
            if op is not None:
                self.resolve(draft, op.args)
                draft.add(op)
            else:
                draft.add(load(x, self.cell(x), draft.loc))

    def host(self, x: Operand) -> Operand:
        """The value on the host, read from the device if need be."""
        if not self.on_device(x):
            return x
        assert isinstance(x, Var)
        if x in self.floating:
            at = self.cells[self.names.fresh(x.name, x.type)] = cell(self.names, x)
            draft = self.single(self.floating[x].loc)
            self.resolve(draft, (x,))
            draft.add(Store(at, (ZERO,), x, loc=draft.loc))
        else:
            at = self.cell(x)
        self.flush()
        value = self.names.fresh(x.name, x.type)
        self.out.append(load(value, at, self.fn.loc))
        return value

    # -- kernels
    def draft(self, loc: Location) -> Draft:
        made = Draft(f"{self.fn.name}_{len(self.drafts) + 1}", loc)
        self.drafts.append(made)
        return made

    def single(self, loc: Location) -> Draft:
        """The kernel of one thread that is being filled."""
        if self.pending is None:
            self.pending = self.draft(loc)
        return self.pending

    def flush(self) -> None:
        if self.pending is not None:
            self.out.append(_Launch(self.pending, loc=self.pending.loc))
            self.pending = None

    def in_one_thread(self, stmt: Stmt) -> None:
        draft = self.single(stmt.loc)
        self.resolve(draft, free_vars(Block((stmt,))))
        draft.add(stmt)
        for v in defined(stmt):
            self.home[v] = draft

    def in_threads(self, loop: For) -> None:
        """A kernel for a nest."""
        self.flush()
        draft = self.draft(loop.loc)
        loops = self.place.nest(loop)
        raw: list[Var] = []
        for out, init in zip(loop.outs, loop.inits, strict=True):
            total = self.names.fresh(out.name, out.type)
            self.place.device.update((out, total))
            at = self.cells[total] = cell(self.names, out)
            if isinstance(init, Const) and init.value == 0:
                self.cells[out] = at
            else:
                self.floating[out] = Op(out, "add", (init, total), loc=loop.loc)
            part = self.names.fresh(f"{out.name}_of_block", Array(out.type.dtype, 1))
            draft.sums += ((at, part),)
            raw.append(total)
        zeros = tuple(const(0, v.type.dtype) for v in loop.outs)
        spread = replace(loop, inits=zeros, outs=tuple(raw))
        draft.grid = (spread, *loops[1:])
        draft.atomic = frozenset(grid.contended(self.facts, loops))
        draft.extents = tuple(self.extent(one, loop) for one in loops)
        self.resolve(draft, free_vars(Block((spread,))))
        draft.add(spread)
        self.out.append(_Launch(draft, loc=loop.loc))

    def extent(self, loop: For, outermost: For) -> Operand:
        """About how many passes a loop makes: threads that have none do nothing, others do several."""
        inside = {outermost.iv, *all_defined(outermost.body)}
        first, last = (loop.lo, loop.hi) if loop.step > 0 else (loop.hi, loop.lo)
        if any(self.on_device(x) or x in inside for x in (first, last) if isinstance(x, Var)):
            return UNKNOWN
        if isinstance(first, Const) and first.value == 0:
            return last
        length = self.names.fresh("n", INT)
        self.out.append(Op(length, "sub", (last, first), loc=loop.loc))
        return length

    # -- statements
    def block(self, block: Block) -> None:
        for stmt in block.stmts:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Op(out=out):
                if self.on_device(out):
                    self.floating[out] = stmt
                else:
                    self.out.append(stmt)
            case Store(array=array, index=index) | Accumulate(array=array, index=index) if grows(array.type):
                at = self.host(index[0])
                self.flush()
                self.out.append(Call("grown", (array, at), loc=stmt.loc))
                self.in_one_thread(stmt)
            case Load() | Store() | Accumulate():
                self.in_one_thread(stmt)
            case Check() | Bounds():
                if any(map(self.on_device, operands(stmt))):
                    self.in_one_thread(stmt)
                else:
                    self.out.append(stmt)
            case Alloc() | Dim() | View() | Reshape():
                self.out.append(with_operands(stmt, self.host))
            case Call():
                call = with_operands(stmt, self.host)
                self.flush()
                self.out.append(call)
            case For() | While() | If():
                self.control(stmt)
            case _:
                raise AssertionError(f"no such statement: {type(stmt).__name__}")

    def control(self, stmt: For | While | If) -> None:
        if isinstance(stmt, For) and self.place.worthwhile(stmt):
            self.in_threads(stmt)
        elif not self.place.on_host(stmt):
            self.in_one_thread(stmt)
        elif self.place.scalar_only(stmt):
            self.out.append(stmt)
        elif isinstance(stmt, If):
            self.branch(stmt)
        else:
            self.loop(stmt)

    def inner(self, block: Block, cells: Sequence[tuple[Var, Operand]], last: Sequence[Operand]) -> Block:
        """A block of the host, at whose end cells are set, all at once, and `last` are yielded."""
        kept, self.out = self.out, []
        self.block(block)
        self.assign(cells)
        yields = tuple(self.host(y) for y in last)
        self.flush()
        stmts, self.out = self.out, kept
        return Block(tuple(stmts), yields)

    def assign(self, cells: Sequence[tuple[Var, Operand]]) -> None:
        if cells:
            draft = self.single(self.fn.loc)
            self.resolve(draft, [x for _, x in cells])
            for at, x in cells:
                draft.add(Store(at, (ZERO,), x, loc=draft.loc))

    def loop(self, stmt: For | While) -> None:
        carried = [k for k, a in enumerate(stmt.args) if self.on_device(a)]
        kept = [k for k in range(len(stmt.args)) if k not in carried]
        places = {k: cell(self.names, stmt.args[k]) for k in carried}
        for k, at in places.items():
            self.cells[stmt.args[k]] = self.cells[stmt.outs[k]] = at
        self.assign([(at, stmt.inits[k]) for k, at in places.items()])
        head = with_operands(stmt, lambda x: self.host(x) if not self.carries(stmt, carried, x) else x)
        assert isinstance(head, For | While)
        self.flush()
        ends = [
            (at, stmt.body.yields[k]) for k, at in places.items() if stmt.body.yields[k] is not stmt.args[k]
        ]
        last = [stmt.body.yields[k] for k in kept]
        if isinstance(head, While):
            head = replace(head, cond=self.inner(stmt.cond, (), stmt.cond.yields))  # type: ignore[union-attr]
        if stmt.stop is not None:
            last.append(stmt.stop)
        body = self.inner(stmt.body, ends, last)
        stop = None
        if stmt.stop is not None:
            *most, stop = body.yields
            body = Block(body.stmts, tuple(most))
        args = tuple(stmt.args[k] for k in kept)
        inits = tuple(head.inits[k] for k in kept)
        outs = tuple(stmt.outs[k] for k in kept)
        self.out.append(replace(head, args=args, inits=inits, outs=outs, body=body, stop=stop))

    @staticmethod
    def carries(stmt: For | While, carried: Sequence[int], x: Operand) -> bool:
        """Whether an operand is only the start of what a cell carries."""
        bounds = (stmt.lo, stmt.hi) if isinstance(stmt, For) else ()
        return any(x is stmt.inits[k] for k in carried) and not any(x is b for b in bounds)

    def branch(self, stmt: If) -> None:
        cond = self.host(stmt.cond)
        self.flush()
        cells = [k for k, v in enumerate(stmt.outs) if self.on_device(v)]
        kept = [k for k in range(len(stmt.outs)) if k not in cells]
        places = {k: cell(self.names, stmt.outs[k]) for k in cells}
        for k, at in places.items():
            self.cells[stmt.outs[k]] = at
        sides = [
            self.inner(
                side, [(at, side.yields[k]) for k, at in places.items()], [side.yields[k] for k in kept]
            )
            for side in blocks(stmt)
        ]
        outs = tuple(stmt.outs[k] for k in kept)
        self.out.append(If(cond, sides[0], sides[1], outs, loc=stmt.loc))


__all__ = ["partition"]
