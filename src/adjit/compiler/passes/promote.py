"""Array elements that a loop updates in place become carried scalars.

    for k in range(n): y[i] += a[k]       =>      s = y[i]
                                                  for k in range(n): s = s + a[k]
                                                  y[i] = s

Input and output: core IR. The element's index must not change in the loop, and no other access in the
loop may meet it. Sums are added in the same order as before. The load and the store must be in range
even if the loop makes no pass: the element is accessed beside the loop anyway, or its index is proved,
or (`guarded`) both stand under the condition that there is a pass. Non-goal: elements that one pass
hands to the next.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..analyses.affine import Affine
from ..analyses.definitions import Loop
from ..analyses.dependence import Access, Dependence
from ..ir.builder import const
from ..ir.nodes import (
    Accumulate,
    Block,
    Bounds,
    Check,
    For,
    Function,
    If,
    Load,
    Op,
    Operand,
    Stmt,
    Store,
    Var,
    While,
)
from ..ir.types import Scalar, grows, is_float
from ..ir.visitor import blocks, walk
from .rewrite import Rewriter

Element = tuple[Var, tuple[object, ...]]


def promote(fn: Function, *, guarded: bool = False) -> Function:
    """Keep elements in scalars while a loop works on them."""
    return _Promoting(fn, guarded).run()


@dataclass(eq=False)
class _Candidate:
    array: Var
    index: tuple[Operand, ...]
    access: Access
    stmts: set[Stmt]
    safe: bool  # may be loaded though the loop makes no pass
    value: Operand | None = None
    changed: bool = False


class _Promoting(Rewriter):
    def __init__(self, fn: Function, guarded: bool) -> None:
        super().__init__(fn)
        self.facts = Dependence.about(fn)
        self.guarded = guarded
        self.active: dict[Stmt, _Candidate] = {}
        self.open: list[_Candidate] = []
        self.siblings: list[tuple[Stmt, ...]] = []

    # -- names of elements
    def key(self, stmt: Stmt) -> Element | None:
        if not isinstance(stmt, Load | Store | Accumulate) or grows(stmt.array.type):
            return None
        return stmt.array, tuple(self.facts.forms.of(i).key() for i in stmt.index)

    def candidates(self, loop: Loop) -> list[_Candidate]:
        depth = len(self.facts.definitions.place[loop].loops)
        groups: dict[Element, list[Stmt]] = {}
        inside = (
            list(walk(loop.body)) if not isinstance(loop, While) else [*walk(loop.cond), *walk(loop.body)]
        )
        for s in inside:
            k = self.key(s)
            if k is not None and s not in self.active and self.invariant(s, depth):
                groups.setdefault(k, []).append(s)
        found: list[_Candidate] = []
        for members in groups.values():
            if any(isinstance(s, Store | Accumulate) for s in members) and len(found) < 8:
                made = self.candidate(loop, members, inside, depth)
                if made is not None:
                    found.append(made)
        return found

    def invariant(self, s: Stmt, depth: int) -> bool:
        assert isinstance(s, Load | Store | Accumulate)
        scope = self.facts.definitions.scope
        return all(len(scope[v]) <= depth for v in (s.array, *s.index) if isinstance(v, Var))

    def candidate(self, loop: Loop, members: list[Stmt], inside: list[Stmt], depth: int) -> _Candidate | None:
        access = self.facts.accesses(members[0])[0]
        own = set(members)
        for s in inside:
            if s not in own and any(self.facts.clash(access, a, depth) for a in self.facts.accesses(s)):
                return None
        checked = any(isinstance(s, Bounds | Check) for s in inside)
        safe = self.in_range(loop, access) or self.beside(loop, members[0], checked)
        body = set(loop.body.stmts)
        certain = not isinstance(loop, While) and any(s in body for s in members)
        if not safe and (checked or not certain or not self.guarded):
            return None
        first = members[0]
        assert isinstance(first, Load | Store | Accumulate)
        return _Candidate(first.array, first.index, access, own, safe)

    def beside(self, loop: Loop, member: Stmt, checked: bool) -> bool:
        """Whether the block of the loop accesses the element in any case: before it, or after it with no
        check between.
        """
        before = True
        for s in self.siblings[-1]:
            if s is loop:
                before = False
            elif self.key(s) == self.key(member):
                return before or not checked
            elif not before and any(
                isinstance(x, Bounds | Check) for x in (s, *(x for b in blocks(s) for x in walk(b)))
            ):
                return False
        return False

    def in_range(self, loop: Loop, access: Access) -> bool:
        array, index = access.levels[0]
        place = self.facts.definitions.place[loop]
        for axis, form in enumerate(index):
            assert isinstance(form, Affine)
            room = (self.facts.forms.dim(array, axis) - form).shifted(-1)
            if not all(self.facts.ranges.proves_in(place.loops, place.guard, f) for f in (form, room)):
                return False
        return True

    # -- the walk
    def block(self, block: Block) -> Block:
        self.siblings.append(block.stmts)
        made = super().block(block)
        self.siblings.pop()
        return made

    def visit(self, stmt: Stmt) -> None:
        original = self.original
        assert original is not None
        found = self.active.get(original)
        if found is not None:
            self.access(stmt, found)
        elif isinstance(stmt, For | While) and isinstance(original, For | While):
            self.loop(stmt, original)
        elif (
            isinstance(stmt, If)
            and isinstance(original, If)
            and any(s in self.active for b in blocks(original) for s in walk(b))
        ):
            self.branch(stmt, original)
        else:
            super().visit(stmt)

    def access(self, stmt: Stmt, c: _Candidate) -> None:
        assert c.value is not None
        match stmt:
            case Load(out=out):
                self.equate(out, c.value)
            case Store(value=value):
                c.value = value
            case Accumulate(value=value, array=array):
                out = self.names.fresh(array.name, Scalar(array.type.dtype))
                self.out.append(Op(out, "add", (c.value, value), loc=stmt.loc))
                c.value = out

    def used(self, stmt: Stmt) -> list[_Candidate]:
        """The open elements that the blocks of a statement access."""
        inside = {self.active[s] for b in blocks(stmt) for s in walk(b) if s in self.active}
        return [c for c in self.open if c in inside]

    def loop(self, stmt: For | While, original: For | While) -> None:
        new = self.candidates(original)
        for c in new:
            self.enter(c, stmt, original)
        threaded = self.used(original)
        if not threaded:
            super().visit(stmt)
            return
        args = [self.names.fresh(c.array.name, Scalar(c.array.type.dtype)) for c in threaded]
        inits = [c.value for c in threaded]
        for c, a in zip(threaded, args, strict=True):
            c.value = a
        made = self.inner(stmt)
        assert isinstance(made, For | While)
        yields = [c.value for c in threaded]
        outs = [self.names.fresh(c.array.name, Scalar(c.array.type.dtype)) for c in threaded]
        for c, o in zip(threaded, outs, strict=True):
            c.value = o
        body = Block(made.body.stmts, (*made.body.yields, *yields))  # type: ignore[arg-type]
        self.out.append(
            replace(
                made,
                args=(*made.args, *args),
                inits=(*made.inits, *inits),  # type: ignore[arg-type]
                outs=(*made.outs, *outs),
                body=body,
            )
        )
        for c in reversed(new):
            self.leave(c, stmt)

    def enter(self, c: _Candidate, stmt: For | While, original: For | While) -> None:
        self.active.update(dict.fromkeys(c.stmts, c))
        self.open.append(c)
        array, index = self.array_of(c.array), tuple(self.get(i) for i in c.index)
        out = self.names.fresh(c.array.name, Scalar(c.array.type.dtype))
        if c.safe:
            self.out.append(Load(out, array, index, loc=stmt.loc))
            c.value = out
            return
        inner = self.names.fresh(out.name, out.type)
        zero = const(0.0 if is_float(out.type) else 0, out.type.dtype)
        then = Block((Load(inner, array, index, loc=stmt.loc),), (inner,))
        assert isinstance(stmt, For)
        self.out.append(If(self.makes_a_pass(stmt), then, Block((), (zero,)), (out,), loc=stmt.loc))
        c.value = out

    def leave(self, c: _Candidate, stmt: For | While) -> None:
        self.open.remove(c)
        for s in c.stmts:
            del self.active[s]
        assert c.value is not None
        array, index = self.array_of(c.array), tuple(self.get(i) for i in c.index)
        store = Store(array, index, c.value, loc=stmt.loc)
        if c.safe:
            self.out.append(store)
        else:
            assert isinstance(stmt, For)
            self.out.append(If(self.makes_a_pass(stmt), Block((store,)), Block(), (), loc=stmt.loc))

    def branch(self, stmt: If, original: If) -> None:
        threaded = self.used(original)
        before = [c.value for c in threaded]
        sides = []
        for block in (stmt.then, stmt.orelse):
            for c, v in zip(threaded, before, strict=True):
                c.value = v
            inner = self.block(block)
            sides.append(Block(inner.stmts, (*inner.yields, *(c.value for c in threaded))))  # type: ignore[arg-type]
        outs = [self.names.fresh(c.array.name, Scalar(c.array.type.dtype)) for c in threaded]
        for c, o in zip(threaded, outs, strict=True):
            c.value = o
        self.out.append(replace(stmt, then=sides[0], orelse=sides[1], outs=(*stmt.outs, *outs)))
