"""Which memory an array variable may refer to.

Input: a function. Output: for each array variable its *roots*: the parameters and allocations whose
memory it may be. Views and reshapes have the roots of their base; references carried by loops, chosen
by branches or left by loops have those of all that may flow into them. Parameters that may share memory
have the roots of their group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from ..ir.nodes import Alloc, For, Function, If, Operand, Reshape, Stmt, Var, View, While
from ..ir.types import Array
from ..ir.visitor import walk
from .memory import Table

Roots = Mapping[Var, frozenset[Var]]


class Aliases(Table):
    """`roots` of each array variable; `whole`, those that are always all of one root, so that an index means
    the same element under any of their names.
    """

    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.edges: dict[Operand, list[Var]] = {}  # from a source to what may be what it is
        self.made: list[Var] = []
        self.parts: list[Var] = []
        for stmt in walk(fn.body):
            self._note(stmt)
        self.roots = self._roots()

    def _note(self, stmt: Stmt) -> None:
        match stmt:
            case Alloc(out=out):
                self.made.append(out)
            case View(out=out, array=array) | Reshape(out=out, array=array):
                self.parts.append(out)
                self._flows(array, out)
            case (
                For(args=args, inits=inits, body=body, outs=outs)
                | While(args=args, inits=inits, body=body, outs=outs)
            ):
                for a, i, y, o in zip(args, inits, body.yields, outs, strict=True):
                    if isinstance(a.type, Array):
                        self._flows(i, a)
                        self._flows(y, a)
                        self._flows(a, o)
            case If(then=then, orelse=orelse, outs=outs):
                for t, e, o in zip(then.yields, orelse.yields, outs, strict=True):
                    if isinstance(o.type, Array):
                        self._flows(t, o)
                        self._flows(e, o)

    def _flows(self, source: Operand, target: Var) -> None:
        self.edges.setdefault(source, []).append(target)

    def _roots(self) -> Roots:
        fn = self.fn
        work = [*(p for p in fn.params if isinstance(p.type, Array)), *self.made]
        found: dict[Var, frozenset[Var]] = {v: frozenset((v,)) for v in work}
        for group in fn.shared:
            together = frozenset(fn.params[k] for k in group)
            found.update(dict.fromkeys(together, together))
        while work:
            v = work.pop()
            for target in self.edges.get(v, ()):
                known = found.get(target, frozenset())
                merged = known | found[v]
                if merged != known:
                    found[target] = merged
                    work.append(target)
        return found

    @cached_property
    def whole(self) -> frozenset[Var]:
        work: list[Var] = [*self.parts, *(self.fn.params[k] for group in self.fn.shared for k in group)]
        partial = set(work)
        while work:
            for target in self.edges.get(work.pop(), ()):
                if target not in partial:
                    partial.add(target)
                    work.append(target)
        return frozenset(v for v in self.roots if v not in partial)


def roots(fn: Function) -> Roots:
    """The roots of every array variable of the function."""
    return Aliases.about(fn).roots


def sharing(fn: Function, arrays: Sequence[Operand]) -> tuple[tuple[int, ...], ...]:
    """Groups of arrays, by position, that may be the same memory."""
    memory = roots(fn)
    groups: list[tuple[set[int], frozenset[Var]]] = []
    for k, a in enumerate(arrays):
        if not isinstance(a, Var) or not isinstance(a.type, Array):
            continue
        members, reach = {k}, memory[a]
        for group in [g for g in groups if not g[1].isdisjoint(reach)]:
            groups.remove(group)
            members, reach = members | group[0], reach | group[1]
        groups.append((members, reach))
    return tuple(tuple(sorted(members)) for members, _ in groups if len(members) > 1)
