"""What one pass of a loop adds to, or stores in, the element that the next pass reads goes through a carried
scalar.

    for j in range(n, 0, -1):            c = 0.0
        g = 0.5 * ct[j]                  for j in range(n, 0, -1):
        ct[j] = g                =>          g = 0.5 * (ct[j] + c)
        ct[j - 1] += g                       ct[j] = g
                                             c = g
                                         if 0 < n: ct[0] += c

A value that goes through memory costs each pass a store and a load, and both are on the chain that
decides how long the loop takes. Input and output: core IR. Both accesses stand in the body itself, at
places one pass apart, and nothing touches the element between them. What the reading pass does not
overwrite it stores. A stored value is stored as before and not loaded again; the first pass gets what the
memory holds. Non-goals: values handed on to later passes than the next.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..analyses.dependence import Dependence
from ..ir.builder import const
from ..ir.nodes import Accumulate, Block, Dim, For, Function, If, Load, Op, Operand, Stmt, Store, Var
from ..ir.types import Scalar, grows, is_float
from ..ir.visitor import makers, operands, walk, with_operands
from .rewrite import Rewriter


def relay(fn: Function) -> Function:
    """Carry from pass to pass what accumulations hand on."""
    return _Relaying(fn).run()


@dataclass(eq=False)
class _Relay:
    giver: Accumulate | Store
    taker: Load
    overwritten: bool  # the taking pass stores to the element before anything else touches it
    index: list[Stmt]  # what the giver's index is computed by, the taker's for a store


class _Relaying(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence.about(fn)
        self.givers: dict[Stmt, Var] = {}
        self.carried: dict[Var, Operand] = {}
        self.takers: dict[Stmt, tuple[_Relay, Var]] = {}

    def visit(self, stmt: Stmt) -> None:
        original = self.original
        if isinstance(stmt, For) and isinstance(original, For):
            found = self.relays(original)
            if found:
                self.loop(stmt, found)
                return
        if original in self.takers and isinstance(stmt, Load):
            self.take(stmt, *self.takers[original])
        elif original in self.givers and isinstance(stmt, Accumulate | Store):
            self.carried[self.givers[original]] = stmt.value
            if isinstance(stmt, Store):
                self.out.append(stmt)
        else:
            super().visit(stmt)

    # -- what may be carried
    def relays(self, loop: For) -> list[_Relay]:
        if loop.stop is not None or loop.trips is not None or abs(loop.step) != 1:
            return []
        found: list[_Relay] = []
        for giver in loop.body.stmts:
            if not isinstance(giver, Accumulate | Store) or grows(giver.array.type):
                continue
            if is_float(giver.value.type):
                for taker in loop.body.stmts:
                    if isinstance(taker, Load) and self.next_to(loop, taker, giver):
                        made = self.made(loop, giver, taker)
                        if made is not None and all(r.taker is not taker for r in found):
                            found.append(made)
        return found

    def next_to(self, loop: For, taker: Load, giver: Accumulate | Store) -> bool:
        """Whether the load reads, one pass later, the element that the accumulation adds to."""
        if taker.array is not giver.array:
            return False
        forms = self.facts.forms
        moved = False
        for read, added in zip(taker.index, giver.index, strict=True):
            here = forms.of(read)
            along = here.terms.get(forms.counter(loop), 0)
            moved = moved or along != 0
            if not here.shifted(along * loop.step).same(forms.of(added)):
                return False
        return moved

    def made(self, loop: For, giver: Accumulate | Store, taker: Load) -> _Relay | None:
        stored = isinstance(giver, Store)
        index = self.index(loop, taker if isinstance(giver, Store) else giver)
        if index is None:
            return None
        inside = list(walk(loop.body))
        at = {s: k for k, s in enumerate(inside)}
        shared = len(self.facts.definitions.place[loop].loops) + 1
        added, read = self.facts.accesses(giver)[0], self.facts.accesses(taker)[0]
        overwritten = None
        for s in inside:
            if s is giver or s is taker:
                continue
            for other in self.facts.accesses(s):
                if stored and not other.write:
                    continue
                if at[s] > at[giver] and self.facts.clash(added, other, shared):
                    return None
                if self.facts.clash(read, other, shared):
                    if at[s] < at[taker]:
                        return None
                    if overwritten is None:
                        overwritten = self.overwrites(loop, s, taker)
        if at[giver] < at[taker] and self.facts.clash(added, read, shared):
            return None
        return _Relay(giver, taker, bool(overwritten), index)

    def overwrites(self, loop: For, s: Stmt, taker: Load) -> bool:
        forms = self.facts.forms
        return (
            isinstance(s, Store)
            and s in loop.body.stmts
            and s.array is taker.array
            and all(forms.of(a).same(forms.of(b)) for a, b in zip(s.index, taker.index, strict=True))
        )

    def index(self, loop: For, giver: Accumulate | Load) -> list[Stmt] | None:
        """The statements of the body that compute the index; None if it takes more than arithmetic."""
        found = makers(loop.body.stmts, giver.index)
        reads = {*giver.index, *(x for s in found for x in operands(s))}
        plain = all(isinstance(s, Op | Dim) for s in found)
        return found if plain and reads.isdisjoint(loop.args) else None

    # -- the new loop
    def loop(self, stmt: For, found: list[_Relay]) -> None:
        args: list[Var] = []
        inits: list[Operand] = []
        for r in found:
            # -0.0 added to a number leaves it as it is, 0.0 changes the sign of a -0.0
            added = isinstance(r.giver, Accumulate)
            inits.append(const(-0.0, r.giver.value.type.dtype) if added else self.first(stmt, r))
            arg = self.names.fresh(r.giver.array.name, Scalar(r.giver.array.type.dtype))
            args.append(arg)
            self.takers[r.taker] = (r, arg)
            self.givers[r.giver] = arg
            self.carried[arg] = arg
        made = self.inner(stmt)
        assert isinstance(made, For)
        outs = [self.names.fresh(a.name, a.type) for a in args]
        self.out.append(
            replace(
                made,
                args=(*made.args, *args),
                inits=(*made.inits, *inits),
                body=Block(made.body.stmts, (*made.body.yields, *(self.carried[a] for a in args))),
                outs=(*made.outs, *outs),
                independent=False,
            )
        )
        for r, out in zip(found, outs, strict=True):
            if isinstance(r.giver, Accumulate):
                self.close(stmt, r, r.giver, out)

    def take(self, stmt: Load, r: _Relay, arg: Var) -> None:
        if isinstance(r.giver, Store):
            self.equate(stmt.out, arg)
            return
        old = self.names.fresh(stmt.out.name, stmt.out.type)
        self.out.append(replace(stmt, out=old))
        self.out.append(Op(stmt.out, "add", (old, arg), loc=stmt.loc))
        if not r.overwritten:
            self.out.append(Store(stmt.array, stmt.index, stmt.out, loc=stmt.loc))

    def place(
        self, loop: For, iv: Operand, needed: list[Stmt], array: Var, index: tuple[Operand, ...]
    ) -> tuple[Var, tuple[Operand, ...]]:
        """An element of the pass with a given loop variable, outside the loop."""
        mapping: dict[Var, Operand] = {loop.iv: iv}

        def known(x: Operand) -> Operand:
            return mapping[x] if isinstance(x, Var) and x in mapping else self.get(x)

        for s in needed:
            new = with_operands(s, known)
            assert isinstance(new, Op | Dim)
            out = self.names.fresh(new.out.name, new.out.type)
            mapping[new.out] = out
            self.out.append(replace(new, out=out))
        base = self.get(array)
        assert isinstance(base, Var)
        return base, tuple(known(i) for i in index)

    def first(self, loop: For, r: _Relay) -> Operand:
        """What the first pass, if there is one, finds in memory."""
        test = self.makes_a_pass(loop)
        kept, self.out = self.out, []
        array, index = self.place(loop, loop.lo, r.index, r.taker.array, r.taker.index)
        value = self.names.fresh(r.taker.out.name, r.taker.out.type)
        self.out.append(Load(value, array, index, loc=r.taker.loc))
        stmts, self.out = self.out, kept
        out = self.names.fresh(r.taker.out.name, r.taker.out.type)
        zero = const(0.0, out.type.dtype)
        self.out.append(If(test, Block(tuple(stmts), (value,)), Block((), (zero,)), (out,), loc=loop.loc))
        return out

    def close(self, loop: For, r: _Relay, giver: Accumulate, value: Var) -> None:
        """Add what the last pass handed on."""
        test = self.makes_a_pass(loop)
        kept, self.out = self.out, []
        last = self.op("sub", loop.hi, const(loop.step), hint="last", loc=loop.loc)
        array, index = self.place(loop, last, r.index, giver.array, giver.index)
        self.out.append(Accumulate(array, index, value, loc=giver.loc))
        stmts, self.out = self.out, kept
        self.out.append(If(test, Block(tuple(stmts)), Block(), (), loc=loop.loc))
