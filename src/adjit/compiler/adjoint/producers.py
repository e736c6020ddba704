"""Arrays that a nest fills from what still stands: their contents are computed again rather than saved.

    for i in range(n):                                        for i in range(n):
        for j in range(d): c[i, j] = x[i, j] - m[k, j]            for j in range(d):
    gemm(y, c, w)                                         =>          again[i, j] = x[i, j] - m[k, j]
                                                              gemm(ct_w, again.T, ct_y)

Input: a function and its recipes, a statement that reads an array. Output: the nest that has filled all of
the array before, if it is cheap and reads only numbers and elements that are not written any more. In one
pass of the loops around both, so that an array that each pass fills anew counts too. Non-goals: nests that
carry values, views, contents that several statements write.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..analyses.effects import writes
from ..ir.nodes import Alloc, Block, For, Load, Op, Operand, Stmt, Store, Var, While
from ..ir.types import grows
from ..ir.visitor import int_const, operands, walk
from ..ops import TABLE

if TYPE_CHECKING:
    from .recipes import Recipes

MOST_LOADS = 3  # reading more than that again costs more than reading what was saved


@dataclass(frozen=True, eq=False)
class Producer:
    """`nest` stores `value`, computed by `steps`, at its loop variables `ivs`, which cover the whole
    array.
    """

    nest: For
    ivs: tuple[Var, ...]
    steps: tuple[Op | Load, ...]
    value: Operand

    def outside(self) -> tuple[Var, ...]:
        """Variables from outside the nest that are read."""
        own = {*self.ivs, *(s.out for s in self.steps)}
        read = (x for s in self.steps for x in operands(s))
        return tuple(dict.fromkeys(x for x in (*read, self.value) if isinstance(x, Var) and x not in own))


class Producers:
    def __init__(self, recipes: Recipes) -> None:
        self.recipes, self.place, self.facts = recipes, recipes.place, recipes.dependence
        self.found: dict[tuple[For, Var], Producer | None] = {}

    def of(self, stmt: Stmt, array: Var) -> Producer | None:
        """What made the contents of `array` that `stmt` reads."""
        made = self.place.definition.get(array)
        if not isinstance(made, Alloc) or grows(array.type) or not self.facts.has_one_name(array):
            return None
        block = self.place.block_with[stmt]
        while True:
            before = block.stmts[: block.stmts.index(stmt)]
            last = next((s for s in reversed(before) if s is made or _may_write(s, array)), None)
            if last is not None or block is self.place.top:
                break
            stmt = self.place.owner[block]
            if isinstance(stmt, For | While) and self.facts.written_within(stmt, array):
                return None
            block = self.place.block_with[stmt]
        if not isinstance(last, For):
            return None
        if (last, array) not in self.found:
            self.found[last, array] = self._producer(last, made)
        return self.found[last, array]

    def _producer(self, nest: For, made: Alloc) -> Producer | None:
        ivs: list[Var] = []
        steps: list[Op | Load] = []
        stmt: Stmt = nest
        while isinstance(stmt, For) and stmt.stop is None and not stmt.args and stmt.body.stmts:
            if len(ivs) == len(made.shape) or int_const(stmt.lo) != 0 or stmt.step != 1:
                return None
            if not self._same(stmt.hi, made.shape[len(ivs)]):
                return None
            ivs.append(stmt.iv)
            *before, stmt = stmt.body.stmts
            for s in before:
                if not isinstance(s, Op | Load) or not self._again(s):
                    return None
                steps.append(s)
        loads = sum(isinstance(s, Load) for s in steps)
        if not isinstance(stmt, Store) or stmt.array is not made.out or stmt.index != tuple(ivs):
            return None
        return Producer(nest, tuple(ivs), tuple(steps), stmt.value) if loads <= MOST_LOADS else None

    def _same(self, a: Operand, b: Operand) -> bool:
        return self.facts.forms.of(a).same(self.facts.forms.of(b))

    def _again(self, stmt: Op | Load) -> bool:
        if isinstance(stmt, Op):
            return not TABLE[stmt.op].expensive
        return self.facts.element_survives(stmt) and self.recipes.reference(stmt.array) is not None


def _may_write(stmt: Stmt, array: Var) -> bool:
    return any(array in writes(s) for s in walk(Block((stmt,))))
