"""Which memory an array variable may refer to.

Input: a function. Output: for each array variable its *roots*: the parameters and allocations whose
memory it may be. Views and reshapes have the roots of their base; references carried by loops, chosen
by branches or left by loops have those of all that may flow into them. Parameters that may share memory
have the roots of their group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir.nodes import Alloc, For, Function, If, Operand, Reshape, Var, View, While
from ..ir.types import Array
from ..ir.visitor import walk

Roots = dict[Var, frozenset[Var]]


def flows(fn: Function) -> Iterator[tuple[Operand, Var]]:
    """Pairs (source, target) of array variables: the target may be what the source is."""
    for stmt in walk(fn.body):
        match stmt:
            case View(out=out, array=array) | Reshape(out=out, array=array):
                yield array, out
            case (
                For(args=args, inits=inits, body=body, outs=outs)
                | While(args=args, inits=inits, body=body, outs=outs)
            ):
                for a, i, y, o in zip(args, inits, body.yields, outs, strict=True):
                    if isinstance(a.type, Array):
                        yield from ((i, a), (y, a), (a, o))
            case If(then=then, orelse=orelse, outs=outs):
                for t, e, o in zip(then.yields, orelse.yields, outs, strict=True):
                    if isinstance(o.type, Array):
                        yield from ((t, o), (e, o))


def roots(fn: Function) -> Roots:
    """The roots of every array variable of the function."""
    sources = [p for p in fn.params if isinstance(p.type, Array)]
    sources += [s.out for s in walk(fn.body) if isinstance(s, Alloc)]
    found: dict[Var, frozenset[Var]] = {v: frozenset((v,)) for v in sources}
    for group in fn.shared:
        together = frozenset(fn.params[k] for k in group)
        found.update(dict.fromkeys(together, together))
    edges: dict[Operand, list[Var]] = {}
    for source, target in flows(fn):
        edges.setdefault(source, []).append(target)
    work = list(sources)
    while work:
        v = work.pop()
        for target in edges.get(v, ()):
            known = found.get(target, frozenset())
            merged = known | found[v]
            if merged != known:
                found[target] = merged
                work.append(target)
    return found


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


def whole(fn: Function) -> frozenset[Var]:
    """Array variables that are always all of one root, so that an index means the same element under any
    of their names.
    """
    partial: set[Operand] = {s.out for s in walk(fn.body) if isinstance(s, View | Reshape)}
    partial.update(fn.params[k] for group in fn.shared for k in group)
    edges: dict[Operand, list[Var]] = {}
    for source, target in flows(fn):
        edges.setdefault(source, []).append(target)
    work = list(partial)
    while work:
        for target in edges.get(work.pop(), ()):
            if target not in partial:
                partial.add(target)
                work.append(target)
    return frozenset(v for v in roots(fn) if v not in partial)
