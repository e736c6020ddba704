"""Scattered sums turned round: each element gathers what is added to it.

    for i in range(lo, hi):                  for k in range(lo - 1, hi + 1):
        ct_x[i - 1] += f(i)           =>         s = f(k + 1) if k + 1 is in range(lo, hi) else 0
        ct_x[i + 1] += g(i)                      s += g(k - 1) if k - 1 is in range(lo, hi) else 0
                                                 ct_x[k] += s

Input and output: core IR. The adjoint of a stencil adds to several neighbours, where threads meet;
gathered, no two do, the result does not depend on their order, and memory is passed over once. It is done
where each index of an accumulation is a loop variable plus a constant, all loops of the nest appear, and
what is added can be computed again from memory that the nest does not write, without costly functions.
(`passes.gather` does it for the CPU, with loops of their own for the rims; here threads test instead.)
Non-goals: indices read from memory, which need atomics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..analyses.dependence import Dependence
from ..ir.builder import const
from ..ir.nodes import Accumulate, Alloc, Block, Const, Dim, For, Function, If, Load, Op, Operand, Stmt, Var
from ..ir.types import BOOL, INT, Scalar, Type
from ..ir.visitor import all_defined, operands, walk, with_blocks
from ..ops.core import TABLE
from ..passes.clone import clone, mapped
from ..passes.rewrite import Rewriter
from . import grid
from .first import margins
from .placement import Placement

MOST = 12  # accumulations into one array
MARGIN = 16  # elements on either side that a nest may leave out for a gathering one to run over all


def gather(fn: Function) -> Function:
    """Turn scattered sums round, where that is possible."""
    return _Gathering(fn).run()


@dataclass(frozen=True)
class _Scatter:
    """An accumulation: per axis of the array the loop and the constant, or the operand itself; what its value
    is made of.
    """

    stmt: Accumulate
    axes: tuple[tuple[Var | None, Operand | int], ...]
    slice: tuple[Stmt, ...]

    def offsets(self) -> dict[Var, int]:
        return {iv: c for iv, c in self.axes if iv is not None and isinstance(c, int)}


@dataclass(frozen=True)
class _Axis:
    """The length of an axis, and how many indices of it the loop leaves out on either side."""

    length: Operand
    before: int
    behind: int


_Whole = dict[Var, _Axis]


class _Gathering(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.facts = Dependence.about(fn)
        self.place = Placement(self.facts)
        self.maker = self.facts.definitions.maker

    def visit(self, stmt: Stmt) -> None:
        if not isinstance(stmt, For) or not self.place.worthwhile(stmt):
            super().visit(stmt)
            return
        loops = self.place.nest(stmt)
        groups = self.groups(loops)
        taken = {s.stmt for group in groups for s in group}
        self.out.append(_without(stmt, taken) if taken else stmt)
        for group in groups:
            self.gathered(loops, group)

    # -- what can be turned round
    def groups(self, loops: tuple[For, ...]) -> list[list[_Scatter]]:
        """Accumulations to be turned round, by array."""
        contended = grid.contended(self.facts, loops)
        outer = loops[0]
        inside = {outer.iv, *outer.args, *all_defined(outer.body)}
        bounded = all(x not in inside for loop in loops for x in (loop.lo, loop.hi) if isinstance(x, Var))
        if not contended or not bounded or any(loop.step != 1 for loop in loops):
            return []
        body = loops[-1].body.stmts
        arrays = dict.fromkeys(s.array for s in body if s in contended and isinstance(s, Accumulate))
        found = []
        for array in arrays:
            group = self.group(loops, array, inside)
            if group is not None:
                found.append(group)
        return found

    def group(self, loops: tuple[For, ...], array: Var, inside: set[Var]) -> list[_Scatter] | None:
        roots = self.facts.roots[array]
        sums: list[Accumulate] = []
        written: set[Var] = set()
        for s in walk(loops[0].body):
            for access in self.facts.accesses(s):
                shared = self.facts.roots[access.array]
                if isinstance(s, Accumulate) and s.array is array:
                    sums.append(s)
                elif not shared.isdisjoint(roots):
                    return None
                if access.write:
                    written |= shared
        body = loops[-1].body.stmts
        if not 1 < len(sums) <= MOST or any(s not in body for s in sums):
            return None
        made = [self.scatter(loops, s, written, inside) for s in sums]
        scatters = [m for m in made if m is not None]
        if len(scatters) < len(sums) or any(not _alike(scatters[0], s) for s in scatters):
            return None
        return scatters

    def scatter(
        self, loops: tuple[For, ...], stmt: Accumulate, written: set[Var], inside: set[Var]
    ) -> _Scatter | None:
        axes: list[tuple[Var | None, Operand | int]] = []
        for x in stmt.index:
            iv, c = self.offset(x)
            if iv is None and (not isinstance(x, Var) or x not in inside):
                axes.append((None, x))
            elif any(loop.iv is iv for loop in loops):
                axes.append((iv, c))
            else:
                return None
        used = [iv for iv, _ in axes if iv is not None]
        if len(used) != len(loops) or len(set(used)) < len(used):
            return None
        parts = self.slice(stmt.value, inside, {loop.iv for loop in loops}, written)
        return None if parts is None else _Scatter(stmt, tuple(axes), tuple(parts))

    def offset(self, x: Operand) -> tuple[Var | None, int]:
        """A loop variable plus a constant."""
        if not isinstance(x, Var):
            return None, 0
        stmt = self.maker.get(x)
        if isinstance(stmt, For) and x is stmt.iv:
            return x, 0
        if isinstance(stmt, Op) and stmt.op in ("add", "sub"):
            a, b = stmt.args
            if isinstance(b, Const) and isinstance(b.value, int):
                iv, c = self.offset(a)
                return iv, c + b.value if stmt.op == "add" else c - b.value
            if isinstance(a, Const) and isinstance(a.value, int) and stmt.op == "add":
                iv, c = self.offset(b)
                return iv, c + a.value
        return None, 0

    def slice(self, value: Operand, inside: set[Var], ivs: set[Var], written: set[Var]) -> list[Stmt] | None:
        """The statements that compute a value in a pass, in order; None if they cannot run again."""
        found: dict[Stmt, None] = {}

        def visit(x: Operand) -> bool:
            if not isinstance(x, Var) or x not in inside or x in ivs:
                return True
            stmt = self.maker.get(x)
            if stmt in found:
                return True
            match stmt:
                case Op(op=op) if TABLE[op].expensive:
                    return False
                case Load(array=array) if not self.facts.roots[array].isdisjoint(written):
                    return False
                case Op() | Load() | Dim():
                    if not all(visit(y) for y in operands(stmt)):
                        return False
                    found[stmt] = None
                    return True
                case _:
                    return False

        return list(found) if visit(value) else None

    # -- the gathering nest
    def emit(self, name: str, *args: Operand, type_: Type) -> Var:
        out = self.names.fresh("t", type_)
        self.out.append(Op(out, name, args))
        return out

    def shifted(self, x: Operand, c: int) -> Operand:
        if c == 0:
            return x
        if isinstance(x, Const):
            return const(int(x.value) + c)
        return self.emit("add" if c > 0 else "sub", x, const(abs(c)), type_=INT)

    def gathered(self, loops: tuple[For, ...], group: Sequence[_Scatter]) -> None:
        whole = self.whole(loops, group[0])
        ranges: list[tuple[Operand, Operand]] = []
        for loop in loops:
            offsets = [s.offsets()[loop.iv] for s in group]
            if whole is not None:
                ranges.append((const(0), whole[loop.iv].length))
            else:
                ranges.append((self.shifted(loop.lo, min(offsets)), self.shifted(loop.hi, max(offsets))))
        ivs = {loop.iv: self.names.fresh(loop.iv.name, INT) for loop in loops}
        kept, self.out = self.out, []
        self.element(loops, group, ivs, whole)
        body, self.out = Block(tuple(self.out)), kept
        for loop, (lo, hi) in zip(reversed(loops), reversed(ranges), strict=True):
            made = For(ivs[loop.iv], lo, hi, 1, (), (), body, (), independent=True, loc=group[0].stmt.loc)
            body = Block((made,))
        self.out += body.stmts

    def element(
        self, loops: tuple[For, ...], group: Sequence[_Scatter], ivs: dict[Var, Var], whole: _Whole | None
    ) -> None:
        """What one element gathers."""
        first = group[0].stmt
        kind = first.array.type.dtype
        total: Operand | None = None
        reached: Operand | None = None
        for s in group:
            places = {iv: self.shifted(ivs[iv], -c) for iv, c in s.offsets().items()}
            holds = self.holds(loops, group, s, places, whole)
            value = self.value(s, places, holds, kind)
            total = value if total is None else self.emit("add", total, value, type_=Scalar(kind))
            reached = holds if reached is None else self.emit("or", reached, holds, type_=BOOL)
        assert total is not None and reached is not None
        index = tuple(ivs[iv] if iv is not None else x for iv, x in group[0].axes)
        add = Accumulate(first.array, index, total, loc=first.loc)  # type: ignore[arg-type]
        if whole is not None:
            self.out.append(add)
            return
        self.out.append(If(reached, Block((add,)), Block(), (), loc=first.loc))

    def whole(self, loops: tuple[For, ...], first: _Scatter) -> _Whole | None:
        """The lengths by loop variable, if the loops reach all of the array but its margins: then the new
        nest runs over all of it, so that it can be the first to fill the array.
        """
        alloc = self.maker.get(first.stmt.array)
        if not isinstance(alloc, Alloc):
            return None
        by_iv = {loop.iv: loop for loop in loops}
        found: _Whole = {}
        for (iv, _), n in zip(first.axes, alloc.shape, strict=True):
            if iv is None:
                return None
            left = margins(self.facts, by_iv[iv].lo, by_iv[iv].hi, n)
            if left is None or max(map(abs, left)) > MARGIN:
                return None
            found[iv] = _Axis(n, *left)
        return found

    def holds(
        self,
        loops: tuple[For, ...],
        group: Sequence[_Scatter],
        s: _Scatter,
        places: dict[Var, Operand],
        whole: _Whole | None,
    ) -> Operand:
        """Whether the original loops make that pass; what the bounds of the new ones imply is left out."""
        found: Operand = const(True)
        for loop in loops:
            offsets = [o.offsets()[loop.iv] for o in group]
            own, at = s.offsets()[loop.iv], places[loop.iv]
            if whole is None:
                low, high = own > min(offsets), own < max(offsets)
            else:
                low, high = own > -whole[loop.iv].before, own < whole[loop.iv].behind
            for wanted, op, bound in ((low, "ge", loop.lo), (high, "lt", loop.hi)):
                if wanted:
                    test = self.emit(op, at, bound, type_=BOOL)
                    found = test if isinstance(found, Const) else self.emit("and", found, test, type_=BOOL)
        return found

    def value(self, s: _Scatter, places: dict[Var, Operand], holds: Operand, kind: str) -> Operand:
        mapping: dict[Var, Operand] = dict(places)
        parts = clone(s.slice, mapping, self.names)
        if isinstance(holds, Const):
            self.out += parts
            return mapped(s.stmt.value, mapping)
        out = self.names.fresh(s.stmt.array.name, Scalar(kind))
        then = Block(tuple(parts), (mapped(s.stmt.value, mapping),))
        self.out.append(If(holds, then, Block((), (const(0, kind),)), (out,), loc=s.stmt.loc))
        return out


def _alike(a: _Scatter, b: _Scatter) -> bool:
    """Whether the axes of two accumulations go with the same loops."""
    return all(
        iv is jv and (iv is not None or x is y or x == y)
        for (iv, x), (jv, y) in zip(a.axes, b.axes, strict=True)
    )


def _without(stmt: For, taken: set[Accumulate]) -> For:
    def thin(block: Block) -> Block:
        return Block(tuple(with_blocks(s, thin) for s in block.stmts if s not in taken), block.yields)

    return replace(stmt, body=thin(stmt.body))
