"""Divide the loops that can be divided: each becomes a *part*, a function that runs some of the passes, and
what calls it.

    for i in range(n):                 partial_s, copies_ct_w = zeros(threads), zeros((threads - 1, m))
        s += f(x[i])            =>     in_threads(part, threads, 0, n, x, idx, ct_w, copies_ct_w, partial_s)
        ct_w[idx[i]] += g(x[i])        s += the sum of partial_s; ct_w += the sum of copies_ct_w

Input: a finished function. Output: `Plan`: the function with calls in place of the loops, and the parts.
The function has two more parameters, the number of threads and how many of them may run at a time. Sums are
added up in the order of the threads, so that equal numbers of threads give equal bits. A part notes in
`status` that it has come to its end, or which check failed. Invariants: with one thread the plan does what
the function does, up to rounding of sums. Non-goals: text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..analyses.alias import sharing
from ..ir.builder import const
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
    Stmt,
    Store,
    Var,
)
from ..ir.types import FLOAT64, INT, Array, Scalar
from ..ir.visitor import free_vars, substitute, walk, without
from ..passes.rewrite import Rewriter
from . import cost
from .nests import Nest, nests
from .sink import sink

DONE, FAILED = 1, 2  # what a part notes: that it came to its end; the number of a check that failed, plus 2
IN_THREADS = "in_threads"  # the call in place of a loop; its attribute is the name of the part
NOTES = 4  # numbers per thread: the note, whether the check was of an index, the index, the length


@dataclass(frozen=True, eq=False)
class Part:
    """`fn` has the parameters (thread, first, end, *arguments, *partial sums, status where it may fail) and
    runs the passes from `first` to `end`. What calls it gives (lo, passes, whether it is the seam's turn if
    there is one, *arguments, *copies of private arrays, *partial sums, status).
    """

    fn: Function
    step: int
    seam: int
    seamed: tuple[Var, ...]
    arguments: tuple[Var, ...]
    private: tuple[Var, ...]  # among the arguments
    copies: tuple[Var, ...]
    partial: tuple[Var, ...]
    status: Var | None
    loop: For


@dataclass(frozen=True, eq=False)
class Plan:
    host: Function
    parts: tuple[Part, ...]
    threads: Var
    workers: Var


def divide(fn: Function) -> Plan:
    """The plan of a function; without parts if no loop can be divided."""
    moved_in, scratch = sink(fn)
    chosen = nests(moved_in)
    inside = {s.out for loop in chosen for s in walk(loop.body) if isinstance(s, Alloc)}
    if not scratch <= inside:  # what lies in a loop that stays whole moves back
        scratch &= inside
        moved_in, scratch = sink(fn, scratch)
        chosen = nests(moved_in)
    return _Dividing(moved_in, chosen, scratch).plan()


def parts_mapped(plan: Plan, change: Callable[[Function], Function]) -> Plan:
    """The plan with `change` applied to each of its functions."""
    parts = tuple(replace(p, fn=change(p.fn)) for p in plan.parts)
    return replace(plan, host=change(plan.host), parts=parts)


class _Dividing(Rewriter):
    def __init__(self, fn: Function, chosen: dict[For, Nest], scratch: frozenset[Var]) -> None:
        super().__init__(fn)
        self.chosen = chosen
        self.scratch = scratch
        self.threads = self.names.fresh("threads", INT)
        self.workers = self.names.fresh("workers", INT)
        self.parts: list[Part] = []

    def plan(self) -> Plan:
        host = self.run()
        params = (*host.params, self.threads, self.workers)
        return Plan(replace(host, params=params), tuple(self.parts), self.threads, self.workers)

    def visit(self, stmt: Stmt) -> None:
        original = self.original
        nest = self.chosen.get(original) if isinstance(original, For) else None
        if nest is None:
            super().visit(stmt)
        else:
            assert isinstance(stmt, For)
            self.divided(replace(nest, loop=self.settled(stmt)))

    def settled(self, loop: For) -> For:
        """The loop with what is replaced so far, in its body too."""
        return replace(loop, body=self.block(loop.body)) if self.map else loop

    # -- in place of a loop
    def divided(self, nest: Nest) -> None:
        loop, loc = nest.loop, nest.loop.loc
        part = self.part(nest)
        self.parts.append(part)
        passes = self.op("trips", loop.lo, loop.hi, const(loop.step), hint="passes", loc=loc)
        sizes = {v: self.shape(v, loc) for v in nest.private}
        threads = self.number(nest, passes, sizes, loc)
        if not nest.again:
            self.run_part(nest, part, passes, sizes, threads)
            return
        several = self.op("gt", threads, const(1), hint="several", loc=loc)
        kept, self.out = self.out, []
        self.run_part(nest, part, passes, sizes, threads)
        then, self.out = Block(tuple(self.out), loop.outs), kept
        alone = tuple(self.names.fresh(o.name, o.type) for o in loop.outs)
        joined = tuple(self.names.fresh(o.name, o.type) for o in loop.outs)
        for out, new in zip(loop.outs, joined, strict=True):
            self.equate(out, new)
        whole = Block((replace(loop, outs=alone),), alone)
        self.out.append(If(several, then, whole, joined, loc=loc))

    def run_part(
        self,
        nest: Nest,
        part: Part,
        passes: Operand,
        sizes: dict[Var, tuple[Operand, ...]],
        threads: Operand,
    ) -> None:
        """The threads' passes, and what comes before and after."""
        loop, loc = nest.loop, nest.loop.loc
        others = self.op("sub", threads, const(1), hint="others", loc=loc)
        for v, copy in zip(part.private, part.copies, strict=True):
            self.out.append(Alloc(copy, (others, *sizes[v]), zeroed=True, loc=loc))
        for array in part.partial:
            self.out.append(Alloc(array, (threads,), zeroed=True, loc=loc))
        if part.status is not None:
            self.out.append(Alloc(part.status, (threads, const(NOTES)), zeroed=True, loc=loc))
        status = () if part.status is None else (part.status,)
        head = (threads, self.workers, loop.lo, passes)
        rest = (*part.arguments, *part.copies, *part.partial, *status)
        self.out += self.start(part, (*head, *((const(False),) if part.seam else ()), *rest))
        if part.seam:
            several = self.op("gt", threads, const(1), hint="several", loc=loc)
            last = self.start(part, (*head, const(True), *rest))
            self.out.append(If(several, Block(tuple(last)), Block(), (), loc=loc))
        self.sums(nest, part, threads)
        for v, copy in zip(part.private, part.copies, strict=True):
            self.added(v, copy, others, sizes[v], loc)

    @staticmethod
    def start(part: Part, args: tuple[Operand, ...]) -> list[Stmt]:
        loc = part.loop.loc
        made: list[Stmt] = [Call(IN_THREADS, args, (part.fn.name,), loc=loc)]
        if part.status is not None:
            made.append(Call("surface", (part.status,), loc=loc))
        return made

    def shape(self, v: Var, loc: Location) -> tuple[Operand, ...]:
        assert isinstance(v.type, Array)
        found = tuple(self.names.fresh("n", INT) for _ in range(v.type.ndim))
        self.out += [Dim(n, v, k, loc=loc) for k, n in enumerate(found)]
        return found

    def number(
        self, nest: Nest, passes: Operand, sizes: dict[Var, tuple[Operand, ...]], loc: Location
    ) -> Operand:
        """As many threads as there are, or one where that is faster."""
        done = self.work(nest, passes, loc)
        pays = self.op("ge", done, const(float(cost.WORTH)), hint="pays", loc=loc)
        if sizes:
            total: Operand = const(0.0)
            for shape in sizes.values():
                size: Operand = const(float(cost.PER_COPY))
                for n in shape:
                    size = self.op("mul", size, self.float(n, loc), hint="size", loc=loc)
                total = self.op("add", total, size, hint="size", loc=loc)
            copied = self.op("mul", total, self.float(self.threads, loc), hint="copied", loc=loc)
            affordable = self.op("ge", done, copied, hint="pays", loc=loc)
            pays = self.op("and", pays, affordable, hint="pays", loc=loc)
        shares = passes
        if nest.seam:
            shares = self.op("floordiv", passes, const(2 * nest.seam), hint="shares", loc=loc)
        most = self.op("minimum", self.threads, shares, hint="threads", loc=loc)
        wanted = self.op("select", pays, most, const(1), hint="threads", loc=loc)
        return self.op("maximum", wanted, const(1), hint="threads", loc=loc)

    def float(self, x: Operand, loc: Location) -> Operand:
        if isinstance(x, Const):
            return const(float(x.value))
        out = self.names.fresh("work", FLOAT64)
        self.out.append(Op(out, "cast", (x,), loc=loc))
        return out

    def work(self, nest: Nest, passes: Operand, loc: Location) -> Operand:
        """The operations of all passes, computed at run time."""
        total: Operand = const(0.0)
        for trips, n in nest.work.items():
            term: Operand = const(n)
            for lo, hi, step in trips:
                count = self.op("trips", self.get(lo), self.get(hi), const(step), hint="n", loc=loc)
                term = self.op("mul", term, self.float(count, loc), hint="work", loc=loc)
            total = self.op("add", total, term, hint="work", loc=loc)
        return self.op("mul", total, self.float(passes, loc), hint="work", loc=loc)

    def sums(self, nest: Nest, part: Part, threads: Operand) -> None:
        """The sums after the loop, from what each thread has added up."""
        loop = nest.loop
        if not loop.outs:
            return
        t = self.names.fresh("t", INT)
        args: list[Var] = []
        yields: list[Operand] = []
        stmts: list[Stmt] = []
        for out, array in zip(loop.outs, part.partial, strict=True):
            arg, one, more = (self.names.fresh(out.name, out.type) for _ in range(3))
            stmts += [
                Load(one, array, (t,), loc=loop.loc),
                Op(more, "add", (arg, one), loc=loop.loc),
            ]
            args.append(arg)
            yields.append(more)
        body = Block(tuple(stmts), tuple(yields))
        self.out.append(For(t, const(0), threads, 1, tuple(args), loop.inits, body, loop.outs, loc=loop.loc))

    def added(
        self, array: Var, copy: Var, others: Operand, shape: tuple[Operand, ...], loc: Location
    ) -> None:
        """What the other threads have in their copies, added to the array."""
        t = self.names.fresh("t", INT)
        index = tuple(self.names.fresh(name, INT) for name in _letters(len(shape)))
        value = self.names.fresh("t", Scalar(array.type.dtype))
        stmts: tuple[Stmt, ...] = (
            Load(value, copy, (t, *index), loc=loc),
            Accumulate(array, index, value, loc=loc),
        )
        for iv, n in zip((*reversed(index), t), (*reversed(shape), others), strict=True):
            stmts = (For(iv, const(0), n, 1, (), (), Block(stmts), (), loc=loc),)
        self.out += stmts

    # -- the part
    def part(self, nest: Nest) -> Part:
        loop = nest.loop
        t, first, end = (self.names.fresh(name, INT) for name in ("thread", "first", "end"))
        inits = tuple(const(0, a.type.dtype) for a in loop.args)
        outs = tuple(self.names.fresh(o.name, o.type) for o in loop.outs)
        zeros = [s for s in walk(loop.body) if isinstance(s, Alloc) and s.zeroed and s.out in self.scratch]
        own = replace(loop, lo=first, hi=end, inits=inits, outs=outs, body=without(loop.body, zeros))
        partial = tuple(self.array(f"partial_{o.name}", o, 1) for o in loop.outs)
        copies = tuple(self.array(f"copies_{v.name}", v, _rank(v) + 1) for v in nest.private)
        stmts: list[Stmt] = [
            *zeros,
            own,
            *(Accumulate(a, (t,), o, loc=loop.loc) for a, o in zip(partial, outs, strict=True)),
        ]
        status = self.names.fresh("status", Array("int64", 2)) if may_fail(loop) else None
        if status is not None:
            if nest.seam:
                stmts.insert(0, Store(status, (t, const(0)), const(0), loc=loop.loc))
            stmts.append(Store(status, (t, const(0)), const(DONE), loc=loop.loc))
        body = Block(tuple(stmts))
        taken = {t, first, end, *partial, status}
        arguments = tuple(v for v in free_vars(body) if v not in taken)
        theirs = {v: self.names.fresh(f"private_{v.name}", v.type) for v in nest.private}
        body = substitute(body, lambda x: theirs.get(x, x) if isinstance(x, Var) else x)
        params = (t, first, end, *(theirs.get(v, v) for v in arguments), *partial)
        params = params if status is None else (*params, status)
        number = len(self.parts) + 1
        shared = tuple(tuple(3 + k for k in group) for group in sharing(self.fn, arguments))
        fn = Function(f"{self.fn.name}_part_{number}", params, body, (), self.fn.loc, (), shared)
        private = tuple(nest.private)
        return Part(fn, loop.step, nest.seam, nest.seamed, arguments, private, copies, partial, status, loop)

    def array(self, name: str, like: Var, rank: int) -> Var:
        return self.names.fresh(name, Array(like.type.dtype, rank))


def may_fail(loop: For) -> bool:
    """Whether a thread may fail to finish: at a check, or because memory runs out."""
    return any(isinstance(s, Check | Bounds | Alloc | Call) for s in walk(loop.body))


def _rank(v: Var) -> int:
    return v.type.ndim if isinstance(v.type, Array) else 0


def _letters(rank: int) -> list[str]:
    return list("ijklmn"[:rank]) if rank <= 6 else [f"i{k}" for k in range(rank)]


__all__ = ["Part", "Plan", "divide", "may_fail", "parts_mapped"]
