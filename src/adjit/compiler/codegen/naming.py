"""Python names for the variables of a core function: the one service that gives them.

Input: a core function, what is folded, and words that are taken. Output: a map from variable to identifier.
A value carried by a loop or joined by a branch shares one name with what it starts as and what it becomes,
wherever their lives do not overlap; other variables share a name only if they have the same hint and type
and are never alive together. Invariants: parameters keep names of their own; the result is the same in each
run. Non-goals: good names; hints are taken from the IR.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Iterator

from ..ir.nodes import For, Function, If, Operand, Var, While
from ..ir.types import Array
from ..ir.visitor import block_params, defined, walk
from .folding import Folded, anonymous
from .liveness import Interference

RESERVED = frozenset({*keyword.kwlist, *dir(builtins), "np", "math", "numba"})


def identifier(hint: str) -> str:
    """The hint as a Python identifier. A `_` of the user's, which nothing reads, may be read by the reverse
    sweep.

    >>> identifier("ct_x"), identifier("p.rate"), identifier("_")
    ('ct_x', 'p_rate', 'k')
    """
    cleaned = re.sub(r"\W", "_", hint) if hint != "_" else "k"
    if not cleaned or cleaned[0].isdigit():
        cleaned = "v" + cleaned
    if cleaned.startswith("__"):
        cleaned = "v" + cleaned
    return cleaned


class _Class:
    """Variables under one name."""

    def __init__(self, v: Var) -> None:
        self.members = [v]
        self.fixed = False
        self.loop_index = False

    @property
    def hint(self) -> str:
        for v in self.members:
            if not anonymous(v.name):
                return v.name
        return self.members[0].name

    @property
    def type(self) -> object:
        return self.members[0].type


def _pairs(fn: Function) -> Iterator[tuple[Var, Operand]]:
    """Variables that a loop or branch copies into each other, the tightest bonds first."""
    stmts = [s for s in walk(fn.body) if isinstance(s, For | While | If)]
    for stmt in stmts:
        if isinstance(stmt, For | While):
            yield from zip(stmt.args, stmt.outs, strict=True)
    for stmt in stmts:
        if isinstance(stmt, For | While):
            yield from zip(stmt.args, stmt.body.yields, strict=True)
    for stmt in stmts:
        if isinstance(stmt, If):
            yield from zip(stmt.outs, stmt.then.yields, strict=True)
            yield from zip(stmt.outs, stmt.orelse.yields, strict=True)
        else:
            yield from zip(stmt.args, stmt.inits, strict=True)


class _Naming:
    def __init__(self, fn: Function, folded: Folded, taken: Iterable[str]) -> None:
        self.fn = fn
        self.folded = folded
        self.edges = Interference(fn, folded).edges
        self.taken = {*RESERVED, *taken}
        self.of: dict[Var, _Class] = {}
        self.order: list[Var] = []

    def run(self) -> dict[Var, str]:
        self.collect()
        for a, b in _pairs(self.fn):
            if isinstance(b, Var) and b in self.of:
                self.merge(self.of[a], self.of[b])
        return self.assign()

    def add(self, v: Var) -> _Class:
        self.order.append(v)
        self.of[v] = _Class(v)
        return self.of[v]

    def collect(self) -> None:
        for v in self.fn.params:
            self.add(v).fixed = True
        for stmt in walk(self.fn.body):
            for v in block_params(stmt):
                self.add(v).loop_index = isinstance(stmt, For) and v is stmt.iv
            for v in defined(stmt):
                if v not in self.folded:
                    self.add(v)

    def merge(self, a: _Class, b: _Class) -> None:
        alike = a.type == b.type and a.loop_index == b.loop_index and not a.fixed and not b.fixed
        if a is b or not alike or self.clash(a, b) or _growing(a):
            return
        a.members.extend(b.members)
        for v in b.members:
            self.of[v] = a

    def clash(self, a: _Class, b: _Class) -> bool:
        small, large = sorted((a.members, b.members), key=len)
        inside = set(large)
        return any(not inside.isdisjoint(self.edges[v]) for v in small)

    def assign(self) -> dict[Var, str]:
        names: dict[Var, str] = {}
        holders: dict[str, list[_Class]] = {}
        for v in self.order:
            if v in names:
                continue
            found = self.of[v]
            name = self.name_for(found, holders)
            holders.setdefault(name, []).append(found)
            for member in found.members:
                names[member] = name
        return names

    def name_for(self, found: _Class, holders: dict[str, list[_Class]]) -> str:
        base = identifier(found.hint)
        name, k = base, 0
        while name in self.taken or not all(self.sharable(found, other) for other in holders.get(name, [])):
            k += 1
            name = f"{base}_{k}"
        return name

    def sharable(self, a: _Class, b: _Class) -> bool:
        if a.fixed or b.fixed or _growing(a) or a.type != b.type or a.loop_index != b.loop_index:
            return False
        return not self.clash(a, b)


def _growing(a: _Class) -> bool:
    return isinstance(a.type, Array) and a.type.growing


def name_variables(fn: Function, folded: Folded, taken: Iterable[str] = ()) -> dict[Var, str]:
    """A name for every variable of `fn` that is not folded."""
    return _Naming(fn, folded, taken).run()
