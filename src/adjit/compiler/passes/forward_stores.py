"""Loads whose value is known: stored, or loaded before, and not overwritten since.

    a[i] = x; y = a[i]; z = a[i]      =>      a[i] = x          (y and z are x)

Input and output: core IR. Elements are compared by linear forms of their indices. A write forgets the
elements that it may hit: those of arrays that may share its memory, unless an index differs by a
nonzero constant. At the entry of a loop all that the loop may write is forgotten; after a branch, all
that either side may write. Non-goal: values carried from one pass to the next.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..analyses.dependence import Access, Dependence
from ..analyses.effects import writes
from ..ir.nodes import (
    Accumulate,
    Alloc,
    Block,
    Call,
    Const,
    For,
    Function,
    If,
    Load,
    Mark,
    Operand,
    Stmt,
    Store,
    Var,
    While,
)
from ..ir.types import Array, grows
from ..ir.visitor import blocks, walk
from .rewrite import Rewriter

EVERY = 1 << 20  # both elements are those of the current pass of every loop

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Element:
    """The value of one element; `array` is the base of the views through which it was reached, `access`
    how it became known.
    """

    array: Var
    index: tuple[object, ...]  # linear forms
    value: Operand
    access: Access


def forward_stores(fn: Function) -> Function:
    """Replace loads by the values that are known to stand there."""
    return _Forwarding(fn).run()


class _Forwarding(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence(fn)
        self.known: dict[Key, _Element] = {}
        self.zeros: set[Var] = set()  # 0-d arrays of this block, zero so far

    # -- names of elements
    def element(self, array: Var, index: tuple[Operand, ...]) -> tuple[Key, Var, tuple[object, ...]] | None:
        levels = self.facts.forms.element(array, [self.facts.forms.of(i) for i in index])
        base, forms = levels[-1]
        if any(f is None for f in forms):
            return None
        return (base, *(f.key() for f in forms if f is not None)), base, forms

    def forget(self, array: Var, forms: tuple[object, ...] | None, write: Access | None = None) -> None:
        """A write through `array` (a base); without forms, anywhere."""
        roots = self.facts.roots[array]
        self.zeros -= roots
        for key, e in list(self.known.items()):
            if roots.isdisjoint(self.facts.roots[e.array]) or self.apart(array, forms, e, write):
                continue
            del self.known[key]

    def apart(self, array: Var, forms: tuple[object, ...] | None, e: _Element, write: Access | None) -> bool:
        """Whether the two elements differ for sure, in the current pass of all loops."""
        if array is not e.array and not self.facts.may_alias(array, e.array, EVERY):
            return True
        whole = self.facts.whole
        if forms is None or not (array is e.array or (array in whole and e.array in whole)):
            return False
        differences = ((a - b).constant for a, b in zip(forms, e.index, strict=True))  # type: ignore[operator]
        if any(d for d in differences):
            return True
        return write is not None and not self.facts.clash(e.access, write, EVERY)

    # -- statements
    @staticmethod
    def is_zero(e: _Element | None) -> bool:
        return e is not None and isinstance(e.value, Const) and e.value.value == 0

    def learn(
        self, named: tuple[Key, Var, tuple[object, ...]] | None, value: Operand, access: Access
    ) -> None:
        if named:
            self.known[named[0]] = _Element(named[1], named[2], value, access)

    def visit(self, stmt: Stmt) -> None:
        original = self.original
        match stmt:
            case Load(out=out, array=array, index=index):
                named = self.element(array, index)
                found = self.known.get(named[0]) if named else None
                if found is not None:
                    self.equate(out, found.value)
                    return
                self.learn(named, out, self.facts.accesses(original)[0])  # type: ignore[arg-type]
            case Store(array=array, index=index, value=value):
                named = self.element(array, index)
                base = self.facts.origin(array)
                if named:
                    same = self.known.get(named[0])
                    if same is not None and same.value is value and not grows(array.type):
                        return
                access = self.facts.accesses(original)[0]  # type: ignore[arg-type]
                self.forget(named[1] if named else base, named[2] if named else None, access)
                self.learn(named, value, access)
            case Accumulate(array=array, index=index, value=value):
                named = self.element(array, index)
                access = self.facts.accesses(original)[0]  # type: ignore[arg-type]
                known = self.known.get(named[0]) if named and not grows(array.type) else None
                zero = self.is_zero(known) or array in self.zeros
                self.forget(
                    named[1] if named else self.facts.origin(array), named[2] if named else None, access
                )
                if zero:  # what is added to nothing is stored
                    self.learn(named, value, access)
                    self.out.append(Store(array, index, value, loc=stmt.loc))
                    return
                if known is not None and not index:  # a number, as far as the block goes
                    total = self.op("add", known.value, value, hint=array.name, loc=stmt.loc)
                    self.learn(named, total, access)
                    self.out.append(Store(array, index, total, loc=stmt.loc))
                    return
            case Call():
                for array in writes(stmt):
                    self.forget(self.facts.origin(array), None)
            case Alloc(out=out, shape=shape, zeroed=zeroed):
                self.forget(out, None)
                if zeroed and not shape and not grows(out.type):
                    self.zeros.add(out)
            case Mark(value=Var() as value) if isinstance(value.type, Array):  # reads behind it are its uses
                self.forget_roots(self.facts.roots[value])
        super().visit(stmt)

    def block(self, block: Block) -> Block:
        kept, zeros = dict(self.known), self.zeros
        self.zeros = set()
        made = super().block(block)
        self.known, self.zeros = kept, zeros
        return made

    def inner(self, stmt: Stmt) -> Stmt:
        if not blocks(stmt):
            return stmt
        if isinstance(stmt, For | While):
            self.forget_roots(self.writes_of(stmt))
        new = super().inner(stmt)
        if isinstance(stmt, If):
            self.forget_roots(self.writes_of(stmt))
        return new

    def forget_roots(self, roots: frozenset[Var]) -> None:
        self.zeros -= roots
        for key, e in list(self.known.items()):
            if not roots.isdisjoint(self.facts.roots[e.array]):
                del self.known[key]

    def writes_of(self, stmt: Stmt) -> frozenset[Var]:
        """The roots that a control statement may write; those that it allocates count as written."""
        arrays = [
            a
            for b in blocks(stmt)
            for s in walk(b)
            for a in (*writes(s), *((s.out,) if isinstance(s, Alloc) else ()))
        ]
        return frozenset(r for a in arrays for r in self.facts.roots[a])
