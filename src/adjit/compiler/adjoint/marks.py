"""Where the gradients at intermediates are collected that are bound inside loops and branches.

Input: a core function, its placement, the names asked for. Output: for each name the marks that count, and
the box of loops around them: their cotangents go to an array with one entry per pass. Of several bindings
of a name the last one counts; bindings on the two sides of a branch count both. Invariants: what cannot be
given a fixed place is refused. Non-goals: marks of the outermost block, which have one value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import NotDifferentiableError
from ..ir.builder import Builder
from ..ir.nodes import Alloc, Block, Const, For, Function, If, Mark, Operand, Reshape, Stmt, Var, View, While
from ..ir.types import Array
from ..ir.visitor import walk
from .copying import shape_of
from .placement import Placement
from .storage import Lookup, passed, trips, whole_box


@dataclass(frozen=True)
class Collected:
    """`first` is the statement of the outermost block that holds the marks."""

    name: str
    marks: tuple[Mark, ...]
    box: tuple[For, ...]
    first: Stmt


def nested(fn: Function) -> bool:
    """Whether a mark lies inside a loop or branch."""
    top = set(fn.body.stmts)
    return any(isinstance(s, Mark) and s not in top for s in walk(fn.body))


def collected(fn: Function, place: Placement, names: Sequence[str]) -> dict[str, Collected]:
    """The names whose marks lie in loops or branches."""
    found: dict[str, Collected] = {}
    for name in names:
        marks = [s for s in walk(fn.body) if isinstance(s, Mark) and s.name == name]
        if marks and place.block_with[marks[-1]] is not place.top:
            found[name] = _Finder(place, name, marks).find()
    return found


class _Finder:
    def __init__(self, place: Placement, name: str, marks: list[Mark]) -> None:
        self.place, self.name, self.marks = place, name, marks

    def around(self, mark: Mark) -> list[Stmt]:
        """The loops and branches around a mark, outermost first."""
        blocks = self.place.outwards(self.place.block_with[mark])
        return [self.place.owner[b] for b in reversed(blocks) if b is not self.place.top]

    def find(self) -> Collected:
        last = self.marks[-1]
        owners = self.around(last)
        loops = [s for s in owners if isinstance(s, For | While)]
        chosen = [m for m in self.marks if m is last or self.exclusive(m, last)]
        for m in self.marks:
            if m not in chosen and self.conditional(last, m):
                raise self.refused(last, "is bound before a branch and in it")
        for s in loops:
            if isinstance(s, While) or s.stop is not None:
                raise self.refused(s, "is bound in a loop whose number of passes only a run can tell")
        box = whole_box(self.place, tuple(s for s in loops if isinstance(s, For)))
        if not all(self.known(x) for s in box for x in (s.lo, s.hi)):
            raise self.refused(
                loops[-1], "is bound in a loop whose bounds are not known before the outermost one"
            )
        return Collected(self.name, tuple(chosen), box, owners[0])

    def known(self, x: Operand) -> bool:
        return isinstance(x, Const) or self.place.block_of[x] is self.place.top

    def exclusive(self, a: Mark, b: Mark) -> bool:
        """Whether the marks lie on the two sides of one branch, in the same loops."""
        for x, y in zip(self.blocks(a), self.blocks(b), strict=False):
            if x is not y:
                owner = self.place.owner[x]
                same = isinstance(owner, If) and owner is self.place.owner[y]
                return same and self.loops(a) == self.loops(b)
        return False

    def blocks(self, m: Mark) -> list[Block]:
        return [b for b in reversed(self.place.outwards(self.place.block_with[m])) if b is not self.place.top]

    def loops(self, m: Mark) -> list[Stmt]:
        return [s for s in self.around(m) if isinstance(s, For | While)]

    def conditional(self, last: Mark, m: Mark) -> bool:
        """Whether `last` lies under a condition that `m` does not lie under."""
        mine = self.around(m)
        return any(isinstance(s, If) and s not in mine for s in self.around(last))

    def refused(self, stmt: Stmt, what: str) -> NotDifferentiableError:
        return NotDifferentiableError(
            f"the intermediate `{self.name}` {what}",
            stmt.loc,
            "its gradients have no array to lie in",
            "use a loop over range(n) with n known before it, or name a variable that is bound once",
        )


def allocate(b: Builder, place: Placement, one: Collected) -> Var:
    """The array of an intermediate, before the statement that holds its marks; zeros where no pass comes
    by.
    """
    value = one.marks[-1].value
    shape: list[Operand] = [trips(b, s, _same) for s in one.box]
    if isinstance(value.type, Array):
        assert isinstance(value, Var)
        shape += _lengths(b, place, value, one)
    return b.alloc(shape, value.type.dtype, f"ct_{one.name.replace('.', '_')}", zeroed=True)


def _lengths(b: Builder, place: Placement, array: Var, one: Collected) -> list[Operand]:
    stmt = place.definition[array]
    lengths: list[Operand] | None = None
    match stmt:
        case _ if place.block_of[array] is place.top:
            lengths = shape_of(b, array)
        case Alloc(shape=shape) | Reshape(shape=shape) if shape:
            lengths = list(shape)
        case View(axes=axes):
            lengths = [a.length for a in axes]
    finder = _Finder(place, one.name, list(one.marks))
    if lengths is None or not all(isinstance(n, Const) or place.block_of[n] is place.top for n in lengths):
        raise finder.refused(one.marks[-1], "is an array whose shape is not known before the loop")
    return lengths


def slot(b: Builder, one: Collected, at: Lookup) -> tuple[Operand, ...]:
    """The index of the present pass."""
    return tuple(passed(b, s, at) for s in one.box)


def _same(x: Operand) -> Operand:
    return x
